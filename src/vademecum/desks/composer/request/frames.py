"""Patterns of several words (frames) that share parts."""

from collections.abc import Iterable, Iterator, Sequence

from vademecum.desks.composer.request.context import Context
from vademecum.desks.composer.request.words.word import Word
from vademecum.desks.composer.wish import Kind, Secret, Wish

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
