"""Accounts: new ones, changed ones, renamed ones, and ones that go."""

import re
from collections.abc import Iterator

from vademecum.desks.composer.patterns import Pattern
from vademecum.desks.composer.reading.request import LIST_JOIN, QUOTED, Request, Span, unquoted
from vademecum.desks.composer.reading.word_lists import (
    NO_ACCOUNTS,
    NO_NAMES_OF_ACCOUNTS,
    ORDINARY_ACCOUNTS,
    OTHER_NAMED_THINGS,
)
from vademecum.desks.composer.wish import Wish

_NAME = rf"(?:{QUOTED}|[A-Za-z_][\w.-]{{0,40}}[\w]|[A-Za-z_])"
_ADJECTIVE = (
    r"(?:an?|the|one|another|new|extra|additional|second|third|default|local|normal|regular|ordinary|standard|unprivileged|non-root|"
    r"non-admin|login|service|system|admin(?:istrator|istrative)?|sudo|privileged|dedicated|operator|maintenance|single|sudo-enabled|unix|linux)"
)
_NOUN = r"(?:user|account|login|admin|administrator|operator)"
_CALLED = r"(?:\s*(?:,\s*)?(?:called|named|with\s+(?:the\s+)?(?:user\s?name|name|login)|whose\s+name\s+is|:|=|by\s+the\s+name\s+of)\s*)"

