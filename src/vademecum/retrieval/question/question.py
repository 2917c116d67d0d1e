"""Analyse a question: its terms and their rarity, the names in it, and its kind."""

import re
from errno import errorcode
from typing import NamedTuple

from vademecum.core.candidates import SearchIndex
from vademecum.core.errors import AnswerError
from vademecum.core.passages import SparseVector, Wording
from vademecum.core.trace import Json
from vademecum.retrieval.question.kinds import kinds_of
from vademecum.retrieval.question.spelling import ABBREVIATIONS, CONTRACTIONS, corrected
from vademecum.text.words import STOP_WORDS, WORD, number, parts, stem, terms_of_word

LONGEST_QUESTION = 20_000
"""Characters of a question that are looked at."""

_MOST_TERMS = 48

_REFERENCE = re.compile(r"\b([\w.:+-]+)\s?\((\d\w*)\)")
_MAN = re.compile(r"\bman (\d\w*) ([\w.:+-]+)")
_FILE = re.compile(r"(?<!\w)/etc/(?:[\w.-]+/)*([\w.-]*\w)")
_OF_A_FILE = re.compile(r"\b(?:format|syntax|fields?|columns?|layout|structure)\b", re.IGNORECASE)
_FORMATS = 5
"""The section of the pages on files' formats."""

_CODE = re.compile(rf"\b(?:{'|'.join(errorcode.values())}|SIG[A-Z]{{3,}}[0-9]?)\b")
"""What has a page that lists all of its kind, wherever no other page is named."""

_EXIT = re.compile(r"\b(?:exit|return) (?:status|code|value)(?:e?s)?\b", re.IGNORECASE)
"""What a command that is named with it is asked about."""

_OPTION = re.compile(r"(?<![\w-])(?:--[A-Za-z][\w-]*|-[A-Za-z0-9])(?![\w])")
_CHATTER = frozenset(
    """linux unix command commands want need please tell way possible best system show give get
    something someone anyone thing things work works without instead know example""".split()  # noqa: SIM905
)
_CHATTER_SHARE = 0.5
"""What a word of small talk, or a number, keeps of its rarity."""

_FILLERS = frozenset("actually basically hey honestly really thanks".split())  # noqa: SIM905 - as above
"""Words that people say and do not ask for; no page need have them."""

_WHOLE_SHARE = 0.5
"""What a compound keeps of its rarity, since its parts count, too."""

_GUESSED_SHARE = 0.7
"""What a word keeps of its rarity that was not written, but read for another."""


class Term(NamedTuple):
    """A term of the question.

    Attributes:
        text: The stem or option.
        word: The word it is of, as asked.
        number: As the index counts it.
        rarity: Inverse document frequency, above 0.
        weight: What it counts for in the question's vector.
        known: Whether any document has it.
    """

    text: str
    word: str
    number: int
    rarity: float
    weight: float
    known: bool


class Question(NamedTuple):
    """A question, analysed.

    Attributes:
        text: As asked, white space folded, cut at `LONGEST_QUESTION`.
        words: Its words that are not stop words, lower case, in order.
        terms: Its distinct terms, in order.
        kinds: Names of the kinds it may be of (`kinds.KINDS`).
        references: Manual page references it names (`open(2)`, `man 2 open`), and the page on a file's format where
            it asks for that of a file (`the fields of /etc/passwd`) and there is one.
        options: Options it names (`--recursive`, `-R`).
        shortened: Whether something was cut off.
        read_as: Words no document has, and what they were read as (`("permisions", "permissions")`).
    """

    text: str
    words: tuple[str, ...]
    terms: tuple[Term, ...]
    kinds: frozenset[str]
    references: tuple[str, ...]
    options: tuple[str, ...]
    shortened: bool
    read_as: tuple[tuple[str, str], ...]

    def vector(self, *, unknown: bool = False) -> SparseVector:
        """The question as the lexical index is asked; on request with the terms that no document has."""
        ordered = sorted((term.number, term.weight) for term in self.terms if term.known or unknown)
        return SparseVector([term for term, _ in ordered], [weight for _, weight in ordered])

    def wording(self) -> Wording:
        """The question as it is embedded."""
        return Wording(self.text, [term.text for term in self.terms])


