"""A library of reasoning templates: choose the one that fits a problem, or report that none does."""

import os
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from vademecum.core.documents import Problem
from vademecum.core.errors import ConfigError, ProviderError, SourceError, StoreError, VademecumError
from vademecum.desks.reasoning.index import TemplateIndex, lines_of
from vademecum.desks.reasoning.match import Candidate, Match, Selection
from vademecum.desks.reasoning.naive_bayes import LONGEST
from vademecum.desks.reasoning.ranking import FEATURES, SIGNALS, THRESHOLD, Ranked, features_of, rank
from vademecum.desks.reasoning.templates import FALLBACK, Template, find_templates, read_template
from vademecum.files.folders import desk_folder
from vademecum.retrieval.english import english_share
from vademecum.text.printable import printable

if TYPE_CHECKING:
    from vademecum.core.models import ModelSettings
    from vademecum.core.protocols import Embedder
    from vademecum.desks.reasoning.embedded import Embedded

OURS = Path(__file__).with_name("templates")
"""The templates that come with the package."""


def template_folders() -> list[Path]:
    """The package's templates, and the person's own where there are any."""
    own = Path(desk_folder("reasoning"), "templates")
    return [OURS, *([own] if own.is_dir() else [])]


TOP_K = 3
FALLBACK_SCORE = 0.5
_LEAST_WORDS, _FOREIGN = 4, 0.5
"""A problem of at least so many words is not in English if at most this share of them is."""

EMBEDDER_IN_CHROMA, THRESHOLD_IN_CHROMA = "ollama:nomic-embed-text", 0.65
"""Those of the original design, which kept its vectors in Chroma."""


class _State:
    """What is indexed; replaced as a whole, so that a search in another thread sees the old or the new."""

    def __init__(
        self,
        templates: Sequence[Template],
        fallback: Template,
        problems: Sequence[Problem],
        embedded: "Embedded | None" = None,
    ) -> None:
        self.templates = tuple(templates)
        self.fallback = fallback
        self.problems = tuple(problems)
        self.index = TemplateIndex(self.templates, fallback.asked)
        self.vectors = embedded.learn(self.templates) if embedded else ()


