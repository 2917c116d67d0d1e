"""The task book: what people want to do, in their words, and the line that does it.

    du -s -h DIR
        total size of a folder
        how much space does a folder take

    crontab(5): @reboot COMMAND
        run a command at every boot

    find(1) -size
        files bigger than a given size

A line to type, then its phrasings, indented. Words in capitals are slots. A line of a file follows the reference of its page. Where no
line is known, a reference and options take its place. A task belongs to the page of its first command, and is only found where that
page is installed.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

from vademecum.core.documents import Need
from vademecum.core.passages import OF_FILE
from vademecum.text.patterns import Pattern
from vademecum.text.shell import simple_commands, split

BOOK = Path(__file__).with_name("book")
_REFERENCE = Pattern(r"([\w.+:@\[-]+\((?:\d\w*|n)\))(?: (.*))?", flags=0)
_OPTION = Pattern(r"(?<=\s)-[\w?#-]+", flags=0)
_ASSIGNMENT = Pattern(r"[A-Za-z_]\w*=", flags=0)
_NAME = Pattern(r"[A-Za-z0-9][\w.+-]*", flags=0)
_SHELL = "bash"
_OF_SHELL = frozenset(
    """. : [ [[ { ( ! alias bg bind break builtin case cd command compgen complete continue declare dirs disown do done elif else enable esac
    eval exec exit export fc fg fi for function getopts hash help history if jobs let local logout mapfile popd pushd read readarray readonly
    return select set shift shopt source suspend then time times trap type typeset ulimit umask unalias unset until wait while""".split()  # noqa: SIM905
)
"""Words of the shell, which its own page documents."""

_FAMILIES = frozenset("btrfs cargo docker flatpak git kubectl npm podman zfs zpool".split())  # noqa: SIM905
"""Commands whose sub-commands have pages of their own (`git-commit(1)`)."""

_SECTIONS = ("1", "8", "6")


class Task(NamedTuple):
    """A task of the book.

    Attributes:
        line: The line to type, or "".
        reference: The page that it leads to if no line is known, or "".
    """

    line: str
    reference: str
    options: tuple[str, ...]
    phrasings: tuple[str, ...]
    place: int


@cache
def book_version() -> str:
    """Return a value that changes with the book, so that pages are read again."""
    texts = b"".join(path.read_bytes() for path in sorted(BOOK.glob("*.txt")))
    return f"tasks-{crc32(texts):08x}"


def read_book(text: str) -> Iterator[Task]:
    """Yield the tasks of a book."""
    head, place, phrasings = "", 0, list[str]()
    for number, line in enumerate((*text.splitlines(), "end"), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if line[0].isspace():
            phrasings.append(line.strip())
            continue
        if head:
            pointer = _REFERENCE.fullmatch(head)
            yield Task(
                line="" if pointer else head,
                reference=pointer[1] if pointer else "",
                options=tuple((pointer[2] or "").split() if pointer else _OPTION.findall(head)),
                phrasings=tuple(phrasings),
                place=place,
            )
        head, place, phrasings = line.strip(), number, []


def owner_of(line: str) -> str:
    """Return the name of the page that documents a line: that of its first command, or of its sub-command (`git-commit`).

    >>> owner_of("crontab(5): @reboot COMMAND")
    'crontab(5)'
    """
    if of_file := OF_FILE.fullmatch(line):
        return of_file[1]
    for _, words, redirections in simple_commands(split(line)):
        named = [word.value for word in words if not _ASSIGNMENT.match(word.value)]
        if not named:
            if words or redirections:
                return _SHELL
            continue
        name = named[0].rpartition("/")[2]
        if name in _OF_SHELL or name.rstrip("0123456789").isupper() or not _NAME.fullmatch(name):
            return _SHELL
        sub_commands = [word for word in named[1:] if _NAME.fullmatch(word) and word.islower()]
        return f"{name}-{sub_commands[0]}" if name in _FAMILIES and sub_commands else name
    return _SHELL


def needs_of(names: Iterable[str]) -> tuple[Need, ...]:
    """Return the needs that a page meets, given all its references (`("stat(2)", "fstat(2)")`)."""
    table = _table()
    found: list[Need] = []
    for reference in names:
        name, _, section = reference.partition("(")
        found += table.get(reference, ())
        found += table.get(name, ()) if section[:1] in _SECTIONS else ()
    return tuple(dict.fromkeys(found))


@cache
def _table() -> dict[str, tuple[Need, ...]]:
    """Return the needs by reference, or by the name of a command."""
    found: dict[str, list[Need]] = {}
    for path in sorted(BOOK.glob("*.txt")):
        for task in read_book(path.read_text(encoding="utf-8")):
            needs = [Need(phrasing, task.options, task.line) for phrasing in task.phrasings]
            found.setdefault(task.reference or owner_of(task.line), []).extend(needs)
    return {key: tuple(needs) for key, needs in found.items()}