def shown_terms(question: Question) -> list[dict[str, Json]]:
    """The terms of a question, for the trace."""
    return [
        {"term": term.text, "word": term.word, "rarity": round(term.rarity, 3), "known": term.known}
        for term in question.terms
    ]


def analyse(text: str, index: SearchIndex) -> Question:
    """Analyse a question.

    Raises:
        AnswerError: There is nothing in it to look for.
    """
    folded = " ".join(_cut(text).split())
    if not folded:
        raise AnswerError(
            "The question is empty.", hint='Ask something, such as: ragman "How do I list open files?"'
        )
    shortened = len(text) > LONGEST_QUESTION
    found: dict[str, Term] = {}
    words = []
    read_as: dict[str, str] = {}
    for word in WORD.findall(folded):
        lowered = word.lower()
        if lowered in CONTRACTIONS or lowered in _FILLERS:
            continue
        of_word = terms_of_word(word)
        if of_word and lowered not in STOP_WORDS:
            words.append(lowered)
            words += [part for part in parts(word) if part != lowered]
        for term in of_word:
            found.setdefault(term, _term(term, word, index))
        meant = full = ABBREVIATIONS.get(lowered)
        if len(of_word) == 1 and not found[of_word[0]].known:
            meant = full or corrected(lowered, index.frequency)
            if meant:
                del found[of_word[0]]
            if meant and not full:
                read_as[word] = meant
        if meant:
            found.setdefault(stem(meant), _term(stem(meant), meant, index, _GUESSED_SHARE))
    terms = tuple(found.values())
    if len(terms) > _MOST_TERMS:
        shortened = True
        rarest = sorted(terms, key=lambda term: (-term.rarity, term.text))[:_MOST_TERMS]
        terms = tuple(term for term in terms if term in rarest)
    return Question(
        text=folded,
        words=tuple(words),
        terms=terms,
        kinds=kinds_of(folded),
        references=_references(folded, index),
        options=tuple(dict.fromkeys(_OPTION.findall(folded))),
        shortened=shortened,
        read_as=tuple(read_as.items()),
    )


def _references(text: str, index: SearchIndex) -> tuple[str, ...]:
    """What it names, see `Question.references`."""
    named = [f"{name}({section})" for name, section in _REFERENCE.findall(text)]
    named += [f"{name}({section})" for section, name in _MAN.findall(text)]
    if _OF_A_FILE.search(text):
        files = (f"{name}({_FORMATS})" for name in _FILE.findall(text))
        named += [reference for reference in files if index.named(reference)]
    if not named and _EXIT.search(text):
        said = [word for word in WORD.findall(_EXIT.sub(" ", text.lower())) if word not in STOP_WORDS]
        commands = (f"{word}({section})" for word in said for section in "18")
        named += [command for command in commands if index.named(command)][:1]
    if not named and (code := _CODE.search(text)):
        page = "errno(3)" if code[0].startswith("E") else "signal(7)"
        words = {word for word in WORD.findall(text.lower()) if word not in STOP_WORDS and word not in page}
        if index.named(page) and not any(index.named(f"{word}({at})") for word in words for at in "1238"):
            named.append(page)
    return tuple(dict.fromkeys(named))


def _cut(text: str) -> str:
    """What is looked at of a question: whole words, unless there is only one."""
    cut = text[:LONGEST_QUESTION]
    if cut == text or text[LONGEST_QUESTION].isspace() or cut[-1].isspace():
        return cut
    return cut.rsplit(maxsplit=1)[0]


def _term(text: str, word: str, index: SearchIndex, guessed: float = 1.0) -> Term:
    term = number(text)
    frequency = index.frequency(term)
    rare = guessed * index.rarity(term)
    share = _CHATTER_SHARE if word.lower() in _CHATTER or text.isdigit() else 1.0
    if text == word.lower() and not text.isalnum() and text[0] != "-":
        share = _WHOLE_SHARE
    return Term(text, word, term, rare, rare * share, frequency > 0)
