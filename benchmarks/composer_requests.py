"""Requests of the image composer: how many of the things asked for are in the template, or are named with the reason."""

import fnmatch
import json
import re
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from vademecum.core.errors import VademecumError
from vademecum.desks.composer.agent import Agent
from vademecum.desks.composer.draft import Draft
from vademecum.desks.composer.image_template import size_bytes
from vademecum.desks.composer.template.check import check, is_valid
from vademecum.text.words import terms

_SLACK_BYTES = 64 << 20

Json = dict[str, Any]


class Counted(NamedTuple):
    """A request, counted: the demands that hold and those that do not, by key, and what was passed over in silence."""

    held: tuple[str, ...]
    broken: tuple[str, ...]
    silent: tuple[str, ...]
    is_valid: bool
    is_clean: bool
    needed_change: bool
    duration_ms: float


def requests(agent: Agent, lines: Sequence[Json], *, each: bool = False) -> Json:
    """Count the requests."""
    rows = [(line, _counted(agent, line)) for line in lines]
    if each:
        for line, row in rows:
            if row.broken or row.silent or not row.is_clean:
                print(
                    f"{line['id']} {line['request'][:150]!r}\n      broken {row.broken}, silent {row.silent}, valid {row.is_valid}, clean {row.is_clean}"
                )
    held = sum(len(row.held) for _, row in rows)
    broken = Counter(key.split(":")[0] for _, row in rows for key in row.broken)
    wanted = sum(len(line["undeliverable"]) for line, _ in rows)
    named = wanted - sum(len(row.silent) for _, row in rows)
    times = sorted(row.duration_ms for _, row in rows)
    return {
        "n": len(rows),
        "valid": share(row.is_valid for _, row in rows),
        "clean": share(row.is_clean for _, row in rows),
        "right": share(not row.broken and not row.silent and row.is_valid for _, row in rows),
        "items": held + sum(broken.values()),
        "items_delivered": held / max(1, held + sum(broken.values())),
        "undeliverable": wanted,
        "undeliverable_named": named / max(1, wanted),
        "needed_change": sum(row.needed_change for _, row in rows),
        "broken": dict(broken.most_common()),
        "p50_ms": round(times[len(times) // 2], 1),
        "p95_ms": round(times[int(len(times) * 0.95)], 1),
    }


def _counted(agent: Agent, line: Json) -> Counted:
    expect: Json = line["expect"]
    started = time.perf_counter()
    try:
        made = agent.draft(agent.read(line["request"]))
    except VademecumError as error:
        took = (time.perf_counter() - started) * 1000
        told = f"{error.message} {error.hint}"
        silent = tuple(one for one in line["undeliverable"] if not _is_named(one, [told]))
        return Counted(
            (),
            tuple(expect),
            () if not expect else silent,
            not expect,
            not expect,
            needed_change=True,
            duration_ms=took,
        )
    took = (time.perf_counter() - started) * 1000
    merged = agent.around.library.resolve(made.document.data, made.file).data
    held, broken = _demands(expect, merged, made)
    told_of = [f"{one.wish.said} {one.says}" for one in made.outcomes if not one.is_met] + made.notes
    silent = tuple(one for one in line["undeliverable"] if not _is_named(one, told_of))
    if not expect and silent:
        broken.append("refusal")
    findings = check(made.document.data, library=agent.around.library, file=made.file)
    return Counted(
        tuple(held),
        tuple(broken),
        silent,
        is_valid(findings),
        not findings or all(_is_of_base(one, agent, made) for one in findings),
        needed_change=any(one.state == "delivered" for one in made.outcomes),
        duration_ms=took,
    )


def _is_of_base(finding: Any, agent: Agent, made: Draft) -> bool:
    """Whether a warning is of the template that it began with, and not of what was made of it."""
    entry = agent.around.library.entry(made.file) if made.based_on else None
    if finding.severity == "error" or entry is None:
        return False
    return any(
        one.message == finding.message
        for one in check(entry.template.data, library=agent.around.library, file=entry.file)
    )


def _is_named(phrase: str, told: Sequence[str]) -> bool:
    """Whether something that cannot be delivered is named: half of the words that say what it is, in any form, in one line."""
    wanted = set(terms(phrase.partition(":")[0]))
    return not wanted or any(len(wanted & set(terms(one))) * 2 >= len(wanted) for one in told)


def _demands(expect: Json, data: Json, made: Draft) -> tuple[list[str], list[str]]:
    held: list[str] = []
    broken: list[str] = []
    for key, value in expect.items():
        values = value if isinstance(value, list) and key in _ONE_BY_ONE else [value]
        for one in values:
            name = f"{key}:{json.dumps(one)}"
            (held if _holds(key, one, data, made) else broken).append(name)
    return held, broken


_ONE_BY_ONE = frozenset(
    ["packages_include", "packages_any", "packages_exclude", "packages_exclude_pattern", "users", "users_exclude", "artifacts_include", "kernel_cmdline_include",
     "kernel_cmdline_exclude", "kernel_modules_include", "partitions", "text_absent"]
)  # fmt: skip


def _holds(key: str, value: Any, data: Json, made: Draft) -> bool:
    target, disk, system = data.get("target", {}), data.get("disk") or {}, data.get("systemConfig") or {}
    kernel = system.get("kernel") or {}
    packages = [str(one) for one in system.get("packages") or []]
    users = {one.get("name"): one for one in system.get("users") or []}
    words = str(kernel.get("cmdline", "")).split()
    kinds = {"distribution": "os", "version": "dist", "architecture": "arch", "imageType": "imageType"}
    if key in kinds:
        return bool(target.get(kinds[key]) == value)
    match key:
        case "distribution_exclude":
            return target.get("os") not in value
        case "packages_include":
            return value in packages
        case "packages_any":
            return any(one in packages for one in value)
        case "packages_exclude":
            return value not in packages
        case "packages_exclude_pattern":
            return not any(fnmatch.fnmatchcase(one, value) for one in packages)
        case "kernel_packages_any":
            return any(one in [*packages, *(kernel.get("packages") or [])] for one in value)
        case "kernel_cmdline_include":
            return value in words
        case "kernel_cmdline_exclude":
            return value not in words
        case "kernel_modules_include":
            return value in str(kernel.get("enableExtraModules", "")).split()
        case "user":
            return _user_holds(value, users)
        case "users":
            return value in users
        case "users_exclude":
            return value not in users
        case "encryption":
            return bool((system.get("fde") or {}).get("enabled", False) is value)
        case "fde_unlock":
            return bool((system.get("fde") or {}).get("unlock", "auto") == value)
        case "read_only_root":
            return bool((system.get("immutability") or {}).get("enabled", False) is value)
        case "bootloader":
            boot = system.get("bootloader") or {}
            return all(
                boot.get("provider") in one if name == "provider_any" else boot.get(name) == one
                for name, one in value.items()
            )
        case "hostname":
            return str(system.get("hostname", "")).lower() == value.lower()
        case "image_name" | "image_version":
            return str((data.get("image") or {}).get(key.removeprefix("image_"))) == value
        case "artifacts_include":
            return any(one.get("type") == value for one in disk.get("artifacts") or [])
        case "artifact_compression":
            return any(one.get("compression") == value for one in disk.get("artifacts") or [])
        case "disk_selection":
            return bool((disk.get("selectionPolicy") or {}).get("strategy") == value)
        case "extend_last_partition":
            return bool(disk.get("extendLastPartitionToFillDisk", False) is value)
        case "uki":
            return (
                bool(
                    kernel.get("uki") is True
                    or (system.get("bootloader") or {}).get("provider") == "systemd-boot"
                )
                is value
            )
        case "disk_size":
            return same_size(disk.get("size"), value)
        case "partition" | "partitions":
            return _has_partition(disk, value)
        case "swap_size":
            found = [one for one in disk.get("partitions") or [] if one.get("fsType") == "linux-swap"]
            return not found if value is None else any(is_about(length(one, disk), value) for one in found)
        case "network":
            return _has_network(system.get("network") or {}, value)
        case "text_absent":
            return value not in made.document.text
    raise AssertionError(key)


def _user_holds(value: Json, users: Mapping[str, Json]) -> bool:
    found = users.get(value["name"])
    return found is not None and all(
        set(one) <= set(found.get("groups") or []) if name == "groups" else found.get(name) == one
        for name, one in value.items()
    )


def _has_partition(disk: Json, value: Json) -> bool:
    for one in disk.get("partitions") or []:
        if one.get("mountPoint") != value.get("mount"):
            continue
        fits = "size" not in value or is_about(length(one, disk), value["size"])
        return fits and value.get("fsType", value.get("fs", one.get("fsType"))) == one.get("fsType")
    return False


def _has_network(network: Json, value: Json) -> bool:
    if value.get("backend", network.get("backend")) != network.get("backend"):
        return False
    for face in network.get("interfaces") or []:
        if face.get("name") != value.get("interface", face.get("name")):
            continue
        via = [route.get("via") for route in face.get("routes") or []]
        if "via" in value and value["via"] not in via:
            continue
        if all(
            face.get(name) == one
            for name, one in value.items()
            if name not in {"backend", "interface", "via"}
        ):
            return True
    return False


_NUMBER = re.compile(r"\s*([\d.]+)\s*([KMGT]?)(i?)B?\s*", re.IGNORECASE)


def same_size(found: Any, wanted: Any) -> bool:
    """Whether two sizes are the same in bytes, or in number where only GB and GiB differ."""
    if isinstance(wanted, list):
        return any(same_size(found, one) for one in wanted)
    one, other = _NUMBER.fullmatch(str(found)), _NUMBER.fullmatch(str(wanted))
    if size_bytes(found) is not None and size_bytes(found) == size_bytes(wanted):
        return True
    return bool(one and other and float(one[1]) == float(other[1]) and one[2].upper() == other[2].upper())


def is_about(bytes_long: int | None, wanted: Any) -> bool:
    """Whether a partition is as long as is wanted, but for what alignment takes."""
    if isinstance(wanted, list):
        return any(is_about(bytes_long, one) for one in wanted)
    if bytes_long is None:
        return False
    sizes = {
        size_bytes(wanted),
        size_bytes(re.sub(r"i?B?\s*$", "iB", str(wanted).strip())),
        size_bytes(re.sub(r"i?B?\s*$", "B", str(wanted).strip())),
    }
    return any(one is not None and abs(one - bytes_long) <= _SLACK_BYTES for one in sizes)


def length(part: Json, disk: Json) -> int | None:
    """How long a partition is, in bytes."""
    end = size_bytes(disk.get("size")) if str(part.get("end")) == "0" else size_bytes(part.get("end"))
    start = size_bytes(part.get("start"))
    return None if end is None or start is None else end - start


def share(values: Any) -> float:
    """How many of some are so."""
    found = list(values)
    return round(sum(map(bool, found)) / max(1, len(found)), 4)
