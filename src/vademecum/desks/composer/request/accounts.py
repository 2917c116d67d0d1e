"""Accounts of a request: names, passwords, groups, sudo, shells, locking."""

import re
from collections.abc import Sequence

from vademecum.desks.composer.request.clauses import Word
from vademecum.desks.composer.request.frames import Frame, is_name

_NAME = re.compile(r"[a-zA-Z0-9_][a-zA-Z0-9._-]{0,31}")
_JOINING = frozenset(["called", "named", "for", "is", "as", "name", "user", "account", "be"])
_SHELLS = {
    "bash": "/bin",
    "dash": "/bin",
    "sh": "/bin",
    "zsh": "/usr/bin",
    "fish": "/usr/bin",
    "ksh": "/usr/bin",
}
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


def read_accounts(frame: Frame) -> None:
    """Make wishes of all that is said of accounts."""
    known: dict[str, Account] = {}
    if _only(frame):
        return
    for sentence in frame.sentences():
        _mark_known(frame, sentence)
        _locked(sentence, known)
        speaks = any(word.norm in _PEOPLE for word in sentence) and any(
            word.term.means("field", "called") for word in sentence
        )
        if (
            not speaks
            and not any(_is_account_word(word) or word.term.token.kind == "secret" for word in sentence)
            and not (known and _continues(sentence))
        ):
            continue
        if _renamed(frame, sentence):
            continue
        current = _named(sentence, known)
        current += _called_person(sentence, known)
        current += [account for account in _named_by_password(sentence, known) if account not in current]
        for at, word in enumerate(sentence[:-2]):  # "carla in wheel"
            account = known.get(word.term.token.text)
            group = sentence[at + 2]
            if account and sentence[at + 1].norm == "in" and group.norm in _ADMINISTRATORS and not group.used:
                account.groups.append(group.term.token.text)
                group.used = True
        if not current and not known and frame.in_session and _continues(sentence):
            known[""] = Account("", [next(word for word in sentence if not word.used)], wanted=True)
            known[""].details["op"] = "change"
            known[""].words.clear()
        _attributes(frame, sentence, current, known)
    for account in known.values():
        if not account.words:
            continue
        details = dict(account.details)
        if account.name in frame.context.accounts and details and not account.details.get("op"):
            details["op"] = "change"
        if account.groups:
            details["groups"] = ",".join(dict.fromkeys(account.groups))
        secret = frame.secrets.get(account.secret)
        frame.wish(
            "user",
            account.name,
            account.words,
            wanted=account.wanted,
            secret=secret,
            **{key.replace("-", "_"): value for key, value in details.items()},
        )


def _is_account_word(word: Word) -> bool:
    return word.account or (
        word.mood == "wish" and not word.used and word.term.means("field", "account", "root_account", "sudo")
    )


def _continues(sentence: Sequence[Word]) -> bool:
    return any(
        word.term.means("field", "group", "sudo", "shell", "home", "password", "age") or word.norm == "sudoer"
        for word in sentence
    )


def _mark_known(frame: Frame, sentence: Sequence[Word]) -> None:
    """Names of accounts of the template, where a sentence says something of accounts or rules them out."""
    says = any(
        word.term.means("field", "account", "group", "sudo", "shell", "password", "age", "root_account")
        for word in sentence
    )
    for word in sentence:
        name = word.term.token.text
        if name not in frame.context.accounts or word.used or word.term.text.lower() != word.term.token.norm:
            continue
        owns = word.term.end < len(frame.text) and frame.text[word.term.end :].startswith(("'s ", "'s\n"))
        if says or owns or not word.wanted or (not word.term.senses and word.term.token.kind == "word"):
            word.account = True


def _only(frame: Frame) -> bool:
    """As in "Only admin may stay as a user": all other accounts go."""
    for sentence in frame.sentences():
        named = [word for word in sentence if word.term.token.text in frame.context.accounts]
        heads = [word for word in sentence if word.term.means("field", "account")]
        if (
            len(named) == 1
            and heads
            and any(word.norm in {"only", "just"} for word in sentence)
            and any(
                word.norm in {"stay", "stays", "remain", "remains", "keep", "left"} or word.term.has("copula")
                for word in sentence
            )
            and not any(word.term.means("field", "sudo") for word in sentence)
        ):
            frame.wish("user", named[0].term.token.text, [named[0], *heads], wanted=True, op="only")
            return True
    return False


_RENAMING = frozenset(["rename", "called", "named", "call", "name", "renamed", "should be called"])


