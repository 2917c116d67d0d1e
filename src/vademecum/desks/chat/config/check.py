"""Check a configuration whose keys are valid: undefined names, and rules that can never match."""

import os
import re
from collections.abc import Iterator, Mapping

from vademecum import extensions
from vademecum.config.document import Node
from vademecum.core.errors import ConfigError
from vademecum.desks.chat.config.model import EXTRACTIVE, Configuration, Embedding, Llm, Rule, Service
from vademecum.desks.chat.config.normal_form import Fault
from vademecum.providers.registry import PROVIDERS
from vademecum.text.printable import printable
from vademecum.text.similar import closest

BUILTIN = "builtin"
NEVER_REACHED = "It is never reached"
_KEY = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*(?::-[^{}]*)?\}")


def check(configuration: Configuration, root: Node) -> tuple[list[Fault], list[Fault]]:
    """Return faults and warnings, in the order of the file's sections."""
    checker = _Checker(configuration, root)
    checker.run()
    return checker.faults, checker.warnings


class _Checker:
    def __init__(self, configuration: Configuration, root: Node) -> None:
        self._configuration = configuration
        self._root = root
        self._llms: Mapping[str, Llm] = {EXTRACTIVE: Llm(type=EXTRACTIVE), **configuration.llms}
        self.faults: list[Fault] = []
        self.warnings: list[Fault] = []

    def run(self) -> None:
        for name, llm in self._configuration.llms.items():
            self._llm(name, llm)
        for name, service in self._configuration.rag_services.items():
            self._service(name, service)
        if self._configuration.embedding:
            self._embedding(self._configuration.embedding, ("embedding",), "The embedding")
        self._intent()
        for place, rule in enumerate(self._configuration.responses):
            self._rule(place, rule)
        self._order()

    # --- llms ---

    def _llm(self, name: str, llm: Llm) -> None:
        place = ("llms", name)
        if name == EXTRACTIVE and llm.type != EXTRACTIVE:
            self._fault((*place, "type"), "The name extractive is reserved for the llm without a model.")
        if llm.type == EXTRACTIVE:
            return
        if llm.type not in PROVIDERS and not extensions.find("providers", llm.type):
            known = (*PROVIDERS, EXTRACTIVE)
            message = f"Unknown provider {printable(llm.type, 40)} (known: {', '.join(known)})."
            self._fault((*place, "type"), message, closest(llm.type, known))
        if llm.api_key and not _KEY.fullmatch(llm.api_key):
            message = (
                "Use ${NAME}, where NAME is the environment variable that holds the key, not the key itself."
            )
            self._fault((*place, "api_key"), message)
        self._url(llm.base_url, (*place, "base_url"))
        self._url(llm.proxy, (*place, "proxy"))
        if llm.ca_file and not os.path.isfile(llm.ca_file):  # noqa: PTH113 - the path as written in the file
            self._fault((*place, "ca_file"), f"File {printable(llm.ca_file, 200)} not found.")
        if llm.default_model:
            self._model(llm.default_model, name, (*place, "default_model"))

    def _url(self, url: str, place: tuple[str | int, ...]) -> None:
        if not url:
            return
        from vademecum.net import place_of  # noqa: PLC0415 - the client takes 0.2 s to load

        try:
            place_of(url)
        except ConfigError as error:
            self._fault(place, f"{error.message} {error.hint}")

    def _model(self, model: str, llm: str, place: tuple[str | int, ...]) -> None:
        has = self._llms[llm].models
        if has and model not in has and "${" not in model and "{{" not in model:
            message = f"The llm {printable(llm, 40)} has no model {printable(model, 60)}."
            self._fault(place, message, closest(model, list(has)))

    # --- services ---

    def _service(self, name: str, service: Service) -> None:
        place = ("rag_services", name)
        if "/" in name or not name.isprintable() or name != name.strip():
            self._fault(place, "The name of a service must consist of visible characters without a slash.")
        match, partial = service.match_threshold, service.partial_threshold
        if match is None and service.type != "local":
            shown = printable(name, 60)
            self._fault((*place, "match_threshold"), f"Service {shown}: match_threshold is missing.")
        elif match is None and partial is not None:
            message = "It has no effect without match_threshold: answerability is used instead."
            self._fault((*place, "partial_threshold"), message)
        elif match is not None and partial is not None and partial < match:
            message = f"partial_threshold ({partial:g}) is below match_threshold ({match:g})."
            self._fault((*place, "partial_threshold"), message)
        if service.type == "local":
            if service.url:
                self._fault(
                    (*place, "url"),
                    "A local service has no address, because its collections are on this machine.",
                )
        elif not service.url:
            self._fault(place, "url is missing (the address of the server).")
        self._url(service.url, (*place, "url"))
        if service.type != "chromadb":
            if service.embedding:
                who = (
                    "embeds questions itself" if service.type == "chromadb-wrapper" else "has its own vectors"
                )
                self.warnings.append(
                    self._named((*place, "embedding"), f"It has no effect: {service.type} {who}.")
                )
        elif service.embedding:
            self._embedding(service.embedding, (*place, "embedding"), f"RAG service '{printable(name, 60)}'")
        elif self._configuration.embedding is None:
            message = "No embedding is configured. Questions are embedded with the built-in word table."
            self.warnings.append(self._named(place, message))

    def _embedding(self, embedding: Embedding, place: tuple[str | int, ...], who: str) -> None:
        if not embedding.llm:
            if embedding.model != BUILTIN:
                message = "llm is missing (the llm that runs the embedding model; only builtin needs none)."
                self._fault(place, message)
        elif embedding.llm not in self._llms:
            message = f"{who} references undefined LLM: {printable(embedding.llm, 60)}."
            self._fault((*place, "llm"), message, closest(embedding.llm, self._llms))
        elif self._llms[embedding.llm].type == EXTRACTIVE:
            self._fault((*place, "llm"), f"{printable(embedding.llm, 60)} is not a model and cannot embed.")

    # --- intent and rules ---

    def _intent(self) -> None:
        intent = self._configuration.intent
        if intent is None:
            return
        place = ("intent", "provider")
        name = intent.provider.llm
        if name not in self._llms:
            message = f"Intent detection references undefined LLM: {printable(name, 60)}."
            self._fault((*place, "llm"), message, closest(name, self._llms))
        elif self._llms[name].type == EXTRACTIVE:
            self._fault(
                (*place, "llm"), f"{printable(name, 60)} is not a model and cannot classify questions."
            )
        elif not (intent.provider.model or self._llms[name].default_model):
            self._fault(place, f"model is missing, and the llm {printable(name, 60)} has no default_model.")
        elif intent.provider.model:
            self._model(intent.provider.model, name, (*place, "model"))
        for key in intent.detection:
            if not key.strip() or not key.isprintable() or len(key) > 100:
                self._fault(("intent", "detection", key), "It is not a valid name for an intent.")

    def _rule(self, number: int, rule: Rule) -> None:
        place = ("responses", number)
        if rule.llm not in self._llms:
            message = f"Response {number} references undefined LLM: {printable(rule.llm, 60)}."
            self._fault((*place, "llm"), message, closest(rule.llm, self._llms))
        elif rule.static_response is None and self._llms[rule.llm].type != EXTRACTIVE:
            if rule.model:
                self._model(rule.model, rule.llm, (*place, "model"))
            elif not (self._llms[rule.llm].default_model or rule.models):
                message = f"model is missing, and the llm {printable(rule.llm, 60)} has no default_model."
                self._fault(place, message)
            for model in rule.models:
                self._model(model, rule.llm, (*place, "models"))
        if rule.static_response is not None and rule.prompt:
            self.warnings.append(
                self._named((*place, "prompt"), "It has no effect, because static_response answers.")
            )

    def _order(self) -> None:
        rules = self._configuration.responses
        fallback = next((place for place, rule in enumerate(rules) if not rule.match), None)
        if fallback is None:
            message = "Config should have at least one response with no match clause (fallback)."
            self._fault(("responses",), message)
            return
        for place in range(fallback + 1, len(rules)):
            message = (
                f"{NEVER_REACHED}: the earlier rule responses[{fallback}] has no match, so it always applies."
            )
            self._fault(("responses", place), message)

    # --- reporting ---

    def _fault(self, place: tuple[str | int, ...], message: str, nearest: str = "") -> None:
        self.faults.append(self._named(place, message)._replace(meant=nearest))

    def _named(self, place: tuple[str | int, ...], message: str) -> Fault:
        node = self._root.at(place)
        return Fault(node.path, node.line, message)


def llms_in_use(configuration: Configuration) -> Iterator[tuple[str, str]]:
    """Yield each llm and model that a rule, the intent or an embedding may use, once."""
    seen = set()

    def new(llm: str, model: str) -> Iterator[tuple[str, str]]:
        if configuration.llm(llm).type != EXTRACTIVE and model and (llm, model) not in seen:
            seen.add((llm, model))
            yield llm, model

    for rule in configuration.responses:
        if rule.static_response is None:
            named = "" if "${" in rule.model or "{{" in rule.model else rule.model
            for model in (named or configuration.llm(rule.llm).default_model, *rule.models):
                yield from new(rule.llm, model)
    if configuration.intent:
        provider = configuration.intent.provider
        yield from new(provider.llm, provider.model or configuration.llm(provider.llm).default_model)
