"""`vademecum reason`: choose a reasoning template, and manage templates."""

from dataclasses import asdict
from pathlib import Path

from vademecum.cli._command import Options
from vademecum.cli._output import WARNED, asked_text, columns, print_result, warn
from vademecum.cli._style import harmless
from vademecum.core.errors import ConfigError, SourceError
from vademecum.desks.reasoning import Match, ReasoningLibrary, Selection
from vademecum.desks.reasoning.library import template_folders
from vademecum.desks.reasoning.scaffold import filled, has_steps, messages_for, scaffold_of
from vademecum.desks.reasoning.settings import library_of
from vademecum.desks.reasoning.templates import Template
from vademecum.files.folders import desk_folder
from vademecum.text.printable import printable
from vademecum.text.similar import closest


def templates_of(arguments: Options, threshold: float | None = None) -> "ReasoningLibrary":
    """Return the library for a command line: the folders of `--templates`, by default the package's and the user's.

    Commands that choose a template do so as configured.
    """
    folders = arguments.templates or template_folders()
    if not hasattr(arguments, "embedder"):
        return ReasoningLibrary(folders)
    return library_of(folders, threshold=threshold, embedder=arguments.embedder)


def list_templates(arguments: Options) -> int:
    """List the templates; return the exit code."""
    library = templates_of(arguments)
    templates = library.list_templates()
    rows = [(template.id, template.domain, template.complexity, template.name) for template in templates]
    lines = columns(
        [[printable(cell, 60) for cell in row] for row in [("id", "domain", "complexity", "name"), *rows]]
    )
    listed = [template.to_dict() for template in templates]
    print_result({"templates": listed, "problems": _problems(library)}, lines, as_json=arguments.json)
    return warn(library.problems)


def show(arguments: Options) -> int:
    """Print a template; return the exit code."""
    template = _named(templates_of(arguments), arguments.id)
    about = f"{template.name} ({template.domain}, {template.complexity}, {template.methodology})"
    text = f"{about}\n{template.description}\n\n{template.content}"
    print_result(template.to_dict(), text, as_json=arguments.json)
    return 0


def select(arguments: Options) -> int:
    """Print the templates that fit a problem; return the exit code."""
    problem = _problem(arguments)
    library = templates_of(arguments, arguments.threshold)
    selection = library.select(problem, arguments.top)
    data = selection.to_dict(explain=arguments.explain) | {"problems": _problems(library)}
    lines = _chosen(selection) + (_explained(selection) if arguments.explain else [])
    print_result(data, lines, as_json=arguments.json)
    return warn(library.problems)


_LEAST_SCORE = 0.01
"""The minimum chance of a template that is printed; `--json` has all."""


def _chosen(selection: Selection) -> list[str]:
    lines = [f"{selection.reason} The fallback is used."] if selection.reason else []
    shown = [match for match in selection.matches if match.score >= _LEAST_SCORE] or selection.matches[:1]
    for rank, match in enumerate(shown, start=1):
        lines.append(f"{rank}. {match.id} ({match.score:.2f}): {match.description or match.name}")
        lines += [] if match.is_fallback else [f"   {match.why}"]
    return lines


def _explained(selection: Selection) -> list[str]:
    fits, duration = f"{selection.fits:.3f}", f"{selection.duration_ms:.1f} ms"
    lines = ["", f"Probability that any fits: {fits}; threshold {selection.border:.3f}; {duration}"]
    lines += [f"  {name:16} {value:8.3f}" for name, value in selection.signals.items()]
    for candidate in selection.candidates[:5]:
        measured = "  ".join(f"{name} {value:.2f}" for name, value in candidate.measured.items())
        lines.append(f"{candidate.id}: share {candidate.share:.3f}  {measured}")
    return lines


