"""Answer from selected text only."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import NamedTuple

from vademecum.answering.quote import MOST_CHARACTERS, best_units, quote
from vademecum.ask.hits import PassageHit, SourcedHit
from vademecum.ask.kinds import Corpus, Decision, Limits
from vademecum.ask.running_text.passages import Reading, reading_of
from vademecum.ask.running_text.texts import RatedTexts, within
from vademecum.core.answers import Reference
from vademecum.core.candidates import SearchIndex
from vademecum.core.documents import digest
from vademecum.core.evidence import Draft, Evidence, ScoredPassage
from vademecum.core.passages import SECTION
from vademecum.core.trace import Trace
from vademecum.desks.book.reply import Ask
from vademecum.retrieval.passages.features import Likeness
from vademecum.retrieval.passages.ranking import labels
from vademecum.retrieval.question.question import Question, shown_terms
from vademecum.retrieval.units.selection import THRESHOLD, chance_in_selection
from vademecum.text.words import WORD, numbers, stem

ALIAS = "selection"
"""The alias and reference of a selection that is not in the book."""

_TITLE = "Selected text"

_LACKING_SHARE = 0.4
"""The factor of the probability if the selection lacks a name in the question, or the kind of answer asked for."""

_FIRST_RIGHT = 0.6
"""The maximum confidence for a selection of several sentences. In 18 of 31 answers to unseen selections, the first
statement was right."""

_AROUND_SHARE = 0.3
"""The weight of the probability that includes the headings, which may contain what the selection omits."""

_MUCH = 0.3
"""The minimum share of a question's rarity at which a name is significant."""

_SHOWN_PART = 3
_SHOWN_LEAST = 200
"""An answer shows at most this fraction (1/3) of a selection, or this number of characters of a short one."""

_ALIKE = 0.3
"""The minimum cosine at which a word of the selection matches a word of the question."""

_LEAST_WORTH, _TELLING = 0.05, 0.15
"""The minimum weights, relative to the rarest word, of words that are used, and of those that tell what is asked."""

_ASKING = frozenset(map(stem, "explain describe define summarize summarise discuss mention stand".split()))  # noqa: SIM905
"""Words that ask, and need not occur in an answer: `explain the gripper`, `what does PMC stand for`."""

_SHORT = 4
"""The maximum length of a name that must be a whole word. Longer names may be part of one, as in `-DBUILD_TESTING`."""

_I = re.IGNORECASE
_CODE = re.compile(r"[A-Za-z]+(?:[-_.]?[A-Za-z]*\d+)+[A-Za-z]*")
"""A name that contains a number: `E07`, `ROS2`, `STM32F4`."""
_YEAR = re.compile(r"(?:1[89]|20)\d\d")
_RUN = re.compile(r"[a-z]+|\d+", _I)
_COUNT = (
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|sixteen|twenty|thirty|fifty|hundreds?|"
    r"thousands?|millions?|dozens?|single|double|twice|once|both|half|several|few|many|multiple|none|unlimited|pair)\b"
)
_SOME = r"\b(?:an?|all|any|each|every|no|more|fewer|only|per)"
"""Quantifiers that occur in every text. They count only before the thing that is asked about."""
_HOW_MANY = re.compile(r"\bhow many (?:of (?:the )?)?(\w+?)(?:e?s)?\b", _I)
_NAME = r"(?<![.!?:*#>|-] )(?<!^)(?<!\n)\b[A-Z][A-Za-z]+|\b[A-Z]\w+ [A-Z]\w+"
_PEOPLE = (
    r"\b(?:I|we|you|they|he|she|us|our|your|their|anyone|anybody|everyone|everybody|someone|somebody|nobody|people|persons?|man|"
    r"wom[ae]n|users?|developers?|developed|authors?|maintain\w+|compan(?:y|ies)|teams?|communit\w+|universit\w+|students?|"
    r"engineers?|researchers?|scientists?|operators?|admin\w*|manufacturers?|vendors?|suppliers?|contributors?|customers?|"
    r"members?|owners?|pilots?|drivers?|experts?|beginners?|groups?|organi[sz]ations?|foundation|institute|project)\b"
)
_MONTHS = r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b"
_WANTED = (
    (
        re.compile(r"^\W*(?:by |from |to )?(?:who|whom|whose)\b", _I),
        re.compile(f"{_NAME}|(?i:{_PEOPLE})", re.MULTILINE),
    ),
    (
        re.compile(r"\bwhen (?:was|were|did)\b|\b(?:what|which) (?:year|date|day|month)\b", _I),
        re.compile(
            rf"{_YEAR.pattern}|\d[./-]\d|\d(?:st|nd|rd|th)\b|{_MONTHS}|\b(?:ago|years?|months?|weeks?|century|since|until|releases?d?|versions?|today|yesterday)\b",
            _I,
        ),
    ),
    (
        re.compile(r"\b(?:weigh|weight|mass|heavy)\b", _I),
        re.compile(
            r"\d ?(?:kg|g|mg|t|lbs?|oz|kilo\w*|grams?|tons?|tonnes?|pounds?|ounces?)\b|\bweigh|\bmass\b|\bheav|\blight",
            _I,
        ),
    ),
    (
        re.compile(r"\b(?:costs?|price|expensive)\b", _I),
        re.compile(
            r"[$€£¥]|\b(?:USD|EUR|GBP|dollars?|euros?|cents?|free|costs?|pric\w+|cheap\w*|expensive|pay\w*|paid|fees?)\b",
            _I,
        ),
    ),
    (re.compile(r"\b(?:voltage|volts?)\b", _I), re.compile(r"\d ?m?V\b|\bvolt", _I)),
    (
        re.compile(r"\bwhy\b", _I),
        re.compile(
            r"\b(?:because|since|as|so|thus|therefore|hence|due|owing|thanks|reasons?|caus\w+|results?|leads?|means?|otherwise|if|"
            r"when|to|for|prevent\w*|avoid\w*|allow\w*|ensur\w+|enabl\w+)\b",
            _I,
        ),
    ),
)
"""Patterns of questions whose kind of answer has a recognizable form, with a pattern of that form."""

