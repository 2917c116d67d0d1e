"""The formats of strings in a template, each with a name, a test and an example.

Patterns match as the tool's do: ASCII letters only, and the end of a pattern is the very end of the text. Where the tool tests a text by
code, the test here gives the same answer as that code, also where it is more lenient than the standard.
"""

import re
from collections.abc import Callable
from ipaddress import ip_address, ip_interface
from typing import NamedTuple


class Form(NamedTuple):
    """How a text may be written.

    Attributes:
        meaning: In words, as the end of "must be ...".
        example: A text that has the form.
        test: Whether a text has it.
        pattern: The same as a regular expression for JSON Schema; "" where no pattern can say it.
    """

    meaning: str
    example: str
    test: Callable[[str], bool]
    pattern: str = ""


def _by_pattern(pattern: str, meaning: str, example: str) -> Form:
    compiled = re.compile(rf"(?:{pattern})\Z", re.ASCII)
    return Form(meaning, example, lambda text: compiled.match(text) is not None, f"^(?:{pattern})$")


def _address_version(text: str) -> int:
    """4 or 6; 0 if the text is not an address. A sign before a number is tolerated, as the tool does."""
    parts = text.split(".")
    if len(parts) == 4:
        return 4 if all(_OCTET.fullmatch(part) and int(part) <= 255 for part in parts) else 0
    try:
        return 0 if "%" in text else ip_address(text).version
    except ValueError:
        return 0


_OCTET = re.compile(r"\+?(?:0|[1-9][0-9]{0,2})")


def _network_version(text: str) -> int:
    """4 or 6 for an address with the length of its prefix; 0 if the text is something else."""
    address, slash, length = text.partition("/")
    if not slash or not length.isdecimal() or not length.isascii() or "%" in text:
        return 0
    try:
        return ip_interface(f"{address}/{length}").version
    except ValueError:
        return 0


def _is_url(text: str) -> bool:
    """Return whether a text is a URL with a scheme, by the lenient rules of the library that the tool uses."""
    if any(ord(letter) < 0x20 or ord(letter) == 0x7F for letter in text):
        return False
    scheme, colon, rest = text.partition(":")
    if not colon or not _SCHEME.fullmatch(scheme):
        return False
    rest, _, fragment = rest.partition("#")
    if _BAD_ESCAPE.search(fragment):
        return False
    rest = rest.partition("?")[0]
    if not rest.startswith("/"):
        return True  # opaque: nothing more is looked at
    authority, path = "", rest
    if rest.startswith("//") and not rest.startswith("///"):
        authority, slash, path = rest[2:].partition("/")
        path = slash + path
    return not _BAD_ESCAPE.search(path) and _is_authority(authority)


def _is_authority(text: str) -> bool:
    user, at, host = text.rpartition("@")
    if at and (not _USER.fullmatch(user) or _BAD_ESCAPE.search(user)):
        return False
    if host.startswith("["):
        end = host.rfind("]")
        return end > 0 and bool(_PORT.fullmatch(host[end + 1 :]))
    name, colon, port = host.rpartition(":")
    if not colon:
        name, port = host, ""
    return _HOST.fullmatch(name) is not None and (not port or (port.isascii() and port.isdigit()))


_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*", re.ASCII)
_BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_USER = re.compile(r"[A-Za-z0-9\-._~:!$&'()*+,;=%@]*")
_PORT = re.compile(r"(?::[0-9]*)?")
_HOST = re.compile(r"(?:[A-Za-z0-9\-._~!$&'()*+,;=:\[\]<>\"]|[^\x00-\x7f]|%[89A-Fa-f][0-9A-Fa-f])*")

_VARIABLE = r"\$\{[A-Za-z0-9_]+\}"


def _key_file(endings: str) -> Form:
    return _by_pattern(
        rf"(?!.*\.\.)(?:{_VARIABLE}|(?:[A-Za-z0-9_./-]|{_VARIABLE})+\.(?:{endings}))",
        f"the path of a file that ends in .{endings.replace('|', ' or .')}, or a variable such as ${{KEYS}}",
        f"/keys/DB.{endings.partition('|')[0]}",
    )


_SIGNED = r"(?:https?|file)://[\s\S]*|/[\s\S]*"

FORMS: dict[str, Form] = {
    "image-name": _by_pattern(r"[A-Za-z0-9](?:[A-Za-z0-9_-]*[A-Za-z0-9])?", "letters, digits, - and _, with a letter or digit at both ends", "edge-node"),
    "image-version": _by_pattern(r"[0-9]+(?:\.[0-9A-Za-z-]+){0,2}(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?", "a version of at most three parts", "1.0.0"),
    "account": _by_pattern(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,31}", "at most 32 letters, digits, ., _ and -", "operator"),
    "group": _by_pattern(r"<[A-Za-z0-9_]+>|[A-Za-z0-9_][A-Za-z0-9._-]{0,31}", "at most 32 letters, digits, ., _ and -", "docker"),
    "script": _by_pattern(r"(?:/[^:\t\n\f\r ]*)?", "an absolute path without blanks and colons", "/usr/bin/start"),
    "package": _by_pattern(r"[A-Za-z0-9][A-Za-z0-9+_.:~*?\[\]-]*", "the name of a package; *, ? and [0-9] may stand in it", "nginx"),
    "kernel-package": _by_pattern(r"[A-Za-z0-9][A-Za-z0-9._+:-]*", "the name of a package", "linux-image-amd64"),
    "private-key": _key_file("key|pem"),
    "certificate": _key_file("crt|pem"),
    "der-certificate": _key_file("cer"),
    "interface": _by_pattern(r"[A-Za-z0-9][A-Za-z0-9._-]{0,14}", "at most 15 letters, digits, ., _ and -", "enp1s0"),
    "network": Form("an address with the length of its prefix", "192.168.1.10/24", lambda text: _network_version(text) > 0),
    "destination": Form("default, or a network such as 10.0.0.0/8", "default", lambda text: text == "default" or _network_version(text) > 0),
    "address": Form("an IPv4 or IPv6 address", "192.168.1.1", lambda text: _address_version(text) > 0),
    "url": Form("a URL, or <URL> where one is still to be filled in", "https://example.org/repo", lambda text: text == "<URL>" or _is_url(text)),
    "absolute-path": _by_pattern(r"/[\s\S]*", "an absolute path", "/srv/repo"),
    "local-path": _by_pattern(r"(?![A-Za-z][A-Za-z0-9+.-]*:)[\s\S]+", "the path of a local file", "images/base.img"),
    "https": _by_pattern(r"https://[^/?#][\s\S]*", "an https URL", "https://example.org/base.img"),
    "package-file": _by_pattern(
        r"https://[\s\S]*|/[\s\S]*|\./[\s\S]*|[\s\S]*\.\./[\s\S]*",
        "an https URL, an absolute path, or one that starts with ./ or ../",
        "./debs",
    ),
    "signing-key": _by_pattern(rf"{_SIGNED}|\[trusted=yes\]|<PUBLIC_KEY_URL>", "the URL or absolute path of a key, or [trusted=yes]", "https://example.org/key.asc"),
    "signing-keys": _by_pattern(_SIGNED, "the URL or absolute path of a key", "https://example.org/key.asc"),
    "some-text": _by_pattern(r"[\s\S]+", "a text that is not empty", "main"),
}  # fmt: skip
"""Every form by its name."""
