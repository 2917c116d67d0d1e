"""What well-known embedding models want before a text, as their authors trained them."""

import re
from typing import NamedTuple


class Prefixes(NamedTuple):
    """What is put before a question, and before a text that is searched."""

    query: str = ""
    document: str = ""


_SEARCHING = "Represent this sentence for searching relevant passages: "

_KNOWN: tuple[tuple[str, Prefixes], ...] = (
    (r"nomic-embed", Prefixes("search_query: ", "search_document: ")),
    (r"embeddinggemma", Prefixes("task: search result | query: ", "title: none | text: ")),
    (r"(?:^|[-_/])e5(?:$|[-_:])", Prefixes("query: ", "passage: ")),
    (r"mxbai-embed", Prefixes(_SEARCHING, "")),
    (r"snowflake-arctic-embed(?:2|.*v2)", Prefixes("query: ", "")),
    (r"snowflake-arctic-embed", Prefixes(_SEARCHING, "")),
    (r"bge-(?:small|base|large)-en", Prefixes(_SEARCHING, "")),
    (
        r"qwen3-embedding",
        Prefixes(
            "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:", ""
        ),
    ),
)


def prefixes_of(model: str) -> Prefixes:
    """The prefixes of a model, by its name; none for one that is not known.

    >>> prefixes_of("nomic-embed-text:v1.5").query
    'search_query: '
    """
    name = model.lower()
    return next((prefixes for pattern, prefixes in _KNOWN if re.search(pattern, name)), Prefixes())
