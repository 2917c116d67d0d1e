"""A word of a request, with its position and its context."""

from dataclasses import dataclass
from typing import Literal

from vademecum.desks.composer.request.words.vocabulary import Term

Mood = Literal["wish", "report", "condition"]

_HEADS = frozenset(
    """version distribution architecture image_type field flag artifact compression boot_loader boot_type network_backend partition_table disk_selection
    family disk_policy kernel_flavour filesystem mount_option mount kernel_word kernel_key unavailable package ability capability unlock service_on service_off
    """.split()  # noqa: SIM905 - one list reads best
)

_SOFTWARE = frozenset(["package", "ability", "capability", "family"])

_VALUES = frozenset(
    ["quoted", "url", "address", "option", "size", "interface", "zone", "path", "version", "number", "secret"]
)


@dataclass(slots=True)
class Word:
    """A term where it is.

    Attributes:
        after_comma: Whether a comma comes before the "and" that joins its segment.
        joint: How its segment is joined to the one before: "", ",", "and", "or", "with", "(", ":".
        kept: Whether it is only said to stay ("do not remove nginx").
        since: Where the negator is that rules it out; -1 if none does.
        should: Whether it is only wished for ("ideally").
        counts: Whether it is a number that only says how many ("40 shops").
        sign: A plus or minus right before it.
    """

    term: Term
    sentence: int
    clause: int
    segment: int
    joint: str = ""
    after_comma: bool = False
    wanted: bool = True
    kept: bool = False
    since: int = -1
    mood: Mood = "wish"
    should: bool = False
    replaces: bool = False
    counts: bool = False
    sign: str = ""
    account: bool = False
    used: bool = False

    @property
    def norm(self) -> str:
        """The term in lower case."""
        quoted = self.term.token.kind == "quoted"
        return self.term.token.norm if self.is_value or quoted or self.term.note else self.term.text.lower()

    @property
    def is_value(self) -> bool:
        """Return whether it is a value by its form: a size, a path, quoted text."""
        return not self.term.senses and self.term.token.kind in _VALUES

    @property
    def is_head(self) -> bool:
        """Return whether it may name something that is asked for."""
        return self.term.has(*_HEADS) or (
            not self.term.senses
            and self.term.token.kind in {"word", "interface", "zone", "address", "option"}
        )

    @property
    def group(self) -> str:
        """What it is of, to see whether a list goes on."""
        sense = self.term.sense(*_HEADS - _SOFTWARE)
        if sense is not None and not self.term.has("ordinary"):
            return f"field {sense.value}" if sense.kind == "field" else sense.kind
        if self.term.has(*_SOFTWARE) or (not self.term.senses and self.term.token.kind == "word"):
            return "software"
        sense = self.term.sense(*_HEADS)
        return sense.kind if sense else self.term.token.kind
