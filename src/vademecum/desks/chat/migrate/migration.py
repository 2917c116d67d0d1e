"""Migrate an old configuration (providers, knowledge bases, strategies) to services and rules.

Whatever has no counterpart in the new format is listed as a loss.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from vademecum.config.document import Node, NotReadable, parse
from vademecum.core.errors import ConfigError
from vademecum.desks.chat.load import NOTHING_FOUND, ConfigurationFaulty, Loaded, read
from vademecum.desks.chat.migrate.recent_format import renew
from vademecum.desks.chat.migrate.resources import Plain, ResourceMigration, Strategy
from vademecum.desks.chat.variables import known_variables
from vademecum.text.printable import printable

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_PLACE = re.compile(r"\$\{\s*([^{}]*?)\s*\}|\{\{\s*([A-Za-z_][\w.]*)\s*\}\}")
_ADDRESS = re.compile(r"URL|URI|HOST|BASE|ENDPOINT|ADDRESS|SERVER")
_HINT = "An old configuration has providers, knowledge_bases and strategies; see docs/how-to/migrate-a-chat-configuration.md"


class Migrated(NamedTuple):
    """A migrated configuration.

    Attributes:
        data: The configuration as plain data, with the names of the strategies as comments.
        losses: Sentences about what is missing from the new configuration, or works differently.
        loaded: The validated configuration. Environment variables are assumed to be set.
    """

    data: Plain
    losses: tuple[str, ...]
    loaded: Loaded

    def to_yaml(self) -> str:
        """Return the configuration as YAML."""
        import yaml  # noqa: PLC0415 - other functions write no YAML

        class Dumper(yaml.SafeDumper):
            """A dumper that writes multi-line texts as blocks."""

        def text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
            style = "|" if "\n" in value and not re.search(r"[ \t]+$", value, re.MULTILINE) else None
            return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)

        Dumper.add_representer(str, text)
        return yaml.dump(self.data, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=100)


def migrate(data: bytes, name: str, *, is_json: bool = True) -> Migrated:
    """Migrate an old configuration."""
    try:
        root = parse(data, is_json=is_json)
    except NotReadable as error:
        line = f":{error.line}" if error.line else ""
        raise ConfigError(f"{printable(name, 200)}{line}: {error.message}", hint=_HINT) from error
    old = _snake(root)
    if not isinstance(old, dict) or not (
        {"strategies", "knowledge_bases", "providers", "responses"} & old.keys()
    ):
        raise ConfigError(f"{printable(name, 200)} is not an old chat configuration.", hint=_HINT)
    migration = _Migration(old)
    try:
        if "responses" in old:
            new, losses, loaded = renew(old, name, _Anything(), migration.text)
            losses = [*migration.losses, *losses]
            if new == root.plain() and not losses:
                message = f"{printable(name, 200)} is already in the current format; no conversion is needed."
                raise ConfigError(message, hint="Check it with: vademecum chat check")
            return Migrated(new, tuple(dict.fromkeys(losses)), loaded)
        new = migration.run()
        loaded = read(json.dumps(new).encode(), name, is_json=True, environment=_Anything())
    except ConfigurationFaulty as error:
        said = "; ".join(str(fault) for fault in error.faults[:5])
        message = f"{printable(name, 200)} cannot be converted: {said}"
        raise ConfigError(message, hint="Correct the old file, and try again.") from error
    return Migrated(new, tuple(dict.fromkeys(migration.losses)), loaded)


class _Anything(dict[str, str]):
    """An environment in which every variable is set. A variable that is not set gets a likely value."""

    def get(self, key: str, default: Any = None) -> str:  # noqa: ARG002 - a part of a mapping
        likely = "http://localhost" if _ADDRESS.search(key) else "1"
        return os.environ.get(key, "").strip() or likely


def _snake(node: Node) -> Any:
    """Return plain data with keys in snake case (`baseUrl` becomes `base_url`). User-defined names are unchanged."""

    def plain(node: Node, *, names: bool) -> Any:
        if isinstance(node.value, dict):
            found = {}
            for key, inner in node.value.items():
                own = key if names else _CAMEL.sub("_", key).lower()
                holds_names = own in _HOLD_NAMES and not names
                found[own] = plain(inner, names=holds_names)
            return found
        if isinstance(node.value, list):
            return [plain(inner, names=False) for inner in node.value]
        return node.value

    return plain(node, names=False)


class _Migration:
    def __init__(self, old: Plain) -> None:
        self._old = old
        self.losses: list[str] = []
        self._strategies = list(self._read())
        self._resources = ResourceMigration(old, self._strategies, self._lose)

    def run(self) -> Plain:
        resources = self._resources
        default = self._default()
        rules = [*self._rag(), *self._partial(), *self._by_llm()]
        rules = [*self._reachable(rules), self._fallback(default)]
        for key in sorted(self._old.keys() - _TOP):
            self._lose(f"{printable(key, 60)}: the key no longer exists.")
        new: Plain = {}
        if resources.llms:
            new["llms"] = resources.llms
        if resources.services:
            new["rag_services"] = resources.services
        if resources.embedding:
            new["embedding"] = resources.embedding
        if intent := self._intent():
            new["intent"] = intent
        return {**new, "responses": rules}

    def _lose(self, what: str) -> None:
        self.losses.append(what)

    # --- reading ---

    def _read(self) -> Iterator[Strategy]:
        section = self._old.get("strategies") or []
        if isinstance(section, dict):
            section = [{"name": name, **one} for name, one in section.items() if isinstance(one, dict)]
        for place, one in enumerate(section if isinstance(section, list) else []):
            if isinstance(one, str):
                continue  # a comment
            if not isinstance(one, dict):
                self._lose(f"strategies[{place}]: it is not a mapping.")
                continue
            name = str(one.get("name") or f"STRATEGY_{place + 1}")
            for key in sorted(one.keys() - {"name", "detection", "response", "comment"}):
                self._lose(
                    f"The strategy {printable(name, 60)}: {printable(key, 60)} is no longer supported."
                )
            detection, response = one.get("detection"), one.get("response")
            yield Strategy(
                name,
                detection if isinstance(detection, dict) else {"type": str(detection or "default")},
                response if isinstance(response, dict) else {},
            )

    # --- rules ---

    def _rag(self) -> Iterator[Plain]:
        services = self._resources.of_strategy
        for place, strategy in enumerate(self._strategies):
            if place in services:
                yield self._rule(strategy, {"rag_result": "match", "service": services[place]})
            if strategy.kind == "rag":
                self._unused(strategy, {"knowledge_base", "threshold", "fallback_threshold"})

    def _partial(self) -> Iterator[Plain]:
        for place, strategy in enumerate(self._strategies):
            service = self._resources.of_strategy.get(place)
            if service and "partial_threshold" in self._resources.services[service]:
                yield self._rule(
                    strategy, {"rag_result": "partial", "service": service}, records_losses=False
                )

    def _by_llm(self) -> Iterator[Plain]:
        for strategy in self._strategies:
            if strategy.kind == "llm":
                yield self._rule(strategy, {"intent": strategy.name}, context=False)
                self._unused(strategy, {"provider", "model"})

    def _default(self) -> Strategy | None:
        """Return the strategy that answers if no other does, regardless of its position."""
        wanted = self._old.get("default_strategy")
        for strategy in self._strategies:
            if strategy.kind == "default":
                self._unused(strategy, set())
            elif strategy.kind not in {"rag", "llm"}:
                kind = printable(strategy.kind, 40)
                self._lose(f"{_named(strategy)}: there is no detection by {kind}; it is omitted.")
        named = next((strategy for strategy in self._strategies if strategy.name == wanted), None)
        if wanted and named is None:
            self._lose(f"default_strategy: there is no strategy {printable(str(wanted), 60)}.")
        defaults = [strategy for strategy in self._strategies if strategy.kind == "default"]
        chosen = named or (defaults[0] if defaults else None)
        for default in defaults:
            if default is not chosen:
                self._lose(f"{_named(default)}: there can be only one default; it is omitted.")
        return chosen

    def _fallback(self, default: Strategy | None) -> Plain:
        if default is None:
            self._lose("There is no default strategy; the fallback reports that nothing was found.")
            return {"comment": "fallback", "static_response": NOTHING_FOUND}
        return self._rule(default, None, context=False)

    def _rule(
        self, one: Strategy, match: Plain | None, *, context: bool = True, records_losses: bool = True
    ) -> Plain:
        """Return a strategy as a rule."""
        what, response, before = _named(one), one.response, len(self.losses)
        rule: Plain = {"comment": one.name}
        if match:
            rule["match"] = match
        static = response.get("static_response")
        if isinstance(static, str) and static:
            rule["static_response"] = self.text(static, what)
            if response.get("system_prompt"):
                self._lose(f"{what}: it has a static_response, so its system_prompt was never used.")
        else:
            prompt = response.get("system_prompt") or response.get("prompt")
            if isinstance(prompt, str) and prompt:
                rule["prompt"] = self.text(prompt, what)
            self._answered_by(rule, response, what)
            if not context:
                rule["context"] = "none"
        for key in sorted(response.keys() - _OF_RESPONSE):
            why = "answers are made in one stage" if "reason" in key else "it is no longer supported"
            self._lose(f"{what}: {printable(key, 60)} of its response is omitted: {why}.")
        if not records_losses:
            del self.losses[before:]
        return rule

    def _answered_by(self, rule: Plain, response: Plain, what: str) -> None:
        llm = self._resources.llm_of(response.get("provider") or response.get("llm"), what)
        rule["llm"] = llm
        if self._resources.has_model(llm):
            model = response.get("model") or ""
            if model:
                rule["model"] = str(model)
            elif not self._resources.llms[llm].get("default_model"):
                if other := self._resources.models.get(llm):
                    self._lose(f"{what}: it has no model; {printable(other, 60)} is used.")
                    rule["model"] = other
                else:
                    self._lose(f"{what}: no model is configured; it quotes the documents (extractive).")
                    rule["llm"] = "extractive"
        tokens = response.get("max_tokens")
        if tokens is not None:
            if isinstance(tokens, int) and tokens is not True and 1 <= tokens <= 1_000_000:
                rule["max_tokens"] = tokens
            else:
                self._lose(f"{what}: max_tokens is not a number of tokens, and is omitted.")
        warmth = response.get("temperature")
        if warmth is not None:
            if isinstance(warmth, int | float) and warmth is not True and 0 <= warmth <= 5:
                rule["temperature"] = warmth
            else:
                self._lose(f"{what}: temperature is not a number from 0 to 5, and is omitted.")

    def text(self, text: str, what: str) -> str:
        """Return a text without the marks of unknown variables."""
        known = known_variables()

        def kept(found: re.Match[str]) -> str:
            name = found[1] if found[1] is not None else found[2]
            if name in known:
                return found[0]
            self._lose(
                f"{what}: {printable(found[0], 60)} in its text is not a variable; it is kept as plain text."
            )
            return f"({name})"

        return _PLACE.sub(kept, text)

    def _reachable(self, rules: list[Plain]) -> Iterator[Plain]:
        """Yield the rules, except those with the same condition as an earlier rule."""
        seen: dict[str, str] = {}
        for rule in rules:
            key = repr(rule["match"])
            if key in seen:
                self._lose(
                    f"The strategy {printable(rule['comment'], 60)}: {printable(seen[key], 60)} before it matches the same questions; it is omitted."
                )
                continue
            seen[key] = rule["comment"]
            yield rule

    def _intent(self) -> Plain | None:
        """Return the intent detection for the strategies that need it, or None."""
        resources = self._resources
        by_llm = [strategy for strategy in self._strategies if strategy.kind == "llm"]
        given = self._old.get("detection_provider")
        if given is None:
            given = next((one.detection for one in by_llm if one.detection.get("provider")), None)
        partial = any("partial_threshold" in one for one in resources.services.values())
        if not by_llm and not (partial and given):
            if given:
                self._lose(
                    "detection_provider: no strategy classifies questions with a model; it is omitted."
                )
            return None
        section = given if isinstance(given, Mapping) else {"provider": given}
        provider = self._detector(section)
        if provider is None:
            return None
        for key in sorted(section.keys() - {"provider", "llm", "model", "type", "description", "comment"}):
            self._lose(f"detection_provider: {printable(str(key), 60)} is no longer supported.")
        for one in by_llm:
            own = {key: one.detection.get(key) for key in ("provider", "model")}
            if any(value and value != section.get(key) for key, value in own.items()):
                self._lose(f"{_named(one)}: one model classifies all questions; its own is omitted.")
        detected = {one.name: str(one.detection.get("description") or "") for one in by_llm}
        return {"provider": provider, **({"detection": detected} if detected else {})}

    def _detector(self, section: Mapping[str, Any]) -> Plain | None:
        """Return the model that detects intents, or None."""
        resources, what = self._resources, "detection_provider"
        llm = resources.llm_of(section.get("provider") or section.get("llm"), what)
        if not resources.has_model(llm):
            self._lose(
                f"{what}: no model can classify questions, so strategies that depend on it are never used."
            )
            return None
        model = section.get("model") or ""
        if not model and not resources.llms[llm].get("default_model"):
            model = resources.models.get(llm, "")
            if not model:
                self._lose(
                    f"{what}: no model is configured, so strategies that depend on classification are never used."
                )
                return None
            self._lose(f"{what}: it has no model; {printable(model, 60)} is used.")
        return {"llm": llm, **({"model": str(model)} if model else {})}

    def _unused(self, one: Strategy, known: set[str]) -> None:
        """Record the keys of a detection that have no counterpart."""
        for key in sorted(one.detection.keys() - known - {"type", "description", "comment"}):
            self._lose(f"{_named(one)}: {printable(key, 60)} of its detection is no longer supported.")


def _named(one: Strategy) -> str:
    return f"The strategy {printable(one.name, 60)}"


_HOLD_NAMES = {"providers", "knowledge_bases", "llms", "rag_services", "detection"}
"""The sections whose keys are user-defined names."""

_TOP = {
    "providers", "knowledge_bases", "detection_provider", "strategies", "default_strategy", "embedding", "comment",
}  # fmt: skip
_OF_RESPONSE = {
    "provider", "llm", "model", "max_tokens", "temperature", "system_prompt", "prompt", "static_response", "comment",
}  # fmt: skip