_NEW = Pattern(
    rf"(?<![\w-])(?P<adjectives>(?:{_ADJECTIVE}\s+)*)(?P<noun>(?:{_NOUN}\s+)?{_NOUN}(?P<plural>s)?(?:\s+account)?)(?:\s+name)?(?:{_CALLED}|\s+)"
    rf"(?P<names>{_NAME}(?:{LIST_JOIN}(?!an?\b|the\b|with\b)(?={_NAME})(?:user\s+)?{_NAME})*)"
)
_FOR = Pattern(
    rf"\b(?P<noun>(?:admin\s+|user\s+)?(?:account|login|user))\s+for\s+(?:a\s+|the\s+)?(?:user\s+)?(?P<names>{_NAME})"
)
_LOGS_IN = Pattern(
    rf"\b(?P<noun>log(?:s|ged)?\s+in|sign(?:s)?\s+in)\s+as\s+(?:the\s+user\s+|user\s+)?(?P<names>{_NAME})"
)
_PLAIN = Pattern(
    rf"(?<![\w-])(?P<noun>user)\s+(?P<names>{_NAME})(?=\s*(?:$|[,.;:!)]|with\b|and\b|who\b|in\b|has\b|having\b|without\b|is\b))"
)
_NOT_IN = Pattern(
    rf"\b(?P<name>{_NAME})\s+(?:should|must|shall|may)\s+(?:not|no\s+longer)\s+be\s+(?:a\s+member\s+of|in|part\s+of)\s+(?:the\s+)?(?:group\s+)?(?P<groups>[a-z][\w-]*)(?:\s+group)?"
)
_ATTRIBUTE_FOR = Pattern(
    rf"\b(?P<rest>(?:(?:login\s+|default\s+)?shell\s+\S+|home(?:\s+(?:directory|folder))?\s+/\S+|(?:the\s+)?groups?\s+[a-z][\w-]*(?:{LIST_JOIN}[a-z][\w-]*)*))\s+for\s+(?:the\s+)?(?:user\s+|account\s+)?(?P<name>{_NAME})"
)
_ONLY = Pattern(
    rf"\bonly\s+(?:the\s+)?(?:user\s+|account\s+)?(?P<name>{_NAME})\s+(?:user\s+)?(?:may|should|shall|can|must|is\s+to|needs\s+to)\s+(?:stay|remain|be\s+(?:kept|left))(?:\s+as\s+(?:an?\s+)?(?:user|account))?"
)
_ONLY_LAST = Pattern(rf"\busers?\b[^.;\n]{{0,80}}?,\s*only\s+(?P<name>{_NAME})\s*(?=$|[.;])")
_EXPIRY = Pattern(
    rf"\bpassword\s+(?:expiry|expiration|max(?:imum)?\s+age|rotation)\s+(?:for|of)\s+(?:the\s+)?(?:user\s+)?(?P<name>{_NAME})\D{{0,20}}(?P<days>\d{{1,4}})\s*days?"
)
_HIM = Pattern(
    r"\b(?:make|give|grant|let|put|add)\s+(?P<name>him|her|them|this\s+user|that\s+user|the\s+user)\s+(?P<rest>(?:(?:an?|the|full|to|in|into|use|have)\s+)*(?:sudo(?:er)?|admin(?:istrator)?|root|groups?\s+\S+|[a-z][\w-]*\s+group|docker)\b[^.;\n]{0,40})"
)
_AS = Pattern(
    rf"\b(?P<names>{_NAME})\s+as\s+(?:an?\s+|the\s+)?(?P<noun>(?:admin(?:istrator)?|sudo|default|login|normal|local|first|only|main)?\s*"
    r"(?:user|administrator|admin|account)\b)"
)
_RENAME = Pattern(
    rf"\b(?:rename|change)\s+(?:the\s+)(?P<old6>{_NAME})\s+(?:user|account)(?:'s\s+name)?\s+(?:in)?to\s+(?P<new6>{_NAME})"
    rf"|\b(?:the\s+)?user\s+(?:should|shall|must|ought\s+to)\s+be\s+(?:called|named)\s+(?P<new7>{_NAME})(?:\s+instead)?"
    rf"|\b(?:rename|change)\s+(?:the\s+)?(?:user(?:\s?name)?|account|login)(?:'s\s+name)?\s+(?:of\s+|from\s+)?(?P<old>{_NAME})\s+(?:in)?to\s+(?P<new>{_NAME})"
    rf"|\brename\s+(?P<old2>{_NAME})(?:'s\s+account)?\s+to\s+(?P<new2>{_NAME})(?=\s*(?:$|[.;,!]|and\b))"
    rf"|\bcall\s+(?:the\s+)?user\s+(?P<new3>{_NAME})\s+instead(?:\s+of\s+(?P<old3>{_NAME}))?"
    rf"|\b(?:change|set|make|rename)\s+(?:the\s+)?(?:user|user\s?name|login(?:\s+name)?|account(?:\s+name)?|default\s+user|admin\s+user)(?:'s\s+name|\s+name)?\s+(?:to(?:\s+be)?|into)\s+(?P<new4>{_NAME})"
    rf"|\b(?:user|account)\s+(?P<old5>{_NAME})\s+should\s+be\s+(?:called|named)\s+(?P<new5>{_NAME})"
)
_POSSESSIVE = Pattern(
    rf"\b(?P<name>{_NAME})'s\s+(?=(?:login\s+|default\s+|home\b|shell\b|groups?\b|pass))(?P<rest>[^.;\n]{{1,120}})"
)
_GIVE = Pattern(
    rf"\b(?P<verb>give|grant|allow|let|make|revoke|take|remove|deny)\s+(?:the\s+)?(?:user\s+|account\s+)?(?P<name>{_NAME})\s+"
    r"(?P<rest>(?:(?:an?|the|full|from|password-?less|root|have|use|run|to)\s+)*(?:sudo|admin(?:istrator)?|root|superuser)\b[^.;,\n]{0,40})"
)
_TAKE_FROM = Pattern(
    rf"\b(?:remove|revoke|take(?:\s+away)?|drop|withdraw)\s+(?:the\s+)?(?:sudo|admin|root)(?:\s+(?:rights?|access|privileges?|permissions?))?(?:\s+away)?\s+(?:from|of|for)\s+(?:the\s+)?(?:user\s+)?(?P<name>{_NAME})"
)
_TAKE_HIS = Pattern(
    rf"\b(?:remove|revoke|take(?:\s+away)?|drop|withdraw)\s+(?P<name>{_NAME})'s\s+(?:sudo|admin|root)(?:\s+(?:rights?|access|privileges?|permissions?))?(?:\s+away)?"
)
_SUDO_FOR = Pattern(
    rf"\b(?:sudo|admin|root)(?:\s+(?:rights?|access|privileges?|permissions?))?\s+(?:for|to)\s+(?:the\s+)?(?:user\s+)?(?P<name>{_NAME})"
)
_IN_GROUP = Pattern(
    rf"\b(?P<verb>add|put|append|remove|take|drop|delete)\s+(?:the\s+)?(?:user\s+|account\s+)?(?P<name>{_NAME})\s+(?P<way>to|in|into|from|out\s+of)\s+"
    rf"(?:the\s+)?(?:groups?\s+)?(?P<groups>{_NAME}(?:{LIST_JOIN}{_NAME})*)(?P<mark>\s+groups?)?"
)
_HAS = Pattern(
    rf"\b(?:user\s+)?(?P<name>{_NAME})\s+(?:should|must|shall|may|can|needs?(?:\s+to)?|gets?|has|wants?)\s+(?P<not>not\s+|no\s+longer\s+)?(?:have\s+|be\s+able\s+to\s+(?:use\s+)?|use\s+|run\s+|get\s+|be\s+an?\s+)?(?:sudo|admin(?:istrator)?|root)\b(?:\s+(?:rights?|access|privileges?|permissions?))?"
)

