"""`os-image-composer ai`: turn a request into a template, continue a conversation, or show the cache and counters.

Only the template is written to standard output, so that it can be piped. Messages are written to standard error.
"""

import json
import sys
import time
from typing import TYPE_CHECKING, Any

from vademecum.cli._command import Options
from vademecum.cli._style import harmless
from vademecum.cli.composer import config
from vademecum.cli.composer.turn import (
    agent_for,
    count,
    count_turn,
    keep,
    read_repositories,
    session_for,
    tell,
    write_template,
)
from vademecum.core.errors import AnswerError, ConfigError
from vademecum.text.printable import printable

if TYPE_CHECKING:
    from vademecum.desks.composer.agent import Agent
    from vademecum.desks.composer.session.conversation import Conversation, Said
    from vademecum.desks.composer.settings import ComposerSettings

_WARNED, _FAILED = 3, 1
_MOST_BYTES = 1 << 20


def run(arguments: Options) -> int:
    """Run the command, and return the exit code.

    Raises:
        VademecumError: The command has failed.
    """
    started_s = time.perf_counter()
    if arguments.metrics:
        from vademecum.desks.composer.counters import metrics  # noqa: PLC0415 - only for this flag

        print(json.dumps(metrics()))
        return 0
    settings = _settings(arguments)
    if arguments.clear_cache or arguments.cache_stats:
        return _cache(arguments, settings)
    _part_continue_from_request(arguments)
    request = _request(arguments)
    if arguments.search_only:
        return _search(arguments, settings, request, started_s)
    if arguments.interactive:
        from vademecum.cli.composer.interactive import converse  # noqa: PLC0415 - only for this flag

        return converse(arguments, settings, request)
    return _one_turn(arguments, settings, request, started_s)


def _settings(arguments: Options) -> "ComposerSettings":
    from vademecum.desks.composer.settings_table import load  # noqa: PLC0415 - `--help` needs none of it

    flags = config.settings_given(arguments.set)
    for flag, key, value in (
        ("--provider", "ai.provider", arguments.provider),
        ("--templates-dir", "ai.templates_dir", arguments.templates_dir),
    ):
        if value is not None:
            flags[f"{flag}={key}"] = value
    return load(flags, file=arguments.config).settings


def _part_continue_from_request(arguments: Options) -> None:
    """Move the word after `--continue` to the request, unless it is the id of a session."""
    from vademecum.desks.composer.session.sessions import is_id  # noqa: PLC0415 - `--help` needs none of it

    if arguments.go_on and not is_id(arguments.go_on):
        arguments.request, arguments.go_on = [arguments.go_on, *arguments.request], ""


def _request(arguments: Options) -> str:
    """Return the request from the command line or standard input."""
    words = " ".join(arguments.request)
    if words.strip() == "-":
        words = sys.stdin.read(_MOST_BYTES)
    if not words.strip() and not arguments.interactive:
        hint = 'Example: os-image-composer ai "minimal Debian 13 server with nginx". For a conversation: --interactive'
        raise AnswerError("No request given.", hint=hint)
    return words


def _cache(arguments: Options, settings: "ComposerSettings") -> int:
    from vademecum.desks.composer.search.vectors import cache_stats, clear_cache  # noqa: PLC0415 - only for these flags

    folder = settings.cache.dir
    if arguments.clear_cache:
        number = 0 if arguments.dry_run else clear_cache(folder)
        print(
            json.dumps({"cleared": number, "folder": str(folder)})
            if arguments.json
            else f"Removed {number} vectors from {printable(str(folder))}."
        )
        return 0
    stats = cache_stats(folder)
    if arguments.json:
        print(json.dumps(stats._asdict()))
    else:
        there = "" if stats.exists else " (there is none yet)"
        print(f"folder      {printable(stats.folder)}{there}")
        print(f"model       {printable(stats.model_id) or '-'}")
        print(f"dimensions  {stats.dimensions}")
        print(f"vectors     {stats.entries}")
        print(f"size        {stats.size_bytes:,} bytes")
        for problem in stats.problems:
            print(f"problem     {printable(problem, 300)}")
    return _WARNED if stats.problems else 0