def _renamed(frame: Frame, sentence: list[Word]) -> bool:
    """As in "rename anna to annette", "the user should be called ops instead"."""
    if not frame.in_session or not any(
        word.norm in _RENAMING or word.term.means("field", "called") for word in sentence
    ):
        return False
    old = next((word for word in sentence if word.account), None)
    if old is None:  # "rename user bob to alice"
        for place, word in enumerate(sentence[:-1]):
            following = sentence[place + 1]
            if (
                word.term.means("field", "account")
                and following.norm != "to"
                and _may_be_name(following, direct=True)
                and any(other.norm == "to" for other in sentence[place + 2 :])
            ):
                old = following
                break
    heads = [
        word
        for word in sentence
        if word.term.means("field", "account") and not word.norm.endswith(("called", "named"))
    ]
    called = next(
        (
            word
            for word in sentence
            if word.norm in {"to", "called", "named"}
            or word.term.means("field", "called")
            or (word.term.means("field", "account") and word.norm.endswith(("called", "named")))
        ),
        None,
    )
    is_rename = any(word.norm in {"rename", "renamed"} for word in sentence)
    instead = any(word.norm in {"instead", "now", "rather"} for word in sentence) or any(
        word.norm.startswith("should be") or word.norm in {"should", "shall", "must"} for word in sentence
    )
    if called is None or not (old is not None or heads) or not (is_rename or instead):
        return False
    at = sentence.index(called)
    new = next(
        (
            word
            for word in sentence[at + 1 : at + 4]
            if word.term.token.kind in {"word", "quoted"}
            and word is not old
            and not word.term.has("article", "copula")
            and _NAME.fullmatch(word.term.token.text)
        ),
        None,
    )
    if new is None:
        return False
    words = [word for word in (old, *heads, called, new) if word is not None]
    frame.wish(
        "user", new.term.token.text, words, wanted=True, op="rename", old=old.term.token.text if old else ""
    )
    for word in sentence:
        word.used = (
            word.used
            or word.term.has("field", "account", "mount")
            or word.norm == "instead"
            or word.term.has("rest")
        )
    return True


def _named(sentence: list[Word], known: dict[str, Account]) -> list[Account]:
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
            in_group = _joined_group(sentence, at)
            account = known.setdefault(
                name, Account(name, [word], wanted=word.wanted or others or in_group is not None)
            )
            account.leaves = any(
                other.norm == "out of" or (other.norm == "from" and not word.wanted) for other in sentence
            )
            if in_group is not None:
                key = "groups" if in_group.wanted and word.wanted else "groups-off"
                account.details[key] = in_group.term.token.text
                account.words.append(in_group)
                in_group.used = True
            account.words.append(word)
            word.used = True
            found.append(account)
            for other in sentence:
                if other.term.means("field", "account"):
                    other.used = True
            continue
        if word.term.means("field", "root_account"):
            account = known.setdefault("root", Account("root", [word], wanted=True))
            if not word.wanted:
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
            account.words.append(word)
            if word.norm in _ADMINS:
                account.details["sudo"] = "yes"
            if any(other.norm in {"unprivileged", "ordinary"} for other in sentence[max(0, at - 2) : at]):
                account.details["sudo"] = "no"
            found.append(account)
            name_word.used = True
        word.used = bool(names)
    return found


def _joined_group(sentence: Sequence[Word], at: int) -> Word | None:
    """As in "admin should not be in docker": the group, where no word says that it is one."""
    if any(word.term.means("field", "group") for word in sentence):
        return None
    for place in range(at + 1, len(sentence) - 1):
        if (
            sentence[place].norm == "in"
            and _is_group_name(sentence[place + 1])
            and sentence[place + 1].segment == sentence[at].segment
        ):
            return sentence[place + 1]
    return None


def _names_after(sentence: list[Word], at: int) -> list[Word]:
    head = sentence[at]
    is_plural = head.norm.rstrip(" for").endswith("s") or head.term.text.lower().endswith(" for")
    found: list[Word] = []
    place = at + 1
    is_called = head.norm.endswith(("called", "named", "name"))
    while place < len(sentence) and place <= at + 3 and not found:
        word = sentence[place]
        is_called = is_called or word.joint == ":"
        if word.norm in _JOINING or word.term.has("article", "copula"):
            is_called = is_called or word.norm in {"called", "named"}
            place += 1
            continue
        if _may_be_name(word, direct=True) or (
            is_called and word.term.token.kind == "word" and _NAME.fullmatch(word.term.text)
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
            and (is_name(word) or (is_plural and len(own) == 1 and _may_be_name(word, direct=True)))
            and (is_plural or word.term.token.kind == "quoted")
            and word.joint in {",", "and"}
        ):
            found.append(word)
    return found


