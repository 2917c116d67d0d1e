"""Compose a command line for a task from the SYNOPSIS and options of a page. The page documents each part."""

import re
from collections.abc import Sequence

from vademecum.answering.extract import entry_step
from vademecum.answering.verify import verify
from vademecum.ask.command_lines.line_writer import (
    BEGINNING,
    LONGEST_USAGE,
    LinePart,
    LineToType,
    LineWriter,
    as_typed,
    is_bare,
)
from vademecum.ask.command_lines.pages import entries_of
from vademecum.ask.gather import COMMAND_SECTIONS
from vademecum.core.evidence import COMPOSED, Draft, DraftStatement, Evidence, ScoredPassage, Span
from vademecum.core.passages import SECTION
from vademecum.retrieval.command_lines.line_options import (
    DESTROYS,
    argument_of,
    fitting,
    is_opposed,
    least_chance,
)
from vademecum.retrieval.command_lines.nouns import NUMBER, Noun, nouns_of
from vademecum.retrieval.command_lines.options import NUMBER as ANY_NUMBER
from vademecum.retrieval.command_lines.options import REQUIRED, Form, OptionTable, forms_of
from vademecum.retrieval.command_lines.usage import Usage, is_sub_command, usages
from vademecum.retrieval.command_lines.words import RUNS_COMMANDS, UNKNOWN, CommandReader
from vademecum.text.patterns import Pattern
from vademecum.text.shell import WORD, split

_PIPE = " | "


_MOST_OPTIONS = 3


_SURE = 0.3
"""The minimum chance of another option if the question does not name its argument."""


_MOST_SENTENCES = 1


_MOST_STEPS = 3
"""The maximum number of steps: the line, its options, and other entries that may answer the question."""


_WORTH_SHOWING = 0.15
"""The minimum chance of an entry that is shown below the line without being part of it."""


_SYNOPSIS = Pattern(r"[\[\]]|\.\.\.", flags=0)


_PLACE = Pattern(r"(?<![A-Za-z-])[A-Z]{2,}[0-9]?(?![A-Za-z])", flags=0)
"""A placeholder of a recipe."""


_IS_PROGRAM = Pattern(r"script|program|expression|filter")


def led_by(line: LineToType, question: str, drafted: Draft, evidence: Sequence[Evidence]) -> Draft:
    """Return a draft that begins with a line to type, followed by the meaning of its parts and an example of the page.

    Args:
        line: The line, from the first document.
        question: The question. Destructive options are omitted unless it asks for them.
        drafted: The draft without the line; its first sentence is the summary of the page.
        evidence: The documents.
    """
    steps = [DraftStatement("", line.text, line.spans, COMPOSED)]
    steps += [entry_step(part.evidence, evidence[part.evidence], part.entry) for part in line.parts]
    last = drafted.steps[-1] if drafted.steps else None
    name = line.text.split()[0]
    shown = {step.spans[0] for step in steps[1:]}
    typed = {passage.start: passage.typed for passage in evidence[0].passages if passage.kind != SECTION}
    destroys = DESTROYS.search(question) is not None
    others = [
        step
        for step in drafted.steps
        if step.text
        and step.spans[0].evidence == 0
        and step.spans[0] not in shown
        and typed.get(step.spans[0].start, 0.0) >= _WORTH_SHOWING
        and (destroys or not DESTROYS.search(step.text[:BEGINNING]))
    ]
    steps += others[: max(0, _MOST_STEPS - len(steps))]
    if (
        last
        and not last.text
        and last.spans[0].evidence == 0
        and last.command.startswith(name)
        and not _SYNOPSIS.search(last.command)
    ):
        steps.append(last)
    return Draft(drafted.summary[:_MOST_SENTENCES], tuple(steps))


def is_command(document: Evidence) -> bool:
    """Return whether a page documents a command."""
    return document.reference.rpartition("(")[2][:1] in COMMAND_SECTIONS


