"""Change one value in the text of a template. All other lines, comments and quotes stay byte for byte.

The place is found by the parser's own marks and cut out of the text. Each cut is then read back: only if the text holds exactly the
values that it should is it kept. Where it does not (references, odd layouts), the change is made on a tree that keeps comments,
and in the last resort the whole is rewritten.
"""

from typing import Any, NamedTuple

from vademecum.core.errors import SourceError
from vademecum.desks.composer.editing.yaml_text import block, document, entry, flow, is_plain, scalar
from vademecum.desks.composer.image_template import Data, Template, dump_tree, load_tree, parse_template
from vademecum.desks.composer.image_template.template import copied

Path = tuple[str | int, ...]
"""Where a value is: keys, and places in lists from 0."""

_Node = Any
"""A node of the YAML parser; its types tell less of it than it has."""


class _NotHere(Exception):
    """The cut cannot be made in the text."""


class Document(NamedTuple):
    """A template's text, and the values it holds. It is never changed: every change gives a new one."""

    text: str
    data: Data

    @classmethod
    def read(cls, text: str, file: str = "") -> "Document":
        """A text as a document."""
        found = parse_template(text, file)
        if not isinstance(found, Template):
            raise SourceError(f"{found.place or 'The template'}: {found.message}", hint=found.hint)
        return cls(found.text if found.text.endswith("\n") else found.text + "\n", found.data)

    def get(self, *path: str | int) -> Any:
        """The value of a place; `None` if there is none."""
        return _get(self.data, path)

    def set(self, path: Path, value: Any) -> "Document":
        """With a value of a place set or replaced; mappings that it needs around it are made."""
        while len(path) > 1 and not isinstance(self.get(*path[:-1]), dict | list):
            path, value = path[:-1], {str(path[-1]): value}
        changed = copied(self.data)
        holder = _get(changed, path[:-1])
        holder[path[-1]] = copied(value)
        return self._with(_ordered(changed, path), lambda: _set(self.text, path, value), path, value)

    def append(self, path: Path, value: Any, at: int | None = None) -> "Document":
        """With a value at the end of a list, or before the place `at`; a list that is not there is made."""
        found = self.get(*path)
        if not isinstance(found, list) or not found:
            return self.set(path, [value])
        changed = copied(self.data)
        _get(changed, path).insert(len(found) if at is None else at, copied(value))
        whole = _get(changed, path)
        return self._with(changed, lambda: _append(self.text, path, value, at), path, whole)

    def remove(self, path: Path) -> "Document":
        """Without a value. A list may become empty; a mapping that becomes empty goes, too."""
        holder = self.get(*path[:-1])
        if isinstance(holder, dict) and len(holder) == 1 and len(path) > 1:
            return self.remove(path[:-1])
        if isinstance(holder, list) and len(holder) == 1:
            return self.set(path[:-1], [])
        changed = copied(self.data)
        del _get(changed, path[:-1])[path[-1]]
        return self._with(changed, lambda: _remove(self.text, path), path[:-1], _get(changed, path[:-1]))

    def adjusted(self, data: Data) -> "Document":
        """With all its values as given, changing only those that differ."""
        document = self
        for key in [one for one in self.data if one not in data]:
            document = document.remove((key,))
        for key, value in data.items():
            document = _adjusted(document, (key,), value)
        return document

    def _with(self, changed: Data, cut: Any, path: Path, value: Any) -> "Document":
        """The document with changed values, by the gentlest way that gives exactly these."""
        try:
            text = cut()
        except (_NotHere, IndexError, KeyError):
            text = ""
        if text and _reads_as(text, changed):
            return Document(text, changed)
        tree = load_tree(self.text)
        if isinstance(tree, dict) and path:
            _get(tree, path[:-1])[path[-1]] = copied(value)
            text = dump_tree(tree)
            if _reads_as(text, changed):
                return Document(text, changed)
        return Document(document(changed), changed)


def _adjusted(document: Document, path: Path, value: Any) -> Document:
    """A document with a value as given, changing only what differs in it."""
    now = document.get(*path)
    if _same(now, value) and (now is not None or path[-1] in (document.get(*path[:-1]) or {})):
        return document
    if isinstance(now, dict) and isinstance(value, dict) and value:
        for key in [one for one in now if one not in value]:
            document = document.remove((*path, key))
        for key, one in value.items():
            document = _adjusted(document, (*path, key), one)
        return document
    if isinstance(now, list) and isinstance(value, list) and now and len(value) >= len(now):
        if all(any(_same(one, other) for other in value) for one in now) and not _same(
            now, value[: len(now)]
        ):
            return _merged(document, path, value)
        for at, one in enumerate(value):
            document = _adjusted(document, (*path, at), one) if at < len(now) else document.append(path, one)
        return document
    return document.set(path, value)


