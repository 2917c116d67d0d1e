"""Parse front matter into strings, lists and mappings of strings, without YAML's type conversions.

`on` stays `on` and `2026-03-01` a text: a template's name is what is there. Nothing is built from tags, and
references (`*name`) are not followed, so that a few lines cannot grow into millions.
"""

import re

Value = str | list["Value"] | dict[str, "Value"] | None
"""A text, a list, a mapping; `None` where nothing stands."""

_DEEPEST = 20
_NOTHING = frozenset(["", "~", "null", "Null", "NULL"])
_LINE = re.compile(r"([A-Za-z_][\w -]*?)[ \t]*:(?:[ \t]+(.*)|[ \t]*)")
_ITEM = re.compile(r"[ \t]*-[ \t]+(.*)")
_QUOTES = ('"', "'")


class _NotFollowed(Exception):
    """The text leads somewhere that is not gone to."""


_LEADING_TAB = re.compile(r"^\t", re.MULTILINE)


def read_fields(inner: str) -> tuple[dict[str, Value], tuple[str, ...]]:
    """The fields of a template's front matter.

    Returns:
        The fields by name, of two of one name the first, and what was wrong, in sentences. Of YAML that is not sound
        the lines `name: value` and the lists below them are read as they stand.
    """
    fields, fault = _parsed(inner)
    if fault and "\t" in inner:
        for text in (
            inner,
            _LEADING_TAB.sub("", inner),
        ):  # the second where all fields but the first are indented
            fields, fault = _parsed(text.replace("\t", "  "))
            if not fault:
                break
    if not fault:
        return fields, ()
    return _line_by_line(inner), (
        f"The front matter is not sound YAML ({fault}); its lines were read as they stand.",
    )


def _parsed(inner: str) -> tuple[dict[str, Value], str]:
    """The fields, or what is wrong with the YAML."""
    import yaml  # noqa: PLC0415 - 30 ms, for templates alone

    if not inner.strip():
        return {}, ""
    try:
        events = yaml.parse(inner, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        built = _Builder()
        for event in events:
            built.take(event)
    except yaml.MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 2}: " if error.problem_mark else ""
        return {}, f"{line}{error.problem or 'it cannot be read'}"
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        return {}, " ".join(str(error).split()[:12])
    except _NotFollowed as error:
        return {}, str(error)
    if built.root is None:
        return {}, ""
    return (built.root, "") if isinstance(built.root, dict) else ({}, "it is not a list of fields")


class _Builder:
    """Puts values together from the parser's events."""

    def __init__(self) -> None:
        self._open: list[tuple[list[Value] | dict[str, Value], list[Value]]] = []
        self.root: Value = None

    def take(self, event: object) -> None:
        """Take in one event."""
        import yaml  # noqa: PLC0415 - loaded by now

        if isinstance(event, yaml.AliasEvent):
            raise _NotFollowed(f"a reference, *{event.anchor}, is not followed")
        if isinstance(event, yaml.ScalarEvent):
            plain = not event.style and event.value in _NOTHING
            self._add(None if plain else str(event.value))
        elif isinstance(event, yaml.CollectionStartEvent):
            if len(self._open) >= _DEEPEST:
                raise _NotFollowed("it is nested too deeply")
            holder: list[Value] | dict[str, Value] = {} if isinstance(event, yaml.MappingStartEvent) else []
            self._add(holder)
            self._open.append((holder, []))
        elif isinstance(event, yaml.CollectionEndEvent):
            self._open.pop()

    def _add(self, value: Value) -> None:
        if not self._open:
            self.root = value
            return
        holder, waiting = self._open[-1]
        if isinstance(holder, list):
            holder.append(value)
        elif not waiting:
            waiting.append(value)
        else:
            name = waiting.pop()
            if isinstance(name, str):
                holder.setdefault(name, value)


def _line_by_line(inner: str) -> dict[str, Value]:
    """What can be had of YAML that is not sound."""
    fields: dict[str, Value] = {}
    name = ""
    for line in inner.split("\n"):
        if item := _ITEM.fullmatch(line):
            held = fields.get(name)
            if name and (held is None or isinstance(held, list)):
                fields[name] = [*(held or []), _bare(item[1])]
        elif found := _LINE.fullmatch(line):
            name = found[1].strip()
            text = (found[2] or "").strip()
            if name in fields:
                name = ""
            elif text.startswith("[") and text.endswith("]"):
                fields[name] = [_bare(one) for one in text[1:-1].split(",") if one.strip()]
            else:
                fields[name] = _bare(text) or None
    return fields


def _bare(text: str) -> str:
    """A value without its quotes."""
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] in _QUOTES and text[-1] == text[0] else text
