"""Replace passwords in a request by placeholders, before anything reads, stores, logs or sends it."""

import re
from typing import NamedTuple

from vademecum.desks.composer.wish import Secret
from vademecum.text.patterns import Pattern

_NO_SECRETS = (
    r"(?:a|an|and|any|are|as|at|authentication|auth|based|be|by|can|change[sd]?|complexity|expir\w*|age|field|file|for|from|hash(?:es|ed)?|"
    r"has|have|he|if|in|instead|is|it|its|less|let|login|logins|manager|managers|may|must|needed|nor|not|of|off|on|or|policy|prompt|prompts|"
    r"protected|protection|quality|please|required|rotation|rules?|safe|set|she|shall|should|so|store|strength|that|the|then|they|this|to|"
    r"too|unlock|vault|when|where|which|will|with|without|would|you|no|never|at|every|after|entry|"
    r"locked|disabled|enabled|blocked|empty|blank|unset|removed|forbidden|strong|secure|long|complex|random|different|new|unknown|unlocked|reset|allowed|protected|up|out|another|other|typed|entered|asked|prompted|given|supplied|chosen|stored|kept|known|printed|shared|generated|encrypted|hashed|only|once|each|during|"
    r"impossible|possible|accepted|accept|refused|rejected|denied|valid|invalid|read|comes|lies|sits|by|stays|remains|stands|goes|gets|later|myself|manually|interactively|before|we|i|but|also|again|here|there)"
)
_VALUE = r"(?!\(|-[a-z]\b)(?P<value>\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'|`[^`\n]{1,200}`|[^\s\"'`,;]{1,200}[^\s\"'`,;.)]|[^\s\"'`,;.)])"
_NOUN = r"(?:pass\s?words?|passwd|paswd|pasword|passwort|pass\s?phrase|pass\s?code|pwd|pw|psk|pin\s+code|api[ _-]?key|secret(?:\s+key)?|auth\s+token|access\s+token|credential)"
_MIXED = r"(?![a-z]{2}_[A-Z]{2}\b)(?=[^\s,;()/]*[A-Z])(?=[^\s,;()/]*[a-z])(?=[^\s,;()/]*[\d!?&#%+])[A-Za-z0-9][^\s,;()/]{4,60}[^\s,;()/.:]"
"""What nobody takes for a word: upper and lower case with digits or signs ("Quarz-77-Linde")."""