def _may_be_name(word: Word, *, direct: bool) -> bool:
    if word.used or word.mood != "wish":
        return False
    if word.term.token.kind == "quoted":
        return bool(_NAME.fullmatch(word.term.token.text))
    if (
        word.norm in _NO_NAMES
        or word.term.has("not_account")
        or word.term.token.kind != "word"
        or not _NAME.fullmatch(word.term.text)
    ):
        return False
    if not word.term.senses:
        return True
    return direct and not word.term.has(
        "negator", "removal", "article", "copula", "plural", "field", "conjunction"
    )


def _name_before(sentence: list[Word], at: int) -> list[Word]:
    before = sentence[at - 1] if at else None
    if (
        before is not None
        and before.segment == sentence[at].segment
        and is_name(before)
        and _NAME.fullmatch(before.term.token.text)
    ):
        return [before]
    return []


def _attributes(
    frame: Frame, sentence: list[Word], current: list[Account], known: dict[str, Account]
) -> None:
    """What a sentence says of its accounts."""
    last = current[0] if current else next(reversed(known.values()), None)
    everybody = False
    for at, word in enumerate(sentence):
        if word.mood != "wish":
            continue
        own = next((account for account in current if word in account.words), None)
        if own is not None:
            last, everybody = own, False
        if word.used:
            continue
        named = next((account for account in known.values() if account.name == word.term.token.text), None)
        if named is not None and not word.term.senses:
            last, everybody, word.used = named, False, True
            named.words.append(word)
        everybody = everybody or (word.term.has("plural") and len(current) > 1)
        targets = (current if everybody and current else [last]) if last else []
        if word.term.token.kind == "secret":
            _password(frame, word, current, last)
        elif (word.term.means("field", "sudo") or word.norm == "sudoer") and targets:
            for target in targets:
                target.details["sudo"] = "yes" if word.wanted else "no"
                target.words.append(word)
            word.used = True
        elif word.term.means("field", "group") and targets:
            for name in _group_names(sentence, at):
                for target in targets:
                    if name.wanted and not target.leaves:
                        target.groups.append(name.term.token.text if name.is_value else name.term.text)
                    else:
                        target.details["groups-off"] = name.term.token.text
                    target.words.append(name)
                name.used = True
            word.used = True
            targets[0].words.append(word)
        elif word.term.means("field", "shell", "home") and targets:
            path = next(
                (other for other in sentence[at + 1 : at + 4] if other.term.token.kind == "path"), None
            )
            named_shell = next(
                (
                    other
                    for other in (*reversed(sentence[:at]), *sentence[at + 1 :])
                    if other.norm in _SHELLS and abs(sentence.index(other) - at) <= 3
                ),
                None,
            )
            if path is None and word.term.means("field", "shell") and named_shell is not None:
                targets[-1].details["shell"] = f"{_SHELLS[named_shell.norm]}/{named_shell.norm}"
                targets[-1].words += [word, named_shell]
                word.used = True
            if path is not None:
                targets[-1].details[(word.term.means("field", "shell") and "shell") or "home"] = (
                    path.term.text
                )
                targets[-1].words += [word, path]
                word.used = path.used = True
        elif word.term.means("field", "age") and targets:
            number = next(
                (other for other in sentence[at + 1 : at + 4] if other.term.token.kind == "number"), None
            )
            if number is not None:
                targets[-1].details["age"] = number.norm
                targets[-1].words += [word, number]
                word.used = number.used = True
        elif word.term.means("field", "password") and targets:
            if not word.wanted and not any(
                other.term.token.kind == "secret" for other in sentence if other.segment == word.segment
            ):
                word.used = True  # "no password": an account without one
            elif any(other.term.token.kind == "secret" for other in sentence):
                word.used = True


