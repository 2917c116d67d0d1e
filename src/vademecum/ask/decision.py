"""What a question is answered from: where rating ends and composing begins."""

from collections.abc import Sequence
from typing import NamedTuple

from vademecum.ask.rating import Rated
from vademecum.core.errors import VademecumError
from vademecum.core.evidence import Evidence
from vademecum.core.trace import Trace


class Decision(NamedTuple):
    """What a question is answered from.

    Attributes:
        asked: The question as it was asked.
        read_as: As it was put to the documents, where it was a follow-up and taken as another; else "".
        rated: The documents that are likeliest to answer.
        others: The other kinds of documents, likeliest first.
        faults: Why some documents could not be asked.
        evidence: The documents to answer from; none for a refusal.
        chosen: The references of these documents; of running text, the ids of the passages that were chosen.
        room: How many characters question and answer may have together.
        trace: What every step saw so far.
    """

    asked: str
    read_as: str
    rated: Rated
    others: Sequence[Rated]
    faults: Sequence[VademecumError]
    evidence: Sequence[Evidence]
    chosen: Sequence[str]
    room: float
    trace: Trace
