"""Sentence boundaries. There are several rules, because fitted weights and indexes depend on one of them."""

import re
from collections.abc import Iterator

from vademecum.text.patterns import Pattern

_END = Pattern(
    r"(?<=\S)(?<!\be\.g)(?<!\bi\.e)(?<!\betc)(?<!\bincl)(?<!\bapprox)(?<!\bvs)[.!?](?=\s+[^a-z\s]|\s*$)|\n",
    flags=0,
)
"""The end of a sentence in manual pages and prose, abbreviations excepted, or of a line."""

SPACE_BETWEEN = Pattern(r"(?<=[.!?])\s+|\n", flags=0)
"""The separator of sentences that the passage ranker was fitted with."""

FIRST_END = Pattern(r"[.!?](?=\s|$)|\n", flags=0)
"""The end of the first sentence of a paragraph. That sentence is the summary of a note."""

_WITH_QUOTES = Pattern(r'.*?[.!?…。]["”»)\]]*(?=\s)', re.DOTALL)
_ABBREVIATED = Pattern(r"(?:\b(?:[A-Z]|[a-z]|Dr|Mr|Mrs|Ms|St|vs|cf|ca|approx|etc|No)|\.[a-z])\.$", flags=0)


TORN = Pattern(
    r"(?:however|therefore|otherwise|then|thus|also|but|and|so|instead|alternatively|in (?:this|that) case|for (?:example|instance)|in essence|that is|"
    r"it|they|this|these|those|such)\b|the (?:first|second|third|fourth|latter|former|following|above)\b|\("
)
"""The beginning of a sentence that depends on the one before."""


def sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the sentences and lines of a range, without surrounding white space."""
    first = start
    for match in _END.finditer(text, start, end):
        if text[first : match.end()].strip():
            yield trimmed(text, first, match.end())
        first = match.end()
    if text[first:end].strip():
        yield trimmed(text, first, end)


def cut(text: str, start: int, end: int, longest: int) -> int:
    """Return the end of the whole sentences that fit, or of the whole words if the first sentence is too long."""
    if end - start <= longest:
        return end
    best = 0
    for sentence_start, sentence_end in sentences(text, start, end):
        if sentence_end - start > longest:
            break
        best = sentence_end if sentence_start >= start else best
    if best:
        return best
    space = text.rfind(" ", start, start + longest)
    return space if space > start else start + longest


def first_sentence(text: str, longest: int) -> str:
    """Return the first sentence of an article. A longer one is cut between words."""
    end = 0
    while found := _WITH_QUOTES.match(text, end):
        end = found.end()
        if end > longest or not _ABBREVIATED.search(text, 0, end):
            break
    else:
        end = len(text)
    if end <= longest:
        return text[:end]
    space = text.rfind(" ", 0, longest)
    return f"{text[: space if space > 0 else longest - 1]}…"


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a range without surrounding white space. It must contain other characters."""
    while text[start].isspace():
        start += 1
    while text[end - 1].isspace():
        end -= 1
    return start, end


def fold(text: str) -> str:
    """Replace each run of white space with a single space."""
    return " ".join(text.split())
