"""The retrieval methods, as data. A collection is given its method when it is created."""

from typing import NamedTuple

from vademecum.core.settings import Method
from vademecum.retrieval import rules
from vademecum.retrieval.lexical import MANUAL_PAGES, Field, Fields


class Making(NamedTuple):
    """How the documents of a collection become vectors.

    Attributes:
        fields: How their fields count for words.
        joined_words: Up to how many words short neighbouring sections are joined; 0 for never.
        rules: What an index remembers, so that it is rebuilt when this changes.
    """

    fields: Fields
    joined_words: int
    rules: str


_DOCUMENTS = Fields(
    page_name=Field(1.0, 0.3, 4),
    page_summary=Field(1.0, 0.3, 15),
    page_headings=Field(1.5, 0.6, 20),
    page_tags=Field(0.7, 0.7, 40),
    page_body=Field(1.0, 0.75, 500),
    tag=Field(1.0, 0.3, 3),
    heading=Field(1.5, 0.3, 6),
    body=Field(1.0, 0.6, 60),
    need=Field(1.0, 0.4, 5),
    marks_definitions=True,
)

_MANUALS = frozenset({"man", "info", "tldr"})
"""The types of sources that hold short entries whose names people know. All others hold running text."""


def method_of(type_: str, method: Method) -> Method:
    """How a source is indexed and ranked, by its type ("" for an unknown one) and by the method of the library it is in."""
    return "documents" if type_ and type_ not in _MANUALS else method


METHODS: dict[Method, Making] = {
    "manual-pages": Making(MANUAL_PAGES, joined_words=0, rules=rules.NAME),
    "documents": Making(_DOCUMENTS, joined_words=180, rules=f"{rules.NAME} documents-{rules.DOCUMENTS}"),
}
