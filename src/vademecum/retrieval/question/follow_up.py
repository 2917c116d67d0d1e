"""The readings of a question of a conversation: alone, and with words of earlier questions, using rules and no model.

A question may be a follow-up if it begins with a connective (`and`, `what about`), refers back (`it`, `those files`, `instead`), only adds a
condition (`recursively?`), or is short. It is then also read with the content words of an earlier question, except those that it replaces:
another action (`how do I delete it?` after `create a user`), another tool, or another thing of the same kind (`what about Fridays?` after
`when do you open on Mondays`). The earlier question is the last one that shares a word with it, or else the last one.
"""

import re
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from vademecum.core.conversations import Turn
from vademecum.retrieval.question.spelling import CONTRACTIONS
from vademecum.text.patterns import Pattern
from vademecum.text.small_talk import small_talk
from vademecum.text.words import STOP_WORDS, WORD, stem

_I = re.IGNORECASE
_MOST_CARRIED = 12

_MOST_NAMED = 3
"""The maximum number of words in a follow-up that only names a thing."""

_SAME_KIND = 0.15
"""The minimum similarity of two things of the same kind: `Friday` and `Monday` have 0.8, `filter` and `pump` 0.16."""

_QUESTION_WORDS = "who|whom|whose|what|where|when|why|how|which|is|are|was|were|do|does|did|can|could|will|would|should|may|must|has|have"
_WHOLE = Pattern(rf"(?:{_QUESTION_WORDS})\b")
"""The beginning of a complete question, which can lack only its subject."""

_ABOUT = Pattern(
    r"^\W*(?:(?:and|or|but|so|then|now|ok(?:ay)?)\W+)*+(?:(?:what|how) about\W+)?+(?:(?:for|on|in|at|if|from|with|by|the|a|an|our|my)\W+)*+"
    rf"(?!\W*(?:{_QUESTION_WORDS})\b)"
)
"""The words before the thing in a follow-up that only names one: `and on Fridays?`, `what about the cellar?`"""

_BEFORE_THINGS = (
    "the|a|an|my|our|your|his|her|its|their|this|that|of|for|in|on|at|to|from|with|by|about|into|under|per"
)
_PHRASE = Pattern(
    rf"\b(?:{_BEFORE_THINGS})\s+((?:(?!(?:{_BEFORE_THINGS}|{_QUESTION_WORDS}|and|or|i|we|you|it)\b)[\w'’-]+\s*)+)"
)
_AFTER_LEAD = Pattern(r"^(?:what|how) about\b|^what if\b|^instead\b[,\s]*")
_NAMED = Pattern(r"(?<!^)\b[A-Z][a-z]", flags=0)
"""A name within the question, which a pronoun can refer to."""

Kind = Literal["leads", "itself", "points", "person", "dummy", "adds", "over", "topic", "corrects"]


class Form(NamedTuple):
    """A form of words that says how a question relates to the one before.

    Attributes:
        kind: `leads` and `adds` begin a follow-up, unless they are part of a name (`itself`); `points` and `person` point back, unless
            they are `dummy`; `over`, `topic` and `corrects` start over, with what is left of the question.
        example: A question that has it.
        other: A question that looks like it, and does not have it.
    """

    kind: Kind
    pattern: str
    example: str
    other: str


