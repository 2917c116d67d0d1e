"""Classify a message about the current template: change it, ask about it, undo something, or start over."""

import re
from typing import Literal, NamedTuple

from vademecum.text.patterns import Pattern

Intent = Literal[
    "new", "refinement", "question", "undo", "redo", "start-over", "accept", "decline", "suggest",
    "validate", "diff", "show", "save", "talk",
]  # fmt: skip

_COUNT = {
    "once": 1,
    "one": 1,
    "a": 1,
    "two": 2,
    "twice": 2,
    "three": 3,
    "thrice": 3,
    "four": 4,
    "five": 5,
    "couple of": 2,
}
_NUMBER = r"(?P<number>\d{1,3}|one|two|three|four|five|a\s+couple\s+of)"
_POLITE = r"^\W*(?:(?:please|ok|okay|no|oh|hm+|sorry|wait|actually|well|and|so|now|then|oops|can\s+you|could\s+you|would\s+you|let'?s|i\s+want\s+to|i(?:'d|\s+would)\s+like\s+to)\W+)*"
_UNDO = Pattern(
    rf"{_POLITE}(?:undo|un-do|revert|roll\s?back|take\s+(?:that|it|this|the\s+last(?:\s+\w+)?)\s+back|take\s+back(?:\s+(?:that|it|this|the\s+last(?:\s+\w+)?))?|put\s+(?:it|that|this|them)\s+back|(?:that|this)\s+was\s+(?:wrong|a\s+mistake|not\s+(?:right|what\s+i\s+(?:meant|wanted)))|as\s+it\s+was|(?:the\s+way|how)\s+it\s+was|go\s+back|step\s+back|back\s+out|back\s+to|restore|return\s+to|cancel\s+(?:that|the\s+last)|scrap\s+(?:that|the\s+last)(?!\s+all)|never\s?mind)\b(?P<rest>(?s:.*))"
)
_STEPS = Pattern(
    rf"\b{_NUMBER}\s+(?:\w+\s+)?(?:steps?|changes?|turns?|times|edits?|modifications?|versions?)\b|\b(?P<word>twice|thrice|once)\b|\blast\s+{_NUMBER.replace('number', 'last')}\b"
)
_TURN = Pattern(
    r"\b(?:turn|version|step|revision|state)\s*(?:number\s*|no\.?\s*|#)?(?P<turn>\d{1,3})\b|\bto\s+(?:the\s+)?(?P<nth>first|second|third|fourth|fifth)\s+(?:version|turn|template|draft|step|state)\b"
)
_EVERYTHING = Pattern(
    r"\b(?:everything|all(?:\s+(?:the\s+|my\s+)?changes)?|(?:the\s+)?(?:original|beginning|initial|very\s+first)|first\s+(?:draft|version|template)|(?:the\s+)?start)\b"
)
_REDO = Pattern(rf"{_POLITE}(?:redo|re-do|undo\s+the\s+undo|do\s+it\s+again\s+after\s+all)\b")
_OVER = Pattern(
    rf"{_POLITE}(?:(?:re)?start(?:ing)?\s+(?:all\s+)?(?:over|again|afresh|anew|from\s+(?:scratch|the\s+beginning|zero))|begin\s+(?:again|anew|afresh|from\s+(?:scratch|the\s+beginning))|from\s+scratch|forget\s+(?:about\s+)?(?:it|that|this|everything|all(?:\s+(?:of\s+)?(?:it|this|that))?)|reset(?:\s+(?:it|everything|the\s+session))?|discard\s+(?:it|everything|this|the\s+template)|throw\s+(?:it|everything|this)\s+away|scrap\s+(?:it|everything|this|(?:all\s+)?(?:of\s+)?my\s+changes|all(?:\s+the)?\s+changes)(?:\s+all)?|(?:throw|chuck)\s+(?:it|this|everything)\s+(?:all\s+)?away|(?:back\s+to\s+)?square\s+one|drop\s+(?:all\s+)?(?:of\s+)?my\s+changes|(?:undo|revert|discard)\s+(?:everything|all(?:\s+(?:of\s+)?(?:my\s+|the\s+)?changes)?)|clean\s+slate|clear\s+(?:everything|it|the\s+session)|new\s+(?:session|template|image|start|one)|(?:make|give|create|build)\s+(?:me\s+)?(?:a\s+)?(?:whole\s+|completely\s+|totally\s+)?(?:new|different|another)\s+(?:one|template|image))\b(?P<rest>(?s:.*))"
)
_NEW = Pattern(
    rf"{_POLITE}(?:(?:create|build|generate|compose|design|draft|prepare|produce|make|set\s+up|i\s+(?:need|want|would\s+like)|we\s+need|give\s+me|get\s+me|show\s+me)\s+(?:me\s+|us\s+)?(?:an?|another|one)\s+(?!user|partition|swap|separate|account|group|repositor|file|host|larger|bigger|smaller|second|third|data\b|new\s+(?:user|partition|account))(?:[^.;]{{0,80}}?\b(?:image|template|iso|installer|system|server|desktop|appliance|gateway|box|machine|host|node|image\s+for)\b))"
)
_INTO_NEW = Pattern(
    rf"{_POLITE}(?:add|put|install|include)\b[^.;]{{1,80}}?\b(?:to|on|onto|in|into)\s+an?\s+(?:\w+[\s-]){{0,4}}?(?:image|template|system|server|machine|box)\b"
)
"""As in "add nginx to a Debian image": of an image that is not the one in work."""

