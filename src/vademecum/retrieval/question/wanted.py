"""The kinds of answers that a question asks for, by its words, and how a text states them: an instruction, an amount, a person, a reason.

A book about a thing may not say what it weighs, what it costs or who made it. So the standard for an amount, a name, a date
or an instruction is higher than for a reason or a yes. The calibration of running text learns the difference. A value answers a
word without containing it: `£48` answers `cost`, and `30 °C` answers `warm`.
"""

import re
from typing import NamedTuple

from vademecum.retrieval.question.phrases import phrases_of, says, spoken
from vademecum.text.patterns import Pattern
from vademecum.text.words import number, numbers_in, stem

_I = re.IGNORECASE
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

NAMES = ("way", "yes_no", *phrases_of("wants"))
"""All kinds, in the order of `answer_kinds`."""


def answer_kinds(text: str) -> tuple[bool, ...]:
    """Return for each of `NAMES` whether a question asks for it; often none, sometimes several.

    >>> [name for name, wanted in zip(NAMES, answer_kinds("Rename a model"), strict=True) if wanted]
    ['way']
    """
    asks = bool(_YES_NO.search(text))
    said = spoken(text)
    is_request = not asks and not _ASKING.search(text) and says(said, phrases_of("instructions")["verbs"])
    wanted = {kind: says(said, phrases) for kind, phrases in phrases_of("wants").items()}
    wanted["money"] |= bool(_PRICE.search(text))
    return is_request or bool(_WAY.search(text)), asks, *wanted.values()


def asks_way(text: str) -> bool:
    """Return whether a question asks how to do something, so that its answer is a procedure."""
    return answer_kinds(text)[NAMES.index("way")]


_SIDES = Pattern(r"((?:[\w./+-]+ ){0,2}\S+) (?:vs\.?|versus|and|or|than|from|with|to) (\S+(?: \S+){0,2})")
_BETWEEN_SIDES = Pattern(r"\b(?:between|compar\w+)\b")


def compared(text: str) -> tuple[frozenset[int], ...]:
    """Return the terms that belong to only one of the two sides of a comparison, for each side; empty for other questions."""
    asks = phrases_of("wants")["comparison"]
    if not says(spoken(text), asks):
        return ()
    named = _BETWEEN_SIDES.search(text)
    found = _SIDES.search(text, named.end() if named else 0)
    if not found:
        return ()
    one, other = (
        frozenset(numbers_in(" ".join(word for word in side.split() if not says(spoken(word), asks))))
        for side in found.groups()
    )
    return (one - other, other - one) if one - other and other - one else ()


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


# --- forms of answers -------------------------------------------------------------------------------------------------

_NUMBER_WORDS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|half|once|twice|daily|weekly|monthly|yearly|every|each"
_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_DAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"

_NUMBER = Pattern(rf"\d|[£€$%°]|\b(?:{_NUMBER_WORDS})\b")
_TIME = Pattern(
    rf"\b\d{{1,2}}[:.]\d\d\b|\b\d{{1,2}} ?[ap]\.?m\b|\b(?:{_MONTHS})\b|\b{_DAYS}|\b(?:19|20)\d\d\b|\b(?:day|week|month|year|hour|minute|night|"
    rf"morning|evening|afternoon|noon|midnight|weekend|spring|summer|autumn|winter|before|after|until|daily|weekly|monthly)s?\b|\d(?:st|nd|rd|th)\b"
)
_NAME = Pattern(r"(?<![.!?:•] )(?<!^)\b[A-Z][\w’'-]+", flags=0)
_PLACE = Pattern(
    r"\b(?:in|at|on|under|behind|inside|beside|above|below|near|next to|from|opposite|by|between|outside|upstairs|downstairs) (?:the|a|an|our|my|your|its|[A-Z])\b|"
    r"\b(?:drawer|shelf|cupboard|room|box|door|cellar|office|street|road|floor|cabinet|fridge)\b|[\w.~-]*/\w+/"
)
_REASON = Pattern(
    r"\b(?:because|since|so that|otherwise|as it|due to|that way|therefore|reason|or else|else)\b|\bso\b|\bto avoid\b"
)
_MEANS = Pattern(r"\b(?:is|are|means|stands for|refers to|called)\b|^[^.:]{1,40}: ")
FORMS = {
    "number": _NUMBER,
    "time": _TIME,
    "person": _NAME,
    "place": _PLACE,
    "reason": _REASON,
    "meaning": _MEANS,
}
"""The patterns of answers, by the group `asks` of the phrases."""


def asked_forms(text: str) -> dict[str, bool]:
    """Return for each of `FORMS` whether a question asks for it."""
    said = spoken(text)
    return {form: says(said, phrases) for form, phrases in phrases_of("asks").items()}


# --- values -----------------------------------------------------------------------------------------------------------

_N = r"\d[\d.,]*\s?"
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_NUMBER_NAME = (
    rf"(?:(?:{_TENS})-)?(?:one|two|three|four|five|six|seven|eight|nine)|ten|eleven|twelve|"
    rf"(?:thir|four|fif|six|seven|eigh|nine)teen|{_TENS}|hundred|thousand"
)


def _of(words: str, signs: str) -> str:
    """Return a pattern of a number with a unit: digits before a word or sign, or number words before a word."""
    return rf"{_N}(?:{words}|{signs})\b|\b(?:{_NUMBER_NAME})[ -](?:{words})\b"


_TIMES = "seconds?|minutes?|mins?|hours?|days?|nights?|weeks?|months?|years?"


