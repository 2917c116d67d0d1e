"""A cache of a folder of templates, valid until a file changes, so that searches parse no YAML.

One JSON file for each folder, in the desk's own folder. It is only ever a copy: whatever is wrong with it, the templates are read again.
"""

import json
import os
from array import array
from collections.abc import Iterable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from vademecum.desks.composer.image_template import Artifact, Facts, Interface, Partition
from vademecum.desks.composer.image_template.text import BUILDER, Indexed
from vademecum.files.write import replace_file

if TYPE_CHECKING:
    from vademecum.core.documents import Problem

_FORMAT = 3
_TERMS, _WEIGHTS = "Q", "d"
"""How the numbers of terms and their weights are kept: as bytes in hexadecimal digits, which are read ten times as fast as numbers."""

_MAKERS = str(Path(__file__).with_name("image_template"))
"""The modules whose results are cached; a cache that another version of them wrote is not used."""

_ROWS = {"artifacts": Artifact, "partitions": Partition}


class KeptEntry(NamedTuple):
    """A template: its file, facts, index and problems."""

    file: str
    facts: Facts
    indexed: Indexed
    problems: "tuple[Problem, ...]"


class Kept(NamedTuple):
    """All templates of a folder, and the files that cannot be read."""

    entries: tuple[KeptEntry, ...]
    problems: "tuple[Problem, ...]"


class State(NamedTuple):
    """A folder as it was: the name under which it is kept, and what changes with every change of a file."""

    name: str
    digest: str


def state_of(templates_dir: Path, files: Iterable[str], os_defaults_dir: Path | None) -> State:
    """The state of a folder of templates, and of the defaults that its templates are merged with."""
    root = os.path.realpath(templates_dir)
    defaults = os.path.realpath(os_defaults_dir) if os_defaults_dir else ""
    seen = [
        f"{_FORMAT} {BUILDER}",
        *_stats(_MAKERS, _below(_MAKERS, ".py")),
        *_stats(root, files),
        *(_stats(defaults, _below(defaults, ".yml", ".yaml")) if defaults else ()),
    ]
    name = sha256(f"{root}\0{defaults}".encode(errors="surrogateescape")).hexdigest()[:16]
    return State(name, sha256("\0".join(seen).encode(errors="surrogateescape")).hexdigest())


def _below(folder: str, *suffixes: str) -> list[str]:
    return sorted(
        f"{where}/{name}"[len(folder) + 1 :]
        for where, _, names in os.walk(folder)
        for name in names
        if name.endswith(suffixes)
    )


def _stats(folder: str, files: Iterable[str]) -> list[str]:
    found = []
    for file in files:
        try:
            status = os.stat(f"{folder}/{file}")  # noqa: PTH116 - texts, many of them
            found.append(f"{file} {status.st_size} {status.st_mtime_ns} {status.st_ino}")
        except OSError:
            found.append(file)
    return found


def load(folder: Path, state: State) -> Kept | None:
    """What is kept of a folder in this very state; `None` if there is nothing, or nothing sound."""
    with suppress(OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        data = json.loads((folder / f"{state.name}.json").read_bytes())
        if data["of"] == state.digest:
            entries = tuple(_entry(one) for one in data["entries"])
            problems = _problems(data["problems"])
            return Kept(entries, problems)
    return None


def save(folder: Path, state: State, known: Kept) -> None:
    """Keep it; where that cannot be done it is done without."""
    from dataclasses import asdict  # noqa: PLC0415 - only when templates have changed

    data = {
        "of": state.digest,
        "entries": [
            {
                "file": entry.file,
                "facts": _without_defaults(entry.facts),
                "indexed": [
                    entry.indexed.text,
                    entry.indexed.capabilities,
                    array(_TERMS, entry.indexed.terms).tobytes().hex(),
                    array(_WEIGHTS, entry.indexed.weights).tobytes().hex(),
                ],
                "problems": [asdict(each) for each in entry.problems],
            }
            for entry in known.entries
        ],
        "problems": [asdict(problem) for problem in known.problems],
    }
    with suppress(OSError, UnicodeEncodeError):
        replace_file(
            folder / f"{state.name}.json", json.dumps(data, separators=(",", ":"), ensure_ascii=False)
        )


def _without_defaults(facts: Facts) -> dict[str, Any]:
    usual = Facts()
    return {name: value for name in Facts._fields if (value := getattr(facts, name)) != getattr(usual, name)}


def _entry(data: dict[str, Any]) -> KeptEntry:
    facts: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in data["facts"].items()
    }
    for name, kind in _ROWS.items():
        if name in facts:
            facts[name] = tuple(kind(*row) for row in facts[name])
    if "interfaces" in facts:
        facts["interfaces"] = tuple(
            Interface(name, dhcp, tuple(rest)) for name, dhcp, rest in facts["interfaces"]
        )
    problems = _problems(data["problems"])
    text, capabilities, term_digits, weight_digits = data["indexed"]
    terms: array[int] = array(_TERMS)
    weights: array[float] = array(_WEIGHTS)
    terms.frombytes(bytes.fromhex(term_digits))
    weights.frombytes(bytes.fromhex(weight_digits))
    if len(terms) != len(weights):
        raise ValueError("its columns differ")
    found = Indexed(text, tuple(capabilities), terms.tolist(), weights.tolist())
    return KeptEntry(data["file"], Facts(**facts), found, problems)


def _problems(found: list[dict[str, str]]) -> "tuple[Problem, ...]":
    if not found:
        return ()
    from vademecum.core.documents import Problem  # noqa: PLC0415 - 8 ms that sound templates do not need

    return tuple(Problem(**one) for one in found)
