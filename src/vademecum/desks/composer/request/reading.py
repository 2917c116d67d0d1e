"""Read a request. This is the only entry point of the package."""

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from vademecum.core.errors import AnswerError
from vademecum.desks.composer.request.accounts import read_accounts
from vademecum.desks.composer.request.fields import read_fields
from vademecum.desks.composer.request.frames import Context, Frame
from vademecum.desks.composer.request.leftovers import read_leftovers
from vademecum.desks.composer.request.network import read_network
from vademecum.desks.composer.request.quantities import read_quantities
from vademecum.desks.composer.request.rows import Known
from vademecum.desks.composer.request.secrets import hide
from vademecum.desks.composer.request.sheets import read_sheet
from vademecum.desks.composer.request.software import read_replacements, read_software, use_old_values
from vademecum.desks.composer.request.targets import read_targets
from vademecum.desks.composer.request.values import read_values
from vademecum.desks.composer.request.words.clauses import words_of
from vademecum.desks.composer.request.words.lexer import tokens_of
from vademecum.desks.composer.request.words.vocabulary import Vocabulary
from vademecum.desks.composer.request.words.word import Word
from vademecum.desks.composer.wish import ONE_OF_EACH, Secret, Wish
from vademecum.text.language import language_of

MOST_CHARACTERS = 4_000
"""Of a request."""

_LONGEST_WORD = 200


class Reading(NamedTuple):
    """A request, read.

    Attributes:
        wishes: What is asked for, in the order of the words; what was not understood and what is asked back among them.
        theme: The request without names, values, what is ruled out and what is only reported: what it says of the image's purpose.
    """

    text: str
    wishes: tuple[Wish, ...]
    secrets: dict[str, Secret]
    background: tuple[str, ...]
    hints: tuple[tuple[str, str], ...]
    theme: str
    words: tuple[Word, ...]


def read(text: str, packages: Collection[str] = (), context: Context | None = None) -> Reading:
    """Read a request."""
    hidden = hide(_plain(text))
    if language := language_of(hidden.text):
        raise AnswerError(
            f"The request seems to be in {language}.", hint="Requests are understood in English."
        )
    vocabulary = Vocabulary(packages)
    sheet = read_sheet(hidden.text, Known(vocabulary, hidden.secrets))
    words = words_of(vocabulary.terms(sheet.rest, tokens_of(sheet.rest)))
    frame = Frame(sheet.rest, words, hidden.secrets, context)
    frame.wishes += sheet.wishes
    if frame.in_session:
        read_replacements(frame)
    read_accounts(frame)
    read_network(frame)
    read_fields(frame)
    read_quantities(frame)
    read_targets(frame, vocabulary)
    read_values(frame)
    read_software(frame, vocabulary)
    if frame.in_session:
        use_old_values(frame)
    background = read_leftovers(frame)
    _taken_back(frame)
    _alternatives(frame)
    _limits(frame)
    _unassigned(frame)
    _commands(frame)
    return Reading(
        hidden.text,
        tuple(sorted(frame.wishes, key=lambda wish: wish.start)),
        hidden.secrets,
        tuple(background),
        tuple(frame.hints),
        _theme(sheet.rest, words),
        tuple(words),
    )


def _taken_back(frame: Frame) -> None:
    """Values that a correction takes back, as in "call it pluto, no sorry, saturn"."""
    corrections = [word.term.start for word in frame.words if word.term.has("correction")]
    groups: list[frozenset[str]] = [frozenset([kind]) for kind in sorted(ONE_OF_EACH)]
    for kinds in [*groups, frozenset(["version", "distribution"])]:
        said = sorted(
            (wish for wish in frame.wishes if wish.kind in kinds and wish.wanted), key=lambda wish: wish.start
        )
        if len(said) > 1 and any(said[-2].start < at < said[-1].start for at in corrections):
            frame.wishes = [wish for wish in frame.wishes if not any(wish is old for old in said[:-1])]


_OR = re.compile(r"\W*(?:or|or else)\W*", re.IGNORECASE)
_LIMIT = re.compile(
    r"\b(?:no more than|not? (?:larger|bigger|more) than|at most|up to|max(?:imum)?(?: of)?|below|under|less than)(?: a)?\s*$",
    re.IGNORECASE,
)


