"""Read the options, modules, version and serial console of the kernel."""

import re
from collections.abc import Sequence

from vademecum.desks.composer.request.frames import Frame, is_open, value_after
from vademecum.desks.composer.request.words.vocabulary import section
from vademecum.desks.composer.request.words.word import Word


def read_kernel(frame: Frame, sentence: list[Word]) -> None:
    """Make wishes of what a sentence says of the kernel."""
    for at, word in enumerate(sentence):
        if not is_open(word):
            continue
        if word.term.token.kind == "option" and not word.term.senses and _is_parameter(frame, sentence, word):
            frame.wish("kernel_option", word.term.text, [word], wanted=word.wanted)
        elif word.term.means("field", "module"):
            _modules(frame, sentence, at)
        elif word.term.means("field", "kernel"):
            place = value_after(sentence, at)
            if place is not None and sentence[place].term.token.kind == "version":
                frame.wish(
                    "kernel_version",
                    sentence[place].norm.removeprefix("v"),
                    [word, sentence[place]],
                    wanted=sentence[place].wanted,
                )
        elif word.term.has("kernel_key"):
            _keyed(frame, sentence, at)
    if any(word.term.means("field", "cmdline") for word in sentence):
        _line_options(frame, sentence)
    for word in sentence:
        if not is_open(word) or word.term.token.kind != "word":
            continue
        if word.term.text in frame.context.options and (not word.wanted or not word.term.senses):
            frame.wish("kernel_option", word.term.text, [word])
        elif word.term.text in frame.context.modules and (not word.wanted or not word.term.senses):
            frame.wish("kernel_module", word.term.text, [word])
    _serial(frame, sentence)
    _loaded(frame, sentence)
    has_cmdline = any(word.term.means("field", "cmdline", "kernel") for word in sentence)
    for word in sentence:
        if is_open(word) and (sense := word.term.sense("kernel_word")):
            negative = (
                "=" in sense.value
                and not sense.value.startswith("console")
                and re.match(r"(?:no|without|disable|mitigations|ipv6)\b", word.norm)
            )
            frame.wish(
                "kernel_option", sense.value, [word], wanted=True if negative and word.wanted else word.wanted
            )
    for word in sentence:
        if is_open(word) and word.term.means("field", "cmdline") and has_cmdline:
            word.used = True


def _is_parameter(frame: Frame, sentence: Sequence[Word], word: Word) -> bool:
    """Return whether `key=value` is on the kernel's command line: a key that is known or a module's, or one near a word for the kernel."""
    key = word.term.text.partition("=")[0]
    is_known = "." in key or key.lower() in section("kernel_parameter") or key in frame.context.options
    return is_known or any(
        other.term.means("field", "cmdline", "kernel") or other.norm in _LINE for other in sentence
    )


_LINE = frozenset(["append", "kargs", "boot", "booted", "boots"])


def _serial(frame: Frame, sentence: list[Word]) -> None:
    """As in "the serial console on ttyS1 at 57600 baud"."""
    heads = [
        word
        for word in sentence
        if is_open(word)
        and (word.term.means("kernel_word", "console=ttyS0,115200") or word.norm == "console")
    ]
    ports = [word for word in sentence if is_open(word) and word.term.has("serial")]
    rates = [word for word in sentence if is_open(word) and word.norm in _RATES]
    if heads and (ports or rates):
        port = ports[0].term.text if ports else "ttyS0"
        rate = rates[0].norm if rates else "115200"
        value = f"console={port},{rate}"
        frame.wish("kernel_option", value, [*heads, *ports, *rates], wanted=heads[0].wanted, op="set")
        for word in sentence:
            word.used = word.used or word.norm == "baud"


_RATES = frozenset(
    ["1200", "2400", "4800", "9600", "19200", "38400", "57600", "115200", "230400", "460800", "921600"]
)
_OPTION = re.compile(r"[A-Za-z][\w.-]*(?:=[\w.,:/@%+*-]*)?")


def _line_options(frame: Frame, sentence: list[Word]) -> None:
    """Quoted options, and names with a dot, where the kernel's command line is spoken of."""
    for word in sentence:
        if not is_open(word) or word.term.has("field"):
            continue
        if word.term.token.kind == "quoted":
            options = word.term.token.text.split()
            if options and all(_OPTION.fullmatch(option) for option in options):
                for option in options:
                    frame.wish("kernel_option", option, [word], wanted=word.wanted)
            else:
                frame.unclear(f"{word.term.token.text[:60]} is not an option of the kernel.", [word])
        elif (
            word.term.token.kind == "word"
            and "." in word.norm
            and (not word.term.senses or word.norm in frame.context.options)
        ):
            frame.wish("kernel_option", word.term.text, [word], wanted=word.wanted)