def _merged(document: Document, path: Path, value: list[Any]) -> Document:
    """With further items put into a list between those that stay."""
    for at, one in enumerate(value):
        now = document.get(*path)
        if at >= len(now) or not _same(now[at], one):
            document = document.append(path, one, at if at < len(now) else None)
    return document if _same(document.get(*path), value) else document.set(path, value)


def _reads_as(text: str, data: Data) -> bool:
    """Return whether a text holds exactly these values, also of the same kinds and in the same order of lists."""
    found = parse_template(text, "")
    return isinstance(found, Template) and _same(found.data, data)


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return type(one) is type(other) and bool(one == other)


def _get(data: Any, path: Path) -> Any:
    for step in path:
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            return None
    return data


# --- Order --------------------------------------------------------------------------------------------------------

_ORDERS: dict[str, tuple[str, ...]] = {
    "": ("metadata", "extends", "image", "target", "baseline", "overlayPolicy", "packageRepositories", "disk", "systemConfig"),
    "metadata": ("description", "use_cases", "keywords"),
    "disk": (
        "name", "path", "selectionPolicy", "artifacts", "size", "partitionTableType", "extendLastPartitionToFillDisk", "partitions",
    ),
    "systemConfig": (
        "name", "description", "hostname", "initramfs", "immutability", "fde", "users", "bootloader", "network", "packages",
        "additionalFiles", "kernel", "configurations",
    ),
    "kernel": ("name", "version", "cmdline", "enableExtraModules", "uki", "packages"),
    "users": ("name", "password", "hash_algo", "groups", "sudo", "shell", "home"),
}  # fmt: skip
"""How the sections of a template stand, so that a new one comes where a person looks for it."""


def _order_of(path: Path) -> tuple[str, ...]:
    names = [step for step in path if isinstance(step, str)]
    return _ORDERS.get(names[-1] if names else "", ())


def _follower(keys: list[str], key: str, path: Path) -> int | None:
    """The place of the key that a new one comes before; `None` for the end."""
    order = _order_of(path)
    if key not in order:
        return None
    later = set(order[order.index(key) + 1 :])
    return next((at for at, one in enumerate(keys) if one in later), None)


def _ordered(changed: Data, path: Path) -> Data:
    """The values with a key that is new brought to its place, as the text has it."""
    holder = _get(changed, path[:-1])
    if isinstance(holder, dict):
        keys = list(holder)
        if keys and keys[-1] == path[-1]:
            place = _follower(keys[:-1], str(path[-1]), path[:-1])
            if place is not None:
                moved = [*keys[:place], keys[-1], *keys[place:-1]]
                values = {key: holder[key] for key in moved}
                holder.clear()
                holder.update(values)
    return changed


# --- Cuts ---------------------------------------------------------------------------------------------------------


class _Text:
    """A text with its lines, and the node of a place in it."""

    def __init__(self, text: str) -> None:
        import yaml  # noqa: PLC0415 - 30 ms that only changing needs

        self.text = text
        self.root: _Node = yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        self.starts = [0]
        for line in text.split("\n"):
            self.starts.append(self.starts[-1] + len(line) + 1)

    def offset(self, mark: Any) -> int:
        return int(self.starts[mark.line] + mark.column)

    def node(self, path: Path) -> _Node:
        node = self.root
        for step in path:
            node = (
                self.pair(node, step)[1]
                if isinstance(node.value, list) and node.id == "mapping"
                else node.value[int(step)]
            )
        return node

    def pair(self, node: _Node, key: str | int) -> tuple[_Node, _Node]:
        for one, value in node.value:
            if one.value == key:
                return one, value
        raise _NotHere

    def end(self, node: _Node) -> int:
        """One past the last character that belongs to a node."""
        if node.id != "scalar" and not node.flow_style:
            last = node.value[-1]
            return self.end(last[1] if isinstance(last, tuple) else last)
        end = self.offset(node.end_mark)
        if node.id == "scalar" and node.style in {"|", ">"}:
            while end and self.text[end - 1] in "\n ":
                end -= 1
        return end

    def line_end(self, offset: int) -> int:
        """Where the line of an offset ends, its line end included."""
        found = self.text.find("\n", offset)
        return len(self.text) if found < 0 else found + 1

    def line_start(self, offset: int) -> int:
        return self.text.rfind("\n", 0, offset) + 1

    def replaced(self, start: int, end: int, text: str) -> str:
        return self.text[:start] + text + self.text[end:]


def _set(text: str, path: Path, value: Any) -> str:
    cut = _Text(text)
    holder = cut.node(path[:-1])
    if holder.id == "mapping":
        if any(key.value == path[-1] for key, _ in holder.value):
            return _replace(cut, path, value)
        return _insert_key(cut, holder, path, value)
    return _replace(cut, path, value)


