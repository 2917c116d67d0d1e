"""`/api/chat/configuration` and `/api/chat/rules`: read the chat rules, check and try a draft, and save it. For admins."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from fastapi import APIRouter
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from vademecum.answering.choice import PASSAGES
from vademecum.config.document import MOST_BYTES
from vademecum.core.deadline import Deadline
from vademecum.core.errors import ConfigError
from vademecum.desks.chat.chat import LONGEST_MESSAGE, ChatStream, Routed, route
from vademecum.desks.chat.load import BUILT_IN
from vademecum.desks.chat.probes import Probe, read_probes, run
from vademecum.desks.chat.prompt import Prompt
from vademecum.desks.chat.reply import ChatRequest
from vademecum.desks.chat.resources import Resources
from vademecum.desks.chat.watch import ConfigurationWatch
from vademecum.server.errors import HttpError
from vademecum.server.guard.authorization import HERE, Caller, demand_admin, may_ask
from vademecum.server.guard.caller import CallerOf
from vademecum.server.guard.redaction import published
from vademecum.server.metrics import Stopwatch
from vademecum.server.routes.ask import wait_s
from vademecum.server.routes.chat_bodies import as_ask
from vademecum.server.routes.rules_draft import Checked, RulesFile, plain, probes_of, rows_of, save_probes
from vademecum.server.state import State

_MOST_PROBES = 200
_PROBES_S = 60.0
_PASSAGES = "[the passages that were found]"


class Draft(BaseModel):
    """The text of a chat configuration."""

    model_config = ConfigDict(extra="forbid", strict=True)

    text: str = Field(
        max_length=MOST_BYTES, description="The whole file, in its own format (YAML, or JSON for `.json`)."
    )


class NewRules(Draft):
    """A draft to save."""

    before: str = Field(
        max_length=MOST_BYTES,
        description="The text that the draft was made from. If the file has changed since then, nothing is saved.",
    )


class DryRun(BaseModel):
    """A message to try on a draft, or on the active rules."""

    model_config = ConfigDict(extra="forbid", strict=True)

    message: str = Field(min_length=1, max_length=LONGEST_MESSAGE, pattern=r"\S")
    collections: list[str] | None = Field(default=None, max_length=1000, description="By default all.")
    text: str | None = Field(
        default=None, max_length=MOST_BYTES, description="The draft; by default the active configuration."
    )
    answer: bool = Field(
        default=False, description="Whether to answer it, too. The answer is `reply`, as in `POST /ask`."
    )


class NewProbes(BaseModel):
    """Probes to save."""

    model_config = ConfigDict(extra="forbid", strict=True)

    text: str = Field(max_length=MOST_BYTES, description="A list of probes in YAML, or an empty string.")
    before: str = Field(
        max_length=MOST_BYTES, description="The text that it was made from, as for the rules."
    )


class Probing(BaseModel):
    """Probes to run on a draft, or on the active rules."""

    model_config = ConfigDict(extra="forbid", strict=True)

    probes: str = Field(
        max_length=MOST_BYTES, description="A list of probes in YAML, as for `vademecum chat test`."
    )
    text: str | None = Field(
        default=None, max_length=MOST_BYTES, description="The draft; by default the active configuration."
    )


class Position(BaseModel):
    """A fault or a warning."""

    line: int = Field(description="From 1; 0 for the whole file.")
    column: int = Field(description="From 1; 0 for the whole line.")
    path: str
    message: str
    suggestion: str = Field(description="What was probably meant, or an empty string.")


class Condition(BaseModel):
    """A condition of a rule."""

    key: str
    values: list[str]


class RuleRow(BaseModel):
    """A rule."""

    number: int = Field(description="Its position, from 0. The first rule that matches is used.")
    name: str = Field(description="Its comment.")
    when: list[Condition] = Field(description="All must hold; without any, the rule always matches.")
    then: str = Field(description="`static`, `extractive` or `model`.")
    says: str = Field(description="The beginning of its fixed answer or prompt.")
    model: str
    line: int
    last_line: int


class CheckedRules(BaseModel):
    """A checked draft."""

    valid: bool
    rules: list[RuleRow] = Field(description="Empty if the draft has faults.")
    faults: list[Position]
    warnings: list[Position]


class Rules(CheckedRules):
    """The chat rules."""

    file: str = Field(description="The path of the file; an empty string for the built-in rules.")
    format: str = Field(description="`yaml` or `json`.")
    text: str = Field(description="The text of the file, which is not active while it has faults.")
    version: str = Field(description="The version of the active configuration.")
    active: list[RuleRow] = Field(
        description="The active rules; line numbers are omitted if the file has changed."
    )
    since: float = Field(description="When they became active, in seconds since the epoch.")
    probes: str = Field(description="The probes that are kept next to the file, in YAML; may be empty.")


def add(routes: APIRouter, state: State, watch: ConfigurationWatch) -> None:
    """Add the routes."""

    def file() -> RulesFile:
        """Return the file of the rules."""
        if watch.path is None:
            message = "The rules are built in; there is no file to change."
            hint = "Write one on the server, and start it with: vademecum serve --chat FILE"
            raise HttpError(409, "RULES_BUILT_IN", message, hint)
        found = RulesFile(watch.path, watch.current().loaded.configuration)
        try:
            found.text()
        except ConfigError as error:
            raise HttpError(409, "RULES_UNREADABLE", error.message, error.hint) from error
        return found

    @contextmanager
    def resources_of(text: str | None) -> Iterator[tuple[Resources, bool]]:
        """Open the resources of a draft, or the active ones if there is no draft or it has faults."""
        loaded = file().check(text).loaded if text is not None else None
        if loaded is None:
            with watch.current() as active:
                yield active, False
            return
        drafted = Resources(loaded, state.collections)
        try:
            with drafted:
                yield drafted, True
        finally:
            drafted.close()

    def current() -> dict[str, Any]:
        condition = watch.condition()
        loaded = watch.current().loaded
        if watch.path is None:
            text, checked, is_json = BUILT_IN, None, False
        else:
            text, is_json = file().text(), file().is_json
            checked = file().check(text)
        same = checked is None or (checked.loaded is not None and checked.loaded.version == loaded.version)
        active = plain(list(rows_of(loaded, text if same else "", is_json=is_json)))
        result = (
            _checked(checked) if checked else {"valid": True, "rules": active, "faults": [], "warnings": []}
        )
        return {
            **result,
            "file": condition.file,
            "format": "json" if is_json else "yaml",
            "text": text,
            "version": condition.version,
            "active": active,
            "since": condition.in_force_since,
            "probes": probes_of(watch.path) if watch.path else "",
        }

    @routes.get(
        "/chat/configuration", summary="Get the active configuration; for admins, also the errors in the file"
    )
    async def configuration(caller: CallerOf) -> dict[str, Any]:
        watch.current()
        condition = watch.condition()
        return condition._asdict() if caller.is_admin else {"version": condition.version}

    @routes.post("/chat/configuration/reload", summary="Reload the configuration; for admins")
    async def reload(caller: CallerOf) -> dict[str, Any]:
        demand_admin(caller)
        condition = await state.slots.run(watch.reload)
        return condition._asdict()

    @routes.get("/chat/rules", response_model=Rules, summary="Get the chat rules and their file; for admins")
    async def show(caller: CallerOf) -> Response:
        demand_admin(caller)
        return JSONResponse(await state.slots.run(current))

    @routes.post(
        "/chat/rules/check",
        response_model=CheckedRules,
        summary="Check a draft of the chat rules; for admins",
    )
    async def check(asked: Draft, caller: CallerOf) -> Response:
        demand_admin(caller)
        return JSONResponse(await state.slots.run(lambda: _checked(file().check(asked.text))))

    @routes.put("/chat/rules", response_model=CheckedRules, summary="Save the chat rules; for admins")
    async def save(asked: NewRules, caller: CallerOf) -> Response:
        _demand_key(caller)

        def work() -> dict[str, Any]:
            checked = file().save(asked.text, asked.before)
            if checked.loaded is not None:
                watch.reload()
                state.log.info("chat rules saved", caller=caller.owner, version=checked.loaded.version)
            return _checked(checked)

        saved = await state.slots.run(work)
        return JSONResponse(saved, 200 if saved["valid"] else 422)

    @routes.put(
        "/chat/rules/probes", status_code=204, summary="Save the probes next to the rules; for admins"
    )
    async def save_probe_file(asked: NewProbes, caller: CallerOf) -> Response:
        _demand_key(caller)

        def work() -> None:
            if asked.text.strip():
                _read(asked.text)
            save_probes(file().path, asked.text, asked.before)

        await state.slots.run(work)
        return Response(status_code=204)

    @routes.post(
        "/chat/rules/try", summary="Route or answer a message using a draft of the rules; for admins"
    )
    async def dry_run(asked: DryRun, request: Request, caller: CallerOf) -> Response:
        demand_admin(caller)
        until = Deadline(min(wait_s(request) or state.settings.answer_s, state.settings.answer_s))

        def work() -> dict[str, Any]:
            with resources_of(asked.text) as (resources, is_draft):
                message = ChatRequest(
                    message=asked.message,
                    collections=asked.collections,
                    may_see=lambda collection: may_ask(caller, collection),
                )
                if asked.answer:
                    routed, answered = _answered(message, resources, until)
                else:
                    routed, answered = route(message, resources, deadline=until), {}
                shown = {**routed.to_dict(explain=True), **_answering(routed.composed), **answered}
                return {**shown, "draft": is_draft}

        # in its own thread: other services, or the model that interprets the message, may be slow
        return JSONResponse(published(await state.slots.run_apart(work), is_admin=True))

    @routes.post("/chat/rules/probes", summary="Run probes on a draft; for admins")
    async def probe(asked: Probing, caller: CallerOf) -> Response:
        demand_admin(caller)
        return JSONResponse(await state.slots.run_apart(lambda: probed(asked)))

    def probed(asked: Probing) -> dict[str, Any]:
        probes = _read(asked.probes)
        if len(probes) > _MOST_PROBES:
            message = f"There are {len(probes):,} probes; at most {_MOST_PROBES} are run at once."
            raise HttpError(422, "PROBES_INVALID", message, "Run them in parts.")
        until = Deadline(_PROBES_S)
        found: list[dict[str, Any]] = []
        with resources_of(asked.text) as (resources, is_draft):
            for outcome in run(probes, resources):
                found.append(
                    {
                        "line": outcome.probe.line,
                        "question": outcome.probe.question,
                        "rule": outcome.routing.rule if outcome.routing else None,
                        "wrong": list(outcome.wrong),
                    }
                )
                if until.remaining_s <= 0:
                    break
        failed = sum(bool(outcome["wrong"]) for outcome in found)
        return {"outcomes": found, "failed": failed, "left": len(probes) - len(found), "draft": is_draft}


def _demand_key(caller: Caller) -> None:
    """Check that the caller has an admin's key: the keyless local user may read the rules, not change them."""
    demand_admin(caller)
    if caller == HERE:
        message = "Saving the chat rules requires a key with the role admin."
        raise HttpError(403, "KEY_REQUIRED", message, "Create one with: vademecum keys add NAME --admin")


