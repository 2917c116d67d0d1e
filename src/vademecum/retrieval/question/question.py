"""Analyse a question: its terms and their rarity, the names in it, and its kind."""

from collections.abc import Mapping
from errno import errorcode
from typing import NamedTuple

from vademecum.core.candidates import SearchIndex
from vademecum.core.errors import AnswerError
from vademecum.core.passages import SparseVector, Wording
from vademecum.core.trace import Json
from vademecum.retrieval.question.kinds import kinds_of
from vademecum.retrieval.question.spelling import ABBREVIATIONS, CONTRACTIONS, corrected
from vademecum.text.patterns import Pattern
from vademecum.text.small_talk import without_courtesies
from vademecum.text.words import STOP_WORDS, WORD, number, parts, stem, terms_of_word

LONGEST_QUESTION = 20_000
"""The maximum length of a question in characters; the rest is ignored."""

_MOST_TERMS = 48

_REFERENCE = Pattern(r"\b([\w.:+-]+)\s?\((\d\w*)\)", flags=0)
_MAN = Pattern(r"\bman (\d\w*) ([\w.:+-]+)", flags=0)
_FILE = Pattern(r"(?<!\w)/etc/(?:[\w.-]+/)*([\w.-]*\w)", flags=0)
_OF_A_FILE = Pattern(r"\b(?:format|syntax|fields?|columns?|layout|structure)\b")
_FORMATS = 5
"""The manual section of file formats."""

_CODE = Pattern(rf"\b(?:{'|'.join(errorcode.values())}|SIG[A-Z]{{3,}}[0-9]?)\b", flags=0)
"""Names that are listed on a common page, which is used if the question names no other page."""

_EXIT = Pattern(r"\b(?:exit|return) (?:status|code|value)(?:e?s)?\b")
"""Words that ask about the exit status of a command."""

_OPTION = Pattern(r"(?<![\w-])(?:--[A-Za-z][\w-]*|-[A-Za-z0-9])(?![\w])", flags=0)
_CHATTER = frozenset(
    """linux unix command commands want need please tell way possible best system show give get
    something someone anyone thing things work works without instead know example""".split()  # noqa: SIM905
)
_CHATTER_SHARE = 0.5
"""The factor for the rarity of small-talk words and numbers."""

_FILLERS = frozenset(
    "actually basically hey honestly really thanks got ok okay btw tho though hi hello cheers thx pls plz lol hm um uh yeah yep".split()  # noqa: SIM905 - as above
)
"""Filler words, which a page need not contain."""

_WHOLE_SHARE = 0.5
"""The factor for the rarity of a compound, because its parts count too."""

_GUESSED_SHARE = 0.7
"""The factor for the rarity of a word that was guessed as a correction."""


class Term(NamedTuple):
    """A term of the question.

    Attributes:
        rarity: Its inverse document frequency, above 0.
    """

    text: str
    word: str
    number: int
    rarity: float
    weight: float
    known: bool


class Question(NamedTuple):
    """An analysed question.

    Attributes:
        text: The question, with folded white space, truncated to `LONGEST_QUESTION`.
        words: Its words in lowercase, without stop words, in order.
        terms: Its distinct terms, in order.
        kinds: The names of its possible kinds (`kinds.KINDS`).
        references: Manual pages that it names (`open(2)`, `man 2 open`), and the page on the format of a file
            that it asks about (`the fields of /etc/passwd`), if there is one.
        options: Options that it names (`--recursive`, `-R`).
        shortened: Whether it was truncated.
        read_as: Words that no document contains, and their corrections (`("permisions", "permissions")`).
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
        """Return the query vector for the lexical index, on request including terms that no document contains."""
        ordered = sorted((term.number, term.weight) for term in self.terms if term.known or unknown)
        return SparseVector([term for term, _ in ordered], [weight for _, weight in ordered])

    def wording(self) -> Wording:
        """Return the text of the question that is embedded."""
        return Wording(self.text, [term.text for term in self.terms])


def shown_terms(question: Question) -> list[dict[str, Json]]:
    """Describe the terms of a question, for the trace."""
    return [
        {"term": term.text, "word": term.word, "rarity": round(term.rarity, 3), "known": term.known}
        for term in question.terms
    ]


def analyse(text: str, index: SearchIndex) -> Question:
    """Analyse a question."""
    folded = without_courtesies(" ".join(_cut(text).split()))
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
        analysed = {term: _term(term, word, index) for term in of_word}
        if _is_of_known_words(lowered, analysed):  # "full-time", which is not a name
            del analysed[lowered]
        for stemmed, term in analysed.items():
            found.setdefault(stemmed, term)
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


def _is_of_known_words(word: str, terms: Mapping[str, Term]) -> bool:
    """Return whether no document contains a compound of plain words, but all of its words."""
    parts = [term for text, term in terms.items() if text != word]
    is_plain = word in terms and word[0] != "-" and word.replace("-", "").isalpha()
    return is_plain and len(parts) > 1 and not terms[word].known and all(term.known for term in parts)


def _references(text: str, index: SearchIndex) -> tuple[str, ...]:
    """Return the pages that it names; see `Question.references`."""
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
    """Truncate a question between words, unless it consists of one word."""
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
