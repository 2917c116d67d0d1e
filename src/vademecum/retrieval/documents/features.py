"""The features of a candidate document."""

from collections.abc import Sequence
from itertools import combinations, pairwise
from math import log1p
from operator import mul

from vademecum.core.candidates import Candidate, SearchIndex
from vademecum.retrieval.lexical import depth, family, name_terms
from vademecum.retrieval.meaning import LINE
from vademecum.retrieval.question.kinds import KINDS
from vademecum.retrieval.question.question import Question, Term
from vademecum.text.words import WORD, numbers, stem

_SECTIONS = "12345678"
_ADJACENT = 3
"""The maximum distance of words that belong together, in terms."""

FEATURES = (
    "page_score", "page_share", "page_rank", "cover_page", "cover_page_rarest", "cover_summary", "cover_name", "name_precision", "summary_precision",
    "summary_length", "verb_in_summary", "last_in_summary", "named_word", "named_first", "named_reference", "options_asked", "options_missing", "question_terms",
    "unknown_share", "unknown_rarity", "unknown_names", "line", "line_share", "line_rank", "need", "need_share", "need_rank", "need_words", "need_words_share",
    "need_cover", "need_precision", "second_need", "found_needs", "pairs_in_summary", "pointed_to", "points_to", "linked", "depth", "family_size",
    "family_named", "page_passages", *(f"kind_{kind}" for kind in KINDS), *(f"section_{section}" for section in _SECTIONS), "has_needs",
)  # fmt: skip
"""The names of the features, in order. Shares are 0-1; scores are BM25F; ranks are 1/(rank+1); counts are log(1+n)."""


def measure(question: Question, candidates: Sequence[Candidate], index: SearchIndex) -> list[Candidate]:
    """Return the candidates in the same order, each with its `features`."""
    known = [term for term in question.terms if term.known]
    term_numbers = [term.number for term in known]
    in_page = index.page_terms([candidate.place for candidate in candidates], term_numbers)
    page_scores = [sum(map(mul, (term.weight for term in known), weights)) for weights in in_page]
    page_ranks = _ranks(page_scores)
    best_page = max(page_scores, default=0.0) or 1.0
    near = _nearness(question, candidates, index)
    needs = _needs(question, candidates)
    unknown = _unknown(question)
    pairs = _Pairs(question)
    pointed = _pointed(candidates)
    families: dict[str, int] = {}
    for candidate in candidates:
        name = family(candidate.page.reference)
        families[name] = families.get(name, 0) + 1
    asked = _Asked(question)
    measured = []
    for position, candidate in enumerate(candidates):
        features = (
            page_scores[position], page_scores[position] / best_page, 1 / (1 + page_ranks[position]), *_coverage(known, in_page[position]),
            *asked.about(candidate), _missing(question, known, in_page[position]), len(known), *unknown, *near[position], *needs[position],
            pairs.near(candidate.page.summary), *pointed[position], log1p(candidate.page.linked), depth(candidate.page.reference),
            log1p(families[family(candidate.page.reference)]), float(family(candidate.page.reference) in question.words), log1p(candidate.page.passages),
            *(float(kind in question.kinds) for kind in KINDS), *(float(f"({section}" in candidate.page.reference) for section in _SECTIONS),
            float(candidate.page.needs > 0),
        )  # fmt: skip
        measured.append(candidate._replace(features=features))
    return measured


def _missing(question: Question, known: Sequence[Term], in_page: Sequence[float]) -> float:
    """Count options and code names in the question that the page does not contain."""
    had = {term.text for term, weight in zip(known, in_page, strict=True) if weight}
    return float(sum(1 for term in question.terms if _is_code(term) and term.text not in had))


def _is_code(term: Term) -> bool:
    """Return whether a word is an option, or a whole name such as `PermitRootLogin`, `O_CLOEXEC`, `nginx.conf`."""
    word = term.word
    plain = word.isdigit() or (word.isalpha() and (word.islower() or word.istitle()))
    return term.text.startswith("-") or (not plain and term.text in {word.lower(), stem(word.lower())})