_YES = Pattern(
    r"^\W*(?:yes|yeah|yep|yup|sure|ok(?:ay)?|please\s+do|do\s+it|do\s+that|go\s+ahead|sounds\s+good|why\s+not|(?:yes\W+)?(?:please\s+)?add\s+(?:them|all|those|these|both|all\s+of\s+(?:them|those|these)|the\s+suggest\w+|it))(?:\W+(?:please|all|them|of|both|do\s+that|do\s+it|add|it|go|ahead|thanks))*\W*$"
)
_NO = Pattern(
    r"^\W*(?:no|nope|nah|no\s+thanks?(?:\s+you)?|not\s+now|rather\s+not|none(?:\s+of\s+(?:them|those))?|leave\s+it(?:\s+as\s+it\s+is)?)\W*$"
)
_PLACES = {"first": 1, "second": 2, "third": 3, "last": -1}
_PICK = Pattern(
    r"^\W*(?:(?:yes|ok|okay|please|and|then)\W+)*(?:add|take|use|i(?:'ll|\s+will)\s+(?:take|have)|give\s+me)\s+(?:the\s+)?(?:number\s+)?(?P<which>first|second|third|last|[1-9])(?:\s+(?:one|suggestion|of\s+(?:them|those)))?(?:\W+(?:please|only))*\W*$"
)
_SUGGEST = Pattern(
    r"\b(?:what|which|anything|something|any\s+\w+)\b[^.?!\n]{0,40}\b(?:suggest|recommend|advise|propose)\b|\bany\s+(?:suggestions?|recommendations?|ideas?)\b|^\W*(?:please\s+)?(?:suggest|recommend)\b|\bwhat\s+else\s+(?:could|should|might)\s+(?:i|we|it)\b|^\W*suggestions?\W*$"
)
_LEAVE = Pattern(
    r"^(?:[^.!?\d]{0,40}[.!?]\s+)?\W*(?:please\W+)?(?:(?:do|change)\s+nothing|(?:do\s+not|don't)\s+(?:change|touch|do)\s+(?:anything|a\s+thing|it)|leave\s+(?:everything|it|all)(?:\s+(?:as\s+(?:it|they)\s+(?:is|are)|alone))?|keep\s+(?:it|everything)(?:\s+as\s+it\s+is)?)\W*$"
)
_VALIDATE = Pattern(
    rf"{_POLITE}(?:validate|verify|check)(?:\s+(?:it|this|that|the\s+(?:template|yaml|image|packages)|everything))?\W*$"
)
_DIFF = Pattern(
    rf"{_POLITE}(?:(?:show|print|display)(?:\s+me)?\s+(?:the\s+|a\s+)?(?:diff|differences?|changes?)|diff)\b"
)
_SHOW = Pattern(
    rf"{_POLITE}(?:(?:show|print|display|output|dump)(?:\s+me)?\s+(?:it|the\s+(?:whole\s+|full\s+|current\s+|complete\s+)?(?:template|yaml|file|result|draft)|yaml|everything))\W*$"
)
_SAVE = Pattern(
    rf"{_POLITE}(?:save|write|store|export)(?:\s+(?:it|this|that|the\s+(?:template|yaml|file|result)))?(?:\s+(?:as|to|in|into|under)\s+(?P<path>\"[^\"]+\"|'[^']+'|\S+))?\W*$"
)
_TALK = Pattern(r"^\W*(?:looks?\s+(?:good|great|fine|right)|thanks?|thank\s+you|thx|great|perfect|nice|cool|good|super|hello|hi|hey|good\s+(?:morning|evening|afternoon)|bye|goodbye|that'?s\s+(?:all|it|fine|perfect|great))(?:\W+\w+){0,4}\W*$")  # fmt: skip


class Meant(NamedTuple):
    """What is meant.

    Attributes:
        intent: To do what.
        steps: Of an undo: how many changes; 0 if not said so.
        turn: Of an undo: to which turn, from 1; 0 if not said so. Of an agreement: to which suggestion; 0 for all, -1 for the last.
        what: The rest of the words: what to take back, what to begin with, where to save.
    """

    intent: Intent
    steps: int = 0
    turn: int = 0
    what: str = ""


