"""Answer from selected text only."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import NamedTuple

from vademecum.answering.quote import MOST_CHARACTERS, best_units, quote
from vademecum.ask.decision import Decision
from vademecum.ask.rating import Corpus, Limits
from vademecum.ask.running_text.passages import PassageHit, Reading, SourcedHit, reading_of
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
"""What a selection that is not in the book is cited by."""

_TITLE = "Selected text"

_LACKING_SHARE = 0.4
"""What the chance keeps, where the selection lacks what the question names or the kind of answer it wants."""

_FIRST_RIGHT = 0.6
"""How likely at most what an answer says first is what was asked for, where a selection has several sentences: of 31
answers to selections that nobody here had seen 18 were."""

_AROUND_SHARE = 0.3
"""How much of the chance counts the headings above the selection as said: they may have what it leaves out."""

_MUCH = 0.3
"""Which share of a question's rarity a name is much of."""

_SHOWN_PART = 3
_SHOWN_LEAST = 200
"""The part of a selection that an answer shows at most, one in so many; and the characters that are shown of a short one."""

_ALIKE = 0.3
"""From which cosine on a word of the selection may stand for one of the question."""

_LEAST_WORTH, _TELLING = 0.05, 0.15
"""What a word of the question is worth at least, as a share of the rarest, to be one; and to be one that tells what is asked."""

_ASKING = frozenset(map(stem, "explain describe define summarize summarise discuss mention stand".split()))  # noqa: SIM905
"""Words that ask, and that an answer goes without: `explain the gripper`, `what does PMC stand for`."""

_SHORT = 4
"""A longer name may stand within a word, as it does in `-DBUILD_TESTING`."""

_I = re.IGNORECASE
_CODE = re.compile(r"[A-Za-z]+(?:[-_.]?[A-Za-z]*\d+)+[A-Za-z]*")
"""A name with a number in it: `E07`, `ROS2`, `STM32F4`."""
_YEAR = re.compile(r"(?:1[89]|20)\d\d")
_RUN = re.compile(r"[a-z]+|\d+", _I)
_COUNT = (
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|sixteen|twenty|thirty|fifty|hundreds?|"
    r"thousands?|millions?|dozens?|single|double|twice|once|both|half|several|few|many|multiple|none|unlimited|pair)\b"
)
_SOME = r"\b(?:an?|all|any|each|every|no|more|fewer|only|per)"
"""Words that count what follows them, and are in every text: they count only for the thing that is asked for."""
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
"""Questions of which the kind of answer can be told by its form, and that form."""

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
"""Questions that mean all of the selection, and name nothing in it."""

_QUESTION_CHARACTERS = 4000
"""Of a selection that is all meant: what is looked at to find the sentences that say the most of it."""


class _Stretch(NamedTuple):
    """The selection, wherever it is: a document, and the passages of it that the selection touches, cut to it."""

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
    """A selection on a question; `reading` ranks its sentences."""

    stretch: _Stretch
    reading: Reading

    def evidence(self, limits: Limits) -> tuple[list[Evidence], list[str]]:
        """See `Rated`."""
        chosen = [hit for _, hit in self.hits[: limits.chosen]]
        return within([_evidence(self.stretch, chosen)], limits.characters), [hit.passage for hit in chosen]

    def draft(self, evidence: Sequence[Evidence]) -> Draft:
        """See `Rated`. The reader has the text before them: of a long one a third is shown, whatever its scores."""
        selected = self.stretch.hits[-1].end - self.stretch.hits[0].start
        shown = max(_SHOWN_LEAST, selected // _SHOWN_PART)
        return quote(evidence, self.reading.ranked, near=inf, characters=min(shown, MOST_CHARACTERS))

    def nearest(self, most: int) -> list[tuple[str, Reference]]:
        """See `Rated`."""
        return [] if self.is_foreign else super(RatedSelection, self).nearest(most)

    def lacking(self) -> tuple[str, ...]:
        """See `Rated`."""
        return ()


def decide_in_selection(request: Ask, corpora: Sequence[Corpus], limits: Limits) -> Decision | None:
    """Retrieve, evaluate and decide within the selection; None where nothing has been indexed.

    Raises:
        AnswerError: There is nothing to look for in the question.
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
        reading=reading,
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
        # nothing after the selection, so that nobody can cite it by mistake; what is before it keeps the places right
        text=stretch.text[: stretch.hits[-1].end],
        passages=tuple(
            ScoredPassage(
                SECTION, hit.start, hit.end, hit.start, hit.heading, hit.anchor, hit.score, hit.relevance
            )
            for hit in chosen
        ),
    )


def _means_all(request: Ask) -> bool:
    """Whether the question is one of all of the selection, so that every sentence of it answers.

    >>> _means_all(Ask(query="What is this about?", selected_text="Ships sail."))
    True
    """
    asked = " ".join(request.query.split())
    return bool(_OF_ALL.fullmatch(asked)) and bool(WORD.search(request.selected_text))


def _chance(reading: Reading, selected: str, around: str) -> float:
    """How likely the selection answers, by itself for the most part, and with the headings above it for the rest."""
    alone = chance_in_selection(reading.question, selected, reading.index)
    headed = chance_in_selection(reading.question, f"{around}\n{selected}", reading.index)
    return (1 - _AROUND_SHARE) * alone + _AROUND_SHARE * headed


def _missing(question: Question, selected: str, around: str, index: SearchIndex) -> list[str]:
    """What the question turns on, and a selection does not have.

    A name or a code counts where the selection has another one of its form, or where no document has it and it is
    much of the question. One that the rest of the book has may be what all of it is about, and go without saying.

    Args:
        question: The question.
        selected: The text that was selected.
        around: The title and the headings that it is under; they tell what it speaks of, too.
        index: Whose words are known.
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
    """The words that tell what is asked, where a selection has none of them, and but one word of the question at all.

    What shares one word with a question speaks of the same thing, and not of what is asked of it. Words near in
    meaning count as shared; those that ask, or name a form of answer (`voltage`), are not looked for.
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
    """A pattern of a name, however its letters and digits are joined: `ROS2` is `ROS 2`, and `E7` is `E07`.

    Args:
        word: The name.
        alike: Whether any other numbers will do.
    """
    if alike and word.isdigit():
        return rf"\b{_YEAR.pattern}\b"
    runs = [
        (r"\d+" if alike else f"0*{run.lstrip('0') or '0'}") if run.isdigit() else run
        for run in _RUN.findall(word)
    ]
    joined = r"[\W_]*(?:version\W+)?".join(runs) or re.escape(word)
    return rf"{joined}(?!\d)" if len(word) > _SHORT else rf"(?<![^\W_]){joined}(?!\d)"


def _stretch(request: Ask, corpora: Sequence[Corpus], asked: str) -> tuple[_Stretch, Reading] | None:
    """The selection where the question says it is, else in the first corpus that has it, else by itself.

    Args:
        request: The selection.
        corpora: Where it is looked for.
        asked: The question that its sentences are judged by.

    Returns:
        The selection and what judges its sentences; None where nothing has been indexed.
    """
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
    """The selection as it is, and, if it is Markdown, as it reads."""
    from vademecum.sources._markdown import read_markdown  # noqa: PLC0415 - whole books need none of it

    read = read_markdown(selection).text
    return [selection] if read == selection.strip() else [selection, read]