class Quantity(NamedTuple):
    """A kind of value: the words that ask for it, and the pattern that states it."""

    asked: frozenset[str]
    stated: re.Pattern[str]


def _quantity(asked: str, stated: str, flags: int = _I) -> Quantity:
    return Quantity(frozenset(map(stem, asked.split())), Pattern(stated, flags))


QUANTITIES = {
    "money": _quantity(
        "much cost price pay paid fee charge expensive cheap rent deposit budget money spend earn wage salary fine rate bill worth dues refund",
        rf"[£€$¥]\s?\d|{_of('euros?|dollars?|pounds?|cents?|pence|francs?|crowns?', 'kr|eur|usd|gbp|chf')}|\bfree of charge\b|\bfor free\b|\bcosts? (?:about |around )?\d|"
        rf"\b(?:costs?|price|fee|rent|deposit|budget|charges?|pays?|paid)\b[^.\n]{{0,30}}\d",
    ),
    "temperature": _quantity("temperature warm hot cold cool heat degree thermostat", rf"{_N}°|{_of('degrees?|celsius|fahrenheit', '[CF]')}"),
    "length": _quantity(
        "length long width wide height high tall thick thickness deep depth size far distance diameter gap clearance big large dimension radius spacing level",
        rf"{_of('(?:kilo|centi|milli)?met(?:re|er)s?|inch(?:es)?|feet|foot|miles?|yards?', 'mm|cm|m|km|ft')}|\d\"",
    ),
    "weight": _quantity("much weight heavy weigh mass heavier load", _of("grams?|kilos?|kilograms?|tons?|tonnes?|pounds?|ounces?", "kg|g|mg|lbs?|oz")),
    "volume": _quantity(
        "much dose dosage volume amount fill water milk litre capacity quantity",
        _of(
            "litres?|liters?|cups?|tablespoons?|teaspoons?|drops?|tablets?|pills?|gallons?|pints?",
            "ml|cl|dl|l|tbsp|tsp|mg",
        ),
    ),
    "duration": _quantity(
        "long last duration wait period notice late early soon quick quickly time warranty valid expire lead",
        _of(_TIMES, "h|min|s") + rf"|\b(?:an?|half an?|several|couple of) (?:{_TIMES})\b",
    ),
    "clock": _quantity(
        "time hour open close late early start begin arrive leave depart departure arrival end finish",
        r"\b\d{1,2}[:.h]\d\d\b|\b\d{1,2}\s?(?:am|pm|o'clock|uhr)\b|\b(?:noon|midnight|midday)\b|\bhalf past\b|\bquarter (?:to|past)\b|\bat (?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b",
    ),
    "date": _quantity(
        "date day deadline due expire month year birthday weekday week until season",
        r"\b\d{1,2}(?:st|nd|rd|th)?\s(?:of\s)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*|\b(?:jan|feb|mar|apr|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b|\bMay\b|"
        r"\b\d{4}-\d\d-\d\d\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:19|20)\d\d\b|\b\d{1,2}(?:st|nd|rd|th)\b",
    ),
    "phone": _quantity("phone telephone call ring contact reach mobile number extension", r"\+?\d[\d /()-]{6,}\d|\bext(?:ension)?\.?\s?\d+|\bext\b"),
    "mail": _quantity("mail email contact write send reach address", r"\b[\w.+-]+@[\w-]+\.\w+"),
    "age": _quantity("old age born birthday young", rf"{_N}(?:years? old|months? old|weeks? old)|\baged?\s\d|\bborn\b|\bborn in\b"),
    "share": _quantity("share percentage percent discount ratio interest proportion rate", r"\d\s?%|\bper ?cent\b|\bhalf\b|\bthird\b|\b\d+:\d+\b"),
    "speed": _quantity("speed fast quick wind rpm spin", rf"{_N}(?:km/h|mph|knots?|kn|m/s|rpm|fps|bpm|mbit|gbit)\b"),
    "storage": _quantity("storage disk memory size space capacity ram quota", rf"{_N}(?:[kmgt]i?b|bytes?)\b"),
    "power": _quantity("power watt wattage voltage volt amp current fuse", rf"{_N}(?:k?wh?|watts?|volts?|v|a|amps?|mah|ah)\b"),
    "pressure": _quantity("pressure tyre inflate psi bar", rf"{_N}(?:bar|psi|hpa|mbar|kpa)\b"),
    "loudness": _quantity("loud loudness volume noise level", r"-?\d[\d.]*\s?(?:db|lufs|dbfs)\b"),
    "code": _quantity(
        "code pin password combination key number id policy reference ref licence license registration model serial account",
        r"\b\d{4,}\b|\b[A-Z]{1,4}[ -]?\d[\w-]*|\b\w*\d\w*-\w+\b|\b\d\d[-/ ]\d\d\b",
        0,
    ),
    "path": _quantity("file folder directory path script command run log config", r"(?<!\w)[~.]?/[\w.-]+|\b\w+\.(?:md|txt|sh|py|yml|yaml|conf|log|pdf|csv|xlsx?)\b|`"),
    "count": _quantity(
        "many number count total often people player seat copies",
        r"\b\d{1,3}\b|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|once|twice)\b",
    ),
}  # fmt: skip
"""The kinds by name. A word can ask for several kinds: "how long" asks for a duration or a length."""

_NUMBERS = {name: number(f"\0{name}") for name in QUANTITIES}


def asked_by(term: str) -> dict[int, re.Pattern[str]]:
    """Return the kinds that a term asks for: their term numbers and patterns."""
    return {
        _NUMBERS[name]: quantity.stated for name, quantity in QUANTITIES.items() if term in quantity.asked
    }