_BEFORE_CORRECTION = r"(?:no|nope|sorry|oh|oops|wait|hang on|hold on|actually|my bad)\b"
FORMS = (
    Form("leads", r"^(?:(?:and|but|or|also|then|now|so|ok(?:ay)?|well|plus|hm+|thanks|great|no)\b[,\s]*)+", "and on Fridays?", "android phones"),
    Form("leads", r"^(?:what|how) about\b|^what if\b|^instead\b", "what about the cellar?", "what is about to expire"),
    Form("leads", r"^(?:the )?same\b|^(?:just|only|even|rather|without)\b", "same for the garden", "is it the same"),
    Form("itself", r"^and (?:operator|gate|condition|conditional|list)\b|^(?:so|or|now) files?\b", "and operator in bash", "and the operator?"),
    Form("points", r"\b(?:it|them|those|these|they|its|their|theirs|ones?|such a one|both of|instead|as well|vice versa)\b", "who pays for it", "who pays the rent"),
    Form(
        "points",
        r"\bthe (?:other|opposite|reverse|same|first|last|second|rest|original)(?: (?:way|ones?|thing|way round))?$",
        "how do I use the other one",
        "print the first line",
    ),
    Form(
        "points",
        r"\b(?:this|that)(?= *[?.!,]| *$| (?:one|command|option|flag|page|way|file|list|work|too|again|be|do|is|in)\b)",
        "how long does that take, is that file safe",
        "the mail that arrived",
    ),
    Form(
        "points",
        r"\b(?:does|do|did|will|would|can) (?:this|that)(?= [a-z]+(?: [a-z]+)? *[?.!]*$)",
        "does that cost extra?",
        "does that printer on the second floor staple",
    ),
    Form(
        "points",
        r"\b(?:the|which|what|any|an?other|other) (?:options?|flags?|commands?|switch(?:es)?|syntax|examples?)\b",
        "which option shows the size",
        "an optional part",
    ),
    Form("points", r"\b(?:an example\b|more details?\b|too$|again$)", "show me an example", "examples of breads"),
    Form("points", r"\b(?:there|then|that day|that time)(?= *[?.!,]*$)", "is parking free there?", "is there a garage"),
    Form("person", r"\b(?:he|she|him|her|his|hers)\b", "when is he in the office", "when is the office open"),
    Form(
        "dummy",
        r"\bis it (?:possible|ok|okay|safe|true|allowed)\b|\b(?:it|that) (?:is|means|takes|was) (?:possible|called)\b",
        "is it possible to pay by card",
        "is it heavy",
    ),
    Form(
        "dummy",
        r"\bit (?:takes?|costs?|matters?|helps?|hurts?|makes? sense|is|was|be)(?: (?!\b(?:to|for|if|that)\b)\w+)? (?:to|for|if|that)\b",
        "does it hurt to renew early",
        "it takes three days",
    ),
    Form(
        "dummy",
        r"\bwhat (?:is it called|time is it)\b|\bso (?:that )?it\b|\bmakes? sure (?:that )?\w*|\b(?:who|which|that) (?:is|are)\b",
        "what time is it",
        "what is it for",
    ),
    Form(
        "dummy",
        r"^\W*(?:who|what|which \w+) (?!(?:is|are|was|were|does|do|did|about|can|will|has)\b)\w+ (?:its|their|his|her)\b",
        "which bird changes its colour",
        "what is its colour",
    ),
    Form("adds", r"^\w+ed (?:with|by|in|for|as|to)\b", "sorted by size", "bed linen"),
    Form("adds", r"^(?:for|with|by|as|in|on|from|into|to|at|per|all|not|no|every|each|side by side)\b|^\w+ly\b|^-{1,2}\w", "for children", "fortnight"),
    Form(
        "over",
        r"^\W*(?:(?:let'?s )?start (?:over|anew|afresh|again)|new (?:topic|subject|conversation)|"
        r"forget (?:it|that|all that|everything)|reset|never ?mind)\b(?P<rest>.*)$",
        "never mind. how do I mount a disk",
        "how do I reset the modem",
    ),
    Form(
        "topic",
        r"^\W*(?:ok(?:ay)?\W+|so\W+|and\W+)?(?:(?:a )?(?:different|new|another|other) (?:topic|subject|question|thing)|"
        r"changing (?:the )?(?:topic|subject)|(?:something|anything) else|on another note|unrelated(?:ly)?|by the way|btw)\s*[:,;.!–—-]+\s*(?P<rest>\S.*)$",
        "different topic: my laptop was stolen",
        "anything else I must bring?",
    ),
    Form(
        "corrects",
        rf"^\W*(?:{_BEFORE_CORRECTION}\W*)*(?:what )?i (?:actually |really )?(?:meant?|wanted)(?: to (?:say|ask))?\b\W*(?:that |is )?(?P<rest>\S.*)$",
        "no wait, i meant the hardware key",
        "what is meant by a key",
    ),
    Form("corrects", rf"^\W*(?:{_BEFORE_CORRECTION}\s*)+[,;:.!–—-]+\s*(?P<rest>\S.*)$", "sorry, the other printer", "sorry I lost my key"),
)  # fmt: skip
"""All forms. Each example and counter-example is tested."""

