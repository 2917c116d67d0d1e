"""Names, kernel, files, repositories, services and time zone of a request: a word of the vocabulary, and the value next to it."""

import re
from zoneinfo import available_timezones

from vademecum.desks.composer.request.clauses import Word
from vademecum.desks.composer.request.frames import Frame, is_open, value_after
from vademecum.desks.composer.wish import Kind

_HOSTNAME = re.compile(
    r"(?=.{1,253}$)[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}))*", re.ASCII
)
_IMAGE_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_-]*[A-Za-z0-9])?", re.ASCII)
_IMAGE_VERSION = re.compile(r"[0-9]+(?:\.[0-9A-Za-z-]+){0,2}(?:\+[0-9A-Za-z.-]+)?", re.ASCII)
_BAD_VALUES = (
    "filler",
    "article",
    "negator",
    "conjunction",
    "correction",
    "hedge",
    "on",
    "off",
    "verb",
    "removal",
)


def read_fields(frame: Frame) -> None:
    """Make wishes of all fields that have a value next to them."""
    for sentence in frame.sentences():
        _kernel(frame, sentence)
        _repositories(frame, sentence)
        _files(frame, sentence)
        _names(frame, sentence)
        _zone(frame, sentence)


# --- names ----------------------------------------------------------------------------------------------------------


def _names(frame: Frame, sentence: list[Word]) -> None:
    for at, word in enumerate(sentence):
        if not is_open(word):
            continue
        if word.term.means("field", "called"):
            _called(frame, sentence, at)
        elif word.term.means("field", "hostname") and not word.wanted:
            frame.wish("hostname", "", [word], wanted=False)
        elif word.term.means("field", "hostname"):
            _named(frame, sentence, at, "hostname", _HOSTNAME)
        elif word.term.means("field", "image_name"):
            is_bare = word.norm in {"name", "name it", "call it"}
            _named(frame, sentence, at, "image_name", _IMAGE_NAME, only_after_colon=word.norm == "name")
            del is_bare
        elif word.term.means("field", "image_version"):
            _version(frame, sentence, at)
        elif word.term.means("field", "description"):
            place = value_after(sentence, at)
            if place is not None and sentence[place].term.token.kind == "quoted":
                frame.wish("description", sentence[place].term.token.text, [word, sentence[place]])
    for word in sentence:  # "hostname=web01"
        if is_open(word) and word.term.token.kind == "option" and not word.term.senses:
            key, _, value = word.term.text.partition("=")
            kind: dict[str, Kind] = {"hostname": "hostname", "name": "image_name", "version": "image_version"}
            if key.lower() in kind:
                frame.wish(kind[key.lower()], value, [word])


_MACHINES = frozenset(
    [
        "machine",
        "machines",
        "computer",
        "computers",
        "box",
        "boxes",
        "host",
        "pc",
        "pcs",
        "laptop",
        "server",
        "node",
        "robot",
        "appliance",
        "network",
        "system",
        "vm",
    ]
)
_IMAGES = frozenset(["image", "template", "output file", "file", "raw image", "disk image"])


def _is_image(norm: str) -> bool:
    return norm in _IMAGES or norm.endswith("image")


def _called(frame: Frame, sentence: list[Word], at: int) -> None:
    """As in "called X": the name of the machine or of the image, by what is called so."""
    word = sentence[at]
    near = [other for other in sentence if other.clause == word.clause]
    norms = {other.norm for other in near}
    before = [other.norm for other in near if other.term.end <= word.term.start]
    subject = next((norm for norm in reversed(before) if norm in _MACHINES or _is_image(norm)), "")
    if "network" in norms or "network" in word.norm or subject in _MACHINES:
        _named(frame, sentence, at, "hostname", _HOSTNAME)
    elif _is_image(subject):
        _named(frame, sentence, at, "image_name", _IMAGE_NAME)
    elif not frame.in_session:
        _named(frame, sentence, at, "hostname", _HOSTNAME)
    else:
        place = value_after(sentence, at)
        if place is not None and (
            sentence[place].term.token.kind == "quoted" or not sentence[place].term.senses
        ):
            frame.unclear(
                f"Is {sentence[place].term.token.text} the name of the machine or of the image?",
                [word, sentence[place]],
            )


