"""The retrieval methods, as data. A collection is given its method when it is created."""

from typing import NamedTuple

from vademecum.core.settings import Method
from vademecum.retrieval.lexical import MANUAL_PAGES, Field, Fields
from vademecum.text.words import WORDS_VERSION

PASSAGES = 4
"""How documents are divided: `passages.py`."""

MEANING = 5
"""Which texts of a document are embedded: `meaning.py`."""

NEEDS = 2
"""How needs are matched with passages, and which tasks a document shows: `needs.py`, `examples.py`."""

DOCUMENTS = 5
"""How running text is weighted, and which passages define a thing: `methods.py`, `definitions.py`."""

RULES = f"passages-{PASSAGES} words-{WORDS_VERSION} meaning-{MEANING} needs-{NEEDS}"
"""The identifier of all rules, which is stored in every index."""


class Making(NamedTuple):
    """The parameters that turn documents into vectors.

    Attributes:
        joined_words: The maximum number of words of joined sections; 0 to join none.
        rules: An identifier that is stored in the index, which is rebuilt when it changes.
        embeds_passages: Whether each passage has a dense vector.
    """

    fields: Fields
    joined_words: int
    rules: str
    embeds_passages: bool = False


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

_MANUALS = frozenset({"man", "info", "tldr", "help"})
"""The types of sources with short entries that are known by name. All others contain running text."""


def is_manual(type_: str) -> bool:
    """Return whether a type of sources has short entries that are known by name."""
    return type_ in _MANUALS


def method_of(type_: str, method: Method) -> Method:
    """Return the method of a source, given its type ("" if unknown) and the method of its library."""
    return "documents" if type_ and type_ not in _MANUALS else method


METHODS: dict[Method, Making] = {
    "manual-pages": Making(MANUAL_PAGES, joined_words=0, rules=RULES),
    "documents": Making(
        _DOCUMENTS, joined_words=180, rules=f"{RULES} documents-{DOCUMENTS}", embeds_passages=True
    ),
}