_BY_KIND = {
    kind: [Pattern(form.pattern, _I | re.DOTALL) for form in FORMS if form.kind == kind]
    for kind in dict.fromkeys(form.kind for form in FORMS)
}


def found_form(kind: Kind, text: str) -> re.Match[str] | None:
    """Return the first match of the forms of a kind in a text."""
    return next(filter(None, (pattern.search(text) for pattern in _BY_KIND[kind])), None)


def _without(kind: Kind, text: str) -> str:
    for pattern in _BY_KIND[kind]:
        text = pattern.sub(" ", text)
    return text


_MOST_ADDED = 4
"""The maximum number of words in a follow-up that only adds a condition; a longer question of that form is self-contained."""

_TOOL = Pattern(r"\b(?:about|with|using|use|by|in|through|via|for)\s+([a-z0-9][\w.+-]*)\W*$")

_ACTIONS = tuple(
    frozenset(map(stem, words.split()))
    for words in (
        "copy duplicate", "move rename", "delete remove erase purge drop uninstall rm destroy",
        "create make add generate new build install set setup",
        "list show display see print view find search look locate", "change modify edit alter",
        "extract unpack unzip decompress restore uncompress", "compress pack zip archive", "mount attach",
        "unmount umount detach eject", "open load", "close unload", "start run launch",
        "stop kill end quit terminate", "enable", "disable", "join merge concatenate combine",
        "split cut divide", "encrypt", "decrypt", "read", "write", "format", "undo revert",
    )
)  # fmt: skip
"""Actions, grouped by kind. A new action replaces one of another kind."""

_LIGHT = frozenset(map(stem, ["make", "set", "see", "find", "show", "print", "new", "look", "change"]))
"""Verbs that fit almost any object, so they do not count as a new action on their own."""

_UNDO = Pattern(r"\bundo\b|\brevert\b|\bget (?:it|them|that) back\b|\bthe (?:opposite|reverse)\b")

_OPPOSITES = {
    stem(one): other
    for pair in (
        "mount unmount", "create delete", "compress decompress", "open close", "start stop", "enable disable",
        "load unload", "split join", "encrypt decrypt", "attach detach", "add remove", "install uninstall",
        "archive extract", "pack unpack", "zip unzip", "lock unlock",
    )
    for one, other in (pair.split(), reversed(pair.split()))
}  # fmt: skip
"""Actions and their inverses."""

_REST = Pattern(r"^\s*[:,;.!–—-]+\s*", flags=0)


_MOST_BACK = 3
"""How far a follow-up leans back, in turns."""

_CARRIED, _LEANS, _A_WORD, _SURE = 6.0, 9.0, -3.0, 6.0
"""The log odds that a question is read with the words of earlier ones, if it leans on them, for each of its own words, and
beyond which it is read in one way only. Fitted to 73 questions of two sets of which one reading was right, in units of the log odds of the
answers' confidence."""


class Reading(NamedTuple):
    """A resolved question.

    Attributes:
        carried: The words added from earlier questions; empty if it was self-contained.
        why: Why it is a follow-up; "" if it was self-contained.
        prior: The log odds of this reading, compared with the first one.
    """

    text: str
    carried: tuple[str, ...] = ()
    why: str = ""
    prior: float = 0.0


