"""Process a message in five steps: as a whole, streamed, or only until a rule matches."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from operator import itemgetter
from threading import Lock
from typing import TYPE_CHECKING, Any, Self

from vademecum.ask.running_text.texts import RatedTexts, unmentioned
from vademecum.core.deadline import Deadline
from vademecum.core.errors import AnswerError, ConfigError, DeadlinePassed, ProviderError
from vademecum.core.trace import Json, Trace
from vademecum.desks.chat.evaluate import evaluate
from vademecum.desks.chat.followup import Rewritten, rewrite
from vademecum.desks.chat.generate import Generation, rated_here, with_leading
from vademecum.desks.chat.intent import intent
from vademecum.desks.chat.profile import Profile, RagResult
from vademecum.desks.chat.prompt import Prompt, compose
from vademecum.desks.chat.reply import ChatReply, ChatRequest, Event, Routing, profile_data
from vademecum.desks.chat.resources import Resources
from vademecum.desks.chat.retrieve import Reference, everything, references_of, retrieve
from vademecum.desks.chat.rules import CompiledRule, Tried, Trying
from vademecum.desks.chat.services import Calls, Query
from vademecum.desks.chat.services.local import LocalService
from vademecum.retrieval.units.calibration import THRESHOLD
from vademecum.text.printable import printable
from vademecum.text.small_talk import small_talk


def match(profile: Profile, trying: Trying) -> tuple[CompiledRule, list[Tried]]:
    """Return the first rule that matches a profile, and all rules that were tried."""
    return trying.knowing(profile).first()


if TYPE_CHECKING:
    from vademecum.core.protocols import ChatModel

ANSWER_S = 60.0
LONGEST_MESSAGE = 1_000_000
_TRIED = 50
_LONGEST_TRACED = 4000


@dataclass(frozen=True, slots=True, kw_only=True)
class Routed:
    """A question with the rule that answers it.

    Attributes:
        rated: The rating of all queried local collections together; None if there are none.
        lacks: Sentences about the words of the question that no queried document of this machine contains.
    """

    profile: Profile
    rule: CompiledRule
    tried: tuple[Tried, ...]
    routing: Routing
    composed: Prompt
    query: Query
    rated: RatedTexts | None
    warnings: tuple[str, ...]
    lacks: tuple[str, ...]
    trace: Trace

    def to_dict(self, *, explain: bool = False) -> dict[str, Any]:
        """Return the routing as plain data; with `explain`, also the profile and why each rule did not match."""
        data: dict[str, Any] = {
            "routing": self.routing.to_dict(),
            "warnings": list(self.warnings),
            "trace_id": self.trace.id,
        }
        if explain:
            data["debug"] = self.debug()
            data["trace"] = self.trace.to_dict()
        return data

    def debug(self) -> dict[str, Any]:
        """Return the profile that the rules were tried on, and why each rule did not match."""
        return {
            "profile": profile_data(self.profile),
            "matched_rule_index": self.rule.place,
            "match_evaluation": [one._asdict() for one in self.tried[-_TRIED:]],
        }


def route(
    request: ChatRequest,
    resources: Resources,
    *,
    deadline: Deadline | None = None,
    calls: Calls | None = None,
) -> Routed:
    """Find the rule that answers a question, without generating an answer."""
    deadline, calls = deadline or Deadline(ANSWER_S), calls or Calls()
    configuration = resources.loaded.configuration
    message = checked(request, resources)
    trace = Trace()
    services = resources.services()
    query = Query(message, deadline, calls, request.may_see, request.where)
    if small_talk(message):
        references = []
    elif request.collections is None:
        references = everything(configuration.rag_services, services, query)
    else:
        references = references_of(request.collections, configuration.rag_services)
    intent_model, failed = _intent_model(resources)
    said = message
    for name, service in services.items():
        if isinstance(service, LocalService):
            names = [reference.collection for reference in references if reference.service == name]
            said = service.spelled(said, names, query)
    ways = rewrite(said, request.history, intent_model, query) if references else [Rewritten(message)]
    found = []
    for way in ways:
        query = Query(way.text, deadline, calls, request.may_see, request.where, is_carried=way.by == "rules")
        results = retrieve(query, references, configuration.rag_services, services)
        rated = rated_here(results, query)
        found.append((rated.margin + way.prior if rated else 0.0, way, query, results, rated))
        if rated is None:
            break  # other servers give no confidence to compare readings by
    _, rewritten, query, asked, rated = max(found, key=itemgetter(0))
    asked = with_leading(asked, rated)
    trace.record("retrieve", **_retrieved(message, rewritten, references, asked))
    _in_time(deadline)

    profile = evaluate(
        asked,
        user_message=message,
        selected=[str(reference) for reference in references],
        timestamp=datetime.now(UTC).isoformat(timespec="seconds"),
        has_intent=configuration.intent is not None,
    )
    trace.record("evaluate", **_evaluated(profile))

    trying = resources.loaded.rules.trying(profile)
    detection = configuration.intent.detection if configuration.intent else None
    detected = intent(profile, trying, detection, intent_model, query)
    profile = detected.profile
    trace.record(
        "intent",
        intent=profile.intent,
        why=detected.why,
        offered=list(detected.offered),
        said=detected.said,
        model=detected.model,
        failed=detected.failed,
    )
    _in_time(deadline)

    rule, tried = match(profile, trying)
    trace.record("match", rule=rule.place, tried=[one._asdict() for one in tried[-_TRIED:]])
    composed = compose(profile, rule, configuration, request.model)
    return Routed(
        profile=profile,
        rule=rule,
        tried=tuple(tried),
        routing=Routing(
            rule=rule.place,
            rag_result=profile.rag_result,
            service=profile.service,
            collection=profile.collection,
            distance=profile.distance,
            intent=profile.intent,
            read_as=rewritten.text if rewritten.text != message else "",
        ),
        composed=composed,
        query=query,
        rated=rated,
        warnings=_warnings(asked, failed or detected.failed),
        lacks=_lacks(asked) if profile.rag_result != "match" else (),
        trace=trace,
    )


def chat(request: ChatRequest, resources: Resources, *, deadline: Deadline | None = None) -> ChatReply:
    """Answer a message."""
    with ChatStream(request, resources, deadline=deadline) as stream:
        return stream.whole()


class ChatStream:
    """A reply in progress: an iterator of events that ends with `final`.

    The texts of the `token` events, joined, are the final `response`. An answer from documents is sent statement by
    statement; each is verified before it is sent, and followed by its citations. Nothing is retracted. Use the stream
    as a context manager, or call `close`.

    Args:
        resources: The resources of the active configuration, which stay open until the stream is closed.

    Attributes:
        routed: The routing, after the first event.
    """

    def __init__(
        self, request: ChatRequest, resources: Resources, *, deadline: Deadline | None = None
    ) -> None:
        self.reply: ChatReply | None = None
        self.routed: Routed | None = None
        self._request, self._resources = request, resources
        self._deadline = deadline or Deadline(ANSWER_S)
        self._calls = Calls()
        self._lock = Lock()
        self._holding = True
        resources.__enter__()
        self._events = self._run()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Event:
        """Return the next event."""
        try:
            return next(self._events)
        except BaseException:
            self._release()
            raise

    def whole(self) -> ChatReply:
        """Return the full reply, after consuming the remaining events."""
        for _ in self:
            pass
        assert self.reply is not None  # noqa: S101 - a stream that ends without an error has a reply
        return self.reply

    def close(self) -> None:
        """Cancel the reply immediately, from any thread: all open calls are closed. Can be called repeatedly."""
        self._calls.close()
        self._release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def _release(self) -> None:
        with self._lock:
            held, self._holding = self._holding, False
        if held:
            self._resources.__exit__()

    def _run(self) -> Iterator[Event]:
        self._calls.check()
        routed = route(self._request, self._resources, deadline=self._deadline, calls=self._calls)
        self.routed = routed
        generating = self._generating(routed)  # raises errors before the first event
        yield Event("retrieval", routed.to_dict())
        for piece in generating:
            self._calls.check()
            yield Event("token", {"text": piece.text})
            for citation in piece.citations:
                yield Event("citation", citation.to_dict())
        whole = generating.whole
        assert whole is not None  # noqa: S101 - the iterator is exhausted
        self.reply = replace(
            whole,
            reasons=(*(routed.lacks if whole.status == "no_results" else ()), *whole.reasons),
            warnings=tuple(dict.fromkeys((*routed.warnings, *whole.warnings))),
        )
        data = self.reply.to_dict(explain=self._request.explain)
        yield Event("final", data | ({"debug": routed.debug()} if self._request.explain else {}))

    def _generating(self, routed: Routed) -> Generation:
        composed = routed.composed
        has_model = composed.text is None and not self._request.without_model
        try:
            model = self._resources.model(composed.llm, composed.model) if has_model else None
        except (ConfigError, ProviderError) as error:
            if self._request.require_model:
                raise
            model = None
            routed.trace.record("generate", failed=error.message)
        if model is None and self._request.require_model and composed.text is None:
            message = "A model is required, but the matching rule has none."
            raise ProviderError(message, hint="Ask without require_model.")
        return Generation(
            composed,
            routed.profile,
            self._request.history,
            model,
            routed.query,
            routing=routed.routing,
            rated=routed.rated,
            trace=routed.trace,
            require_model=self._request.require_model,
        )


def checked(request: ChatRequest, resources: Resources) -> str:
    """Return the message of a request, after validation."""
    message = request.message.encode("utf-8", "replace").decode().replace("\0", "")
    if not message.strip():
        raise AnswerError("The message is empty.", hint="Ask something.")
    if len(message) > LONGEST_MESSAGE:
        raise AnswerError(
            f"The message has more than {LONGEST_MESSAGE:,} characters.", hint="Shorten the message."
        )
    if request.model and request.model not in resources.models_offered:
        shown = printable(request.model, 60)
        raise AnswerError(
            f"No rule offers the model {shown}.", hint="List the available models with: GET /api/chat/models"
        )
    return message


def _intent_model(resources: Resources) -> "tuple[ChatModel | None, str]":
    """Return the intent model, and why it is unavailable although it is configured."""
    try:
        return resources.intent_model(), ""
    except (ConfigError, ProviderError) as error:
        return None, error.message


def _in_time(deadline: Deadline) -> None:
    if deadline.passed:
        message = f"The question exceeded its time limit of {deadline.seconds:g} s."
        raise DeadlinePassed(message, hint="Increase the limit, or select fewer collections.")


def _lacks(asked: Sequence[RagResult]) -> tuple[str, ...]:
    found = [(one.identifier, one.local) for one in asked if one.local]
    return unmentioned(found) if found else ()


def _warnings(asked: Sequence[RagResult], failed: str) -> tuple[str, ...]:
    found = [warning for one in asked for warning in one.warnings]
    if failed:
        found.append(f"The question could not be classified: {failed}")
    return tuple(dict.fromkeys(found))


def _retrieved(
    message: str, rewritten: Rewritten, references: Sequence[Reference], asked: Sequence[RagResult]
) -> dict[str, Json]:
    return {
        "question": message[:_LONGEST_TRACED],
        "read_as": rewritten.text[:_LONGEST_TRACED],
        "rewritten_by": rewritten.by,
        "why": rewritten.why,
        "selected": [str(reference) for reference in references],
        "asked": [
            {
                "identifier": one.identifier,
                "result": one.result,
                "distance": None if one.distance is None else round(one.distance, 6),
                "match_threshold": one.match_threshold,
                "partial_threshold": one.partial_threshold,
                "documents": len(one.documents),
                "answerability": round(one.local.answerability, 4) if one.local else None,
            }
            for one in asked
        ],
    }


def _evaluated(profile: Profile) -> dict[str, Json]:
    return {
        "rag_result": profile.rag_result,
        "rag_results": list(profile.rag_results),
        "best_match": profile.best_match.identifier if profile.best_match else None,
        "identifier": profile.identifier,
        "answerability": None if profile.answerability is None else round(profile.answerability, 4),
        "threshold": THRESHOLD,
    }
