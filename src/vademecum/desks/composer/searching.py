"""From a request to templates in order: classify, filter or show what was given up, score, and say why."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from vademecum.core.errors import AnswerError
from vademecum.core.trace import Json, Trace
from vademecum.desks.composer.classification import Classification, Constraint, Weights, classify
from vademecum.desks.composer.embedding import embedded
from vademecum.desks.composer.exclusions import has
from vademecum.desks.composer.guessing import guess
from vademecum.desks.composer.library import Entry, TemplateLibrary
from vademecum.desks.composer.package_names import KnownPackages
from vademecum.desks.composer.patterns import Pattern
from vademecum.desks.composer.scoring import SIGNALS, Request, Signals, measure
from vademecum.desks.composer.settings import ComposerSettings
from vademecum.desks.composer.sizes import size_in
from vademecum.desks.composer.understanding import met
from vademecum.providers.builtin import word_table
from vademecum.text.words import terms

LONGEST = 20_000
"""Characters of a request that are looked at."""

_SURELY = 0.45
"""The strength of a capability from which on it is told as a reason."""

_TARGETS = ("image_type", "architecture", "version", "distribution")
"""The kinds of constraints in the order in which they are given up, if no template fulfils all."""


class Ranked(NamedTuple):
    """A template in the result.

    Attributes:
        entry: The template.
        score: Weighed sum of the signals, less the penalty; 0-1, never rising with the rank.
        semantic: How near it is in meaning (0-1).
        keyword: How much of the request's words it has (0-1).
        package: How many of the packages asked for it has (0-1).
        penalty: What was taken off for what the request rules out.
        exact: Whether it fulfils everything that the request says of its structure (or, if that is nothing, has all packages that it
            names); such a one is never dropped for a low score.
        why: What speaks for it, in short sentences.
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
    """Something asked for that no template fulfils, and that was therefore given up: always shown.

    Attributes:
        constraint: What was asked for.
        message: What was done instead, in a sentence.
    """

    constraint: Constraint
    message: str


class Excluded(NamedTuple):
    """A template that was left out: its file, the constraint that it does not fulfil, and why, in words."""

    file: str
    constraint: Constraint
    because: str


