"""Explain a command line part by part: commands, options, operands and shell operators, each with a quotation from its page."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from vademecum.command_lines.names import PREFIXES
from vademecum.command_lines.options import NONE, Form, Found, OptionTable
from vademecum.command_lines.pages import (
    TAKES_COMMANDS,
    CommandPage,
    CommandPages,
    sentence_under,
    sentence_with,
)
from vademecum.command_lines.questions import LONGEST_LINE, LineQuestion, is_option, tokens_of
from vademecum.command_lines.shell_words import expansion_of
from vademecum.command_lines.well_formed import clashes, without_argument
from vademecum.command_lines.words import OPERAND, OPTION, UNKNOWN, CommandReader, Part
from vademecum.core.evidence import DraftStatement, Span
from vademecum.text.patterns import Pattern
from vademecum.text.sentences import cut, fold
from vademecum.text.shell import WORD, Token, simple_commands
from vademecum.text.similar import closest

_LONGEST_ROW = 240

_LONGEST_MODE = 480

_MOST_SENTENCES = 2
"""The maximum number of options that are explained in sentences; more options become steps."""

_MOST_COMMANDS = 12

_MOST_ROWS = 60


_REMOTE = {"ssh": 1}
"""Commands that run another command elsewhere, as in `PREFIXES`."""

ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")

PLACEHOLDER = re.compile(r"[A-Z][A-Z_]+[0-9]?")
"""A word in capitals, which is replaced by another."""

_NOT_COMMANDS = frozenset({"for", "case", "select"})
"""Reserved words of the shell that are followed by names and words, not by a command."""

RESERVED = frozenset("if then else elif fi for while until do done case esac in { } ! [[ ]]".split())  # noqa: SIM905
"""Reserved words of the shell; a command may follow them."""

_SHELL = {
    "|": ("Pipelines", r"The standard output of command1[^.]*\."), "|&": ("Pipelines", r"If \|& is used[^.;]*[.;]"),
    "&&": ("Lists", r"command2 is executed if, and only if, command1 returns an exit status of zero[^.]*\."),
    "||": ("Lists", r"command2 is executed if, and only if, command1 returns a non-zero exit status[^.]*\."),
    ";": ("Lists", r"Commands separated by a ; are executed sequentially[^.;]*[.;]"),
    "&": ("Lists", r"If a command is terminated by the control operator &[^.]*\."), ">": ("Redirecting Output", ""), ">|": ("Redirecting Output", ""),
    ">>": ("Appending Redirected Output", ""), "<": ("Redirecting Input", ""), "<<": ("Here Documents", ""), "<<-": ("Here Documents", ""),
    "<<<": ("Here Strings", ""), "<(": ("Process Substitution", r"Process substitution allows[^.]*\."),
    ">(": ("Process Substitution", r"Process substitution allows[^.]*\."), "&>": ("Redirecting Standard Output and Standard Error", ""),
    "&>>": ("Appending Standard Output and Standard Error", ""), ">&": ("Duplicating File Descriptors", r"The operator\s+\[n\]>&word\s+is used[^.]*\."),
    "<&": ("Duplicating File Descriptors", r"The redirection operator\s+\[n\]<&word\s+is used[^.]*\."),
    "<>": ("Opening File Descriptors for Reading and Writing", ""), "$(": ("Command Substitution", ""),
    "Single Quotes": ("QUOTING", r"Enclosing characters in single quotes[^.]*\."), "Double Quotes": ("QUOTING", r"Enclosing characters in double quotes[^.]*\."),
    "=": ("PARAMETERS", r"A variable may be assigned to[^.]*\."),
}  # fmt: skip
"""For each operator, the heading in the shell's page that explains it and a pattern of the sentence; "" is its first two sentences."""

_SIGNALLED = 128
_EXIT_CODES = (
    (129, r"When a command terminates on a fatal signal[^.]*\."),
    (127, r"If a command is not found[^.]*\."),
    (126, r"If a command is found but is not executable[^.]*\."),
    (1, r"A non-zero exit status[^.]*\."),
    (0, r"For the shell's purposes, a command which exits with a zero[^.]*\."),
)
"""The exit status of a command that a signal ended, without the signal; and the words about exit codes from a number on."""

_MODES = (
    (re.compile(r"0?[0-7]{3,4}"), ("A numeric mode is", "The second digit selects")),
    (
        re.compile(r"[ugoa]*[-+=][rwxXstugo]*(?:,[ugoa]*[-+=][rwxXstugo]*)*"),
        ("A combination of the letters ugoa", "The operator +", "The letters rwxXst"),
    ),
)
"""Operands that are a mode, and the beginnings of the sentences that explain them."""

