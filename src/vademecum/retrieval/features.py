"""Evaluate, first half: what is measured of each candidate."""

from collections.abc import Sequence
from itertools import pairwise
from math import log1p
from operator import mul

from vademecum.core.candidates import Candidate, SearchIndex
from vademecum.core.passages import OPTION
from vademecum.retrieval.kinds import KINDS
from vademecum.retrieval.lexical import depth, family, name_terms
from vademecum.retrieval.meaning import NAMES
from vademecum.retrieval.question import Question, Term
from vademecum.retrieval.words import WORD, numbers

_SECTIONS = "12345678"
_ADJACENT = 3
_WINDOW = 24
"""Distances in terms: of words that belong together, and of a sentence."""

FEATURES = (
    "page_score",
    "page_share",
    "page_rank",
    "passage_score",
    "passage_share",
    "passage_rank",
    "second_passage",
    "option_score",
    "section_score",
    "found_passages",
    "cover_page",
    "cover_page_rarest",
    "cover_passage",
    "cover_summary",
    "cover_name",
    "name_precision",
    "summary_precision",
    "summary_length",
    "verb_in_summary",
    "last_in_summary",
    "named_word",
    "named_first",
    "named_reference",
    "options_asked",
    "options_missing",
    "question_terms",
    "unknown_share",
    "unknown_rarity",
    "unknown_names",
    "line",
    "line_share",
    "line_rank",
    "description",
    "description_share",
    "description_rank",
    "contents",
    "contents_share",
    "contents_rank",
    "pairs_in_passage",
    "pairs_in_summary",
    "window_cover",
    "pointed_to",
    "points_to",
    "linked",
    "depth",
    "family_size",
    "family_named",
    "page_passages",
    *(f"kind_{kind}" for kind in KINDS),
    *(f"section_{section}" for section in _SECTIONS),
)
"""Their names, in order. Shares are 0-1; scores are BM25F; ranks are 1/(rank+1); counts are log(1+n)."""


def measure(question: Question, candidates: Sequence[Candidate], index: SearchIndex) -> list[Candidate]:
    """The same candidates in the same order, each with its `features`."""
    known = [term for term in question.terms if term.known]
    term_numbers = [term.number for term in known]
    in_page = index.page_terms([candidate.place for candidate in candidates], term_numbers)
    best = [candidate.passages[0] if candidate.passages else None for candidate in candidates]
    texts = [(candidates[i].place.segment, passage.text) for i, passage in enumerate(best) if passage]
    found_in_passage = iter(index.passage_terms(texts, term_numbers))
    in_passage = [next(found_in_passage) if passage else [0.0] * len(known) for passage in best]
    page_scores = [sum(map(mul, (term.weight for term in known), weights)) for weights in in_page]
    page_ranks = _ranks(page_scores)
    passage_ranks = _ranks([passage.score if passage else 0.0 for passage in best])
    best_page = max(page_scores, default=0.0) or 1.0
    best_passage = max((passage.score for passage in best if passage), default=0.0) or 1.0
    near = _nearness(question, candidates, index)
    unknown = _unknown(question)
    proximity = _Proximity(question, index)
    pointed = _pointed(candidates)
    families: dict[str, int] = {}
    for candidate in candidates:
        name = family(candidate.page.reference)
        families[name] = families.get(name, 0) + 1
    asked = _Asked(question)
    measured = []
    for position, candidate in enumerate(candidates):
        features = (
            page_scores[position],
            page_scores[position] / best_page,
            1 / (1 + page_ranks[position]),
            *_passage_features(candidate, best_passage, passage_ranks[position]),
            *_coverage(known, in_page[position], in_passage[position]),
            *asked.about(candidate),
            _missing(question, known, in_page[position]),
            len(known),
            *unknown,
            *(column[position] for column in near),
            *proximity.of(
                candidate, [term for term, weight in zip(known, in_passage[position], strict=True) if weight]
            ),
            *pointed[position],
            log1p(candidate.page.linked),
            depth(candidate.page.reference),
            log1p(families[family(candidate.page.reference)]),
            float(family(candidate.page.reference) in question.words),
            log1p(candidate.page.passages),
            *(float(kind in question.kinds) for kind in KINDS),
            *(float(f"({section}" in candidate.page.reference) for section in _SECTIONS),
        )
        measured.append(candidate._replace(features=features))
    return measured


def _missing(question: Question, known: Sequence[Term], in_page: Sequence[float]) -> float:
    """How many of the options that the question names the page does not have."""
    asked = sum(1 for term in question.terms if term.text.startswith("-"))
    had = sum(1 for term, weight in zip(known, in_page, strict=True) if weight and term.text.startswith("-"))
    return float(asked - had)


def _unknown(question: Question) -> tuple[float, float, float]:
    """How much of the question no document knows: share of its rarity, log(1+rarity), options and code names."""
    unknown = [term for term in question.terms if not term.known]
    total = sum(term.rarity for term in question.terms) or 1.0
    rarity = sum(term.rarity for term in unknown)
    names = sum(
        1 for term in unknown if not term.word.isalpha() or not (term.word.islower() or term.word.istitle())
    )
    return rarity / total, log1p(rarity), float(names)


def _nearness(question: Question, candidates: Sequence[Candidate], index: SearchIndex) -> list[list[float]]:
    """For each dense vector's name three columns: cosine, share of the best one, rank."""
    meaning = index.embed(term.text for term in question.terms)
    places = [candidate.place for candidate in candidates]
    columns = []
    for name in NAMES:
        cosines = index.nearness(name, meaning, places)
        best = max(cosines, default=0.0)
        shares = [one / best if best > 0 else 0.0 for one in cosines]
        columns += [cosines, shares, [1 / (1 + rank) for rank in _ranks(cosines)]]
    return columns


