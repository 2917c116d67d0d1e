"""Detect requests that need no reasoning template, by their wording. The classifier uses this as a feature."""

import re

_I = re.IGNORECASE
_LOOKED_AT = 300

KINDS = {
    "talk": re.compile(
        r"^\W*(?:hi|hello|hey|hiya|yo|good (?:morning|evening|night|day|afternoon)|thanks?|thank you|cheers|bye|"
        r"good ?bye|see you|ok(?:ay)?|k|yes|no|lol|haha|sorry|please|who are you|are you|what(?:'s| is) your|"
        r"how are you|do you (?:like|have|sleep|know))\b.{0,40}$",
        _I,
    ),
    "sum": re.compile(
        r"^(?=.*\d)(?:[\d\s.,%+*/x×÷^=()?!'-]|\b(?:what|whats|s|is|calculate|compute|add|subtract|multiply|divide|square|"
        r"cube|root|of|and|plus|minus|times|by|to|from|percent)\b)+$",
        _I,
    ),
    "fact": re.compile(
        r"^(?:who (?:is|was|wrote|invented|painted|discovered|founded|directed|said|won|played|plays|coined)|"
        r"when (?:was|is|did|does)|where (?:is|was|can i (?:buy|find))|what year|which (?:city|river|country|year)|"
        r"capital of|population of|definition of|define|meaning of|plural of|"
        r"how many (?:\w*seconds|minutes|hours|days|weeks|months|years|\w*grams?|ounces|pounds|inches|feet|yards|"
        r"\w*met(?:er|re)s|miles|\w*lit(?:er|re)s|cups|bits|bytes) (?:are |is |make )?(?:there )?(?:in )?(?:a|an|one)\b|"
        r"how (?:tall|high|old|far|do you (?:say|spell|pronounce)|is \w+ pronounced))\b",
        _I,
    ),
    "word": re.compile(
        r"\b(?:stands? for|the word|translate|pronounced?|spell(?:ing)?|synonym|singular|plural|abbreviation|rhymes?|"
        r"past tense|into (?:spanish|french|german|portuguese|italian|polish|english|latin|dutch|finnish|japanese))\b",
        _I,
    ),
    "errand": re.compile(
        r"^(?:please )?(?:turn|switch|remind|call|open|close|play|send|book|order|buy|set|show|navigate|save|delete|"
        r"print|mute|stop|reserve|forward|log|take|zoom|add \w+ to)\b",
        _I,
    ),
    "writing": re.compile(
        r"^(?:please )?(?:write|compose|continue|tell me a|make (?:a|up|this)|sing|rewrite|correct|fix the|convert (?:this|the)|"
        r"put this|format|rephrase|proofread|generate a)\b",
        _I,
    ),
    "syntax": re.compile(
        r"\b(?:syntax|regex|regular expression|css|html tag|command (?:to|for)|shortcut|excel formula)\b|"
        r"^how (?:do|to|can) (?:i |you )?(?:\w+ ){1,5}in (?:python|java|javascript|c|ruby|go|rust|bash|sql|excel)\W*$",
        _I,
    ),
}
"""By name: small talk; a sum; a fact to look up; a matter of words; an errand; a text to be written; syntax to look up."""


def kinds_of(problem: str) -> tuple[float, ...]:
    """1.0 for each kind, in the order of `KINDS`, that the problem is of; else 0.0."""
    text = " ".join(problem[:_LOOKED_AT].split())
    return tuple(float(pattern.search(text) is not None) for pattern in KINDS.values())


_ABOUT = re.compile(r"^\W*(?:what|who|when|where|which|define|explain what|is|was)\b", _I)


def asks_about(problem: str) -> bool:
    """Return whether a problem that names a method rather asks about it (`What is ...`) than to use it."""
    return _ABOUT.search(problem) is not None or any(kinds_of(problem))
