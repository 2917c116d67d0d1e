"""The decision which documents to answer from: the result of rating, and the input of composing."""

from collections.abc import Sequence
from typing import NamedTuple

from vademecum.ask.kinds import USUAL, Limits, Rated
from vademecum.core.errors import VademecumError
from vademecum.core.evidence import Evidence
from vademecum.core.trace import Trace


class Decision(NamedTuple):
    """The documents that a question is answered from; `path.decide` makes it.

    Attributes:
        asked: The question, as it was asked.
        read_as: The resolved question, if it is a follow-up; otherwise "".
        rated: The kind of document that most probably answers.
        others: The other kinds, most probable first.
        faults: Errors of corpora that could not be searched.
        evidence: The documents to answer from; empty for a refusal.
        chosen: The references of these documents; for running text, the ids of the chosen passages.
        room: The maximum length of question and answer together, in characters.
        trace: The records of the steps so far.
        limits: How many passages an answer may use.
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
    limits: Limits = USUAL
