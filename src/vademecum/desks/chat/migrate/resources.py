"""Migrate the models and services of an old configuration: providers, knowledge bases, and strategy thresholds."""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from vademecum.providers.registry import PROVIDERS
from vademecum.text.printable import printable

DEFAULT_THRESHOLD = 0.3
EXTRACTIVE_LLM = {"type": "extractive"}
Plain = dict[str, Any]

_BUILTIN = "builtin"
_KEY = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*(?::-[^{}]*)?\}")
_NO_NAME = re.compile(r"[^\w.-]+")
_TRANSPORTS = {
    "chromadb": "chromadb",
    "chroma": "chromadb",
    "chromadb-wrapper": "chromadb-wrapper",
    "chromadb_wrapper": "chromadb-wrapper",
    "local": "local",
}
_LLMS = {
    "openai-compatible": "openai",
    "openai_compatible": "openai",
    "google": "gemini",
    "googleai": "gemini",
}
_OF_BASE = {
    "type", "provider", "url", "base_url", "collection", "collection_name", "threshold", "description", "top_k",
    "max_results", "n_results", "embedding", "embedding_model", "embedding_provider", "tenant", "database",
    "intent_identifier",
}  # fmt: skip


class Strategy(NamedTuple):
    """A strategy of an old configuration."""

    name: str
    detection: Plain
    response: Plain

    @property
    def kind(self) -> str:
        """The kind of detection: `rag`, `llm`, `default`, or another one."""
        return str(self.detection.get("type") or "default").lower()


