"""One turn of `os-image-composer ai`: the agent, the session, and the written template."""

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from vademecum.cli._command import Options
from vademecum.cli._style import harmless
from vademecum.core.errors import ConfigError, SourceError
from vademecum.text.printable import printable

if TYPE_CHECKING:
    from vademecum.desks.composer.agent import Agent
    from vademecum.desks.composer.draft import Draft
    from vademecum.desks.composer.session.conversation import Said
    from vademecum.desks.composer.session.sessions import Session, Sessions
    from vademecum.desks.composer.settings import ComposerSettings

_MOST_BYTES = 1 << 20


def tell(text: str, arguments: Options) -> None:
    """Print a message on standard error, unless the output is JSON."""
    if not arguments.json and text:
        print(harmless(text), file=sys.stderr, flush=True)


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
    assistant, notice = assistant_for(settings)
    return Agent(Around(library=library, settings=settings, index=index), assistant), notice


def read_repositories(agent: "Agent", made: "Draft", arguments: Options) -> bool:
    """Read the repositories of a draft's target, if some of its packages are not verified; return whether any was read."""
    from vademecum.desks.composer.packages.repositories import repositories_in  # noqa: PLC0415 - only for this flag
    from vademecum.desks.composer.packages.states import PackageIndex, packages_folder  # noqa: PLC0415 - the same
    from vademecum.desks.composer.packages.store import PackageStore  # noqa: PLC0415 - the same
    from vademecum.desks.composer.packages.syncing import sync  # noqa: PLC0415 - the same

    defaults, target = agent.around.library.os_defaults_dir, made.document.get("target")
    if defaults is None or not any(package.state == "unverified" for package in made.packages):
        return False
    chosen = [
        repository
        for repository in repositories_in(defaults, None).repositories
        if (repository.version, repository.architecture) == (target["dist"], target["arch"])
    ]
    done = sync(
        chosen,
        PackageStore(packages_folder()),
        tell=lambda repository: tell(f"Reading {repository.said}", arguments),
        whole=(),
    )
    agent.around.index = PackageIndex.open()
    return any(synced.is_fine for synced in done)


def session_for(arguments: Options, sessions: "Sessions", request: str) -> "tuple[Session, bool]":
    """Return the session to continue or a new one, and whether it is continued.

    The session is the requested one, or for a change the last one, if it was used a short time ago.

    Raises:
        ConfigError: There is no session to continue.
        StoreError: The session cannot be read.
    """
    from vademecum.desks.composer.request.words.intents import is_change  # noqa: PLC0415 - `--help` needs none of it

    if arguments.go_on is not None:
        session = sessions.load(arguments.go_on) if arguments.go_on else sessions.last()
        if session is None:
            raise ConfigError(
                "There is no session to continue.",
                hint='Start one: os-image-composer ai "minimal Debian 13 server"',
            )
        return session, bool(session.turns)
    current = sessions.current() if request and not arguments.start and is_change(request) else None
    if current is not None and current.text:
        tell(f"Continuing session {current.id}, which was used a moment ago.", arguments)
        return current, True
    return sessions.new(), False


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


def count(kind: str, started_s: float, hits: int, misses: int) -> None:
    """Count a turn."""
    from vademecum.desks.composer.counters import Run, count  # noqa: PLC0415 - `--help` needs none of it

    count(
        Run(
            query_type=kind,
            duration_ms=(time.perf_counter() - started_s) * 1000,
            cache_hits=hits,
            cache_misses=misses,
        )
    )
