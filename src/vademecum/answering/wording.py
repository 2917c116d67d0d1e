"""Check that a sentence which a model wrote says only what the lines of documents say that it cites.

A sentence holds if it is built from the words of one line: each of its words is in the line, in another form of it or as a value of the
question in the place of a placeholder; they come in the order of the line; what is left out is set off by punctuation; and no word that turns the
meaning (`not`, `only`, `unless`) is added or left out. A sentence about several lines holds if each of its clauses does.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from vademecum.text.sentences import fold
from vademecum.text.words import STOP_WORDS, stem

_SMALL = frozenset(
    """a also an and are as at be been being by can command could did do does done following for from had has have here how i if in into is it its may
    means might of on onto option options our run so such that the their them then there these they this those to type use used using was we were which while
    will with would you your""".split()  # noqa: SIM905
)
"""Words that a sentence may add or leave out."""

_TURNING = frozenset(
    """after all always any before both but each either every even except first instead last least less more most must neither never no none nor not only
    optional or otherwise should unless until without""".split()  # noqa: SIM905
)
"""Words that change what a sentence says."""

_WORD = re.compile(r"-{1,2}[A-Za-z0-9][\w-]*|[~/.$@%]*\w+(?:[./:@+*'-]+\w+)*[/+*]*")
_SIGN = re.compile(r"[^\w\s.,;:'\"“”‘’`()/-]")
_NOT = re.compile(r"n['’]t\b|\bcannot\b")
_APART = re.compile(r"[,;:()\[\]–—]|\s-\s|[.!?](?=\s|$)")
_PLAIN = re.compile(r"[a-z]+")
_PLACEHOLDER = re.compile(r"[A-Z][A-Z_]+\d?")
_IN_TAG = re.compile(r"-|[A-Z][A-Z_]+\d?$")
_CLAUSE = re.compile(r"[;.:]\s+|,\s+(?:and|but|or|then|while)\s+|\s+and then\s+|\s+and\s+")
_SENTENCE = re.compile(r"(?<=[.;!?])\s+(?=[A-Z(\-`'\"])|\n+")
_BEGINNING, _ENGLISH = 4000, 0.15
"""The length of the beginning of a document that shows its language, in characters, and the minimum share of small English words."""


def is_said(sentence: str, lines: Sequence[str], asked: str = "") -> bool:
    """Return whether a sentence says only what lines of documents say.

    Args:
        lines: The lines that it cites, at least one, each a sentence, an entry or a block.
        asked: The question, whose values may take the place of placeholders.

    >>> is_said("With -n, it prints only the first 5 lines.", ["-n NUM: print only the first NUM lines"], "first 5 lines")
    True
    >>> is_said("It prints the last lines.", ["-n NUM: print only the first NUM lines"])
    False
    """
    values = {word for word in _words(asked) if not _PLAIN.fullmatch(word)}
    stretches = [stretch for line in lines for stretch in _stretches(line)]
    if any(_is_in(sentence, stretch, values) for stretch in stretches):
        return True
    clauses = [clause for clause in _CLAUSE.split(sentence) if clause.strip()]
    return 1 < len(clauses) <= len(lines) + 1 and all(
        any(_is_in(clause, stretch, values) for stretch in stretches) for clause in clauses
    )


def is_copied(sentence: str, lines: Sequence[str]) -> bool:
    """Return whether a sentence is a whole line, or a whole sentence of one.

    >>> is_copied("It is fast.", ["It is fast. It is small."]), is_copied("run it", ["Do not run it."])
    (True, False)
    """
    stretches = (stretch for line in lines for stretch in _stretches(line))
    return any(sentence.rstrip(".:;") == fold(stretch).rstrip(".:;") for stretch in stretches)


def speaks_english(text: str) -> bool:
    """Return whether a document is in English, so that the words that turn its meaning are known.

    >>> speaks_english("The cache is kept for a week."), speaks_english("Der Cache wird eine Woche nicht geteilt.")
    (True, False)
    """
    words = text[:_BEGINNING].lower().split()
    return sum(word in STOP_WORDS for word in words) >= _ENGLISH * len(words)


def shared(sentence: str, line: str) -> float:
    """Return the share (0-1) of the telling words of a sentence that a line has."""
    words = {_key(word) for word in _words(sentence) if word.lower() not in _SMALL}
    there = {form for word in _words(line) for form in _forms(word)}
    return len(words & there) / len(words) if words else 0.0


def _stretches(line: str) -> Iterator[str]:
    """Yield a line, its sentences, and its first one (or its tag) before each of the others."""
    sentences = [sentence for sentence in _SENTENCE.split(line) if sentence.strip()]
    yield line
    if len(sentences) > 1:
        yield from sentences
        tag, colon, _ = sentences[0].partition(": ")
        yield from (f"{tag}: {sentence}" for sentence in sentences[1:] if colon)


def _is_in(sentence: str, line: str, values: set[str]) -> bool:
    """Return whether a sentence is built from the words of a line."""
    line = _NOT.sub(" not", line)
    said, found = _words(sentence), [*_WORD.finditer(line)]
    there = [match[0].rstrip(".:'") for match in found]
    if _turns(said) != _turns(there) or not {*_SIGN.findall(sentence)} <= {*line}:
        return False
    places: dict[str, list[int]] = {}
    for at, word in enumerate(there):
        for form in _forms(word):
            places.setdefault(form, []).append(at)
    has_placeholder = any(map(_PLACEHOLDER.fullmatch, there))
    used: list[int] = []
    for word in filter(_tells, said):
        ahead = [place for place in places.get(_key(word), ()) if not used or place > used[-1]]
        if ahead:
            used.append(ahead[0])
        elif _key(word) in places or not (has_placeholder and word in values):
            return False
    ends = zip([-1, *used], [*used, len(there)], strict=True)
    return bool(used) and all(_is_apart(line, found, first, last) for first, last in ends)


def _is_apart(line: str, words: Sequence[re.Match[str]], first: int, last: int) -> bool:
    """Return whether what a sentence leaves out between two words of a line is set off by punctuation, such as a clause between commas."""
    left_out = [word for word in words[first + 1 : last] if _tells(word[0]) and not _IN_TAG.match(word[0])]
    if not left_out:
        return True
    begins = first < 0 or _APART.search(line, words[first].end(), left_out[0].start())
    return bool(
        begins and (last == len(words) or _APART.search(line, left_out[-1].end(), words[last].start()))
    )


def _tells(word: str) -> bool:
    """Return whether a word is one that a sentence must not leave out or add."""
    return word.lower() not in _SMALL and word.lower() not in _TURNING


def _words(text: str) -> list[str]:
    return [word.rstrip(".:'") for word in _WORD.findall(_NOT.sub(" not", text))]


def _turns(words: Sequence[str]) -> Counter[str]:
    return Counter(word.lower() for word in words if word.lower() in _TURNING)


def _key(word: str) -> str:
    """Return the form by which words are compared: the stem of a plain word, and anything else as it is written."""
    lower = word.lower()
    return stem(lower) if _PLAIN.fullmatch(lower) and not word.isupper() else word


def _forms(word: str) -> Iterator[str]:
    """Yield the forms in which a sentence may have a word of a line: also the parts of an option's name, and the word in lowercase."""
    yield _key(word)
    if word.startswith("--") or (word.isupper() and word.isalpha()):
        yield from (stem(part) for part in word.lower().strip("-").split("-"))
