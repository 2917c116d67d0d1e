"""What of a document is embedded: its line, how its description begins, and what it lists."""

from vademecum.core.passages import SECTION, Entry
from vademecum.retrieval.headings import telling
from vademecum.retrieval.words import terms

NAMES = ("line", "description", "contents")
"""The dense vectors a document has."""

_DESCRIPTION_WORDS = 60
_CONTENTS_TERMS = 100


def terms_of(entry: Entry) -> dict[str, list[str]]:
    """The terms behind each of a document's dense vectors, by name."""
    return {
        "line": line_terms(entry.reference, entry.summary),
        "description": description_terms(entry),
        "contents": contents_terms(entry),
    }


def line_terms(reference: str, summary: str) -> list[str]:
    """The terms that stand for a document: its name in words, and its one line."""
    return terms(f"{reference.partition('(')[0].replace('_', ' ').replace('-', ' ')}: {summary}")


def description_terms(entry: Entry) -> list[str]:
    """The terms of the first words of the description, or of the first section that is not a listing."""
    chosen = None
    for passage in entry.passages:
        if passage.kind == SECTION:
            heading = passage.heading.upper()
            if heading.startswith("DESCRIPTION"):
                chosen = passage
                break
            if chosen is None and heading not in {"NAME", "SYNOPSIS", "LIBRARY"}:
                chosen = passage
    if chosen is None:
        return []
    return terms(
        " ".join(
            entry.text[chosen.start : chosen.end].split(maxsplit=_DESCRIPTION_WORDS)[:_DESCRIPTION_WORDS]
        )
    )


def contents_terms(entry: Entry) -> list[str]:
    """The terms of the names of what a document lists: its own headings, its options and other entries."""
    found: dict[str, None] = {}
    for passage in entry.passages:
        if passage.kind == SECTION:
            found.update(dict.fromkeys(terms(telling(passage.heading))))
        else:
            found.update(dict.fromkeys(terms(entry.text[passage.start : passage.tag_end].replace("--", " "))))
        if len(found) >= _CONTENTS_TERMS:
            break
    return [term for term in found if not term.startswith("-")][:_CONTENTS_TERMS]