def _named(
    frame: Frame,
    sentence: list[Word],
    at: int,
    kind: Kind,
    form: re.Pattern[str],
    *,
    only_after_colon: bool = False,
) -> None:
    word = sentence[at]
    place = value_after(sentence, at)
    following = frame.text[word.term.end :].lstrip(" :=").removeprefix("to ")
    if (
        following[:1] in {"$", "`", "|", ";", "/", ".", "-"}
        and following[1:2] not in {"", " ", "\n", ">"}
        and word.wanted
    ):
        rest = [other for other in sentence[at + 1 :] if not other.used]
        frame.unclear(
            f"{following.split(' ')[0][:60]} cannot be the {_LABELS[kind]}. Which name should it have?",
            [word, *rest],
        )
        return
    direct = sentence[at + 1] if at + 1 < len(sentence) else None
    if (
        direct is not None
        and direct.segment == word.segment
        and not only_after_colon
        and direct.term.token.kind == "word"
        and not direct.used
        and (
            not direct.term.has("article")
            or at + 2 >= len(sentence)
            or sentence[at + 2].segment != word.segment
        )
        and not direct.term.has(
            "copula", "negator", "conjunction", "not_account", "version", "distribution", "field"
        )
        and direct.norm not in {"and", "with", "for", "setting", "settings", "from", "it", "them"}
    ):
        place = at + 1
    to = next(
        (
            spot
            for spot, other in enumerate(sentence)
            if spot > at and other.norm == "to" and other.segment == word.segment
        ),
        None,
    )
    if to is not None and to + 1 < len(sentence) and sentence[to + 1].segment == word.segment:
        place = direct_to = to + 1
        for other in sentence[at + 1 : direct_to]:
            other.used = True  # what it was called before
    if place is not None:
        candidate = sentence[place]
        joined = candidate.joint == ":" or candidate.segment == word.segment
        is_text = candidate.term.token.kind in {"quoted", "word", "interface", "version"}
        known = (
            candidate.term.has(*_BAD_VALUES, "version", "distribution", "image_type", "architecture", "field")
            and candidate.term.token.kind != "quoted"
            and (
                place not in {at + 1, (to or -2) + 1}
                or candidate.term.has("version")
                or (word.norm == "host" and candidate.term.has("distribution", "architecture"))
            )
        )
        if joined and is_text and not known and (not only_after_colon or candidate.joint == ":"):
            text = candidate.term.token.text
            correction = next(
                (
                    other
                    for other in sentence[place + 1 :]
                    if other.replaces
                    or (
                        not candidate.wanted
                        and other.wanted
                        and other.term.token.kind == "word"
                        and not other.term.senses
                    )
                ),
                None,
            )
            words = [word, candidate]
            if correction is not None and _fits(correction, form):
                words.append(correction)
                text = correction.term.token.text
            elif not candidate.wanted:
                return
            behind = sentence[place + 1 : place + 3]
            extra = [
                other
                for other in behind
                if other.segment == candidate.segment
                and is_open(other)
                and other.is_value
                and other.term.token.kind in {"number", "version"}
            ]
            if not form.fullmatch(text) or extra:
                frame.unclear(
                    f"{' '.join([text, *(other.norm for other in extra)])} cannot be the {_LABELS[kind]}. Which name should it have?",
                    [*words, *extra],
                )
                return
            frame.wish(kind, text, words, wanted=True)
            return
    before = sentence[at - 1] if at else None  # "docker is the hostname"
    subject = next(
        (
            other
            for other in reversed(sentence[:at])
            if other.segment == word.segment and not other.term.has("filler", "article", "copula")
        ),
        None,
    )
    joined = any(other.term.has("copula") or other.norm == "as" for other in sentence[:at])
    if (
        before is not None
        and subject is not None
        and is_open(subject)
        and joined
        and _fits(subject, form)
        and (before.term.has("copula", "article", "filler"))
    ):
        frame.wish(kind, subject.term.token.text, [subject, word], wanted=True)
        return
    if word.norm == "host" or word.norm in {"name", "call it", "name it"} or kind == "image_name":
        word.used = True  # "a docker host"
        return
    if kind == "hostname" and word.wanted and place is None:
        frame.unclear("Which host name should it have?", [word])


_LABELS = {"hostname": "host name", "image_name": "image's name"}


def _fits(word: Word, form: re.Pattern[str]) -> bool:
    return word.term.token.kind in {"word", "quoted"} and bool(form.fullmatch(word.term.token.text))


def _version(frame: Frame, sentence: list[Word], at: int) -> None:
    word = sentence[at]
    place = value_after(sentence, at)
    if place is None or sentence[place].term.token.kind not in {"version", "number", "quoted"}:
        return
    value = sentence[place]
    if any(other.term.means("field", "kernel") for other in sentence if other.segment == word.segment):
        return
    if not _IMAGE_VERSION.fullmatch(value.term.token.text):
        frame.unclear(
            f"{value.term.token.text} cannot be an image's version, which looks like 1.2.3. Which one should it have?",
            [word, value],
        )
        return
    frame.wish("image_version", value.term.token.text, [word, value], wanted=True)


