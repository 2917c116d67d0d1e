"""Keys: they are sent, but never printed."""

import json
from collections.abc import Iterable
from urllib.parse import quote

from vademecum.core.errors import ConfigError

SHOWN = "[key]"
_SHORTEST = 4


class Secret:
    """A key that does not appear in its repr, messages, formatted strings or pickles.

    Args:
        origin: The origin shown in messages: the name of an environment variable.
        form: The text before the key in a header.

    >>> Secret("sk-1234", origin="OPENAI_API_KEY")
    Secret(OPENAI_API_KEY)
    """

    __slots__ = ("_form", "_value", "origin")

    def __init__(self, value: str, *, origin: str, form: str = "") -> None:
        value = value.strip()
        if not value or not value.isascii() or not value.isprintable() or " " in value:
            message = f"{origin} holds no key: a key is of visible ASCII characters, without spaces."
            raise ConfigError(message, hint=f"Set {origin} to the key alone.")
        self._value = value
        self._form = form
        self.origin = origin

    def reveal(self) -> str:
        """Return the key, so that it can be searched for."""
        return self._value

    def header(self) -> str:
        """Return the header value with the key, for sending."""
        return self._form + self._value

    def __repr__(self) -> str:
        return f"Secret({self.origin})"

    __str__ = __repr__

    def __reduce__(self) -> str:
        raise TypeError("a key is not pickled or copied")


def redacted(text: str, secrets: Iterable[Secret]) -> str:
    """Replace all keys in a text by `[key]`, including their URL-encoded and JSON-encoded forms.

    >>> redacted("wrong key sk-1234", [Secret("sk-1234", origin="KEY")])
    'wrong key [key]'
    """
    for secret in secrets:
        value = secret.reveal()
        for form in (value, quote(value, safe=""), json.dumps(value)[1:-1]):
            if len(form) >= _SHORTEST:
                text = text.replace(form, SHOWN)
    return text