def _named_by_password(sentence: list[Word], known: dict[str, Account]) -> list[Account]:
    """As in "greta with the password ...": a name that nobody knows, right before a password."""
    found: list[Account] = []
    for at, word in enumerate(sentence):
        if word.term.token.kind != "secret" or word.used:
            continue
        for other in reversed(sentence[max(0, at - 5) : at]):
            if other.term.means("field", "password") or other.norm in {
                "with",
                "the",
                "and",
                "is",
                "has",
                "a",
                *_OWNERS,
            }:
                continue
            before = sentence[max(0, sentence.index(other) - 3) : sentence.index(other)]
            if before and before[-1].norm == "in":
                break  # a group, as in "carla in wheel, password ..."
            if any(near.term.means("field", "group", "shell", "home") for near in before):
                break
            if is_name(other) and _NAME.fullmatch(other.term.token.text) and other.mood == "wish":
                account = known.setdefault(
                    other.term.token.text, Account(other.term.token.text, [other], wanted=True)
                )
                other.used = True
                found.append(account)
            break
    return found


_OWNERS = frozenset(["her", "his", "their", "whose"])
_ADMINISTRATORS = frozenset(["sudo", "wheel"])
_PEOPLE = frozenset(["he", "she", "him", "her", "person"])


def _called_person(sentence: list[Word], known: dict[str, Account]) -> list[Account]:
    """As in "she is called erna"."""
    for at, word in enumerate(sentence[:-1]):
        if not word.term.means("field", "called"):
            continue
        name = sentence[at + 1]
        before = {other.norm for other in sentence[:at]}
        if (
            before & _PEOPLE
            and name.term.token.kind in {"word", "quoted"}
            and _NAME.fullmatch(name.term.token.text)
        ):
            account = known.setdefault(
                name.term.token.text, Account(name.term.token.text, [name], wanted=True)
            )
            word.used = name.used = True
            return [account]
    return []


def _locked(sentence: list[Word], known: dict[str, Account]) -> None:
    """As in "lock root", "the password of root must be locked"."""
    roots = [word for word in sentence if word.norm == "root" and not word.used]
    verbs = [word for word in sentence if word.term.has("lock") or word.norm in {"locked", "lock"}]
    logins = [word for word in sentence if word.norm in {"log in", "login", "able to log in"}]
    denied = bool(logins) and any(word.term.has("negator", "off") for word in sentence)
    if roots and (verbs or denied) and not any(word.term.token.kind == "secret" for word in sentence):
        account = known.setdefault("root", Account("root", [*roots], wanted=True))
        account.details["lock"] = "yes"
        for word in (*roots, *verbs, *logins):
            word.used = True
            account.words.append(word)
        for word in sentence:
            if word.term.means("field", "password", "account", "root_account"):
                word.used = True
    elif verbs and known and any(word.term.means("field", "account") for word in sentence):
        account = next(reversed(known.values()))
        account.details["lock"] = "yes"
        for word in sentence:
            word.used = word.used or word.term.has("lock") or word.term.means("field", "account")


def _password(frame: Frame, word: Word, current: Sequence[Account], last: Account | None) -> None:
    """A password is that of the nearest account before it that is not locked, else of the next one after it."""
    candidates = [account for account in current if not account.details.get("lock") and account.wanted]
    before = [account for account in candidates if account.words[0].term.start < word.term.start]
    target = before[-1] if before else candidates[0] if candidates else None
    if target is None and last is not None and not current and not last.details.get("lock"):
        target = last
    if target is None or (target.secret and target.secret != word.term.text):
        frame.unclear("Whose password is it? Name the account.", [word])
        return
    target.secret = word.term.text
    target.words.append(word)
    word.used = True


def _group_names(sentence: Sequence[Word], at: int) -> list[Word]:
    """The names behind or before the word for groups."""
    head = sentence[at]
    found: list[Word] = []
    for place in range(at + 1, len(sentence)):
        word = sentence[place]
        if word.norm in {"and", "is", "the", "of", "or"} or (
            word.term.has("article", "copula") and not found
        ):
            continue
        if (
            word.used
            or not _is_group_name(word)
            or (found and word.joint not in {",", "and"} and word.segment != found[-1].segment)
        ):
            break
        if found and word.segment == found[-1].segment:
            break
        found.append(word)
    if found:
        return found
    for word in reversed(sentence[:at]):  # "in the docker and video groups"
        if word.norm == "and":
            continue
        if word.used or not _is_group_name(word) or (not found and word.segment != head.segment):
            break
        if found and found[-1].segment == word.segment:
            break
        found.append(word)
    return found[::-1]


def _is_group_name(word: Word) -> bool:
    if word.norm in _ADMINISTRATORS:
        return True
    if word.term.token.kind not in {"word", "quoted"} or not _NAME.fullmatch(word.term.token.text):
        return False
    return not word.term.has(
        "article", "copula", "negator", "verb", "removal", "on", "off", "version", "distribution", "field"
    )