# --- kernel ---------------------------------------------------------------------------------------------------------


def _kernel(frame: Frame, sentence: list[Word]) -> None:
    for at, word in enumerate(sentence):
        if not is_open(word):
            continue
        if (
            word.term.token.kind == "option"
            and not word.term.senses
            and word.term.text.partition("=")[0].lower()
            not in {"hostname", "name", "version", "disk", "size", "user"}
        ):
            frame.wish("kernel_option", word.term.text, [word], wanted=word.wanted)
        elif word.term.means("field", "module"):
            _modules(frame, sentence, at)
        elif word.term.means("field", "kernel"):
            place = value_after(sentence, at)
            if place is not None and sentence[place].term.token.kind == "version":
                flavours = [
                    other
                    for other in sentence
                    if other.segment == word.segment and other.term.has("kernel_flavour") and other.wanted
                ]
                frame.wish(
                    "kernel_version",
                    sentence[place].norm.removeprefix("v"),
                    [word, sentence[place]],
                    wanted=sentence[place].wanted,
                )
                del flavours
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


def _loaded(frame: Frame, sentence: list[Word]) -> None:
    """As in "load 8021q at boot"."""
    for at, word in enumerate(sentence):
        if word.norm != "load" or at + 1 >= len(sentence):
            continue
        names: list[Word] = []
        for other in sentence[at + 1 :]:
            if other.norm == "and":
                continue
            if not is_open(other) or other.term.token.kind != "word" or other.term.has("filler", "field"):
                break
            names.append(other)
        behind = frame.text[names[-1].term.end :].strip().lower() if names else ""
        if behind.startswith(("at boot", "on boot", "at startup")):
            for name in names:
                frame.wish("kernel_module", name.norm, [name])


def _modules(frame: Frame, sentence: list[Word], at: int) -> None:
    word = sentence[at]
    names: list[Word] = []
    for other in sentence[at + 1 :]:
        if other.norm == "and" or (
            not names and other.term.has("filler", "copula", "verb") and other.joint != ":"
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
            and not before.term.has("filler", "article", "verb")
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
                    or other.term.has("filler", "article", "verb", "field")
                ):
                    break
                names.append(other)
    for name in names:
        frame.wish("kernel_module", name.term.text.lower(), [name], wanted=name.wanted and word.wanted)
    word.used = bool(names)


# --- repositories and files -----------------------------------------------------------------------------------------


def _repositories(frame: Frame, sentence: list[Word]) -> None:
    heads = [word for word in sentence if is_open(word) and word.term.means("field", "repository")]
    urls = [word for word in sentence if is_open(word) and word.term.token.kind == "url"]
    if not heads:
        return
    if not heads[0].wanted or not urls:
        if not heads[0].wanted and not urls:
            for head in heads:
                frame.wish("repository", "", [head], wanted=False)
        return
    key = codename = component = priority = ""
    words = [*heads]
    address = urls[0]
    for at, word in enumerate(sentence):
        place = (
            value_after(sentence, at)
            if word.term.means("field", "key", "priority") and is_open(word)
            else None
        )
        if word.term.means("field", "component", "suite") and is_open(word) and at + 1 < len(sentence):
            place = at + 1
        if place is None:
            continue
        value = sentence[place]
        if word.term.means("field", "key") and value.term.token.kind in {"url", "path"}:
            key = value.term.text
            address = next((url for url in urls if url is not value), address)
        elif word.term.means("field", "component"):
            component = value.term.token.text
        elif word.term.means("field", "suite"):
            codename = value.term.token.text
        elif word.term.means("field", "priority") and value.term.token.kind == "number":
            priority = value.norm
        else:
            continue
        words += [word, value]
    at = sentence.index(heads[0])
    named = sentence[at + 1] if at + 1 < len(sentence) else None
    if (
        not codename
        and named is not None
        and named.segment == heads[0].segment
        and named.term.token.kind == "quoted"
    ):
        codename = named.term.token.text
        words.append(named)
    if not key:
        frame.unclear(
            f"Which key signs the packages of {address.term.text}? Say its address.", [*words, address]
        )
        return
    everything = [
        word for word in frame.words if word.sentence in {sentence[0].sentence, sentence[0].sentence + 1}
    ]
    allow = _from_there(frame, everything)
    only = ",".join(allow) if any(word.norm == "nothing else" for word in everything) else ""
    frame.wish(
        "repository",
        address.term.text,
        [*words, address],
        wanted=True,
        key=key,
        codename=codename,
        component=component,
        priority=priority,
        allow=only,
    )


