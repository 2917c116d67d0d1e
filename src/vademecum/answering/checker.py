"""Check each sentence that a model wrote against the passages that it cites.

A sentence is supported if the cited passages cover its words, contain every fact in it (number, option, path, name) about the same subject, and do not say the
opposite. `claims` computes this. A sentence that may be unsupported is replaced by the words of passages on the same subject, if there are any.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from vademecum.answering.actions import fault_of_step
from vademecum.answering.claims.alignment import Claimed, facts_of
from vademecum.answering.claims.classifier import THRESHOLD, doubt_of, speak_of_it
from vademecum.answering.claims.command_fault import fault_of_command
from vademecum.answering.claims.features import Signs
from vademecum.answering.claims.units import Text, Unit
from vademecum.answering.claims.words import LAST_FACT, OPTION, words_of
from vademecum.answering.injection import commands_in
from vademecum.answering.prompt import Numbered
from vademecum.answering.reply import Claim
from vademecum.answering.restatement import Near, restated
from vademecum.answering.verify import SPEAKS, speaks_to_model
from vademecum.core.errors import ProviderError
from vademecum.core.evidence import DraftStatement, Evidence, Span
from vademecum.core.protocols import Entailment
from vademecum.text.locate import locate
from vademecum.text.sentences import fold

_LONGEST = 600
_LONGEST_COMMAND = 300
_LEAST_LETTERS = 3
_RESTS_ON_ORDERS = "it rests on text that speaks to a model"
_LEAST_CONTENT = 1.5
"""The minimum weight of the words that a sentence shares with its support, unless it shares a fact."""

_ENTAILED = 0.5
"""The minimum probability of an entailment model for a sentence to remain as it is."""

_LOOKED_AT = 2
"""How many other passages are tried as citations."""

_LINK = re.compile(
    r"\b[a-z][a-z0-9+.-]*://[^\s)>\]]*|\b(?:mailto|data|javascript|vbscript|blob|tel|sms|callto|man|info|file):[^\s)>\]]+|\bwww\.[^\s)>\]]+",
    re.IGNORECASE,
)
_ALLOWED = ("http://", "https://", "mailto:", "man:", "file:", "www.")
"""The links that a generated sentence may contain, if the document that it cites contains them."""

_MARKUP = re.compile(
    r"!\[|\]\(|<!--|<\?|</[a-z]|<(?:a|b|i|u|p|br|hr|img|svg|div|span|code|pre|form|input|button|link|meta|style|script|iframe|object|"
    r"embed|video|audio|body|html|base|math|table)\b[^>]*>?",
    re.IGNORECASE,
)


class Checked(NamedTuple):
    """The result of checking a claim.

    Attributes:
        statement: The statement, with the spans that support it; no spans if it is unsupported.
        verdict: `supported`, or why not.
        doubt: The probability (0-1) that the cited text does not say this.
        mended: Whether it differs from what the model first wrote.
        quoted: Whether the statement quotes its passages instead of the model.
    """

    claim: Claim
    statement: DraftStatement
    verdict: str
    why: str
    doubt: float
    cites: tuple[int, ...]
    mended: bool = False
    quoted: bool = False


class _Judged(NamedTuple):
    """The assessment of a claim against given passages.

    Attributes:
        doubt: The probability (0-1) that they do not say this.
        near: A restatement in the words of the passages; None if they are about something else.
    """

    doubt: float
    support: Sequence[tuple[int, Unit]]
    near: Near | None
    why: str


class Checker:
    """Checks claims against the passages that a model was shown.

    Args:
        question: The question; the model may repeat facts from it.
        passages: The passages, by the number shown to the model.
        entailment: A model that checks each supported sentence against its support, in addition; None without one.

    Attributes:
        error: The last error of the entailment model. Sentences that it could not check are unsupported.
    """

    def __init__(
        self,
        question: str,
        evidence: Sequence[Evidence],
        passages: Sequence[Numbered],
        entailment: Entailment | None = None,
    ) -> None:
        self._entailment = entailment
        self.error: ProviderError | None = None
        self._evidence = evidence
        self._passages = {passage.number: passage for passage in passages}
        self._asked = words_of(question)
        self._question = question
        self._texts: Mapping[int, Text] = {
            passage.number: Text(
                evidence[passage.span.evidence].text, passage.span.start, passage.span.end, passage.tags
            )
            for passage in passages
        }

    def check(self, claim: Claim) -> Checked:
        """See whether a claim holds, and on which words it rests."""
        cites = tuple(dict.fromkeys(cite for cite in claim.cites if cite in self._passages))
        cites = tuple(dict.fromkeys((*cites, *self._quoted(claim, cites))))
        if fault := self._fault_of_form(claim):
            return _dropped(claim, fault, fault, 1.0, cites)
        judged, mended = self._judged(claim, cites or tuple(self._passages)), not cites
        if judged.doubt >= THRESHOLD:
            for number in self._likely(claim, cites):
                other = self._judged(claim, (number,))
                better = other.doubt < min(THRESHOLD, judged.doubt)
                if better or (judged.near is None and other.near is not None):
                    judged, cites, mended = other, (number,), True
        doubt = judged.doubt
        if doubt >= THRESHOLD:
            return self._restated(claim, judged, cites)
        if claim.command and (fault := self._fault_of_command(claim.command)):
            return _dropped(claim, "command not in the passages", fault, doubt, cites)
        spans = self._spans(judged.support, claim)
        if not spans:
            why = "nothing of it can be held against the passages"
            return _dropped(claim, "not in the passages cited", why, 1.0, cites)
        if any(map(self._follows_orders, spans)):
            return _dropped(claim, SPEAKS, _RESTS_ON_ORDERS, doubt, cites)
        if not self._has_content(claim, spans):
            return _dropped(claim, "without content", "it says nothing that the passages say", 1.0, cites)
        if fault := self._fault_of_links(claim, spans):
            return _dropped(claim, fault, fault, doubt, cites)
        if not self._is_entailed(claim, spans):
            return self._restated(claim, judged, cites)
        statement = DraftStatement(claim.text, claim.command, spans)
        rests_on = tuple(dict.fromkeys(number for number, _ in judged.support))
        return Checked(claim, statement, "supported", "", doubt, rests_on, mended)

    # --- how ---

    def _restated(self, claim: Claim, judged: _Judged, cites: tuple[int, ...]) -> Checked:
        """Replace a doubtful claim by the words of its passages, or drop it if they are about something else."""
        statement = restated(judged.near, self._evidence) if judged.near else None
        if statement is None:
            return _dropped(claim, "not in the passages cited", judged.why, judged.doubt, cites)
        if any(map(self._follows_orders, statement.spans)):
            return _dropped(claim, SPEAKS, _RESTS_ON_ORDERS, judged.doubt, cites)
        if self._is_explained(claim.command, statement):
            statement = statement._replace(command=claim.command)
        if self._fault_of_step(claim.part, statement.text, statement.command):
            return _dropped(claim, "not in the passages cited", judged.why, judged.doubt, cites)
        rests_on = tuple(dict.fromkeys(number for number, _ in judged.support))
        return Checked(claim, statement, "supported", "", judged.doubt, rests_on, mended=True, quoted=True)

    def _has_content(self, claim: Claim, spans: Sequence[Span]) -> bool:
        """Return whether a claim shares a fact, or enough telling words, with the words that support it."""
        stated = {
            key
            for span in spans
            for word in words_of(self._evidence[span.evidence].text[span.start : span.end])
            for key in (word.key, *word.also)
        }
        shared = [
            word
            for word in words_of(f"{claim.command} {claim.text}")
            if not stated.isdisjoint((word.key, *word.also))
        ]
        weights = {word.key: word.weight for word in shared}
        return any(word.kind <= LAST_FACT for word in shared) or sum(weights.values()) >= _LEAST_CONTENT

    def _is_entailed(self, claim: Claim, spans: Sequence[Span]) -> bool:
        """Return whether the entailment model, if there is one, finds that a claim follows from its support."""
        if self._entailment is None or not claim.text:
            return True
        support = " ".join(self._evidence[span.evidence].text[span.start : span.end] for span in spans)
        if fold(claim.text) in fold(support):
            return True
        try:
            (probability,) = self._entailment.probabilities([(fold(support), claim.text)])
        except ProviderError as error:
            self.error = error
            return False
        return probability >= _ENTAILED

    def _follows_orders(self, span: Span) -> bool:
        """Return whether the paragraph of a span, or an earlier one in the passage, addresses a model."""
        starts = [
            passage.span.start
            for passage in self._passages.values()
            if passage.span.evidence == span.evidence and passage.span.start <= span.start < passage.span.end
        ]
        return any(speaks_to_model(span._replace(start=start), self._evidence) for start in starts)

    def _is_explained(self, command: str, statement: DraftStatement) -> bool:
        """Return whether a command can precede the words of a passage: it has options, and the words explain each."""
        options = [word for word in words_of(command) if word.kind == OPTION]
        named = {
            key
            for span in statement.spans
            for word in words_of(self._evidence[span.evidence].text[span.start : span.end])
            for key in (word.key, *word.also)
        }
        known = all(not named.isdisjoint((word.key, *word.also)) for word in options)
        return bool(options) and known and not self._fault_of_command(command)

    def _likely(self, claim: Claim, cites: Sequence[int]) -> list[int]:
        """Return at most two passages that are not cited and share most words with a claim."""
        keys = {word.key for word in words_of(claim.text) if word.weight}

        def shared(number: int) -> int:
            return max(
                (sum(key in unit.by_key for key in keys) for unit in self._texts[number].units), default=0
            )

        others = [number for number in self._passages if number not in cites] if cites else []
        return sorted(others, key=lambda number: (-shared(number), number))[:_LOOKED_AT]

    def _fault_of_form(self, claim: Claim) -> str:
        """Return why a claim must not be shown; "" if it may be."""
        said = f"{claim.text}\n{claim.command}"
        if sum(letter.isalnum() for letter in said) < _LEAST_LETTERS:
            return "empty"
        if len(claim.text) > _LONGEST or len(claim.command) > _LONGEST_COMMAND:
            return "too long"
        if not said.replace("\n", "").isprintable():
            return "not printable"
        if commands_in(said):
            return SPEAKS
        if _MARKUP.search(claim.text) and not self._stands(claim.text):
            return "markup"
        if any(not self._stands(link) for link in _links(said)):
            return "a link that is in no passage"
        return self._fault_of_step(claim.part, claim.text, claim.command)

    def _fault_of_step(self, part: str, text: str, command: str) -> str:
        """Return why a step or command must not be recommended; "" if it may."""
        return fault_of_step(text, command) if part == "steps" or command else ""

    def _fault_of_links(self, claim: Claim, spans: Sequence[Span]) -> str:
        """Return what is wrong with the links in a supported claim; "" if each is in a cited document and may be shown."""
        documents = [self._evidence[number].text for number in {span.evidence for span in spans}]
        for link in _links(f"{claim.text}\n{claim.command}"):
            if not link.lower().startswith(_ALLOWED):
                return "a link of a kind that is not shown"
            if not any(link in text for text in documents):
                return "a link that is not in the document cited"
        return ""

    def _quoted(self, claim: Claim, cites: Sequence[int]) -> list[int]:
        """Return the passages that contain the claim's quotations, cited ones first."""
        found = []
        for quote in claim.quotes:
            for number in (*cites, *self._passages):
                span = self._passages[number].span
                if locate(quote, self._evidence[span.evidence].text, span.start, span.end):
                    found.append(number)
                    break
        return found

    def _judged(self, claim: Claim, cites: Sequence[int]) -> _Judged:
        """Assess a claim against these passages."""
        cited = [self._texts[number] for number in cites]
        if not claim.text:
            return _Judged(0.0, self._of_command(claim.command, cites), None, "")
        labels = frozenset[str]().union(*(text.labels for text in cited))
        references = {self._evidence[self._passages[number].span.evidence].reference for number in cites}
        named = [word for reference in sorted(references) for word in words_of(reference)]
        claimed = Claimed(words_of(claim.text, labels), [*named, *facts_of(self._asked)])
        if not claimed.content:
            return _Judged(1.0, [], None, "it says nothing")
        others = [text for number, text in self._texts.items() if number not in cites]
        signs = Signs(claimed, cited, others, self._asked)
        support = [(cites[text], unit) for text, unit in signs.support]
        values = signs.values
        units = [(self._passages[number].span, unit) for number, unit in support]
        near = Near(units, values["one"], values["two"]) if speak_of_it(values) else None
        return _Judged(doubt_of(values), support, near, _why(signs, cites))

    def _fault_of_command(self, command: str) -> str:
        texts = [self._words(number) for number in self._passages]
        references = [one.reference for one in self._evidence]
        return fault_of_command(command, texts, [self._question, *references])

    def _of_command(self, command: str, cites: Sequence[int]) -> list[tuple[int, Unit]]:
        """Return the sentences that contain the options of a command, or else the first that shares a word with it."""
        wanted = words_of(command)
        options = {word.key for word in wanted if word.kind == OPTION}
        keys = options or {word.key for word in wanted if word.weight}
        found = []
        for number in cites:
            for unit in self._texts[number].units:
                if not keys.isdisjoint(unit.by_key):
                    found.append((number, unit))
                    keys = keys - set(unit.by_key)
        return found

    def _spans(self, support: Sequence[tuple[int, Unit]], claim: Claim) -> tuple[Span, ...]:
        """Return the spans of the supporting sentences, each with its tag."""
        if claim.command and claim.text:
            numbers = tuple(dict.fromkeys(number for number, _ in support))
            support = [*support, *self._of_command(claim.command, numbers)]
        stretches: dict[int, list[tuple[int, int]]] = {}
        for number, unit in support:
            near = unit.start - unit.tag_start <= _LONGEST
            stretches.setdefault(number, []).append((unit.tag_start if near else unit.start, unit.end))
        spans = []
        for number, found in stretches.items():
            passage = self._passages[number]
            text = self._evidence[passage.span.evidence].text
            for start, end in _joined(found, text):
                spans.append(Span(passage.span.evidence, start, end, passage.span.anchor))
        return tuple(spans)

    def _words(self, number: int) -> str:
        span = self._passages[number].span
        return self._evidence[span.evidence].text[span.start : span.end]

    def _stands(self, words: str) -> bool:
        """Return whether a passage contains these words literally."""
        return any(words in self._words(number) for number in self._passages)


