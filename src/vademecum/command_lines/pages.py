"""Option tables of the manual pages of commands, for explaining command lines."""

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from vademecum.command_lines.names import PREFIXES, absent_format, commands_named, product_in, well_known
from vademecum.command_lines.options import OptionEntry, OptionTable, forms_of
from vademecum.core.evidence import Evidence, Span
from vademecum.core.passages import SECTION
from vademecum.index.reader.evidence import evidence_at, heading_span
from vademecum.index.reader.index import Index
from vademecum.retrieval.english import english
from vademecum.text.patterns import Pattern
from vademecum.text.sentences import sentences
from vademecum.text.words import number, stem

_SECTIONS = "186"
_HELP = "help"
"""The section of what programs print for `--help`, which is used where there is no manual page."""

"""The sections of the manual that contain commands, best first."""

_NOT_DECLARED_IN = frozenset(
    {
        "ENVIRONMENT",
        "ENVIRONMENT VARIABLES",
        "FILES",
        "RETURN VALUE",
        "EXIT STATUS",
        "EXIT CODES",
        "SEE ALSO",
        "DIAGNOSTICS",
        "BUGS",
        "HISTORY",
        "NAME",
    }
)
_EXAMPLES = "EXAMPLE"
"""Sections whose entries are not typed."""

_WORDS_OF_A_ROW = 4
"""The minimum number of spaces between an option in a SYNOPSIS and its explanation on the same line."""

_BUILTINS = "bash(1)"
_NAME = Pattern(r"[\w+\[][\w.+:-]*", re.ASCII)
_BUILTIN_NAMES = frozenset(
    """. : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo enable eval
    exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read readarray
    readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias unset wait""".split()  # noqa: SIM905
)
_AROUND = ".,;:?!'\"`()[]"
NO_PAGE = "There is no manual page of {} here."
_RARE_IN_ENGLISH = 3e-4
"""The maximum share of windows of English text that contain a word if the word is a name."""

_BUILTIN_SECTION = "SHELL BUILTIN COMMANDS"
_BARE_LETTERS = Pattern(r"\s\{[A-Za-z](?:\|[A-Za-z])+\}\[?[A-Za-z]|\[-\]", flags=0)
_WITHOUT_DASH = Pattern(r"(?:must not be used with|without) a (?:leading )?(?:dash|hyphen)", flags=0)

_BUNDLES = Pattern(r"\[ ?-([A-Za-z]{2,})(?=[\[\]: ])", flags=0)
TAKES_COMMANDS = Pattern(r"\b(?:sub-?commands?|COMMAND|command|OBJECT|action|ACTION|verb|VERB)\b", flags=0)


class CommandSection(NamedTuple):
    """A section about one sub-command: the position of its heading, and its entries."""

    title: Span
    keywords: OptionTable


