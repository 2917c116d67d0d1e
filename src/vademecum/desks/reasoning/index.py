"""The search index of templates: words by field, vectors, and a classifier trained on example questions."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from operator import mul
from typing import NamedTuple

from vademecum.core.passages import DOCUMENT_STEPS, WHOLE
from vademecum.desks.reasoning.naive_bayes import LONGEST, Learnt, Likeness
from vademecum.desks.reasoning.templates import Template
from vademecum.providers.builtin import word_table
from vademecum.retrieval.lexical import Field, PlainBM25, bm25f, rarity
from vademecum.text.words import WORD, numbers, terms

FIELDS = {
    "name": Field(2.0, 0.3, 3),
    "description": Field(1.5, 0.5, 30),
    "keywords": Field(2.0, 0.4, 20),
    "use_when": Field(1.5, 0.5, 50),
    "examples": Field(1.5, 0.5, 70),
    "methodology": Field(0.3, 0.3, 1),
    "content": Field(0.6, 0.75, 450),
}
"""How much each field of a template counts (BM25F), and how long it usually is in terms."""

_NAMED = re.compile(r"[^\W_]+")
_MOST_VECTORS = 12
"""Lines of one field that are compared by their vectors, each."""


class Measured(NamedTuple):
    """What was measured of one template for one problem.

    Attributes:
        words: BM25F over all fields, at least 0.
        cover: Share (0-1) of the problem's rarity that the template has anywhere.
        phrases: How many of its keywords are in the problem, each counted by its words.
        named: Whether the problem names the template.
        meaning: Cosine (-1 to 1) of the problem with all questions of the template together.
        likeness: To its own lines.
    """

    words: float
    cover: float
    phrases: float
    named: bool
    meaning: float
    likeness: Likeness


class Measures(NamedTuple):
    """What was measured of all templates, in the index's order; of the lines that need none; and of the problem."""

    templates: list[Measured]
    nothing: Likeness
    known: float


class TemplateIndex:
    """Templates that compete with each other, and questions that need none of them.

    Args:
        templates: Without the fallback; their order decides among equals.
        nothing: Questions that no template fits.
    """

    def __init__(self, templates: Sequence[Template], nothing: Iterable[str]) -> None:
        self.templates = tuple(templates)
        self.nothing = tuple(nothing)
        self._weights = [
            {term: steps / DOCUMENT_STEPS for term, steps in zip(*bm25f(_weighed(template)), strict=True)}
            for template in self.templates
        ]
        self._frequency = Counter(term for weights in self._weights for term in weights)
        self._plain: PlainBM25 | None = None
        self._phrases = [
            [words for keyword in template.keywords if (words := _stems(keyword))]
            for template in self.templates
        ]
        self._names = [_stems(template.name) for template in self.templates]
        self._learnt = Learnt([*(lines_of(template) for template in self.templates), self.nothing])
        self._meanings = [_embedded(_asked_terms(template)) for template in self.templates]
        self._lines: list[list[list[float]]] = []

    def measure(self, problem: str) -> Measures:
        """Measure every template for a problem; what comes after the first `LONGEST` characters is not looked at."""
        problem = problem[:LONGEST]
        asked = dict.fromkeys(numbers(WORD.findall(problem)))
        rare = {term: rarity(self._frequency[term] * WHOLE, len(self.templates) * WHOLE) for term in asked}
        total = sum(rare.values()) or 1.0
        vector = _embedded(terms(problem))
        stems = f" {' '.join(_stems(problem).split())} "
        likenesses, known = self._learnt.likenesses(problem)
        found = []
        for at, weights in enumerate(self._weights):
            shared = [(term, weight) for term, weight in rare.items() if term in weights]
            found.append(
                Measured(
                    words=sum(weight * weights[term] for term, weight in shared),
                    cover=sum(weight for _, weight in shared) / total,
                    phrases=float(
                        sum(phrase.count(" ") + 1 for phrase in self._phrases[at] if f" {phrase} " in stems)
                    ),
                    named=bool(self._names[at]) and f" {self._names[at]} " in stems,
                    meaning=_dot(vector, self._meanings[at]),
                    likeness=likenesses[at],
                )
            )
        return Measures(found, likenesses[-1], known)

    def cosines(self, problem: str) -> list[float]:
        """For each template the best cosine (0-1) of the problem with a line that it says of itself, by the word vectors.

        Its lines are its description, its keywords, each situation (`use_when`) and each example.
        """
        if not self._lines:
            self._lines = [_line_vectors(template) for template in self.templates]
        vector = _embedded(terms(problem[:LONGEST]))
        return [max(0.0, *(_dot(vector, line) for line in lines)) for lines in self._lines]

    def plain_scores(self, problem: str) -> list[float]:
        """Plain BM25 of each template: the baseline."""
        if self._plain is None:
            self._plain = PlainBM25([" ".join(_texts(template)) for template in self.templates])
        return self._plain.scores(problem[:LONGEST])


def lines_of(template: Template) -> tuple[str, ...]:
    """The lines of a template that speak as people ask: examples, questions, situations, keywords, description."""
    lines = (*template.examples, *template.asked, *template.use_when, *template.keywords)
    return (*lines, template.description, template.name) if template.description else (*lines, template.name)


def _embedded(found: Sequence[str]) -> list[float]:
    return word_table().embed(found)


def _asked_terms(template: Template) -> list[str]:
    lines = (*template.examples, *template.asked)
    return [term for line in lines or lines_of(template) for term in terms(line)]


def _line_vectors(template: Template) -> list[list[float]]:
    lines = (
        *template.examples[:_MOST_VECTORS],
        *template.use_when[:_MOST_VECTORS],
        ", ".join(template.keywords),
    )
    return [_embedded(terms(line)) for line in (f"{template.name}. {template.description}", *lines)]


def _weighed(template: Template) -> list[tuple[list[int], Field]]:
    """The terms of each field."""
    values = {name: getattr(template, name) for name in FIELDS}
    texts = {name: value if isinstance(value, str) else "\n".join(value) for name, value in values.items()}
    return [(numbers(WORD.findall(texts[name])), field) for name, field in FIELDS.items()]


def _texts(template: Template) -> tuple[str, ...]:
    """All that the file of a template says, without its questions from elsewhere."""
    lists = (*template.keywords, *template.use_when, *template.examples)
    return (template.name, template.description, template.methodology, *lists, template.content)


def _stems(text: str) -> str:
    """A text as stems parted by blanks, so that phrases can be looked for in it."""
    return " ".join(term for word in _NAMED.findall(text.lower()) for term in terms(word))


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return float(sum(map(mul, one, other)))