class Found(NamedTuple):
    """What a search gives.

    Attributes:
        query: As asked.
        classification: What was made of it.
        ranked: Best first; empty if nothing is near enough.
        relaxed: What was given up.
        excluded: What was left out, and why.
        trace: Every step: `classify`, `filter`, `vectors`, `score`, `decide`.
        cache_hits: How many vectors of templates were kept.
        cache_misses: How many had to be made.
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
    query: str, library: TemplateLibrary, settings: ComposerSettings, *, in_session: bool = False
) -> Found:
    """Templates for a request.

    Args:
        query: In a person's words; what stands after the first `LONGEST` characters is not looked at.
        library: The templates.
        settings: Weights, thresholds, the embedder and its cache.
        in_session: Whether there is a template in work, so that the request may be a refinement of it.

    Raises:
        AnswerError: There is nothing in the request to look for.
        ProviderError: A configured embedder can not be asked.
    """
    trace = Trace()
    query = query[:LONGEST]
    if not any(map(str.isalnum, query)):
        hint = 'Say what the image is for, such as: "a minimal edge image for eLxr".'
        raise AnswerError("The request is empty.", hint=hint)
    classification = _classified(query, library, settings, in_session=in_session)
    trace.record("classify", **_told(classification))
    chosen, relaxed, excluded = _filtered(classification, library.templates)
    trace.record(
        "filter",
        left=len(chosen),
        excluded=[{"file": one.file, "because": one.because} for one in excluded],
        relaxed=[one.message for one in relaxed],
    )
    vectors = embedded(classification.words, library, settings)
    trace.record(
        "vectors", model=vectors.model, hits=vectors.hits, misses=vectors.misses, notes=list(vectors.notes)
    )
    request = _request(classification)
    signals = measure(request, library.templates, vectors.cosines)
    ranked = _ranked(classification, library.templates, chosen, signals, settings)
    trace.record("score", scores=[_scored(one) for one in ranked[:10]])
    floor = settings.scoring.min_score_threshold
    kept = tuple(one for one in ranked if one.score >= floor or one.exact)
    trace.record("decide", floor=floor, kept=len(kept), dropped=len(ranked) - len(kept))
    return Found(
        query=query,
        classification=classification,
        ranked=kept,
        relaxed=relaxed,
        excluded=excluded,
        trace=trace,
        cache_hits=vectors.hits,
        cache_misses=vectors.misses,
    )


def _classified(
    query: str, library: TemplateLibrary, settings: ComposerSettings, *, in_session: bool
) -> Classification:
    scoring, rules = settings.scoring, settings.classification
    topics = {word for one in library.templates for word in one.stem.lower().replace("_", "-").split("-")}
    classification = classify(
        query,
        known=_known(library),
        topics={word for word in topics if word.isalpha() and word not in _NO_TOPICS},
        in_session=in_session,
        usual=Weights(scoring.semantic, scoring.keyword, scoring.package),
        package_threshold=rules.package_threshold,
        keyword_density=rules.keyword_density,
    )
    return _with_newest(classification, library.templates)


_NEWEST = Pattern(
    r"\b(?:newest|latest|most recent)\s+(?:(?:[\w.-]+\s+){0,3}?(?:release|version|lts)|ubuntu|debian|elxr)\b"
)


def _with_newest(classification: Classification, entries: Sequence[Entry]) -> Classification:
    """Where the newest release of a distribution is asked for, the newest that there is, as a constraint."""
    said = _NEWEST.search(classification.words)
    names = [one for one in classification.constraints if one.kind == "distribution"]
    if not said or len(names) != 1:
        return classification
    versions = {one.facts.version for one in entries if one.facts.distribution == names[0].value}
    if len(versions) < 2:
        return classification
    newest = Constraint("version", max(versions, key=_number), said[0])
    kept = tuple(one for one in classification.constraints if one is not names[0])
    return classification._replace(constraints=(*kept, newest))


def _number(version: str) -> tuple[int, str]:
    digits = re.search(r"\d+$", version)
    return int(digits[0]) if digits else 0, version


_NO_TOPICS = frozenset("image os template example base extends".split())  # noqa: SIM905 - one list reads best


def _known(library: TemplateLibrary) -> KnownPackages:
    """Names that count as packages: those of the templates, and all that the alias table has."""
    from vademecum.desks.composer.packages.aliases import all_concepts  # noqa: PLC0415 - not for a mere classification

    known = library.known_packages
    elsewhere = {
        name
        for one in all_concepts().values()
        for names in (*one.packages.values(), one.others)
        for name in names
    }
    return known._replace(names=known.names | elsewhere)


def _filtered(
    classification: Classification, entries: Sequence[Entry]
) -> tuple[set[str], tuple[Relaxed, ...], tuple[Excluded, ...]]:
    """The files that fulfil every constraint; where none does, those that fulfil the most, and what was given up for it."""
    wanted = {kind: [one for one in classification.constraints if one.kind == kind] for kind in _TARGETS}
    given_up: list[str] = []
    relaxed: list[Relaxed] = []
    while True:
        excluded = [left for one in entries if (left := _off_target(one, wanted, given_up))]
        files = {one.file for one in entries} - {one.file for one in excluded}
        if files or not entries:
            break
        kind = next((one for one in _TARGETS if wanted[one] and one not in given_up), "")
        if not kind:
            break
        given_up.append(kind)
        relaxed += [Relaxed(one, _given_up(one, entries, wanted, given_up)) for one in wanted[kind]]
    ruled_out = [out for one in entries if one.file in files and (out := _has_excluded(one, classification))]
    remaining = files - {one.file for one in ruled_out}
    if remaining or not files:
        return remaining, tuple(relaxed), (*excluded, *ruled_out)
    for constraint, each in zip(classification.exclusions, classification.ruled_out, strict=True):
        if each.is_understood:
            message = f'Every template that is left has what "{constraint.said}" rules out; these lose score for it.'
            relaxed.append(Relaxed(constraint, message))
    return files, tuple(relaxed), tuple(excluded)


def _off_target(
    entry: Entry, wanted: dict[str, list[Constraint]], given_up: Sequence[str]
) -> Excluded | None:
    """The constraint on the target that a template does not fulfil."""
    facts = entry.facts
    systems = [one for kind in ("distribution", "version") if kind not in given_up for one in wanted[kind]]
    if systems and not any(one.value in {facts.distribution, facts.version} for one in systems):
        return Excluded(entry.file, systems[0], f"it is {facts.version or 'of no known distribution'}")
    for kind, has_it in (("architecture", facts.architecture), ("image_type", facts.image_type)):
        asked = wanted[kind] if kind not in given_up else []
        if asked and not any(one.value == has_it for one in asked):
            return Excluded(entry.file, asked[0], f"it is {has_it}")
    return None


def _given_up(
    constraint: Constraint,
    entries: Sequence[Entry],
    wanted: dict[str, list[Constraint]],
    given_up: Sequence[str],
) -> str:
    """What is said of a constraint that had to be given up."""
    values = {
        value
        for one in entries
        for value in (one.facts.distribution, one.facts.version, one.facts.architecture, one.facts.image_type)
    }
    what = constraint.kind.replace("_", " ")
    if constraint.value not in values:
        return f'There is no template of the {what} "{constraint.said}" at all; this was given up.'
    others = [one.said for kind in _TARGETS if kind not in given_up for one in wanted[kind]]
    return f'There is no template of the {what} "{constraint.said}" together with {" and ".join(others) or "the rest"}; this was given up.'


def _has_excluded(entry: Entry, classification: Classification) -> Excluded | None:
    for constraint, each in zip(classification.exclusions, classification.ruled_out, strict=True):
        if each.is_understood and (because := has(entry.facts, each, entry.indexed.capabilities)):
            return Excluded(entry.file, constraint, because)
    return None


def _request(classification: Classification) -> Request:
    asked = terms(classification.bare_words)
    return Request(
        words=classification.words,
        met={one.capability: one.strength for one in met(classification.bare_words)},
        guessed=guess(word_table().embed(asked)),
        packages=classification.packages,
        size=size_in(classification.words),
    )


def _ranked(
    classification: Classification,
    entries: Sequence[Entry],
    chosen: set[str],
    signals: Sequence[Signals],
    settings: ComposerSettings,
) -> list[Ranked]:
    """The chosen templates by score; equal ones by file."""
    weights = classification.weights
    asked = {one.capability: one for one in met(classification.bare_words) if one.strength >= _SURELY}
    size = size_in(classification.words)
    full = sum(weights) if classification.packages else weights.semantic + weights.keyword
    found = []
    for entry, one in zip(entries, signals, strict=True):
        if entry.file not in chosen:
            continue
        whole = (
            weights.semantic * one.semantic + weights.keyword * one.keyword + weights.package * one.package
        ) / (full or 1.0)
        penalty = 0.0
        if _has_excluded(entry, classification):
            penalty = whole * (1 - settings.classification.negation_penalty)
        fits = bool(size and size.fits(entry.facts.disk_size_bytes))
        why = [
            f'It is what "{asked[name].phrase}" asks for.'
            for name in entry.indexed.capabilities
            if name in asked
        ]
        if one.package:
            why.append(f"It has {one.package:.0%} of the packages.")
        if size and fits:
            why.append(f"Its disk is as asked: {size.said}.")
        if classification.constraints or size:
            exact = not penalty and (fits or not size)
        else:
            exact = not penalty and bool(classification.packages) and one.package == 1.0
        found.append(
            Ranked(
                entry,
                whole - penalty,
                one.semantic,
                one.keyword,
                one.package,
                penalty,
                exact,
                tuple(why),
                one.parts,
            )
        )
    return sorted(found, key=lambda one: (-one.score, one.file))


def _told(classification: Classification) -> dict[str, Json]:
    return {
        "type": classification.type,
        "weights": classification.weights._asdict(),
        "packages": list(classification.packages),
        "keywords": list(classification.keywords),
        "density": round(classification.density, 4),
        "constraints": [one._asdict() for one in classification.constraints],
        "exclusions": [one._asdict() for one in classification.exclusions],
        "reasons": list(classification.reasons),
    }


def _scored(one: Ranked) -> dict[str, Json]:
    return {
        "file": one.file,
        "score": round(one.score, 4),
        "semantic": round(one.semantic, 4),
        "keyword": round(one.keyword, 4),
        "package": round(one.package, 4),
        "penalty": round(one.penalty, 4),
        "exact": one.exact,
        "parts": {name: round(value, 4) for name, value in zip(SIGNALS, one.parts, strict=True)},
    }