class CommandPage(NamedTuple):
    """The manual page of a command.

    Attributes:
        summary: The position of its NAME line, or of the first sentence about a shell built-in.
        is_builtin: Whether it is a shell built-in, documented in the shell's page.
    """

    name: str
    document: Evidence
    position: int
    table: OptionTable
    summary: Span
    synopsis: str
    is_builtin: bool

    @property
    def bundles_bare_letters(self) -> bool:
        """Return whether options may be given without a dash, as shown in the SYNOPSIS (tar, ar) or stated in the text (ps)."""
        return (
            _BARE_LETTERS.search(self.synopsis) is not None
            or _WITHOUT_DASH.search(self.document.text) is not None
        )

    def has_sub_command(self, word: str) -> bool:
        """Return whether one of its entries is a sub-command of this name."""
        found = self.table.get(word)
        return found is not None and _is_sub_command(word, found.entry.heading, self.synopsis)

    def section_of(self, word: str) -> "CommandSection | None":
        """Return the section (`ip address show - look at ...`) or the entry (`ip route add`) about a sub-command."""
        for path in dict.fromkeys(passage.heading for passage in self.document.passages):
            title = path.rpartition(" > ")[2]
            names = title.partition(" - ")[0].split()
            if len(names) > 1 and " - " in title and word in names[1:]:
                start = self.document.text.find(f"\n{title}\n") + 1
                if start:
                    inside = [entry for entry in self.table.entries if entry.heading == path]
                    return CommandSection(
                        Span(self.position, start, start + len(title), ""), OptionTable(inside)
                    )
        for entry in self.table.entries:
            words = entry.tag.split()
            if len(words) > 2 and words[0] == self.name.partition("-")[0] and word in words[2:]:
                return CommandSection(Span(self.position, entry.start, entry.end, entry.anchor), self.table)
        return None

    def place_of(self, key: str) -> Span | None:
        """Return the position of the entry of a key of a file, up to its first sentence, or of the first sentence with it."""
        text = self.document.text
        if found := self.table.get(key):
            entry = found.entry
            _, end = next(sentences(text, entry.tag_end, entry.end), (0, entry.tag_end))
            return Span(self.position, entry.start, end, entry.anchor)
        place = re.search(rf"(?<![\w-]){re.escape(key)}(?![\w-])", text)
        if place is None:
            return None
        start, end = text.rfind("\n", 0, place.start()) + 1, text.find("\n", place.end())
        for first, last in sentences(text, start, end if end >= 0 else len(text)):
            if first <= place.start() < last:
                return Span(self.position, first, last, "")
        return None

    def line_of(self, option: str) -> Span | None:
        """Return the position of the text about an option without an entry: a line that begins with it, or a sentence with it."""
        text = self.document.text
        synopsis = text.find(self.synopsis) if self.synopsis else -1
        for found in re.finditer(rf"(?<![\w-]){re.escape(option)}(?![\w-])", text):
            line_start = text.rfind("\n", 0, found.start()) + 1
            line_end = text.find("\n", found.end())
            line_end = len(text) if line_end < 0 else line_end
            if synopsis <= found.start() < synopsis + len(self.synopsis):
                if (
                    not re.match(r"\s*-", text[line_start:line_end])
                    or text[line_start:line_end].count(" ") < _WORDS_OF_A_ROW
                ):
                    continue
                return Span(self.position, line_start, line_end, "")
            for start, end in sentences(text, line_start, line_end):
                if start <= found.start() < end and end - found.end() > len(option) + 8:
                    return Span(self.position, start, end, "")
        return None

    def names(self, option: str) -> bool:
        """Return whether an option occurs anywhere in the page."""
        return _occurs(option, self.document.text) or self.shows(option)

    def shows(self, option: str) -> bool:
        """Return whether the SYNOPSIS has an option, or its letters behind one dash (`[-pna]`)."""
        letters = {letter for bundle in _BUNDLES.findall(self.synopsis) for letter in bundle}
        return _occurs(option, self.synopsis) or (option[:2] != "--" and letters.issuperset(option[1:]))


