"""Rank templates for a request: classify it, filter templates or report the relaxed conditions, score, and explain."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from vademecum.core.trace import Json, Trace
from vademecum.desks.composer.image_template import Facts, size_bytes
from vademecum.desks.composer.library import Entry, TemplateLibrary
from vademecum.desks.composer.request.words.vocabulary import section
from vademecum.desks.composer.search.classification import Classification, Weights, broken, classify
from vademecum.desks.composer.search.embedding import embedded
from vademecum.desks.composer.search.guesses import guess
from vademecum.desks.composer.search.meaning import Met, met
from vademecum.desks.composer.search.scoring import SIGNALS, Request, Signals, measure
from vademecum.desks.composer.settings import ComposerSettings
from vademecum.desks.composer.wish import Wish
from vademecum.desks.composer.wishes import Wishes, read_wishes
from vademecum.providers.builtin import word_table
from vademecum.text.words import terms

_SURELY = 0.45
"""The strength of a capability from which on it is told as a reason."""

_TARGETS = ("image_type", "architecture", "version", "distribution")
"""The kinds of constraints in the order in which they are given up, if no template fulfils all."""


class Ranked(NamedTuple):
    """A template in the result.

    Attributes:
        score: Weighed sum of the signals, less the penalty; 0-1, never rising with the rank.
        exact: Whether it fulfils everything that the request says of its structure (or, if that is nothing, has all packages that it
            names); such a one is never dropped for a low score.
        parts: What `semantic` is made of, in the order of `scoring.SIGNALS`.
    """

    entry: Entry
    score: float
    semantic: float
    keyword: float
    package: float
    penalty: float
    exact: bool
    why: tuple[str, ...]
    parts: tuple[float, ...]

    @property
    def file(self) -> str:
        """The template's file."""
        return self.entry.file


class Relaxed(NamedTuple):
    """Something asked for that no template fulfils, and that was therefore given up: always shown."""

    constraint: Wish
    message: str


class Excluded(NamedTuple):
    """A template that was left out: its file, the constraint that it does not fulfil, and why, in words."""

    file: str
    constraint: Wish
    because: str


class Found(NamedTuple):
    """What a search gives.

    Attributes:
        trace: Every step: `classify`, `filter`, `vectors`, `score`, `decide`.
    """

    query: str
    classification: Classification
    ranked: tuple[Ranked, ...]
    relaxed: tuple[Relaxed, ...]
    excluded: tuple[Excluded, ...]
    trace: Trace
    cache_hits: int = 0
    cache_misses: int = 0


def search(
    request: str | Wishes, library: TemplateLibrary, settings: ComposerSettings, *, in_session: bool = False
) -> Found:
    """Templates for a request."""
    trace = Trace()
    read = request if isinstance(request, Wishes) else read_wishes(request, library.packages())
    scoring, rules = settings.scoring, settings.classification
    classification = classify(
        read,
        topics=_topics(library.templates),
        in_session=in_session,
        usual=Weights(scoring.semantic, scoring.keyword, scoring.package),
        package_threshold=rules.package_threshold,
        keyword_density=rules.keyword_density,
    )
    trace.record("classify", **_as_data(classification))
    chosen, relaxed, excluded = _filtered(classification, library.templates)
    trace.record(
        "filter",
        left=len(chosen),
        excluded=[{"file": left.file, "because": left.because} for left in excluded],
        relaxed=[given_up.message for given_up in relaxed],
    )
    vectors = embedded(classification.words, library, settings)
    trace.record(
        "vectors", model=vectors.model, hits=vectors.hits, misses=vectors.misses, notes=list(vectors.notes)
    )
    sizes = [size for wish in read.wishes if wish.kind == "disk_size" and (size := size_bytes(wish.value))]
    asked = Request(
        words=classification.words,
        met=strengths_of(classification),
        guessed=guess(word_table().embed(terms(classification.bare_words))),
        packages=classification.packages,
    )
    signals = zip(library.templates, measure(asked, library.templates, vectors.cosines), strict=True)
    measured = [(entry, signal) for entry, signal in signals if entry.file in chosen]
    ranked = _ranked(classification, asked, measured, settings, size=sizes[0] if sizes else 0)
    scores = [
        {**scored(found), "parts": dict(zip(SIGNALS, found.parts, strict=True))} for found in ranked[:10]
    ]
    trace.record("score", scores=scores)
    floor = settings.scoring.min_score_threshold
    kept = tuple(found for found in ranked if found.score >= floor or found.exact)
    trace.record("decide", floor=floor, kept=len(kept), dropped=len(ranked) - len(kept))
    return Found(
        query=read.request,
        classification=classification,
        ranked=kept,
        relaxed=relaxed,
        excluded=excluded,
        trace=trace,
        cache_hits=vectors.hits,
        cache_misses=vectors.misses,
    )


