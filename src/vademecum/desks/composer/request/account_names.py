"""Find the accounts that a request names, and the words that name them."""

import re

from vademecum.desks.composer.request.frames import is_name
from vademecum.desks.composer.request.words.word import Word

ACCOUNT_NAME = re.compile(r"[a-zA-Z0-9_][a-zA-Z0-9._-]{0,31}")

_JOINING = frozenset(["called", "named", "for", "is", "as", "name", "user", "account", "be"])

_ADMINS = frozenset(["admin user", "sudo user", "sudoer", "administrator account", "admin account"])

_NO_NAMES = frozenset(
    ["management", "interface", "space", "data", "experience", "rights", "accounts", "account"]
)


class Account:
    """An account that a request speaks of."""

    def __init__(self, name: str, words: list[Word], *, wanted: bool) -> None:
        self.name, self.words, self.wanted = name, words, wanted
        self.details: dict[str, str] = {}
        self.groups: list[str] = []
        self.secret: str = ""
        self.leaves = False


_MODALS = frozenset(["may", "can", "must", "could", "would", "will", "might"])


def named_accounts(sentence: list[Word], known: dict[str, Account]) -> list[Account]:
    """The accounts that a sentence names."""
    found: list[Account] = []
    for at, word in enumerate(sentence):
        if word.used or word.mood != "wish":
            continue
        if word.account:
            name = word.term.token.text
            others = any(
                other.term.means("field", "group", "sudo", "shell", "home", "password", "age")
                for other in sentence
            )
            account = known.setdefault(name, Account(name, [word], wanted=word.wanted or others))
            account.leaves = any(
                other.norm == "out of" or (other.norm == "from" and not word.wanted) for other in sentence
            )
            account.words.append(word)
            word.used = True
            found.append(account)
            for other in sentence:
                if other.term.means("field", "account"):
                    other.used = True
            continue
        if word.term.means("field", "root_account"):
            account = known.setdefault("root", Account("root", [word], wanted=True))
            if not word.wanted or any(
                other.term.has("lock") and other.segment == word.segment for other in sentence
            ):
                account.details["lock"] = "yes"
            account.words.append(word)
            word.used = True
            found.append(account)
            continue
        if not word.term.means("field", "account"):
            if (
                word.term.means("mount", "/")
                and word.norm == "root"
                and any(
                    other.term.means("field", "password", "sudo") or other.term.token.kind == "secret"
                    for other in sentence
                    if other.segment == word.segment
                )
            ):
                account = known.setdefault("root", Account("root", [word], wanted=True))
                word.used = True
                found.append(account)
            continue
        names = _names_after(sentence, at) or _name_before(sentence, at)
        for name_word in names:
            name = name_word.term.text if not name_word.is_value else name_word.term.token.text
            if name_word.replaces and found:
                old = found.pop()
                known.pop(old.name, None)
            wanted = name_word.wanted and (word.wanted or not name_word.wanted)
            account = known.setdefault(name, Account(name, [name_word], wanted=wanted and word.wanted))
            account.words += [word] if name_word in account.words else [name_word, word]
            if word.norm in _ADMINS:
                account.details["sudo"] = "yes"
            if any(other.norm in {"unprivileged", "ordinary"} for other in sentence[max(0, at - 2) : at]):
                account.details["sudo"] = "no"
            if account not in found:
                found.append(account)
            name_word.used = True
        word.used = bool(names)
    return found


def _name_before(sentence: list[Word], at: int) -> list[Word]:
    before = sentence[at - 1] if at else None
    is_word = (
        before is not None
        and at > 1
        and sentence[at].norm == "account"
        and sentence[at - 2].term.has("article")
        and before.term.has("capability", "ability")
    )  # "the guest account"
    if (
        before is not None
        and before.segment == sentence[at].segment
        and (is_name(before) or is_word)
        and ACCOUNT_NAME.fullmatch(before.term.token.text)
    ):
        return [before]
    return []