def add(arguments: Options) -> int:
    """Check a template of your own, and store a copy of it; return the exit code."""
    from vademecum.files.write import replace_file  # noqa: PLC0415 - only here

    if arguments.file.is_dir():
        message = f"{printable(str(arguments.file), 200)} is a folder."
        raise SourceError(message, hint="Name a Markdown file. Add the files of a folder one by one.")
    template = templates_of(arguments).add_template(arguments.file)  # raises before anything is written
    if not has_steps(template.content):
        message = f"{printable(str(arguments.file), 200)} has no steps."
        hint = 'Write them as a numbered list below a heading "## Steps": 1. 2. 3.'
        raise SourceError(message, hint=hint)
    place = Path(desk_folder("reasoning"), "templates", f"{template.id}.md")
    existing = {known.id: known.file_path for known in templates_of(arguments).list_templates()}
    taken = existing.get(template.id)
    if taken and Path(taken) != place:
        message = f"A template named {template.id} already exists: {printable(taken, 200)}"
        raise ConfigError(message, hint="Give the file another name: its name is the template's id.")
    if taken and not arguments.replace:
        raise ConfigError(f"You have already added {template.id}.", hint="To use the new file: --replace")
    try:
        raw = arguments.file.read_bytes()
        encoding = "utf-16" if raw[:2] in {b"\xff\xfe", b"\xfe\xff"} else "utf-8-sig"
        replace_file(place, raw.decode(encoding, "replace"))
    except OSError as error:
        raise SourceError(
            f"{place} cannot be written: {error.strerror}",
            hint="Check the folder's permissions and the free space.",
        ) from error
    data = {"added": template.id, "file_path": str(place), "warnings": list(template.warnings)}
    lines = [f"Added {template.id}: {printable(str(place))}"]
    lines += [f"  {printable(warning)}" for warning in template.warnings]
    print_result(data, lines, as_json=arguments.json)
    return WARNED if template.warnings else 0


def lint(arguments: Options) -> int:
    """List templates that are nearly the same, unreachable or incomplete; return the exit code."""
    from vademecum.desks.reasoning.lint import lint  # noqa: PLC0415 - only here

    library = templates_of(arguments)
    templates = library.list_templates()
    fallback = next(template for template in templates if template.is_fallback)
    findings = lint(templates, fallback.asked)
    lines = [f"{finding.template}: {finding.message} [{finding.kind}]" for finding in findings]
    lines.append(f"{len(templates)} templates, {len(findings)} findings")
    found = [finding._asdict() for finding in findings]
    data = {"templates": len(templates), "findings": found, "problems": _problems(library)}
    print_result(data, lines, as_json=arguments.json)
    return warn(library.problems) or (WARNED if findings else 0)


def apply(arguments: Options) -> int:
    """Fill the template that fits a problem, or have a model work through it; return the exit code."""
    problem = _problem(arguments)
    library = templates_of(arguments)
    match = _taken(library, arguments.template, problem)
    scaffold = scaffold_of(match.name, match.content)
    if arguments.model:
        return _worked(arguments, match, problem)
    messages = messages_for(scaffold, problem, match.content)
    data = {
        **_chosen_data(match),
        "steps": [{"title": step.title, "text": step.text} for step in scaffold.steps],
        "checklist": list(scaffold.checklist),
        "messages": [{"role": message.role, "content": message.text} for message in messages],
    }
    text = filled(scaffold, problem).removesuffix("\n")
    if arguments.messages:
        text = "\n\n".join(f"[{message.role}]\n{message.text}" for message in messages)
    print_result(data, text, as_json=arguments.json)
    return warn(library.problems)


def _chosen_data(match: Match) -> dict[str, object]:
    return {"template": match.id, "is_fallback": match.is_fallback, "why": match.why}


def _worked(arguments: Options, match: Match, problem: str) -> int:
    """Have a model work through the steps, and print each step as it is finished."""
    from vademecum.desks.reasoning.work import Worked, work_through  # noqa: PLC0415 - with a model only
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
    lines = ["## Checklist, as the model sees it\n"] if work.checklist else []
    for checked in work.checklist:
        mark = {True: "x", False: " ", None: "?"}[checked.holds]
        lines.append(f"- [{mark}] {checked.point}{f' ({checked.why})' if checked.why else ''}")
    lines.append(f"\n## Answer\n\n{work.answer}")
    print_result({**_chosen_data(match), **work.to_dict()}, lines, as_json=arguments.json)
    return warn(work.warnings)


def _taken(library: ReasoningLibrary, wanted: str | None, problem: str) -> Match:
    """Return the requested template, or the one that fits the problem."""
    if not wanted:
        return library.select(problem, 1).matches[0]
    return Match.of(_named(library, wanted), 1.0, "It was requested.")


def _named(library: ReasoningLibrary, wanted: str) -> Template:
    templates = {template.id: template for template in library.list_templates()}
    if wanted in templates:
        return templates[wanted]
    similar = closest(wanted, templates)
    hint = f"Did you mean {similar}?" if similar else "vademecum reason list shows all."
    raise ConfigError(f"There is no template {printable(wanted, 80)}.", hint=hint)


def _problem(arguments: Options) -> str:
    return asked_text(arguments.problem, "problem", 'vademecum reason select "which of three flats"')


def _problems(library: ReasoningLibrary) -> list[dict[str, str]]:
    return [asdict(problem) for problem in library.problems]
