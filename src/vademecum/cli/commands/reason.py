"""`vademecum reason`: choose a reasoning template, and manage templates."""

import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from vademecum.cli._command import Options
from vademecum.cli._style import harmless, print_json, typed_text
from vademecum.core.errors import AnswerError, ConfigError, SourceError
from vademecum.files.folders import desk_folder
from vademecum.text.printable import printable
from vademecum.text.similar import closest

if TYPE_CHECKING:
    from vademecum.desks.reasoning import Match, ReasoningLibrary, Selection
    from vademecum.desks.reasoning.templates import Template

_WARNED = 3


def templates_of(arguments: Options, threshold: float | None = None) -> "ReasoningLibrary":
    """Return the library for a command line: the folders of `--templates`, by default the package's and the user's.

    Commands that choose a template do so as configured.
    """
    from vademecum.desks.reasoning import ReasoningLibrary  # noqa: PLC0415 - other commands need none of it
    from vademecum.desks.reasoning.library import template_folders  # noqa: PLC0415 - the same
    from vademecum.desks.reasoning.settings import library_of  # noqa: PLC0415 - the same

    folders = arguments.templates or template_folders()
    if not hasattr(arguments, "embedder"):
        return ReasoningLibrary(folders)
    return library_of(folders, threshold=threshold, embedder=arguments.embedder)


def _own_folder() -> Path:
    return Path(desk_folder("reasoning"), "templates")


def list_templates(arguments: Options) -> int:
    """List the templates; return the exit code."""
    library = _indexed(templates_of(arguments))
    templates = library.list_templates()
    if arguments.json:
        print_json(
            {"templates": [template.to_dict() for template in templates], "problems": _problems(library)}
        )
    else:
        rows = [(template.id, template.domain, template.complexity, template.name) for template in templates]
        print("\n".join(_columns([("id", "domain", "complexity", "name"), *rows])))
    return _warned(library)