_SUDO = Pattern(
    r"\b(?P<not>(?:without|no|not|non|never|lacking|but\s+no)\s+(?:any\s+|an?\s+|have\s+)?)?(?:full\s+|password-?less\s+|root\s+)*"
    r"(?:sudo(?:er)?|sudoers|admin(?:istrator|istrative)?|root|super-?user|wheel)(?:\s+(?:rights?|access|privileges?|permissions?|powers?|account|user|group))?\b"
)
_GROUPS = Pattern(
    rf"(?:\b(?:in|to|of|into|and|with|member\s+of)\s+)?(?:the\s+)?\b(?:(?:supplementary\s+|additional\s+|extra\s+)?groups?\s*(?::|=|are\s+|should\s+be\s+|named\s+)?\s*(?P<after>{_NAME}(?:{LIST_JOIN}{_NAME})*)"
    rf"|(?:in|to|of|into)\s+(?:the\s+)?(?P<before>{_NAME}(?:{LIST_JOIN}(?:the\s+)?{_NAME})*)\s+groups?\b)"
    rf"|\b(?:in|member\s+of|belongs?\s+to|part\s+of)\s+(?:the\s+)?(?P<known>(?:docker|video|audio|render|dialout|plugdev|libvirt|kvm|adm|www-data|input|netdev|users|disk|gpio|i2c|lxd|podman|systemd-journal|wireshark|lpadmin)(?:{LIST_JOIN}{_NAME})*)"
)
_SHELL = Pattern(
    r"(?:\b(?:login\s+|default\s+)?shell\s*(?:is|of|to|should\s+be|set\s+to|:|=|being)?\s*(?P<one>/(?:usr/)?s?bin/[a-z]+|zsh|bash|fish|sh|dash|ksh|tcsh|nologin)\b"
    r"|(?:\b(?:with|using|on|to|uses?|gets?|has)\s+)?(?:the\s+)?(?P<two>/(?:usr/)?s?bin/(?:zsh|bash|fish|sh|dash|ksh|tcsh|nologin)|zsh|bash|fish|ksh|dash|tcsh|nologin)(?:\s+as\s+(?:its|the|their|his|her|a)?\s*|\s+)(?:login\s+|default\s+)?shell\b"
    r"|(?P<three>/(?:usr/)?s?bin/(?:zsh|bash|fish|sh|dash|ksh|tcsh|nologin|false)))"
)
_HOME = Pattern(
    r"\bhome(?:\s+(?:dir(?:ectory)?|folder))?\s*(?:in|at|is|of|under|to|should\s+be|:|=)?\s*(?P<home>/[\w./-]*\w)"
)
_AGE = Pattern(
    r"\bpassword\s+(?:must\s+be\s+changed|expires?|changes?|rotat\w+|(?:max(?:imum)?\s+)?age|valid)\D{0,20}(?P<days>\d{1,4})\s*days?"
)
_PASSWORD = Pattern(
    r"(?:\b(?:with|and|using|has|having|plus)\s+)?(?:(?:a|the|its|his|her)\s+)?(?:(?:pass\s?word|passwd|pass\s?phrase|pwd|pw)(?:\s+hash)?\s*(?:for\s+(?:user\s+)?[\w.-]+\s+)?(?:is|to|be|will\s+be|should\s+be|set\s+to|of|as|:|=)?\s*)?(?P<mark><password-\d+>)(?:\s+as\s+(?:the\s+|its\s+)?password)?"
)
_PASSWORD_OF = Pattern(
    rf"\b(?:pass\s?word|passwd|pw)\s+(?:for|of)\s+(?:the\s+)?(?:user\s+|account\s+)?(?P<name>{_NAME})|\b(?P<name2>{_NAME})'s\s+(?:pass\s?word|passwd)"
)
_BARE_NOUNS = Pattern(r"admin|administrator|operator")  # fmt: skip
_NOBODY = Pattern(
    r"\b(?:an?\s+)?(?P<what>admin(?:istrator)?|sudo|normal|regular|unprivileged|non-root)\s+(?:user|account|login)\b(?:\s+account)?"
)
_RIGHT = Pattern(r"[a-zA-Z0-9_][a-zA-Z0-9._-]{0,31}", flags=re.ASCII)

