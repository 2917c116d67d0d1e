"""Requests and dialogues of strangers: how many are right, how many say what is missing, and how many are wrong in silence.

right    every demand holds, what cannot be had is named, and the run says that it is complete exactly when it should
told     something is missing, and the run says that it is not complete
silent   something is missing, or was added unasked, and the run says that it is complete
"""

import fnmatch
import json
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from composer_requests import is_about, length, same_size, share

from vademecum.core.errors import VademecumError
from vademecum.core.models import ModelSettings
from vademecum.desks.composer.agent import Agent
from vademecum.desks.composer.assistant import Assistant
from vademecum.desks.composer.editing.document import Document
from vademecum.desks.composer.report import as_data
from vademecum.desks.composer.session.conversation import Conversation
from vademecum.desks.composer.session.sessions import Sessions
from vademecum.desks.composer.settings import ComposerSettings
from vademecum.providers.registry import open_model
from vademecum.testing import ScriptedServer
from vademecum.testing.scripted import answer
from vademecum.text.words import terms

Json = dict[str, Any]
_MET = frozenset(["delivered", "already"])


class Result(NamedTuple):
    """What came of a request: the demands that do not hold, whether the run says that it is complete, and all that it says is missing."""

    line: Json
    broken: tuple[str, ...]
    complete: bool
    warned: bool
    missing: tuple[str, ...]

    @property
    def verdict(self) -> str:
        """`right`, `told` or `silent`."""
        if not self.broken:
            return "right"
        return "told" if self.warned else "silent"


def strangers(
    own: Agent, upstream: Agent, settings: ComposerSettings, lines: Sequence[Json], *, each: bool = False
) -> Json:
    """Count requests (`request`) and dialogues (`turns`)."""
    results = [_result(own if line["library"] == "own" else upstream, settings, line) for line in lines]
    if each:
        for result in results:
            if result.broken:
                said = result.line.get("request") or " / ".join(result.line["turns"])
                print(f"{result.line['id']} {result.verdict.upper()} {said!r}")
                print(f"      broken {result.broken}")
                print(f"      missing {[text[:90] for text in result.missing]}")
    verdicts = Counter(result.verdict for result in results)
    kinds = Counter(kind for result in results for kind in result.line.get("kinds", []))
    right = Counter(kind for result in results if not result.broken for kind in result.line.get("kinds", []))
    return {
        "n": len(results),
        **{
            verdict: share(result.verdict == verdict for result in results)
            for verdict in ("right", "told", "silent")
        },
        "told_for_nothing": sum(result.broken == ("complete",) and not result.complete for result in results),
        "by_kind": {kind: f"{right[kind]}/{number}" for kind, number in kinds.most_common()},
        "counts": dict(verdicts),
    }


def with_replies(
    agent: Agent, settings: ComposerSettings, lines: Sequence[Json], replies: dict[str, Json]
) -> Json:
    """Count requests (`request`) that a model reads as well, whose replies were recorded."""
    results = []
    for line in lines:
        message = {"role": "assistant", "content": json.dumps(replies[line["id"]])}
        reply = {"model": "recorded", "message": message, "done": True, "done_reason": "stop"}
        with ScriptedServer(answer(reply)) as server:
            model = open_model(ModelSettings("ollama", "recorded", server.url, retries=0))
            helped = Agent(agent.around, Assistant(model, settings))
            results.append(_result(helped, settings, line))
    return {
        verdict: share(result.verdict == verdict for result in results)
        for verdict in ("right", "told", "silent")
    }


def _result(agent: Agent, settings: ComposerSettings, line: Json) -> Result:
    conversation = Conversation(agent, Sessions(Path("unused"), settings).new())
    said: Json = {}
    warned = False
    for turn in line.get("turns") or [line["request"]]:
        try:
            said = as_data(conversation.say(turn))
        except VademecumError as error:
            said = {"complete": False, "refused": f"{error.message} {error.hint}"}
        warned = warned or not said.get("complete", True)
    items = said.get("items", [])
    missing = [f"{item['asked']} {item['says']}" for item in items if item["state"] not in _MET]
    missing += [*said.get("notes", []), said.get("refused", "")]
    complete = bool(said.get("complete", True))
    text = conversation.text
    broken = _broken(agent, line, text, missing, complete=complete, valid=bool(said.get("valid", True)))
    return Result(line, tuple(broken), complete, warned, tuple(missing))