def compose(question: str, position: int, document: Evidence) -> LineToType | None:
    """Compose a line for a question from a page's SYNOPSIS and options; None if the SYNOPSIS cannot be parsed.

    Words of the question replace arguments and operands. Other placeholders are in capitals.

    Args:
        question: The question.
        position: The page's position among the cited documents.
        document: The page, with the chance that each entry is typed (`ScoredPassage.typed`).
    """
    if not is_command(document):
        return None
    forms = _usages(document)
    if not forms:
        return None
    nouns = nouns_of(question)
    chosen = _chosen(question, nouns, document)
    if any(is_opposed(form.name, question) for _, form in chosen if is_bare(form)):
        return None
    usage = max(forms, key=lambda form: _agreement(form, chosen, question))
    others = {name for form in forms if form is not usage for name in form.options} - set(usage.named)
    fixed = 1 + sum(word in document.reference for word in usage.words[1:])
    is_whole = len(usage.words) > fixed  # the form itself names a sub-command
    chosen = [
        (entry, form)
        for entry, form in chosen
        if form.name not in usage.words and form.name not in others and not (is_whole and is_bare(form))
    ]
    if not chosen and (
        usage.takes_expression or any(_IS_PROGRAM.search(operand.name) for operand in usage.operands)
    ):
        return None  # what it does is said by an expression or a program, which no option is
    return LineWriter(question, position, document, usage, nouns).line(chosen)


def commands_of(pipe: str) -> list[str]:
    """Return the commands of a recipe that is a pipe, in order; nothing for another recipe."""
    return [part.split()[0] for part in pipe.split(_PIPE)] if _PIPE in pipe else []


def holds(line: LineToType, question: str, evidence: Sequence[Evidence]) -> bool:
    """Return whether each word of a line is stated by a page or comes from the question."""
    statement = DraftStatement("", line.text, line.spans, COMPOSED)
    return not verify(Draft((), (statement,)), evidence, question).dropped


def from_pipe(
    recipe: str, names: Sequence[str], question: str, evidence: Sequence[Evidence]
) -> LineToType | None:
    """Return the line of a recipe of one or more commands; None if a page does not state its part.

    Args:
        recipe: The line, with ` | ` between commands.
        names: The names of the first document.
        question: The question.
        evidence: The page that the recipe belongs to, and the pages of the other commands.
    """
    if _PIPE not in recipe:
        return from_recipe(recipe, names, question, 0, evidence[0])
    lines: list[LineToType] = []
    for part, name in zip(recipe.split(_PIPE), commands_of(recipe), strict=True):
        at = next(
            (at for at, page in enumerate(evidence) if at and page.reference.partition("(")[0] == name),
            0 if name in names else None,
        )
        line = None if at is None else from_recipe(part, (name,) if at else names, question, at, evidence[at])
        if line is None:
            return None
        lines.append(line)
    return LineToType(
        _PIPE.join(line.text for line in lines),
        tuple(part for line in lines for part in line.parts),
        tuple(span for line in lines for span in line.spans),
    )


def from_recipe(
    recipe: str, names: Sequence[str], question: str, position: int, document: Evidence
) -> LineToType | None:
    """Return the line of a recipe, filled with the question's nouns; None if the page does not state each part.

    Args:
        recipe: The line, with placeholders in capitals.
        names: The names of the page (`gzip`, `gunzip`).
        question: The question.
        position: The page's position among the cited documents.
        document: The page.
    """
    forms = _usages(document)
    tokens = [token for token in split(recipe) if token.kind == WORD]
    words = [token.value for token in tokens]
    usage = next((form for form in forms if words[: len(form.words)] == list(form.words)), None)
    if usage is None and words[0] in names and forms:
        usage = forms[0]._replace(words=(words[0],))
    if usage is None:
        return None
    table = OptionTable(entries_of(document))
    rest = tokens[len(usage.words) :]
    bare = [token for token in rest[:1] if table.get(token.value) and not token.value.startswith("-")]
    if any(is_opposed(token.value, question) for token in bare):
        return None
    parts, _ = CommandReader(table).read(rest[len(bare) :])
    if any(part.kind == UNKNOWN for part in parts):
        return None
    used = [table.get(token.value) for token in bare] + [part.found for part in parts if part.found]
    by_start = {passage.start: passage for passage in document.passages if passage.kind != SECTION}
    nouns = nouns_of(question)
    line = " ".join(_filled(token.raw, nouns) for token in tokens)
    spans = [Span(position, usage.start, min(usage.end, usage.start + LONGEST_USAGE), "")]
    spans += [
        Span(position, found.entry.start, found.entry.tag_end, found.entry.anchor) for found in used if found
    ]
    for token in tokens:
        for word in re.findall(r"%\w|[\w./][\w./-]*", _PLACE.sub("", token.value)):
            if not word.startswith("-") and (span := _place_of(word, position, document)):
                spans.append(span)
    rows = [
        LinePart(by_start[found.entry.start], found.form.name, position)
        for found in used
        if found and found.entry.start in by_start
    ]
    return LineToType(line, tuple(dict.fromkeys(rows)), tuple(dict.fromkeys(spans)))