class ReasoningLibrary:
    """Templates from some folders, searched in this process; no service, no model, nothing on disk.

    Args:
        template_dirs: Folders of Markdown files; those that come with the package when left out. A folder that has no
            `chain-of-thought.md` gets the package's.
        top_k: How many templates a search gives, unless it says.
        threshold: A cosine (0-1). When set, as in the original design (0.65), templates are ranked by the cosine of the
            built-in word vectors and those below it are left out; when not, whether any template fits is judged.
        embedder: A model, by name (`ollama:nomic-embed-text`), settings, or itself. Templates are then ranked by the cosine
            of its vectors: of a problem with what a template says of itself and the first 1,000 characters of its content.
        kept: The file in which its vectors are kept between processes.
        chroma_url: The address of a Chroma server, in whose collection `reasoning_templates` the vectors are. The embedder is then
            `ollama:nomic-embed-text` and the threshold 0.65, unless others are given.

    >>> library = ReasoningLibrary()
    >>> library.index_templates()
    31
    >>> library.search("which commit broke the build? It was fine in March.")[0].id
    'binary-search-debugging'
    """

    def __init__(
        self,
        template_dirs: Iterable[str | os.PathLike[str]] | None = None,
        *,
        top_k: int = TOP_K,
        threshold: float | None = None,
        embedder: "str | ModelSettings | Embedder | None" = None,
        kept: Path | None = None,
        chroma_url: str = "",
    ) -> None:
        if isinstance(template_dirs, (str, bytes)):
            raise ConfigError(
                "template_dirs must be a list of folders.", hint="Write a list, also for one folder."
            )
        self._folders = [OURS] if template_dirs is None else [Path(folder) for folder in template_dirs]
        self._top_k = _count(top_k)
        if chroma_url:
            embedder = EMBEDDER_IN_CHROMA if embedder is None else embedder
            threshold = THRESHOLD_IN_CHROMA if threshold is None else threshold
        self._threshold = _cosine(threshold)
        self._embedded = None if embedder is None else _embedded_by(embedder, kept, chroma_url)
        self._added: dict[str, Path] = {}
        self._state: _State | None = None

    def index_templates(self) -> int:
        """Read all templates again, and forget those that are gone.

        Returns:
            How many there are, the fallback among them if a folder has it. What cannot be read is in `problems`.
        """
        paths, problems = find_templates(self._folders)
        added = {id_: path for id_, path in self._added.items() if path.exists()}
        read = {path: read_template(path) for path in (*paths, *added.values())}
        problems += [one for one in read.values() if isinstance(one, Problem)]
        templates = {one.id: one for one in read.values() if isinstance(one, Template)}
        self._added = added
        self._state = _State(*_parted(templates), problems, self._embedded)
        return len(templates)

    def search(self, query: str, top_k: int | None = None) -> list[Match]:
        """The templates that fit a problem, best first; the fallback alone, with a score of 0.5, if none does.

        What is not indexed yet is indexed first. A library that cannot be read gives the fallback, and says why.
        """
        return list(self.select(query, top_k).matches)

    def add_template(self, file_path: str | os.PathLike[str]) -> Template:
        """Add a file from anywhere, or take it in again; it replaces the template of its id."""
        path = Path(file_path)
        template = read_template(path)
        if isinstance(template, Problem):
            raise SourceError(f"{printable(str(path), 200)}: {template.message}", hint=template.hint)
        state = self._indexed()
        self._added[template.id] = path.absolute()
        templates = {one.id: one for one in (*state.templates, state.fallback)}
        templates[template.id] = template
        self._state = _State(*_parted(templates), state.problems, self._embedded)
        return template

    def list_templates(self) -> list[Template]:
        """All templates by id, the fallback among them."""
        state = self._indexed()
        return sorted((*state.templates, state.fallback), key=lambda one: one.id)

    def is_ready(self) -> bool:
        """Return whether templates are indexed, beside the fallback."""
        return self._state is not None and bool(self._state.templates)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What could not be read when the templates were last indexed."""
        return self._state.problems if self._state else ()

    def select(self, query: str, top_k: int | None = None) -> Selection:
        """As `search`, with what the choice rests on."""
        started_s = time.perf_counter()
        limit = self._top_k if top_k is None else _count(top_k)
        query = query[:LONGEST].encode("utf-8", "replace").decode()  # half a character is none
        try:
            state = self._indexed()
        except (ProviderError, StoreError):
            raise
        except VademecumError as error:
            state, broken = (
                _State([], _package_fallback(), []),
                f"The library cannot be used: {error.message}",
            )
        else:
            broken = _nothing_there(state)
        if broken or not query.strip():
            reason = broken or "Nothing was asked."
            return _stand_in(query, state, reason, _Basis(None, (), started_s))
        if self._embedded is None and len(query.split()) >= _LEAST_WORDS and english_share(query) <= _FOREIGN:
            reason = "The problem does not seem to be in English."
            return _stand_in(query, state, reason, _Basis(None, (), started_s))
        index = state.index
        ranked = rank(query, measures := index.measure(query))
        cosines = self._cosines(query, state)
        order = ranked.order if cosines is None else sorted(ranked.order, key=lambda at: -cosines[at])
        features = features_of(measures)
        candidates = tuple(
            Candidate(
                id=state.templates[at].id,
                share=ranked.shares[at],
                cosine=None if cosines is None else cosines[at],
                measured=dict(zip(FEATURES, features[at], strict=True)),
                line=_line(state.templates[at], measures.templates[at].likeness.line),
            )
            for at in order
        )
        basis = _Basis(ranked, candidates, started_s)
        if cosines is None or self._threshold is None:
            chances = [ranked.fits * share for share in ranked.shares] if cosines is None else cosines
            chosen = [(at, chances[at]) for at in order] if ranked.decides else []
            reason = f"None is likely to fit (chance {ranked.fits:.2f}, below {THRESHOLD:.2f})."
        else:
            chosen = [(at, cosines[at]) for at in order if cosines[at] >= self._threshold]
            reason = f"None reaches the cosine of {self._threshold:g} (the best has {max(cosines):.2f})."
        if not chosen:
            return _stand_in(query, state, reason, basis)
        matches = []
        for (at, score), candidate in zip(chosen[:limit], candidates, strict=False):
            why = f'It is near to "{candidate.line}".' if candidate.line else "Its words are nearest."
            matches.append(Match.of(state.templates[at], score, why))
        return _selection(query, matches, "", basis)

    def _cosines(self, query: str, state: _State) -> list[float] | None:
        """The cosines (0-1) that templates are ranked by; `None` where they are ranked by what was learnt."""
        if self._embedded is not None:
            return [max(0.0, min(1.0, cosine)) for cosine in self._embedded.cosines(query, state.vectors)]
        return None if self._threshold is None else state.index.cosines(query)

    def baseline(self, query: str) -> list[str]:
        """The ids of the templates by plain BM25, best first, for comparison."""
        index = self._indexed().index
        scores = index.plain_scores(query.encode("utf-8", "replace").decode())
        return [index.templates[at].id for at in sorted(range(len(scores)), key=lambda at: -scores[at])]

    def _indexed(self) -> _State:
        if self._state is None:
            self.index_templates()
        state = self._state
        assert state is not None  # noqa: S101 - it was indexed a moment ago
        return state


def _parted(templates: dict[str, Template]) -> tuple[list[Template], Template]:
    """The templates that compete, by id, and the fallback: the package's where there is no other.

    What the package knows of problems that need no template goes for every fallback that knows nothing of it.
    """
    ours = _package_fallback()
    fallback = templates.get(FALLBACK, ours)
    if not fallback.asked and fallback is not ours:
        from dataclasses import replace  # noqa: PLC0415 - for libraries of others only

        fallback = replace(fallback, asked=ours.asked)
    return [templates[id_] for id_ in sorted(templates) if id_ != FALLBACK], fallback


def _package_fallback() -> Template:
    found = read_template(OURS / f"{FALLBACK}.md")
    if isinstance(found, Problem):
        return Template(id=FALLBACK, name="Chain of Thought", content=_LAST_RESORT)
    return found


_LAST_RESORT = """## Steps