def _broken(
    agent: Agent, line: Json, text: str, missing: Sequence[str], *, complete: bool, valid: bool
) -> list[str]:
    expect: Json = line["expect"]
    broken = [f"told:{phrase}" for phrase in line.get("told", []) if not _is_named(phrase, missing)]
    if any_of := line.get("told_any"):
        said = " ".join(missing).lower()
        broken += [] if any(word.lower() in said for word in any_of) else [f"told_any:{any_of}"]
    if not expect:
        return broken + ([] if not complete else ["complete"])
    if not text:
        return [*broken, "no template"]
    document = Document.read(text)
    data = agent.around.library.resolve(document.data).data
    for key, value in expect.items():
        if not _holds(key, value, data, text):
            broken.append(f"{key}:{json.dumps(value)}")
    excused = False
    for path, test in (line.get("fields") or {}).items():
        if not _field_holds(path, test, data):
            phrase = (line.get("or_told") or {}).get(path)
            if phrase and _is_named(phrase, missing):
                excused = True
            else:
                broken.append(f"{path}:{json.dumps(test)}")
    if not valid:
        broken.append("invalid")
    if complete != line["complete"] and not (excused and not complete):
        broken.append("complete")
    return broken


def _is_named(phrase: str, missing: Sequence[str]) -> bool:
    """Whether something that cannot be had is named: half of the words that say what it is, in one line."""
    wanted = set(terms(phrase)) or set(phrase.lower().split())
    return any(
        len(wanted & (set(terms(text)) | set(text.lower().split()))) * 2 >= len(wanted) for text in missing
    )


def _holds(key: str, value: Any, data: Json, text: str) -> bool:
    target, disk, system = data.get("target") or {}, data.get("disk") or {}, data.get("systemConfig") or {}
    kernel, image = system.get("kernel") or {}, data.get("image") or {}
    packages = set(system.get("packages") or [])
    cmdline = str(kernel.get("cmdline", "")).split()
    users = {user.get("name"): user for user in system.get("users") or []}
    rows = disk.get("partitions") or []
    artifacts = disk.get("artifacts") or []
    boot = system.get("bootloader") or {}
    match key:
        case "distribution":
            return bool(target.get("os") == value)
        case "version":
            return bool(target.get("dist") == value)
        case "architecture":
            return bool(target.get("arch") == value)
        case "imageType":
            return bool(target.get("imageType") == value)
        case "distribution_exclude":
            return target.get("os") not in _listed(value)
        case "packages_include":
            return set(value) <= packages
        case "packages_any":
            return all(packages & set(group) for group in value)
        case "packages_exclude":
            return not packages & set(value)
        case "packages_exclude_pattern":
            return not any(fnmatch.fnmatchcase(name, pattern) for name in packages for pattern in value)
        case "kernel_packages_any":
            names = packages | set(kernel.get("packages") or [])
            return all(names & set(group) for group in value)
        case "kernel_cmdline_include":
            return all(word in cmdline for word in value)
        case "kernel_cmdline_exclude":
            return not any(word in cmdline for word in value)
        case "kernel_modules_include":
            return all(word in str(kernel.get("enableExtraModules", "")).split() for word in value)
        case "user" | "users":
            return all(_has_user(user, users) for user in _listed(value))
        case "users_exclude":
            return not users.keys() & set(value)
        case "encryption":
            return bool((system.get("fde") or {}).get("enabled", False) is value)
        case "fde_unlock":
            return bool((system.get("fde") or {}).get("unlock", "auto") == value)
        case "read_only_root":
            return bool((system.get("immutability") or {}).get("enabled", False) is value)
        case "bootloader":
            return all(
                boot.get("provider") in wanted if name == "provider_any" else boot.get(name) == wanted
                for name, wanted in value.items()
            )
        case "hostname":
            return str(system.get("hostname", "")).lower() == value.lower()
        case "image_name" | "image_version":
            return str(image.get(key.removeprefix("image_"))) == value
        case "artifacts_include":
            return set(value) <= {artifact.get("type") for artifact in artifacts}
        case "artifact_compression":
            return any(
                artifact.get("compression") in _COMPRESSIONS.get(value, (value,)) for artifact in artifacts
            )
        case "disk_selection":
            return bool((disk.get("selectionPolicy") or {}).get("strategy") == value)
        case "extend_last_partition":
            return bool(disk.get("extendLastPartitionToFillDisk", False) is value)
        case "uki":
            return bool((kernel.get("uki") is True or boot.get("provider") == "systemd-boot") is value)
        case "disk_size":
            return same_size(disk.get("size"), value)
        case "partitions":
            return all(_has_partition(part, rows, disk) for part in value)
        case "partitions_exclude":
            return not {row.get("mountPoint") for row in rows} & set(value)
        case "swap_size":
            swaps = [
                row for row in rows if "swap" in str(row.get("fsType")) or "swap" in str(row.get("type"))
            ]
            return not swaps if value is None else any(is_about(length(row, disk), value) for row in swaps)
        case "network":
            return all(_has_interface(face, system.get("network") or {}) for face in _listed(value))
        case "text_absent":
            return not any(phrase in text for phrase in _listed(value))
    raise AssertionError(key)