_SCRIPTED = frozenset({"sed", "awk", "gawk", "mawk"})
_SED = Pattern(
    r"(?:^|[;{\n]\s*)(?:(\d+|\$|/(?:\\.|[^/\\])*/)(?:,[^a-z/{]*(?:/(?:\\.|[^/\\])*/)?)?)?\s*!?\s*([a-zA-Z=])(?:(?<=[sy])([^\w\s])(?:\\.|(?!\3).)*\3(?:\\.|(?!\3).)*\3\w*)?",
    flags=0,
)
_AWK = Pattern(r'"(?:\\.|[^"\\])*"|/(?:\\.|[^/\\])*/', flags=0)
_WORD = Pattern(r"(?<![\w$])([A-Za-z]{2,})", flags=0)
"""Commands that take a script, the commands of a script of sed with their addresses, and what of a script of awk is text, and a word."""

_MANY = 5
"""The minimum number of sub-commands' pages that a page refers to if each of its sub-commands has a page."""

_DEVICE = re.compile(r"/dev/([a-z]+)$")

_SUBSTITUTION = re.compile(r"\$\(([^()]+)\)|`([^`]+)`")

_REFERENCE = re.compile(r"[\w.+-]+\(\d\w*\)")

_SIGNALS = "signal(7)"


class Explanation(NamedTuple):
    """The explanation of a line by manual pages.

    Attributes:
        parts: The number of explained parts, without the commands themselves.
        named: Those of `unknown` that the SYNOPSIS of a page has.
        clashes: Options that exclude each other, as sentences.
        lacking: Options that may lack an argument, as sentences.
        data: The words that are read as options with their values, or as operands.
    """

    summary: list[DraftStatement]
    steps: list[DraftStatement]
    unknown: list[str]
    parts: int
    commands: int
    named: frozenset[str] = frozenset()
    data: frozenset[str] = frozenset()
    clashes: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()


def program_of(token: Token) -> str:
    """Return the name of a command without its folder."""
    return token.value.rpartition("/")[2]