def _filled(word: str, nouns: list[Noun]) -> str:
    """Return a word of a recipe with nouns in place of its placeholders; each noun is used once."""

    def fill(place: re.Match[str]) -> str:
        name = place[0].rstrip("0123456789")
        noun = fitting(name, nouns)
        value = as_typed(noun, name) if noun else None
        if noun is None or value is None:
            return place[0]
        nouns.remove(noun)
        return value.strip("'") if "'" in word else value

    return _PLACE.sub(fill, word)


def _place_of(word: str, position: int, document: Evidence) -> Span | None:
    """Return the position of a word in a page."""
    found = re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", document.text)
    return Span(position, found.start(), found.end(), "") if found else None


def _usages(document: Evidence) -> list[Usage]:
    name = document.reference.partition("(")[0]
    flags = {form.name for entry in entries_of(document) for form in entry.forms if form.argument != REQUIRED}
    return [
        usage
        for passage in _synopses(document)
        for usage in usages(document.text, passage.start, passage.end, name, flags)
    ]


def _synopses(document: Evidence) -> list[ScoredPassage]:
    return [
        passage
        for passage in document.passages
        if passage.kind == SECTION and passage.heading.upper().partition(" > ")[0] == "SYNOPSIS"
    ]


def _chosen(question: str, nouns: Sequence[Noun], document: Evidence) -> list[tuple[ScoredPassage, Form]]:
    """Return the entries that belong in the line, likeliest first."""
    destroys = DESTROYS.search(question) is not None
    entries = [passage for passage in document.passages if passage.kind != SECTION and passage.typed > 0]
    least = least_chance([passage.typed for passage in entries])
    likely = sorted(
        (passage for passage in entries if passage.typed >= least),
        key=lambda passage: (-passage.typed, passage.start),
    )
    synopsis = "\n".join(document.text[passage.start : passage.end] for passage in _synopses(document))
    found: list[tuple[ScoredPassage, Form]] = []
    for entry in likely:
        tag = document.text[entry.start : entry.tag_end]
        beginning = document.text[entry.tag_end : min(entry.end, entry.tag_end + 80)]
        form = _form(tag, nouns)
        if (
            form
            and found
            and entry.typed < _SURE
            and form.argument == REQUIRED
            and not fitting(argument_of(tag), nouns)
        ):
            continue
        if form is None or not _is_word_of_a_line(form) or any(form.name == other.name for _, other in found):
            continue
        if any(entry.start < other.end and other.start < entry.end for other, _ in found):
            continue
        if DESTROYS.search(beginning) and not destroys:
            continue
        if is_bare(form):
            has_one = any(is_bare(other) for _, other in found)
            if has_one or not is_sub_command(form.name, entry.heading, synopsis):
                continue
        found.append((entry, form))
        if len(found) == _MOST_OPTIONS:
            break
    return found


def _form(tag: str, nouns: Sequence[Noun]) -> Form | None:
    """Return the form of an entry that is typed: the short one if there is one, otherwise the first."""
    forms = [
        form
        for form in forms_of(tag)
        if form.name != ANY_NUMBER or any(noun.kind == NUMBER for noun in nouns)
    ]
    short = [form for form in forms if re.fullmatch(r"-\w", form.name)]
    return next(iter(short or forms), None)


def _is_word_of_a_line(form: Form) -> bool:
    """Return whether a form is a separate word, not a letter of a bundle or part of a format (`%i`)."""
    if form.name in RUNS_COMMANDS:
        return False
    return len(form.name) > 1 and form.name[0] not in "%\\!(" and (not is_bare(form) or form.name.islower())


def _agreement(
    usage: Usage, chosen: Sequence[tuple[ScoredPassage, Form]], question: str
) -> tuple[float, int]:
    """Return a score for how well a form of the command fits the chosen options; of equal forms, the first is used."""
    names = {form.name for _, form in chosen}
    own = sum(name in names for name in usage.options)
    literals = usage.words[2:] if "-" in usage.words[0] or len(usage.words) > 1 else usage.words[1:]
    meant = sum(
        2.0 if word in names else 1.0 if re.search(rf"\b{re.escape(word)}", question) else -1.0
        for word in literals
    )
    return 2 * own - 3 * (len(usage.options) - own) + meant, sum(name in names for name in usage.named)
