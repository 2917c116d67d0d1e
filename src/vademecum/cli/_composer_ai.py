"""`os-image-composer ai`: turn a request into a template, continue a conversation, or show the cache and counters.

Only the template is written to standard output, so that it can be piped. Messages are written to standard error.
"""

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vademecum.cli import _composer_config
from vademecum.cli._command import Options
from vademecum.cli._style import harmless
from vademecum.core.errors import AnswerError, ConfigError, SourceError
from vademecum.text.printable import printable

if TYPE_CHECKING:
    from vademecum.desks.composer.agent import Agent
    from vademecum.desks.composer.session.conversation import Conversation, Said
    from vademecum.desks.composer.session.sessions import Session, Sessions
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

        print(json.dumps(metrics().to_dict()))
        return 0
    settings = _settings(arguments)
    if arguments.clear_cache or arguments.cache_stats:
        return _cache(arguments, settings)
    _part_continue_from_request(arguments)
    request = _request(arguments)
    if arguments.search_only:
        return _search(arguments, settings, request, started_s)
    if arguments.interactive:
        from vademecum.cli._composer_interactive import converse  # noqa: PLC0415 - only for this flag

        return converse(arguments, settings, request)
    return _one_turn(arguments, settings, request, started_s)


def _settings(arguments: Options) -> "ComposerSettings":
    from vademecum.desks.composer.settings_table import load  # noqa: PLC0415 - `--help` needs none of it

    flags = _composer_config.settings_given(arguments.set)
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


def agent_for(settings: "ComposerSettings") -> "tuple[Agent, str]":
    """Return the agent for the settings, and a sentence about the model that it uses, if any."""
    from vademecum.desks.composer.agent import Agent  # noqa: PLC0415 - `--help` needs none of it
    from vademecum.desks.composer.assistant import assistant_for  # noqa: PLC0415 - the same
    from vademecum.desks.composer.draft import Around  # noqa: PLC0415 - the same
    from vademecum.desks.composer.library import TemplateLibrary  # noqa: PLC0415 - the same

    library = TemplateLibrary.open(settings.templates_folder, settings.os_defaults_dir)
    index = None
    if settings.agent.enabled and settings.agent.verify_packages:
        from vademecum.desks.composer.packages.states import PackageIndex  # noqa: PLC0415 - only to verify packages

        index = PackageIndex.open()
    assistant, told = assistant_for(settings)
    return Agent(Around(library=library, settings=settings, index=index), assistant), told


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
        _count(found.classification.type, started_s, found.cache_hits, found.cache_misses)
    return 0


def _one_turn(arguments: Options, settings: "ComposerSettings", request: str, started_s: float) -> int:
    from vademecum.desks.composer.session.conversation import Conversation  # noqa: PLC0415 - `--help` needs none of it
    from vademecum.desks.composer.session.sessions import Sessions  # noqa: PLC0415 - the same

    sessions = Sessions(settings.sessions_folder, settings)
    session, goes_on = session_for(arguments, sessions, request)
    agent, told = agent_for(settings)
    conversation = Conversation(agent, session)
    said = conversation.say(request, fresh=not goes_on)
    code = _printed(arguments, settings, conversation, said, told)
    if arguments.output and said.text and code != _FAILED and not arguments.dry_run:
        write_template(arguments.output, said.text, session, force=arguments.force)
        tell(f"Written to {printable(str(arguments.output))}.", arguments)
    if not arguments.dry_run:
        keep(sessions, session, arguments)
        count_turn(said, started_s, is_new_session=not goes_on)
    return code


def session_for(arguments: Options, sessions: "Sessions", request: str) -> "tuple[Session, bool]":
    """Return the session to continue or a new one, and whether it is continued.

    The session is the requested one, or for a change the last one, if it was used a short time ago.

    Raises:
        ConfigError: There is no session to continue.
        StoreError: The session cannot be read.
    """
    from vademecum.desks.composer.session.intents import is_change  # noqa: PLC0415 - `--help` needs none of it

    if arguments.go_on is not None:
        session = sessions.load(arguments.go_on) if arguments.go_on else sessions.last()
        if session is None:
            raise ConfigError(
                "There is no session to continue.",
                hint='Start one: os-image-composer ai "minimal Debian 13 server"',
            )
        for warning in session.warnings:
            tell(warning, arguments)
        return session, bool(session.turns)
    current = sessions.current() if request and is_change(request) else None
    if current is not None and current.text:
        tell(f"Continuing session {current.id}, which was used a moment ago.", arguments)
        return current, True
    return sessions.new(), False


def _printed(
    arguments: Options,
    settings: "ComposerSettings",
    conversation: "Conversation",
    said: "Said",
    told: str,
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
        tell(f"\n{told}\n{explained(said.draft)}", arguments)
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


def tell(text: str, arguments: Options) -> None:
    """Print a message on standard error, unless the output is JSON."""
    if not arguments.json and text:
        print(harmless(text), file=sys.stderr, flush=True)


def write_template(path: Path, text: str, session: "Session", *, force: bool) -> None:
    """Write a template. A file that is not an earlier version of the template is only overwritten with `force`.

    Raises:
        SourceError: Another file exists, or the file cannot be written.
    """
    from vademecum.files.write import replace_file  # noqa: PLC0415 - most commands write no file

    try:
        if path.exists() and not force:
            old = (
                path.read_text(encoding="utf-8", errors="replace")
                if path.is_file() and path.stat().st_size <= _MOST_BYTES
                else ""
            )
            if not old or old not in {turn.text_after for turn in session.turns}:
                message = f"{printable(str(path), 200)} already exists and is not an earlier version of this template."
                raise SourceError(message, hint="Choose another name, or overwrite it with --force.")
        replace_file(path, text)
    except OSError as error:
        message = f"{printable(str(path), 200)} cannot be written: {error.strerror or error}."
        raise SourceError(message, hint="Check the folder's permissions and the free space.") from error


def keep(sessions: "Sessions", session: "Session", arguments: Options) -> None:
    """Save a session, and print what could not be saved. The template has been printed before, so it is not lost."""
    from vademecum.core.errors import StoreError  # noqa: PLC0415 - `--help` needs none of it

    try:
        warning = sessions.save(session)
    except StoreError as error:
        warning = error.message
    tell(warning, arguments)
    if arguments.explain:
        tell(f"session {session.id}: {', '.join(session.events)}", arguments)


def count_turn(said: "Said", started_s: float, *, is_new_session: bool) -> None:
    """Add a turn to the counters."""
    from vademecum.desks.composer.counters import Run, count  # noqa: PLC0415 - `--help` needs none of it

    made = said.draft
    found = made.found if made else None
    kind = (
        found.classification.type
        if found
        else ("refinement" if said.kind in {"refinement", "suggestion"} else "")
    )
    count(
        Run(
            query_type=kind,
            duration_ms=(time.perf_counter() - started_s) * 1000,
            cache_hits=found.cache_hits if found else 0,
            cache_misses=found.cache_misses if found else 0,
            sessions=int(is_new_session),
            refinements=int(said.kind in {"refinement", "suggestion"} and made is not None),
            valid=int(made is not None and made.is_valid),
            invalid=int(made is not None and not made.is_valid),
        )
    )


def _count(kind: str, started_s: float, hits: int, misses: int) -> None:
    from vademecum.desks.composer.counters import Run, count  # noqa: PLC0415 - `--help` needs none of it

    count(
        Run(
            query_type=kind,
            duration_ms=(time.perf_counter() - started_s) * 1000,
            cache_hits=hits,
            cache_misses=misses,
        )
    )
