"""Probes: test questions with the rule that each must match.

A probe can give the distance of each collection and the reply of the intent model. Then neither is queried, and only
the rules are tested.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Self

from vademecum.config.document import Node, NotReadable, parse
from vademecum.core.deadline import Deadline
from vademecum.core.errors import ConfigError
from vademecum.core.models import Message, Reply
from vademecum.desks.chat.chat import route
from vademecum.desks.chat.profile import CollectionSettings, Passage
from vademecum.desks.chat.reply import ChatRequest, Routing
from vademecum.desks.chat.resources import Resources
from vademecum.desks.chat.services import Answered, OpenService, Query
from vademecum.text.printable import printable
from vademecum.text.similar import closest

EXPECTED = ("rule", "rag_result", "service", "collection", "intent")
_KEYS = ("question", "collections", "history", "distances", "intent", "expect")
_HINT = 'Write a list of {question: "...", expect: {rule: 0}}; see docs/reference/chat-configuration.md'


class Probe(NamedTuple):
    """A question with the expected routing.

    Attributes:
        collections: The collections to query; None for all.
        history: The previous messages, oldest first.
        distances: The distances of collections, by `service/collection`; None to query the collections.
        intent: The reply of the intent model; None to ask the model.
        expect: The expected values of `rule`, `rag_result`, `service`, `collection` and `intent`; at least one.
    """

    line: int
    question: str
    collections: tuple[str, ...] | None
    history: tuple[Message, ...]
    distances: Mapping[str, float] | None
    intent: str | None
    expect: Mapping[str, Any]


class Outcome(NamedTuple):
    """The result of a probe."""

    probe: Probe
    routing: Routing | None
    wrong: tuple[str, ...]


def read_probes(data: bytes, name: str, *, is_json: bool = False) -> list[Probe]:
    """Read the probes of a file."""
    try:
        root = parse(data, is_json=is_json)
        listed = root.value.get("probes", root) if isinstance(root.value, dict) else root
        return [_probe(node) for node in _listed(listed)]
    except NotReadable as error:
        line = f":{error.line}" if error.line else ""
        raise ConfigError(f"{printable(name, 200)}{line}: {error.message}", hint=_HINT) from error


def _listed(node: Node) -> list[Node]:
    if not isinstance(node.value, list) or not node.value:
        raise NotReadable("It contains no probes.", node.line)
    return node.value


def run(probes: Sequence[Probe], resources: Resources) -> Iterator[Outcome]:
    """Yield the outcome of each probe, without generating answers."""
    for probe in probes:
        yield _outcome(probe, resources)


def _outcome(probe: Probe, resources: Resources) -> Outcome:
    tried = _Given(resources, probe) if probe.distances is not None or probe.intent is not None else resources
    collections = probe.collections
    if collections is None and probe.distances is not None:
        collections = tuple(probe.distances)
    request = ChatRequest(message=probe.question, collections=collections, history=probe.history)
    try:
        routing = route(request, tried).routing
    except ConfigError:
        raise
    except Exception as error:  # noqa: BLE001 - any error fails the probe
        return Outcome(probe, None, (getattr(error, "message", "") or repr(error),))
    came = routing._asdict()
    wrong = [
        f"{key}: {came[key]!r} came, {wanted!r} was expected"
        for key, wanted in probe.expect.items()
        if came[key] != wanted
    ]
    return Outcome(probe, routing, tuple(wrong))


def _probe(node: Node) -> Probe:
    """Read a probe."""
    given = node.plain()
    if not isinstance(given, dict):
        raise NotReadable("A probe must be a mapping.", node.line)
    for key in given.keys() - {*_KEYS, "comment"}:
        near = closest(key, _KEYS)
        raise NotReadable(
            f"Unknown key of a probe: {printable(key, 40)}.{f' Did you mean {near}?' if near else ''}",
            node.line,
        )
    expect = given.get("expect")
    if not isinstance(expect, dict) or not expect:
        raise NotReadable("expect is missing (the expected result).", node.line)
    if wrong := next((key for key in expect if key not in EXPECTED), None):
        near = closest(wrong, EXPECTED)
        hint = f" Did you mean {near}?" if near else ""
        raise NotReadable(
            f"Unknown key of expect: {printable(wrong, 40)} (known: {', '.join(EXPECTED)}).{hint}", node.line
        )
    question, distances = given.get("question"), given.get("distances")
    collections, intent = given.get("collections"), given.get("intent")
    if not isinstance(question, str) or not question.strip():
        raise NotReadable("question is missing.", node.line)
    if collections is not None and not _texts(collections):
        raise NotReadable("collections must be a list of strings.", node.line)
    if intent is not None and not isinstance(intent, str):
        raise NotReadable("intent must be a string.", node.line)
    if distances is not None and not (
        isinstance(distances, dict) and all(_is_distance(one) for one in distances.values())
    ):
        raise NotReadable("distances must map service/collection to numbers from 0 to 2.", node.line)
    return Probe(
        line=node.line,
        question=question,
        collections=None if collections is None else tuple(collections),
        history=_history(given.get("history"), node.line),
        distances=distances,
        intent=intent,
        expect={**expect, **({"rag_result": "partial"} if expect.get("rag_result") == "candidate" else {})},
    )


def _history(given: object, line: int) -> tuple[Message, ...]:
    """Read the previous messages: questions alone, or `{role, content}`."""
    found = []
    for one in given if isinstance(given, list) else []:
        if isinstance(one, str):
            found.append(Message("user", one))
        elif (
            isinstance(one, dict)
            and one.get("role") in {"user", "assistant"}
            and isinstance(one.get("content"), str)
        ):
            found.append(Message(one["role"], one["content"]))
        else:
            raise NotReadable(
                "history must contain questions, or {role: user or assistant, content: ...}.", line
            )
    if given is not None and not isinstance(given, list):
        raise NotReadable("history must be a list.", line)
    return tuple(found)


def _texts(given: object) -> bool:
    return isinstance(given, list) and all(isinstance(one, str) for one in given)


def _is_distance(given: object) -> bool:
    return isinstance(given, int | float) and not isinstance(given, bool) and 0 <= given <= 2


# --- services and models of a probe ---


class _Given(Resources):
    """The resources of a configuration, with the values of a probe in place of services and the intent model."""

    def __init__(self, resources: Resources, probe: Probe) -> None:
        super().__init__(resources.loaded, resources.collections)
        self._resources, self._probe = resources, probe

    def services(self) -> Mapping[str, OpenService]:
        """Return services with the distances of the probe, if it gives any."""
        if self._probe.distances is None:
            return self._resources.services()
        return {
            name: _GivenService(name, self._probe.distances)
            for name in self.loaded.configuration.rag_services
        }

    def intent_model(self) -> "_GivenModel | Any":
        """Return a model with the reply of the probe, if it gives one."""
        if self._probe.intent is None or self.loaded.configuration.intent is None:
            return self._resources.intent_model()
        return _GivenModel(self._probe.intent)


class _GivenService:
    """A service whose collections have given distances; see `OpenService`."""

    def __init__(self, service: str, distances: Mapping[str, float]) -> None:
        self._distances = {
            collection: distance
            for reference, distance in distances.items()
            for name, _, collection in (reference.partition("/"),)
            if name == service
        }

    def names(self, query: Query) -> list[str]:  # noqa: ARG002 - required by the protocol
        """Return the collections that the probe names."""
        return [distance for distance in self._distances if distance]

    def ask(self, name: str, query: Query, limit: int) -> Answered:  # noqa: ARG002 - required by the protocol
        """Return one document at the given distance, or none without a distance."""
        distance = self._distances.get(name, self._distances.get(""))
        if distance is None:
            return Answered(CollectionSettings())
        return Answered(
            CollectionSettings(), (Passage(f"{name}:1", name, f"A document of {name}.", float(distance)),)
        )


class _GivenModel:
    """A model that always gives the same reply; see `ChatModel`."""

    name = "probe"
    context_tokens = None

    def __init__(self, said: str) -> None:
        self._said = said

    def reply(self, messages: Sequence[Message], **_how: Any) -> Reply:  # noqa: ARG002 - required by the protocol
        """Return the reply."""
        return Reply(self._said, "stop", self.name)

    def stream(self, messages: Sequence[Message], **_how: Any) -> "_Once":  # noqa: ARG002 - required by the protocol
        """Stream the reply in one piece."""
        return _Once(self._said)

    def count_tokens(self, text: str) -> int | None:  # noqa: ARG002 - required by the protocol
        """Return None: tokens are not counted."""
        return None

    def check(self, deadline: Deadline | None = None) -> None:
        """Do nothing: the model is always available."""

    def close(self) -> None:
        """Do nothing: there is nothing to release."""


class _Once:
    """A reply in one piece; see `ChatStream`."""

    def __init__(self, said: str) -> None:
        self._pieces = iter([said])
        self._said = said

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> str:
        return next(self._pieces)

    def reply(self) -> Reply:
        """Return the reply."""
        return Reply(self._said, "stop", "probe")

    def close(self) -> None:
        """Do nothing: there is nothing to cancel."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        return
