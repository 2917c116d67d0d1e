"""Choose the command line to answer with: the nearest example, the nearest recipe, or a composed line."""

from collections.abc import Iterator, Sequence

from vademecum.ask.command_lines.example_line import examples_of, from_examples, is_of_examples
from vademecum.ask.command_lines.line_to_type import commands_of, compose, from_pipe, holds
from vademecum.ask.command_lines.line_writer import LineToType
from vademecum.ask.gather import evidence_at
from vademecum.core.candidates import Candidate
from vademecum.core.evidence import Evidence
from vademecum.index.reader.index import Index
from vademecum.retrieval.question.question import Question
from vademecum.sources._recipes import recipes

_ALIKE, _NEARLY = 0.7, 0.08
"""The minimum cosine similarity of a recipe's need and the question, and the maximum difference from the best match."""

_MOST_NEEDS = 6


def line_for(
    question: Question, index: Index, candidate: Candidate, evidence: Sequence[Evidence]
) -> LineToType | None:
    """Return the line that does what is asked; None if the page's SYNOPSIS cannot be parsed.

    Args:
        question: The analysed question.
        index: The index that contains the pages.
        candidate: The command's page, with its needs.
        evidence: Its text, and the texts of its `companions`.
    """
    lines = _lines(question, index, candidate, evidence)
    return next((line for line in lines if line and holds(line, question.text, evidence)), None)


def companions(candidate: Candidate, index: Index) -> list[Evidence]:
    """Return the other pages that a line may cite: those of the other commands of a pipe, and a page of examples."""
    name = candidate.page.reference.partition("(")[0]
    others = dict.fromkeys(other for recipe in _recipes(candidate)[:1] for other in commands_of(recipe))
    pages = [
        evidence_at(found[0], index)
        for other in others
        if other != name and (found := index.named(f"{other}(1)"))
    ]
    examples = examples_of(name, index)
    return [*pages, *([examples] if examples else [])]


def _lines(
    question: Question, index: Index, candidate: Candidate, evidence: Sequence[Evidence]
) -> Iterator[LineToType | None]:
    document, *others = evidence
    if others and is_of_examples(others[-1].reference):
        yield from_examples(question, index, document, others[-1], len(others))
    names = [name.partition("(")[0] for name in candidate.page.names]
    for recipe in _recipes(candidate):
        yield from_pipe(recipe, names, question.text, evidence)
    yield compose(question.text, 0, document)


def _recipes(candidate: Candidate) -> list[str]:
    """Yield the recipes whose needs are similar enough to the question, most similar first."""
    needs = sorted(candidate.needs, key=lambda need: -need.cosine)
    found = []
    for need in needs[:_MOST_NEEDS]:
        lines = (recipes().get((name, need.text)) for name in candidate.page.names)
        recipe = next(filter(None, lines), None)
        if recipe and need.cosine >= max(_ALIKE, needs[0].cosine - _NEARLY):
            found.append(recipe)
    return found
