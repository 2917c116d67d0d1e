"""Check quickly whether a question may be about a command line, so that other questions do not load the explainer."""

from vademecum.command_lines.names import product_in, well_known
from vademecum.index.reader.index import Index

_SIGNS = ("|", ">", "<", "&&", "`", "$(")
_ASKS_MEANING = frozenset(
    "what what's whats explain describe decode meaning mean means explained explanation difference".split()  # noqa: SIM905
)
_FILE_ENDINGS = (
    ".conf",
    ".cfg",
    ".cnf",
    ".toml",
    ".yml",
    ".yaml",
    ".json",
    ".ini",
    ".xml",
    ".properties",
    ".service",
    ".rules",
    ".list",
    "rc",
)
_AROUND = ".,;:?!'\"`()[]"
_NEAR = 4
"""The number of words, after one that asks for a meaning, that may contain the command."""


def mentions_command(text: str, index: Index) -> bool:
    """Return whether a text may contain a command line, a command without a page, or a file.

    There may be false positives, but no false negatives for a command line.
    """
    words = text.split()
    if product_in(text):
        return True
    if any(sign in text for sign in _SIGNS) or any(word.strip(_AROUND)[:1] in {"-", "+"} for word in words):
        return True
    if ";" in text and words[0] in {"for", "while", "until", "if", "case"}:
        return True
    names = [word.strip(_AROUND) for word in words]
    asks = next((at for at, name in enumerate(names) if name.lower() in _ASKS_MEANING), None)
    places = [0, *(range(asks + 1, asks + 1 + _NEAR) if asks is not None else ())]
    if len(words) > 1 and any(at < len(names) and _is_command(names[at], index) for at in places):
        return True
    return any(
        _is_absent(name, index) or name.endswith(_FILE_ENDINGS) or name[:1] in {"/", "~"} for name in names
    )


def _is_command(name: str, index: Index) -> bool:
    base = name.rpartition("/")[2]
    if "=" in base or base in {"sudo", "doas"}:
        return True
    return any(
        named.partition("(")[0] == base for place in index.named(base) for named in index.page(place).names
    )


def _is_absent(name: str, index: Index) -> bool:
    if name in well_known() or name.lower() in well_known():
        return True
    return any(index.pointed_to(f"{name}({section})") for section in "18") and not index.named(name)