class CommandPages:
    """Finds the pages of commands in an index, and reads each one once.

    Attributes:
        evidence: The documents that were read, in the order in which citations number them.
    """

    def __init__(self, index: Index) -> None:
        self._index = index
        self._pages: dict[str, CommandPage | None] = {}
        self.evidence: list[Evidence] = []

    def page(self, name: str) -> CommandPage | None:
        """Return the page of a command or a shell built-in; None if there is none."""
        if name not in self._pages:
            self._pages[name] = self._read(name)
        return self._pages[name]

    def has(self, name: str) -> bool:
        """Return whether a command or a shell built-in of this name has a page, without reading it."""
        return name in _BUILTIN_NAMES or bool(self._references(name))

    def is_builtin(self, name: str) -> bool:
        """Return whether a name is that of a shell built-in without a page of its own."""
        return name in _BUILTIN_NAMES and not self._references(name)

    def sub_page(self, parent: CommandPage, word: str) -> CommandPage | None:
        """Return the page of a sub-command (`git-log(1)` for `log`), also for an unambiguous or shortest prefix (`ip a`)."""
        if not re.fullmatch(r"[a-z][\w-]*", word) or parent.is_builtin:
            return None
        for joined in (f"{parent.name}-{word}", f"{parent.name}_{word}"):
            if page := self.page(joined):
                return page
        if "OBJECT" not in parent.synopsis:
            return None
        prefix = f"{parent.name}-{word}"
        names = [link.partition("(")[0] for link in self._links(parent) if link.startswith(prefix)]
        return self.page(min(names, key=len)) if names else None

    def shell(self) -> CommandPage | None:
        """Return the page of the shell, which explains operators and redirections."""
        return self.page(_BUILTINS.partition("(")[0])

    def page_at(self, reference: str) -> CommandPage | None:
        """Return the page with exactly this reference (`signal(7)`)."""
        if not self._index.named(reference):
            return None
        return self._of_document(reference.partition("(")[0], reference)

    def is_absent(self, name: str) -> bool:
        """Return whether a name is a command without a page here: a known command, or not a word of anything else."""
        if not _NAME.fullmatch(name) or self.page(name):
            return False
        if self.is_known_elsewhere(name):
            return True
        return name.islower() and english().share(number(stem(name))) == 0.0

    def is_known_elsewhere(self, name: str) -> bool:
        """Return whether a command is known but has no page here: other pages refer to it, or it is widely used."""
        if not _NAME.fullmatch(name) or self._index.named(name):
            return False
        references = (f"{name}({section})" for section in _SECTIONS)
        return name in well_known() or any(map(self._index.pointed_to, references))

    def absent_in(self, text: str) -> tuple[str, str]:
        """Return the command or file that a question is about and that has no page here, and a sentence about it; otherwise ""."""
        words = (word.strip(_AROUND).removesuffix("'s") for word in text.split())
        names = commands_named(text) if any(map(self._is_known_at_all, words)) else ()
        for name, may_be_english in names:
            for known in (name, name.lower()):
                is_meant = may_be_english or not is_english(name)
                if is_meant and self.is_known_elsewhere(known) and not self._only_runs(known, text):
                    return known, NO_PAGE.format(known)
        if (product := product_in(text)) and not self._index.named(product):
            return product, f"{product} is not documented here."
        if file := absent_format(text, self._is_named):
            return file, f"There is no manual page on the format of {file} here."
        return "", ""

    def _is_known_at_all(self, name: str) -> bool:
        return self.is_known_elsewhere(name) or self.is_known_elsewhere(name.lower())

    def absent_program(self, text: str, shown: str) -> str:
        """Return a well-known program without a page here that a text mentions and that what is shown does not; "" if there is none."""
        names = dict.fromkeys(re.findall(r"[a-z][\w+-]*", text.lower()))
        return next(
            (
                name
                for name in names
                if name in well_known()
                and not re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", shown, re.IGNORECASE)
                and not is_english(name)
                and self.is_known_elsewhere(name)
                and not self._only_runs(name, text)
            ),
            "",
        )

    def _only_runs(self, name: str, text: str) -> bool:
        """Return whether a command only runs another one that has a page, which the text is then about (`sudo systemctl`)."""
        found = re.search(rf"(?<![\w-]){re.escape(name)} (\w[\w.-]*)", text)
        return name in PREFIXES and found is not None and self.has(found[1])

    def _is_named(self, name: str) -> bool:
        """Return whether a document is named after a file, or mentions it."""
        stem_of_name = name.partition(".")[0]
        if any(self._index.named(f"{file}(5)") for file in (name, stem_of_name) if file) or self._index.named(
            name
        ):
            return True
        return self._index.frequency(number(name.lower())) > 0

    def _links(self, page: CommandPage) -> tuple[str, ...]:
        places = self._index.named(page.document.reference)
        return self._index.page(places[0]).links if places else ()

    def _references(self, name: str) -> list[str]:
        """Yield the references of a command's pages, best first."""
        if not _NAME.fullmatch(name):
            return []
        found = []
        for place in self._index.named(name):
            page = self._index.page(place)
            section = page.reference.rpartition("(")[2].rstrip(")")
            order = [*_SECTIONS, _HELP]
            kind = section if section == _HELP else section[:1]
            if kind in order:
                named = any(known.partition("(")[0] == name for known in page.names)
                found.append((not named, order.index(kind), section, page.reference))
        return [reference for *_, reference in sorted(found)]

    def _read(self, name: str) -> CommandPage | None:
        references = self._references(name)
        if references:
            return self._of_document(name, references[0])
        return self._builtin(name)

    def _of_document(self, name: str, reference: str) -> CommandPage:
        position, document, entries = self._document(reference)
        synopsis, summary = "", None
        for kind, start, end, heading in self._sections(document):
            top = heading.upper().partition(" > ")[0]
            if kind == SECTION and top == "SYNOPSIS":
                synopsis = (
                    document.text[start:end] if not synopsis else f"{synopsis}\n{document.text[start:end]}"
                )
            if kind == SECTION and top == "NAME" and summary is None:
                summary = Span(position, start, end, "NAME")
        if summary is None and document.summary and (at := document.text.find(document.summary)) >= 0:
            summary = Span(position, at, at + len(document.summary), "")
        if summary is None:  # a page without NAME is summarised by its first sentence
            described = (section for section in self._sections(document) if section[3].upper() != "SYNOPSIS")
            _, start, end, _ = next(described, (0, 0, len(document.text), ""))
            summary = Span(position, *next(sentences(document.text, start, end), (start, start + 1)), "")
        return CommandPage(
            name, document, position, OptionTable(entries), summary, synopsis, is_builtin=False
        )

    def _sections(self, document: Evidence) -> list[tuple[int, int, int, str]]:
        return [(passage.kind, passage.start, passage.end, passage.heading) for passage in document.passages]

    def _builtin(self, name: str) -> CommandPage | None:
        if name not in _BUILTIN_NAMES or not self._index.named(_BUILTINS):
            return None
        position, document, _ = self._document(_BUILTINS)
        builtins = [
            builtin for builtin in self._shell_entries if builtin.heading.upper().startswith(_BUILTIN_SECTION)
        ]
        commands = [
            builtin
            for builtin in builtins
            if re.match(r"[a-z:.\[]", builtin.tag) and not _is_value(builtin, builtins)
        ]
        for at, entry in enumerate(commands):
            if name in (form.split(" ")[0] for form in entry.tag.splitlines()):
                end = commands[at + 1].start if at + 1 < len(commands) else entry.end
                options = [builtin for builtin in builtins if entry.start < builtin.start < end]
                body = next(sentences(document.text, entry.tag_end, max(entry.end, entry.tag_end + 1)), None)
                if body is None:
                    return None
                summary = Span(position, *body, entry.anchor)
                return CommandPage(
                    name, document, position, OptionTable(options), summary, entry.tag, is_builtin=True
                )
        return None

    @cached_property
    def _shell_entries(self) -> list[OptionEntry]:
        return self._document(_BUILTINS)[2]

    def _document(self, reference: str) -> tuple[int, Evidence, list[OptionEntry]]:
        """Return a document's position among the cited ones, its text, and its entries."""
        for position, known in enumerate(self.evidence):
            if known.reference == reference:
                return position, known, entries_of(known)
        document = evidence_at(self._index.named(reference)[0], self._index)
        self.evidence.append(document)
        return len(self.evidence) - 1, document, entries_of(document)


