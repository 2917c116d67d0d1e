"""Answer with a language model. Every sentence is checked, and replaced by the documents' own words if it fails."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple, Self

from vademecum.answering.verify import Part
from vademecum.ask.answer import answer_of
from vademecum.ask.composition import Composition, Writers
from vademecum.ask.kinds import Corpus
from vademecum.ask.path import TOO_LONG, decide, read_follow_up
from vademecum.ask.request import Taken
from vademecum.ask.rewriting import rewritten
from vademecum.core.answers import Answer, Citation, Statement
from vademecum.core.deadline import Closing, Deadline
from vademecum.core.errors import ProviderError, StreamClosed
from vademecum.core.limits import CHARACTERS_A_TOKEN
from vademecum.core.models import ModelSettings
from vademecum.core.settings import AnswerStyle, Settings
from vademecum.providers.registry import open_model, settings_of

if TYPE_CHECKING:
    from vademecum.core.conversations import Turn
    from vademecum.core.protocols import ChatModel

_ENDED = "The answer was ended before it was whole."
_INSTEAD = "{} The answer quotes the documents instead."
_AFTER = "{} What it said that holds is followed by the documents' own words."


class Asking(NamedTuple):
    """A question to answer with a model.

    Attributes:
        characters: The maximum length of question and answer together.
        before: The earlier turns, oldest first.
        require_model: Whether to fail instead of answering without the model.
        style: Whether the model chooses statements of the documents, or writes sentences.
    """

    text: str
    corpus: Corpus
    characters: int
    before: "Sequence[Turn]"
    deadline: Deadline
    require_model: bool
    style: AnswerStyle


class AnswerStream:
    """An answer in progress: an iterator over its sentences and steps, each of which is verified before it is yielded.

    Nothing that was yielded is revoked, and `answer` is what `Library.ask` returns. Use it as a context manager, or call
    `close`; otherwise, its connection stays open until it is garbage-collected.

    Args:
        asking: The question.
        open_model: Returns the model. It is called when the first statement is requested.
        finish: Called with the complete answer; returns it with warnings, and logs it.
        known: The answer, if it needs no search.

    Attributes:
        part: The part of the answer that the last statement belongs to, `summary` or `steps`.
        citations: The citations so far; `Statement.citations` contains indexes into it.

    Example:
        >>> with library.ask_stream("When is the office open?", model="openai:small") as stream:
        ...     [statement.text for statement in stream]
        ['The office is open from nine to five on working days.']
    """

    def __init__(
        self,
        asking: Asking,
        open_model: "Callable[[], ChatModel]",
        finish: Callable[[Answer], Answer],
        known: Answer | None = None,
    ) -> None:
        self._asking = asking
        self._open_model = open_model
        self._finish = finish
        self._closing = Closing()
        self._answer = finish(known) if known else None
        self._statements = self._run()
        self.part: Part = "summary"
        self.citations: Sequence[Citation] = ()

    @property
    def answer(self) -> Answer:
        """The whole answer. Waits for the remaining statements.

        Raises:
            AnswerError: The question contains no searchable terms.
            ProviderError: `require_model` is true, and the model fails, or none of its statements is supported (`ReplyInvalid`).
            StreamClosed: The stream was closed before its end.

        Example:
            >>> with library.ask_stream("When is the office open?", model="openai:small") as stream:
            ...     stream.answer.model
            'openai:small'
        """
        for _ in self:
            pass
        if self._answer is None:
            raise StreamClosed(_ENDED)
        return self._answer

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Statement:
        """Return the next sentence or step.

        Raises:
            AnswerError: The question contains no searchable terms.
            ProviderError: `require_model` is true, and the model fails, or none of its statements is supported (`ReplyInvalid`).
            StreamClosed: Another thread closed the stream.
        """
        if self._closing.closed and self._answer is None:
            raise StreamClosed(_ENDED)
        self.part, statement = next(self._statements)
        return statement

    def close(self) -> None:
        """Cancel the answer immediately, from any thread. Repeated calls are allowed.

        Example:
            >>> stream = library.ask_stream("When is the office open?", model="openai:small")
            >>> stream.close()
        """
        self._closing.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    # --- how ---

    def _run(self) -> Iterator[tuple[Part, Statement]]:
        if self._answer is not None:
            return
        asking = self._asking
        model, fault = self._opened()
        reading = None
        if asking.before and model is not None:
            reading = rewritten(
                asking.text,
                asking.before,
                read_follow_up(asking.text, asking.before, [asking.corpus])[0],
                model,
                deadline=asking.deadline,
                hold=self._closing.hold,
            )
        decision = decide(
            asking.text, [asking.corpus], room=asking.characters, before=asking.before, reading=reading
        )
        writers = Writers(
            models=[model] if model else [],
            style=asking.style,
            required=asking.require_model,
            context_tokens=asking.characters // CHARACTERS_A_TOKEN,
            fault=fault,
        )
        composition = Composition(decision, writers, asking.deadline, self._closing)
        for statement in composition:
            self.citations = composition.citations
            yield composition.part, statement
        self.citations = composition.citations
        self._answer = self._finish(_answer_of(composition, asking.corpus))

    def _opened(self) -> "tuple[ChatModel | None, ProviderError | None]":
        try:
            return self._open_model(), None
        except ProviderError as error:
            return None, error


def _answer_of(composition: Composition, corpus: Corpus) -> Answer:
    """Return the answer, with a warning if the model failed."""
    warnings = list(composition.warnings)
    if reason := composition.reason:
        whole = reason if reason.endswith((".", "!", "?")) else f"{reason}."
        warnings.append((_AFTER if composition.model else _INSTEAD).format(whole))
    if composition.left_out:
        warnings.append(TOO_LONG.format(composition.left_out))
    answer = answer_of(composition.decision, composition.verified, corpus.index, warnings)
    outcome = "partial" if reason and not answer.no_answer else answer.outcome
    return replace(answer, outcome=outcome, model=composition.model)


def start(
    taken: Taken,
    corpus: Corpus,
    settings: Settings,
    *,
    model: "ChatModel | ModelSettings | str",
    opened: "dict[ModelSettings, ChatModel]",
    timeout_s: float,
    require_model: bool,
    conversation: str,
    style: AnswerStyle | None = None,
) -> AnswerStream:
    """Start to answer an accepted question.

    Args:
        taken: The question.
        corpus: The corpus to search.
        settings: The settings, which name models.
        model: The model that writes.
        opened: A cache of open models, by name.
        timeout_s: The timeout of the whole answer in seconds.
        require_model: Whether to fail instead of answering without the model.
        conversation: The name of the conversation, or "".
        style: What the model does; None for the style in the settings.

    Raises:
        ConfigError: The name of the model or of the conversation is invalid.
    """
    opener = _opener(model, settings, opened)
    asking = Asking(
        taken.text, corpus, taken.characters, (), Deadline(timeout_s), require_model, style or settings.style
    )
    if not conversation:
        return AnswerStream(asking, opener, taken.finish)
    from vademecum.ask.conversation import Talk  # noqa: PLC0415 - most questions are the only one

    talk = Talk(taken.places, conversation, taken.text)
    asking = asking._replace(text=talk.question, before=tuple(talk.before))
    if talk.started_over is not None:
        return AnswerStream(asking, opener, taken.finish, talk.started_over)
    return AnswerStream(asking, opener, lambda answer: taken.finish(talk.keep(answer)))


_opening = Lock()


def _opener(
    model: "ChatModel | ModelSettings | str", settings: Settings, opened: "dict[ModelSettings, ChatModel]"
) -> "Callable[[], ChatModel]":
    """Return a function that gives the model: from the cache, or opened and cached."""
    if not isinstance(model, str | ModelSettings):
        return lambda: model
    wanted = settings_of(model, settings.models)

    def give() -> "ChatModel":
        with _opening:
            if wanted not in opened:
                opened[wanted] = open_model(wanted)
            return opened[wanted]

    return give
