"""Answer from selected text only."""

from collections.abc import Sequence
from dataclasses import replace

from vademecum.ask.kinds import Corpus, Decision, Limits
from vademecum.ask.path import decide
from vademecum.ask.running_text.selected import selected_at, selected_from
from vademecum.ask.running_text.texts import RatedTexts
from vademecum.desks.book.reply import Ask
from vademecum.text.words import STOP_WORDS, WORD, stem

_OF_TEXT = frozenset(
    map(
        stem,
        """summarize summarise summary sum up recap outline paraphrase rephrase simplify clarify explain explanation describe overview gist tl dr tldr
        mean meaning say tell about main key central point idea message topic subject text passage paragraph section selection selected page part
        excerpt sentence chapter document whole above short brief quick simple plain word term english language one two please give write make
        want""".split(),  # noqa: SIM905 - one word list reads best
    )
)
"""Words about a text or its summary, which need not occur in it."""

_QUESTION_CHARACTERS = 4000
"""The number of characters of a selection that replace a question about all of it, to find its main sentences."""


def decide_in_selection(request: Ask, corpora: Sequence[Corpus], limits: Limits) -> Decision | None:
    """Retrieve, evaluate and decide within the selection. Return None if nothing has been indexed."""
    if place := request.selection:
        corpus = place.library.corpus(name=place.source)
        selected, index = selected_at(corpus, place.document, place.start, place.end)
        text = index.text(place.document)[selected.start : selected.end]
    elif corpora:
        selected, index, corpus = selected_from(corpora, _forms(request.selected_text))
        text = request.selected_text.strip()
    else:
        return None
    of_all = _means_all(request.query) and WORD.search(text)
    asked = text[:_QUESTION_CHARACTERS] if of_all else request.query
    alone = Corpus(index, corpus.threshold, corpus.source, corpus.site, selected)
    decision = decide(asked, [alone], limits=limits._replace(cosine=None))
    if of_all and isinstance(decision.rated, RatedTexts):  # every sentence answers
        rated = replace(decision.rated, confidence=1.0, answerability=1.0, reasons=())
        evidence, chosen = rated.evidence(limits)
        decision = decision._replace(
            rated=rated, evidence=evidence, chosen=chosen, confidence=1.0, is_guess=False
        )
    return decision._replace(asked=request.query)


def _means_all(question: str) -> bool:
    """Return whether a question is about the whole selection, because its words name nothing in it.

    >>> _means_all("Can you summarize this, please?"), _means_all("What does this whale eat?")
    (True, False)
    """
    said = WORD.findall(question.lower())
    words = [word for word in said if word not in STOP_WORDS or word == "about"]
    names_nothing = all(stem(word) in _OF_TEXT for word in words)
    return names_nothing and (bool(words) or not {"this", "that", "it", "these", "those"}.isdisjoint(said))


def _forms(selection: str) -> list[str]:
    """Return the selection as it is, and also with its Markdown rendered if that differs."""
    from vademecum.sources._markdown import read_markdown  # noqa: PLC0415 - questions to whole books need none of it

    read = read_markdown(selection).text
    return [selection] if read == selection.strip() else [selection, read]