def readings(
    question: str,
    before: Sequence[Turn],
    is_command: Callable[[str], bool],
    near: Callable[[str, str], float] = lambda _one, _other: 0.0,
) -> list[Reading]:
    """Return the ways to read a question of a conversation, the likeliest first. Takes the arguments of `read`."""
    if changed := found_form("topic", question):
        return [Reading(changed["rest"], (), "it changes the topic")]
    corrected = found_form("corrects", question)
    own = corrected["rest"] if corrected and _content(corrected["rest"]) else question
    why, words = leans(own), _content(own)
    alone, carrying = Reading(own), read(own, before, is_command, near, why or "it is short")
    if not carrying.carried or (not why and all(map(is_command, words))):
        return [alone]
    prior = _CARRIED + _LEANS * bool(why) + _A_WORD * len(words)
    ways = [carrying, alone._replace(prior=-prior)] if prior > 0 else [alone, carrying._replace(prior=prior)]
    return ways[: 1 if abs(prior) > _SURE else 2]


def read(
    question: str,
    before: Sequence[Turn],
    is_command: Callable[[str], bool],
    near: Callable[[str, str], float] = lambda _one, _other: 0.0,
    why: str = "",
) -> Reading:
    """Resolve a question from the conversation.

    Args:
        before: The turns of the conversation, oldest first.
        is_command: Returns whether a word is the name of a command.
        near: Returns the similarity of two texts, from -1 to 1.
        why: Why it is a follow-up; by default, what `leans` says.
    """
    alone = Reading(question)
    before = _asked(before)
    if not before or small_talk(question) or not (why := why or leans(question)):
        return alone
    own = _AFTER_LEAD.sub("", _without("leads", question.strip()).strip() or question.strip()).strip()
    last = _topic(own, before)
    tool = _tool(own, is_command)
    carried = _carried(own, last.read_as)
    command = _command(last, is_command)
    if command and not tool and not _turns(own, last.read_as) and command not in carried:
        carried = [*carried, command]
    if not command and not tool:
        carried = _without_replaced(question, carried, near)
        if _WHOLE.match(own) and (things := _things(last.read_as)):
            carried = [word for word in carried if word in things] or carried
    if not carried:
        return alone
    text = f"{' '.join(carried)}: {own}" if _content(own) else " ".join([*carried, own]).strip()
    return Reading(text, tuple(carried), why)


def _asked(before: Sequence[Turn]) -> list[Turn]:
    """Return the earlier turns with the words that were asked: a follow-up's, after those of the questions that it leans on."""
    found: list[Turn] = []
    texts: list[str] = []
    for turn in before:
        if _content(_without("leads", turn.asked.strip())) and not small_talk(turn.asked):
            texts = [*texts[1 - _MOST_BACK :], turn.asked] if leans(turn.asked) else [turn.asked]
            found.append(turn._replace(read_as=" ".join(texts)))
    return found


def _topic(own: str, before: Sequence[Turn]) -> Turn:
    """Return the turn that a follow-up refers to."""
    has = {stem(word.lower()) for word in _content(own)}
    sharing = (
        turn
        for turn in reversed(before)
        if not has.isdisjoint(stem(word.lower()) for word in _content(turn.read_as))
    )
    return next(sharing, before[-1])


def _without_replaced(question: str, carried: list[str], near: Callable[[str, str], float]) -> list[str]:
    """Remove the word that is replaced by the thing in a follow-up that only names one."""
    lead = _ABOUT.match(question)
    named = _content(question[lead.end() :]) if lead and lead[0] else []
    if not 0 < len(named) <= _MOST_NAMED:
        return carried
    codes = [word for word in carried if _has_digit(word)]
    if any(map(_has_digit, named)) and codes:
        return [word for word in carried if word not in codes]
    degrees = [max(near(word, name) for name in named) for word in carried]
    most = max(degrees, default=0.0)
    return [word for word, degree in zip(carried, degrees, strict=True) if degree < most or most < _SAME_KIND]


