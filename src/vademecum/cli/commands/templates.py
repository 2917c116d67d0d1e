"""`vademecum templates`: list, validate and check image templates."""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from vademecum.cli._command import Options
from vademecum.cli._style import harmless, print_json
from vademecum.core.errors import ConfigError
from vademecum.files.folders import desk_folder
from vademecum.text.printable import printable

if TYPE_CHECKING:
    from vademecum.desks.composer.library import Entry, TemplateLibrary
    from vademecum.desks.composer.settings import ComposerSettings

_WARNED = 3
_SHOWN = 5


def library_of(arguments: Options) -> "TemplateLibrary":
    """Return the library for a command line."""
    from vademecum.desks.composer.library import TemplateLibrary  # noqa: PLC0415 - other commands need none of it

    return TemplateLibrary.open(arguments.templates_dir, arguments.os_defaults_dir)


def search_settings() -> "ComposerSettings":
    """Return the settings of a search: the defaults without a model, and a cache outside the current folder."""
    from vademecum.desks.composer.settings import NONE, CacheSettings, ComposerSettings  # noqa: PLC0415 - as above

    cache = CacheSettings(dir=Path(desk_folder("composer"), "ai-cache"))
    return ComposerSettings(provider=NONE, cache=cache)


def search(arguments: Options) -> int:
    """Print the templates that match a request; return the exit code."""
    from vademecum.desks.composer.search.search import search  # noqa: PLC0415 - only here

    library = library_of(arguments)
    found = search(" ".join(arguments.request), library, search_settings())
    ranked = found.ranked[: arguments.top]
    if arguments.json:
        data: dict[str, object] = {
            "query": found.query,
            "type": found.classification.type,
            "templates": [
                {"file": one.file, "score": round(one.score, 4), "why": list(one.why)} for one in ranked
            ],
            "relaxed": [one.message for one in found.relaxed],
            "problems": _problems(library),
        }
        print_json(data | ({"trace": found.trace.to_dict()} if arguments.explain else {}))
        return _warned(library)
    for given_up in found.relaxed:
        print(harmless(f"Note: {given_up.message}"))
    if unknown := found.classification.not_understood:
        print(harmless(f"Note: not understood: {', '.join(unknown)}."))
    for rank, one in enumerate(ranked, start=1):
        print(harmless(f"{rank}. {one.file} ({one.score:.2f})"))
        if one.why:
            print(harmless(f"   {'; '.join(one.why[:_SHOWN])}"))
    if not ranked:
        print("No template matches.")
    if arguments.explain:
        print(json.dumps(found.trace.to_dict(), indent=1))
    return _warned(library)


def show(arguments: Options) -> int:
    """Print the facts of a template; return the exit code."""
    library = library_of(arguments)
    entry = _named(library, arguments.file)
    facts = entry.facts._asdict()
    if arguments.json:
        able = list(entry.indexed.capabilities)
        print_json(
            {"file": entry.file, "facts": facts, "capabilities": able, "chain": list(entry.resolved.chain)}
        )
        return 0
    print(harmless(entry.file))
    print(harmless(f"  made of: {', '.join(entry.resolved.chain)}"))
    for name, value in facts.items():
        if value not in ("", (), None, False, 0, []):
            print(harmless(f"  {name}: {_shown(value)}"))
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
        (entry, finding)
        for entry in entries
        for finding in check_resolved(entry.template.data, entry.resolved)
    ]
    bad = sum(finding.severity == "error" for _, finding in rows)
    if arguments.json:
        said = [
            {
                "file": entry.file,
                "line": entry.template.line_of(one.where),
                "where": one.where,
                "severity": one.severity,
                "kind": one.kind,
                "message": one.message,
            }
            for entry, one in rows
        ]
        print_json({"templates": len(entries), "findings": said, "problems": _problems(library)})
    else:
        for entry, one in rows:
            line = entry.template.line_of(one.where)
            print(harmless(f"{entry.file}:{line}: {one.severity}: {one.message} [{one.kind}]"))
        print(f"{len(entries)} templates, {bad} errors, {len(rows) - bad} warnings")
    warned = _warned(library)
    if bad:
        return 1
    return _WARNED if not all(is_sound(finding) for _, finding in rows) else warned


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
    claims = lint(library)
    if arguments.json:
        print_json(
            {
                "templates": len(library.templates),
                "findings": [claim._asdict() for claim in claims],
                "problems": _problems(library),
            }
        )
    else:
        for claim in claims:
            print(harmless(f"{claim.file}:{claim.line}: {claim.message} [{claim.kind}]"))
        print(f"{len(library.templates)} templates, {len(claims)} findings")
    return _warned(library) or (_WARNED if claims else 0)


def _named(library: "TemplateLibrary", name: str) -> "Entry":
    entry = library.entry(name)
    if entry:
        return entry
    for problem in library.problems:
        if problem.place == name or problem.place.rpartition("/")[2] == name:
            raise ConfigError(f"{printable(problem.place, 200)}: {problem.message}", hint=problem.hint)
    message = f"There is no template {printable(name, 200)} in {printable(str(library.templates_dir), 200)}."
    raise ConfigError(message, hint="Use --templates-dir for another folder, or a path in it.")


def _problems(library: "TemplateLibrary") -> list[dict[str, str]]:
    every = [*library.problems, *(problem for template in library.templates for problem in template.problems)]
    return [asdict(problem) for problem in every]


def _warned(library: "TemplateLibrary") -> int:
    """Print unreadable files on stderr, and return the exit code."""
    found = _problems(library)
    for one in found:
        print(harmless(f"vademecum: {one['place']}: {one['message']} {one['hint']}"), file=sys.stderr)
    return _WARNED if found else 0
