"""A manual: its nodes, and its tables and menus."""

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from vademecum.sources._problems import problem
from vademecum.sources.info.files import MOST_NODES, Files
from vademecum.sources.info.folder import name_of
from vademecum.sources.info.markup import Entry, Menu, Target, decoded, entries_in, fold, part_menu, plain

if TYPE_CHECKING:
    from vademecum.core.documents import Problem

_MOST_NAMED = 3
"""The maximum number of nodes that a problem names; others are only counted."""

_LONGEST_HEADER = 4096
_DEEPEST_PATH = 20
_MAY_HAVE_MENU = re.compile(rb"\n\* [Mm][Ee]|\x08\[index")
_HEADER = re.compile(
    r"(?:^|[,\t])\s*(File|Node|Up):[ \t]*(?:\x7f([^\x7f]*)\x7f|([^,\t\x7f]*))", re.IGNORECASE
)
_NO_NODE = re.compile(rb"(?i)\s*(?:end tag table|local variables:|\Z)")
_TAG_LINE = re.compile(r"(?m)^(Node|Ref): (.*?)\x7f\d+[ \t]*$")


class Node(NamedTuple):
    """A node in a file: its name, the name of the node above it or "", and its content below the header."""

    name: str
    up: str
    body: bytes


class Manual:
    """An info manual, read in full.

    The beginnings of nodes are found in the text; the offsets in its tables are ignored.

    Args:
        root: The folder of the source, with all links resolved.
        file: The main file of the manual, relative to the folder.

    Attributes:
        name: The name that `info` gives the manual.
        nodes: The nodes by name, in order, including indexes.
        problems: The problems that do not prevent reading the rest.
    """

    def __init__(self, root: Path, file: str) -> None:
        self.name = name_of(file)
        self.nodes: dict[str, Node] = {}
        self.problems: list[Problem] = []
        self._file = file
        self._files = Files(root, file)
        self._calls_itself = ""
        self._doubled: list[str] = []
        self._menus: dict[str, Menu] = {}
        for place, bad in self._files.faults:
            self._note(place, bad.fault, bad.message)
        self._take()
        self._check()

    @property
    def parts(self) -> list[str]:
        """The files that the manual is split into, as it names them, relative to the folder."""
        return self._files.parts

    @property
    def digest(self) -> str:
        """A digest that changes if any byte of any file changes."""
        return self._files.digest

    def text_of(self, node: Node) -> str:
        """Return the text of a node, including its menu."""
        return decoded(node.body, self._files.codec)

    def documents(self) -> Iterator[Node]:
        """Return the nodes that are read: all except indexes."""
        return (node for name, node in self.nodes.items() if not self._menu(name).is_index)

    def reference(self, node: str) -> str:
        """Return the reference of a node: `ls invocation(coreutils)`, similar to `ls(1)`."""
        return f"{node}({self.name})"

    def names(self, node: str, links: tuple[str, ...] = ()) -> tuple[str, ...]:
        """Return all references of a node, its main reference first."""
        found = dict.fromkeys((self.reference(node), f"{self.name}: {node}"))
        found.update((f"{one.label}({self.name})", None) for one in self._announced.get(node, ()))
        for manual in (self.name, PurePosixPath(self.name).name, *links):
            found.update((f"({manual}){name}", None) for name in (node, *self._anchors.get(node, ())))
        return tuple(found)

    def title(self, node: str) -> str:
        """Return the path of a node: `coreutils: File permissions > Mode Structure`.

        For the top node, it is the name of the manual.
        """
        path = [node]
        while len(path) < _DEEPEST_PATH:
            up = self.nodes[path[-1]].up
            if up not in self.nodes or up in path:
                break
            path.append(up)
        steps = [step for step in reversed(path) if step != "Top"]
        return f"{self.name}: {' > '.join(steps)}" if steps else self.name

    def summary(self, node: str) -> str:
        """Return the description of a node, or "".

        It is taken from the menu above the node, otherwise from any menu, otherwise from the list of all manuals.
        """
        above = self._menu(self.nodes[node].up).entries
        said = (one.about for one in above if one.target == Target("", node) and one.about)
        return next(said, "") or self._described.get(node, "")

    def resolve(self, target: Target) -> str:
        """Return the reference of the node that a cross-reference leads to, or "" if it leads nowhere."""
        if target.manual and target.manual not in self._own_names:
            return "" if target.manual == "dir" else f"{target.node}({target.manual})"
        node = self._anchored.get(target.node, target.node)
        return self.reference(node) if node in self.nodes else ""

    def _menu(self, name: str) -> Menu:
        """Return the menu of a node. The node need not exist."""
        if name not in self._menus:
            node = self.nodes.get(name)
            may = node is not None and _MAY_HAVE_MENU.search(node.body)
            self._menus[name] = part_menu(self.text_of(node))[1] if node and may else Menu([], is_index=False)
        return self._menus[name]

    @cached_property
    def _own_names(self) -> set[str]:
        return {self.name, PurePosixPath(self.name).name, self._calls_itself}

    @cached_property
    def _announced(self) -> dict[str, list[Entry]]:
        """The entries of the manual in the list of all manuals, by node (`* ls: (coreutils)ls invocation.`)."""
        found: dict[str, list[Entry]] = {}
        for lines in self._files.preamble.split("\nSTART-INFO-DIR-ENTRY\n")[1:]:
            for entry in entries_in(lines.partition("\nEND-INFO-DIR-ENTRY")[0]):
                if entry.target.manual in self._own_names:
                    found.setdefault(entry.target.node, []).append(entry)
        return found

    @cached_property
    def _described(self) -> dict[str, str]:
        """The first description in any menu, by node."""
        found: dict[str, str] = {}
        announced = (entry for entries in self._announced.values() for entry in entries)
        menus = (entry for menu in map(self._menu, self.nodes) if not menu.is_index for entry in menu.entries)
        for entry in (*menus, *announced):
            if entry.about and entry.target.manual in ("", *self._own_names):
                found.setdefault(entry.target.node, entry.about)
        return found

    @cached_property
    def _anchored(self) -> dict[str, str]:
        """Return the node of each anchor: the last node before it in the table of nodes."""
        found: dict[str, str] = {}
        node = ""
        for kind, name in self._tags():
            if kind == "Node":
                node = name
            elif node in self.nodes and "-Footnote-" not in name and name not in self.nodes:
                found.setdefault(name, node)
        return found

    @cached_property
    def _anchors(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for anchor, node in self._anchored.items():
            found.setdefault(node, []).append(anchor)
        return found

    def _take(self) -> None:
        """Take the nodes of all files, and report everything else."""
        lost: dict[str, int] = {}
        for file, stretch in self._files.stretches:
            if not self._take_one(stretch):
                lost[file] = lost.get(file, 0) + 1
        for file, count in lost.items():
            self._note(file, "no-header", f"Stretches between its separators that have no header: {count}.")

    def _take_one(self, stretch: bytes) -> bool:
        """Take a node. Return False if it has no name."""
        line, _, body = stretch.lstrip(b"\n").partition(b"\n")
        fields = {
            key.lower(): fold(plain(quoted or name))
            for key, quoted, name in _HEADER.findall(decoded(line[:_LONGEST_HEADER], self._files.codec))
        }
        node = Node(fields.get("node", ""), fields.get("up", ""), body)
        if not node.name:
            return _NO_NODE.match(stretch) is not None
        self._calls_itself = fields.get("file", "").removesuffix(".info") or self._calls_itself
        if node.name in self.nodes:
            self._doubled.append(node.name)
        else:
            self.nodes[node.name] = node
        return True

    def _check(self) -> None:
        """Report problems of the nodes. Missing nodes are only reported if no missing part explains them."""
        complete = not self.problems
        if not self.nodes:
            self._note(self._file, "no-nodes", "It holds no nodes.")
        elif complete and (missing := [name for name in self._tagged() if name not in self.nodes]):
            self._note(
                self._file, "missing-node", f"Its table names nodes that are not there, {_counted(missing)}."
            )
        if self._doubled:
            said = f"Nodes with the name of one before them are not read, {_counted(self._doubled)}."
            self._note(self._file, "duplicate-node", said)

    def _tags(self) -> Iterator[tuple[str, str]]:
        """Return the entries of the table of nodes: the kind (`Node` or `Ref`) and the name of each."""
        lines = islice(_TAG_LINE.finditer(self._files.tags), MOST_NODES)
        return ((line[1], fold(line[2])) for line in lines)

    def _tagged(self) -> dict[str, None]:
        return dict.fromkeys(name for kind, name in self._tags() if kind == "Node")

    def _note(self, place: str, fault: str, message: str) -> None:
        self.problems.append(problem("info", place, fault, message))


def _counted(names: list[str]) -> str:
    """Return the number of names, and the first of them."""
    more = ", ..." if len(names) > _MOST_NAMED else ""
    return f"{len(names)}: {', '.join(names[:_MOST_NAMED])}{more}"
