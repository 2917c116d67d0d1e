"""`vademecum templates`: list, validate and check image templates."""

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from vademecum.cli._command import Options
from vademecum.cli._output import WARNED, print_result, warn
from vademecum.core.documents import Problem
from vademecum.core.errors import ConfigError
from vademecum.desks.composer.library import Entry, TemplateLibrary
from vademecum.desks.composer.settings import NONE, CacheSettings, ComposerSettings
from vademecum.files.folders import desk_folder
from vademecum.text.printable import printable

_SHOWN = 5


def library_of(arguments: Options) -> TemplateLibrary:
    """Return the library for a command line."""
    return TemplateLibrary.open(arguments.templates_dir, arguments.os_defaults_dir)


def search_settings() -> ComposerSettings:
    """Return the settings of a search: the defaults without a model, and a cache outside the current folder."""
    cache = CacheSettings(dir=Path(desk_folder("composer"), "ai-cache"))
    return ComposerSettings(provider=NONE, cache=cache)


def search(arguments: Options) -> int:
    """Print the templates that match a request; return the exit code."""
    from vademecum.desks.composer.search.search import search  # noqa: PLC0415 - only here

    library = library_of(arguments)
    found = search(" ".join(arguments.request), library, search_settings())
    ranked = found.ranked[: arguments.top]
    data: dict[str, object] = {
        "query": found.query,
        "type": found.classification.type,
        "templates": [
            {"file": hit.file, "score": round(hit.score, 4), "why": list(hit.why)} for hit in ranked
        ],
        "relaxed": [wish.message for wish in found.relaxed],
        "problems": _as_data(_problems(library)),
    }
    lines = [f"Note: {wish.message}" for wish in found.relaxed]
    if unknown := found.classification.not_understood:
        lines.append(f"Note: not understood: {', '.join(unknown)}.")
    for rank, hit in enumerate(ranked, start=1):
        lines.append(f"{rank}. {hit.file} ({hit.score:.2f})")
        lines += [f"   {'; '.join(hit.why[:_SHOWN])}"] if hit.why else []
    lines += [] if ranked else ["No template matches."]
    if arguments.explain:
        data["trace"] = found.trace.to_dict()
        lines.append(json.dumps(data["trace"], indent=1))
    print_result(data, lines, as_json=arguments.json)
    return warn(_problems(library))


def show(arguments: Options) -> int:
    """Print the facts of a template; return the exit code."""
    library = library_of(arguments)
    entry = _named(library, arguments.file)
    facts, chain = entry.facts._asdict(), list(entry.resolved.chain)
    able = list(entry.indexed.capabilities)
    data = {"file": entry.file, "facts": facts, "capabilities": able, "chain": chain}
    lines = [entry.file, f"  made of: {', '.join(chain)}"]
    lines += [
        f"  {name}: {_shown(value)}"
        for name, value in facts.items()
        if value not in ("", (), None, False, 0, [])
    ]
    print_result(data, lines, as_json=arguments.json)
    return 0


def _shown(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(
            " ".join(map(str, one)) if isinstance(one, list | tuple) else str(one) for one in value
        )
    return "yes" if value is True else str(value)


def check(arguments: Options) -> int:
    """Check whether the build tool accepts templates, and whether the images would work; return the exit code."""
    from vademecum.desks.composer.template.check import check_resolved, is_sound  # noqa: PLC0415 - only here

    library = library_of(arguments)
    entries = [_named(library, name) for name in arguments.files] or list(library.templates)
    rows = [
        (entry.file, entry.template.line_of(finding.where), finding)
        for entry in entries
        for finding in check_resolved(entry.template.data, entry.resolved)
    ]
    bad = sum(finding.severity == "error" for *_, finding in rows)
    shown = ("where", "severity", "kind", "message")
    found = [
        {"file": file, "line": line} | {name: getattr(finding, name) for name in shown}
        for file, line, finding in rows
    ]
    lines = [
        f"{file}:{line}: {finding.severity}: {finding.message} [{finding.kind}]"
        for file, line, finding in rows
    ]
    lines.append(f"{len(entries)} templates, {bad} errors, {len(rows) - bad} warnings")
    problems = _problems(library)
    data = {"templates": len(entries), "findings": found, "problems": _as_data(problems)}
    print_result(data, lines, as_json=arguments.json)
    warned = warn(problems)
    if bad:
        return 1
    return warned if all(is_sound(finding) for *_, finding in rows) else WARNED


def schema(arguments: Options) -> int:
    """Print the JSON Schema of a template, for an editor; return the exit code."""
    from vademecum.desks.composer.template.schema import json_schema  # noqa: PLC0415 - only here

    del arguments
    print(json.dumps(json_schema(), indent=2))
    return 0


def lint(arguments: Options) -> int:
    """List metadata that does not match the content of a template; return the exit code."""
    from vademecum.desks.composer.template.lint import lint  # noqa: PLC0415 - only here

    library = library_of(arguments)
    claims, problems = lint(library), _problems(library)
    lines = [f"{claim.file}:{claim.line}: {claim.message} [{claim.kind}]" for claim in claims]
    lines.append(f"{len(library.templates)} templates, {len(claims)} findings")
    data = {
        "templates": len(library.templates),
        "findings": [claim._asdict() for claim in claims],
        "problems": _as_data(problems),
    }
    print_result(data, lines, as_json=arguments.json)
    return warn(problems) or (WARNED if claims else 0)


def _named(library: TemplateLibrary, name: str) -> Entry:
    entry = library.entry(name)
    if entry:
        return entry
    for problem in library.problems:
        if problem.place == name or problem.place.rpartition("/")[2] == name:
            raise ConfigError(f"{printable(problem.place, 200)}: {problem.message}", hint=problem.hint)
    message = f"There is no template {printable(name, 200)} in {printable(str(library.templates_dir), 200)}."
    raise ConfigError(message, hint="Use --templates-dir for another folder, or a path in it.")


def _problems(library: TemplateLibrary) -> list[Problem]:
    return [*library.problems, *(problem for template in library.templates for problem in template.problems)]


def _as_data(problems: Iterable[Problem]) -> list[dict[str, str]]:
    return [asdict(problem) for problem in problems]
