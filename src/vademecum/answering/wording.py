"""Check that a sentence which a model wrote says only what the lines of documents say that it cites.

A sentence holds if it is built from the words of one line: each of its words is in the line, in another form of it or as a value of the
question in the place of a placeholder; they come in the order of the line; and no word that turns the meaning (`not`, `only`, `unless`) is added
or left out. A sentence about several lines holds if each of its clauses does.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

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
_PLAIN = re.compile(r"[a-z]+")
_PLACEHOLDER = re.compile(r"[A-Z][A-Z_]+\d?")
_CLAUSE = re.compile(r"[;.:]\s+|,\s+(?:and|but|or|then|while)\s+|\s+and then\s+|\s+and\s+")
_SENTENCE = re.compile(r"(?<=[.;!?])\s+(?=[A-Z(\-`'\"])|\n+")
_BEGINNING, _ENGLISH = 4000, 0.15
"""The length of the beginning of a document that shows its language, in characters, and the minimum share of small English words."""

_JUMPS = 1
"""How many times a sentence may go back in the order of the words of its line."""


def is_said(sentence: str, lines: Sequence[str], asked: str = "") -> bool:
    """Return whether a sentence says only what lines of documents say.

    Args:
        sentence: The sentence.
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
    said, there = _words(sentence), _words(line)
    if _turns(said) != _turns(there) or not {*_SIGN.findall(sentence)} <= {*line}:
        return False
    places: dict[str, list[int]] = {}
    for at, word in enumerate(there):
        for form in _forms(word):
            places.setdefault(form, []).append(at)
    has_placeholder = any(map(_PLACEHOLDER.fullmatch, there))
    at, jumps, content = -1, 0, 0
    for word in said:
        if word.lower() in _SMALL or word.lower() in _TURNING:
            continue
        content += 1
        found = places.get(_key(word))
        if found is None:
            if not (has_placeholder and word in values):
                return False
            continue
        ahead = [place for place in found if place > at]
        jumps += not ahead
        at = ahead[0] if ahead else found[0]
    return content > 0 and jumps <= _JUMPS


def _words(text: str) -> list[str]:
    text = re.sub(r"n['’]t\b|\bcannot\b", " not", text)
    return [word.rstrip(".:'") for word in _WORD.findall(text)]


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