def _alternatives(frame: Frame) -> None:
    """As in "podman or docker": of packages that are alternatives the first one is taken, which is noted."""
    wishes = sorted(
        (wish for wish in frame.wishes if wish.kind == "package" and wish.wanted), key=lambda wish: wish.start
    )
    first = wishes[0] if wishes else None
    for wish in wishes[1:]:
        between = frame.text[first.start + len(first.said) : wish.start] if first else ""
        if first and _OR.fullmatch(between):
            note = f"{first.said} or {wish.said}: the first one is taken"
            frame.wishes[frame.wishes.index(first)] = first = first._replace(note=note)
            frame.wishes.remove(wish)
        else:
            first = wish


def _limits(frame: Frame) -> None:
    """As in "a disk of no more than 8 GB": a limit, and not a size."""
    for at, wish in enumerate(frame.wishes):
        end = wish.start + len(wish.said)
        size = next(
            (
                word.term.start
                for word in frame.words
                if wish.start <= word.term.start < end and word.term.token.kind == "size"
            ),
            wish.start,
        )
        if wish.kind == "disk_size" and not wish.detail("op") and _LIMIT.search(frame.text[:size]):
            frame.wishes[at] = wish._replace(details={**wish.details, "op": "at-most"})


def _unassigned(frame: Frame) -> None:
    """A password that nothing has is asked back, whatever else was made of its words."""
    given = {id(wish.secret) for wish in frame.wishes if wish.secret}
    for word in frame.words:
        secret = frame.secrets.get(word.term.text)
        if (
            secret
            and id(secret) not in given
            and not any(
                wish.kind in {"unclear", "impossible"} and word.term.text in wish.said
                for wish in frame.wishes
            )
        ):
            frame.ask_whose(word)


_SHELL = re.compile(r"&&|\|\||[$|{}\\](?!password)|(?<![-=\w])>(?!\s)")


def _commands(frame: Frame) -> None:
    """What looks like a command of a shell is named; nothing is made of it."""
    found = _SHELL.search(frame.text)
    if found:
        said = frame.text[found.start() :].split("\n")[0][:60]
        why = "Commands are not taken from a request; put a file into additionalFiles."
        frame.wishes.append(Wish("impossible", why, said=said, start=found.start()))


_NAMES = frozenset(
    ["secret", "quoted", "url", "address", "option", "size", "interface", "zone", "path", "version", "number"]
)
_SAYS_NOTHING = frozenset(
    """field negator report correction hedge unavailable mount kernel_word kernel_key off""".split()  # noqa: SIM905
)


def _theme(text: str, words: Sequence[Word]) -> str:
    """The words that say what an image is for."""
    kept = list(text)
    for word in words:
        ruled_out = word.is_head and (not word.wanted or word.mood != "wish")
        named = word.is_value and word.term.token.kind in _NAMES
        unknown = word.used and not word.term.senses
        if (
            ruled_out
            or named
            or unknown
            or (word.term.has(*_SAYS_NOTHING) and not word.term.has("filler", "package", "capability"))
        ):
            kept[word.term.start : word.term.end] = " " * (word.term.end - word.term.start)
    return " ".join("".join(kept).split())


def _plain(text: str) -> str:
    """The text without characters that only look like others."""
    if len(text) > MOST_CHARACTERS:
        message = f"The request has {len(text):,} characters; at most {MOST_CHARACTERS:,} are read."
        raise AnswerError(message, hint="Say in a few sentences what the image is to be.")
    plain = "".join(
        _LOOKS_LIKE.get(letter, letter if letter.isprintable() or letter == "\n" else " ") for letter in text
    )
    if not any(map(str.isalnum, plain)):
        raise AnswerError(
            "The request is empty.",
            hint='Say what the image is to be, as in: "minimal Debian 13 server with nginx"',
        )
    return " ".join(word[:_LONGEST_WORD] for word in plain.split(" "))


_LOOKS_LIKE = {
    "’": "'",
    "‘": "'",
    "“": '"',
    "”": '"',
    "„": '"',
    "\u00a0": " ",
    "\u202f": " ",
    "\t": " ",
    "\r": "\n",
}