def _read(text: str) -> list[Probe]:
    """Read probes."""
    try:
        return read_probes(text.encode(), "probes")
    except ConfigError as error:
        raise HttpError(422, "PROBES_INVALID", error.message, error.hint) from error


def _answered(message: ChatRequest, resources: Resources, until: Deadline) -> tuple[Routed, dict[str, Any]]:
    """Return how a message was routed, and its answer as `reply`."""
    watch = Stopwatch()
    with ChatStream(message, resources, deadline=until) as stream:
        reply = stream.whole()
    assert stream.routed is not None  # noqa: S101 - there is a reply
    configuration = resources.loaded.configuration
    return stream.routed, {"reply": as_ask(reply, configuration, latency_ms=1000 * watch.seconds)}


def _answering(composed: Prompt) -> dict[str, Any]:
    """Return what a routed message would be answered with: a fixed text, or a prompt and its documents."""
    return {
        "static": composed.text,
        "prompt": composed.system.replace(PASSAGES, _PASSAGES) if composed.text is None else "",
        "llm": composed.llm,
        "model": composed.model,
        "collections": [source.identifier for source in composed.sources],
    }


def _checked(checked: Checked) -> dict[str, Any]:
    return {
        "valid": checked.loaded is not None,
        "rules": plain(checked.rules),
        "faults": plain(checked.faults),
        "warnings": plain(checked.warnings),
    }