def _search(arguments: Options, settings: "ComposerSettings", request: str, started_s: float) -> int:
    from vademecum.desks.composer.library import TemplateLibrary  # noqa: PLC0415 - `--help` needs none of it
    from vademecum.desks.composer.request.secrets import hide  # noqa: PLC0415 - the same
    from vademecum.desks.composer.search.report import found_as_data, found_told  # noqa: PLC0415 - the same
    from vademecum.desks.composer.search.search import search  # noqa: PLC0415 - the same

    library = TemplateLibrary.open(settings.templates_folder, settings.os_defaults_dir)
    found = search(hide(request).text, library, settings)
    if arguments.json:
        data = found_as_data(found)
        print(json.dumps(data | ({"trace": found.trace.to_dict()} if arguments.explain else {})))
    else:
        print(harmless(found_told(found, explain=arguments.explain)))
    if not arguments.dry_run:
        count(found.classification.type, started_s, found.cache_hits, found.cache_misses)
    return 0


def _one_turn(arguments: Options, settings: "ComposerSettings", request: str, started_s: float) -> int:
    from vademecum.desks.composer.session.conversation import Conversation  # noqa: PLC0415 - `--help` needs none of it
    from vademecum.desks.composer.session.sessions import Sessions  # noqa: PLC0415 - the same

    sessions = Sessions(settings.sessions_folder, settings)
    session, goes_on = session_for(arguments, sessions, request)
    agent, notice = agent_for(settings)
    conversation = Conversation(agent, session)
    request = _with_start(arguments, agent, request)
    said = conversation.say(request, fresh=not goes_on)
    if arguments.verify and said.draft and read_repositories(agent, said.draft, arguments):
        session.turns.pop()
        said = conversation.say(request, fresh=not goes_on)
    code = _printed(arguments, settings, conversation, said, notice)
    if arguments.output and said.text and code != _FAILED and not arguments.dry_run:
        write_template(arguments.output, said.text, session, force=arguments.force)
        tell(f"Written to {printable(str(arguments.output))}.", arguments)
    if not arguments.dry_run:
        keep(sessions, session, arguments)
        count_turn(said, started_s, is_new_session=not goes_on)
    return code


def _with_start(arguments: Options, agent: "Agent", request: str) -> str:
    """Return the request with the template that it is to start from."""
    if not arguments.start:
        return request
    entry = agent.around.library.entry(arguments.start)
    if entry is None:
        message = f"The library has no template {printable(arguments.start, 100)}."
        raise ConfigError(message, hint="List them with: vademecum templates list")
    return f"{entry.stem}: {request}"


def _printed(
    arguments: Options, settings: "ComposerSettings", conversation: "Conversation", said: "Said", notice: str
) -> int:
    """Print a turn, and return the exit code."""
    from vademecum.desks.composer.report import as_data, explained, report  # noqa: PLC0415 - `--help` needs none of it

    code = code_for(said, settings)
    assistant = conversation.agent.assistant
    warnings = assistant.warnings if assistant else []
    if arguments.json:
        data: dict[str, Any] = as_data(said) | {
            "session": conversation.session.id,
            "session_events": list(conversation.session.events),
            "model": assistant.name if assistant else "",
            "warnings": list(warnings),
        }
        if arguments.explain and said.draft:
            data["trace"] = said.draft.trace.to_dict()
        if code == _FAILED:
            data["template"] = ""
        print(json.dumps(data))
        return code
    tell(report(said), arguments)
    for warning in warnings:
        tell(f"Warning: {warning}", arguments)
    if arguments.explain and said.draft:
        tell(f"\n{notice}\n{explained(said.draft)}", arguments)
    if code == _FAILED:
        tell(
            "The template is not valid and was not written, because ai.agent.require_valid_output is true.",
            arguments,
        )
    elif said.text and not arguments.output and said.kind not in {"question", "talk", "validate", "diff"}:
        print(said.text, end="")
    return code


def code_for(said: "Said", settings: "ComposerSettings") -> int:
    """Return the exit code: 0 for success, 1 without a valid template, 3 if something is missing."""
    made = said.draft
    if made is None:
        return 0
    if not made.is_valid:
        return _FAILED if settings.agent.require_valid_output else _WARNED
    return 0 if made.is_complete else _WARNED