def _from_there(frame: Frame, words: list[Word]) -> list[str]:
    """The packages that a repository is named for."""
    found: list[str] = []
    if not any(word.term.means("field", "repository") for word in words):
        return found
    for place, word in enumerate(words):
        if not word.term.means("field", "from_there") or not is_open(word):
            continue
        word.used = True
        for other in words[max(0, place - 3) : place + 5]:
            if (
                is_open(other)
                and other.wanted
                and other.term.token.kind == "word"
                and (
                    not other.term.senses
                    or (other.term.has("package") and not other.term.has("filler", "verb", "article"))
                )
            ):
                found.append(other.term.text)
                frame.wish("package", other.term.text, [other], wanted=True, anyway="yes")
    return found


def _files(frame: Frame, sentence: list[Word]) -> None:
    paths = [
        word
        for word in sentence
        if is_open(word)
        and word.term.token.kind == "path"
        and not word.term.senses
        and not word.norm.endswith((".service", ".timer"))
    ]
    keys = [word for word in paths if re.search(r"\.(?:key|crt|cer|pem)$", word.norm)]
    head = next((word for word in frame.words if word.term.means("flag", "secure_boot")), None)
    if keys and head is not None:
        details = {}
        for word in keys:
            ending = word.norm.rpartition(".")[2]
            name = {"key": "key", "crt": "crt", "cer": "cer"}.get(
                ending, "crt" if "key" in details else "key"
            )
            details[name] = word.term.text
        frame.wish("secure_boot", "", [head, *keys], wanted=head.wanted, secret=None, **details)
        return
    if any(
        word.term.means("field", "passphrase_file")
        or word.term.means("unlock", "manual", "auto")
        or word.term.means("flag", "encryption")
        for word in sentence
    ):
        candidates = [
            word
            for word in paths
            if word.norm != "/"
            and not any(
                word.norm == f"/{part}" for part in ("home", "data", "var", "boot", "srv", "opt", "tmp")
            )
        ]
        if len(candidates) == 1 and not any(
            other.term.token.kind == "size" and other.segment == candidates[0].segment for other in sentence
        ):
            heads = [
                word
                for word in sentence
                if is_open(word) and word.term.means("field", "passphrase_file", "password")
            ]
            frame.wish("encryption", "", [candidates[0], *heads], wanted=True, file=candidates[0].term.text)
            return
    for at, word in enumerate(sentence):
        if word not in paths or word.used:
            continue
        target = next(
            (
                other
                for other in sentence[at + 1 : at + 6]
                if other.segment == word.segment
                and other in paths
                and other.term.text.startswith("/")
                and other.norm != "/"
            ),
            None,
        )
        between = sentence[at + 1 : sentence.index(target)] if target is not None else []
        if target is not None and any(
            other.norm in {"to", "into", "as", "in", "at", "goes to", "->", "→"} or other.term.has("copula")
            for other in between
        ):
            frame.wish("file", target.term.text, [word, target], wanted=word.wanted, local=word.term.text)
    for word in paths:
        if not word.used and re.search(r"\.\w+$", word.norm) and not word.term.text.startswith("/"):
            frame.unclear(
                f"Where is {word.term.text} to be in the image? Say it as in: {word.term.text} to /etc/...",
                [word],
            )


# --- time zone ------------------------------------------------------------------------------------------------------


def _zone(frame: Frame, sentence: list[Word]) -> None:
    for word in sentence:
        if is_open(word) and word.term.token.kind == "zone":
            heads = [
                other
                for other in sentence
                if is_open(other) and other.term.means("field", "timezone") and other.segment == word.segment
            ]
            frame.wish("timezone", word.term.text, [word, *heads], wanted=True)
    for at, word in enumerate(sentence):
        if not is_open(word) or not word.term.means("field", "timezone"):
            continue
        place = value_after(sentence, at)
        value = sentence[place] if place is not None else None
        zone = _zone_of(value.term.token.text) if value is not None and is_open(value) else ""
        if value is not None and zone:
            frame.wish("timezone", zone, [word, value], wanted=True)
        elif word.wanted:
            frame.unclear("Which time zone? Say it as in Europe/Vienna.", [word, *([value] if value else [])])


def _zone_of(name: str) -> str:
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