_TOPICS = (
    "user", "account", "login", "admin", "sudo", "group", "shell", "password", "operator", "root", "rename", "home",
    "him", "her", "them", "logs in", "log in", "docker", "expir",
)  # fmt: skip


def read(request: Request) -> Iterator[Wish]:
    """The wishes about accounts."""
    if not request.speaks_of(*_TOPICS):
        return
    yield from _renamed(request)
    yield from _each_with_his_own(request)
    yield from _changed(request)
    yield from _named(request)
    yield from _passwords(request)
    yield from _without_name(request)


_PRONOUNS = frozenset(["him", "her", "them", "he", "she", "they", "his", "their"])
_HIS = Pattern(
    r"\b(?:his|her|their)\s+(?=(?:login\s+|default\s+|home\b|shell\b|groups?\b|pass))(?P<rest>[^.;\n]{1,120})"
)


def _renamed(request: Request) -> Iterator[Wish]:
    for found in request.find(_RENAME):
        parts = found.groupdict()
        new = unquoted(
            next(
                (parts[key] for key in ("new", "new2", "new3", "new4", "new5", "new6", "new7") if parts[key]),
                "",
            )
        )
        old = unquoted(
            next((parts[key] for key in ("old", "old2", "old3", "old5", "old6") if parts[key]), "")
        )
        plain = bool(parts["old2"])
        if plain and (old.lower() in OTHER_NAMED_THINGS or new.lower() in NO_ACCOUNTS):
            continue
        if new.lower() in NO_ACCOUNTS:
            continue
        details = {"op": "rename", "old": old} | ({"maybe": "yes"} if plain else {})
        yield request.wish("user", new, found, details=details, note=_note(new))


_EACH = Pattern(
    rf"\b(?:users|accounts)\s*:?\s+(?P<list>{_NAME}\s*\([^()\n]{{1,80}}\)(?:{LIST_JOIN}{_NAME}\s*\([^()\n]{{1,80}}\)|\s*,?\s+and\s+{_NAME}(?=\s*(?:$|[.,;])))*)"
)
_ONE_OF_THEM = Pattern(rf"(?P<name>{_NAME})(?:\s*\((?P<rest>[^()\n]{{1,80}})\))?")


def _each_with_his_own(request: Request) -> Iterator[Wish]:
    """Accounts with what is said of each behind it in parentheses: users alice (sudo) and bob (docker group)."""
    for found in request.find(_EACH):
        start, end = found.span("list")
        at = start
        while one := _ONE_OF_THEM.search(request.left, at, end):
            at = one.end()
            if one["name"].lower() in {"and", "or"}:
                continue
            details: dict[str, str] = {}
            if one["rest"]:
                details = _attributes(request, Span(*one.span("rest")))
                known = re.fullmatch(r"(?:in\s+)?([a-z][\w-]*)(?:\s+group)?", one["rest"].strip())
                if not details and known:
                    details = {"groups": known[1]}
            yield request.wish("user", unquoted(one["name"]), one, details=details)
        request.take(*found.span())