def strengths_of(classification: Classification, theme: str | None = None) -> dict[str, Met]:
    """How surely a request speaks of each capability: fully where it asks for one by name."""
    found = {known.capability: known for known in met(classification.bare_words if theme is None else theme)}
    words = f" {' '.join(re.findall(r'[a-z0-9]+', (theme or '').lower()))} "
    for capability in section("unasked") if theme else ():
        if f" {capability.replace('-', ' ')} " in words:  # by its own name
            found[capability] = Met(capability, 1.0, capability)
    return found | {name: Met(name, 1.0, said) for name, said in classification.asked.items()}


def _topics(entries: Sequence[Entry]) -> set[str]:
    """Words in the names of templates."""
    words = {word for entry in entries for word in entry.stem.lower().replace("_", "-").split("-")}
    return {word for word in words if word.isalpha() and word not in _NO_TOPICS}


_NO_TOPICS = frozenset("image os template example base extends".split())  # noqa: SIM905 - one list reads best


def _filtered(
    classification: Classification, entries: Sequence[Entry]
) -> tuple[set[str], tuple[Relaxed, ...], tuple[Excluded, ...]]:
    """The files that fulfil every constraint; where none does, those that fulfil the most, and what was given up for it."""
    wanted = {kind: [one for one in classification.constraints if one.kind == kind] for kind in _TARGETS}
    given_up: list[str] = []
    relaxed: list[Relaxed] = []
    while True:
        excluded = [left for entry in entries if (left := _off_target(entry, wanted, given_up))]
        files = {entry.file for entry in entries} - {one.file for one in excluded}
        if files or not entries:
            break
        kind = next((target for target in _TARGETS if wanted[target] and target not in given_up), "")
        if not kind:
            break
        given_up.append(kind)
        relaxed += [Relaxed(one, _given_up(one, entries, wanted, given_up)) for one in wanted[kind]]
    ruled_out = [
        out for entry in entries if entry.file in files and (out := _has_excluded(entry, classification))
    ]
    remaining = files - {one.file for one in ruled_out}
    if remaining or not files:
        return remaining, tuple(relaxed), (*excluded, *ruled_out)
    for constraint in classification.exclusions:
        message = (
            f'Every template that is left has what "{constraint.said}" rules out; these lose score for it.'
        )
        relaxed.append(Relaxed(constraint, message))
    return files, tuple(relaxed), tuple(excluded)


def _off_target(entry: Entry, wanted: dict[str, list[Wish]], given_up: Sequence[str]) -> Excluded | None:
    """The constraint on the target that a template does not fulfil."""
    facts = entry.facts
    systems = [one for kind in ("distribution", "version") if kind not in given_up for one in wanted[kind]]
    if systems and not any(system.value in {facts.distribution, facts.version} for system in systems):
        return Excluded(entry.file, systems[0], f"it is {facts.version or 'of no known distribution'}")
    for kind, has_it in (("architecture", facts.architecture), ("image_type", facts.image_type)):
        asked = wanted[kind] if kind not in given_up else []
        if asked and not any(one.value == has_it for one in asked):
            return Excluded(entry.file, asked[0], f"it is {has_it}")
    return None


