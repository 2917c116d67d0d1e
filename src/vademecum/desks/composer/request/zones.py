"""Read the time zone, the locale and the layout of the keyboard."""

import re
from functools import cache
from itertools import pairwise
from pathlib import Path
from zoneinfo import TZPATH, available_timezones

from vademecum.desks.composer.request.frames import Frame, is_open, value_after
from vademecum.desks.composer.request.words.word import Word


def read_zone(frame: Frame, sentence: list[Word]) -> None:
    """Make a wish of a time zone: by its name, or by a city next to words for time."""
    for word in sentence:
        if is_open(word) and word.term.token.kind == "zone":
            heads = [
                other
                for other in sentence
                if is_open(other) and other.term.means("field", "timezone") and other.segment == word.segment
            ]
            frame.wish("timezone", word.term.text, [word, *heads], wanted=True)
    heads = [
        word
        for word in sentence
        if is_open(word) and (word.term.means("field", "timezone") or word.norm in {"clock", "clocks"})
    ]
    near = [word for word in frame.words if abs(word.sentence - sentence[0].sentence) <= 1] if heads else []
    cities = [
        word
        for word in near
        if is_open(word) and not word.term.senses and word.term.text[:1].isupper() and zone_of(word.term.text)
    ]
    for first, second in pairwise(near):  # "New York"
        both = f"{first.term.text} {second.term.text}"
        if is_open(first) and is_open(second) and first.term.text[:1].isupper() and zone_of(both):
            frame.wish("timezone", zone_of(both), [heads[0], first, second], wanted=True)
            for word in heads:
                word.used = True
            return
    if heads and len(cities) == 1 and not any(word.term.token.kind == "zone" for word in near):
        frame.wish("timezone", zone_of(cities[0].term.text), [heads[0], cities[0]], wanted=True)
        for word in heads:
            word.used = True
    for at, word in enumerate(sentence):
        if not is_open(word) or not word.term.means("field", "timezone"):
            continue
        place = value_after(sentence, at)
        value = sentence[place] if place is not None else None
        zone = zone_of(value.term.token.text) if value is not None and is_open(value) else ""
        if value is not None and zone:
            frame.wish("timezone", zone, [word, value], wanted=True)
        elif word.wanted:
            frame.unclear("Which time zone? Say it as in Europe/Vienna.", [word, *([value] if value else [])])


_LAYOUTS = {
    "german": "de", "germany": "de", "austrian": "at", "swiss": "ch", "french": "fr", "us": "us", "american": "us", "uk": "gb", "british": "gb", "spanish": "es",
    "italian": "it", "portuguese": "pt", "brazilian": "br", "brazil": "br", "dutch": "nl", "belgian": "be", "polish": "pl", "swedish": "se", "danish": "dk",
    "norwegian": "no", "finnish": "fi", "czech": "cz", "hungarian": "hu", "turkish": "tr", "russian": "ru", "japanese": "jp",
}  # fmt: skip
"""Layouts of keyboards, by the names of languages and countries."""


def read_locality(frame: Frame, sentence: list[Word]) -> None:
    """Make wishes of a locale, by its code, and of a layout of the keyboard, by its code or language."""
    for word in sentence:
        if not is_open(word):
            continue
        if LOCALE.fullmatch(word.term.text):
            heads = [other for other in sentence if other.term.means("field", "locale") and is_open(other)]
            frame.wish("setting", word.term.text, [word, *heads], wanted=True, name="locale")
        elif word.term.means("field", "keyboard"):
            near = [
                other
                for other in sentence
                if other.clause == word.clause and not other.used and other is not word
            ]
            named = [other for other in near if other.norm in _LAYOUTS or other.norm in _LAYOUTS.values()]
            if named:
                layout = _LAYOUTS.get(named[-1].norm, named[-1].norm)
                frame.wish("setting", layout, [word, *named], wanted=True, name="keyboard")
            elif word.wanted:
                frame.unclear("Which layout of the keyboard? Say it by its code, as in us.", [word])
        elif setting := word.term.sense("setting"):
            frame.wish("setting", "", [word], wanted=True, name=setting.value)
    for word in sentence:
        if is_open(word) and word.term.means("field", "locale"):
            frame.unclear("Which locale? Say it by its code, as in en_GB.UTF-8.", [word])


LOCALE = re.compile(r"[a-z]{2,3}_[A-Z]{2}(?:\.(?:UTF-8|utf8))?|C\.UTF-8|POSIX")


def zone_of(name: str) -> str:
    """The zone of a city, or of a country that has one only; "" if there is none."""
    if zone := _countries().get(name.lower()):
        return zone
    wanted = name.replace(" ", "_").lower()
    if wanted in {"utc", "gmt"}:
        return wanted.upper()
    found = sorted(
        zone
        for zone in available_timezones()
        if zone.lower().rpartition("/")[2] == wanted
        and "/" in zone
        and not zone.startswith(("posix", "right"))
    )
    return found[0] if found else ""


@cache
def _countries() -> dict[str, str]:
    """The zones of the countries that have one, by their names in English; empty where the system does not list them."""
    folder = next((Path(path) for path in TZPATH if Path(path, "iso3166.tab").is_file()), None)
    if folder is None or not (folder / "zone1970.tab").is_file():
        return {}
    names = dict(_rows(folder / "iso3166.tab"))
    zones: dict[str, set[str]] = {}
    for codes, _, zone, *_ in _rows(folder / "zone1970.tab"):
        for code in codes.split(","):
            zones.setdefault(code, set()).add(zone)
    return {
        names[code].lower(): min(found) for code, found in zones.items() if len(found) == 1 and code in names
    }


def _rows(file: Path) -> list[list[str]]:
    return [
        line.split("\t") for line in file.read_text("utf-8").splitlines() if line and not line.startswith("#")
    ]
