"""Combine a profile and the matching rule into the input of an answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain
from math import isfinite

from vademecum.answering.choice import PASSAGES
from vademecum.core.evidence import Evidence, ScoredPassage
from vademecum.core.passages import SECTION
from vademecum.core.settings import AnswerStyle
from vademecum.desks.chat.config.model import DEFAULT_MAX_TOKENS, EXTRACTIVE, Configuration
from vademecum.desks.chat.profile import Passage, Profile, RagResult
from vademecum.desks.chat.rules import CompiledRule
from vademecum.desks.chat.variables import Template, fill

SEPARATOR = "\n"
"""The separator of collection and source alias in an evidence alias. Two collections can contain the same sources."""

_DOCUMENTS = {"context", "combined_context", "rag_results", "expanded_rag_context"}
_EXPANDED = {"combined_context", "rag_results", "expanded_rag_context"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """The input of an answer.

    Attributes:
        text: The answer of a rule with a static response; otherwise None.
        model: The model of the llm; "" for extractive.
        style: Whether the model chooses statements of the documents, or writes sentences.
        system: The system prompt. It contains `PASSAGES` where the documents are inserted.
        temperature: The sampling temperature; None for the model's own.
        sources: The collections that the answer is based on, best first; empty for an answer without documents.
    """

    text: str | None
    llm: str
    model: str
    style: AnswerStyle
    system: str
    max_tokens: int
    temperature: float | None
    sources: tuple[RagResult, ...]
    warnings: tuple[str, ...]


def compose(profile: Profile, rule: CompiledRule, configuration: Configuration, chosen: str = "") -> Prompt:
    """Compose the input of an answer."""
    composer = _Composer(profile, rule, configuration)
    if rule.static_response is not None:
        return composer.static(rule.static_response)
    return composer.composed(chosen)


class _Composer:
    def __init__(self, profile: Profile, rule: CompiledRule, configuration: Configuration) -> None:
        self._profile, self._rule = profile, rule
        self._configuration = configuration
        self._warnings: list[str] = []

    def static(self, template: Template) -> Prompt:
        return self._whole(text=self._filled(template, fenced=False))

    def composed(self, chosen: str) -> Prompt:
        names = set(self._rule.prompt.names)
        system = self._filled(self._rule.prompt, fenced=True)
        if not names & _DOCUMENTS:
            if self._rule.rule.context == "none" or not self._profile.documents:
                return self._answered_by(chosen, system.replace(PASSAGES, ""), ())
            system = f"{system.strip()}\n\n{PASSAGES}".strip()
        sources = self._sources(expanded=bool(names & _EXPANDED))
        return self._answered_by(chosen, system if sources else system.replace(PASSAGES, ""), sources)

    def _sources(self, *, expanded: bool) -> tuple[RagResult, ...]:
        """Return the collections whose documents are shown: the promoted one, or all kept ones, most likely first."""
        kept = self._profile.rag_results
        promoted = kept.get(self._profile.identifier or "")
        if promoted and not expanded:
            found = [promoted]
        else:
            found = sorted(kept.values(), key=lambda one: (one is not promoted, -_sureness(one)))
        return tuple(one for one in found if one.documents)

    def _answered_by(self, chosen: str, system: str, sources: Sequence[RagResult]) -> Prompt:
        rule = self._rule.rule
        llm = self._configuration.llm(rule.llm)
        if llm.type == EXTRACTIVE:
            return self._whole(system=system, sources=sources)
        model = self._model(chosen)
        if not model:
            self._warnings.append(
                f"No model is configured for {rule.llm}. The answer is written without one."
            )
            return self._whole(system=system, sources=sources)
        return self._whole(llm=rule.llm, model=model, system=system, sources=sources)

    def _whole(
        self,
        *,
        text: str | None = None,
        llm: str = EXTRACTIVE,
        model: str = "",
        system: str = "",
        sources: Sequence[RagResult] = (),
    ) -> Prompt:
        return Prompt(
            text=text,
            llm=llm,
            model=model,
            style=self._rule.rule.style or ("prose" if self._rule.rule.prompt else "choose"),
            system=system,
            max_tokens=self._max_tokens(),
            temperature=self._temperature(),
            sources=tuple(sources),
            warnings=tuple(dict.fromkeys(self._warnings)),
        )

    # --- typed values ---

    def _model(self, chosen: str) -> str:
        rule, llm = self._rule.rule, self._configuration.llm(self._rule.rule.llm)
        if chosen:
            if chosen in rule.models:
                return chosen
            self._warnings.append("The rule does not offer the selected model.")
        otherwise = llm.default_model or (rule.models[0] if rule.models else "")
        if (template := self._rule.typed.get("model")) is None:
            return rule.model or otherwise
        named = self._filled(template, fenced=False).strip()
        if named and llm.models and named not in llm.models:
            self._warnings.append(f"{rule.llm} does not have the collection's model.")
            named = ""
        return named or otherwise

    def _max_tokens(self) -> int:
        given = self._rule.rule.max_tokens
        if isinstance(given, int):
            return given
        value = self._number("max_tokens")
        return DEFAULT_MAX_TOKENS if value is None or value < 1 else int(value)

    def _temperature(self) -> float | None:
        given = self._rule.rule.temperature
        return given if given is None or isinstance(given, int | float) else self._number("temperature")

    def _number(self, name: str) -> float | None:
        """Return the number in a variable, or None if the variable is unset or not a number."""
        text = self._filled(self._rule.typed[name], fenced=False).strip()
        if not text:
            return None
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not isfinite(value) or value < 0:
            self._warnings.append(f"{name} is not used, because the variable is not a number.")
            return None
        return value

    # --- texts ---

    def _filled(self, template: Template, *, fenced: bool) -> str:
        def missing(name: str) -> None:
            if name not in _DOCUMENTS:
                self._warnings.append(f"{name} is not set, and is replaced by an empty text.")

        return fill(template, lambda name: self._value(name, fenced=fenced), missing)

    def _value(self, name: str, *, fenced: bool) -> str | None:
        """Return a field as text. In a prompt, documents are fenced passages, all in one place."""
        if name in _DOCUMENTS:
            if fenced:
                return PASSAGES
            return _expanded(self._profile) if name in _EXPANDED else _listed(self._profile.documents)
        if name == "best_match":
            return self._profile.best_match.identifier if self._profile.best_match else None
        value = getattr(self._profile, name)
        if value is None:
            return None
        if isinstance(value, tuple):
            return ", ".join(map(str, value)).replace("\0", "")
        return (f"{value:g}" if isinstance(value, float) else str(value)).replace("\0", "")


def _sureness(one: RagResult) -> float:
    """Return how likely a collection contains the answer, as far as this can be compared between collections."""
    near = 1.0 - (1.0 if one.distance is None else one.distance)
    return one.local.answerability if one.local else near


def _listed(documents: Sequence[Passage]) -> str:
    """Return documents as a numbered list."""
    blocks = [f"---\nDocument {place}:\n{document.text}" for place, document in enumerate(documents, start=1)]
    return "\n\n".join(blocks)


def _expanded(profile: Profile) -> str:
    """Return every kept result, by collection."""
    blocks = []
    for identifier, one in profile.rag_results.items():
        distance = "" if one.distance is None else f" (distance {one.distance:.3f})"
        texts = "\n\n".join(document.text for document in one.documents)
        blocks.append(f"---\nFrom {identifier}{distance}:\n{texts}")
    return "\n\n".join(blocks)


def evidence_of(sources: Sequence[RagResult], limit: int) -> tuple[list[Evidence], int]:
    """Return the documents of collections as evidence, best first, and the number of passages in the evidence."""
    ranked: list[tuple[float, int, int]] = []
    for place, one in enumerate(sources):
        hits = one.local.hits if one.local else ()
        for rank, given in enumerate(one.documents):
            score = hits[rank].relevance if rank < len(hits) else (2.0 - given.distance) / 2
            ranked.append((-score, place, rank))
    kept = sorted(ranked)[:limit] if len(sources) > 1 else ranked[:limit]
    found: dict[tuple[int, str], Evidence] = {}
    for _, place, rank in kept:
        one = sources[place]
        if one.local:
            for evidence in one.local.evidence([one.local.hits[rank]]):
                known = found.get((place, evidence.digest))
                passages = (*(known.passages if known else ()), *evidence.passages)
                alias = f"{one.identifier}{SEPARATOR}{evidence.alias}"
                found[place, evidence.digest] = evidence._replace(alias=alias, passages=passages)
        else:
            remote = _remote(one, one.documents[rank])
            found.setdefault((place, remote.digest), remote)
    return list(found.values()), len(kept)


def _remote(one: RagResult, given: Passage) -> Evidence:
    """Return a document of a server as evidence with one passage, since nothing else is known about it."""
    digest = sha256(f"{given.id}\0{given.text}".encode("utf-8", "replace")).hexdigest()
    score = (2.0 - given.distance) / 2
    passage = ScoredPassage(SECTION, 0, len(given.text), 0, given.heading, "", score, score)
    title = given.title or given.id
    return Evidence(f"{one.identifier}{SEPARATOR}", digest, title, title, "", given.text, (passage,))


def urls_of(sources: Sequence[RagResult]) -> dict[tuple[str, str], str]:
    """Return the URLs of documents, by the alias and reference of their evidence."""
    urls: dict[tuple[str, str], str] = {}
    for source in sources:
        if source.local:
            for hit in source.local.hits:
                alias = f"{source.identifier}{SEPARATOR}{hit.alias}"
                urls.setdefault((alias, hit.reference), hit.url.partition("#")[0])
        else:
            for given in source.documents:
                urls.setdefault((f"{source.identifier}{SEPARATOR}", given.title or given.id), given.url)
    return urls


def texts_of(evidence: Sequence[Evidence]) -> list[str]:
    """Return the texts of all passages."""
    return list(
        chain.from_iterable((one.text[part.start : part.end] for part in one.passages) for one in evidence)
    )
