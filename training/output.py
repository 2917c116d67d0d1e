"""Writes fitted numbers as the data files that `vademecum.core.fitted` reads."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import lightgbm


def save(path: Path, **parts: Any) -> None:
    """Put parts into a file of fitted numbers; its other parts stay as they are."""
    fitted = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(f"{_text(fitted | parts)}\n")
    print(f"{path}: {path.stat().st_size / 1e3:.0f} kB")


def _text(value: Any, indent: str = "") -> str:
    """JSON with a key on each line."""
    if not isinstance(value, Mapping):
        return json.dumps(value, separators=(",", ":"))
    inner = f"{indent}  "
    lines = (f"{inner}{json.dumps(key)}: {_text(part, inner)}" for key, part in value.items())
    return "{\n" + ",\n".join(lines) + f"\n{indent}}}"


def by_name(names: Sequence[str], values: Sequence[float], digits: int = 6) -> dict[str, float]:
    """Weights by the name of their feature."""
    return {name: rounded(value, digits) for name, value in zip(names, values, strict=True)}


def rounded(value: float, digits: int) -> float:
    """A number of so many significant digits."""
    return float(f"{value:.{digits}g}")


def trees_of(model: lightgbm.Booster, names: Sequence[str]) -> dict[str, Any]:
    """Boosted trees as `vademecum.core.fitted.Trees` takes them."""
    leaves: list[list[float]] = []
    splits = defaultdict(list)

    def walk(node: dict[str, Any]) -> int:
        """Number the leaves from the left; return the bits of those under this node."""
        if "leaf_value" in node:
            leaves[-1].append(rounded(node["leaf_value"], 5))
            return 1 << len(leaves[-1]) - 1
        left = walk(node["left_child"])
        splits[names[node["split_feature"]]].append([rounded(node["threshold"], 6), len(leaves) - 1, left])
        return left | walk(node["right_child"])

    for tree in model.dump_model()["tree_info"]:
        leaves.append([])
        walk(tree["tree_structure"])
    return {"leaves": leaves, "splits": {name: sorted(splits[name]) for name in names if name in splits}}