_TEXT = r"(?:text|passage|paragraph|section|selection|page|part|excerpt|sentence|chapter|document)s?"
_IT = rf"(?:(?:all\ (?:of\ )?)?(?:this|that|it|these|those)(?:\ {_TEXT})?|(?:the|my)\ (?:selected\ |whole\ |above\ )?{_TEXT})"
_OF_ALL = re.compile(
    rf"""\W*(?:(?:please|(?:can|could|would|will)\ you|i\ want\ you\ to)\W+)*
    (?:
      (?:summari[sz]e|recap|outline|paraphrase|rephrase|simplify|clarify|explain|describe)(?:\ {_IT})?
    | sum\ (?:{_IT}\ )?up(?:\ {_IT})?
    | (?:(?:give|write|make)\ )?(?:me\ )?(?:an?\ |the\ )?(?:short\ |brief\ |quick\ )?
      (?:summary|overview|gist|outline|explanation|tl;?dr)(?:\ (?:of|for)\ {_IT})?
    | what(?:'s|’s|\ is|\ are)?\ {_IT}(?:\ (?:all\ )?about|\ saying)?
    | what\ (?:does|do)\ {_IT}\ (?:all\ )?(?:mean|say|tell\ (?:me|us)|describe|explain)
    | (?:explain|tell\ me)\ what\ {_IT}\ (?:means?|says?|(?:is|are)(?:\ all)?\ about)
    | what(?:'s|’s|\ is|\ are)\ the\ (?:main\ |key\ |central\ )?
      (?:gist|summary|meaning|points?|ideas?|messages?|topic|subject)(?:\ (?:of|in|here)(?:\ {_IT})?)?
    | (?:main|key)\ (?:points|ideas)
    )
    (?:\W+(?:please|briefly|here|again|for\ me|to\ me|in\ short|in\ (?:\w+\ ){{1,2}}(?:words?|terms?|sentences?|english|language)))*\W*""",
    _I | re.VERBOSE,
)
"""Questions about the whole selection that name nothing in it."""

_QUESTION_CHARACTERS = 4000
"""The number of characters of a selection that replace a question about all of it, to find its main sentences."""