def _things(question: str) -> set[str]:
    """Return the words that name things: those after an article or a preposition, and those from earlier questions."""
    carried, _, own = question.rpartition(": ")
    phrases = [found[1] for found in _PHRASE.finditer(own)] if _WHOLE.match(own) else [own]
    return {word for phrase in [*phrases, carried] for word in _content(phrase)}


def _has_digit(word: str) -> bool:
    return any(map(str.isdigit, word))


def leans(question: str) -> str:
    """Return why a question is a follow-up; "" if it is self-contained."""
    text = " ".join(question.split())
    if lead := found_form("leads", text):
        if not found_form("itself", text) and not _stands_behind(text[lead.end() :]):
            return f"it begins with “{lead[0].strip(' ,')}”"
    elif (words := len(text.split())) <= _MOST_ADDED and (added := found_form("adds", text)):
        return f"it only adds “{added[0]}”"
    elif not _content(text) and words:
        return "it names nothing"
    said = _without("dummy", text)
    if pointing := found_form("points", said):
        return f"“{pointing[0].strip()}” points back"
    if (person := found_form("person", said)) and not _NAMED.search(text):
        return f"“{person[0]}” points back"
    return ""


def start_over(question: str) -> str | None:
    """Return the question after a phrase that starts a new conversation, perhaps ""; `None` without such a phrase."""
    found = found_form("over", question)
    if found is None:
        return None
    rest = found["rest"].strip()
    if not rest or not rest.strip(".!… "):
        return ""
    after = _REST.match(found["rest"])
    return found["rest"][after.end() :] if after else None


def _stands_behind(rest: str) -> bool:
    """Return whether the text after a connective is a complete question that does not refer back."""
    words = _content(rest)
    return len(words) >= 3 and not found_form("points", _without("dummy", rest)) and "," in rest


def _content(text: str) -> list[str]:
    """Return the content words, as written."""
    found = []
    for word in WORD.findall(text):
        lowered = word.lower()
        if lowered not in STOP_WORDS and lowered not in CONTRACTIONS and (len(word) > 1 or word[0] == "-"):
            found.append(word)
    return found


def _actions(words: Sequence[str]) -> set[int]:
    stems = {stem(word.lower()) for word in words}
    return {kind for kind, of_kind in enumerate(_ACTIONS) if stems & of_kind}


def _turns(own: str, before: str) -> bool:
    """Return whether the question asks for another action than the earlier one."""
    if _UNDO.search(own):
        return True
    strong = [word for word in _content(own) if stem(word.lower()) not in _LIGHT]
    new, old = _actions(strong), _actions(_content(before))
    return bool(new) and not new & old


def _carried(own: str, before: str) -> list[str]:
    """Return the words of the earlier question that still apply."""
    has = {stem(word.lower()) for word in _content(own)}
    undone = bool(_UNDO.search(own))
    turned = _turns(own, before) and not undone
    found: dict[str, str] = {}
    for word in _content(before):
        stemmed = stem(word.lower())
        if stemmed in has or (turned and _actions([word]) and not word.lower().endswith("ed")):
            continue
        found.setdefault(stemmed, _OPPOSITES.get(stemmed, word) if undone else word)
    return list(found.values())[:_MOST_CARRIED]


def _tool(own: str, is_command: Callable[[str], bool]) -> str:
    """Return the command that replaces the earlier one, if the question names one."""
    words = _content(own)
    found = _TOOL.search(own)
    word = found[1] if found else words[0] if len(words) == 1 else ""
    return word.lower() if word and is_command(word.lower()) else ""


def _command(last: Turn, is_command: Callable[[str], bool]) -> str:
    """Return the command of the earlier answer; "" if there was none."""
    name = last.references[0].partition("(")[0] if last.references else ""
    return name if name and is_command(name) else ""
