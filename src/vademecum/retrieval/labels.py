"""Labels: the letter or number that tells one thing from others of its name, as in class C, step 5."""

import re
from typing import NamedTuple

from vademecum.text.words import STOP_WORDS

_LABEL = r"(?:[A-HJ-Z]|[b-hj-z]|\d{1,3})(?![\w°%]|[.,]\d|[-/]\w|\+|'|’)"
_LABELLED = re.compile(rf"\b([A-Za-z]{{2,}}) (?={_LABEL})(\w+)")


class Label(NamedTuple):
    """A letter or a number that tells one thing from others of its name: class C, step 5.

    Attributes:
        noun: The name, as asked.
        mark: The letter, as written, or the number.
    """

    noun: str
    mark: str

    def side(self, text: str) -> int:
        """1 where a text has it, -1 where it has the name with other letters or numbers alone, 0 where it is silent."""
        one = self.noun if self.noun.endswith("ss") else self.noun.removesuffix("s")
        name = rf"\b(?i:{one}(?:e?s)?)\b"
        listed = rf"{name}(?:[ ,/]{{1,2}}(?:\w|\d{{1,3}})\b(?:,? (?:and|or|to))?){{0,5}}[ ,/]{{1,2}}"
        if re.search(rf"{listed}{self.mark}(?![\w]|[.,]\d)", text):
            return 1
        return -1 if re.search(rf"{name}[ -]{_LABEL}", text) else 0


def labels(question: str) -> list[Label]:
    """The labels that a question names.

    >>> labels("What is door class C made of?")
    [Label(noun='class', mark='C')]
    """
    return [Label(noun, mark) for noun, mark in _LABELLED.findall(question) if noun.lower() not in STOP_WORDS]
