"""`vademecum packages`: read package repositories, and query what is known."""

import time
from pathlib import Path
from typing import Any

from vademecum.cli._command import Options
from vademecum.cli._output import WARNED, print_result, show_progress, warn
from vademecum.core.errors import ConfigError
from vademecum.desks.composer.library import TemplateLibrary
from vademecum.desks.composer.packages.distributions import ARCHITECTURES, distribution_of
from vademecum.desks.composer.packages.repositories import Repository, Role, repositories_in
from vademecum.desks.composer.packages.states import PackageIndex, packages_folder
from vademecum.desks.composer.packages.store import Known, PackageStore
from vademecum.desks.composer.packages.syncing import TIMEOUT_S
from vademecum.desks.composer.packages.syncing import sync as sync_repositories
from vademecum.desks.composer.settings_table import load
from vademecum.text.printable import printable

_FAILED = 1
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
    # the roles whose repositories are all read, so that those no longer configured can be removed
    whole: tuple[Role, ...] = ("system", "template") if arguments.with_templates else ("system",)
    seen: list[Repository] = []

    def tell(repository: Repository) -> None:
        seen.append(repository)
        show_progress(len(seen), len(chosen), printable(repository.said, 60))

    done = sync_repositories(
        chosen,
        PackageStore(packages_folder()),
        timeout_s=arguments.timeout or TIMEOUT_S,
        tell=tell,
        whole=() if arguments.arch or named.problems else whole,
    )
    warned = warn(named.problems)
    lines = [line for synced in done for line in _lines(synced.known, synced.state)]
    fine, packages = sum(synced.is_fine for synced in done), sum(synced.known.packages for synced in done)
    lines.append(f"{fine} of {len(done)} repositories are up to date, with {packages:,} packages.")
    data = {
        "repositories": [_plain(synced.known, synced.state) for synced in done],
        "problems": [
            {"place": problem.place, "fault": problem.fault, "message": problem.message}
            for problem in named.problems
        ],
    }
    print_result(data, lines, as_json=arguments.json)
    if all(synced.state == "failed" for synced in done):
        return _FAILED
    return warned if fine == len(done) else WARNED


def status(arguments: Options) -> int:
    """Print which repositories have been read, when, and the errors since; return the exit code."""
    store = PackageStore(packages_folder())
    states = [
        (known, _state(known, store))
        for known in PackageIndex(store).known
        if _is_wanted(known.repository, arguments)
    ]
    lines = [line for known, state in states for line in _lines(known, state)]
    nothing = "No repository has been read. Read them with: vademecum packages sync"
    data = {"repositories": [_plain(known, state) for known, state in states]}
    print_result(data, lines or nothing, as_json=arguments.json)
    return WARNED if any(state in {"failed", "stale"} for _, state in states) else 0


def _state(known: Known, store: PackageStore) -> str:
    is_listed = known.state not in {"failed", "never"}
    return "failed" if is_listed and not store.is_whole(known) else known.state


def _folders(arguments: Options) -> tuple[Path, Path]:
    """Return the folders of defaults and of templates, from flags and configuration."""
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


def _is_wanted(repository: Repository, arguments: Options) -> bool:
    named = set()
    for word in arguments.which:
        known = distribution_of(word)
        is_version = known is not None and word in known.versions
        named.add(word if is_version or known is None else known.name)
    fits = not named or {repository.distribution, repository.version} & named
    architecture = ARCHITECTURES.get(arguments.arch, arguments.arch) if arguments.arch else ""
    return bool(fits) and architecture in {"", repository.architecture}


def _lines(known: Known, state: str) -> list[str]:
    """Return the lines for a repository, including its errors."""
    repository = known.repository
    what = f"{known.packages:>7,} packages" if known.read_s else " " * 16
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(known.read_s)) if known.read_s else ""
    about = f"{_MARKS[state]:7} {repository.version:9} {repository.architecture:8}"
    lines = [printable(f"{about} {what}  {when:16}  {repository.name}: {repository.url}".rstrip())]
    if known.doubles:
        lines.append(f"        it lists {known.doubles:,} packages twice; each is counted once")
    message = known.message or ("Its stored list is damaged." if state == "failed" else "")
    return [*lines, f"        {printable(message, 300)}"] if message else lines


def _plain(known: Known, state: str) -> dict[str, Any]:
    shown = ("name", "url", "suite", "components", "distribution", "version", "architecture", "role", "file")
    return {
        "state": state,
        **{name: getattr(known.repository, name) for name in shown},
        "packages": known.packages,
        "doubles": known.doubles,
        "read_at": _moment(known.read_s),
        "tried_at": _moment(known.tried_s),
        "fault": known.fault,
        "message": known.message,
    }


def _moment(seconds: float) -> str | None:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds)) if seconds else None