def _changed(request: Request) -> Iterator[Wish]:
    for found in request.find(_IN_GROUP):
        groups = _listed(found["groups"])
        name = unquoted(found["name"])
        if name.lower() in _PRONOUNS:
            name = ""
        if (
            (name.lower() in NO_ACCOUNTS and found["name"][0] not in "\"'`")
            or not groups
            or (not found["mark"] and not re.search(r"\bgroups?\b", found[0], re.IGNORECASE))
        ):
            continue
        leaves = found["verb"].lower() in {"remove", "take", "drop", "delete"}
        details = {"op": "change", "groups-off" if leaves else "groups": ",".join(groups)}
        yield request.wish("user", name, found, details=details)
    for pattern in (_TAKE_HIS, _GIVE, _TAKE_FROM, _SUDO_FOR, _HAS):
        for found in request.find(pattern):
            name = unquoted(found["name"])
            if name.lower() in _PRONOUNS and request.in_session:
                name = ""
            elif name.lower() in NO_ACCOUNTS or name.lower() in NO_NAMES_OF_ACCOUNTS:
                continue
            verb = found.groupdict().get("verb") or ""
            off = (
                pattern in {_TAKE_FROM, _TAKE_HIS}
                or verb.lower() in {"revoke", "take", "remove", "deny"}
                or bool(found.groupdict().get("not"))
            )
            off = off or bool(re.search(r"\b(?:no|not)\b", found.groupdict().get("rest") or ""))
            yield request.wish("user", name, found, details={"op": "change", "sudo": "no" if off else "yes"})
    for found in request.find(_NOT_IN):
        if found["name"].lower() not in NO_ACCOUNTS and found["name"].lower() not in {"it", "image"}:
            yield request.wish(
                "user",
                unquoted(found["name"]),
                found,
                details={"op": "change", "groups-off": found["groups"]},
            )
    for found in request.find(_EXPIRY):
        yield request.wish(
            "user", unquoted(found["name"]), found, details={"op": "change", "age": found["days"]}
        )
    for found in request.find(_ONLY):
        if found["name"].lower() not in NO_ACCOUNTS:
            yield request.wish("user", unquoted(found["name"]), found, details={"op": "only"})
    for found in request.find(_ONLY_LAST):
        yield request.wish("user", unquoted(found["name"]), Span(*found.span("name")))
    for found in request.find(_ATTRIBUTE_FOR):
        if unquoted(found["name"]).lower() in NO_ACCOUNTS:
            continue
        name, start, end = unquoted(found["name"]), *found.span()
        if details := _attributes(request, Span(found.start("rest"), found.end("rest"))):
            yield request.wish("user", name, Span(start, end), details={"op": "change", **details})
    for found in request.find(_HIM):
        start, end = found.span()
        details = _attributes(request, Span(found.start("rest"), found.end("rest")))
        if "docker" in found["rest"].lower() and "groups" not in details and "sudo" not in details:
            details["groups"] = "docker"
        yield request.wish("user", "", Span(start, end), details={"op": "change", **details})
    for found in request.find(_HIS):
        if details := _attributes(request, Span(*found.span("rest"))):
            yield request.wish("user", "", Span(*found.span()), details={"op": "change", **details})
    for found in request.find(_POSSESSIVE):
        details = _attributes(request, Span(found.start("rest"), found.end("rest")))
        if details:
            yield request.wish(
                "user",
                unquoted(found["name"]),
                Span(found.start(), found.end("name") + 2),
                details={"op": "change", **details},
            )


def _named(request: Request) -> Iterator[Wish]:
    for pattern in (_LOGS_IN, _NEW, _PLAIN, _FOR, _AS):
        for found in request.find(pattern):
            noun = found["noun"].lower()
            names = _listed(found["names"])
            if not (found.groupdict().get("plural") or noun.endswith("s")):
                joined = re.match(rf"{_NAME}", found["names"], re.IGNORECASE)
                names = [unquoted(joined[0])] if joined else []
                end = found.start("names") + (joined.end() if joined else 0)
            else:
                end = found.end("names")
            names = (
                names[:1]
                if pattern is _PLAIN and names and names[0].lower() in ORDINARY_ACCOUNTS
                else _only_names(names)
            )
            if not names or (_BARE_NOUNS.fullmatch(noun) and not re.search(_CALLED, found[0], re.IGNORECASE)):
                continue
            adjectives = f"{found.groupdict().get('adjectives') or ''} {noun}".lower()
            wanted = request.is_wanted(found.start("names"))
            yield from _accounts(
                request,
                found,
                Span(found.start(), max(end, found.end()) if pattern is _AS else end),
                names,
                adjectives,
                wanted=wanted,
            )


def _accounts(
    request: Request, found: re.Match[str], span: Span, names: list[str], adjectives: str, *, wanted: bool
) -> Iterator[Wish]:
    clause = request.clause(span.end)
    following = _NEW.search(request.left, span.end)
    end = min(
        clause.end,
        following.start() if following and _only_names(_listed(following["names"])) else clause.end,
    )
    details: dict[str, str] = {}
    secret = None
    if wanted:
        details = _attributes(request, Span(span.end, end), behind=True)
        if (
            re.search(r"\b(?:admin\w*|sudo|privileged|sudo-enabled)\b", adjectives)
            and "unprivileged" not in adjectives
        ):
            details.setdefault("sudo", "yes")
        elif re.search(r"\b(?:unprivileged|non-root|non-admin)\b", adjectives):
            details.setdefault("sudo", "no")
        mark = details.pop("password", "")
        secret = request.secrets.get(mark)
    for at, name in enumerate(names):
        place = span if not at else Span(span.start, span.start)
        wish = request.wish(
            "user", name, place, wanted=wanted, details=details, note=_note(name), secret=secret
        )
        yield wish if not at else wish._replace(said=" ".join(request.text[found.start() : span.end].split()))