def meant(said: str, *, has_template: bool, has_suggestions: bool = False) -> Meant:
    """What is meant by something that is said in a conversation."""
    if has_suggestions and _YES.match(said):
        return Meant("accept")
    if has_suggestions and (found := _PICK.match(said)):
        word = found["which"].lower()
        return Meant("accept", turn=_PLACES[word] if word in _PLACES else int(word))
    if has_suggestions and _NO.match(said):
        return Meant("decline")
    if has_template and _SUGGEST.search(said):
        return Meant("suggest")
    if has_template and _LEAVE.match(said):
        return Meant("decline")
    if _REDO.match(said):
        return Meant("redo")
    if found := _OVER.match(said):
        rest = re.sub(
            r"^\W*(?:and|but|then|this\s+time|with|now|please|make|create|build|give\s+me|i\s+(?:want|need))*\W*",
            "",
            found["rest"],
            flags=re.IGNORECASE,
        ).strip(" .,!")
        return (
            Meant("start-over")
            if len(rest) <= 2 or _EMPTY.fullmatch(rest)
            else Meant("new", what=_remaining(found["rest"]))
        )
    if found := _UNDO.match(said):
        return _undo(
            said,
            f"{found[0][: found.start('rest')]} {found['rest']}"
            if "undo" in found["rest"].lower()
            else found["rest"],
        )
    for intent, pattern in (("validate", _VALIDATE), ("diff", _DIFF), ("show", _SHOW)):
        if pattern.match(said):
            return Meant(intent)  # type: ignore[arg-type]
    if found := _SAVE.match(said):
        return Meant("save", what=(found["path"] or "").strip("\"'"))
    if not has_template:
        return Meant("talk") if _TALK.match(said) else Meant("new")
    if _NEW.match(said) or _INTO_NEW.match(said):
        return Meant("new", what=said)
    if is_question(said):
        return Meant("question")
    return Meant("talk") if _TALK.match(said) else Meant("refinement")


_CORRECTION = Pattern(
    r"^\W*(?:(?:no|nope|wait|hold\s+on|hm+|uh|oh|oops|sorry|actually|rather|or|better|make\s+(?:it|that)|i\s+mean(?:t)?|i\s+meant|not\s+that|please|then|let'?s\s+say|say|it\s+should\s+be|should\s+be|(?P<adds>and|also|plus|as\s+well\s+as))\W+)*"
    r"[\"'`]?(?P<value>[A-Za-z0-9][\w.+-]*)[\"'`]?(?:\s?(?P<unit>[kmgt]i?b?|gigs?|gigabytes?))?"
    r"(?:\W+(?:rather|please|instead|is\s+better|would\s+be\s+better|better|then|it\s+is|too|as\s+well|also|thanks|sounds\s+better|is\s+nicer|i\s+meant?))*\W*$"
)


def correction(said: str) -> tuple[str, bool] | None:
    """The value in a few words that correct what was said before, and whether it comes beside it; `None` for anything else."""
    found = _CORRECTION.match(said)
    if not found or found["value"].lower() in _NO_VALUES:
        return None
    return f"{found['value']}{(found['unit'] or '')}", bool(found["adds"])


_NO_VALUES = frozenset(
    """undo yes no ok thanks stop help please it that this more less again bigger smaller faster done""".split()  # noqa: SIM905 - one list reads best
)


def is_consent(said: str) -> bool:
    """Return whether it only agrees or declines, to whatever."""
    return bool(_YES.match(said) or _NO.match(said))


_EMPTY = Pattern(
    r"(?:(?:and|please|again|everything|all|now|over|completely|back|to|square|one|the|from|begin|start|original|beginning|scratch|first|version|template|it|that|this|away|of|my|changes|then|anew|afresh|way|was|where|we|began|started)\b\W*)+"
)


def _remaining(rest: str) -> str:
    """What follows "start over", as a request of its own."""
    return (
        re.sub(
            r"^\W*(?:(?:and|but|then|please|this\s+time|now)\b\W*)*", "", rest, flags=re.IGNORECASE
        ).strip()
        or rest.strip()
    )


