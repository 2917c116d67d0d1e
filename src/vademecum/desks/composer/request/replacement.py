"""Read replacements of values in the current template: "hv3, not hv1", "panic=10 in place of 30", "the address ends in 18, not 8"."""

import re
from collections.abc import Sequence
from itertools import pairwise

from vademecum.desks.composer.request.frames import Frame, is_open
from vademecum.desks.composer.request.words.word import Word

_BEFORE_OLD = re.compile(
    r"\b(?:instead of|rather than|in place of|not|from|of|no longer|isn't|was)(?: the)?\s*\Z"
)
_GONE = frozenset(["used", "taken", "in use", "occupied", "not", "instead", "rather", "wrong"])
_BEFORE_NEW = frozenset(["to", "but", "now", "becomes", "become", "should be", "take", "use", "call it"])
_BYTE = 255
_PAIR = 2


def read_replacements(frame: Frame) -> None:
    """Make wishes of new values that are said with the old ones, and use up old ones that are said beside a new one."""
    for sentence in frame.sentences():
        for word in sentence:
            kind = frame.context.values.get(word.norm)
            is_software = word.term.has("package", "family", "capability", "ability")
            if (
                kind
                and is_open(word)
                and not word.account
                and not is_software
                and (new := _new_for(frame, sentence, word))
            ):
                op, old = ("rename", word.term.token.text) if kind == "user" else ("", "")
                heads = [other for other in sentence if is_open(other) and other.term.means("field", kind)]
                frame.wish(kind, new.term.token.text, [new, word, *heads], wanted=True, op=op, old=old)
    _last_byte(frame)


def use_old_values(frame: Frame) -> None:
    """What is left over and only says what there was: "panic=10 in place of 30"."""
    for sentence in frame.sentences():
        for word in sentence:
            if (
                is_open(word)
                and word.is_value
                and word.norm in frame.context.numbers
                and _is_old(frame, word)
            ):
                word.used = any(other.used and other.is_value for other in sentence)


def _is_old(frame: Frame, word: Word) -> bool:
    """Return whether a word is ruled out, or comes right behind "instead of"."""
    return not word.wanted or _BEFORE_OLD.search(frame.text[: word.term.start].lower()) is not None


def _new_for(frame: Frame, sentence: Sequence[Word], old: Word) -> Word | None:
    """The only other name in a sentence that says what an old one is replaced by; `None` if there is none, or several."""
    others = [
        word
        for word in sentence
        if is_open(word)
        and word is not old
        and word.wanted
        and word.term.token.kind == old.term.token.kind
        and (not word.term.senses or word.term.has("package", "family"))
        and not word.term.has("filler", "ordinary", "verb")
    ]
    turned = [
        word
        for before, word in pairwise(sentence)
        if before.norm in _BEFORE_NEW
        and any(word is other for other in others)
        and word.term.start > old.term.start
    ]
    if len(turned) == 1:
        return turned[0]
    return (
        others[0]
        if len(others) == 1 and _is_old(frame, old) and others[0].term.start < old.term.start
        else None
    )


def _last_byte(frame: Frame) -> None:
    """As in "the address ends in 18, not 8" and "20 is taken. Use 21.": the last number of an address."""
    numbers = [word for word in frame.words if is_open(word) and word.term.token.kind == "number"]
    if len(numbers) != _PAIR or not any(word.norm in _GONE or not word.wanted for word in frame.words):
        return
    for old, new in (numbers, numbers[::-1]):
        faces = [
            (face, address)
            for face, address in frame.context.addresses
            if address.partition("/")[0].rpartition(".")[2] == old.norm
        ]
        if len(faces) != 1 or not new.wanted or not new.norm.isdigit() or int(new.norm) > _BYTE:
            continue
        face, address = faces[0]
        bare, slash, prefix = address.partition("/")
        heads = [word for word in frame.words if is_open(word) and word.term.means("field", "address")]
        text = f"{bare.rpartition('.')[0]}.{new.norm}{slash}{prefix}"
        frame.wish("network", face, [new, old, *heads], wanted=True, address=text)
        return