def _attributes(request: Request, span: Span, *, behind: bool = False) -> dict[str, str]:
    """What is said of an account in a stretch, which is taken out."""
    details: dict[str, str] = {}
    for name, pattern in (
        ("home", _HOME),
        ("shell", _SHELL),
        ("age", _AGE),
        ("password", _PASSWORD),
        ("groups", _GROUPS),
        ("sudo", _SUDO),
    ):
        found = pattern.search(request.left, span.start, span.end)
        if not found:
            continue
        if behind and name in {"sudo", "groups"} and _is_elsewhere(request.text, span.start, found.start()):
            continue
        if name == "home":
            details["home"] = found["home"]
        elif name == "shell":
            shell = (found["one"] or found["two"] or found["three"]).lower()
            details["shell"] = shell if shell.startswith("/") else _SHELLS.get(shell, f"/bin/{shell}")
        elif name == "age":
            details["age"] = found["days"]
        elif name == "password":
            details["password"] = found["mark"]
        elif name == "groups":
            groups = _listed(found["after"] or found["before"] or found["known"] or "")
            sudo = [one for one in groups if one in {"sudo", "wheel", "admin"}]
            groups = [one for one in groups if _RIGHT.fullmatch(one) and one.lower() not in NO_ACCOUNTS]
            if sudo:
                details["sudo"] = "yes"
            if groups:
                details["groups"] = ",".join(groups)
        else:
            details["sudo"] = "no" if found["not"] else details.get("sudo", "yes")
        request.take(found.start(), found.end())
    return details


_SHELLS = {"zsh": "/usr/bin/zsh", "fish": "/usr/bin/fish", "nologin": "/usr/sbin/nologin", "sh": "/bin/sh"}


def _is_elsewhere(text: str, start: int, at: int) -> bool:
    """Whether something new has begun between an account's name and a word, so that the word is of that."""
    between = text[start:at].lower()
    return len(between) > 90 or bool(
        re.search(r"\b(?:install\w*|packages?|include|disk|partition|hostname|kernel|image)\b", between)
    )


_MOST_PASSWORDS = 8


def _passwords(request: Request) -> Iterator[Wish]:
    """A password that is given to an account that stands elsewhere."""
    for number, found in enumerate(request.find(_PASSWORD)):
        if number >= _MOST_PASSWORDS:
            return
        clause = request.clause(found.start())
        owner = _PASSWORD_OF.search(request.text, clause.start, clause.end)
        name = unquoted(owner["name"] or owner["name2"]) if owner else ""
        secret = request.secrets.get(found["mark"])
        if owner and name.lower() not in NO_ACCOUNTS:
            request.take(*owner.span())
            yield request.wish("user", name, found, details={"op": "change"}, secret=secret)
        else:
            yield request.wish(
                "user",
                "root" if "root" in request.text[clause.start : clause.end].lower() else "",
                found,
                details={"op": "change"},
                secret=secret,
            )


def _without_name(request: Request) -> Iterator[Wish]:
    """An account of which only the kind is said: an admin user."""
    for found in request.find(_NOBODY):
        if not request.is_wanted(found.start()):
            continue
        sudo = "yes" if found["what"].lower().startswith(("admin", "sudo")) else "no"
        name = "admin" if sudo == "yes" else "user"
        yield request.wish(
            "user", name, found, details={"sudo": sudo}, note=f"no name was said, so it is called {name}"
        )


def _listed(text: str) -> list[str]:
    return [
        unquoted(re.sub(r"^(?:and|or|the|user)\s+", "", one.strip(), flags=re.IGNORECASE))
        for one in re.split(LIST_JOIN, text)
        if one.strip()
    ]


def _only_names(names: list[str]) -> list[str]:
    """The names up to the first word that is none."""
    found = []
    for name in names:
        if name.lower() in NO_ACCOUNTS:
            break
        found.append(name)
    return found


def _note(name: str) -> str:
    return "" if _RIGHT.fullmatch(name) else "invalid"
