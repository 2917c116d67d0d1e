"""The kind of answer that a question asks for, by its words: an instruction, an amount, a person, a reason.

A book about a thing may not say what it weighs, what it costs or who made it. So the standard for an amount, a name, a date
or an instruction is higher than for a reason or a yes. The calibration of running text learns the difference.
"""

from vademecum.retrieval.question.phrases import phrases_of, says, spoken
from vademecum.text.instructions import DOING
from vademecum.text.patterns import Pattern

_AUXILIARY = r"(?:is|are|am|was|were|can|could|do|does|did|will|would|should|may|must|has|have|isn't|aren't|doesn't|don't|can't)"
_YES_NO = Pattern(rf"(?:^|[,.:;] ){_AUXILIARY}\b")
_ASKING = Pattern(r"\b(?:who|whom|whose|what|which|when|where|why|how)\b")
_WAY = Pattern(
    r"\bhow (?:do|can|to|would|should|could) (?!\w+ (?:differ|relate|compare))|\bway to\b|\bstep by step\b"
)
_PRICE = Pattern(r"\bhow much (?:is|are|do|does|did|will|would)\b(?!.*\bweighs?\b)")
_ASK_FACTS = frozenset("does do did will would is are was were has have why what's whats".split())  # noqa: SIM905
_AFTER_WHAT = frozenset("is are does do did happens".split())  # noqa: SIM905
_ASK_WAY = frozenset("there it i we command best easiest right way option".split())  # noqa: SIM905
"""The first words of questions for a fact, the words after "what", and words after these of questions for a way to do something."""

_FIRST_WORD = Pattern(r"[a-z]+")
NAMES = ("way", "yes_no", *phrases_of("wants"))
"""All kinds, in the order of `answer_kinds`."""


def answer_kinds(text: str) -> tuple[bool, ...]:
    """Return for each of `NAMES` whether a question asks for it; often none, sometimes several.

    >>> [name for name, wanted in zip(NAMES, answer_kinds("Rename a model"), strict=True) if wanted]
    ['way']
    """
    asks = bool(_YES_NO.search(text))
    first = _FIRST_WORD.search(text)
    is_request = not asks and not _ASKING.search(text) and first is not None and first[0].lower() in DOING
    said = spoken(text)
    wanted = {kind: says(said, phrases) for kind, phrases in phrases_of("wants").items()}
    wanted["money"] |= bool(_PRICE.search(text))
    return is_request or bool(_WAY.search(text)), asks, *wanted.values()


def asks_way(text: str) -> bool:
    """Return whether a question asks how to do something, so that its answer is a procedure."""
    return answer_kinds(text)[NAMES.index("way")]


def asks_fact(text: str) -> bool:
    """Return whether a question begins like one that asks for a fact, and not for a way to do something.

    >>> asks_fact("what does the sticky bit do"), asks_fact("is there a way to set it")
    (True, False)
    """
    words = text.lower().split(maxsplit=4)
    is_what = words[:1] == ["what"] and bool(words[1:2]) and words[1] in _AFTER_WHAT
    if not is_what and (not words or words[0] not in _ASK_FACTS):
        return False
    after = [word for word in words[1 + is_what :] if word != "the"]
    return not after or after[0] not in _ASK_WAY