1. Say in your own words what is asked.
2. Collect what is given, and name what is missing.
3. Work in small steps, each with its reason.
4. Check the result by another way.
5. Answer, and say what it rests on.
"""


def _nothing_there(state: _State) -> str:
    if state.templates:
        return ""
    if state.problems:
        return f"The library has no template that can be read: {state.problems[0].message}"
    return "The library has no templates."


def _embedded_by(spec: "str | ModelSettings | Embedder", kept: Path | None, chroma_url: str) -> "Embedded":
    if chroma_url:
        from vademecum.desks.reasoning.in_chroma import EmbeddedInChroma  # noqa: PLC0415 - for those who name a server

        return EmbeddedInChroma(chroma_url, spec, kept)
    from vademecum.desks.reasoning.embedded import Embedded  # noqa: PLC0415 - for those who name an embedder

    return Embedded(spec, kept)


class _Basis(NamedTuple):
    """What a choice rests on, and when it was begun."""

    ranked: Ranked | None
    candidates: tuple[Candidate, ...]
    started_s: float


def _stand_in(query: str, state: _State, reason: str, basis: _Basis) -> Selection:
    return _selection(query, [Match.of(state.fallback, FALLBACK_SCORE, reason)], reason, basis)


def _selection(query: str, matches: list[Match], reason: str, basis: _Basis) -> Selection:
    ranked = basis.ranked
    return Selection(
        problem=query,
        matches=tuple(matches),
        fits=ranked.fits if ranked else 0.0,
        border=THRESHOLD,
        reason=reason,
        candidates=basis.candidates,
        signals=dict(zip(SIGNALS, ranked.signals, strict=False)) if ranked else {},
        duration_ms=(time.perf_counter() - basis.started_s) * 1000,
    )


def _line(template: Template, at: int) -> str:
    return lines_of(template)[at] if at >= 0 else ""


def _count(top_k: object) -> int:
    if type(top_k) is not int or top_k < 1:
        raise ConfigError(
            f"top_k must be a whole number above 0, not {printable(repr(top_k), 40)}.",
            hint="Leave it out for 3.",
        )
    return top_k


def _cosine(threshold: object) -> float | None:
    if threshold is None:
        return None
    if type(threshold) not in {int, float} or not 0 <= float(str(threshold)) <= 1:
        message = f"threshold must be a cosine from 0 to 1, not {printable(repr(threshold), 40)}."
        raise ConfigError(message, hint="Leave it out to have the fit judged.")
    return float(str(threshold))