class _Stretch(NamedTuple):
    """The selection: its document, and the passages that it overlaps, cut to the selection."""

    source: str
    alias: str
    digest: str
    reference: str
    title: str
    text: str
    hits: Sequence[PassageHit]
    located: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedSelection(RatedTexts):
    """A selection that is rated for a question."""

    stretch: _Stretch

    def evidence(self, limits: Limits) -> tuple[list[Evidence], list[str]]:
        """See `Rated`."""
        chosen = [hit for _, hit in self.hits[: limits.chosen]]
        return within([_evidence(self.stretch, chosen)], limits.characters), [hit.passage for hit in chosen]

    def draft(self, evidence: Sequence[Evidence]) -> Draft:
        """See `Rated`. The user already sees the text, so at most a third of a long one is shown."""
        selected = self.stretch.hits[-1].end - self.stretch.hits[0].start
        shown = max(_SHOWN_LEAST, selected // _SHOWN_PART)
        return quote(evidence, self.ranked, near=inf, characters=min(shown, MOST_CHARACTERS), whole=False)

    def nearest(self, most: int) -> list[tuple[str, Reference]]:
        """See `Rated`."""
        return [] if self.is_foreign else super(RatedSelection, self).nearest(most)

    def lacking(self) -> tuple[str, ...]:
        """See `Rated`."""
        return ()


def decide_in_selection(request: Ask, corpora: Sequence[Corpus], limits: Limits) -> Decision | None:
    """Retrieve, evaluate and decide within the selection. Return None if nothing has been indexed.

    Raises:
        AnswerError: The question contains nothing to search for.
    """
    trace = Trace()
    of_all = _means_all(request)
    found = _stretch(
        request, corpora, request.selected_text.strip()[:_QUESTION_CHARACTERS] if of_all else request.query
    )
    if found is None:
        return None
    stretch, reading = found
    trace.record("analyse", terms=shown_terms(reading.question), books=[stretch.source], of_all=of_all)
    trace.record(
        "retrieve",
        located=stretch.located,
        reference=stretch.reference,
        start=stretch.hits[0].start,
        end=stretch.hits[-1].end,
    )
    scored = sorted((reading.scored(hit) for hit in stretch.hits), key=lambda hit: (-hit.score, hit.start))
    selected = stretch.text[stretch.hits[0].start : stretch.hits[-1].end]
    around = " ".join((stretch.title, *(hit.heading for hit in stretch.hits)))
    missing = [] if of_all else _missing(reading.question, selected, around, reading.index)
    chance = 1.0 if of_all else _chance(reading, selected, around)
    if missing:
        chance *= _LACKING_SHARE
    trace.record(
        "evaluate",
        passages=[{"chunk_id": hit.passage, "score": round(hit.score, 4)} for hit in scored],
        missing=missing,
    )
    rated = RatedSelection(
        question=reading.question,
        index=reading.index,
        sources=[stretch.source],
        threshold=THRESHOLD,
        answerability=chance,
        confidence=chance,
        reasons=(),
        hits=[SourcedHit(stretch.source, hit) for hit in scored],
        unmet=tuple(missing),
        is_foreign=not stretch.located,
        stretch=stretch,
        ranked=reading.ranked,
    )
    evidence, chosen = rated.evidence(limits) if rated.answers else ([], [])
    trace.record("decide", answerability=round(chance, 4), threshold=THRESHOLD, chosen=chosen)
    if not of_all and len(best_units(evidence)) > 1:
        rated = replace(rated, confidence=min(chance, _FIRST_RIGHT))
    return Decision(
        asked=request.query,
        read_as="",
        rated=rated,
        others=(),
        faults=(),
        evidence=evidence,
        chosen=chosen,
        room=inf,
        trace=trace,
    )


def _evidence(stretch: _Stretch, chosen: Sequence[PassageHit]) -> Evidence:
    return Evidence(
        alias=stretch.alias,
        digest=stretch.digest,
        reference=stretch.reference,
        title=stretch.title,
        summary="",
        # the text after the selection is removed so that it cannot be cited; the text before it keeps the offsets right
        text=stretch.text[: stretch.hits[-1].end],
        passages=tuple(
            ScoredPassage(
                SECTION, hit.start, hit.end, hit.start, hit.heading, hit.anchor, hit.score, hit.relevance
            )
            for hit in chosen
        ),
    )


def _means_all(request: Ask) -> bool:
    """Return whether the question is about the whole selection, so that every sentence answers it.

    >>> _means_all(Ask(query="What is this about?", selected_text="Ships sail."))
    True
    """
    asked = " ".join(request.query.split())
    return bool(_OF_ALL.fullmatch(asked)) and bool(WORD.search(request.selected_text))


def _chance(reading: Reading, selected: str, around: str) -> float:
    """Return the probability that the selection answers: the weighted mean of those without and with its headings."""
    alone = chance_in_selection(reading.question, selected, reading.index)
    headed = chance_in_selection(reading.question, f"{around}\n{selected}", reading.index)
    return (1 - _AROUND_SHARE) * alone + _AROUND_SHARE * headed


def _missing(question: Question, selected: str, around: str, index: SearchIndex) -> list[str]:
    """Return what is essential in the question, but missing from the selection.

    A code counts if the selection contains a different one of the same form. A name or code also counts if no document
    contains it and it is a significant part of the question. A name from the rest of the book may be implied.

    Args:
        question: The question.
        selected: The selected text.
        around: The title and the headings, which also describe the topic.
        index: The index that determines which words are known.
    """
    said = f"{around}\n{selected}"
    rarities = {term.word: term.rarity for term in question.terms}
    unknown = {term.word for term in question.terms if not term.known}
    whole = sum(term.rarity for term in question.terms)
    first, *words = [*dict.fromkeys(WORD.findall(question.text)), ""]
    found = []
    for word in [first, *words]:
        code = _CODE.fullmatch(word) or _YEAR.fullmatch(word)
        named = code or (word != first and word[:1].isupper())
        if not named or word not in rarities or re.search(_spelled(word), said, _I):
            continue
        heavy = word in unknown and rarities[word] >= _MUCH * whole
        if heavy or (code and re.search(_spelled(word, alike=True), said, _I)):
            found.append(word)
    found += [" ".join(label) for label in labels(question.text) if label.side(said) < 0]
    for wanted, form in _WANTED:
        if (asked := wanted.search(question.text)) and not form.search(selected):
            found.append(asked[0].strip())
    if (counted := _HOW_MANY.search(question.text)) and not re.search(
        rf"{_COUNT}|{_SOME}\W+(?:\w+\W+){{0,2}}{re.escape(counted[1])}", selected, _I
    ):
        found.append("how many")
    return found or _untold(question, said, index)


def _untold(question: Question, said: str, index: SearchIndex) -> list[str]:
    """Return the words that determine what is asked, if the selection shares at most one word with the question.

    A text that shares one word is about the same thing, but not about what is asked. Words that are similar in meaning
    count as shared. Words that ask, or name a form of answer (`voltage`), are ignored.
    """
    alike = Likeness(question, index)
    met = alike.met(frozenset(numbers(WORD.findall(said)))).alike
    formal = {
        word for wanted, _ in _WANTED for asked in wanted.findall(question.text) for word in asked.split()
    } | ({"how", "many"} if _HOW_MANY.search(question.text) else set())
    shared = 0
    untold: dict[str, None] = {}
    for term, worth, nearness in zip(question.terms, alike.worth, met, strict=True):
        if term.text in _ASKING or term.word in formal or worth < _LEAST_WORTH * alike.rarest:
            continue
        if nearness >= _ALIKE or re.search(_spelled(term.word), said, _I):
            shared += 1
        elif worth >= _TELLING * alike.rarest:
            untold[term.word] = None
    return list(untold) if shared <= 1 else []


def _spelled(word: str, *, alike: bool = False) -> str:
    """Return a pattern for a name, with any separators and leading zeros: `ROS2` matches `ROS 2`, and `E7` `E07`."""
    if alike and word.isdigit():
        return rf"\b{_YEAR.pattern}\b"
    runs = [
        (r"\d+" if alike else f"0*{run.lstrip('0') or '0'}") if run.isdigit() else run
        for run in _RUN.findall(word)
    ]
    joined = r"[\W_]*(?:version\W+)?".join(runs) or re.escape(word)
    return rf"{joined}(?!\d)" if len(word) > _SHORT else rf"(?<![^\W_]){joined}(?!\d)"


def _stretch(request: Ask, corpora: Sequence[Corpus], asked: str) -> tuple[_Stretch, Reading] | None:
    """Locate the selection: at its position if given, otherwise in the first corpus with it, otherwise on its own."""
    if place := request.selection:
        reading = place.library.reading(asked, document=place.document)
        return _located(place.source, reading, reading.between(place.document, place.start, place.end))
    readings = [(corpus.source, reading_of(corpus, asked)) for corpus in corpora]
    for source, reading in readings:
        for form in _forms(request.selected_text):
            if hits := reading.located(form):
                return _located(source, reading, hits)
    if not readings:
        return None
    source, reading = readings[0]
    text = request.selected_text.strip()
    sha = digest(ALIAS, text)
    hits = reading.foreign(ALIAS, sha, _TITLE, text)
    return _Stretch(source, ALIAS, sha, ALIAS, _TITLE, text, hits, located=False), reading


def _located(source: str, reading: Reading, hits: Sequence[PassageHit]) -> tuple[_Stretch, Reading]:
    first = hits[0]
    text = reading.index.text(first.document)
    sha = first.document.rpartition(":")[2]
    return _Stretch(source, first.alias, sha, first.reference, first.title, text, hits, located=True), reading


def _forms(selection: str) -> list[str]:
    """Return the selection as it is, and also with its Markdown rendered if that differs."""
    from vademecum.sources._markdown import read_markdown  # noqa: PLC0415 - questions to whole books need none of it

    read = read_markdown(selection).text
    return [selection] if read == selection.strip() else [selection, read]
