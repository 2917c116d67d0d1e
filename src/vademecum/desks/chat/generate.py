"""Generate, the fifth step: compose, verify, render. Answers are yielded by statement, and any thread can cancel them.

A model chooses statements of the documents, or writes sentences. These are verified, and unsupported ones are never sent. An
answer without documents is sent as written, and marked as such. If a model fails, the answer quotes the documents.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from vademecum.answering.injection import warnings_of_quotes
from vademecum.answering.prompt import PASSAGES
from vademecum.answering.quote import RankUnits, best_units, offered_of, quote
from vademecum.answering.verify import Verified, verify
from vademecum.ask.kinds import USUAL
from vademecum.ask.running_text.shown import with_commands
from vademecum.ask.running_text.texts import RatedTexts, rated_of
from vademecum.core.answers import Citation
from vademecum.core.deadline import Closing
from vademecum.core.errors import ProviderError, StreamClosed
from vademecum.core.evidence import Evidence
from vademecum.core.limits import CHARACTERS_A_TOKEN, CONTEXT_TOKENS
from vademecum.core.models import Message
from vademecum.core.protocols import ChatModel
from vademecum.core.trace import Json, ModelCall, Trace
from vademecum.desks.chat.load import NOTHING_FOUND
from vademecum.desks.chat.profile import Profile, RagResult
from vademecum.desks.chat.prompt import SEPARATOR, Prompt, evidence_of, texts_of, urls_of
from vademecum.desks.chat.reply import ChatReply, Cited, Layout, Routing, Status
from vademecum.desks.chat.services import Query
from vademecum.desks.chat.services.unit_ranking import ranker
from vademecum.retrieval.question.wanted import asks_way
from vademecum.retrieval.units.calibration import THRESHOLD, USUAL_THRESHOLD

_QUOTED = 3
_SHOWN = 12
"""The maximum number of passages that are quoted from, and that a model is shown."""

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
        elif composed.sources and composed.style == "choose":
            yield from self._chosen(self._model)
        elif composed.sources:
            yield from self._written(self._model)
        else:
            yield from self._spoken(self._model)

    # --- with documents ---

    def _chosen(self, model: ChatModel) -> Iterator[Piece]:
        """Yield the statements of the documents that the model chooses."""
        from vademecum.answering.choice import DOUBTFUL, MOST_TOKENS, Selection  # noqa: PLC0415 - with a model only

        sources = self._composed.sources
        evidence, count = evidence_of(sources, _SHOWN)
        ranked = self._rank(sources[0], evidence)(best_units(evidence, sentences=True))
        closing = Closing()
        question, _ = self._fitting(model)
        selection = Selection(
            question,
            offered_of(ranked, evidence),
            evidence,
            model,
            deadline=self._query.deadline,
            closing=closing,
            tokens=min(MOST_TOKENS, self._room(model) // CHARACTERS_A_TOKEN),
        )
        layout = Layout(between="\n\n")
        with self._query.calls.holding(closing):
            for part, statement in selection:
                cited = tuple(selection.citations[at] for at in statement.citations)
                yield self._piece(layout.add(statement, part, cited), cited)
        self._query.calls.check()
        chosen = selection.chosen
        self._model_calls = (chosen.call,)
        self._saw |= {
            "llm": self._composed.llm,
            "model": chosen.model,
            "passages": count,
            "offered": len(selection.offered),
            "chosen": [number + 1 for number in chosen.numbers],
            "finish": chosen.finish,
        }
        self._warnings += chosen.warnings
        if self._said:
            self._finish("success", by="the choice of a model", model=model.name, verified=selection.verified)
            return
        if self._require_model and chosen.error:
            raise chosen.error
        what = f"did not return a complete answer: {chosen.error.message}" if chosen.error else _FOUND_NOTHING
        chances = [source.local.answerability for source in sources if source.local]
        if chosen.is_not_here and (self._require_model or max(chances, default=0.0) < DOUBTFUL):
            yield self._piece(NOTHING_FOUND)
            self._finish("no_results", by="nobody", reasons=(f"The model {model.name} {what}",))
            return
        yield from self._extracted((f"The model {model.name} {what}",))

    def _written(self, model: ChatModel) -> Iterator[Piece]:
        """Yield what the model writes from the documents, statement by statement, each verified."""
        from vademecum.answering.generation import write_stream  # noqa: PLC0415 - with a model only

        evidence, count = evidence_of(self._composed.sources, _SHOWN)
        question, history = self._fitting(model)
        writing = write_stream(
            question,
            evidence,
            model,
            deadline=self._query.deadline,
            system=self._system(model),
            history=history,
            max_tokens=self._composed.max_tokens,
            temperature=self._composed.temperature,
        )
        layout = Layout()
        with self._query.calls.holding(writing):
            for statement in writing:
                cited = tuple(writing.citations[at] for at in statement.citations)
                yield self._piece(layout.add(statement, writing.part, cited), cited)
            written = writing.written
        self._model_calls = written.calls
        self._query.calls.check()
        self._saw |= {
            "llm": self._composed.llm,
            "model": written.model,
            "passages": count,
            "passages_shown": written.passages,
            "finish": written.finish,
            "judged": [one._asdict() for one in written.judged],
        }
        if written.passages < count:
            self._warnings.append(
                f"The model was shown {written.passages} of {count} passages; the others did not fit into its context."
            )
        self._warnings += written.warnings
        reasons = (written.reason,) if written.reason else ()
        if not self._said:
            if self._require_model and reasons:
                raise written.error or ProviderError(written.reason, hint="Ask without require_model.")
            yield from self._extracted(reasons, dropped=written.verified.dropped)
            return
        if self._require_model and written.error:
            raise written.error
        self._finish(
            "partial" if reasons else "success", by="a model", model=written.model, reasons=reasons,
            verified=written.verified,
        )  # fmt: skip

    def _extracted(self, reasons: tuple[str, ...], dropped: int = 0) -> Iterator[Piece]:
        """Yield quotes from the documents, if the documents are likely to contain an answer."""
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
        verified = replace_dropped(verified, dropped)
        reasons += self._lacking
        status: Status = "partial" if reasons else "success"
        self._finish(status, by="the documents' own words", reasons=reasons, verified=verified)

    def _in_own_words(self, sources: Sequence[RagResult]) -> Verified:
        """Return the answer in the words of the documents: of local collections, as every other desk gives it."""
        leads = any(source.leads for source in sources)
        rated = self._rated if leads else rated_here(sources, self._query)
        if rated is None or not all(source.local for source in sources):
            evidence, _ = evidence_of(sources, _QUOTED)
            ranked = self._rank(sources[0], evidence)
            return verify(quote(evidence, ranked, procedure=asks_way(self._query.text)), evidence)
        if not rated.answers and all(source.match_threshold is None for source in sources):
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
        evidence = [
            document._replace(alias=f"{source}{SEPARATOR}{document.alias}") for source, document in found
        ]
        return verify(draft, evidence)

    def _rank(self, best: RagResult, evidence: Sequence[Evidence]) -> RankUnits:
        """Return the function that ranks units: the index's for local documents, otherwise by words and meaning."""
        return best.local.ranked if best.local else ranker(self._query.text, texts_of(evidence))

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


def replace_dropped(verified: Verified, dropped: int) -> Verified:
    """Return the quotes that replace a model's words, with a verdict for each of its sentences that was dropped."""
    return verified._replace(verdicts=(*verified.verdicts, *["not supported"] * dropped))


def _cited(citation: Citation) -> Cited:
    """Return a citation with the source's own alias, and with its collection."""
    collection, _, alias = citation.alias.partition(SEPARATOR)
    digest = citation.document.rpartition(":")[2]
    document = f"{alias}:{digest}" if alias else digest
    return Cited(replace(citation, alias=alias or collection, document=document), collection)
