"""The similarity of two words by tables: same, similar or opposite."""

from collections import defaultdict

from vademecum.answering.claims.lexicon import ANTONYMS, KINDS, SYNONYMS
from vademecum.answering.claims.words import NAME, NEGATION, NUMBER, OPTION, ORDINAL, PATH, WORD, Word, stem

SAME, ALIKE, AKIN, PART, OPPOSITE = 1.0, 0.85, 0.8, 0.6, 0.6
"""The similarity of words that are the same, synonyms, of the same stem, parts, or opposites."""

_STEM_LETTERS = 5
_STEM_SHARE = 0.7
_PART_LETTERS = 4


def _groups() -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = defaultdict(set)
    for number, group in enumerate(SYNONYMS):
        for word in group:
            found[stem(word)].add(number)
    return {word: frozenset(numbers) for word, numbers in found.items()}


def _opposites() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for pair in ANTONYMS:
        one, other = map(stem, pair)
        found[one].add(other)
        found[other].add(one)
    for group in KINDS:
        kind = set(map(stem, group))
        for word in kind:
            found[word] |= {
                other
                for other in kind - {word}
                if not GROUPS_OF.get(word, _NO_GROUP) & GROUPS_OF.get(other, _NO_GROUP)
            }
    return {word: frozenset(others) for word, others in found.items()}


_NO_GROUP: frozenset[int] = frozenset()
_NO_WORDS: frozenset[str] = frozenset()
GROUPS_OF = _groups()
OPPOSITES = _opposites()


def likeness(claimed: Word, said: Word) -> float:
    """Return how well `said` covers `claimed`, 0-1. A fact is covered only by the same fact."""
    if claimed.kind == WORD == said.kind:
        return _of_words(claimed, said)
    if NEGATION in (claimed.kind, said.kind):
        return SAME if claimed.key == said.key else 0.0
    if claimed.kind == said.kind and claimed.key == said.key:
        return SAME
    return _of_facts(claimed, said)


def opposite(claimed: Word, said: Word) -> bool:
    """Return whether two words are opposites."""
    if claimed.key == said.key:
        return claimed.unlike != said.unlike
    return said.key in OPPOSITES.get(claimed.key, _NO_WORDS) and claimed.unlike == said.unlike


def _of_words(claimed: Word, said: Word) -> float:
    one, other = claimed.key, said.key
    if one == other:
        return SAME if claimed.unlike == said.unlike else AKIN
    if not (claimed.weight and said.weight):
        return 0.0
    if GROUPS_OF.get(one, _NO_GROUP) & GROUPS_OF.get(other, _NO_GROUP):
        return ALIKE
    if other in OPPOSITES.get(one, _NO_WORDS):
        return OPPOSITE
    shorter = min(len(one), len(other))
    if shorter >= _PART_LETTERS and one[:_PART_LETTERS] == other[:_PART_LETTERS]:
        common = _PART_LETTERS
        while common < shorter and one[common] == other[common]:
            common += 1
        if common >= _STEM_LETTERS and common >= _STEM_SHARE * max(len(one), len(other)):
            return AKIN
        if common == shorter:
            return AKIN
    return 0.0


def _of_facts(claimed: Word, said: Word) -> float:
    kind, other = claimed.kind, said.kind
    if kind in (NUMBER, ORDINAL) and other in (NUMBER, ORDINAL):
        if kind == NUMBER == other:
            shared = (
                claimed.key in said.also or said.key in claimed.also or set(claimed.also) & set(said.also)
            )
            return SAME if shared else 0.0
        return AKIN if claimed.key.lstrip("#") == said.key.lstrip("#") else 0.0
    if OPTION in (kind, other):
        return _of_options(claimed, said)
    if PATH in (kind, other):
        return _of_paths(claimed, said)
    if NAME in (kind, other):
        return _of_names(claimed, said)
    return 0.0


def _of_options(claimed: Word, said: Word) -> float:
    if claimed.kind == OPTION == said.kind:
        shared = claimed.key in said.also or said.key in claimed.also or set(claimed.also) & set(said.also)
        return SAME if shared else 0.0
    option, other = (claimed, said) if claimed.kind == OPTION else (said, claimed)
    if other.kind == NUMBER:
        return SAME if other.key in option.also else 0.0
    if option is said and other.kind in (WORD, NAME):
        return 0.9 if option.key.lstrip("-").lower() == other.text.lower() else 0.0
    return 0.0


def _of_paths(claimed: Word, said: Word) -> float:
    if claimed.kind == PATH == said.kind:
        one, other = claimed.key, said.key
        long_enough = min(len(one), len(other)) >= _PART_LETTERS
        return 0.9 if long_enough and (one.endswith(other) or other.endswith(one)) else 0.0
    if claimed.kind == PATH:
        return 0.9 if claimed.key.lstrip(".").lower() == said.text.lower() else 0.0
    return PART if claimed.weight and claimed.text.lower() in said.key.lower().split("/") else 0.0


def _of_names(claimed: Word, said: Word) -> float:
    one = claimed.key if claimed.kind == NAME else claimed.text
    other = said.key if said.kind == NAME else said.text
    if one == other or stem(one) == stem(other):
        return SAME
    if claimed.kind == NAME == said.kind:
        joined = len(one) > _PART_LETTERS < len(other) and (
            one.endswith(f"_{other}") or other.endswith(f"_{one}")
        )
        return ALIKE if joined else 0.0
    if claimed.kind == WORD:
        return PART if one in other.replace(".", "_").split("_") else 0.0
    return 0.0
