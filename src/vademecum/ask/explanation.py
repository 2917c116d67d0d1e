"""Answer a question about a command line from its manual pages. Nothing is ranked, guessed or run."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from vademecum.ask.kinds import Corpus, Limits, Rated
from vademecum.command_lines.gate import notes_on
from vademecum.command_lines.names import PREFIXES
from vademecum.command_lines.pages import CommandPage, CommandPages
from vademecum.command_lines.questions import (
    EXPLAIN,
    LONGEST_LINE,
    LineQuestion,
    framed_lines,
    is_option,
    named_options,
    reads_as_line,
    tokens_of,
)
from vademecum.command_lines.shell_words import own_words, shell_headings, shell_words
from vademecum.core.answers import LineNotes, Reference
from vademecum.core.evidence import Draft, Evidence
from vademecum.core.trace import Json
from vademecum.retrieval.question.question import Question, analyse
from vademecum.text.patterns import Pattern
from vademecum.text.shell import WORD, Token

if TYPE_CHECKING:
    from vademecum.ask.hits import SourcedHit
    from vademecum.ask.manuals.pages import RatedPages
from vademecum.command_lines.explainer import ASSIGNMENT, RESERVED, Explainer, Explanation, program_of

_QUOTED = Pattern(r"'[^']*'", flags=0)
_SURE = 0.97
"""The confidence if every part is explained; otherwise their share of it."""


class ExplainedLine(Rated):
    """A command line, explained by manual pages."""

    least_guess: ClassVar[float] = 0.01
    confidence: float
    reasons: Sequence[str]
    absent = ""
    """The command or file that the question is about and that has no page."""

    def __init__(
        self, text: str, asked: LineQuestion, corpus: Corpus, pages: CommandPages, found: Explanation
    ) -> None:
        self.text, self.asked, self._corpus, self._pages, self._found = text, asked, corpus, pages, found
        self.question: Question = analyse(text, corpus.index)
        self.index, self.threshold, self.sources = corpus.index, corpus.threshold, (corpus.source,)
        is_answered = bool(found.parts or (found.commands and not found.unknown))
        known = found.parts + found.commands
        share = known / (known + len(found.unknown)) if is_answered else 0.0
        self.confidence = self.answerability = _SURE * share
        self.reasons = tuple(found.unknown)

    @property
    def in_own_words(self) -> bool:
        """See `Rated`."""
        return True

    @property
    def found(self) -> bool:
        """See `Rated`."""
        return True

    def evidence(self, limits: Limits) -> tuple[list[Evidence], list[str]]:  # noqa: ARG002 - limits are those of running text
        """See `Rated`."""
        documents = self._pages.evidence
        return documents, [document.reference for document in documents]

    def draft(self, evidence: Sequence[Evidence]) -> Draft:  # noqa: ARG002 - what is drafted was read from it
        """See `Rated`."""
        if self.confidence < self.least_guess:
            return Draft((), ())
        steps = sorted(self._found.steps, key=lambda step: step.command.split(" ")[0] not in self.asked.asked)
        return Draft(tuple(self._found.summary), tuple(steps))

    def nearest(self, most: int) -> list[tuple[str, Reference]]:
        """See `Rated`."""
        return self._ranked().nearest(most)

    def passages(self) -> "Iterator[SourcedHit]":
        """See `Rated`."""
        return self._ranked().passages()

    def lacking(self) -> tuple[str, ...]:
        """See `Rated`."""
        return tuple(self._found.unknown)

    def notes(self) -> LineNotes:
        """See `Rated`."""
        return notes_on([self.asked.line])

    def retrieved(self) -> dict[str, Json]:
        """See `Rated`."""
        return {"pages": [document.reference for document in self._pages.evidence]}

    def evaluated(self) -> dict[str, Json]:
        """See `Rated`."""
        return {
            "line": self.asked.line,
            "commands": self._found.commands,
            "explained": self._found.parts,
            "unknown": list(self._found.unknown),
        }

    def _ranked(self) -> "RatedPages":
        from vademecum.ask.manuals.pages import rate_pages  # noqa: PLC0415 - a line that is explained needs none of it

        return rate_pages(self.text, self._corpus)


def explained(text: str, corpora: Sequence[Corpus]) -> ExplainedLine | None:
    """Return the explanation of the command line in a text; None if the text is another kind of question."""
    for corpus in corpora:
        for part in corpus.index.parts() or [corpus.index]:
            if part.method != "documents" and (
                found := _explained(text, Corpus(part, corpus.threshold, corpus.source, corpus.site))
            ):
                return found
    return None


def _explained(text: str, corpus: Corpus) -> ExplainedLine | None:
    pages = CommandPages(corpus.index)
    asked = _line_in(text, pages)
    if asked is not None:
        found = Explainer(pages).explain(asked)
        return ExplainedLine(text, asked, corpus, pages, _with_own_words(found, text, asked.line, pages))
    headings = shell_headings(text[:LONGEST_LINE])
    words = headings or shell_words(text[:LONGEST_LINE])
    is_own = bool(headings) or any(
        not word.isalpha() or word.isupper() or pages.is_builtin(word) for word in words
    )
    if is_own and (shell := pages.shell()) and (found := Explainer(pages).explain_words(words, shell)).parts:
        line = LineQuestion(" ".join(words), is_framed=True, options_only=True)
        return ExplainedLine(text, line, corpus, pages, found)
    absent, reason = pages.absent_in(text[:LONGEST_LINE])
    if not absent:
        return None
    nothing = LineQuestion("", is_framed=False, options_only=False)
    refusal = ExplainedLine(text, nothing, corpus, pages, Explanation([], [], [reason], 0, 0))
    refusal.absent = absent
    return refusal


def _with_own_words(found: Explanation, text: str, line: str, pages: CommandPages) -> Explanation:
    """Return an explanation that also has the shell's own words in the line; those that the words around it name come first."""
    around = text.replace(line, " ", 1)
    there = [step.command for step in found.steps]
    own = [
        word for word in own_words(_QUOTED.sub(" ", line)) if not any(part.startswith(word) for part in there)
    ]
    if not own or not (shell := pages.shell()):
        return found
    asked = sorted(own, key=lambda word: word not in around)
    steps = Explainer(pages).explain_words(asked, shell).summary
    first = [step for step in steps if step.command in around]
    rest = [step for step in steps if step.command not in around]
    return found._replace(steps=[*first, *found.steps, *rest], parts=found.parts + len(steps))


