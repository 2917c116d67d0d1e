"""Front matter: YAML metadata at the beginning of a Markdown file."""

import re

_LONGEST = 64 * 1024
_DEEPEST = 20
_OPEN = re.compile(r"---[ \t]*\n")
_CLOSE = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.MULTILINE)
_LOOKS_RIGHT = re.compile(r"(?:[^\S\n]*+(?:#[^\n]*+)?\n)*+[\w\"'-][^\n:]*:(?:\s|\Z)")


def front_matter(source: str) -> tuple[dict[str, str], str]:
    """Separate the front matter of a file from its text.

    Only scalars at the top level are returned. Lists, mappings and aliases are omitted, so that the input cannot
    expand. Invalid YAML is removed, too, and the values before the error are returned. A rule at the beginning that is
    not followed by `name: value` is part of the text.

    Returns:
        The values by name, and the rest of the file.
    """
    inner, rest = parted(source)
    return _values(inner), rest


def parted(source: str) -> tuple[str, str]:
    """Return the YAML between the two rules, as written, and the rest of the file.

    Without front matter, they are "" and the whole file.
    """
    opened = _OPEN.match(source)
    closed = _CLOSE.search(source, opened.end(), opened.end() + _LONGEST) if opened else None
    if opened is None or closed is None:
        return "", source
    inner = source[opened.end() : closed.start()]
    if inner.strip() and not _LOOKS_RIGHT.match(inner):
        return "", source
    return inner, source[closed.end() :]


def _values(inner: str) -> dict[str, str]:
    """Return the scalars of the top mapping. They are read from parser events, so that no objects are built."""
    import yaml  # noqa: PLC0415 - 30 ms, for files that have front matter

    found: dict[str, str] = {}
    depth = 0
    name = ""
    awaits_value = False
    try:
        for event in yaml.parse(inner, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            if isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
                continue
            if depth == 1 and isinstance(event, yaml.NodeEvent):
                plain = event.value if isinstance(event, yaml.ScalarEvent) else ""
                if not awaits_value:
                    name = plain
                elif name and plain:
                    found.setdefault(name, " ".join(plain.split()))
                awaits_value = not awaits_value
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
                if depth > _DEEPEST or (depth == 1 and isinstance(event, yaml.SequenceStartEvent)):
                    break
    except (yaml.YAMLError, ValueError, RecursionError):
        pass
    return found
