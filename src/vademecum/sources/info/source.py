"""`InfoSource`: the info manuals in one folder."""

import re
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path

from vademecum.core.documents import Document, DocumentRef, Problem
from vademecum.files.read import Unreadable
from vademecum.sources._problems import problem
from vademecum.sources.info.folder import Folder, root_of, split_key
from vademecum.sources.info.manual import Manual
from vademecum.sources.info.markup import part_menu, plain, read_notes
from vademecum.sources.info.structure import read_structure

FORMAT = "info-1"
"""The version of the format. Increment it when the same node would yield a different text, blocks or names."""

_KEPT_MANUALS = 2
_LARGEST_NODE_BYTES = 4 * 1024 * 1024
"""The maximum size of a node. Real nodes have about 100,000 bytes; one of this size takes seconds."""

_LANGUAGE = re.compile(r"([a-z]{2})(?:_([A-Z]{2}))?")
_LANGUAGES = frozenset(
    """ca cs da de eo es fi fr hr hu it ja ko nb nl no pl pt ro ru sl sr sv tr uk
    vi zh""".split()  # noqa: SIM905 - language codes read best as words
)


class InfoSource:
    """GNU info manuals: one document per node. Index nodes are omitted.

    The text of a document is what `info` shows of the node, with each paragraph on one line and without menus.
    Cross-references read as in `info` (`see Modes`, not `*note Modes::`), and list tags have no quotes (`-R`, not
    `‘-R’`). Numbers of headings and lists are in the text, not in the blocks.

    Args:
        location: A folder such as `/usr/share/info`, or the main file of a manual. Nothing outside that folder is read,
            whatever links and tables of parts refer to.
    """

    def __init__(self, location: Path, alias: str) -> None:
        self.location = location
        self.alias = alias

    @property
    def parser(self) -> str:
        """The version of the parser. Documents of another parser are read again."""
        return FORMAT

    def scan(self) -> Iterator[DocumentRef | Problem]:
        """List nodes by manual in text order, each manual followed by its problems; then other problems.

        One manual at a time is in memory. The fingerprint covers all files of the manual.
        """
        folder = Folder(self.location)
        used: set[str] = set()
        for file, links in folder.manuals():
            try:
                manual = Manual(folder.root, file)
            except Unreadable as bad:
                yield problem("info", file, bad.fault, bad.message)
                continue
            used.update(manual.parts)
            for node in manual.documents():
                names = manual.names(node.name, links)
                yield DocumentRef(
                    key=f"{file}/{node.name}",
                    names=names,
                    fingerprint=f"{manual.digest}-{_digest(names)}",
                    size_bytes=len(node.body),
                )
            yield from manual.problems
        for part, file in sorted(folder.parts.items()):
            if part not in used:
                folder.problems.append(
                    problem("info", file, "stray-part", "It is part of no manual that is here.")
                )
        yield from sorted(folder.problems, key=lambda found: (found.place, found.fault))

    def read(self, refs: Sequence[DocumentRef]) -> Iterable[Document | Problem]:
        """Read nodes, and yield, for each of `refs` in order, a document or a problem.

        The files of a manual are read once for consecutive nodes.
        """
        root = root_of(self.location)
        manuals: dict[str, Manual | Unreadable] = {}
        for ref in refs:
            file, node = split_key(ref.key)
            if file not in manuals:
                if len(manuals) == _KEPT_MANUALS:
                    del manuals[next(iter(manuals))]
                manuals[file] = _opened(root, file)
            yield _read(manuals[file], node, ref)


def _opened(root: Path, file: str) -> Manual | Unreadable:
    try:
        return Manual(root, file)
    except Unreadable as bad:
        return bad


def _read(manual: Manual | Unreadable, name: str, ref: DocumentRef) -> Document | Problem:
    if isinstance(manual, Unreadable):
        return problem("info", ref.key, manual.fault, manual.message)
    node = manual.nodes.get(name)
    if node is None or not ref.fingerprint.startswith(f"{manual.digest}-"):
        return problem("info", ref.key, "changed", "The manual was changed after it was listed.")
    if len(node.body) > _LARGEST_NODE_BYTES:
        said = f"The node holds more than {_LARGEST_NODE_BYTES:,} bytes."
        return problem("info", ref.key, "too-large", said)
    text, menu = part_menu(manual.text_of(node))
    text, targets = read_notes(text)
    layout = read_structure(plain(text), name)
    heading = next((block for block in layout.blocks if block.kind == "heading"), None)
    links = (manual.resolve(target) for target in (*targets, *(entry.target for entry in menu.entries)))
    return Document(
        key=ref.key,
        reference=ref.names[0],
        title=manual.title(name),
        summary=manual.summary(name) or (layout.text[heading.start : heading.end] if heading else ""),
        names=ref.names,
        text=layout.text,
        blocks=tuple(layout.blocks),
        links=tuple(dict.fromkeys(link for link in links if link and link != ref.names[0])),
        language=_language(manual.name),
    )


def _language(manual: str) -> str:
    """Return the language of a translated manual from its name (`guix.pt_BR`, `de/maxima`), otherwise English."""
    for step in re.split(r"[./]", manual):
        found = _LANGUAGE.fullmatch(step)
        if found and found[1] in _LANGUAGES and step != manual:
            return "-".join(filter(None, found.groups()))
    return "en"


def _digest(names: tuple[str, ...]) -> str:
    return blake2b("\0".join(names).encode(), digest_size=8).hexdigest()