def _undo(said: str, rest: str) -> Meant:
    if found := _TURN.search(rest):
        number = (
            int(found["turn"])
            if found["turn"]
            else 1 + ["first", "second", "third", "fourth", "fifth"].index(found["nth"].lower())
        )
        return Meant("undo", turn=number)
    if found := _STEPS.search(said):
        word = " ".join((found["number"] or found["word"] or found["last"] or "1").lower().split())
        return Meant("undo", steps=int(word) if word.isdigit() else _COUNT.get(word.removeprefix("a "), 1))
    if _EVERYTHING.search(rest):
        return Meant("undo", turn=1)
    what = re.sub(
        r"\b(?:undo|revert|never|mind|nevermind|oops|was|were|wrong|back|how|way|put|before|the|that|this|it|my|last|latest|previous|most|recent|change|changes|edit|step|one|please|again|before|version|to|a|turn|modification|of|about|adding|addition|removal|removing|and|just|state|thing|i|meant|said)\b|\W",
        " ",
        rest,
        flags=re.IGNORECASE,
    )
    what = " ".join(what.split())
    return Meant("undo", steps=0 if what else 1, what=what)


_CHANGE_BEGINS = Pattern(
    r"^\W*(?:(?:please|now|then|also|and|ok|okay|can\s+you|could\s+you|would\s+you|i(?:'d|\s+would)?\s+(?:like|want)\s+(?:you\s+)?to)\b\W*)*"
    r"(?:add|install|include|put|remove|delete|drop|uninstall|take\s+out|leave\s+out|get\s+rid|change|set|switch|use|replace|swap|rename|"
    r"resize|increase|decrease|grow|shrink|enlarge|reduce|make\s+(?:it|the|this|that|them)|enable|disable|turn|move|give|create\s+a\s+(?:user|partition)|"
    r"undo|revert|go\s+back|bump|raise|lower|double|halve|expand|update|upgrade|downgrade|pin|mount|split|configure|call\s+it|name\s+it|"
    r"what|which|how\s+(?:many|big|large)|why|does|is|are|list|show|explain|summari[sz]e|describe|validate|check|save)\b"
)
_ANOTHER = Pattern(
    r"\b(?:start(?:ing)?\s+(?:over|again|afresh|anew|from\s+scratch)|from\s+the\s+beginning|forget\s+(?:it|that|this|everything|all)|"
    r"(?:a|another|one)\s+(?:completely\s+|totally\s+|whole\s+)?new\s+(?:one|image|template|recipe|system)|(?:make|build|create|generate|give|find|show|get)\s+(?:me\s+)?"
    r"(?:an?other|a\s+new|a\s+different|an?\b(?!\s+(?:user|partition|swap|separate|account|group|repository|file|hostname)))(?:[^.;]*\b(?:image|template|recipe|iso|installer|one|system|server|desktop)\b)|"
    r"something\s+(?:else|different)|different\s+(?:image|template))"
)
"""How a change of the template in work, or a question about it, begins; and how something new is asked for."""


def is_change(query: str) -> bool:
    """Return whether a request asks to change, or asks about, the template in work, instead of asking for a new one."""
    return bool(_CHANGE_BEGINS.match(query)) and not _ANOTHER.search(query) and not _INTO_NEW.match(query)


_ASKS = Pattern(
    r"^\W*(?:(?:so|and|ok|okay|well|hm+|but|please)\W+)*(?:what|which|how\s+(?:many|much|big|large)|how\s+does|why|who|where|does|do|is|are|has|have|was|will|list|show|display|print|explain|summari[sz]e|describe|"
    r"tell\s+me|give\s+me\s+(?:a|an|the)\s+(?:summary|overview|list|explanation)|can\s+(?:i|you\s+(?:show|tell|list|explain|summari[sz]e|describe))|could\s+you\s+(?:show|tell|list|explain|summari[sz]e|describe)|summary|overview)\b"
)
_ORDERS = Pattern(
    r"^\W*(?:can|could|would|will)\s+(?:you|we)\s+(?:please\s+|also\s+)?(?!show|tell|list|explain|summari|describe)|^\W*(?:can|could|would|should|may|shall)\s+(?:the\s+|it\s|this\s)[^?]{0,40}?\b(?:be|have|get|become|use|run)\b|^\W*(?:is\s+it\s+possible\s+to|would\s+it\s+be\s+possible\s+to|i(?:'d|\s+would)\s+like\s+(?:you\s+)?to|please)\s+"
)


def is_question(said: str) -> bool:
    """Return whether something that is said asks about the template, instead of asking for a change."""
    if _ORDERS.match(said) or re.search(
        r"[,.]\s*(?:please|would you|could you|will you|can you|ok|okay|alright)\s*\?\W*$",
        said,
        re.IGNORECASE,
    ):
        return False
    if re.match(r"^\W*(?:what|how)\s+about\b|^\W*why\s+not\s+(?:use|add)\b", said, re.IGNORECASE):
        return False
    return bool(_ASKS.match(said)) or (
        said.rstrip().endswith("?")
        and not re.match(
            r"^\W*(?:add|remove|change|set|make|use|replace|install|rename)\b", said, re.IGNORECASE
        )
    )
