"""Analysing a question: its terms with their rarity, what it names, and what kind of question it is."""

import re
from typing import NamedTuple

from vademecum.core.candidates import SearchIndex
from vademecum.core.errors import AnswerError
from vademecum.core.passages import SparseVector
from vademecum.retrieval.lexical import rarity
from vademecum.retrieval.words import STOP_WORDS, WORD, number, terms_of_word

LONGEST_QUESTION = 20_000
"""Characters of a question that are looked at."""

_MOST_TERMS = 48

_REFERENCE = re.compile(r"\b([\w.:+-]+)\s?\((\d\w*)\)")
_OPTION = re.compile(r"(?<![\w-])(?:--[A-Za-z][\w-]*|-[A-Za-z0-9])(?![\w])")
_COMMAND_BEFORE = re.compile(
    r"(?:\b(?:the|of|with|using|via|use|run|does|can|is|in|command|program|utility|tool|function|call)\s+|^|`)"
    r"[`'\"]?([A-Za-z_][\w.+-]*)"
)
_KINDS = {
    "how_to": re.compile(r"\bhow (?:do|can|to|would|should|could)\b|\bway to\b", re.IGNORECASE),
    "programming": re.compile(
        r"\bin (?:c|c\+\+|perl)\b|\b(?:syscall|system call|function|errno|library call|struct|pointer|"
        r"file descriptors?|fds?|threads?|buffer|returns?|header|macro|my (?:program|code)|libc|glibc|programmatically)\b"
        r"|\bE[A-Z]{3,}\b|\w_t\b|\w\(\)",
        re.IGNORECASE,
    ),
    "format": re.compile(
        r"\b(?:format|syntax|field|column|fields|columns|config(?:uration)?|conf|cfg|directive|unit file|"
        r"option in|setting|section in|entry|/etc/\S+|\S+\.(?:conf|service|timer|cfg))\b",
        re.IGNORECASE,
    ),
    "concept": re.compile(
        r"\bwhat (?:is|are)\b|\boverview\b|\bexplain\b|\bdifference\b|\bmean(?:s|ing)?\b|\bwhy\b",
        re.IGNORECASE,
    ),
    "error": re.compile(
        r"\berror\b|\bfail(?:s|ed|ing|ure)?\b|: (?:permission denied|no such)|\bcan ?not\b|can't",
        re.IGNORECASE,
    ),
}

_CHATTER = frozenset(
    """linux unix command commands want need please tell way possible best system show give make get
    something someone anyone thing things work works without instead know find example""".split()  # noqa: SIM905
)
_CHATTER_SHARE = 0.6
"""What a word of small talk keeps of its rarity."""


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
        words: Its words that are no stop words, lower case, in order.
        terms: Its distinct terms, in order.
        kinds: Names of the kinds it may be of (`how_to`, `programming`, `format`, `concept`, `error`).
        references: Manual page references it names (`open(2)`).
        options: Options it names (`--recursive`, `-R`).
        shortened: Whether something was cut off.
    """

    text: str
    words: tuple[str, ...]
    terms: tuple[Term, ...]
    kinds: frozenset[str]
    references: tuple[str, ...]
    options: tuple[str, ...]
    shortened: bool

    def vector(self) -> SparseVector:
        """The question as the lexical index is asked."""
        ordered = sorted((term.number, term.weight) for term in self.terms if term.known)
        return SparseVector([term for term, _ in ordered], [weight for _, weight in ordered])


def analyse(text: str, index: SearchIndex) -> Question:
    """Analyse a question.

    Raises:
        AnswerError: There is nothing in it to look for.
    """
    folded = " ".join(text[: LONGEST_QUESTION + 1].split())
    if not folded:
        raise AnswerError(
            "The question is empty.", hint='Ask something, such as: ragman "How do I list open files?"'
        )
    shortened = len(text) > LONGEST_QUESTION
    folded = folded[:LONGEST_QUESTION]
    found: dict[str, Term] = {}
    words = []
    for word in WORD.findall(folded):
        lowered = word.lower()
        of_word = terms_of_word(word)
        if of_word and lowered not in STOP_WORDS:
            words.append(lowered)
        for term in of_word:
            if term not in found:
                found[term] = _term(term, word, index)
    terms = tuple(found.values())
    if len(terms) > _MOST_TERMS:
        shortened = True
        rarest = sorted(terms, key=lambda term: (-term.rarity, term.text))[:_MOST_TERMS]
        terms = tuple(term for term in terms if term in rarest)
    return Question(
        text=folded,
        words=tuple(words),
        terms=terms,
        kinds=frozenset(kind for kind, pattern in _KINDS.items() if pattern.search(folded)),
        references=tuple(f"{name}({section})" for name, section in _REFERENCE.findall(folded)),
        options=tuple(dict.fromkeys(_OPTION.findall(folded))),
        shortened=shortened,
    )


def _term(text: str, word: str, index: SearchIndex) -> Term:
    term = number(text)
    frequency = index.frequency(term)
    rare = rarity(frequency, index.total())
    share = _CHATTER_SHARE if word.lower() in _CHATTER else 1.0
    return Term(text, word, term, rare, rare * share, frequency > 0)
