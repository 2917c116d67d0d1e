"""Generate, the fifth step: compose, verify, render. Answers are yielded by statement, and any thread can cancel them.

A model chooses statements of the documents, or writes sentences. These are verified, and unsupported ones are never sent. An
answer without documents is sent as written, and marked as such. If a model fails, the answer quotes the documents.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import log
from operator import mul
from typing import TYPE_CHECKING, NamedTuple

from vademecum.answering.choice import PASSAGES
from vademecum.answering.injection import warnings_of_quotes
from vademecum.answering.quote import RankUnits, best_units, offered_of, quote
from vademecum.answering.verify import Verified, verify
from vademecum.ask.kinds import USUAL
from vademecum.ask.running_text.shown import with_commands
from vademecum.ask.running_text.texts import RatedTexts, rated_of
from vademecum.core.answers import Citation
from vademecum.core.deadline import Closing
from vademecum.core.errors import ProviderError, StreamClosed
from vademecum.core.evidence import DraftStatement, Evidence, Unit
from vademecum.core.limits import CHARACTERS_A_TOKEN, CONTEXT_TOKENS
from vademecum.core.models import Message
from vademecum.core.protocols import ChatModel
from vademecum.core.trace import Json, ModelCall, Trace
from vademecum.desks.chat.load import NOTHING_FOUND
from vademecum.desks.chat.profile import Profile, RagResult
from vademecum.desks.chat.prompt import SEPARATOR, Prompt, evidence_of, texts_of, urls_of
from vademecum.desks.chat.reply import ChatReply, Cited, Layout, Routing, Status
from vademecum.desks.chat.services import Query
from vademecum.providers.builtin import word_table
from vademecum.retrieval.question.wanted import asks_way
from vademecum.retrieval.units.calibration import THRESHOLD, USUAL_THRESHOLD
from vademecum.text.words import STOP_WORDS, WORD, numbers
from vademecum.text.words import terms as terms_of

if TYPE_CHECKING:
    from vademecum.answering.skill import Skill

_WORDS, _MEANING = 5.3, 2.7
"""The weights of a question's words and of its meaning, on the scale of `retrieval.units.ranking`."""

_LONGEST = 4000
_MOST_TERMS = 24
"""The number of characters of a question, and of terms of a unit, that are compared."""

_QUOTED = 3
_SHOWN = 12
"""The maximum number of passages that are quoted from, and that a model is shown."""

_UNKNOWN = 0.5
"""The confidence of an answer from documents of a server, for which none is computed."""

_NOTHING = Verified((), (), (), (), ())
_FOUND_NOTHING = "found no answer in the documents."
_UNANSWERED = "The queried documents do not contain an answer."


class Piece(NamedTuple):
    """A piece of an answer."""

    text: str
    citations: tuple[Cited, ...] = ()