_COMPRESSIONS = {"gz": ("gz", "gzip"), "gzip": ("gz", "gzip")}


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _has_user(wanted: Json, users: Json) -> bool:
    found = users.get(wanted["name"])
    if found is None:
        return False
    for name, value in wanted.items():
        if name == "groups" and not set(value) <= set(found.get("groups") or []):
            return False
        if name == "password" and not (str(found.get(name, "")).startswith("$") or found.get(name) == value):
            return False
        if (
            name == "sudo"
            and bool(found.get(name)) is not value
            and not (value and set(found.get("groups") or []) & {"sudo", "wheel"})
        ):
            return False
        if name in {"shell", "home"} and found.get(name) != value:
            return False
    return True


def _has_partition(wanted: Json, rows: Sequence[Json], disk: Json) -> bool:
    row = next((row for row in rows if row.get("mountPoint") == wanted["mountPoint"]), None)
    if row is None or wanted.get("fsType", row.get("fsType")) != row.get("fsType"):
        return False
    size = wanted.get("size")
    if size == "rest":
        return str(row.get("end")) == "0" or same_size(row.get("end"), disk.get("size"))
    return size is None or is_about(length(row, disk), size)


def _has_interface(wanted: Json, network: Json) -> bool:
    faces = network.get("interfaces") or []
    face = next((face for face in faces if face.get("name") == wanted.get("name", face.get("name"))), None)
    if face is None:
        return False
    for name, value in wanted.items():
        if name == "via" and value not in [route.get("via") for route in face.get("routes") or []]:
            return False
        if name in {"addresses", "nameservers"} and not set(value) <= set(face.get(name) or []):
            return False
        if name in {"dhcp4", "dhcp6"} and bool(face.get(name)) is not value:
            return False
    return True


_STEP = re.compile(r"([^.\[\]]+)(?:\[([^\]]*)\])?")
_IDENTITIES = ("name", "mountPoint", "id", "path", "codename", "type", "final")


def _field_holds(path: str, test: Json, data: Json) -> bool:
    value: Any = data
    for key, chosen in _STEP.findall(path):
        value = value.get(key) if isinstance(value, dict) else None
        if chosen:
            rows = value if isinstance(value, list) else []
            value = next((row for row in rows if chosen in [row.get(name) for name in _IDENTITIES]), None)
    kind, wanted = next(iter(test.items()))
    if kind == "absent":
        return value in (None, [], {}, "")
    if kind == "equals":
        return bool(value == wanted)
    return all(_contains(value, part) for part in (wanted if isinstance(wanted, list) else [wanted]))


def _contains(value: Any, wanted: Any) -> bool:
    if isinstance(value, str):
        return str(wanted) in value
    if isinstance(value, list):
        if isinstance(wanted, dict):
            return any(isinstance(row, dict) and wanted.items() <= row.items() for row in value)
        return any(
            wanted == row or (isinstance(row, dict) and any(str(wanted) in str(one) for one in row.values()))
            for row in value
        )
    return isinstance(value, dict) and isinstance(wanted, dict) and wanted.items() <= value.items()