class ResourceMigration:
    """The llms and services of the new configuration.

    Attributes:
        of_strategy: The service of each strategy that queries a knowledge base, by the strategy's position.
        models: The first model that a strategy names with each provider.
    """

    def __init__(self, old: Plain, strategies: list[Strategy], lose: Callable[[str], None]) -> None:
        self._old = old
        self._lose = lose
        self.llms: dict[str, Plain] = {}
        self.services: dict[str, Plain] = {}
        self.of_strategy: dict[int, str] = {}
        self.models: dict[str, str] = {}
        for strategy in strategies:
            if strategy.response.get("provider") and strategy.response.get("model"):
                self.models.setdefault(str(strategy.response["provider"]), str(strategy.response["model"]))
        for name, provider in self._mappings("providers"):
            self._llm(name, provider)
        self.embedding = self._embedding_of(old.get("embedding"), "embedding")
        self._all_services(strategies)

    def has_model(self, llm: str) -> bool:
        """Return whether an llm has a model."""
        return str(self.llms.get(llm, EXTRACTIVE_LLM)["type"]) != "extractive"

    def _mappings(self, key: str) -> Iterator[tuple[str, Plain]]:
        section = self._old.get(key)
        for name, value in section.items() if isinstance(section, dict) else ():
            if isinstance(value, dict):
                yield name, value
            elif name != "comment":
                self._lose(f"{key}.{printable(name, 60)}: it is not a mapping.")

    def _llm(self, name: str, provider: Plain) -> None:
        given = str(provider.get("type") or provider.get("provider") or name)
        kind = _LLMS.get(given.lower(), given.lower())
        url = next((str(provider[key]) for key in ("base_url", "url", "host") if provider.get(key)), "")
        llm: Plain = {"type": kind}
        if kind not in {*PROVIDERS, "extractive"}:
            if not url:
                self._lose(
                    f"The provider {printable(name, 60)}: there is no {printable(given, 40)} ; its rules quote the documents (extractive)."
                )
                llm["type"] = "extractive"
                self.llms[name] = llm
                return
            self._lose(
                f"The provider {printable(name, 60)}: there is no {printable(given, 40)} ; its server is used as an OpenAI-compatible one."
            )
            llm["type"] = "openai"
        if url:
            llm["base_url"] = url
        if key := provider.get("api_key"):
            llm["api_key"] = self._key(name, str(key))
        model = provider.get("default_model") or provider.get("model")
        if model:
            llm["default_model"] = str(model)
        if provider.get("timeout_s") is not None:
            llm["timeout_s"] = provider["timeout_s"]
        known = {
            "type",
            "provider",
            "base_url",
            "url",
            "host",
            "api_key",
            "default_model",
            "model",
            "timeout_s",
        }
        for key in sorted(provider.keys() - known - {"comment"}):
            self._lose(f"The provider {printable(name, 60)}: {printable(key, 60)} is no longer supported.")
        self.llms[name] = llm

    def _key(self, name: str, key: str) -> str:
        if _KEY.fullmatch(key.strip()):
            return key.strip()
        variable = f"{re.sub(r'[^A-Z0-9]+', '_', name.upper()).strip('_') or 'LLM'}_API_KEY"
        if variable[0].isdigit():
            variable = f"KEY_{variable}"
        self._lose(
            f"The provider {printable(name, 60)}: its key was in the file. Set it in the environment as {variable}."
        )
        return f"${{{variable}}}"

    def llm_of(self, provider: object, what: str) -> str:
        """Return the llm for the name of a provider."""
        name = str(provider or "")
        if name in self.llms:
            return name
        first = next(iter(self.llms), "")
        if not first:
            self._lose(f"{what}: there is no provider; it quotes the documents (extractive).")
            return "extractive"
        why = f"there is no provider {printable(name, 60)}" if name else "it has no provider"
        self._lose(f"{what}: {why}; {printable(first, 60)} is used.")
        return first

    # --- services ---

    def _all_services(self, strategies: list[Strategy]) -> None:
        """Add a service for each knowledge base and each pair of thresholds that strategies use with it."""
        bases = dict(self._mappings("knowledge_bases"))
        used: dict[str, dict[tuple[float, float | None], str]] = {}
        described: dict[str, str] = {}
        for place, strategy in enumerate(strategies):
            if strategy.kind != "rag":
                continue
            name, detection, _ = strategy
            base = str(detection.get("knowledge_base") or "")
            if base not in bases:
                self._lose(
                    f"The strategy {printable(name, 60)}: there is no knowledge base {printable(base, 60)}; it is omitted."
                )
                continue
            thresholds = self._thresholds(name, detection, bases[base])
            services = used.setdefault(base, {})
            if thresholds not in services:
                services[thresholds] = self._service_name(base, name, first=not services)
            self.of_strategy[place] = services[thresholds]
            if text := str(detection.get("description") or ""):
                described.setdefault(services[thresholds], text)
        for base, settings in bases.items():
            if base not in used:
                threshold = self._threshold(settings.get("threshold"), DEFAULT_THRESHOLD, base)
                self._lose(f"The knowledge base {printable(base, 60)}: no strategy uses it.")
                used[base] = {(threshold, None): self._service_name(base, "", first=True)}
            for (match, partial), service in used[base].items():
                self.services[service] = self._service(
                    base, settings, match, partial, described.get(service, "")
                )

    def _service_name(self, base: str, strategy: str, *, first: bool) -> str:
        wanted = base if first else f"{base}_{strategy.lower()}"
        plain = _NO_NAME.sub("-", wanted).strip("-") or "service"
        if first and plain != base:
            self._lose(f"The knowledge base {printable(base, 60)}: it is now named {plain}.")
        taken = {*self.of_strategy.values(), *self.services}
        found, number = plain, 2
        while found in taken:
            found, number = f"{plain}_{number}", number + 1
        return found

    def _thresholds(self, name: str, detection: Plain, base: Plain) -> tuple[float, float | None]:
        what = f"The strategy {printable(name, 60)}"
        given = detection.get("threshold", base.get("threshold"))
        if given is None:
            self._lose(f"{what}: it has no threshold; {DEFAULT_THRESHOLD} is used.")
        match = self._threshold(given, DEFAULT_THRESHOLD, what)
        wide = detection.get("fallback_threshold")
        if wide is None:
            return match, None
        partial = self._threshold(wide, match, what)
        if partial <= match:
            self._lose(f"{what}: its fallback_threshold is not above its threshold, and is omitted.")
            return match, None
        return match, partial

    def _threshold(self, given: object, otherwise: float, what: str) -> float:
        if given is None:
            return otherwise
        try:
            value = float(given) if isinstance(given, int | float | str) and given is not True else math.nan
        except ValueError:
            value = math.nan
        if not 0 <= value <= 2:
            self._lose(f"{what}: the threshold {printable(str(given), 40)} is invalid; {otherwise} is used.")
            return otherwise
        return value

    def _service(
        self, base: str, settings: Plain, match: float, partial: float | None, description: str
    ) -> Plain:
        what = f"The knowledge base {printable(base, 60)}"
        given = str(settings.get("type") or settings.get("provider") or "chromadb-wrapper")
        kind = _TRANSPORTS.get(given.lower(), "")
        if not kind:
            self._lose(f"{what}: there is no transport {printable(given, 40)}; chromadb-wrapper is used.")
            kind = "chromadb-wrapper"
        url = str(settings.get("url") or settings.get("base_url") or "")
        if not url and kind != "local":
            self._lose(f"{what}: it has no url; collections on this machine are used instead.")
            kind = "local"
        service: Plain = {"type": kind}
        if kind != "local":
            service["url"] = url
        if collection := settings.get("collection") or settings.get("collection_name"):
            service["collection"] = str(collection)
        service["match_threshold"] = match
        if partial is not None:
            service["partial_threshold"] = partial
        if text := description or str(settings.get("description") or ""):
            service["description"] = text
        limit = next(
            (settings[key] for key in ("top_k", "max_results", "n_results") if key in settings), None
        )
        if isinstance(limit, int) and limit is not True:
            service["top_k"] = max(1, min(50, limit))
            if service["top_k"] != limit:
                self._lose(f"{what}: it asks for {limit} results; {service['top_k']} are used.")
        if kind == "chromadb":
            service |= self._own_embedding(what, settings)
        for key in ("tenant", "database", "intent_identifier"):
            if isinstance(settings.get(key), str) and settings[key]:
                service[key] = settings[key]
        for key in sorted(settings.keys() - _OF_BASE - {"comment"}):
            self._lose(f"{what}: {printable(key, 60)} is no longer supported.")
        return service

    def _own_embedding(self, what: str, settings: Plain) -> Plain:
        given = settings.get("embedding")
        if given is None and (settings.get("embedding_model") or settings.get("embedding_provider")):
            given = {"model": settings.get("embedding_model"), "provider": settings.get("embedding_provider")}
        found = self._embedding_of(given, what)
        return {"embedding": found} if found else {}

    def _embedding_of(self, given: object, what: str) -> Plain | None:
        if isinstance(given, str):
            given = {"model": given}
        if not isinstance(given, Mapping):
            return None
        model = str(given.get("model") or "")
        if not model:
            self._lose(f"{what}: the embedding has no model, and is omitted.")
            return None
        if model == _BUILTIN:
            return {"model": model}
        known = {"model", "provider", "llm", "type", "base_url", "url", "comment"}
        for key in sorted(given.keys() - known):
            self._lose(f"{what}: {printable(str(key), 60)} of the embedding is no longer supported.")
        llm = self._embedding_llm(given, what)
        if not self.has_model(llm):
            self._lose(f"{what}: nothing runs the embedding model {printable(model, 60)}; it is omitted.")
            return None
        return {"model": model, "llm": llm}

    def _embedding_llm(self, given: Mapping[str, Any], what: str) -> str:
        """Return the llm that runs an embedding model, by its name or its server."""
        name = str(given.get("llm") or given.get("provider") or "")
        url = str(given.get("base_url") or given.get("url") or "").rstrip("/")
        if name not in self.llms and url:
            there = (one for one, llm in self.llms.items() if llm.get("base_url", "").rstrip("/") == url)
            if found := next(there, ""):
                return found
            kind = _LLMS.get(name.lower(), name.lower()) or str(given.get("type") or "")
            if kind in PROVIDERS:
                self.llms["embedding"] = {"type": kind, "base_url": url}
                return "embedding"
        found = self.llm_of(name, f"{what}: the embedding")
        own = self.llms.get(found, {}).get("base_url", "").rstrip("/")
        if url and url != own:
            self._lose(
                f"{what}: the embedding's own address is omitted; that of {printable(found, 60)} is used."
            )
        return found
