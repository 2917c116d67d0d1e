"""Read the accounts of a request: names, passwords, groups, sudo, shells, locking."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from vademecum.desks.composer.request.account_names import (
    ACCOUNT_NAME,
    ADMINISTRATORS,
    PEOPLE,
    Account,
    is_group_name,
    may_be_name,
    named_accounts,
    named_by_password,
)
from vademecum.desks.composer.request.frames import Frame, is_open
from vademecum.desks.composer.request.words.word import Word

_SHELLS = {
    "bash": "/bin",
    "dash": "/bin",
    "sh": "/bin",
    "zsh": "/usr/bin",
    "fish": "/usr/bin",
    "ksh": "/usr/bin",
}


def read_accounts(frame: Frame) -> None:
    """Make wishes of all that is said of accounts."""
    known: dict[str, Account] = {}
    for sentence in frame.sentences():
        _mark_known(frame, sentence)
        _locked(sentence, known)
        speaks = any(word.norm in PEOPLE for word in sentence) and any(
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
        current = named_accounts(sentence, known)
        current += [account for account in named_by_password(sentence, known) if account not in current]
        _without_sudo(frame, current)
        _locked_by_predicate(frame, current)
        _passwords_in_turn(sentence, current, known)
        for at, word in enumerate(sentence[:-2]):  # "carla in wheel"
            account = known.get(word.term.token.text)
            group = sentence[at + 2]
            if account and sentence[at + 1].norm == "in" and group.norm in ADMINISTRATORS and not group.used:
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
        if account.name == "root" and not account.wanted:
            account.wanted, account.details["lock"] = True, "yes"  # nobody is to log in as root
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


_LOCKING = ("locked", "lock", "disabled", "deactivated", "password disabled", "password locked")


def _locked_by_predicate(frame: Frame, current: Sequence[Account]) -> None:
    """As in "the user backup is locked": it is there, and nobody logs in to it."""
    for account in current:
        since = min((word.since for word in account.words if word.since >= 0), default=-1)
        if not account.wanted and since >= 0 and frame.text[since:].lower().startswith(_LOCKING):
            account.wanted, account.details["lock"] = True, "yes"


def _passwords_in_turn(
    sentence: Sequence[Word], current: Sequence[Account], known: dict[str, Account]
) -> None:
    """As in "passwords X, Y and Z respectively": as many as there are accounts, in their order."""
    marks = [word for word in sentence if word.term.token.kind == "secret" and not word.used]
    accounts = [account for account in current or known.values() if account.wanted and account.name != "root"]
    if (
        len(marks) < 2
        or len(marks) != len(accounts)
        or not any(word.norm == "passwords" for word in sentence)
    ):
        return
    for account, word in zip(accounts, marks, strict=True):
        account.secret, word.used = word.term.text, True
        account.words.append(word)
    for word in sentence:
        word.used = word.used or word.norm in {"passwords", "respectively"}


def _without_sudo(frame: Frame, current: Sequence[Account]) -> None:
    """As in "an account bob with sudo and another account eve without": it is there."""
    for account in current:
        end = max(word.term.end for word in account.words)
        if not account.wanted and _WITHOUT.match(frame.text, end):
            account.wanted, account.details["sudo"] = True, "no"


_WITHOUT = re.compile(r"\s+without(?: it| one| sudo)?\s*(?:[,.;)]|$|and\b)", re.IGNORECASE)


def _is_account_word(word: Word) -> bool:
    return word.account or (
        word.mood == "wish" and not word.used and word.term.means("field", "account", "root_account", "sudo")
    )


def _continues(sentence: Sequence[Word]) -> bool:
    return any(
        word.term.means("field", "group", "sudo", "shell", "home", "password", "age") or word.norm == "sudoer"
        for word in sentence
    )


_GROUPS = frozenset(["wheel", "adm", "dialout", "plugdev", "lxd", "render", "input", "libvirt"])
"""Groups that are known without the word for it: "user amara, password ..., wheel"."""

_ORDINALS = {"first": 0, "second": 1, "third": 2, "last": -1}


def _by_number(frame: Frame, sentence: Sequence[Word]) -> None:
    """As in "forget the second account": an account of the template by its place."""
    names = [name for name in frame.context.accounts if name != "root"]
    for word, following in pairwise(sentence):
        place = _ORDINALS.get(word.norm)
        if (
            place is not None
            and is_open(word)
            and following.norm in {"account", "user", "login"}
            and -len(names) <= place < len(names)
        ):
            token = following.term.token._replace(text=names[place])
            following.term, following.account = following.term._replace(token=token, senses=()), True
            word.used = True


def _mark_known(frame: Frame, sentence: Sequence[Word]) -> None:
    """Names of accounts of the template, where a sentence says something of accounts or rules them out."""
    _by_number(frame, sentence)
    says = any(
        word.term.means("field", "account", "group", "sudo", "shell", "password", "age", "root_account")
        for word in sentence
    )
    for word in sentence:
        name = word.term.token.text
        if name[:1].isupper() and name.lower() in frame.context.accounts:  # "Bob has left us"
            name = name.lower()
        if name not in frame.context.accounts or word.used or word.term.text.lower() != word.term.token.norm:
            continue
        word.term = word.term._replace(token=word.term.token._replace(text=name))
        owns = word.term.end < len(frame.text) and frame.text[word.term.end :].startswith(("'s ", "'s\n"))
        if says or owns or not word.wanted or (not word.term.senses and word.term.token.kind == "word"):
            word.account = True


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
                and may_be_name(following)
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
            and ACCOUNT_NAME.fullmatch(word.term.token.text)
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
            _password(frame, sentence, at, current, known)
        elif (word.term.means("field", "sudo") or word.norm == "sudoer") and targets:
            for target in targets:
                target.details["sudo"] = "yes" if word.wanted else "no"
                target.words.append(word)
            word.used = True
        elif (
            word.norm in _GROUPS
            and targets
            and [
                other.norm
                for other in sentence
                if other.segment == word.segment and not other.term.has("article")
            ]
            == [word.norm]
        ):
            for target in targets:
                target.groups.append(word.norm)
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
        elif word.term.means("field", "shell") and targets and not word.wanted:
            targets[-1].details["shell"] = "/usr/sbin/nologin"
            targets[-1].words.append(word)
            word.used = True
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


def _locked(sentence: list[Word], known: dict[str, Account]) -> None:
    """As in "lock root", "the password of root must be locked"."""
    roots = [word for word in sentence if word.norm in {"root", "for root"} and not word.used]
    verbs = [word for word in sentence if word.term.has("lock") or word.norm in {"locked", "lock"}]
    logins = [word for word in sentence if word.norm in {"log in", "login", "able to log in"}]
    denied = bool(logins) and any(word.term.has("negator", "off") for word in sentence)
    denied = denied or any(
        word.term.means("field", "password") and not word.wanted and word.segment == root.segment
        for word in sentence
        for root in roots
    )  # "no password for root"
    has_secret = any(
        word.term.token.kind == "secret" and word.segment == root.segment
        for word in sentence
        for root in roots
    )
    if roots and (verbs or denied) and not has_secret:
        account = known.setdefault("root", Account("root", [*roots], wanted=True))
        account.details["lock"] = "yes"
        for word in (*roots, *verbs, *logins):
            word.used = True
            account.words.append(word)
        for word in sentence:
            is_near = word.segment == roots[0].segment
            if (word.term.means("field", "password") and word.clause == roots[0].clause) or (
                word.term.means("field", "account", "root_account") and is_near
            ):
                word.used = True
    elif verbs and known and any(word.term.means("field", "account") for word in sentence):
        account = next(reversed(known.values()))
        account.details["lock"] = "yes"
        for word in sentence:
            word.used = word.used or word.term.has("lock") or word.term.means("field", "account")


def _password(
    frame: Frame, sentence: Sequence[Word], at: int, current: Sequence[Account], known: dict[str, Account]
) -> None:
    """A password is that of the account that is named with it, else of the nearest one before it that is not locked, else of the next one."""
    word, last = sentence[at], next(reversed(known.values()), None)
    candidates = [account for account in current if not account.details.get("lock") and account.wanted]
    before = [account for account in candidates if account.words[0].term.start < word.term.start]
    targets = [*before[-1:]] or candidates[:1]
    if not targets and last is not None and not current and not last.details.get("lock"):
        targets = [last]
    near = list(_up_to_secret(sentence[:at]))
    named = [known[other.term.token.text] for other in near if other.term.token.text in known]
    everybody = [account for account in known.values() if account.wanted and account.name != "root"]
    shared = any(other.norm in {"both", "each", "all", "same", "everybody", "everyone"} for other in near)
    if shared and len(everybody) > 1:
        targets = everybody
    elif named and any(
        other.norm in {"of", "for", "is"} or other.term.means("field", "password") for other in near
    ):
        targets = named[:1]
    if not targets or any(account.secret not in {"", word.term.text} for account in targets):
        frame.ask_whose(word)
        return
    for account in targets:
        account.secret = word.term.text
        account.words.append(word)
    word.used = True


def _up_to_secret(words: Sequence[Word]) -> Iterator[Word]:
    """Words backwards, up to the password before."""
    for word in reversed(words):
        if word.term.token.kind == "secret":
            return
        yield word


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
            or not is_group_name(word)
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
        if word.used or not is_group_name(word) or (not found and word.segment != head.segment):
            break
        if found and found[-1].segment == word.segment:
            break
        found.append(word)
    return found[::-1]
