"""The words that were not used: ask about them, report them as not understood, or treat them as background."""

import re
from collections.abc import Sequence

from vademecum.desks.composer.packages.names import releases_of
from vademecum.desks.composer.request.frames import Frame
from vademecum.desks.composer.request.words.english import is_english
from vademecum.desks.composer.request.words.vocabulary import section
from vademecum.desks.composer.request.words.word import Word

_PACKAGE_LIKE = re.compile(r"[a-z0-9][a-z0-9+_.-]*[a-z0-9+]")
_LONG_CLAUSE = 5
"""Words of a clause that may be a sentence of a story."""


def read_leftovers(frame: Frame) -> list[str]:
    """What nothing was made of: asked back or not understood; and, returned, what is only background."""
    if frame.in_session:
        _pronouns(frame)
    _said_already(frame)
    background: list[str] = []
    clauses: dict[int, list[Word]] = {}
    for word in frame.words:
        clauses.setdefault(word.clause, []).append(word)
    for words in clauses.values():
        open_words = [word for word in words if not word.used and _says_something(word)]
        aside = [word for word in open_words if _is_aside(frame, word)]
        background += [word.term.text for word in aside]
        open_words = [word for word in open_words if word not in aside]
        if not open_words:
            continue
        is_story = (
            all(word.term.token.kind == "word" and is_english(word.norm) for word in open_words)
            and len(words) >= _LONG_CLAUSE
            and len(clauses) > 1
            and not any(word.mood == "condition" for word in open_words)
            and not any(word.used and word.is_head for word in words)
            and not any((word.term.has("verb") and word.wanted) or word.term.has("removal") for word in words)
        )
        if words[0].mood == "report" or is_story:
            background.append(frame.said(open_words))
            if lost := _lost_value(frame, words):
                frame.unclear(
                    f"{lost.term.text} is only reported, and not asked for. Say what is to have it.", [lost]
                )
            continue
        for group in _grouped(open_words):
            _left(frame, group)
    return background


def _said_already(frame: Frame) -> None:
    """Names that only say again what a wish says: "my son Timo ... an account timo", "Vienna time (Europe/Vienna)"."""
    said = {
        wish.value.rpartition("/")[2].lower() for wish in frame.wishes if wish.wanted and wish.kind in _NAMED
    }
    for word in frame.words:
        if not word.used and not word.term.senses and word.wanted and word.norm.replace(" ", "_") in said:
            word.used = True


_NAMED = frozenset(["hostname", "image_name", "user", "timezone", "kernel_module"])

_VALUED = {
    "size": {"disk_size", "partition", "swap", "unclear"},
    "path": {"partition", "file", "encryption", "user", "unclear", "impossible"},
    "address": {"network", "unclear", "impossible"},
    "url": {"repository", "unclear", "impossible"},
    "zone": {"timezone", "unclear"},
}
"""Kinds of values, and the kinds of wishes that a value of them belongs to."""


def _lost_value(frame: Frame, words: Sequence[Word]) -> Word | None:
    """A value in a clause that is only background, where nothing else of the request is about a value of its kind."""
    kinds = {wish.kind for wish in frame.wishes}
    return next(
        (
            word
            for word in reversed(words)
            if not word.used
            and not kinds & _VALUED.get(word.term.token.kind, kinds | {"unclear"})
            and word.term.token.kind in _VALUED
        ),
        None,
    )


_DEMANDING = frozenset(
    """install add include including with without plus need needs want wants wanted get put have has use using require requires remove drop delete
    uninstall no not never like""".split()  # noqa: SIM905 - one list reads best
)
_NEAR = 3
_SOFTWARE = frozenset(
    """program programs programm software app apps application applications tool tools something package packages""".split()  # noqa: SIM905
)
_SETTINGS = frozenset(
    """field flag partition mount swap filesystem mount_option kernel_word kernel_key kernel_flavour boot_loader boot_type artifact compression service_on
    service_off unlock disk_selection disk_policy""".split()  # noqa: SIM905 - one list reads best
)