def _given_up(
    constraint: Wish, entries: Sequence[Entry], wanted: dict[str, list[Wish]], given_up: Sequence[str]
) -> str:
    """What is said of a constraint that had to be given up."""
    values = {
        value
        for entry in entries
        for value in (
            entry.facts.distribution,
            entry.facts.version,
            entry.facts.architecture,
            entry.facts.image_type,
        )
    }
    what = constraint.kind.replace("_", " ")
    if constraint.value not in values:
        return f'There is no template of the {what} "{constraint.said}" at all; this was given up.'
    others = [one.said for kind in _TARGETS if kind not in given_up for one in wanted[kind]]
    return f'There is no template of the {what} "{constraint.said}" together with {" and ".join(others) or "the rest"}; this was given up.'


def _has_excluded(entry: Entry, classification: Classification) -> Excluded | None:
    for constraint in classification.exclusions:
        if because := broken(constraint, entry.facts, entry.indexed.capabilities):
            return Excluded(entry.file, constraint, because)
    return None


def _ranked(
    classification: Classification,
    asked: Request,
    measured: Sequence[tuple[Entry, Signals]],
    settings: ComposerSettings,
    *,
    size: int,
) -> list[Ranked]:
    """Templates by score; equal ones by file."""
    weights = classification.weights
    sure = {name: found for name, found in asked.met.items() if found.strength >= _SURELY}
    full = sum(weights) if classification.packages else weights.semantic + weights.keyword
    ranked = []
    for entry, signal in measured:
        whole = (
            weights.semantic * signal.semantic
            + weights.keyword * signal.keyword
            + weights.package * signal.package
        ) / (full or 1.0)
        penalty = 0.0
        if _has_excluded(entry, classification):
            penalty = whole * (1 - settings.classification.negation_penalty)
        fits = _has_size(entry.facts, size)
        why = [f'Matches "{sure[name].phrase}".' for name in entry.indexed.capabilities if name in sure]
        if signal.package:
            why.append(f"It has {signal.package:.0%} of the packages.")
        if fits:
            why.append("Its disk is as large as asked for.")
        if classification.constraints or size:
            exact = not penalty and (fits or not size)
        else:
            exact = not penalty and bool(classification.packages) and signal.package == 1.0
        ranked.append(
            Ranked(
                entry,
                whole - penalty,
                signal.semantic,
                signal.keyword,
                signal.package,
                penalty,
                exact,
                tuple(why),
                signal.parts,
            )
        )
    return sorted(ranked, key=lambda found: (-found.score, found.file))


def _has_size(facts: Facts, size_bytes: int) -> bool:
    """Return whether a disk is as large as asked for. Gigabytes of 1000 and of 1024 count as the same."""
    return abs((facts.disk_size_bytes or 0) - size_bytes) <= _SAME_SIZE * size_bytes


_SAME_SIZE = 0.08
"""By what share two sizes may differ that are both called the same."""


def _as_data(classification: Classification) -> dict[str, Json]:
    return {
        "type": classification.type,
        "weights": classification.weights._asdict(),
        "packages": list(classification.packages),
        "keywords": list(classification.keywords),
        "density": round(classification.density, 4),
        "constraints": [
            {"kind": wish.kind, "value": wish.value, "said": wish.said} for wish in classification.constraints
        ],
        "exclusions": [
            {"kind": wish.kind, "value": wish.value, "said": wish.said} for wish in classification.exclusions
        ],
        "reason": classification.reason,
    }


def scored(one: Ranked) -> dict[str, Json]:
    """Return a result and its scores as plain data."""
    return {
        "file": one.file,
        "score": round(one.score, 4),
        "semantic": round(one.semantic, 4),
        "keyword": round(one.keyword, 4),
        "package": round(one.package, 4),
        "penalty": round(one.penalty, 4),
        "exact": one.exact,
    }
