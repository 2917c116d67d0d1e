"""Quantities that answer a word without containing it: `£48` answers `cost`, and `30 °C` answers `warm`.

Each kind is an artificial term. A text has the term if it states a value of that kind.
"""

import re
from typing import NamedTuple

from vademecum.text.patterns import Pattern
from vademecum.text.words import number, stem

_I = re.IGNORECASE
_N = r"\d[\d.,]*\s?"
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_NUMBER = (
    rf"(?:(?:{_TENS})-)?(?:one|two|three|four|five|six|seven|eight|nine)|ten|eleven|twelve|"
    rf"(?:thir|four|fif|six|seven|eigh|nine)teen|{_TENS}|hundred|thousand"
)


def _of(words: str, signs: str) -> str:
    """Return a pattern of a number with a unit: digits before a word or sign, or number words before a word."""
    return rf"{_N}(?:{words}|{signs})\b|\b(?:{_NUMBER})[ -](?:{words})\b"


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
    "temperature": _quantity(
        "temperature warm hot cold cool heat degree thermostat",
        rf"{_N}°|{_of('degrees?|celsius|fahrenheit', '[CF]')}",
    ),
    "length": _quantity(
        "length long width wide height high tall thick thickness deep depth size far distance diameter gap clearance big large dimension radius spacing level",
        rf"{_of('(?:kilo|centi|milli)?met(?:re|er)s?|inch(?:es)?|feet|foot|miles?|yards?', 'mm|cm|m|km|ft')}|\d\"",
    ),
    "weight": _quantity(
        "much weight heavy weigh mass heavier load",
        _of("grams?|kilos?|kilograms?|tons?|tonnes?|pounds?|ounces?", "kg|g|mg|lbs?|oz"),
    ),
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
    "phone": _quantity(
        "phone telephone call ring contact reach mobile number extension",
        r"\+?\d[\d /()-]{6,}\d|\bext(?:ension)?\.?\s?\d+|\bext\b",
    ),
    "mail": _quantity("mail email contact write send reach address", r"\b[\w.+-]+@[\w-]+\.\w+"),
    "age": _quantity(
        "old age born birthday young",
        rf"{_N}(?:years? old|months? old|weeks? old)|\baged?\s\d|\bborn\b|\bborn in\b",
    ),
    "share": _quantity(
        "share percentage percent discount ratio interest proportion rate",
        r"\d\s?%|\bper ?cent\b|\bhalf\b|\bthird\b|\b\d+:\d+\b",
    ),
    "speed": _quantity(
        "speed fast quick wind rpm spin", rf"{_N}(?:km/h|mph|knots?|kn|m/s|rpm|fps|bpm|mbit|gbit)\b"
    ),
    "storage": _quantity("storage disk memory size space capacity ram quota", rf"{_N}(?:[kmgt]i?b|bytes?)\b"),
    "power": _quantity(
        "power watt wattage voltage volt amp current fuse", rf"{_N}(?:k?wh?|watts?|volts?|v|a|amps?|mah|ah)\b"
    ),
    "pressure": _quantity("pressure tyre inflate psi bar", rf"{_N}(?:bar|psi|hpa|mbar|kpa)\b"),
    "loudness": _quantity("loud loudness volume noise level", r"-?\d[\d.]*\s?(?:db|lufs|dbfs)\b"),
    "code": _quantity(
        "code pin password combination key number id policy reference ref licence license registration model serial account",
        r"\b\d{4,}\b|\b[A-Z]{1,4}[ -]?\d[\w-]*|\b\w*\d\w*-\w+\b|\b\d\d[-/ ]\d\d\b",
        0,
    ),
    "path": _quantity(
        "file folder directory path script command run log config",
        r"(?<!\w)[~.]?/[\w.-]+|\b\w+\.(?:md|txt|sh|py|yml|yaml|conf|log|pdf|csv|xlsx?)\b|`",
    ),
    "count": _quantity(
        "many number count total often people player seat copies",
        r"\b\d{1,3}\b|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|once|twice)\b",
    ),
}
"""The kinds by name. A word can ask for several kinds: "how long" asks for a duration or a length."""

_NUMBERS = {name: number(f"\0{name}") for name in QUANTITIES}


def asked_by(term: str) -> dict[int, re.Pattern[str]]:
    """Return the kinds that a term asks for: their term numbers and patterns."""
    return {
        _NUMBERS[name]: quantity.stated for name, quantity in QUANTITIES.items() if term in quantity.asked
    }