def _ranks(scores: Sequence[float]) -> list[int]:
    """Each score's rank, from 0; equal scores share the better one."""
    ordered = sorted(set(scores), reverse=True)
    first = {}
    count = 0
    for score in ordered:
        first[score] = count
        count += scores.count(score)
    return [first[score] for score in scores]


def _passage_features(candidate: Candidate, best_of_all: float, rank: int) -> tuple[float, ...]:
    passages = candidate.passages
    best = passages[0].score if passages else 0.0
    option = max((one.score for one in passages if one.kind == OPTION), default=0.0)
    section = max((one.score for one in passages if one.kind == 0), default=0.0)
    second = passages[1].score if len(passages) > 1 else 0.0
    return best, best / best_of_all, 1 / (1 + rank), second, option, section, log1p(len(passages))


def _coverage(
    known: Sequence[Term], in_page: Sequence[float], in_passage: Sequence[float]
) -> tuple[float, ...]:
    """Shares of the question's rarity found: in the page, of its rarest term, in the best passage."""
    total = sum(term.rarity for term in known) or 1.0
    page = sum(term.rarity for term, weight in zip(known, in_page, strict=True) if weight)
    passage = sum(term.rarity for term, weight in zip(known, in_passage, strict=True) if weight)
    rarest = max(range(len(known)), key=lambda i: known[i].rarity, default=-1)
    return page / total, float(rarest >= 0 and in_page[rarest] > 0), passage / total


_POINTING = 20
"""How many of the first candidates' links count."""


def _pointed(candidates: Sequence[Candidate]) -> list[tuple[float, float]]:
    """For each candidate how much the first ones point to it, and it to them; nearer the top counts more."""
    first = candidates[:_POINTING]
    shares = [1 / (2 + rank) for rank in range(len(first))]
    by_name = {
        name.lower(): rank for rank, one in reversed(list(enumerate(first))) for name in one.page.names
    }
    to: dict[str, float] = {}
    for share, one in zip(shares, first, strict=True):
        for link in {link.lower() for link in one.page.links}:
            to[link] = to.get(link, 0.0) + share
    found = []
    for candidate in candidates:
        names = {name.lower() for name in candidate.page.names}
        ranks = {
            by_name[link]
            for link in {link.lower() for link in candidate.page.links} - names
            if link in by_name
        }
        found.append(
            (max((to.get(name, 0.0) for name in names), default=0.0), sum(shares[rank] for rank in ranks))
        )
    return found


class _Proximity:
    """How close together the question's terms stand, in the best passage and in the one line."""

    def __init__(self, question: Question, index: SearchIndex) -> None:
        self._index = index
        self._rarity = {term.number: term.rarity for term in question.terms if term.known}
        self._total = sum(self._rarity.values()) or 1.0
        ordered = list(self._rarity)
        self._pairs = {frozenset(pair) for pair in pairwise(ordered)}

    def of(self, candidate: Candidate, in_passage: Sequence[Term]) -> tuple[float, float, float]:
        """Shares (0-1): adjacent pairs in the best passage, in the line, and rarity within one window.

        Args:
            candidate: With its best passage first.
            in_passage: The question's terms that this passage has; its text is only read when there are two.
        """
        in_line, _ = self._near(numbers(WORD.findall(candidate.page.summary)))
        if len(in_passage) < 2:
            return 0.0, in_line, sum(term.rarity for term in in_passage) / self._total
        text = self._index.passage_text(candidate.place, candidate.passages[0].passage)
        in_text, window = self._near(numbers(WORD.findall(text)))
        return in_text, in_line, window

    def _near(self, found: Sequence[int]) -> tuple[float, float]:
        places = [(position, term) for position, term in enumerate(found) if term in self._rarity]
        pairs = set()
        best = 0.0
        for first, (position, term) in enumerate(places):
            within = {term}
            for other_position, other in places[first + 1 :]:
                distance = other_position - position
                if distance > _WINDOW:
                    break
                if distance <= _ADJACENT and other != term:
                    pairs.add(frozenset((term, other)))
                within.add(other)
            best = max(best, sum(self._rarity[one] for one in within))
        return len(pairs & self._pairs) / (len(self._pairs) or 1), best / self._total


class _Asked:
    """What the question says of names, verbs and options, looked up once and compared with each candidate."""

    def __init__(self, question: Question) -> None:
        self._words = frozenset(question.words)
        self._first = question.words[0] if question.words else ""
        self._references = frozenset(reference.lower() for reference in question.references)
        self._terms = {term.number: term.rarity for term in question.terms}
        self._total = sum(self._terms.values()) or 1.0
        content = [term for term in question.terms if not term.text.startswith("-")]
        self._verb = content[0].number if content else 0
        self._last = content[-1].number if content else 0
        self._options = len(question.options)

    def about(self, candidate: Candidate) -> tuple[float, ...]:
        page = candidate.page
        summary = numbers(WORD.findall(page.summary))
        shared = self._terms.keys() & set(summary)
        name = set(name_terms(page.names[:1]))
        in_name = self._terms.keys() & name
        names = {name.partition("(")[0].lower() for name in page.names}
        return (
            sum(self._terms[term] for term in shared) / self._total,
            sum(self._terms[term] for term in in_name) / self._total,
            len(in_name) / len(name) if name else 0.0,
            len(shared) / len(summary) if summary else 0.0,
            len(summary),
            float(self._verb in shared),
            float(self._last in shared),
            float(bool(names & self._words)),
            float(self._first in names),
            float(any(name.lower() in self._references for name in page.names)),
            self._options,
        )
