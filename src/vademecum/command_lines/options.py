"""The options that the entries of a manual page declare, indexed for lookup.

A tag (`-n, --lines=[+]NUM`, `if=FILE`, `restart PATTERN...`) declares one or more *forms*: a name, and whether an
argument follows.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from vademecum.text.patterns import Pattern

_MOST_TAGS = 8192
"""The maximum number of tags whose forms are kept. A question reads the tags of its pages several times."""

NONE, OPTIONAL, REQUIRED = range(3)
"""The values of `Form.argument`: a form takes no argument, an optional one, or a required one."""

NUMBER = "-<number>"
"""The name of a form that matches any number or signal after one dash (`-NUM`, `-<signal>`)."""

_NOTE = Pattern(r"\s+\((?![\w ]*\bexpr)[^()]*(?:\([^()]*\))?[^()]*\)?\s*$", flags=0)
_PIECE_END = Pattern(
    r",\s*(?=[-+<\[\w!\\(])|\n|\s*\|\s*(?=[-+])|\s+or\s+(?=[-+])|\s*/\s*(?=-)|\s+(?=--?[A-Za-z][\w-]*(?:[\s=,\[]|$))",
    flags=0,
)
_DASHED = Pattern(r"(?:--?|\+)(?:\[no-?\])?(?:[\w?@$!.%:*^~][\w.+%-]*|#|,)?", re.ASCII)
_KEYWORD = Pattern(r"[%\\]?[A-Za-z0-9@?!(][\w.:+-]*=?|%.|[!()%\\+-]\S*", flags=0)
_NUMERIC = Pattern(r"-(?:<\w+>|NUM|NUMBER|num|number|SIGNAL|signal|\d\d+)", flags=0)
"""A piece of a tag that matches any number after one dash."""

_KINDS = Pattern(r"(-[a-z]+)([A-Z]{2,})", flags=0)
"""An option whose last letters are given by the user (`-newerXY`)."""

_SHORT = Pattern(r"-\w", flags=0)
_NEGATABLE = Pattern(r"(--?)\[(no-?)\](.+)", flags=0)
_OPENING, _CLOSING = "[{<(", "]}>)"


class Form(NamedTuple):
    """One spelling of an option or keyword.

    Attributes:
        name: The form as typed (`-n`, `--lines`, `if=`, `restart`), or `NUMBER`.
        argument: `NONE`, `OPTIONAL` (attached only) or `REQUIRED`.
    """

    name: str
    argument: int


class OptionEntry(NamedTuple):
    """An entry of a manual page.

    Attributes:
        tag_end: The end of its tag, exclusive.
        end: The end of the entry, exclusive.
    """

    start: int
    tag_end: int
    end: int
    heading: str
    anchor: str
    tag: str
    forms: tuple[Form, ...]


class Found(NamedTuple):
    """An entry, and its form that was typed."""

    entry: OptionEntry
    form: Form


@lru_cache(maxsize=_MOST_TAGS)
def forms_of(tag: str) -> tuple[Form, ...]:
    """Return the forms that a tag declares; nothing if it declares nothing to type.

    >>> forms_of("-n, --lines=[+]NUM")
    (Form(name='-n', argument=2), Form(name='--lines', argument=2))
    >>> forms_of("--no-decorate, --decorate[=short|full]")
    (Form(name='--no-decorate', argument=0), Form(name='--decorate', argument=1))
    """
    if tag.startswith("[-") and tag.endswith("]"):
        tag = tag[1:-1]
    found = [form for piece in _pieces(tag) for form in _forms_of_piece(piece)]
    long = {form.argument for form in found if form.name.startswith("--")}
    is_of_one = any(form.argument != NONE and _SHORT.fullmatch(form.name) for form in found)
    if long in ({REQUIRED}, {OPTIONAL}) and not is_of_one:  # `-u, -U NUM, --unified[=NUM]`: not of the others
        shared = next(iter(long))
        found = [
            form._replace(argument=shared) if form.argument == NONE and _SHORT.fullmatch(form.name) else form
            for form in found
        ]
    return tuple(dict.fromkeys(found))


def _pieces(tag: str) -> Iterator[str]:
    """Split a tag between its forms, outside of brackets."""
    tag = _NOTE.sub("", tag) if not tag.startswith("(") else tag
    depth, first = 0, 0
    ends = {found.start(): found.end() for found in _PIECE_END.finditer(tag)}
    for at, sign in enumerate(tag):
        if depth <= 0 and at in ends and at >= first:
            yield tag[first:at].strip()
            first = ends[at]
        depth += (sign in _OPENING) - (sign in _CLOSING)
    yield tag[first:].strip()


def _forms_of_piece(piece: str) -> Iterable[Form]:
    if not piece:
        return
    if _NUMERIC.fullmatch(piece):
        yield Form(NUMBER, NONE)
        return
    pattern = _DASHED if piece[0] in "-+" and not piece[1:2].isspace() else _KEYWORD
    found = pattern.match(piece)
    if not found:
        return
    name, rest = found[0], piece[found.end() :]
    if name.endswith("=") and piece[0] in "-+":
        name, rest = name[:-1], "=" + rest
    argument = REQUIRED if name.endswith("=") else _argument(name, rest)
    negatable = _NEGATABLE.fullmatch(name)
    if negatable:
        dashes, no, bare = negatable.groups()
        yield Form(f"{dashes}{no}{bare}", NONE)
        name = dashes + bare
    yield Form(name, argument)


def _argument(name: str, rest: str) -> int:
    """Return whether an argument follows a name. The expressions after `-not` and `!` are not arguments."""
    if not rest.strip() or (rest.startswith(" expr") and not _SHORT.fullmatch(name)):
        return NONE
    is_bracketed = rest.startswith("[") or re.fullmatch(r"\s*\[[^\[\]]*(?:\[[^\]]*\][^\[\]]*)*\]\.*", rest)
    return OPTIONAL if is_bracketed else REQUIRED


class OptionTable:
    """The entries of a page, indexed by typed name.

    Args:
        entries: The entries in reading order. If several declare the same name, the first takes precedence.
    """

    def __init__(self, entries: Iterable[OptionEntry]) -> None:
        self.entries = tuple(entries)
        self._by_name: dict[str, list[Found]] = {}
        for entry in self.entries:
            for form in entry.forms:
                self._by_name.setdefault(form.name, []).append(Found(entry, form))

    def get(self, name: str) -> Found | None:
        """Return the first entry that declares exactly this name, options before other entries."""
        found = self._by_name.get(name)
        return found[0] if found else None

    def all(self, name: str) -> list[Found]:
        """Return every entry that declares this name, in reading order."""
        return self._by_name.get(name, [])

    def long(self, name: str) -> Found | None:
        """Return a long option, also for an unambiguous prefix."""
        exact = self.get(name) or self.get(f"{name}=")
        if exact or len(name) < len("--x"):
            return exact
        beginning = {
            found[0].entry.start: found[0] for known, found in self._by_name.items() if known.startswith(name)
        }
        return next(iter(beginning.values())) if len(beginning) == 1 else None

    def attached(self, word: str) -> Found | None:
        """Return an option with its argument attached, if its tag attaches it, too (`-O3` for `-Olevel`)."""
        beginning = word.partition(":")[0]
        for name, found in self._by_name.items():
            if (of_kinds := _KINDS.fullmatch(name)) and re.fullmatch(
                rf"{of_kinds[1]}[A-Za-z]{{{len(of_kinds[2])}}}", word
            ):
                return found[0]
            bare = found[0].form.argument == NONE and re.fullmatch(r"-\w[a-z]{2,}", name)
            is_letter = bare and re.fullmatch(r"-\w[\d=:/,.]\S*", word)
            if (is_letter and name[:2] == word[:2]) or (beginning != word and name == beginning):
                return found[0]
        return None

    def names(self) -> Iterable[str]:
        """Return all declared names."""
        return self._by_name
