"""Convert both spellings of a configuration to one normal form.

Aliases are renamed, comments are removed, and environment variables are substituted. Positions are kept, so that
later faults still name the keys as written in the file.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from vademecum.config.document import Node
from vademecum.text.printable import printable
from vademecum.text.similar import closest

VARIABLE = re.compile(r"\$\{([A-Z_][A-Z0-9_]*)(:-([^{}]*))?\}")
_KEY = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(:-[^{}]*)?\}")
PROSE = {"prompt", "static_response", "description"}
"""Keys of texts for people or models. Neither these nor the descriptions of intents contain environment variables."""

RESULTS = ("match", "partial", "none")
_SAME = {"candidate": "partial"}


class Fault(NamedTuple):
    """An error or a warning.

    Attributes:
        path: The path in the file (`responses[2].match.intent`); "" for the whole file.
        line: The line, from 1; 0 if there is none.
        meant: What was probably meant, or "".
    """

    path: str
    line: int
    message: str
    meant: str = ""

    def __str__(self) -> str:
        place = f"{self.path}: " if self.path else ""
        hint = f" Did you mean {self.meant}?" if self.meant else ""
        return f"{place}{self.message}{hint}"


def normalise(root: Node, environment: Mapping[str, str] | None = None) -> tuple[Node, list[Fault]]:
    """Return a configuration with canonical keys, and the faults that were found."""
    return _Normaliser(os.environ if environment is None else environment).run(root)


class _Normaliser:
    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self.faults: list[Fault] = []

    def run(self, root: Node) -> tuple[Node, list[Fault]]:
        top = self._without_comments(root)
        self._substitute(top, "")
        if isinstance(top.value, dict):
            top.value.pop("$schema", None)
            self._intent(top)
            for llm in _mappings(top, "llms"):
                self._rename(llm, "provider", "type")
            for service in _mappings(top, "rag_services"):
                self._rename(service, "provider", "type")
                self._rename(service, "candidate_threshold", "partial_threshold")
            rules = top.value.get("responses")
            for rule in rules.value if rules and isinstance(rules.value, list) else []:
                self._rule(rule)
        return top, self.faults

    # --- keys ---

    def _without_comments(self, node: Node) -> Node:
        if isinstance(node.value, dict):
            kept = {
                key: self._without_comments(inner)
                for key, inner in node.value.items()
                if key != "comment" or isinstance(inner.value, dict)
            }
            return Node(kept, node.line, node.path)
        if isinstance(node.value, list):
            return Node([self._without_comments(inner) for inner in node.value], node.line, node.path)
        return node

    def _rename(self, node: Node, alias: str, name: str) -> None:
        """Rename an alias to the canonical key. Both keys can be given if their values are equal."""
        keys = node.value
        if not isinstance(keys, dict) or alias not in keys:
            return
        given = keys.pop(alias)
        if name not in keys:
            keys[name] = given
        elif keys[name].plain() != given.plain():
            message = f"This is an alias of {name}, but the two values differ."
            self.faults.append(Fault(given.path, given.line, message))

    def _intent(self, top: Node) -> None:
        keys = top.value
        if not isinstance(keys, dict):
            return
        for name in ("intent", "intent_detection"):
            node = keys.get(name)
            if node and isinstance(node.value, dict):
                self._flat_provider(node)
        self._rename(top, "intent_detection", "intent")

    def _flat_provider(self, node: Node) -> None:
        """Move `llm` and `model` in the section itself to its provider."""
        keys = node.value
        if not isinstance(keys, dict):
            return
        names: tuple[str, ...] = ("llm", "model")
        flat = {key: keys.pop(key) for key in names if key in keys}
        if not flat:
            return
        provider = Node(flat, node.line, node.path)
        if "provider" in keys and keys["provider"].plain() != provider.plain():
            message = "llm and model are also set under provider, with different values."
            self.faults.append(Fault(node.path, node.line, message))
        keys["provider"] = provider

    def _rule(self, rule: Node) -> None:
        if not isinstance(rule.value, dict):
            return
        context = rule.value.get("context")
        if context and (context.value is False):
            context.value = "none"
        match = rule.value.get("match")
        if match and match.value is None:
            rule.value.pop("match")
        if match and isinstance(match.value, dict):
            self._rename(match, "intent_any", "intent")
            self._filter(match)

    def _filter(self, match: Node) -> None:
        """Convert `rag_result`, in all its spellings, to a list of results."""
        keys = match.value
        if not isinstance(keys, dict):
            return
        found = {name: keys.pop(name) for name in ("rag_result", "rag_results") if name in keys}
        for node in found.values():
            node.value = self._results(node)
        if len(found) == 2 and found["rag_result"].plain() != found["rag_results"].plain():
            node = found["rag_results"]
            self.faults.append(
                Fault(node.path, node.line, "This is an alias of rag_result, but the two values differ.")
            )
        if found:
            keys["rag_result"] = next(iter(found.values()))

    def _results(self, node: Node) -> list[Node]:
        given = node.value if isinstance(node.value, list) else [node]
        wanted: set[str] = set()
        for one in given:
            value = one.value
            if value is True or value == "any":
                wanted |= {"match", "partial"}
            elif value is False:
                wanted.add("none")
            elif isinstance(value, str) and _SAME.get(value, value) in RESULTS:
                wanted.add(_SAME.get(value, value))
            else:
                shown = printable(repr(one.plain()), 40)
                message = f"{shown} is not one of match, partial (candidate), none, any, true, false."
                self.faults.append(Fault(one.path, one.line, message, closest(str(value), (*RESULTS, "any"))))
        if not given:
            self.faults.append(
                Fault(node.path, node.line, "The list is empty, so the condition never holds.")
            )
        return [Node(result, node.line, node.path) for result in RESULTS if result in wanted]

    # --- environment ---

    def _substitute(self, node: Node, key: str) -> None:
        if (key in PROSE and isinstance(node.value, str)) or key == "detection":
            return
        if isinstance(node.value, dict):
            for name, inner in node.value.items():
                self._substitute(inner, name)
        elif isinstance(node.value, list):
            for inner in node.value:
                self._substitute(inner, key)
        elif isinstance(node.value, str) and "${" in node.value:
            if key == "api_key":
                self._named_key(node)
            else:
                node.value = VARIABLE.sub(self._value_for(node), node.value)

    def _value_for(self, node: Node) -> Callable[[re.Match[str]], str]:
        def value(found: re.Match[str]) -> str:
            name, default = found[1], found[3]
            given = self._environment.get(name, "")
            if given or found[2]:
                return given or str(default)
            message = f"The environment variable {printable(name, 60)} is not set."
            self.faults.append(Fault(node.path, node.line, message))
            return ""

        return value

    def _named_key(self, node: Node) -> None:
        """Check that an API key's variable is set. The key stays `${NAME}`; its value is only read to be sent."""
        found = _KEY.fullmatch(str(node.value).strip())
        if found and not found[2] and not self._environment.get(found[1], "").strip():
            message = f"The environment variable {printable(found[1], 60)} is not set."
            self.faults.append(Fault(node.path, node.line, message))


def _mappings(top: Node, name: str) -> Iterator[Node]:
    """Yield the mappings in a section of named mappings."""
    section = top.value.get(name) if isinstance(top.value, dict) else None
    if section and isinstance(section.value, dict):
        yield from (node for node in section.value.values() if isinstance(node.value, dict))
