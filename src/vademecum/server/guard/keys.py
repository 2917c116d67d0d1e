"""API keys: shown once when they are created, and stored as hashes.

    keys.json    {"format": 1, "keys": [{"id", "name", "role", "hash", "created", "per_minute", "origins"?, "per_day"?}]}

A key is `vdm_<id>_<43 random characters>`. It contains 256 random bits, so a plain SHA-256 protects it: guessing is not
feasible, and a slow hash would add nothing.
"""

import hmac
import json
import re
import secrets
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any, Literal, NamedTuple, get_args

from vademecum.core.errors import ConfigError, StoreError
from vademecum.files.locks import locked
from vademecum.files.read import state_of
from vademecum.files.write import replace_file
from vademecum.text.printable import printable

Role = Literal["user", "admin", "widget"]
PER_MINUTE = 600
"""The default maximum number of requests per minute for a key."""

PER_DAY = 1000
"""The default maximum number of questions per day for the key of a widget."""

TOKEN = re.compile(r"vdm_([0-9a-f]{12})_[A-Za-z0-9_-]{43}")
_FORMAT = 1
_MOST_BYTES = 1 << 20
_ORIGIN = re.compile(r"https?://[a-z0-9.-]+(?::\d{1,5})?|https?://\[[0-9a-f:]+\](?::\d{1,5})?")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._@-]{0,62}")
_LIST = "List the keys with: vademecum keys list"


class Key(NamedTuple):
    """A key, without its secret.

    Attributes:
        id: 12 hexadecimal digits. The id is part of the key, and owns everything that is created with it.
        role: `user` or `admin`; or `widget`, whose key is public, because it is part of a web page.
        hash: The SHA-256 hash of the key.
        created: The creation time, ISO 8601 in UTC.
        per_minute: The maximum number of requests per minute.
        origins: For a widget, the origins of the pages that may use it.
        per_day: For a widget, the maximum number of questions per day.
    """

    id: str
    name: str
    role: Role
    hash: str
    created: str
    per_minute: int
    origins: tuple[str, ...] = ()
    per_day: int = 0


