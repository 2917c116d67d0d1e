"""Words of a request and the wishes made of them, and the parts of the current template that a request may refer to."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from vademecum.desks.composer.image_template import Data
from vademecum.desks.composer.image_template.template import mapping, mappings, text
from vademecum.desks.composer.request.words.word import Word
from vademecum.desks.composer.wish import Kind, Secret, Wish


class Context(NamedTuple):
    """Names in a template.

    Attributes:
        options: Of the options on the kernel's command line, without their values.
        values: Values by which a field is known, in lower case, and what they are the value of: host name, image name, accounts.
        addresses: Names of interfaces, and one address of each with its prefix.
        unit: Of its disk's size: `GB` or `GiB`; "" if that is not known.
        numbers: Every number that it has, with and without its unit.
    """

    accounts: tuple[str, ...] = ()
    partitions: frozenset[str] = frozenset()
    options: frozenset[str] = frozenset()
    modules: frozenset[str] = frozenset()
    distribution: str = ""
    values: Mapping[str, Kind] = MappingProxyType({})
    addresses: tuple[tuple[str, str], ...] = ()
    unit: str = ""
    numbers: frozenset[str] = frozenset()


def context_of(data: Data) -> Context:
    """The names in a template with all that it inherits."""
    system, disk = mapping(data.get("systemConfig")), mapping(data.get("disk"))
    kernel, image, network = (
        mapping(system.get("kernel")),
        mapping(data.get("image")),
        mapping(system.get("network")),
    )
    parts = [
        text(row.get(key)) for row in mappings(disk.get("partitions")) for key in ("id", "name", "mountPoint")
    ]
    accounts = [text(row.get("name")) for row in mappings(system.get("users"))]
    values: dict[str, Kind] = dict.fromkeys(map(str.lower, accounts), "user")
    values |= {
        text(image.get("name")).lower(): "image_name",
        text(system.get("hostname")).lower(): "hostname",
    }
    values.pop("", None)
    values.pop("root", None)
    return Context(
        distribution=text(mapping(data.get("target")).get("os")),
        values=values,
        addresses=tuple(
            (text(face.get("name")), str(address))
            for face in mappings(network.get("interfaces"))
            for address in face.get("addresses") or ()
            if isinstance(address, str)
        ),
        unit=text(disk.get("size")).lstrip("0123456789. "),
        numbers=frozenset(_numbers(data)),
        accounts=tuple(accounts),
        partitions=frozenset(name for name in parts if name not in {"", "none"}),
        options=frozenset(word.partition("=")[0] for word in text(kernel.get("cmdline")).split()),
        modules=frozenset(text(kernel.get("enableExtraModules")).split()),
    )


_NUMBER = re.compile(r"(?<![\w.])(\d+(?:\.\d+)*)\s?([KMGT]i?B)?(?![\w.])")


def _numbers(data: Data) -> Iterator[str]:
    """The numbers in the values of a template: "20GiB" is both "20gib" and "20"."""
    rows: list[object] = [data]
    while rows:
        row = rows.pop()
        if isinstance(row, dict):
            rows += row.values()
        elif isinstance(row, list):
            rows += row
        elif isinstance(row, str | int) and not isinstance(row, bool):
            for number, unit in _NUMBER.findall(str(row)):
                yield number
                if unit:
                    yield f"{number}{unit}".lower()


_SKIPPED = frozenset(["filler", "article", "copula", "verb", "plural"])


class Frame:
    """Words in the order of the request, and the wishes that were made of them.

    Attributes:
        text: The request, with marks in the place of passwords.
        hints: Capabilities that words only hint at, and the words.
    """

    def __init__(
        self, text: str, words: Sequence[Word], secrets: dict[str, Secret], context: Context | None
    ) -> None:
        self.text, self.words, self.secrets, self.context = text, words, secrets, context or Context()
        self.in_session = context is not None
        self.wishes: list[Wish] = []
        self.hints: list[tuple[str, str]] = []
        self._sentences: dict[int, list[Word]] = {}
        for word in words:
            self._sentences.setdefault(word.sentence, []).append(word)

    def sentences(self) -> Iterator[list[Word]]:
        """The words by sentence."""
        yield from self._sentences.values()

    def said(self, words: Iterable[Word]) -> str:
        """The stretch of the request that some words are in."""
        spans = [(word.term.start, word.term.end) for word in words]
        return " ".join(self.text[min(spans)[0] : max(end for _, end in spans)].split()) if spans else ""

    def wish(
        self,
        kind: Kind,
        value: str,
        words: Sequence[Word],
        /,
        *,
        wanted: bool | None = None,
        note: str = "",
        secret: Secret | None = None,
        **details: str,
    ) -> Wish:
        """Make a wish of some words, which are used then."""
        for word in words:
            word.used = True
        given = {name.replace("_", "-"): detail for name, detail in details.items() if detail}
        if any(word.replaces for word in words):
            given["corrects"] = "yes"
        notes = "; ".join(dict.fromkeys(filter(None, [note, *(word.term.note for word in words)])))
        made = Wish(
            kind,
            value,
            wanted=words[0].wanted if wanted is None else wanted,
            said=self.said(words)[:200],
            start=min(word.term.start for word in words),
            details=given,
            note=notes,
            secret=secret,
        )
        self.wishes.append(made)
        return made

    def unclear(self, question: str, words: Sequence[Word]) -> None:
        """Ask back about some words."""
        self.wish("unclear", question, words, wanted=True)

    def ask_whose(self, word: Word) -> None:
        """Ask back about a password that no account is named for; that of a disk is never taken from a request."""
        of_disk = any(
            other.term.means("flag", "encryption") and other.sentence == word.sentence for other in self.words
        ) and not any(other.term.means("field", "account") for other in self.words)
        self.unclear(
            "A passphrase is not taken from a request. Put it into a file, and name the file."
            if of_disk
            else "Whose password is it? Name the account.",
            [word],
        )


def is_open(word: Word) -> bool:
    """Return whether a word may still be made something of."""
    return not word.used and word.mood == "wish"


def is_name(word: Word) -> bool:
    """Return whether a word may be a name: quoted, or one that nobody knows."""
    return not word.used and bool(
        word.term.token.kind == "quoted"
        or ((not word.term.senses or word.term.note) and word.term.token.kind == "word")
    )


def value_after(words: Sequence[Word], at: int, *, reach: int = 4) -> int | None:
    """The place of the first word after another that is more than a joining one; `None` if the sentence has none near."""
    for place in range(at + 1, min(len(words), at + 1 + reach)):
        word = words[place]
        if word.used:
            return None
        if word.segment != words[at].segment and word.joint not in {":", "("}:
            return None
        if (
            word.term.senses
            and not word.is_value
            and word.term.has(*_SKIPPED)
            and word.term.token.kind != "quoted"
        ):
            continue
        return place
    return None
