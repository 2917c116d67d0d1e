"""Detect greetings, thanks, farewells and questions about the service, which need no lookup."""

from typing import Literal

from vademecum.text.patterns import Pattern

SmallTalk = Literal["greeting", "thanks", "goodbye", "help"]

_GREETING = r"hi|hello|hey|hiya|howdy|greetings|good (?:morning|afternoon|evening|day)"
_MORE = r"there|all|everyone|everybody|again|team|how are you(?: doing)?(?: today)?|how(?:'s| is) it going|what(?:'s| is) up"
_THANKS = r"thanks?|thank you|thx|cheers|much appreciated|great|perfect|ok(?:ay)?|alright|got it|i see"
_PRAISE = r"good|cool|nice|excellent|wonderful|well|so much|very much|a lot|again|then|that helps|that helped|for (?:your|the|that) ?(?:help|answer)?|very helpful|you(?: a lot)?"
_GOODBYE = r"bye(?:[ -]bye)?|goodbye|see you(?: later| soon| tomorrow)?|have a (?:nice|good|great) (?:day|evening|weekend)|that(?:'s| is| will be) all"
_HELP = r"help|who are you|what are you|what can (?:you do|i ask(?: you)?)(?: here)?|how does this work|how do i use (?:this|you)"
_GAP = r"[\s,.!?;:–—-]*"

_KINDS: dict[SmallTalk, tuple[str, str]] = {
    "goodbye": (_GOODBYE, f"{_THANKS}|{_PRAISE}"),
    "thanks": (_THANKS, _PRAISE),
    "greeting": (_GREETING, _MORE),
    "help": (_HELP, _GREETING),
}
"""For each kind, the phrases of which a message must contain at least one, and the phrases that may accompany them."""

_PATTERNS = {
    kind: (Pattern(rf"\b(?:{words})\b"), Pattern(rf"{_GAP}(?:(?:{words}|{more})\b{_GAP})+"))
    for kind, (words, more) in _KINDS.items()
}
_LONGEST = 80

_ASKS = "how|what|which|where|when|who|whose|why|can|could|would|is|are|does|do|did|please|i|tell|show"
_MARKS = r"[,.!;:–—-]+"
_OPENING = Pattern(
    rf"{_GAP}(?:{_GREETING})(?: (?:there|all|everyone|everybody|again|team|folks))?(?:\s*{_MARKS}\s*|\s+(?=(?:{_ASKS})\b))"
)
_CLOSING = Pattern(
    rf"(?:(\?)[\s,.!;:–—-]*|\s*{_MARKS}\s*)(?:many )?(?:thanks|thank you|thx|cheers)(?: (?:{_PRAISE}|in advance))*{_GAP}$"
)
"""A greeting before a question, with a mark or a word that asks after it; and thanks after a mark."""


def small_talk(message: str) -> SmallTalk | None:
    """Return the kind of a message that asks for nothing, or None for any other message.

    >>> small_talk("Hello there!"), small_talk("Thanks, that helps."), small_talk("Hello, when do you open?")
    ('greeting', 'thanks', None)
    """
    text = message.strip().replace("’", "'")
    if len(text) > _LONGEST:
        return None
    kinds = (kind for kind, (part, whole) in _PATTERNS.items() if whole.fullmatch(text) and part.search(text))
    return next(kinds, None)


def _without_opening(question: str) -> str:
    found = _OPENING.match(question)
    return question[found.end() :] if found else question


def without_courtesies(question: str) -> str:
    """Return a question without a greeting before it and thanks after it; unchanged if nothing else is in it.

    >>> without_courtesies("Hello, how do I list files? Thanks a lot!")
    'how do I list files?'
    >>> without_courtesies("hello world in C"), without_courtesies("Hi there!")
    ('hello world in C', 'Hi there!')
    """
    left = _CLOSING.sub(r"\1", _without_opening(question))
    return left if any(letter.isalnum() for letter in left) else question
