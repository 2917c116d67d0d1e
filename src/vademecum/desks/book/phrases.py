"""Phrases: whether a text holds the words that answer a question, white space, capitals and the marks of Markdown aside."""

from functools import lru_cache

from vademecum.sources._markdown import read_markdown


def holds(text: str, phrase: str) -> bool:
    r"""Whether a text holds a phrase, as it is written or, if that is Markdown, as it reads; white space folded, and capitals the same as small letters.

    >>> holds("Start it with\nuorb start.", "with `uorb start`")
    True
    """
    folded = " ".join(text.lower().split())
    return any(form in folded for form in _forms(phrase))


@lru_cache(maxsize=4096)
def _forms(phrase: str) -> tuple[str, ...]:
    """A phrase as it is, and as it reads."""
    forms = [phrase, read_markdown(phrase).text]
    return tuple(dict.fromkeys(folded for form in forms if (folded := " ".join(form.lower().split()))))