def _is_aside(frame: Frame, word: Word) -> bool:
    """Return whether a word that nobody knows is plain English, where nothing is asked for: "for the chess club", "we sell honey".

    In a list, alone, or right behind a word that demands something ("with a slicer") it is not.
    """
    if word.term.token.kind == "number" and not word.term.senses:
        if frame.text[: word.term.start].lower().endswith(_NUMBERED):
            return True  # "in building 7"
        return not frame.in_session and not any(
            other.used or other.is_head or (other.is_value and other is not word)
            for other in frame.words
            if other.clause == word.clause
        )
    is_noun = word.term.has("ordinary", "service_path") and all(
        sense.kind in _ONLY_NOUNS for sense in word.term.senses
    )
    if (
        (word.term.senses and not is_noun)
        or word.term.token.kind != "word"
        or word.sign
        or not is_english(word.norm)
    ):
        return False
    begins = (
        not frame.text[: word.term.start].rstrip() or frame.text[: word.term.start].rstrip()[-1] in ".!?:;\n"
    )
    if not frame.wishes or (word.term.text[:1].isupper() and not begins):
        return False  # nothing else is asked for, or it is a name
    clause = [other for other in frame.words if other.clause == word.clause]
    own = [other for other in clause if other.segment == word.segment]
    at = next(place for place, other in enumerate(own) if other is word)
    is_phrasal = word.norm.endswith("ed") and at + 1 < len(own) and own[at + 1].norm in {"off", "out", "away"}
    if any(other.norm in _SOFTWARE for other in own):
        return False  # "a painting program"
    if _follows_place(own[:at]):
        return True
    switches = [
        place for place, other in enumerate(own) if other.term.has("on", "off") and other.norm != "on"
    ]
    is_active = any(
        other.norm in {"has", "have"} for place in switches for other in own[max(0, place - 2) : place]
    )
    if switches and not is_phrasal and not is_active:
        return False
    is_technical = word.norm.startswith(tuple(section("technical")))
    if any(
        (other.is_value or other.term.has(*_SETTINGS))
        and (is_technical or not (other.used or other.term.has("field")))
        for other in clause
    ):
        return False  # it may belong to a setting that was not read
    taken = 0 if is_technical else next((place + 1 for place in range(at - 1, -1, -1) if own[place].used), 0)
    before = [other for other in own[taken:at] if not _joins(other)]
    demanding = _DEMANDING - ({"has", "have"} if word.norm.endswith(("ed", "en")) else set())
    if any(other.norm in demanding or other.term.has("removal", "negator") for other in before[-_NEAR:]):
        return False
    rest = [other for other in own if other is not word and not _joins(other)]
    first = next(other for other in own if not _joins(other))
    listed = [other for other in clause if other.segment == word.segment - 1 and other.used]
    if (
        first is word
        and word.joint in {",", "and", "or"}
        and listed
        and listed[-1].term.has("package", "family")
    ):
        return False  # "cmake and a frobnicator on Debian"
    is_listed = word.joint in {",", "and", "or", "with", ":", "(", "-"}
    return not (not rest or (is_listed and not before and len(rest) <= 1))


_ONLY_NOUNS = frozenset(["package", "ordinary", "service_path"])
"""Kinds of words that ask for nothing where they are not meant as software, nor as a place."""

_NUMBERED = tuple(
    f"{name} "
    for name in [
        "building",
        "room",
        "hall",
        "floor",
        "line",
        "phase",
        "site",
        "plant",
        "bay",
        "row",
        "lab",
        "class",
        "team",
        "unit",
        "station",
        "grade",
        "number",
    ]
)
"""What a number behind it only names."""


def _joins(word: Word) -> bool:
    return word.term.has("article") or word.norm in {"and", "or", "also", "plus", "please", "as well", "too"}


def _follows_place(before: Sequence[Word]) -> bool:
    """Return whether words end as in "for our", "at the", "in the": what follows is a place or a purpose."""
    norms = [word.norm for word in before[-3:]]
    while norms and norms[-1] in _OWNED:
        norms.pop()
    owned = len(norms) < len(before[-3:])
    return bool(norms) and (
        norms[-1] in {"for", "at"} or (owned and norms[-1] in {"in", "on", "of", "from", "behind", "to"})
    )


_OWNED = frozenset("the a an our my his her their your its this that".split())  # noqa: SIM905 - one list reads best


def _says_something(word: Word) -> bool:
    if word.mood == "report":
        return not word.term.senses
    if word.mood == "condition":
        return word.is_head and not word.term.has("filler", "unavailable") and bool(word.term.senses)
    if word.is_value:
        return not (word.term.token.kind == "number" and word.counts)
    if not word.term.senses:
        return word.term.token.kind != "mark" and len(word.norm) > 1
    if all(sense.kind in _ONLY_NOUNS for sense in word.term.senses):
        return True  # an ordinary word that was not meant as software
    if word.term.has("field"):
        return word.term.means("field", "password", "root_account") and word.wanted
    return (
        word.term.has("mount", "rest", "kernel_key", "mount_option", "filesystem")
        and not word.term.means("mount", "/")
        and not word.term.has("filler")
    )