def _links(text: str) -> list[str]:
    return [link[0].rstrip(".,;") for link in _LINK.finditer(text)]


def _dropped(claim: Claim, verdict: str, why: str, doubt: float, cites: tuple[int, ...]) -> Checked:
    return Checked(claim, DraftStatement(claim.text, claim.command, ()), verdict, why, doubt, cites)


def _why(signs: Signs, cites: Sequence[int]) -> str:
    """Explain why a claim is unsupported."""
    where = " or ".join(f"passage {number}" for number in cites[:3])
    if signs.absent:
        return f"{', '.join(word.text for word in signs.absent[:3])} is not in {where}"
    values = signs.values
    if values["turned around"]:
        return f"{where} says the opposite"
    if values["rival"] > 0 or values["counted otherwise"]:
        return f"{where} says this of something else"
    return f"{where} does not say this"


def _joined(stretches: Sequence[tuple[int, int]], text: str) -> list[tuple[int, int]]:
    """Sort and trim ranges, and merge those that touch."""
    found: list[tuple[int, int]] = []
    for first, last in sorted(stretches):
        start, end = first, last
        while start < end and text[start].isspace():
            start += 1
        while end > start and text[end - 1].isspace():
            end -= 1
        if found and (start <= found[-1][1] or not text[found[-1][1] : start].strip()):
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        elif start < end:
            found.append((start, end))
    return found
