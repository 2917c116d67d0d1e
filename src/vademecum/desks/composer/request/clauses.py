"""Sentences, clauses and segments of a request, and what each word of them is under: a wish, a report, a negation.

Polarity is decided here and nowhere else. A negator rules what follows it in its segment; a negated or switched-off predicate rules the
subjects before it; a list carries its polarity on.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from vademecum.desks.composer.request.vocabulary import Term

Mood = Literal["wish", "report", "condition"]

_JOINTS = {
    "and": "and",
    "or": "or",
    "nor": "or",
    "&": "and",
    "+": "and",
    "plus": "and",
    "with": "with",
    ",": ",",
    "/": "or",
    "(": "(",
    ":": ":",
    "as well as": "and",
    "along with": "and",
}
_ENDS = frozenset(".!?;\n•")
_SILENT = frozenset(["filler", "article"])
_HEADS = frozenset(
    """version distribution architecture image_type field flag artifact compression boot_loader boot_type network_backend partition_table disk_selection
    family disk_policy kernel_flavour filesystem mount_option mount kernel_word kernel_key unavailable package ability capability unlock service_on service_off
    """.split()  # noqa: SIM905 - one list reads best
)
_SOFTWARE = frozenset(["package", "ability", "capability", "family"])
_VALUES = frozenset(
    ["quoted", "url", "address", "option", "size", "interface", "zone", "path", "version", "number", "secret"]
)
_BARE_NO = frozenset(["no", "not", "never", "none", "isn't", "aren't", "is not", "are not", "without"])
_PREPOSITIONS = frozenset(["on", "for", "in", "from"])
_ONWARDS = _PREPOSITIONS | {"that", "which", "who"}
"""What begins something that a negation before it is not about: "no firewall on the router", "no desktop that installs games"."""

_AFTER_NO = frozenset(
    ["please", "thanks", "thank you", "either", "more", "at all", "anymore", "any more", "again", "for now"]
)
"""What may follow a negator that ends its segment ("encryption: no, please")."""

_LONGEST_SENTENCE = 150
"""Terms. Nobody says more in one sentence, and what is read together costs time."""

_BECAUSE = frozenset(["because", "since", "although", "though"])


@dataclass(slots=True)
class Word:
    """A term where it is.

    Attributes:
        term: The term.
        sentence: The number of its sentence.
        clause: The number of its clause, counted through the request.
        segment: The number of its segment, counted through the request.
        joint: How its segment is joined to the one before: "", ",", "and", "or", "with", "(", ":".
        wanted: Whether it is asked for; else it is ruled out.
        kept: Whether it is only said to stay ("do not remove nginx").
        since: Where the negator is that rules it out; -1 if none does.
        mood: Of its clause.
        should: Whether it is only wished for ("ideally").
        replaces: Whether a correction comes right before it ("no wait").
        counts: Whether it is a number that only says how many ("40 shops").
        sign: A plus or minus right before it.
        account: Whether it names an account of the template in work.
        used: Whether something was made of it.
    """

    term: Term
    sentence: int
    clause: int
    segment: int
    joint: str = ""
    wanted: bool = True
    kept: bool = False
    since: int = -1
    mood: Mood = "wish"
    should: bool = False
    replaces: bool = False
    counts: bool = False
    sign: str = ""
    account: bool = False
    used: bool = False

    @property
    def norm(self) -> str:
        """The term in lower case."""
        quoted = self.term.token.kind == "quoted"
        return self.term.token.norm if self.is_value or quoted or self.term.note else self.term.text.lower()

    @property
    def is_value(self) -> bool:
        """Whether it is a value by its form: a size, a path, quoted text."""
        return not self.term.senses and self.term.token.kind in _VALUES

    @property
    def is_head(self) -> bool:
        """Whether it may name something that is asked for."""
        return self.term.has(*_HEADS) or (
            not self.term.senses
            and self.term.token.kind in {"word", "interface", "zone", "address", "option"}
        )

    @property
    def group(self) -> str:
        """What it is of, to see whether a list goes on."""
        sense = self.term.sense(*_HEADS - _SOFTWARE)
        if sense is not None and not self.term.has("ordinary"):
            return f"field {sense.value}" if sense.kind == "field" else sense.kind
        if self.term.has(*_SOFTWARE) or (not self.term.senses and self.term.token.kind == "word"):
            return "software"
        sense = self.term.sense(*_HEADS)
        return sense.kind if sense else self.term.token.kind


def words_of(terms: Iterable[Term]) -> list[Word]:
    """The words of a request, each with its place, mood and polarity."""
    words = list(_placed(terms))
    sentences: dict[int, list[Word]] = {}
    for word in words:
        sentences.setdefault(word.sentence, []).append(word)
    for word, following in pairwise(words):
        noun = (
            following.term.has("filler")
            or not following.is_head
            or (not following.term.senses and following.term.token.kind == "word")
        )
        word.counts = word.term.token.kind == "number" and following.segment == word.segment and noun
    before: list[Word] = []
    asked = False
    for sentence in sentences.values():
        _moods(sentence)
        _polarities(sentence, before if asked else [])
        _taken_back(sentence)
        before = sentence
        asked = any(word.joint == "?" for word in sentence)
    return [word for word in words if word.joint != "?"]


def _placed(terms: Iterable[Term]) -> Iterator[Word]:
    """Words with the numbers of their sentences, clauses and segments."""
    sentence = clause = segment = 0
    joint = sign = ""
    depth = 0
    rows = list(terms)
    for at, term in enumerate(rows):
        norm = term.text.lower()
        if at and not at % _LONGEST_SENTENCE:
            sentence, clause, segment, joint, depth = sentence + 1, clause + 1, segment + 1, "", 0
        following = rows[at + 1] if at + 1 < len(rows) else None
        if term.token.kind == "number" and not depth and following is not None and following.text == ")":
            clause, segment, joint = clause + 1, segment + 1, ""  # "1) ..."
            continue
        if term.token.kind == "mark" and not term.senses:
            if (
                norm == "."
                and following is not None
                and following.token.kind == "number"
                and following.start == term.end
            ):
                continue  # ".11"
            if (
                norm in "+-"
                and following is not None
                and following.start == term.end
                and following.token.kind == "word"
                and (not at or rows[at - 1].end < term.start)
            ):
                segment, joint, sign = segment + 1, ",", norm  # "+nano -cloud-init"
                continue
            if norm in _ENDS or (norm in "-–—*" and _is_dash(rows, at)):
                if norm == "?":
                    yield Word(term, sentence, clause, segment, joint="?")
                if norm in "-–—":
                    clause, segment, joint = clause + 1, segment + 1, ","
                else:
                    sentence, clause, segment, joint = sentence + 1, clause + 1, segment + 1, ""
                depth = 0
            elif norm == ")":
                clause += depth > 0
                depth = max(0, depth - 1)
                segment, joint = segment + 1, "," if joint != "" else ""
            elif norm in _JOINTS:
                depth += norm == "("
                clause += norm in "(:"
                segment, joint = segment + 1, _JOINTS[norm]
            continue
        if term.has("conjunction") and not term.has("filler"):
            clause, segment, joint = clause + 1, segment + 1, norm if norm in _BECAUSE else ""
        elif norm in _JOINTS and not term.has("mount"):
            segment, joint = segment + 1, _JOINTS[norm]
        yield Word(term, sentence, clause, segment, joint, sign=sign)
        sign = ""


def _is_dash(rows: Sequence[Term], at: int) -> bool:
    """Whether a hyphen stands alone, as a dash or a bullet."""
    before = rows[at - 1] if at else None
    after = rows[at + 1] if at + 1 < len(rows) else None
    return (before is None or before.end < rows[at].start or before.text == "\n") and (
        after is None or after.start > rows[at].end
    )


_PRONOUNS = frozenset(["it", "them", "that", "those", "this"])


def _taken_back(sentence: Sequence[Word]) -> None:
    """As in "swap was a bad idea, remove it": what a pronoun behind a removal means is said before it."""
    for verb, pronoun in pairwise(sentence):
        if not verb.term.has("removal") or pronoun.norm not in _PRONOUNS:
            continue
        own = [word for word in sentence if word.clause == verb.clause and word.segment == verb.segment]
        named = [
            word for word in sentence if word.term.end <= verb.term.start and (word.is_head or word.is_value)
        ]
        if named and not any(word.is_head or word.is_value for word in own):
            _rule(named[0], wanted=False, since=verb.term.start)
            named[0].mood = verb.mood = "wish"


def _moods(sentence: Sequence[Word]) -> None:
    """What is only reported, and what hangs on a condition."""
    clauses: dict[int, list[Word]] = {}
    for word in sentence:
        clauses.setdefault(word.clause, []).append(word)
    mood: Mood = "wish"
    correction = False
    for clause in clauses.values():
        kept = clause[0].joint in _BECAUSE
        own: Mood = "wish"
        if any(word.term.has("report") for word in clause):
            own = "report"
        elif any(word.term.has("condition") and not word.term.has("hedge", "alternative") for word in clause):
            own = "condition"
        mood = mood if kept and own == "wish" else own
        should = False
        for place, word in enumerate(clause):
            alone = [other for other in clause if other.segment == word.segment] == [word]
            if (
                word.norm == "no"
                and alone
                and word.joint == ","
                and place + 1 < len(clause)
                and clause[place + 1].joint == ","
            ):
                correction = True
            word.mood = mood
            should = should or word.term.has("hedge")
            word.should = should
            if word.term.has("correction"):
                correction = True
            elif correction and (word.is_head or word.is_value):
                word.replaces, correction = True, False
        if mood == "condition":
            start, end = _condition_in(clause)
            for place, word in enumerate(clause):
                word.mood = "condition" if start <= place < end else "wish"


_ABOUT_IT = frozenset(["it", "the", "they", "this", "that", "he", "she"])


def _condition_in(clause: Sequence[Word]) -> tuple[int, int]:
    """Which words of a clause hang on its condition: those before "if" do not, nor what "it should ..." says behind its comma."""
    start = next((place for place, word in enumerate(clause) if word.term.has("condition")), 0)
    if start:  # "nobody can read the disk if it is stolen" is wanted; "docker if there is room" is not, yet
        following = clause[start + 1] if start + 1 < len(clause) else None
        is_about_it = (
            clause[start].norm in {"if", "in case"} and following is not None and following.norm in _ABOUT_IT
        )
        return (start if is_about_it else 0), len(clause)
    for place in range(1, len(clause)):
        word = clause[place]
        if word.segment != clause[place - 1].segment and word.joint == "," and word.norm in _ABOUT_IT:
            return 0, place
    return 0, len(clause)


def _polarities(sentence: Sequence[Word], asked: Sequence[Word]) -> None:
    """What is ruled out."""
    segments: list[list[Word]] = []
    for word in sentence:
        if word.joint == "?":
            continue
        if not segments or segments[-1][0].segment != word.segment:
            segments.append([])
        segments[-1].append(word)
    default, previous_value = True, None
    for at, segment in enumerate(segments):
        wanted, since, kept = _carried(segments, at, default)
        negated = -1
        removing = False
        subjects: list[Word] = []
        for place, word in enumerate(segment):
            rest = segment[place + 1 :]
            term = word.term
            if term.means("negator", "-free"):
                for subject in subjects[-1:]:
                    _rule(subject, wanted=False, since=term.start)
                continue
            is_trailing = not any(later.is_head or later.is_value for later in rest)
            if (
                term.has("negator")
                and not wanted
                and subjects == []
                and place
                and segment[place - 1].norm == "but"
            ) or (
                term.has("negator")
                and word.joint == ""
                and at
                and not segments[at - 1][-1].wanted
                and segment[0].norm == "but"
            ):
                wanted, since, kept = True, -1, True  # "leave out strace, but not tcpdump"
                continue
            if term.has("negator") and not (term.has("off", "on") and is_trailing):
                if all(later.norm in _AFTER_NO for later in rest) and not any(
                    later.term.has("on", "off", "verb", "removal") for later in rest
                ):
                    if any(earlier.norm in {"who", "which"} for earlier in segment[:place]):
                        continue  # "a login carol who is not": nothing is ruled out by that
                    targets = subjects or _before(segments, at, asked)
                    value = (
                        not previous_value if previous_value is not None and word.norm in _BARE_NO else False
                    )
                    _rule_all(targets, wanted=value, since=term.start)
                    previous_value = value
                    continue
                negated = term.start
                wanted, since, kept = False, term.start, False
            elif (
                term.has("on", "off")
                and ((is_trailing and not (rest and word.norm in _PREPOSITIONS)) or word.norm == "away from")
                and (subjects or _follows(segments, at, asked, segment))
            ):
                value = term.has("on") is not (negated >= 0)
                plural = any(_is_plural(other) for other in segment[: place + 1])
                targets = (
                    subjects
                    + (_list_before(segments, at) if plural or _ends_list(segments, at, subjects) else [])
                    if subjects
                    else _before(segments, at, asked)
                )
                if removing or not (value and all(target.wanted for target in targets)):
                    _rule_all(targets, wanted=value, since=term.start)
                previous_value, negated = value, -1
            elif term.has("on", "off") and not subjects and _is_colon_next(segments, at) and is_trailing:
                default = term.has("on") is not (negated >= 0)
            elif term.has("removal") and not (term.has("verb") and not rest):
                if negated >= 0:
                    wanted, since, kept, negated = True, -1, True, -1
                elif is_trailing and subjects:
                    _rule_all(subjects, wanted=False, since=term.start)
                else:
                    wanted, since, kept = False, term.start, False
                removing = True
            elif term.has("verb"):
                if negated >= 0 and is_trailing and subjects:
                    _rule_all(subjects, wanted=False, since=negated)
                    negated = -1
                elif negated < 0 and not removing:
                    wanted, since, kept = default, -1, False
            elif subjects and not wanted and word.norm in _ONWARDS:
                wanted, since, kept = (
                    True,
                    -1,
                    word.norm in _PREPOSITIONS,
                )  # "no firewall on the router" is not about the router
            if word.sign:
                wanted, since, kept = word.sign == "+", -1 if word.sign == "+" else term.start, False
            if word.is_head or word.is_value:
                word.wanted, word.since, word.kept = wanted, since, kept
                subjects.append(word)


def _is_plural(word: Word) -> bool:
    return word.term.has("plural") or word.norm.startswith("are")


def _rule(word: Word, *, wanted: bool, since: int) -> None:
    word.wanted, word.since, word.kept = wanted, -1 if wanted else since, False


def _rule_all(words: Iterable[Word], *, wanted: bool, since: int) -> None:
    for word in words:
        _rule(word, wanted=wanted, since=since)


def _carried(segments: Sequence[Sequence[Word]], at: int, default: bool) -> tuple[bool, int, bool]:
    """The polarity that a segment begins with."""
    fresh = (default, -1, False)
    if not at or segments[at][0].joint not in {",", "and", "or"}:
        return fresh
    heads = [word for word in segments[at] if word.is_head]
    before = [
        word
        for segment in segments[:at]
        for word in segment
        if word.is_head and word.clause == segments[at][0].clause
    ]
    if not heads or not before or before[-1].wanted or before[-1] not in segments[at - 1]:
        return fresh
    first = heads[0]
    lead = segments[at][: segments[at].index(first)]
    if any(
        word.term.has("verb", "removal", "negator", "adversative") or word.norm in _PREPOSITIONS
        for word in lead
    ):
        return fresh
    if segments[at][0].joint == "or" and before[-1].since < before[-1].term.start:
        return False, before[-1].since, False
    if before[-1].group != first.group:
        return fresh
    since = before[-1].since
    if (
        before[-1].term.start < since
    ):  # ruled out by a predicate behind it: what follows is a subject of its own
        return fresh
    earlier = [word for word in before if word.group == first.group and word.term.end <= since]
    if segments[at][0].joint == "," and any(word.wanted for word in earlier):
        return fresh
    return False, since, before[-1].kept


def _follows(
    segments: Sequence[Sequence[Word]], at: int, asked: Sequence[Word], segment: Sequence[Word]
) -> bool:
    """Whether a segment that only has a predicate belongs to what is before it."""
    only = all(
        word.term.has("on", "off", "negator", "copula", "filler", "article", "plural") for word in segment
    )
    return only and bool(_before(segments, at, asked)) and not _is_colon_next(segments, at)


def _before(segments: Sequence[Sequence[Word]], at: int, asked: Sequence[Word]) -> list[Word]:
    """The subjects that a predicate without one is about."""
    if at:
        return [word for word in segments[at - 1] if word.is_head or word.is_value]
    return [word for word in asked if word.is_head][:1]


def _list_before(segments: Sequence[Sequence[Word]], at: int) -> list[Word]:
    """The subjects of the list that ends in a segment."""
    found: list[Word] = []
    for segment in reversed(segments[:at]):
        if segment[0].clause != segments[at][0].clause or any(
            word.term.has("verb", "removal", "on", "off") for word in segment
        ):
            break
        found += [word for word in segment if word.is_head]
        if segment[0].joint not in {",", "and", "or"}:
            break
    return found


def _ends_list(segments: Sequence[Sequence[Word]], at: int, subjects: Sequence[Word]) -> bool:
    """Whether a predicate comes right behind the last one of a list of the same kind ("htop, docker and nginx can go")."""
    if (
        segments[at][0].joint != "and"
        or len(subjects) != 1
        or any(word.norm in {"is", "isn't"} for word in segments[at])
    ):
        return False
    before = [word for word in segments[at - 1] if word.is_head]
    return len(before) == 1 and before[0].group == subjects[0].group == "software"


def _is_colon_next(segments: Sequence[Sequence[Word]], at: int) -> bool:
    return at + 1 < len(segments) and segments[at + 1][0].joint == ":"