_PATTERNS = (
    Pattern(rf"(?P<noun>\(\s*{_NOUN})(?P<joint>\s*[:=]?\s+)(?P<value>[^\s()]{{1,200}}(?<![.,;]))(?=\))"),
    Pattern(
        rf"(?P<noun>\b{_NOUN})\b(?P<between>\s+(?:for|of)\s+(?:the\s+)?(?:user\s+|account\s+)?[\w.-]{{1,40}})?\s*"
        rf"(?P<joint>(?:(?:is|be|to|of|will\s+be|should\s+be|shall\s+be|must\s+be|set\s+to|being|as)\s+|[:=]\s*)+)(?!{_NO_SECRETS}\b){_VALUE}"
        r"(?![^\s,;.)]|\s+(?:must|should|shall|is|has\s+to|needs\s+to)\b)",
    ),
    Pattern(rf"(?P<noun>\b(?:{_NOUN}))\s+(?P<joint>)(?!{_NO_SECRETS}\b){_VALUE}"),
    Pattern(r"(?P<noun>--(?:password|passwd|pass|token|secret))[= ](?P<joint>)" + _VALUE),
    Pattern(rf"(?P<joint>)\b(?P<noun>(?:with|use|using|set)\s+)(?!{_NO_SECRETS}\b){_VALUE}(?=\s+(?:as|for)\s+(?:the\s+|its\s+|his\s+|her\s+|their\s+|a\s+)?{_NOUN}\b)"),
    Pattern(r"(?P<noun>\b(?:accounts?|users?|logins?)\b[^\n.;]{0,80}?[\s:,(][A-Za-z_][\w-]{0,31})(?P<joint>/)(?P<value>(?=[^\s,;()/]*[\d!#$%&*?@^~-])[^\s,;()/]{4,200})"),
    Pattern(rf"(?P<noun>\b(?:[Aa]ccounts?|[Uu]sers?|[Ll]ogins?|[Pp]eople|[Pp]erson|[Pp]upils?)\b[^\n]{{0,160}}?[\w)]\s?[/(]\s*)(?P<joint>)(?P<value>{_MIXED})", flags=0),
    Pattern(rf"(?P<noun>\b[a-z][\w-]*\s+with\s+)(?P<joint>)(?![A-Z][a-z]+-?\d+(?![\w-]))(?P<value>{_MIXED})", flags=0),
    Pattern(r"(?P<noun><password-\d+>[^.\n]{0,60}\b[A-Za-z][\w-]*['’]s\s+is\s+)(?P<joint>)(?P<value>(?=[^\s,;]*\d)(?=[^\s,;]*[A-Za-z])[^\s,;]{3,199}[^\s,;.])"),
    Pattern(r"(?P<noun>\bpasswords\b[^.\n]{0,120}<password-\d+>\s*(?:,\s*and|,|and|&)\s*)(?P<joint>)(?P<value>(?=[^\s,;]*\d)(?=[^\s,;]*[A-Za-z])[^\s,;]{3,199}[^\s,;.])"),
    Pattern(r"(?P<noun>\b(?:accounts?|users?|logins?)\s+[A-Za-z_][\w-]{0,31})(?P<joint>:)(?P<value>(?=[^\s,;()/:'\"]*[A-Za-z])(?=[^\s,;()/:'\"]*[\d!#$%&*?@^~-])[^\s,;()/:'\"]{4,200})(?![:'\"])"),
    Pattern(rf"(?P<noun>\b(?:logs?|signs?)\s+(?:in|on)\s+with\s+)(?P<joint>)(?P<value>{_MIXED})", flags=0),
    Pattern(rf"(?P<noun><password-\d+>[^.\n]{{0,80}}\b[a-z][\w-]*\s+with\s+)(?P<joint>)(?P<value>{_MIXED})", flags=0),
    Pattern(r"(?P<noun>)(?P<joint>)(?P<value>\$(?:1|2[aby]|5|6|y|gy)\$[\w./$=,]+)"),
    Pattern(r"(?P<noun>://[\w.-]*:)(?P<joint>)(?P<value>[^\s/@]+)(?=@)"),
)  # fmt: skip

_SECRETIVE = Pattern(r"pass|pwd|pw|psk|pin|key|secret|token|credential|\$|://")

_PEOPLE = Pattern(r"\b(?:accounts?|users?|logins?|people|person|pupils?|with)\b")


class Hidden(NamedTuple):
    """A request with `<password-1>` and so on in the place of its secrets, and the secrets by these marks."""

    text: str
    secrets: dict[str, Secret]


_NOT_NAME = "".join(
    rf"(?<!{word}{joint})" for word in ("ser", "ount", "gin", "ame") for joint in (" ", ": ", "=")
)
"""A name of an account is not a password, even if it is the same word."""

_MOST = 20
"""Secrets that are told apart; further ones are only taken out."""


def hide(text: str) -> Hidden:
    """Take the passwords out of a request."""
    secrets: dict[str, Secret] = {}

    def hidden(found: re.Match[str]) -> str:
        value = found["value"]
        if len(secrets) >= _MOST:
            start, end = found.start("value") - found.start(), found.end("value") - found.start()
            return f"{found[0][:start]}<password>{found[0][end:]}"
        if re.fullmatch(r"<password-\d+>", value):
            return found[0]
        mark = f"<password-{len(secrets) + 1}>"
        plain = value[1:-1] if value[0] in "\"'`" and value[0] == value[-1] and len(value) > 1 else value
        secrets[mark] = Secret(plain)
        start, end = found.start("value") - found.start(), found.end("value") - found.start()
        return found[0][:start] + mark + found[0][end:]

    if not _SECRETIVE.search(text) and not _PEOPLE.search(text):
        return Hidden(text, {})
    for pattern in _PATTERNS:
        for _ in range(_MOST):  # each may find several in a row
            before, text = text, pattern.sub(hidden, text)
            if text == before:
                break
    for mark, secret in secrets.items():  # said a second time, somewhere else
        if len(secret.reveal()) >= 4:
            text = re.sub(rf"{_NOT_NAME}{re.escape(secret.reveal())}", mark, text)
    return Hidden(text, secrets)