def _keyed(frame: Frame, sentence: list[Word], at: int) -> None:
    """`loglevel 3 instead of 7`, `isolated cores 4-7`."""
    word = sentence[at]
    sense = word.term.sense("kernel_key")
    key = sense.value if sense else ""
    if key == "modprobe.blacklist":
        name = next(
            (
                other
                for other in sentence[at + 1 : at + 3]
                if other.segment == word.segment
                and other.term.token.kind == "word"
                and not other.term.has("filler", "article")
            ),
            None,
        )
        if name is not None:
            wanted = word.wanted or word.norm == "do not load"
            frame.wish("kernel_option", f"{key}={name.term.text.lower()}", [word, name], wanted=wanted)
        return
    numbers: list[Word] = []
    for other in sentence[at + 1 :]:
        if (
            other.term.token.kind in {"number", "version"}
            and not other.used
            and (other.segment == word.segment or (numbers and other.joint in {",", "and"}))
        ):
            numbers.append(other)
        elif numbers or not other.term.has("filler", "copula"):
            break
    if not numbers:
        return
    for place, other in enumerate(sentence):
        if (
            other.term.token.kind == "number"
            and not other.used
            and place > 1
            and (
                sentence[place - 1].norm == "instead of"
                or (sentence[place - 2].norm == "instead" and sentence[place - 1].norm == "of")
            )
        ):
            other.used = True  # what it was before
    text = frame.text[numbers[0].term.start : numbers[-1].term.end]
    value = re.sub(r"\s*(?:to|–|-)\s*", "-", text) if key != "loglevel" else numbers[0].norm
    value = re.sub(r"\s*(?:,|and)\s*", ",", value)
    if not re.fullmatch(r"[\d,-]+", value):
        return
    frame.wish("kernel_option", f"{key}={value}", [word, *numbers], wanted=word.wanted, op="set")


_AT_BOOT = ("at boot", "on boot", "at startup", "at start", "at each start", "at every start")


def _loaded(frame: Frame, sentence: list[Word]) -> None:
    """As in "load 8021q at boot"."""
    for at, word in enumerate(sentence):
        if word.norm not in {"load", "loads"} or at + 1 >= len(sentence):
            continue
        names: list[Word] = []
        for other in sentence[at + 1 :]:
            if other.norm == "and":
                continue
            if not is_open(other) or other.term.token.kind != "word" or other.term.has("filler", "field"):
                break
            names.append(other)
        behind = frame.text[names[-1].term.end :].strip().lower() if names else ""
        if behind.startswith(_AT_BOOT) or all(
            re.fullmatch(r"[a-z0-9]+(?:[_-][a-z0-9]+)+", name.norm) for name in names
        ):
            for name in names:
                frame.wish("kernel_module", name.norm, [name])
    for word in sentence:  # "vfio-pci at boot"
        is_unknown = (
            is_open(word)
            and (not word.term.senses or word.term.has("family"))
            and word.term.token.kind == "word"
        )
        if (
            is_unknown
            and re.search(r"[_-]", word.norm)
            and frame.text[word.term.end :].strip().lower().startswith(_AT_BOOT)
        ):
            frame.wish("kernel_module", word.norm, [word])


_NO_MODULE = ("filler", "article", "verb", "field", "negator", "copula", "version", "distribution", "package")
"""Kinds of words that are not the name of a module before "modules"."""


def _modules(frame: Frame, sentence: list[Word], at: int) -> None:
    word = sentence[at]
    names: list[Word] = []
    for other in sentence[at + 1 :]:
        behind = frame.text[other.term.end :].lstrip().lower()
        is_listed = word.norm in {"module", "modules"} and behind.startswith(
            (",", "and ")
        )  # "modules can and vcan"
        if other.norm == "and" or (
            not names and other.term.has("filler", "copula", "verb") and other.joint != ":" and not is_listed
        ):
            continue
        if (
            other.used
            or other.term.token.kind != "word"
            or other.term.has(
                "version", "distribution", "field", "kernel_key", "flag", "on", "off", "verb", "negator"
            )
            or (names and (other.segment == names[-1].segment or other.joint not in {",", "and"}))
        ):
            break
        names.append(other)
    if word.norm == "modules at boot":
        word.used = True
    if not names and at and "module" in word.norm:
        before = sentence[at - 1]
        if (
            before.segment == word.segment
            and is_open(before)
            and before.term.token.kind == "word"
            and not before.term.has(*_NO_MODULE)
        ):
            names = [before]
            for other in reversed(sentence[: at - 1]):
                if other.norm == "and":
                    continue
                if (
                    other.segment == names[-1].segment
                    or other.joint not in {",", "and", ""}
                    or not is_open(other)
                    or other.term.token.kind != "word"
                    or other.term.has(*_NO_MODULE)
                ):
                    break
                names.append(other)
    names = [name for name in names if not name.term.has("filler", "on", "off", "verb")]
    if not names:  # "i2c-dev among the modules loaded at boot"
        own = [other for other in sentence[:at] if other.segment == word.segment and is_open(other)]
        names = [
            other
            for other in own
            if other.term.token.kind == "word" and (not other.term.senses or other.term.has("family"))
        ][-1:]
    for name in names:
        frame.wish("kernel_module", name.term.text.lower(), [name], wanted=name.wanted and word.wanted)
    word.used = bool(names)