def _replace(cut: _Text, path: Path, value: Any) -> str:
    node = cut.node(path)
    start, end = cut.offset(node.start_mark), cut.end(node)
    if node.id == "scalar" and not isinstance(value, dict | list) and node.style not in {"|", ">"}:
        quotes = (
            node.style or "" if isinstance(value, str) and is_plain(node.value) else ""
        )  # not those that only the old value needed
        new = scalar(value, quotes)
        return cut.replaced(start, end, new if start != end else f" {new}")
    holder = cut.node(path[:-1])
    if holder.flow_style:
        raise _NotHere
    if (
        isinstance(value, list)
        and node.flow_style
        and node.value
        and value
        and not any(isinstance(one, dict | list) for one in value)
    ):
        return cut.replaced(start, end, flow(value))
    if holder.id == "sequence":
        return cut.replaced(start, end, block(value, cut.node(path).start_mark.column))
    key, _ = cut.pair(holder, path[-1])
    return cut.replaced(cut.offset(key.start_mark), end, entry(str(path[-1]), value, key.start_mark.column))


def _insert_key(cut: _Text, holder: _Node, path: Path, value: Any) -> str:
    if holder.flow_style or not holder.value:
        raise _NotHere
    column = holder.value[0][0].start_mark.column
    lines = " " * column + entry(str(path[-1]), value, column) + "\n"
    place = _follower([key.value for key, _ in holder.value], str(path[-1]), path[:-1])
    if place:
        start = cut.line_start(cut.offset(holder.value[place][0].start_mark))
        while (above := cut.text[cut.line_start(start - 1) : start]).strip().startswith("#"):
            start -= len(above)
        return cut.replaced(start, start, lines + ("\n" if not column else ""))
    if place == 0 and not column:
        start = cut.line_start(cut.offset(holder.value[0][0].start_mark))
        return cut.replaced(start, start, f"{lines}\n")
    end = cut.line_end(cut.end(holder))
    return cut.replaced(end, end, ("\n" if not column else "") + lines)


def _append(text: str, path: Path, value: Any, at: int | None) -> str:
    cut = _Text(text)
    node = cut.node(path)
    if node.flow_style:
        if isinstance(value, dict | list) or any(one.id != "scalar" for one in node.value):
            raise _NotHere
        new = scalar(value, flow=True)
        if at is not None and at < len(node.value):
            start = cut.offset(node.value[at].start_mark)
            return cut.replaced(start, start, f"{new}, ")
        end = cut.end(node.value[-1])
        return cut.replaced(end, end, f", {new}")
    column = node.start_mark.column
    # the parser counts a list that is no further in than its key from the key's own column
    first = cut.line_start(cut.offset(node.value[0].start_mark))
    dash = cut.text[first:].find("-")
    if cut.text[first : first + dash].strip():
        raise _NotHere
    column = dash
    lines = " " * column + "- " + block(value, column + 2) + "\n"
    if at is not None and at < len(node.value):
        start = _dash_line(cut, node.value[at])
        return cut.replaced(start, start, lines)
    end = cut.line_end(cut.end(node))
    return cut.replaced(end, end, lines)


def _dash_line(cut: _Text, item: _Node) -> int:
    """Where the line begins that holds an item's dash: its own, or one above it."""
    start = cut.line_start(cut.offset(item.start_mark))
    while not cut.text[start:].lstrip(" ").startswith("-"):
        if not start:
            raise _NotHere
        start = cut.line_start(start - 1)
    return start


def _remove(text: str, path: Path) -> str:
    cut = _Text(text)
    holder = cut.node(path[:-1])
    if holder.flow_style:
        if holder.id != "sequence":
            raise _NotHere
        at = int(path[-1])
        start = cut.offset(holder.value[at].start_mark) if not at else cut.end(holder.value[at - 1])
        end = cut.offset(holder.value[1].start_mark) if not at else cut.end(holder.value[at])
        return cut.replaced(start, end, "")
    if holder.id == "sequence":
        item = holder.value[int(path[-1])]
        start = _dash_line(cut, item)
        if cut.text[start : cut.offset(item.start_mark)].strip(" \n") != "-":
            raise _NotHere
        return cut.replaced(start, cut.line_end(cut.end(item)), "")
    key, value = cut.pair(holder, path[-1])
    start, end = cut.offset(key.start_mark), cut.line_end(cut.end(value))
    if not cut.text[cut.line_start(start) : start].strip():
        return cut.replaced(cut.line_start(start), end, "")
    following = [one for one, _ in holder.value if cut.offset(one.start_mark) > start]
    if not following:
        raise _NotHere
    return cut.replaced(start, cut.offset(following[0].start_mark), "")