class Keys:
    """The keys in a file, which is read again whenever it has changed. Any number of processes may share it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = Lock()
        self._seen: object = ()
        self._keys: dict[str, Key] = {}
        self._were_there = False

    @property
    def are_needed(self) -> bool:
        """Return whether callers need a key. Once a key has been seen, they do, even if the file is removed."""
        return bool(self._current()) or self._were_there

    def find(self, token: str) -> Key | None:
        """Return the key for a token, or None if the token is wrong."""
        match = TOKEN.fullmatch(token)
        key = self._current().get(match[1]) if match else None
        return key if key and hmac.compare_digest(key.hash, _hashed(token)) else None

    def list(self) -> list[Key]:
        """Return all keys, oldest first."""
        return sorted(self._current().values(), key=lambda key: key.created)

    @property
    def origins(self) -> frozenset[str]:
        """The origins of pages with a widget."""
        return frozenset(origin for key in self._current().values() for origin in key.origins)

    def add(
        self,
        name: str,
        *,
        role: Role = "user",
        per_minute: int = PER_MINUTE,
        origins: Sequence[str] = (),
        per_day: int = PER_DAY,
    ) -> tuple[Key, str]:
        """Create a key.

        Returns:
            The key, and its token, which is not stored.
        """
        if not _NAME.fullmatch(name):
            message = f"{printable(name, 60)!r} is not a valid name for a key."
            raise ConfigError(message, hint="Use at most 63 letters, digits, spaces and . _ @ -")
        if role not in get_args(Role):
            raise ConfigError(
                f"Unknown role: {printable(role, 40)}.", hint="The roles are user, admin and widget."
            )
        if not 0 < per_minute <= 1_000_000:
            raise ConfigError("per_minute must be from 1 to 1,000,000.", hint="The default is 600.")
        if not 0 < per_day <= 1_000_000:
            raise ConfigError("per_day must be from 1 to 1,000,000.", hint="The default is 1,000.")
        if wrong := next((origin for origin in origins if not _ORIGIN.fullmatch(origin)), None):
            message = f"{printable(wrong, 80)} is not the origin of a web page."
            raise ConfigError(message, hint="Write a scheme and a host, as in https://docs.example.org")
        if (role == "widget") != bool(origins):
            message = "A widget key needs at least one origin, and only widget keys can have origins."
            raise ConfigError(message, hint="Add --widget https://docs.example.org")
        with self._changing() as keys:
            if any(key.name == name for key in keys.values()):
                raise ConfigError(f"A key named {name} already exists.", hint=_LIST)
            made = secrets.token_hex(6)
            token = f"vdm_{made}_{secrets.token_urlsafe(32)}"
            created = datetime.now(UTC).isoformat(timespec="seconds")
            key = keys[made] = Key(made, name, role, _hashed(token), created, per_minute)
            if origins:
                key = keys[made] = key._replace(origins=tuple(origins), per_day=per_day)
        return key, token

    def remove(self, which: str) -> Key:
        """Remove a key. From now on, requests with this key are rejected."""
        with self._changing() as keys:
            found = next((key for key in keys.values() if which in {key.id, key.name}), None)
            if found is None:
                raise ConfigError(f"Key {printable(which, 60)} not found.", hint=_LIST)
            del keys[found.id]
        return found

    def _current(self) -> dict[str, Key]:
        state = state_of(self.path)
        with self._lock:
            if state != self._seen:
                self._keys = _read(self.path)
                self._seen = state
                self._were_there = self._were_there or bool(self._keys)
            return self._keys

    @contextmanager
    def _changing(self) -> Iterator[dict[str, Key]]:
        """Yield the keys to change, while no other process changes them."""
        with ExitStack() as stack:
            try:
                self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                stack.enter_context(locked(self.path.with_suffix(".lock")))
            except OSError as error:
                raise _unwritable(self.path, error) from error
            keys = _read(self.path)
            yield keys
            data = {"format": _FORMAT, "keys": [_stored(key) for key in keys.values()]}
            try:
                replace_file(self.path, json.dumps(data, indent=1) + "\n")
                self.path.chmod(0o600)
            except OSError as error:
                raise _unwritable(self.path, error) from error


def _hashed(token: str) -> str:
    return sha256(token.encode()).hexdigest()


def _stored(key: Key) -> dict[str, Any]:
    """Return a key as it is written: earlier versions know only what every key has."""
    return {
        name: value for name, value in key._asdict().items() if name not in {"origins", "per_day"} or value
    }


def _read(path: Path) -> dict[str, Key]:
    """Return the keys in a file; empty if the file does not exist."""
    try:
        with path.open("rb") as file:
            raw = file.read(_MOST_BYTES + 1)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise _damaged(path, str(error.strerror)) from error
    try:
        data: Any = json.loads(raw)
        if data["format"] != _FORMAT:
            raise _damaged(path, "unknown format")
        keys = [Key(**{**stored, "origins": tuple(stored.get("origins", ()))}) for stored in data["keys"]]
        sound = all(
            all(isinstance(text, str) for text in (key.id, key.name, key.hash, key.created))
            and key.role in get_args(Role)
            and type(key.per_minute) is type(key.per_day) is int
            and all(isinstance(origin, str) for origin in key.origins)
            for key in keys
        )
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise _damaged(path, type(error).__name__) from error
    if not sound:
        raise _damaged(path, "a field has the wrong type")
    return {key.id: key for key in keys}


def _damaged(path: Path, why: str) -> StoreError:
    message = f"The API keys in {path} cannot be read: {why}."
    return StoreError(
        message, hint="Fix the file, or move it away and create new keys: vademecum keys add NAME"
    )


def _unwritable(path: Path, error: OSError) -> StoreError:
    return StoreError(
        f"{path} cannot be written: {error.strerror}.", hint="Check the folder's owner and permissions."
    )