def _columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows as lines with aligned columns, two spaces apart."""
    cells = [[printable(cell, 60) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]


def show(arguments: Options) -> int:
    """Print a template; return the exit code."""
    library = _indexed(templates_of(arguments))
    template = _named(library, arguments.id)
    if arguments.json:
        print_json(template.to_dict())
    else:
        print(f"{template.name} ({template.domain}, {template.complexity}, {template.methodology})")
        print(harmless(f"{template.description}\n\n{template.content}"))
    return 0


def select(arguments: Options) -> int:
    """Print the templates that fit a problem; return the exit code."""
    problem = _problem(arguments)
    library = templates_of(arguments, arguments.threshold)
    selection = library.select(problem, arguments.top)
    if arguments.json:
        print_json(selection.to_dict(explain=arguments.explain) | {"problems": _problems(library)})
    else:
        print("\n".join(_chosen(selection)))
        if arguments.explain:
            print("\n".join(_explained(selection)))
    return _warned(library)


_LEAST_SCORE = 0.01
"""The minimum chance of a template that is printed; `--json` has all."""


def _chosen(selection: "Selection") -> list[str]:
    lines = [] if not selection.reason else [harmless(f"{selection.reason} The fallback is used.")]
    shown = [match for match in selection.matches if match.score >= _LEAST_SCORE] or selection.matches[:1]
    for rank, match in enumerate(shown, start=1):
        lines.append(harmless(f"{rank}. {match.id} ({match.score:.2f}): {match.description or match.name}"))
        if not match.is_fallback:
            lines.append(harmless(f"   {match.why}"))
    return lines


def _explained(selection: "Selection") -> list[str]:
    lines = [
        "",
        f"Probability that any fits: {selection.fits:.3f}; threshold {selection.border:.3f}; {selection.duration_ms:.1f} ms",
    ]
    lines += [f"  {name:16} {value:8.3f}" for name, value in selection.signals.items()]
    for candidate in selection.candidates[:5]:
        measured = "  ".join(f"{name} {value:.2f}" for name, value in candidate.measured.items())
        lines.append(harmless(f"{candidate.id}: share {candidate.share:.3f}  {measured}"))
    return lines


def add(arguments: Options) -> int:
    """Check a template of your own, and store a copy of it; return the exit code."""
    from vademecum.desks.reasoning.scaffold import has_steps  # noqa: PLC0415 - only here
    from vademecum.files.write import replace_file  # noqa: PLC0415 - only here

    if arguments.file.is_dir():
        message = f"{printable(str(arguments.file), 200)} is a folder."
        raise SourceError(message, hint="Name a Markdown file. Add the files of a folder one by one.")
    library = _indexed(templates_of(arguments))
    template = library.add_template(arguments.file)  # raises before anything is written
    if not has_steps(template.content):
        message = f"{printable(str(arguments.file), 200)} has no steps."
        hint = 'Write them as a numbered list below a heading "## Steps": 1. 2. 3.'
        raise SourceError(message, hint=hint)
    place = _own_folder() / f"{template.id}.md"
    taken = [
        list_template
        for list_template in _indexed(templates_of(arguments)).list_templates()
        if list_template.id == template.id
    ]
    if taken and Path(taken[0].file_path) != place:
        message = f"A template named {template.id} already exists: {printable(taken[0].file_path, 200)}"
        raise ConfigError(message, hint="Give the file another name: its name is the template's id.")
    if taken and not arguments.replace:
        raise ConfigError(f"You have already added {template.id}.", hint="To use the new file: --replace")
    try:
        replace_file(place, _whole(arguments.file))
    except OSError as error:
        raise SourceError(
            f"{place} cannot be written: {error.strerror}",
            hint="Check the folder's permissions and the free space.",
        ) from error
    warnings = list(template.warnings)
    if arguments.json:
        print_json({"added": template.id, "file_path": str(place), "warnings": warnings})
    else:
        print(f"Added {template.id}: {printable(str(place))}")
        for warning in warnings:
            print(f"  {printable(warning)}")
    return _WARNED if warnings else 0


def _whole(path: Path) -> str:
    """Read a file that was just validated, as text to be stored in UTF-8."""
    raw = path.read_bytes()
    return raw.decode("utf-16" if raw[:2] in {b"\xff\xfe", b"\xfe\xff"} else "utf-8-sig", "replace")


def lint(arguments: Options) -> int:
    """List templates that are nearly the same, unreachable or incomplete; return the exit code."""
    from vademecum.desks.reasoning.lint import lint  # noqa: PLC0415 - only here

    library = _indexed(templates_of(arguments))
    templates = library.list_templates()
    fallback = next(template for template in templates if template.is_fallback)
    findings = lint(templates, fallback.asked)
    if arguments.json:
        said = [
            {"kind": finding.kind, "template": finding.template, "message": finding.message}
            for finding in findings
        ]
        print_json({"templates": len(templates), "findings": said, "problems": _problems(library)})
    else:
        for finding in findings:
            print(harmless(f"{finding.template}: {finding.message} [{finding.kind}]"))
        print(f"{len(templates)} templates, {len(findings)} findings")
    return _warned(library) or (_WARNED if findings else 0)


def apply(arguments: Options) -> int:
    """Fill the template that fits a problem, or have a model work through it; return the exit code."""
    from vademecum.desks.reasoning.scaffold import filled, messages_for, scaffold_of  # noqa: PLC0415 - only here

    problem = _problem(arguments)
    library = templates_of(arguments)
    match = _taken(library, arguments.template, problem)
    scaffold = scaffold_of(match.name, match.content)
    if arguments.model:
        return _worked(arguments, match, problem)
    messages = messages_for(scaffold, problem, match.content)
    if arguments.json:
        said = [{"role": message.role, "content": message.text} for message in messages]
        steps = [{"title": step.title, "text": step.text} for step in scaffold.steps]
        print_json(
            {
                "template": match.id,
                "is_fallback": match.is_fallback,
                "why": match.why,
                "steps": steps,
                "checklist": list(scaffold.checklist),
                "messages": said,
            }
        )
    elif arguments.messages:
        print(harmless("\n\n".join(f"[{message.role}]\n{message.text}" for message in messages)))
    else:
        print(harmless(filled(scaffold, problem)), end="")
    return _warned(library)


def _worked(arguments: Options, match: "Match", problem: str) -> int:
    """Have a model work through the steps, and print each step as it is finished."""
    from vademecum.desks.reasoning.scaffold import scaffold_of  # noqa: PLC0415 - with a model only
    from vademecum.desks.reasoning.work import Worked, work_through  # noqa: PLC0415 - the same
    from vademecum.providers.registry import open_model  # noqa: PLC0415 - the same

    def print_step(number: int, worked: Worked) -> None:
        if not arguments.json:
            print(harmless(f"## {number}. {worked.title}\n\n{worked.result}\n"), flush=True)

    model = open_model(arguments.model)
    try:
        work = work_through(
            model,
            scaffold_of(match.name, match.content),
            problem,
            timeout_s=arguments.timeout,
            on_step=print_step,
        )
    finally:
        model.close()
    if arguments.json:
        print_json(
            {"template": match.id, "is_fallback": match.is_fallback, "why": match.why, **work.to_dict()}
        )
    else:
        if work.checklist:
            print("## Checklist, as the model sees it\n")
        for one in work.checklist:
            mark = {True: "x", False: " ", None: "?"}[one.holds]
            print(harmless(f"- [{mark}] {one.point}{f' ({one.why})' if one.why else ''}"))
        print(harmless(f"\n## Answer\n\n{work.answer}"))
        for warning in work.warnings:
            print(printable(warning), file=sys.stderr)
    return _WARNED if work.warnings else 0


def _taken(library: "ReasoningLibrary", wanted: str | None, problem: str) -> "Match":
    """Return the requested template, or the one that fits the problem."""
    if not wanted:
        return library.select(problem, 1).matches[0]
    from vademecum.desks.reasoning import Match  # noqa: PLC0415 - already loaded

    one = _named(library, wanted)
    return Match(
        id=one.id,
        name=one.name,
        score=1.0,
        description=one.description,
        content=one.content,
        is_fallback=one.is_fallback,
        why="It was requested.",
    )


def _named(library: "ReasoningLibrary", wanted: str) -> "Template":
    templates = {list_template.id: list_template for list_template in library.list_templates()}
    if wanted in templates:
        return templates[wanted]
    similar = closest(wanted, templates)
    hint = f"Did you mean {similar}?" if similar else "vademecum reason list shows all."
    raise ConfigError(f"There is no template {printable(wanted, 80)}.", hint=hint)


def _indexed(library: "ReasoningLibrary") -> "ReasoningLibrary":
    library.index_templates()
    return library


def _problem(arguments: Options) -> str:
    """Return the problem from the command line or standard input."""
    words = " ".join(arguments.problem)
    problem = typed_text() if words == "-" else words
    problem = problem.encode("utf-8", "replace").decode()  # replaces bytes that are not text
    if not problem.strip():
        raise AnswerError(
            "No problem given.", hint='Put it in quotes: vademecum reason select "which of three flats"'
        )
    return problem


def _problems(library: "ReasoningLibrary") -> list[dict[str, str]]:
    return [asdict(problem) for problem in library.problems]


def _warned(library: "ReasoningLibrary") -> int:
    """Print unreadable files on stderr, and return the exit code."""
    for problem in library.problems:
        print(
            f"vademecum: {printable(problem.place, 200)}: {printable(problem.message)} {problem.hint}",
            file=sys.stderr,
        )
    return _WARNED if library.problems else 0