class Generation:
    """An answer in progress: an iterator of its pieces. After the last piece, `whole` is the reply.

    Args:
        history: The previous messages, oldest first.
        model: The model that writes the answer, or None.
        rated: The rating of all queried local collections together; None if there are none.
        query: The query, whose deadline and calls also apply to the answer.
        require_model: Whether to fail rather than answer without the model.
    """

    def __init__(
        self,
        composed: Prompt,
        profile: Profile,
        history: Sequence[Message],
        model: ChatModel | None,
        query: Query,
        *,
        routing: Routing,
        rated: RatedTexts | None,
        trace: Trace,
        require_model: bool = False,
    ) -> None:
        self._composed, self._profile = composed, profile
        self._routing, self._trace, self._rated = routing, trace, rated
        self._model, self._query = model, query
        self._require_model = require_model
        self._history = tuple(one for one in history if one.role != "system")
        self._warnings = list(composed.warnings)
        self._saw: dict[str, Json] = {}
        self._model_calls: tuple[ModelCall, ...] = ()
        self._said: list[str] = []
        self._lacking: tuple[str, ...] = ()
        judged = [source.local.confidence for source in composed.sources if source.local]
        self._confidence = max(judged) if judged and len(judged) == len(composed.sources) else None
        self.whole: ChatReply | None = None

    def __iter__(self) -> Iterator[Piece]:
        """Yield the pieces, in order."""
        composed = self._composed
        if composed.text is not None:
            yield self._piece(composed.text)
            if composed.text.strip() in {"", NOTHING_FOUND}:
                self._finish("no_results", by="the configuration", reasons=(_UNANSWERED,))
            else:
                self._finish("success", by="the configuration")
        elif self._model is None:
            yield from self._extracted(())
        elif composed.sources:
            yield from self._by_model(self._model)
        else:
            yield from self._spoken(self._model)

    # --- with documents ---

    def _by_model(self, model: ChatModel) -> Iterator[Piece]:
        """Yield what the model makes of the documents, each statement proved by them."""
        from vademecum.answering.choice import MOST_TOKENS  # noqa: PLC0415 - with a model only
        from vademecum.answering.selection import Request, Selection  # noqa: PLC0415 - the same
        from vademecum.answering.skill import skill_of  # noqa: PLC0415 - the same

        composed, skill = self._composed, skill_of(model)
        question, history = self._fitting(model)
        is_prose = composed.style == "prose"
        rated = self._rated_here(composed.sources)
        if rated and rated.in_own_words:
            yield from self._extracted(())
            return
        evidence, statements = self._choices(rated)
        closing = Closing()
        request = Request(
            question,
            composed.style,
            accept=partial(self._accepts, rated, skill),
            tokens=min(MOST_TOKENS, self._room(model) // CHARACTERS_A_TOKEN),
            system=self._system(model) if is_prose else "",
            history=history if is_prose else (),
            max_tokens=composed.max_tokens if is_prose else None,
            temperature=composed.temperature if is_prose else None,
        )
        selection = Selection(
            request, statements, evidence, model, deadline=self._query.deadline, closing=closing
        )
        layout = Layout() if is_prose else Layout(between="\n\n")
        with self._query.calls.holding(closing):
            for part, statement in selection:
                cited = tuple(selection.citations[at] for at in statement.citations)
                yield self._piece(layout.add(statement, part, cited), cited)
        self._query.calls.check()
        chosen = selection.chosen
        self._model_calls = (chosen.call,)
        verdicts = list(selection.verified.verdicts)
        self._saw |= {"llm": composed.llm, **selection.record(), "verdicts": verdicts}
        self._warnings += chosen.warnings
        if self._require_model and chosen.error:
            raise chosen.error
        failed = chosen.error.message if chosen.error else ""
        if failed and model.name not in failed:
            failed = f"The model {model.name} did not return a complete answer: {failed}"
        reasons = (failed,) if failed else ()
        if self._said:
            by = "a model" if is_prose else "the choice of a model"
            status: Status = "partial" if reasons else "success"
            self._finish(status, by=by, model=model.name, reasons=reasons, verified=selection.verified)
            return
        if chosen.is_not_here:
            reasons = (f"The model {model.name} {_FOUND_NOTHING}",)
            left = skill.of_none(rated.confidence if rated else _UNKNOWN)
            if self._require_model or left < USUAL_THRESHOLD:
                yield self._piece(NOTHING_FOUND)
                self._finish("no_results", by="nobody", reasons=reasons)
                return
            yield from self._extracted(reasons, left if rated else None)
            return
        yield from self._extracted(reasons)

    def _accepts(self, rated: RatedTexts | None, skill: "Skill", position: int | None) -> bool:
        """Return whether what a model picked first is shown, and record the confidence that it deserves."""
        if rated is None:
            return True
        own = rated.confidence
        there, is_prose = max(own, rated.answerability), self._composed.style == "prose"
        chance = skill.shown(position, own, there, is_prose=is_prose, is_required=self._require_model)
        is_matched = any(source.match_threshold is not None for source in self._composed.sources)
        if chance is None or (chance < rated.threshold and not is_matched):
            return False
        self._confidence = chance
        return True

    def _choices(self, rated: RatedTexts | None) -> tuple[Sequence[Evidence], Iterable[DraftStatement]]:
        """Return the documents that a model can choose from, and their statements, best first."""
        sources = self._composed.sources
        if rated is None:
            remote, _ = evidence_of(sources, _SHOWN)
            ranked = self._rank(sources[0], remote)(best_units(remote, sentences=True))
            return remote, offered_of(ranked, remote)
        evidence, statements = rated.choices(rated.evidence(USUAL)[0], USUAL)
        return _named(evidence, rated.origins(USUAL, of_choices=True)), statements

    def _rated_here(self, sources: Sequence[RagResult]) -> RatedTexts | None:
        """Return the rating of the collections that are answered from, if all are on this machine."""
        if not all(source.local for source in sources):
            return None
        return self._rated if any(source.leads for source in sources) else rated_here(sources, self._query)

    def _extracted(self, reasons: tuple[str, ...], left: float | None = None) -> Iterator[Piece]:
        """Yield quotes from the documents, if they are likely to contain an answer. `left` is the confidence after a model found none."""
        sources = self._composed.sources
        chances = [source.local.answerability for source in sources if source.local]
        unlikely = (
            self._profile.rag_result != "match"
            and len(chances) == len(sources)
            and max(chances, default=0.0) < THRESHOLD
        )
        verified = _NOTHING
        if sources and not unlikely:
            verified = self._in_own_words(sources)
            self._confidence = self._confidence if left is None else left
            self._warnings += warnings_of_quotes(citation.quote for citation in verified.citations)
            layout = Layout(between="\n\n")
            for part in ("summary", "steps"):
                for statement in getattr(verified, part):
                    cited = tuple(verified.citations[at] for at in statement.citations)
                    yield self._piece(layout.add(statement, part, cited), cited)
        self._saw |= {"answerability": [round(chance, 4) for chance in chances], "threshold": THRESHOLD}
        if not verified.summary:
            yield self._piece(NOTHING_FOUND)
            self._finish("no_results", by="nobody", reasons=(*reasons, _UNANSWERED))
            return
        reasons += self._lacking
        status: Status = "partial" if reasons else "success"
        self._finish(status, by="the documents' own words", reasons=reasons, verified=verified)

    def _in_own_words(self, sources: Sequence[RagResult]) -> Verified:
        """Return the answer in the words of the documents: of local collections, as every other desk gives it."""
        rated = self._rated_here(sources)
        if rated is None:
            evidence, _ = evidence_of(sources, _QUOTED)
            ranked = self._rank(sources[0], evidence)
            return verify(quote(evidence, ranked, procedure=asks_way(self._query.text)), evidence)
        answers = rated.answers and (self._rated is None or self._rated.answers)
        if not answers and all(source.match_threshold is None for source in sources):
            return _NOTHING
        self._confidence, self._lacking = rated.confidence, rated.lacking()
        # a list of documents or values is of all collections
        chosen = {*rated.sources} if rated.in_own_words else {source.identifier for source in sources}
        found = [
            (source, document)
            for source, document in zip(rated.origins(USUAL), rated.evidence(USUAL)[0], strict=True)
            if source in chosen
        ]
        draft = rated.draft([document for _, document in found])
        return verify(draft, _named([document for _, document in found], [source for source, _ in found]))

    def _rank(self, best: RagResult, evidence: Sequence[Evidence]) -> RankUnits:
        """Return the function that ranks units: the index's for local documents, otherwise by words and meaning."""
        return best.local.ranked if best.local else _ranker(self._query.text, texts_of(evidence))

    # --- without documents ---

    def _spoken(self, model: ChatModel) -> Iterator[Piece]:
        """Yield what the model writes without documents. It cannot be verified, and is marked as such."""
        question, history = self._fitting(model)
        system = self._system(model).replace(PASSAGES, "").strip()
        messages = [*([Message("system", system)] if system else []), *history, Message("user", question)]
        stream = model.stream(
            messages,
            max_tokens=self._composed.max_tokens,
            temperature=self._composed.temperature,
            deadline=self._query.deadline,
        )
        reasons: tuple[str, ...] = ()
        name = model.name
        try:
            with self._query.calls.holding(stream):
                for piece in stream:
                    yield self._piece(piece)
                reply = stream.reply()
                name = reply.model or name
                self._warnings += reply.warnings
                if reply.finish != "stop":
                    reasons = (f"The reply of the model {name} was truncated.",)
        except StreamClosed:
            self._query.calls.check()
            raise
        except ProviderError as error:
            if self._require_model:
                raise
            reasons = (f"The model {model.name} did not return a complete answer: {error.message}",)
        self._saw |= {"llm": self._composed.llm, "model": name}
        if "".join(self._said).strip():
            self._finish("partial" if reasons else "success", by="a model", model=name, reasons=reasons)
        else:
            yield self._piece(NOTHING_FOUND)
            self._finish(
                "no_results", by="nobody", reasons=reasons or (f"The model {name} returned an empty reply.",)
            )

    # --- the context's size ---

    def _room(self, model: ChatModel) -> int:
        """Return the number of characters that fit into the prompt, without the share of the reply."""
        tokens = model.context_tokens or CONTEXT_TOKENS
        return max(200, (tokens - min(self._composed.max_tokens, tokens // 2)) * CHARACTERS_A_TOKEN * 3 // 4)

    def _system(self, model: ChatModel) -> str:
        """Return the system prompt, cut to at most half of the room."""
        system, room = self._composed.system, self._room(model) // 2
        if len(system) <= room + len(PASSAGES):
            return system
        self._warn_cut("The system prompt")
        kept = system.replace(PASSAGES, "")[:room]
        return f"{kept}\n\n{PASSAGES}" if PASSAGES in system else kept

    def _fitting(self, model: ChatModel) -> tuple[str, tuple[Message, ...]]:
        """Return the question, cut to a quarter of the room, and the last turns that fit into another quarter."""
        room = self._room(model) // 4
        question = self._profile.user_message
        if len(question) > room:
            self._warn_cut("The question")
            question = question[:room]
        kept: list[Message] = []
        left = room
        for one in reversed(self._history):
            left -= len(one.text)
            if left < 0:
                break
            kept.append(one)
        self._saw |= {"history": len(self._history), "history_shown": len(kept)}
        return question, tuple(reversed(kept))

    def _warn_cut(self, what: str) -> None:
        self._warnings.append(f"{what} exceeds the model's context; only its beginning was used.")

    # --- the whole ---

    def _piece(self, text: str, citations: Sequence[Citation] = ()) -> Piece:
        self._said.append(text)
        return Piece(text, tuple(_cited(citation) for citation in citations))

    def _finish(
        self,
        status: Status,
        *,
        by: str,
        model: str = "",
        reasons: tuple[str, ...] = (),
        verified: Verified = _NOTHING,
    ) -> None:
        sources = self._composed.sources
        urls = urls_of(sources)
        references = tuple(
            replace(
                reference,
                alias=reference.alias.partition(SEPARATOR)[0],
                url=urls.get((reference.alias, reference.document_ref), ""),
            )
            for reference in verified.references
        )
        grounded = bool(verified.summary or verified.steps)
        warnings = tuple(dict.fromkeys(self._warnings))
        self._trace.record("generate", by=by, **self._saw, warnings=list(warnings))
        self._trace.calls += self._model_calls
        self.whole = ChatReply(
            response="".join(self._said),
            status=status,
            grounded=grounded,
            routing=self._routing,
            model=model,
            reasons=reasons,
            summary=verified.summary,
            steps=verified.steps,
            references=references,
            citations=tuple(_cited(citation) for citation in verified.citations),
            confidence=self._confidence if grounded else None,
            dropped=verified.dropped,
            warnings=warnings,
            trace=self._trace,
        )


def rated_here(results: Sequence[RagResult], query: Query) -> RatedTexts | None:
    """Return the rating of what was found in collections of this machine, as every other desk rates it; None if there are none."""
    searched = [(result.identifier, result.local) for result in results if result.local]
    if not searched:
        return None
    rated = with_commands(rated_of(searched, USUAL, USUAL_THRESHOLD))
    return rated.carried() if query.is_carried else rated


def with_leading(asked: Sequence[RagResult], rated: RatedTexts | None) -> list[RagResult]:
    """Return the results, with the one marked as a match in which the answer from all local collections together begins."""
    if rated is None or not rated.answers or not (draft := rated.draft(rated.evidence(USUAL)[0])).summary:
        return list(asked)
    origin = rated.origins(USUAL)[draft.summary[0].spans[0].evidence]
    return [
        result._replace(leads=True, result="match")
        if result.identifier == origin and result.match_threshold is None
        else result
        for result in asked
    ]


def _named(evidence: Sequence[Evidence], origins: Sequence[str]) -> list[Evidence]:
    """Return documents whose aliases name their collections, too."""
    return [
        document._replace(alias=f"{source}{SEPARATOR}{document.alias}")
        for source, document in zip(origins, evidence, strict=True)
    ]


def _cited(citation: Citation) -> Cited:
    """Return a citation with the source's own alias, and with its collection."""
    collection, _, alias = citation.alias.partition(SEPARATOR)
    digest = citation.document.rpartition(":")[2]
    document = f"{alias}:{digest}" if alias else digest
    return Cited(replace(citation, alias=alias or collection, document=document), collection)


def _ranker(question: str, texts: Sequence[str]) -> RankUnits:
    """Return a function that ranks units of documents from other servers by meaning and by the question's words, weighted by rarity in `texts`."""
    asked = set(numbers(word for word in WORD.findall(question[:_LONGEST]) if word.lower() not in STOP_WORDS))
    spread = Counter(term for text in texts for term in set(numbers(WORD.findall(text))))
    rarity = {term: log(1 + (len(texts) + 0.5) / (spread[term] + 0.5)) for term in asked}
    whole = sum(rarity.values()) or 1.0
    table = word_table()
    meant = table.embed(terms_of(question[:_LONGEST]))

    def score(unit: Unit) -> float:
        found = set(numbers(WORD.findall(f"{unit.heading}\n{unit.text}")))
        near = float(sum(map(mul, meant, table.embed(terms_of(unit.text)[:_MOST_TERMS]))))
        return _WORDS * sum(rarity.get(term, 0.0) for term in found) / whole + _MEANING * max(0.0, near)

    def rank(units: Sequence[Unit]) -> list[tuple[Unit, float]]:
        scored = [(unit, float(score(unit))) for unit in units]
        return sorted(scored, key=lambda pair: (-pair[1], pair[0].passage, pair[0].start))

    return rank