def _grouped(words: Sequence[Word]) -> list[list[Word]]:
    """Unknown words next to each other together."""
    made: list[list[Word]] = []
    for word in words:
        before = made[-1][-1] if made else None
        if (
            before is not None
            and before.segment == word.segment
            and not before.term.senses
            and not word.term.senses
            and word.term.start - before.term.end <= 1
            and before.wanted == word.wanted
            and before.term.token.kind == word.term.token.kind == "word"
        ):
            made[-1].append(word)
        else:
            made.append([word])
    return made


def _package_of(frame: Frame, words: list[Word]) -> str:
    """The package that several words name together, of which the first is unknown ("OBS Studio", "Tux Paint"); "" if none."""
    following = next((word for word in frame.words if word.term.start >= words[-1].term.end), None)
    if (
        len(words) == 1
        and following is not None
        and following.segment == words[0].segment
        and not following.used
    ):
        words = [*words, following]
    parts = [word.norm for word in words]
    if len(parts) > 1 and all(is_english(word.norm) and word.term.text.islower() for word in words):
        return ""  # "ice cream" is not software
    is_name = len(parts) == 1 and not words[0].term.note and not is_english(parts[0])
    names = [f"{parts[0]}-qt", f"{parts[0]}-gtk"] if is_name else ["-".join(parts), "".join(parts)]
    return next((name for name in names if releases_of(name)), "")


_MODAL = re.compile(
    r"(?:(?:can|could|must|may|should|shall|will|would|do|does|did|is|are)(?: not|n't|n’t)|cannot|never|nobody can|nobody may)(?: ever)? (?:be able to |be allowed to )?(?:be |being |get )?$"
)


def _is_predicate(frame: Frame, word: Word) -> bool:
    """As in "cannot be changed" and "must not break": not the name of something that is ruled out."""
    return _MODAL.search(frame.text[: word.term.start].lower()) is not None


def _left(frame: Frame, words: list[Word]) -> None:
    first = words[0]
    text = frame.said(words)
    if first.term.means("field", "called"):
        first.used = True
    elif first.mood == "condition":
        frame.unclear(f"{text} depends on a condition. Say whether it is wanted.", words)
    elif first.norm == "passwords" and not any(wish.kind == "user" for wish in frame.wishes):
        first.used = True  # "somebody keeps guessing passwords"
    elif first.term.means("field", "password") and any(
        word.term.token.kind == "secret" for word in frame.words if word.sentence == first.sentence
    ):
        first.used = True  # whose it is, is asked for the password itself
    elif first.term.means("field", "password"):
        frame.unclear("Which password? Say it, or leave the account without one.", words)
    elif first.term.token.kind in {"size", "number", "path", "address", "interface"} or first.term.has(
        "mount", "rest", "mount_option", "filesystem"
    ):
        is_bare = first.term.token.kind == "number" and any(
            word.term.has("mount", "swap")
            or word.term.means("field", "disk")
            or word.term.token.kind == "path"
            for word in frame.words
            if word.sentence == first.sentence
        )
        if first.wanted:
            frame.unclear(
                f"{text} of what? Say it with its unit, as in {text} GB."
                if is_bare
                else f"What is {text} for?",
                words,
            )
        else:
            first.used = True
    elif (
        not first.wanted
        and all(word.term.token.kind == "word" for word in words)
        and not _is_predicate(frame, first)
    ):
        frame.wish("package", text.lower(), words, wanted=False)
    elif name := _package_of(frame, words):
        frame.wish("package", name, words)
    else:
        shape = "package" if len(words) == 1 and _PACKAGE_LIKE.fullmatch(text) else ""
        frame.wish("unknown", text, words, shape=shape)


_PRONOUNS = frozenset(["it", "them", "that", "those", "this"])


def _pronouns(frame: Frame) -> None:
    """As in "remove it again": what the last turn brought."""
    for sentence in frame.sentences():
        for at, word in enumerate(sentence[:-1]):
            pronoun = sentence[at + 1]
            others = [
                other
                for other in sentence
                if other.segment == word.segment and (other.is_head or other.is_value)
            ]
            named = any(other.since == word.term.start for other in sentence)
            if word.term.has("removal") and pronoun.norm in _PRONOUNS and not others and not named:
                frame.wish(
                    "unclear", "What is to be removed? Name it.", [word, pronoun], wanted=False, op="that"
                )
