"""A draft says nothing of itself that was said of the template it is based on."""

import re

from vademecum.desks.composer.editing.document import Document
from vademecum.desks.composer.image_template import facts_of
from vademecum.desks.composer.image_template.capabilities import capabilities_of, says
from vademecum.desks.composer.library import TemplateLibrary
from vademecum.desks.composer.packages.choice import LABELS

_HEAD = re.compile(r"\A(?:#[^\n]*\n)+")


def described(document: Document, library: TemplateLibrary, file: str, based_on: str) -> Document:
    """Return a draft without the metadata and the header comment of its template, and with a description of its own."""
    facts = facts_of(library.resolve(document.data, file))
    if document.get("metadata") is not None:
        document = document.remove(("metadata",))
    if document.get("systemConfig", "description"):
        label = LABELS.get(facts.distribution, facts.distribution)
        words = f"{label} ({facts.version}) for {facts.architecture}. {says(frozenset(capabilities_of(facts)))}".strip()
        document = document.set(("systemConfig", "description"), words)
    text = _HEAD.sub("", document.text).lstrip("\n")
    return document._replace(text=f"# Drafted from {based_on}.\n\n{text}")