def _occurs(option: str, text: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", text) is not None


def is_english(name: str) -> bool:
    """Return whether a name is also a word of general English."""
    return english().share(number(stem(name.lower()))) > _RARE_IN_ENGLISH


def _is_value(entry: OptionEntry, entries: Sequence[OptionEntry]) -> bool:
    """Return whether an entry is nested in another."""
    return any(other.start < entry.start < other.end for other in entries)


def entries_of(document: Evidence) -> list[OptionEntry]:
    """Return the entries of a page that declare something to type."""
    found = []
    is_of_file = document.reference.endswith("(5)")
    for passage in document.passages:
        heading = passage.heading.upper().partition(" > ")[0]
        if (
            heading in _NOT_DECLARED_IN and not (is_of_file and heading == "ENVIRONMENT")
        ) or heading.startswith(_EXAMPLES):
            continue
        start, tag_end = passage.start, passage.tag_end
        if passage.kind == SECTION:  # some pages give each option a heading
            is_option = passage.heading.rpartition(" > ")[2].startswith("-")
            span = heading_span(document, passage) if is_option else None
            if span is None:
                continue
            start, tag_end = span
        tag = document.text[start:tag_end]
        found.append(
            OptionEntry(start, tag_end, passage.end, passage.heading, passage.anchor, tag, forms_of(tag))
        )
    return found


def sentence_with(page: CommandPage, words: str) -> Span | None:
    """Return the sentence that begins with some words."""
    text = page.document.text
    start = text.find(words)
    if start < 0:
        return None
    line_end = text.find("\n", start)
    first = next(sentences(text, start, line_end if line_end >= 0 else len(text)))
    return Span(page.position, *first, "")


def sentence_under(page: CommandPage, heading: str, pattern: str) -> Span | None:
    """Return the first two sentences under a heading, or the first match of a pattern there."""
    text = page.document.text
    for passage in page.document.passages:
        if passage.heading.rpartition(" > ")[2].lower() != heading.lower():
            continue
        if not pattern:
            first, *others = islice(sentences(text, passage.start, passage.end), 2)
            return Span(page.position, first[0], (*others, first)[0][1], passage.anchor)
        if found := re.compile(pattern).search(text, passage.start, passage.end):
            return Span(page.position, *found.span(), passage.anchor)
    return None


def _is_sub_command(word: str, heading: str, synopsis: str) -> bool:
    """Return whether an entry is a sub-command: it is in a section about commands, or the SYNOPSIS has an operand for it."""
    if not re.fullmatch(r"[a-z][\w-]+", word):
        return False
    has_place = TAKES_COMMANDS.search(synopsis) or re.search(
        rf"(?<![\w-]){re.escape(word)}(?![\w-])", synopsis
    )
    return "COMMAND" in heading.upper() or has_place is not None