def _names_after(sentence: list[Word], at: int) -> list[Word]:
    head = sentence[at]
    is_plural = head.norm.rstrip(" for").endswith("s") or head.term.text.lower().endswith(" for")
    found: list[Word] = []
    place = at + 1
    is_called = head.norm.endswith(("called", "named", "name"))
    while place < len(sentence) and place <= at + 3 and not found:
        word = sentence[place]
        if word.norm in _MODALS or (
            word.term.has("off", "on", "lock") and sentence[place - 1].term.has("copula")
        ):
            break  # "an account may use Docker", "the account is disabled"
        is_called = is_called or word.joint == ":"
        if word.norm in _JOINING or word.term.has("article", "copula"):
            is_called = is_called or word.norm in {"called", "named"}
            place += 1
            continue
        if may_be_name(word) or (
            is_called and word.term.token.kind == "word" and ACCOUNT_NAME.fullmatch(word.term.text)
        ):
            found.append(word)
        break
    if not found:
        return found
    for following in range(place + 1, len(sentence)):
        word = sentence[following]
        if word.replaces and is_name(word) and not is_plural:
            found[0].used = True
            return [word]
        if word.segment == sentence[following - 1].segment or word.joint not in {",", "and"}:
            if word.norm == "and" or word.term.has("correction", "negator"):
                continue
            if word.joint == "(":
                continue
        own = [other for other in sentence if other.segment == word.segment and other.norm != "and"]
        if (
            own[:1] == [word]
            and (is_name(word) or (is_plural and len(own) == 1 and may_be_name(word)))
            and (is_plural or word.term.token.kind == "quoted")
            and word.joint in {",", "and"}
        ):
            found.append(word)
    return found


def may_be_name(word: Word) -> bool:
    """Return whether a word right behind the word for an account may name one: even a known word may."""
    if word.used or word.mood != "wish":
        return False
    if word.term.token.kind == "quoted":
        return bool(ACCOUNT_NAME.fullmatch(word.term.token.text))
    if (
        word.norm in _NO_NAMES
        or word.term.has("not_account")
        or word.term.token.kind != "word"
        or not ACCOUNT_NAME.fullmatch(word.term.text)
    ):
        return False
    if not word.term.senses:
        return True
    return not word.term.has("negator", "removal", "article", "copula", "plural", "field", "conjunction")


def named_by_password(sentence: list[Word], known: dict[str, Account]) -> list[Account]:
    """As in "greta with the password ...": a name that nobody knows, right before a password."""
    found: list[Account] = []
    for at, word in enumerate(sentence):
        if word.term.token.kind != "secret" or word.used:
            continue
        if any(
            near.term.has("unavailable", "capability", "ability") for near in sentence[max(0, at - 6) : at]
        ):
            continue  # "our wireless network Gartenhaus, password ..."
        for other in reversed(sentence[max(0, at - 5) : at]):
            if other.term.means("field", "password") or other.norm in {
                "with",
                "the",
                "and",
                "is",
                "has",
                "a",
                *OWNERS,
            }:
                continue
            before = sentence[max(0, sentence.index(other) - 3) : sentence.index(other)]
            if before and before[-1].norm == "in":
                break  # a group, as in "carla in wheel, password ..."
            if any(near.term.means("field", "group", "shell", "home") for near in before):
                break
            if is_name(other) and ACCOUNT_NAME.fullmatch(other.term.token.text) and other.mood == "wish":
                account = known.setdefault(
                    other.term.token.text, Account(other.term.token.text, [other], wanted=True)
                )
                other.used = True
                found.append(account)
            break
    return found


OWNERS = frozenset(["her", "his", "their", "whose"])

ADMINISTRATORS = frozenset(["sudo", "wheel"])

PEOPLE = frozenset(["he", "she", "him", "her", "person"])


def is_group_name(word: Word) -> bool:
    """Return whether a word may name a group."""
    if word.norm in ADMINISTRATORS:
        return True
    if word.term.token.kind not in {"word", "quoted"} or not ACCOUNT_NAME.fullmatch(word.term.token.text):
        return False
    return not word.term.has(
        "article", "copula", "negator", "verb", "removal", "on", "off", "version", "distribution", "field"
    )
