"""The gate: a line is only shown if the installed pages state each command, option and word of it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from vademecum.answering.verify import is_in_words, unstated_words, verify
from vademecum.command_lines.explainer import PLACEHOLDER, Explainer
from vademecum.command_lines.pages import NO_PAGE, CommandPages
from vademecum.command_lines.questions import LineQuestion
from vademecum.core.answers import LineNotes
from vademecum.core.evidence import COMPOSED, Draft, DraftStatement, Span
from vademecum.core.passages import OF_FILE
from vademecum.retrieval.question.wanted import asks_fact
from vademecum.text.patterns import Pattern
from vademecum.text.sentences import fold

_DESTROYS = Pattern(
    r"(?:^|[|;&(`] *|\bxargs (?:-\S+ )*|\bexec(?:dir)? |\bdo |\bsudo )"
    r"(?:rm|rmdir|shred|unlink|mkfs\S*|mkswap|wipefs|truncate|dd|fdisk(?! -l)|parted(?!.* print)|sgdisk|userdel|groupdel|deluser|delgroup|dropdb|dropuser"
    r"|kill(?! -(?:0|l)\b)|pkill|killall|reboot|shutdown(?! -c)|poweroff|halt|[vlp]vremove|swapoff|blkdiscard|crontab -r|history -c|z(?:pool|fs) destroy"
    r"|cryptsetup luks(?:Format|Erase))(?![\w.-])"
    r"|\bxargs\b[^|;&]* (?:rm|kill|shred)\b|(?<!\S)(?:-delete|--delete(?:-\w+)?|--remove(?:-source)?-files|--purge|purge|autoremove|uninstall|prune)(?!\S)"
    r"|\bgit (?:reset --hard|clean(?! -\w*n)|checkout (?:-f|\.|-- )|restore (?!--staged)|stash (?:drop|clear)|branch -[dD]|push .*(?:--force|-f\b|--delete))"
    r"|\b(?:DROP|DELETE|TRUNCATE) |^: >|^> |\bsed -\w*i\S* '[^']*d'",
    flags=0,
)
"""Commands and options that delete, overwrite or end something."""

_ASKS_TO_DESTROY = Pattern(
    r"\b(?:delet|remov|eras|destroy|wip|purg|discard|truncat|unlink|uninstall|drop|overwrit|kill|terminat|stop|end|quit|clos|clear|clean|empty|undo|revert"
    r"|reset|restor|rid|throw|forget|abort|cancel|shut|restart|reboot|halt|format|partition|free|prun|shred|swap|burn|signal|paus|suspend|rotat)\w*"
    r"|\b(?:turn|switch|power|roll|go|take|start) (?:off|back|out|away|over|again)\b"
)
"""Words of questions that may ask for such a thing."""

_ASKS_TO_SEE = Pattern(
    r"\b(?:show|list|find|display|print|see|view|check|count|which|what|who|where|how (?:many|much|big|large|long|old|far)|search|look|detect|identify"
    r"|determine)\b"
)
"""Words of questions that ask to see something."""

_CHANGES = frozenset(
    """add amend assign attach change clone configure connect create disable edit enable encrypt fix force forward give grant install lock
    make merge mirror modify mount move pin publish pull push rebuild rename repair resize rewrite schedule squash
    turn unlock unmount update upgrade upload write""".split()  # noqa: SIM905
)
"""Verbs of tasks that change something."""

_KEY = Pattern(r"@?[A-Za-z][A-Za-z_.-]+\d?", flags=0)
"""A word of a file that its page must have."""

_OF_SHELL = "|&;<>(`$"
"""The first characters of operators of the shell, which are not parts that need an explanation."""


class ProvenLine(NamedTuple):
    """A line that passed the gate.

    Attributes:
        statement: The line, with the quotations that state its words.
        parts: Its parts, in order, each with the words of its page.
        about: The summary line of its page, if it is a single command.
    """

    statement: DraftStatement
    parts: tuple[DraftStatement, ...]
    about: tuple[DraftStatement, ...]


def proven(line: str, question: str, pages: CommandPages, *, is_new: bool = False) -> ProvenLine | str:
    """Return a line with its proof, or why it does not pass.

    Args:
        line: The line, with its slots filled or in capitals; for a line of a file, after the reference of its page (`OF_FILE`).
        question: The question, whose words need no proof.
        pages: The pages of the index; those that the line cites are added to `pages.evidence`.
        is_new: Whether nobody has tried the line, so that its options must visibly have their arguments.
    """
    if of_file := OF_FILE.fullmatch(line):
        return _of_file(of_file[1], of_file[2], pages)
    found = Explainer(pages, suggests=False).explain(LineQuestion(line, is_framed=False, options_only=False))
    if missing := [unknown for unknown in found.unknown if unknown not in found.named]:
        return missing[0]
    if faults := (*found.clashes, *(found.lacking if is_new else ())):
        return faults[0]
    if not found.commands and not found.parts:
        return "No page documents any part of it."
    spans = tuple(dict.fromkeys(span for step in (*found.summary, *found.steps) for span in step.spans))
    statement = DraftStatement("", line, spans, COMPOSED, found.data)
    missing = unstated_words(statement, pages.evidence, question)
    spans += tuple(dict.fromkeys(_places_of(missing, spans, pages)))
    statement = statement._replace(spans=spans)
    if verify(Draft((), (statement,)), pages.evidence, question).dropped:
        missing = unstated_words(statement, pages.evidence, question)
        return f"No page of the line has the words {', '.join(missing)}."
    steps = [
        step
        for step in found.steps
        if step.command[0] not in _OF_SHELL and not PLACEHOLDER.fullmatch(step.command)
    ]
    parts = (_as_stated(step, question, pages) for step in steps)
    return ProvenLine(statement, tuple(filter(None, parts)), tuple(found.summary))


def _of_file(reference: str, line: str, pages: CommandPages) -> ProvenLine | str:
    """Return a line of a file with its proof: the page about the file has each of its keys."""
    page = pages.page_at(reference)
    if page is None:
        return NO_PAGE.format(reference)
    parts, values = list[DraftStatement](), set[str]()
    for word in line.split():
        for piece in word.split(","):
            key, equals, value = piece.partition("=")
            values.update((word, value))
            if not _KEY.fullmatch(key) or PLACEHOLDER.fullmatch(key):
                continue
            span = page.place_of(key + equals) or page.place_of(key)
            if span is None:
                return f"{reference} does not have {key}."
            text = fold(page.document.text[span.start : span.end]).removeprefix(key + equals).strip()
            parts.append(DraftStatement(text, key, (span,)))
    spans = dict.fromkeys(span for part in parts for span in part.spans)
    statement = DraftStatement("", line, tuple(spans) or (page.summary,), COMPOSED, frozenset(values))
    about = fold(page.document.text[page.summary.start : page.summary.end])
    return ProvenLine(statement, tuple(parts), (DraftStatement(about, "", (page.summary,)),))


def _as_stated(part: DraftStatement, question: str, pages: CommandPages) -> DraftStatement | None:
    """Return a part of a line; without its value if that is neither stated nor in the question, such as a slot."""
    for command in (part.command, part.command.split()[0]):
        stated = part._replace(command=command)
        if is_in_words(stated, pages.evidence, fold(question)):
            return stated
    return None


def destroys(line: str) -> bool:
    """Return whether a line deletes, overwrites or ends something."""
    return _DESTROYS.search(line) is not None


def notes_on(lines: Iterable[str], left_out: Sequence[str] = (), values: Sequence[str] = ()) -> LineNotes:
    """Return notes on lines that name those that destroy something; the rest is as in `LineNotes`."""
    return LineNotes(tuple(left_out), tuple(values), tuple(filter(destroys, lines)))


def asks_to_destroy(question: str) -> bool:
    """Return whether a question may ask to delete, overwrite or end something."""
    return _ASKS_TO_DESTROY.search(question) is not None


def only_asks_to_see(question: str) -> bool:
    """Return whether a question asks to see something, and not to change, delete, overwrite or end anything."""
    if asks_fact(question):
        return True
    if not _ASKS_TO_SEE.search(question) or asks_to_destroy(question):
        return False
    return _CHANGES.isdisjoint(question.lower().split())


def changes(phrasings: Sequence[str]) -> bool:
    """Return whether phrasings of a task ask to change something, and none asks to see something.

    >>> changes(["change the message of the last commit", "fix the last commit"])
    True
    """
    begin = [said.split()[0] for said in phrasings]
    return not _CHANGES.isdisjoint(begin) and not any(map(_ASKS_TO_SEE.match, phrasings))


def _places_of(words: Sequence[str], spans: Sequence[Span], pages: CommandPages) -> Iterator[Span]:
    """Yield the places of words in the pages that a line cites."""
    cited = dict.fromkeys(span.evidence for span in spans)
    for word in words:
        pattern = re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])")
        places = ((at, pattern.search(pages.evidence[at].text)) for at in cited)
        yield from ((Span(at, found.start(), found.end(), "")) for at, found in places if found)