def _line_in(text: str, pages: CommandPages) -> LineQuestion | None:
    """Return the command line in a text, or None."""

    def is_command(name: str) -> bool:
        command, _, word = name.partition(" ")
        if word:
            page = pages.page(command)
            return page is not None and _knows(page, word, pages)
        return name in PREFIXES or pages.has(name)

    candidates = framed_lines(text[: len(EXPLAIN) + LONGEST_LINE + 1], is_command)
    whole = LineQuestion(text, is_framed=False, options_only=False)
    for candidate in sorted([whole, *candidates], key=lambda one: not one.is_framed):
        tokens = tokens_of(candidate.line)
        words = [token.value for token in tokens if token.kind == WORD]
        if words and _is_line(tokens, pages, candidate):
            return candidate
    named = named_options(text)
    if named and (found := Explainer(pages).explain(named)).unknown and not found.parts and found.commands:
        return named
    return None


def _is_line(tokens: list[Token], pages: CommandPages, asked: LineQuestion) -> bool:
    """Return whether tokens are a command line: its command has a page, or it is absent and has options."""
    if asked.is_certain:
        return True
    words = given = [token for token in tokens if token.kind == WORD]
    while len(words) > 1 and (ASSIGNMENT.match(words[0].raw) or words[0].value in PREFIXES):
        last, *words = words[PREFIXES.get(words[0].value, 0) :] or words[-1:]
        tokens = tokens[tokens.index(last) + 1 :]
    if not words or is_option(words[0]):
        return bool(words) and len(words) < len(given)
    name = program_of(words[0])

    def is_keyword(word: str) -> bool:
        page = pages.page(name)
        return page is not None and _knows(page, word, pages)

    if not reads_as_line(tokens, is_keyword, is_framed=asked.is_framed):
        return False
    return (
        pages.page(name) is not None
        or name in RESERVED
        or (len(words) > 1 and is_option(words[1]) and pages.is_absent(name))
    )


def _knows(page: CommandPage, word: str, pages: CommandPages) -> bool:
    """Return whether a page declares a word without dashes as a sub-command, or as letters that are options."""
    if page.has_sub_command(word) or (not page.is_builtin and pages.sub_page(page, word)):
        return page.table.get(f"--{word}") is None
    if not page.bundles_bare_letters or not word.isalpha() or len(set(word)) < len(word):
        return False
    return all(page.table.get(letter) or page.table.get(f"-{letter}") for letter in word)
