"""`vademecum packages`: read package repositories, and query what is known."""

import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vademecum.cli._command import Options
from vademecum.core.errors import ConfigError
from vademecum.text.printable import printable

if TYPE_CHECKING:
    from vademecum.desks.composer.packages.repositories import Repository, Role
    from vademecum.desks.composer.packages.store import Known
    from vademecum.desks.composer.packages.syncing import Synced

_WARNED, _FAILED = 3, 1
_MARKS = {
    "synced": "read",
    "unchanged": "same",
    "empty": "empty",
    "stale": "old",
    "failed": "FAILED",
    "never": "never",
}


def sync(arguments: Options) -> int:
    """Read the configured repositories; return the exit code."""
    from vademecum.desks.composer.packages.repositories import repositories_in  # noqa: PLC0415 - other commands need none of it
    from vademecum.desks.composer.packages.states import packages_folder  # noqa: PLC0415 - the same
    from vademecum.desks.composer.packages.store import PackageStore  # noqa: PLC0415 - the same
    from vademecum.desks.composer.packages.syncing import TIMEOUT_S, sync  # noqa: PLC0415 - the same

    defaults, templates = _folders(arguments)
    named = repositories_in(defaults, templates if arguments.with_templates else None)
    chosen = [repository for repository in named.repositories if _is_wanted(repository, arguments)]
    if not chosen:
        there = sorted({repository.version for repository in named.repositories})
        hint = (
            f"The versions are {', '.join(there)}."
            if there
            else f"Put provider configurations below {defaults}."
        )
        raise ConfigError("No repositories to read.", hint=hint)
    done = sync(
        chosen,
        PackageStore(packages_folder()),
        timeout_s=arguments.timeout or TIMEOUT_S,
        tell=_progress(len(chosen)),
        whole=_whole(arguments) if not named.problems else (),
    )
    for problem in named.problems:
        print(
            f"vademecum: {printable(problem.place, 200)}: {problem.message} {problem.hint}", file=sys.stderr
        )
    if arguments.json:
        found = [_plain(one.known, one.state) for one in done]
        said = [{"place": one.place, "fault": one.fault, "message": one.message} for one in named.problems]
        print(json.dumps({"repositories": found, "problems": said}, allow_nan=False))
    else:
        print("\n".join(line for one in done for line in _lines(one.known, one.state)))
        print(_sum(done))
    if all(one.state == "failed" for one in done):
        return _FAILED
    return 0 if all(one.is_fine for one in done) and not named.problems else _WARNED


def status(arguments: Options) -> int:
    """Print which repositories have been read, when, and the errors since; return the exit code."""
    from vademecum.desks.composer.packages.states import PackageIndex, packages_folder  # noqa: PLC0415 - other commands need none of it
    from vademecum.desks.composer.packages.store import PackageStore  # noqa: PLC0415 - the same

    store = PackageStore(packages_folder())
    known = [one for one in PackageIndex(store).known if _is_wanted(one.repository, arguments)]
    states = [
        one.state if one.state in {"failed", "never"} or store.is_whole(one) else "failed" for one in known
    ]
    if arguments.json:
        found = [_plain(one, state) for one, state in zip(known, states, strict=True)]
        print(json.dumps({"repositories": found}, allow_nan=False))
    elif not known:
        print("No repository has been read. Read them with: vademecum packages sync")
    else:
        print(
            "\n".join(line for one, state in zip(known, states, strict=True) for line in _lines(one, state))
        )
    return _WARNED if any(state in {"failed", "stale"} for state in states) else 0


def _folders(arguments: Options) -> tuple[Path, Path]:
    """Return the folders of defaults and of templates, from flags and configuration."""
    from vademecum.desks.composer.library import TemplateLibrary  # noqa: PLC0415 - only here
    from vademecum.desks.composer.settings_table import load  # noqa: PLC0415 - the same

    given = {
        "--os-defaults-dir=ai.os_defaults_dir": arguments.os_defaults_dir,
        "--templates-dir=ai.templates_dir": arguments.templates_dir,
    }
    settings = load({flag: str(value) for flag, value in given.items() if value is not None}).settings
    library = TemplateLibrary.open(settings.templates_folder, settings.os_defaults_dir)
    if library.os_defaults_dir is None:
        message = f"There is no folder of OS defaults next to {library.templates_dir}, so no repository is configured."
        raise ConfigError(
            message, hint="Name their folder with --os-defaults-dir, or in the setting ai.os_defaults_dir."
        )
    return library.os_defaults_dir, library.templates_dir


def _whole(arguments: Options) -> "tuple[Role, ...]":
    """Return the roles whose repositories are all read, so that those no longer configured can be removed."""
    if arguments.arch:
        return ()
    return ("system", "template") if arguments.with_templates else ("system",)


def _is_wanted(repository: "Repository", arguments: Options) -> bool:
    from vademecum.desks.composer.packages.distributions import ARCHITECTURES, distribution_of  # noqa: PLC0415 - see above

    named = set()
    for word in arguments.which:
        known = distribution_of(word)
        is_version = known is not None and word in known.versions
        named.add(word if is_version or known is None else known.name)
    fits = not named or {repository.distribution, repository.version} & named
    architecture = ARCHITECTURES.get(arguments.arch, arguments.arch) if arguments.arch else ""
    return bool(fits) and architecture in {"", repository.architecture}


def _lines(known: "Known", state: str) -> list[str]:
    """Return the lines for a repository, including its errors."""
    one = known.repository
    what = f"{known.packages:>7,} packages" if known.read_s else " " * 16
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(known.read_s)) if known.read_s else ""
    line = f"{_MARKS[state]:7} {one.version:9} {one.architecture:8} {what}  {when:16}  {one.name}: {one.url}"
    lines = [printable(line.rstrip())]
    if known.doubles:
        lines.append(f"        it lists {known.doubles:,} packages twice; each is counted once")
    message = known.message or ("Its stored list is damaged." if state == "failed" else "")
    return [*lines, f"        {printable(message, 300)}"] if message else lines


def _sum(done: "Sequence[Synced]") -> str:
    fine = sum(one.is_fine for one in done)
    packages = sum(one.known.packages for one in done)
    return f"{fine} of {len(done)} repositories are up to date, with {packages:,} packages."


def _plain(known: "Known", state: str) -> dict[str, Any]:
    one = known.repository
    return {
        "state": state,
        "name": one.name,
        "url": one.url,
        "suite": one.suite,
        "components": list(one.components),
        "distribution": one.distribution,
        "version": one.version,
        "architecture": one.architecture,
        "role": one.role,
        "file": one.file,
        "packages": known.packages,
        "doubles": known.doubles,
        "read_at": _moment(known.read_s),
        "tried_at": _moment(known.tried_s),
        "fault": known.fault,
        "message": known.message,
    }


def _moment(seconds: float) -> str | None:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds)) if seconds else None


def _progress(total: int) -> "Callable[[Repository], None]":
    """Return a function that shows the current repository on a terminal; elsewhere it does nothing."""
    if not sys.stderr.isatty():
        return lambda _: None
    done = 0

    def show(repository: "Repository") -> None:
        nonlocal done
        done += 1
        print(
            f"\r\x1b[K{done} of {total}: {printable(repository.said, 60)}",
            end="",
            file=sys.stderr,
            flush=True,
        )
        if done == total:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    return show
