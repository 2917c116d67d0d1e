"""Choose the command line from a page of examples (tldr), if the installed manual page documents every part of it."""

from vademecum.ask.command_lines.line_to_type import from_recipe
from vademecum.ask.command_lines.line_writer import LineToType
from vademecum.ask.gather import evidence_at
from vademecum.core.evidence import Evidence, ScoredPassage, Span
from vademecum.core.passages import SECTION
from vademecum.index.reader.index import Index
from vademecum.retrieval.command_lines.line_options import DESTROYS
from vademecum.retrieval.meaning import NEED
from vademecum.retrieval.question.question import Question
from vademecum.text.patterns import Pattern
from vademecum.text.sentences import fold

_SECTION = "tldr"
_ALIKE = 0.6
"""The minimum cosine similarity of an example's purpose and the question."""

_PATH = Pattern(r"\bpath/to/([\w-]+)(?:[\w./*-]*)", flags=0)
_SPELLINGS = Pattern(r"\[(--?[\w-]+)\|[^\]]*\]", flags=0)
_SHELL = Pattern(r"[|;&<>`$]", flags=0)


def is_of_examples(reference: str) -> bool:
    """Return whether a document is a page of examples (`tar(tldr)`)."""
    return reference.endswith(f"({_SECTION})")


def examples_of(name: str, index: Index) -> Evidence | None:
    """Return the page of examples of a command, or None if no source has one."""
    for place in index.named(f"{name}({_SECTION})"):
        if is_of_examples(index.page(place).reference):
            return evidence_at(place, index)
    return None


def from_examples(
    question: Question, index: Index, document: Evidence, examples: Evidence, position: int
) -> LineToType | None:
    """Return the line of the example that is most similar to a question.

    Return None if no example is similar enough, or if the manual page does not state the line.

    Args:
        question: The question.
        index: The index that contains both pages.
        document: The manual page, the first of the cited documents.
        examples: The page of examples.
        position: Its position among the cited documents.
    """
    place = index.named(examples.reference)[0]
    meaning = index.vectors(question.wording())[NEED]
    needs = index.needs_of(question.vector(unknown=True), meaning, place)
    destroys = DESTROYS.search(question.text) is not None
    for need in sorted(needs, key=lambda need: -need.cosine):
        if need.cosine < _ALIKE:
            break
        if DESTROYS.search(need.text) and not destroys:
            continue
        entry = next(
            (passage for passage in examples.passages if _is_for(passage, examples, need.text)), None
        )
        if entry and (line := _line(question, document, examples, entry)):
            return line._replace(spans=(*line.spans, Span(position, entry.start, entry.end, entry.anchor)))
    return None


def _is_for(entry: ScoredPassage, examples: Evidence, intent: str) -> bool:
    return entry.kind != SECTION and fold(examples.text[entry.tag_end : entry.end]) == fold(intent)


def _line(
    question: Question, document: Evidence, examples: Evidence, entry: ScoredPassage
) -> LineToType | None:
    """Return an example whose placeholders are filled with the question's nouns; others are in capitals."""
    typed = examples.text[entry.start : entry.tag_end]
    if _SHELL.search(_SPELLINGS.sub("", typed)):
        return None
    recipe = _PATH.sub(lambda path: path[1].upper(), _SPELLINGS.sub(r"\1", typed)).replace(" ...", "")
    names = (document.reference.partition("(")[0], examples.reference.partition("(")[0])
    return from_recipe(recipe, names, question.text, 0, document)
