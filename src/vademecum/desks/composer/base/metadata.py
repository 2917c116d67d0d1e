"""What a draft says of itself, which is not what the template says that it is based on."""

from vademecum.desks.composer.editing.document import Document
from vademecum.desks.composer.image_template import facts_of
from vademecum.desks.composer.image_template.capabilities import capabilities_of, says
from vademecum.desks.composer.library import TemplateLibrary
from vademecum.desks.composer.packages.choice import LABELS


def described(document: Document, library: TemplateLibrary, file: str, based_on: str) -> Document:
    """Return a draft without the metadata of its template, with a description of its own, and with a comment that says whose comments it has."""
    facts = facts_of(library.resolve(document.data, file))
    if document.get("metadata") is not None:
        document = document.remove(("metadata",))
    if document.get("systemConfig", "description"):
        label = LABELS.get(facts.distribution, facts.distribution)
        words = f"{label} ({facts.version}) for {facts.architecture}. {says(frozenset(capabilities_of(facts)))}".strip()
        document = document.set(("systemConfig", "description"), words)
    return document._replace(
        text=f"# Drafted from {based_on}, whose comments follow.\n{document.text.lstrip()}"
    )
