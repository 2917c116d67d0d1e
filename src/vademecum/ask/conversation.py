"""Answer a question of a conversation, using its earlier turns, and store the turn."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from vademecum.core.answers import Answer
from vademecum.core.conversations import Turn
from vademecum.files.places import Places
from vademecum.retrieval.question.follow_up import start_over
from vademecum.state.conversations import Conversations


class Talk:
    """A question of a conversation, with the earlier turns.

    Args:
        conversation: The name of the conversation, or `-`.
        question: The question. "Start over" starts a new conversation, with the question after these words, if any.

    Attributes:
        before: The earlier turns, oldest first.
        started_over: The answer to "start over" without a question, which needs no search; otherwise None.
    """

    def __init__(self, places: Places, conversation: str, question: str) -> None:
        self._kept = Conversations(places.data / "conversations")
        self._name = self._kept.named(conversation)
        self._warnings: list[str] = []
        self.question = question
        self.before: list[Turn] = []
        self.started_over: Answer | None = None
        rest = start_over(question)
        if rest is not None:
            self._kept.forget(self._name)
            if not rest:
                self.started_over = _started_over(question, self._name)
                return
            self.question = rest
        turns, fault = self._kept.turns(self._name)
        # a follow-up that led nowhere is nothing to lean on
        self.before = [turn for turn in turns if turn.references or turn.read_as == turn.asked]
        if fault:
            self._warnings.append(fault)
        if self.before and self.before[-1].asked == self.question:
            self.before.pop()  # asked again, it must not lean on itself

    def keep(self, answer: Answer) -> Answer:
        """Store the turn. Return the answer, with a warning if the turn cannot be stored."""
        references = tuple(reference.document_ref for reference in answer.references)
        turn = Turn(self.question, answer.read_as or self.question, references)
        if fault := self._kept.add(self._name, turn):
            self._warnings.append(fault)
        return replace(answer, warnings=(*answer.warnings, *self._warnings))


def talk(
    places: Places, conversation: str, question: str, answer: Callable[[str, Sequence[Turn]], Answer]
) -> Answer:
    """Answer a question of a conversation.

    Args:
        places: The file locations of the library.
        conversation: The name of the conversation, or `-`.
        answer: Called with the question and the earlier turns; returns the answer.
    """
    one = Talk(places, conversation, question)
    return one.started_over or one.keep(answer(one.question, one.before))


def _started_over(question: str, name: str) -> Answer:
    return Answer(
        question=" ".join(question.split()),
        outcome="not_found",
        confidence=0.0,
        answerability=0.0,
        no_answer=True,
        guidance=(f"The conversation {name} starts over. Ask the next question.",),
    )
