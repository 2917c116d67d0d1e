"""Update the metadata, names and header comment of a draft, which came from another image."""

import re
from collections.abc import Iterable

from vademecum.desks.composer.editing.document import Document, Path
from vademecum.desks.composer.editing.outcome import Outcome
from vademecum.desks.composer.image_template import Facts, facts_of
from vademecum.desks.composer.image_template.capabilities import capabilities_of, says
from vademecum.desks.composer.library import TemplateLibrary
from vademecum.desks.composer.packages.choice import LABELS
from vademecum.desks.composer.template.lint import untrue

_LISTS = ("use_cases", "keywords", "capabilities", "recommended_for")
_NAMES: tuple[Path, ...] = (("image", "name"), ("systemConfig", "name"))
_TEXTS: tuple[Path, ...] = (("metadata", "description"), ("systemConfig", "description"))
_HEAD = re.compile(r"\A(?:#[^\n]*\n)+")


def made_true(
    document: Document, library: TemplateLibrary, file: str, based_on: str, outcomes: Iterable[Outcome] = ()
) -> tuple[Document, tuple[str, ...]]:
    """A draft that claims nothing that its facts do not bear out.

    Returns:
        The draft, and the claims that were taken out.
    """
    facts = facts_of(library.resolve(document.data, file))
    able = frozenset(capabilities_of(facts))
    removed = _removed(outcomes)
    gone: list[str] = []

    def is_untrue(words: str) -> bool:
        said = set(re.findall(r"[a-z0-9+]+", words.lower()))
        return bool(said & removed) or untrue(words, able, facts)

    for key in _LISTS:
        values = document.get("metadata", key)
        for at in range(len(values) - 1, -1, -1) if isinstance(values, list) else ():
            if isinstance(values[at], str) and is_untrue(values[at]):
                gone.append(values[at])
                document = document.remove(("metadata", key, at))
    for path in _TEXTS:
        words = document.get(*path)
        if isinstance(words, str) and is_untrue(words):
            gone.append(words)
            document = document.set(path, _described(facts, able))
    for path in _NAMES:
        name = document.get(*path)
        if isinstance(name, str) and is_untrue(re.sub(r"[-_.]", " ", name)):
            gone.append(name)
            document = document.set(path, f"{facts.version}-{facts.architecture}-{facts.image_type}")
    head = _HEAD.match(document.text)
    if based_on and head and is_untrue(head[0]):
        document = document._replace(text=_HEAD.sub(f"# Drafted from {based_on}.\n", document.text))
    return document, tuple(gone)


def _removed(outcomes: Iterable[Outcome]) -> frozenset[str]:
    """The names of software that was taken out, without their versions."""
    names = [
        name
        for outcome in outcomes
        if outcome.wish.kind == "package" and not outcome.wish.wanted and outcome.state == "delivered"
        for name in (outcome.wish.value.lower(), *outcome.packages)
    ]
    return frozenset(re.sub(r"[-.]?[0-9.]+$", "", name) for name in names)


def _described(facts: Facts, able: frozenset[str]) -> str:
    label = LABELS.get(facts.distribution, facts.distribution)
    return f"{label} ({facts.version}) for {facts.architecture}. {says(able)}".strip()
