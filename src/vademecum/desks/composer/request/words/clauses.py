"""Divide a request into sentences, clauses and segments, each a wish, a report or a condition."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from vademecum.desks.composer.request.words.polarity import decide_polarities, rule
from vademecum.desks.composer.request.words.vocabulary import Sense, Term
from vademecum.desks.composer.request.words.word import Mood, Word

_JOINTS = {
    "and": "and", "or": "or", "nor": "or", "&": "and", "+": "and", "plus": "and", "with": "with", ",": ",", "/": "or", "(": "(", ":": ":", "as well as": "and",
    "along with": "and",
}  # fmt: skip

_ENDS = frozenset(".!?;\n•")

_LONGEST_SENTENCE = 150
"""Terms. Nobody says more in one sentence, and what is read together costs time."""

_BECAUSE = frozenset(["because", "since", "although", "though"])

_BEHIND_NUMBER = frozenset(["for", "of", "on", "in", "at", "to", "from", "as"])


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
        word.counts = (
            word.term.token.kind == "number"
            and following.segment == word.segment
            and noun
            and following.norm not in _BEHIND_NUMBER
        )
        if word.term.has("correction") and word.norm.endswith(" no") and following.segment == word.segment:
            word.term = word.term._replace(senses=(Sense("negator"),))  # "actually no encryption at all"
    _exchanged(words)
    before: list[Word] = []
    asked = False
    for sentence in sentences.values():
        _moods(sentence)
        decide_polarities(sentence, before if asked else [])
        _taken_back(sentence)
        before = sentence
        asked = any(word.joint == "?" for word in sentence)
    return [word for word in words if word.joint != "?"]


def _exchanged(words: Sequence[Word]) -> None:
    """As in "swap nano for vim": a verb, and no partition."""
    for at, word in enumerate(words[:-1]):
        behind = [other for other in words[at + 1 :] if other.clause == word.clause]
        end = next((place for place, other in enumerate(behind) if other.norm == "for"), 0)
        if (
            word.norm in {"swap", "swap out"}
            and end
            and behind[end - 1].is_head
            and not any(other.is_value for other in behind[:end])
        ):
            word.term = word.term._replace(senses=(Sense("removal"),))


def _placed(terms: Iterable[Term]) -> Iterator[Word]:
    """Words with the numbers of their sentences, clauses and segments."""
    sentence = clause = segment = 0
    joint = sign = ""
    depth, last = 0, -1
    follows_comma, own_segment = False, -1
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
                    last = sentence
                    yield Word(term, sentence, clause, segment, joint="?")
                if norm in "-–—":
                    clause, segment, joint = clause + 1, segment + 1, ","
                else:
                    sentence += last == sentence  # "..." ends one sentence
                    clause, segment, joint = clause + 1, segment + 1, ""
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
        last = sentence
        after_comma = norm == "and" and joint == "and" and bool(at) and rows[at - 1].text == ","
        follows_comma = after_comma or (follows_comma and segment == own_segment)
        own_segment = segment
        yield Word(term, sentence, clause, segment, joint, after_comma=follows_comma, sign=sign)
        sign = ""


def _is_dash(rows: Sequence[Term], at: int) -> bool:
    """Return whether a hyphen stands alone, as a dash or a bullet."""
    before = rows[at - 1] if at else None
    after = rows[at + 1] if at + 1 < len(rows) else None
    return (before is None or before.end < rows[at].start or before.text == "\n") and (
        after is None or after.start > rows[at].end
    )


_PRONOUNS = frozenset(["it", "them", "that", "those", "this"])

_OWNERS = frozenset(["his", "her", "their"])


def _taken_back(sentence: Sequence[Word]) -> None:
    """As in "swap was a bad idea, remove it": what a pronoun behind a removal means is said before it."""
    for at, (verb, pronoun) in enumerate(pairwise(sentence)):
        is_owned = pronoun.norm in _OWNERS and any(
            word.term.means("field", "account") for word in sentence[at + 2 : at + 3]
        )
        if not verb.term.has("removal") or not (is_owned or pronoun.norm in _PRONOUNS):
            continue
        own = [
            word
            for word in sentence
            if word.clause == verb.clause
            and word.segment == verb.segment
            and not (is_owned and word is sentence[at + 2])
        ]
        named = [
            word for word in sentence if word.term.end <= verb.term.start and (word.is_head or word.is_value)
        ]
        if named and not any(word.is_head or word.is_value for word in own):
            rule(named[0], wanted=False, since=verb.term.start)
            named[0].mood = verb.mood = "wish"


def _moods(sentence: Sequence[Word]) -> None:
    """What is only reported, and what depends on a condition."""
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
            clause[start].norm == "if" and following is not None and following.norm in _ABOUT_IT
        ) or clause[start].norm == "in case"
        return (start if is_about_it else 0), len(clause)
    for place in range(1, len(clause)):
        word = clause[place]
        if word.segment != clause[place - 1].segment and word.joint == "," and word.norm in _ABOUT_IT:
            return 0, place
    return 0, len(clause)
