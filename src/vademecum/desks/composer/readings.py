"""Join the reading of a model with that of the rules: the model reads first, and everything in its rows must be in the request."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from vademecum.desks.composer.image_template import size_bytes
from vademecum.desks.composer.request.rows import Known, Row, from_repositories, wishes_of, with_interfaces
from vademecum.desks.composer.request.words.lexer import tokens_of
from vademecum.desks.composer.request.words.spelling import corrected
from vademecum.desks.composer.search.meaning import met
from vademecum.desks.composer.wish import ONE_OF_EACH, Kind, Wish
from vademecum.desks.composer.wishes import Wishes, settled

_OPEN: frozenset[Kind] = frozenset(["unknown", "unclear"])
_NAMED: frozenset[Kind] = frozenset(["hostname", "image_name", "disk_size", "partition", "swap", "user"])
"""Kinds that are asked about if only the rules read them: names, sizes and accounts."""

_CHOSEN = frozenset(
    """release architecture image_type format compression partition_table boot_loader boot_type kernel_flavour network_backend disk_selection unlock impossible last_partition_grows""".split()  # noqa: SIM905
)
"""Fields of a closed set of values, which a request may paraphrase."""

_FLAGS = {"encryption": "encrypted", "read_only_root": "read-only-root", "secure_boot": "secure-boot"}
"""Fields without a value: the words must surely speak of the capability."""

_SURELY = 0.7

_VALUES = frozenset(["secret", "size", "path", "address", "url", "quoted", "zone", "interface", "option"])
"""Forms of words that are never only background."""

_Span = tuple[int, int]
_SOFTWARE: frozenset[Kind] = frozenset(["package", "capability", "unknown"])
_SWITCHES: frozenset[Kind] = frozenset(
    ["encryption", "read_only_root", "secure_boot", "swap", "grow", "service"]
)
_DENIES = re.compile(
    r"\b(?:no|not|never|none|nor|neither|without|except|but|minus|instead|rather|drop|remove|leave out|skip|n't)\b",
    re.IGNORECASE,
)

_PART = re.compile(r"[a-z]+|\d+")
_LONG = 4


class Readings(NamedTuple):
    """The reading of the rules, and what a model's rows are checked against.

    Attributes:
        name: The name of the model, for notes.
    """

    read: Wishes
    known: Known
    name: str

    def merged(self, rows: Sequence[Row]) -> Wishes:
        """Return the wishes of both.

        A row holds if its names and numbers are in the request. Then it replaces what the rules read in the same words; if not, their
        reading of these words is kept. What one wants and the other rules out is asked. What no row touches is kept as well; names,
        sizes and accounts are then asked about. Plain words that ask for nothing are background.
        """
        made: list[Wish] = []
        spans: list[_Span] = []
        for row in rows:
            found = wishes_of(row, self.known)
            if found and (taken := self._taken(row, found)):
                made += taken
                spans.append(_span(row))
        made = from_repositories(with_interfaces(made))
        kept, background = self._kept(rows, made, spans)
        return self.read._replace(
            wishes=tuple(settled([*made, *kept])), background=(*self.read.background, *background)
        )

    def _taken(self, row: Row, found: Sequence[Wish]) -> list[Wish]:
        """Return the wishes of a row, or a question; nothing if the reading of the rules is the better one."""
        near = [wish for wish in self.read.wishes if _touches(wish, [_span(row)])]
        if any(self._contradict(wish, other) for wish in near for other in found):
            return [self._asked(row, found)]
        understood = [wish for wish in near if wish.kind not in _OPEN]
        is_richer = not row.value and any(wish.details or wish.value for wish in understood)
        holds = self._holds(row, found)
        if understood and (is_richer or not holds):
            return []
        if not holds and not all(wish.kind == "package" for wish in found):  # software that is known is taken
            return [self._asked(row, found)]
        note = f"read by {self.name}"
        return [wish._replace(note="; ".join(filter(None, [wish.note, note]))) for wish in found]

    def _contradict(self, ours: Wish, other: Wish) -> bool:
        """Return whether one reading wants what the other rules out, and the words do not show that the model is right."""
        if ours.wanted == other.wanted or not (
            {ours.kind, other.kind} <= _SOFTWARE or ours.kind == other.kind in _SWITCHES
        ):
            return False
        before = re.split(r"[.!?;\n]", self.read.request[: other.start])[-1]
        return ours.wanted is False or not _DENIES.search(before)

    def _asked(self, row: Row, found: Iterable[Wish]) -> Wish:
        question = f"Is {row.quote!r} meant as {', '.join(map(_shown, found))}, as {self.name} reads it?"
        return Wish("unclear", question, said=row.quote[:200], start=row.start)

    def _kept(
        self, rows: Sequence[Row], made: list[Wish], spans: Sequence[_Span]
    ) -> tuple[list[Wish], list[str]]:
        """Return the wishes of the rules that are kept, and what is background. A wish that both read is joined in `made`."""
        ours = self.read.wishes
        quoted = [_span(row) for row in rows]
        idle = [_span(row) for row in rows if row.field == "nothing"]
        understood = [wish for wish in ours if wish.kind not in _OPEN]
        reads_most = bool(spans) and 2 * sum(_touches(wish, quoted) for wish in understood) > len(understood)
        named = {wish.kind for wish in made}
        kept, background = [], []
        for wish in ours:
            same = next((other for other in made if _is_same(other, wish)), None)
            is_read = _touches(wish, quoted)
            if same is not None:
                made[made.index(same)] = _joined(same, wish)
            elif _touches(wish, spans) and not _has_more(wish, made):
                continue
            elif (wish.kind == "unknown" and wish.wanted and _touches(wish, idle)) or (
                reads_most and not is_read and (self._is_nothing(wish) or (wish.kind in ONE_OF_EACH & named))
            ):
                background.append(f"{wish.said} (by {self.name})")
            elif reads_most and wish.kind in _NAMED and wish.wanted and not is_read:
                question = f"Is {wish.said!r} meant as {_shown(wish)}? {self.name} does not read it so."
                kept.append(Wish("unclear", question, said=wish.said, start=wish.start))
            else:
                kept.append(wish)
        return kept, background

    def _is_nothing(self, wish: Wish) -> bool:
        """Return whether a wish of the rules is only words: not understood, or the removal of something that is no software."""
        if wish.kind in _OPEN:
            return not any(token.kind in _VALUES for token in tokens_of(wish.said))
        senses = self.known.vocabulary.senses_of(wish.value.lower())
        return (
            wish.kind == "package"
            and not wish.wanted
            and not any(sense.kind == "package" for sense in senses)
        )

    def _holds(self, row: Row, found: Sequence[Wish]) -> bool:
        """Return whether the names and numbers of a row are in the request."""
        if row.field in _FLAGS and row.wanted:
            return any(
                known.capability == _FLAGS[row.field] and known.strength >= _SURELY
                for known in met(row.quote)
            )
        return bool(found) and (row.field in _CHOSEN or all(self._is_said(wish, row) for wish in found))

    def _is_said(self, wish: Wish, row: Row) -> bool:
        """Return whether the names and numbers of a wish are in the request, whatever their spelling and units."""
        if wish.secret:
            return True
        if wish.kind == "package":
            terms = self.known.vocabulary.terms(row.quote, tokens_of(row.quote))
            if any(
                sense.kind == "package"
                and self.known.vocabulary.package(term.token.norm, sense.value) == wish.value
                for term in terms
                for sense in term.senses
            ):
                return True
        sizes = {size_bytes(token.norm) for token in tokens_of(self.read.request) if token.kind == "size"}
        said = set(_PART.findall(_plain(self.read.request)))
        for text in (row.value, row.key):
            size = size_bytes(text.replace(" ", ""))
            if size and size not in sizes:
                return False
            words = [] if size else _PART.findall(_plain(text))
            if wish.kind == "timezone" or row.field == "shell":
                words = _PART.findall(_plain(text.rpartition("/")[2]))
            if not all(word in said or (len(word) >= _LONG and corrected(word, said)) for word in words):
                return False
        return True


def _span(row: Row) -> _Span:
    return row.start, row.start + len(row.quote)


def _plain(text: str) -> str:
    """Return a text in lower case without accents."""
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()


def _touches(wish: Wish, spans: Iterable[_Span]) -> bool:
    return any(start < wish.start + max(1, len(wish.said)) and wish.start < end for start, end in spans)


def _has_more(wish: Wish, made: Iterable[Wish]) -> bool:
    """Return whether a wish has a value that no other has: a size, a mount point, a name."""
    if wish.kind not in _NAMED | {"network", "kernel_option"}:
        return False
    values = {value for other in made for value in (other.value, *other.details.values())}
    return not {wish.value, *wish.details.values()} - {""} <= values


def _is_same(one: Wish, other: Wish) -> bool:
    return (one.kind, one.value, one.wanted) == (other.kind, other.value, other.wanted)


def _joined(one: Wish, other: Wish) -> Wish:
    """Return a wish that both read, with the details of both; it needs no note."""
    return other._replace(details={**other.details, **one.details}, secret=one.secret or other.secret)


def _shown(wish: Wish) -> str:
    return f"{'' if wish.wanted else 'no '}{wish.kind.replace('_', ' ')} {wish.value}".strip()