def _unknown(question: Question) -> tuple[float, float, float]:
    """Measure the part of the question that no document contains: share of its rarity, log(1+rarity), options and code names."""
    unknown = [term for term in question.terms if not term.known]
    total = sum(term.rarity for term in question.terms) or 1.0
    rarity = sum(term.rarity for term in unknown)
    names = sum(
        1 for term in unknown if not term.word.isalpha() or not (term.word.islower() or term.word.istitle())
    )
    return rarity / total, log1p(rarity), float(names)


def _nearness(
    question: Question, candidates: Sequence[Candidate], index: SearchIndex
) -> list[tuple[float, float, float]]:
    """Return the similarity of each candidate's summary line to the question: cosine, share of the best, rank."""
    vector = index.vectors(question.wording())[LINE]
    cosines = index.nearness(LINE, vector, [candidate.place for candidate in candidates])
    best = max(cosines, default=0.0)
    return [
        (cosine, cosine / best if best > 0 else 0.0, 1 / (1 + rank))
        for cosine, rank in zip(cosines, _ranks(cosines), strict=True)
    ]


def _needs(question: Question, candidates: Sequence[Candidate]) -> list[tuple[float, ...]]:
    """Return the similarity of each candidate's needs: by embedding, by words, and the number found."""
    rarity = {term.number: term.rarity for term in question.terms}
    total = sum(rarity.values()) or 1.0
    cosines = [max((need.cosine for need in one.needs), default=0.0) for one in candidates]
    words = [max((need.words for need in one.needs), default=0.0) for one in candidates]
    best, most = max(cosines, default=0.0), max(words, default=0.0) or 1.0
    found: list[tuple[float, ...]] = []
    for candidate, cosine, rank, score in zip(candidates, cosines, _ranks(cosines), words, strict=True):
        cover = precision = 0.0
        for need in candidate.needs:
            terms = set(numbers(WORD.findall(need.text)))
            shared = terms & rarity.keys()
            cover = max(cover, sum(rarity[term] for term in shared) / total)
            precision = max(precision, len(shared) / len(terms) if terms else 0.0)
        second = candidate.needs[1].cosine if len(candidate.needs) > 1 else 0.0
        share = cosine / best if best > 0 else 0.0
        count = log1p(len(candidate.needs))
        found.append((cosine, share, 1 / (1 + rank), score, score / most, cover, precision, second, count))
    return found


def _ranks(scores: Sequence[float]) -> list[int]:
    """Return the rank of each score, from 0. Equal scores have the same rank."""
    ordered = sorted(set(scores), reverse=True)
    first = {}
    count = 0
    for score in ordered:
        first[score] = count
        count += scores.count(score)
    return [first[score] for score in scores]


def _coverage(known: Sequence[Term], in_page: Sequence[float]) -> tuple[float, float]:
    """Return the share of the question's rarity that the page contains, and whether it contains the rarest term."""
    total = sum(term.rarity for term in known) or 1.0
    page = sum(term.rarity for term, weight in zip(known, in_page, strict=True) if weight)
    rarest = max(range(len(known)), key=lambda i: known[i].rarity, default=-1)
    return page / total, float(rarest >= 0 and in_page[rarest] > 0)


_POINTING = 20
"""The number of top candidates whose links are used."""


def _pointed(candidates: Sequence[Candidate]) -> list[tuple[float, float]]:
    """Return for each candidate the weight of links from and to the top candidates. Higher ranks have more weight."""
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


class _Pairs:
    """Pairs of neighbouring terms in the question, which are stronger evidence if they are close together."""

    def __init__(self, question: Question) -> None:
        ordered = dict.fromkeys(term.number for term in question.terms if term.known)
        self._terms = ordered.keys()
        self._pairs = {frozenset(pair) for pair in pairwise(ordered)}

    def near(self, text: str) -> float:
        """Return the share (0-1) of pairs that are close together in a text."""
        places = [(at, term) for at, term in enumerate(numbers(WORD.findall(text))) if term in self._terms]
        found = {
            frozenset((one, other))
            for (at, one), (other_at, other) in combinations(places, 2)
            if other_at - at <= _ADJACENT and other != one
        }
        return len(found & self._pairs) / (len(self._pairs) or 1)


class _Asked:
    """Names, verbs and options in the question, computed once and compared with each candidate."""

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