class Explainer:
    """Explains command lines with the pages of an index.

    Args:
        suggests: Whether to name what is nearest to an unknown option or sub-command.
    """

    def __init__(self, pages: CommandPages, *, suggests: bool = True) -> None:
        self._pages, self._suggests = pages, suggests
        self._summary: list[DraftStatement] = []
        self._steps: list[DraftStatement] = []
        self._unknown: list[str] = []
        self._referred: list[str] = []
        self._shown: set[tuple[int, int, str]] = set()
        self._named: set[str] = set()
        self._data: set[str] = set()
        self._clashes: list[str] = []
        self._lacking: list[str] = []
        self._parts = self._commands = 0
        self._options_only = False

    def explain(self, asked: LineQuestion) -> Explanation:
        """Explain a line. If it has several commands, each command is also a step."""
        tokens = tokens_of(asked.line)
        groups = simple_commands(tokens)
        self._is_single = len(groups) == 1
        self._options_only = asked.options_only
        self._groups(groups[:_MOST_COMMANDS])
        if len(asked.line) > LONGEST_LINE or len(groups) > _MOST_COMMANDS or len(self._steps) > _MOST_ROWS:
            self._unknown.append("The line is long; only its beginning is explained.")
        if asked.options_only and len(self._steps) <= _MOST_SENTENCES:
            self._summary, self._steps = self._steps, []
        return Explanation(
            self._summary,
            self._steps[:_MOST_ROWS],
            list(dict.fromkeys(self._unknown)),
            self._parts,
            self._commands,
            frozenset(self._named),
            frozenset(self._data),
            tuple(self._clashes),
            tuple(self._lacking),
        )

    def _groups(self, groups: Sequence[tuple[Token | None, Sequence[Token], Sequence[Token]]]) -> None:
        """Explain commands with the operators between them."""
        for operator, words, redirections in groups:
            if operator:
                self._shell_row(operator.value, operator.raw)
            if words:
                self._command(words)
            self._substitutions(words)
            for redirection in redirections:
                self._redirection(redirection)

    def explain_words(self, words: Sequence[str], page: CommandPage) -> Explanation:
        """Explain words of the shell (`2>&1`, `$?`, `${x:-y}`, an exit code) by its page."""
        for word in words:
            operator = re.sub(r"^\d+|\d+-?$| ?/dev/.*", "", word)
            is_parameter = re.fullmatch(r"\$[#?$!@*_0-]", word) is not None
            tag = expansion_of(word) or (word[1] if is_parameter else word)
            entries = (
                entry
                for entry in page.table.entries
                if (entry.tag == tag or entry.tag.startswith((f"{tag} ", f"{tag}\n")))
                and (not is_parameter or "Special" in entry.heading)
            )
            if word.isdigit():
                self._exit_code(int(word), page)
            elif word.startswith("SIG"):
                self._signal(Part(OPERAND, word))
            elif operator in _SHELL:
                self._shell_row(operator, "" if " " in word else word)
                self._device(word)
            elif self._pages.is_builtin(word) and (builtin := self._pages.page(word)):
                self._command_row(word, builtin, is_alone=False)
            elif entry := next(entries, None):
                self._entry_row(Part(OPTION, word, Found(entry, Form(tag, NONE))), page)
            else:
                self._shell_row(word, "")
        return Explanation(self._steps, [], [], len(self._steps), 0)

    def _exit_code(self, code: int, page: CommandPage) -> None:
        """Explain an exit code by the shell's words about it, and by the signal that it means."""
        words = next((words for least, words in _EXIT_CODES if code >= least), "")
        if span := sentence_under(page, "EXIT STATUS", words):
            self._row(str(code), span)
            self._parts += 1
        if code > _SIGNALLED:
            self._signal(Part(OPERAND, str(code - _SIGNALLED)))

    def _command(self, words: Sequence[Token], *, inner: bool = False) -> None:
        """Explain a command with its words; `inner` marks a command that another command runs."""
        if words and words[0].value in _NOT_COMMANDS:
            return
        while words and (words[0].value in RESERVED or ASSIGNMENT.match(words[0].value)):
            if words[0].value not in RESERVED and not inner:
                self._assignment(words[0])
            words = words[1:]
        if not words:
            return
        name = program_of(words[0])
        if PLACEHOLDER.fullmatch(name):
            return
        page = self._pages.page(name)
        is_prefix = name in PREFIXES
        if page is None:
            if not inner or re.fullmatch(r"[a-z][\w.+-]*", name):
                self._unknown.append(f"There is no manual page of {name[:40]} here.")
            if is_prefix:
                self._command(self._from_command(words[1:]), inner=True)
            return
        self._commands += 1
        parts, rest = self._reader(page, stops=True).read(words[1:])
        sub_page = self._pages.sub_page(page, rest[0].value) if rest and not is_prefix else None
        is_alone = self._is_single and not inner and not is_prefix
        self._command_row(
            words[0].raw, sub_page if sub_page and is_alone and not parts else page, is_alone=is_alone
        )
        self._rows(parts, page)
        if name in _REMOTE:
            self._is_single = self._is_single and len(rest) <= _REMOTE[name]
            line = " ".join(word.value for word in rest[_REMOTE[name] :])  # the other shell splits it again
            self._groups(simple_commands(tokens_of(line))[:_MOST_COMMANDS])
        elif is_prefix:
            self._prefixed(rest, PREFIXES[name])
        elif sub_page:
            self._sub_command(rest, sub_page, page, is_named=is_alone and not parts)
        elif rest:
            if page.has_sub_command(rest[0].value):
                named = page.table.get(rest[0].value)
                self._entry_row(Part(OPTION, rest[0].raw, named), page)
                rest = rest[1:]
                self._referred = _REFERENCE.findall(named.entry.tag) if named else []
            elif not parts and self._is_unknown_sub_command(rest[0].value, page):
                return
            self._rows(self._reader(page).read(rest)[0], page)

    def _assignment(self, word: Token) -> None:
        """Explain an assignment: by the entry of the shell's variable, or by the shell's words about assignments."""
        page = self._pages.shell()
        found = page.table.get(word.value.partition("=")[0]) if page else None
        if page and found:
            self._entry_row(Part(OPTION, word.raw, found), page)
        else:
            self._shell_row("=", word.raw)

    def _substitutions(self, words: Sequence[Token]) -> None:
        """Explain the commands whose output becomes part of a line."""
        for word in words:
            for found in _SUBSTITUTION.finditer(word.raw):
                inner = [token for token in tokens_of(found[1] or found[2]) if token.kind == WORD]
                self._shell_row("$(", "$(" if found[1] else "`")
                self._command(inner, inner=True)

    def _from_command(self, words: Sequence[Token]) -> Sequence[Token]:
        """Return the words from the first one that is a command with a page."""
        for at, word in enumerate(words):
            if not is_option(word) and self._pages.page(program_of(word)):
                return words[at:]
        return ()

    def _prefixed(self, rest: Sequence[Token], operands: int) -> None:
        while rest and ASSIGNMENT.match(rest[0].value):
            rest = rest[1:]
        self._command(rest[operands:], inner=True)

    def _sub_command(
        self, rest: Sequence[Token], page: CommandPage, parent: CommandPage, *, is_named: bool
    ) -> None:
        """Explain a sub-command that has its own page, and the words after it, which may be another sub-command."""
        self._parts += 1
        if not is_named:
            self._command_row(rest[0].raw, page, is_alone=False)
        parts, after = self._reader(page, stops=True).read(rest[1:])
        self._rows(parts, page, parent)
        if after and (deeper := self._pages.sub_page(page, after[0].value)):
            self._sub_command(after, deeper, page, is_named=False)
            return
        keywords = None
        if after and (section := page.section_of(after[0].value)):
            self._row(after[0].raw, section.title)
            self._parts += 1
            keywords, after = section.keywords, after[1:]
        elif after and page.has_sub_command(after[0].value):
            self._entry_row(Part(OPTION, after[0].raw, page.table.get(after[0].value)), page)
            after = after[1:]
        self._rows(self._reader(page, keywords=keywords).read(after)[0], page, parent)

    @staticmethod
    def _reader(
        page: CommandPage, *, stops: bool = False, keywords: OptionTable | None = None
    ) -> CommandReader:
        bundles = stops and page.bundles_bare_letters
        return CommandReader(
            page.table, bundles_bare_letters=bundles, stops_at_operand=stops, keywords=keywords
        )

    def _command_row(self, typed: str, page: CommandPage, *, is_alone: bool) -> None:
        span = page.summary
        end = cut(page.document.text, span.start, span.end, _LONGEST_ROW)
        span = span._replace(end=end)
        text = fold(page.document.text[span.start : end])
        if self._options_only:
            return
        if is_alone:
            self._summary.append(DraftStatement(text, "", (span,)))
        else:
            self._steps.append(DraftStatement(text, typed, (span,)))

    def _rows(self, parts: Sequence[Part], page: CommandPage, parent: CommandPage | None = None) -> None:
        self._clashes += clashes(parts, page)
        self._lacking += without_argument(parts)
        takes_command = TAKES_COMMANDS.search(page.synopsis) is not None
        operands = [part for part in parts if part.kind == OPERAND]
        for part in parts:
            if part.kind != OPERAND or part is not operands[0] or not takes_command:
                self._data.update(part.typed.split())
            if part.kind == OPERAND:
                self._operand(part, page)
            elif part.kind == UNKNOWN:
                self._unknown_option(part, page, parent)
            else:
                self._entry_row(part, page)
                if page.name == "sed" and part.typed[:2] == "-e":
                    self._script(part.value, page)
                if part.command:
                    self._is_single = False
                    self._command(part.command, inner=True)

    def _entry_row(self, part: Part, page: CommandPage) -> None:
        assert part.found is not None  # noqa: S101 - parts that are explained have an entry
        entry, text = part.found.entry, page.document.text
        self._parts += 1
        row = (page.position, entry.start, part.typed)
        if row in self._shown:
            return
        self._shown.add(row)
        body = entry.tag_end
        while body < entry.end and text[body].isspace():
            body += 1
        inner = (other.start for other in page.table.entries if body < other.start < entry.end)
        last = len(text[: min(inner, default=entry.end)].rstrip())
        end = cut(text, body, last, _LONGEST_ROW) if body < last else entry.tag_end
        span = Span(page.position, entry.start, end, entry.anchor)
        self._steps.append(DraftStatement(fold(text[body:end]), fold(part.typed), (span,)))
        if part.found.form.name.startswith("-") and re.search(r"\bsignal", entry.tag, re.IGNORECASE):
            self._signal(part)

    def _unknown_option(self, part: Part, page: CommandPage, parent: CommandPage | None) -> None:
        referred = map(self._pages.page_at, self._referred)
        for candidate in (page, parent, *referred):
            if candidate is None:
                continue
            if (found := candidate.table.get(part.typed)) is not None:
                self._entry_row(part._replace(found=found), candidate)
                return
            if span := candidate.line_of(part.typed):
                self._row(part.typed, span)
                self._parts += 1
                return
        reference = page.document.reference
        if page.names(part.typed):
            self._unknown.append(f"{reference} names {part.typed}, and does not explain it.")
            if page.shows(part.typed):
                self._named.add(self._unknown[-1])
            return
        long = (name for name in page.table.names() if name.startswith("--"))
        similar = closest(part.typed, long) if self._suggests and part.typed.startswith("--") else ""
        nearest = f" The nearest is {similar}." if similar else ""
        owner = f"{page.name} in {reference}" if page.is_builtin else reference
        self._unknown.append(f"{owner} has no option {part.typed[:40]}.{nearest}")

    def _is_unknown_sub_command(self, word: str, page: CommandPage) -> bool:
        """Return whether a command with many pages of sub-commands has none of this name, and report it."""
        pattern = rf"(?<![\w-]){re.escape(page.name)}-([\w-]+)\(\d"
        known = set(re.findall(pattern, page.document.text))
        if (
            len(known) < _MANY
            or word in known
            or word in page.synopsis.split()
            or page.table.get(word)
            or not re.fullmatch(r"[a-z][\w-]*", word)
        ):
            return False
        similar = closest(word, sorted(known)) if self._suggests else ""
        nearest = f" The nearest is {similar}." if similar else ""
        self._unknown.append(f"{page.document.reference} has no sub-command {word[:40]}.{nearest}")
        return True

    def _operand(self, part: Part, page: CommandPage) -> None:
        """Explain an operand: a mode by the sentences about its characters, and a device by its own page."""
        self._device(part.typed)
        if page.name in _SCRIPTED and part.typed[:1] in "'\"":
            self._script(part.typed[1:-1], page)
        for shape, beginnings in _MODES:
            if shape.fullmatch(part.typed.strip("'\"")):
                spans = [span for beginning in beginnings if (span := sentence_with(page, beginning))]
                if spans:
                    self._row(part.typed, *spans, longest=_LONGEST_MODE)
                    self._parts += 1
                    return

    def _script(self, script: str, page: CommandPage) -> None:
        """Explain the commands of a script of sed, or the words of a script of awk, by their entries."""
        typed = _AWK.sub(r" ", script) if page.document.reference.endswith("awk(1)") else script
        for found in (_SED if page.name == "sed" else _WORD).finditer(typed):
            for word in filter(None, found.groups()[:2]):
                kind = "/regexp/" if word[0] == "/" else "number" if word.isdigit() else word
                entries = (
                    entry
                    for entry in page.table.entries
                    if re.match(rf"{re.escape(kind)}(?![a-z])", entry.tag)
                )
                if entry := next(entries, None):
                    self._entry_row(Part(OPTION, word, Found(entry, Form(entry.tag, NONE))), page)

    def _device(self, word: str) -> None:
        """Explain device files such as `/dev/null`."""
        found = _DEVICE.search(word)
        page = self._pages.page_at(f"{found[1]}(4)") if found else None
        if found and page and not self._options_only:
            self._command_row(found[0], page, is_alone=False)
            self._parts += 1

    def _signal(self, part: Part) -> None:
        """Return the row of the table of signals for a number or name."""
        value = (part.value or part.typed.lstrip("-")).upper().removeprefix("SIG")
        page = self._pages.page_at(_SIGNALS)
        if page is None or not re.fullmatch(r"\d{1,2}|[A-Z]{3,6}[12]?", value):
            return
        text = page.document.text
        if value.isdigit():
            row = re.search(rf"^SIG([A-Z0-9]+)(?:\s+{int(value)})(?=\s|$)", text, re.MULTILINE)
            value = row[1] if row else ""
        row = re.search(rf"^SIG{value}\s.*[a-z].*$", text, re.MULTILINE) if value else None
        if row:
            self._row(f"SIG{value}", Span(page.position, row.start(), row.end(), ""))

    def _redirection(self, token: Token) -> None:
        operator = re.sub(r"^\d+|\d+-?$|-$", "", token.value)
        self._shell_row(operator, token.raw)
        self._device(token.raw)

    def _shell_row(self, operator: str, typed: str) -> None:
        page = self._pages.shell()
        heading, words = _SHELL.get(operator, (operator, ""))
        if page is not None and (span := sentence_under(page, heading, words)):
            self._row(typed, span, longest=_LONGEST_MODE)
            self._parts += 1

    def _row(self, typed: str, *spans: Span, longest: int = _LONGEST_ROW) -> None:
        """Add a step with the words of some spans."""
        cut_spans = []
        for span in spans:
            text = self._pages.evidence[span.evidence].text
            cut_spans.append(span._replace(end=cut(text, span.start, span.end, longest)))
        words = " ".join(
            fold(self._pages.evidence[span.evidence].text[span.start : span.end]) for span in cut_spans
        )
        self._steps.append(DraftStatement(words, fold(typed), tuple(cut_spans)))
