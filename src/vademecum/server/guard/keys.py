"""API keys: shown once when they are created, and stored as hashes.

    keys.json    {"format": 1, "keys": [{"id", "name", "role", "hash", "created", "per_minute"}]}

A key is `vdm_<id>_<43 characters of chance>`. It holds 256 bits of chance, so that a plain SHA-256 hides it: there is
nothing to guess, and nothing for a slow hash to slow down.
"""

import hmac
import json
import re
import secrets
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any, Literal, NamedTuple, get_args

from vademecum.core.errors import ConfigError, StoreError
from vademecum.files.locks import locked
from vademecum.files.write import replace_file
from vademecum.text.printable import printable

Role = Literal["user", "admin"]
PER_MINUTE = 600
"""How many requests a minute a key has, unless it is made with another number."""

TOKEN = re.compile(r"vdm_([0-9a-f]{12})_[A-Za-z0-9_-]{43}")
_FORMAT = 1
_MOST_BYTES = 1 << 20
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._@-]{0,62}")
_LIST = "List the keys with: vademecum keys list"


class Key(NamedTuple):
    """A key, without what opens.

    Attributes:
        id: 12 hexadecimal digits; it is in the key itself, and owns what is made with it.
        name: What people call it.
        role: `user` or `admin`.
        hash: SHA-256 of the key.
        created: When, ISO 8601 in UTC.
        per_minute: How many requests a minute it has.
    """

    id: str
    name: str
    role: Role
    hash: str
    created: str
    per_minute: int


class Keys:
    """The keys in a file, read again whenever it has changed; any number of processes may share it.

    Args:
        path: The file; there need be none.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = Lock()
        self._seen: tuple[int, ...] | None = None
        self._keys: dict[str, Key] = {}
        self._were_there = False

    @property
    def are_needed(self) -> bool:
        """Whether callers need one: once a key has been seen, always, even if the file is taken away.

        Raises:
            StoreError: The file cannot be read.
        """
        return bool(self._current()) or self._were_there

    def find(self, token: str) -> Key | None:
        """The key that somebody has sent; None for a wrong one.

        Raises:
            StoreError: The file cannot be read.
        """
        match = TOKEN.fullmatch(token)
        key = self._current().get(match[1]) if match else None
        return key if key and hmac.compare_digest(key.hash, _hashed(token)) else None

    def list(self) -> list[Key]:
        """All keys, oldest first.

        Raises:
            StoreError: The file cannot be read.
        """
        return sorted(self._current().values(), key=lambda key: key.created)

    def add(self, name: str, *, role: Role = "user", per_minute: int = PER_MINUTE) -> tuple[Key, str]:
        """Make a key.

        Returns:
            The key, and what opens, which is kept nowhere.

        Raises:
            ConfigError: That is not a name, role or number, or the name is taken.
            StoreError: The file cannot be read or written.
        """
        if not _NAME.fullmatch(name):
            message = f"{printable(name, 60)!r} is not a valid name for a key."
            raise ConfigError(message, hint="Use at most 63 letters, digits, spaces and . _ @ -")
        if role not in get_args(Role):
            raise ConfigError(f"Unknown role: {printable(role, 40)}.", hint="The roles are user and admin.")
        if not 0 < per_minute <= 1_000_000:
            raise ConfigError("per_minute must be from 1 to 1,000,000.", hint="The default is 600.")
        with self._changing() as keys:
            if any(key.name == name for key in keys.values()):
                raise ConfigError(f"A key named {name} already exists.", hint=_LIST)
            made = secrets.token_hex(6)
            token = f"vdm_{made}_{secrets.token_urlsafe(32)}"
            created = datetime.now(UTC).isoformat(timespec="seconds")
            key = keys[made] = Key(made, name, role, _hashed(token), created, per_minute)
        return key, token

    def remove(self, which: str) -> Key:
        """Take a key away; requests that carry it are refused from now on.

        Args:
            which: Its id or its name.

        Raises:
            ConfigError: There is no such key.
            StoreError: The file cannot be read or written.
        """
        with self._changing() as keys:
            found = next((key for key in keys.values() if which in {key.id, key.name}), None)
            if found is None:
                raise ConfigError(f"Key {printable(which, 60)} not found.", hint=_LIST)
            del keys[found.id]
        return found

    def _current(self) -> dict[str, Key]:
        state = _state(self.path)
        with self._lock:
            if state != self._seen:
                self._keys = _read(self.path)
                self._seen = state
                self._were_there = self._were_there or bool(self._keys)
            return self._keys

    @contextmanager
    def _changing(self) -> Iterator[dict[str, Key]]:
        """The keys to be changed, while no other process does."""
        with ExitStack() as stack:
            try:
                self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                stack.enter_context(locked(self.path.with_suffix(".lock")))
            except OSError as error:
                raise _unwritable(self.path, error) from error
            keys = _read(self.path)
            yield keys
            data = {"format": _FORMAT, "keys": [key._asdict() for key in keys.values()]}
            try:
                replace_file(self.path, json.dumps(data, indent=1) + "\n")
                self.path.chmod(0o600)
            except OSError as error:
                raise _unwritable(self.path, error) from error


def _hashed(token: str) -> str:
    return sha256(token.encode()).hexdigest()


def _state(path: Path) -> tuple[int, ...]:
    try:
        status = path.stat()
    except OSError:
        return ()
    return status.st_ino, status.st_size, status.st_mtime_ns


def _read(path: Path) -> dict[str, Key]:
    """The keys of a file; none where there is none.

    Raises:
        StoreError: It cannot be read, or says nothing sensible.
    """
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
        keys = [Key(**one) for one in data["keys"]]
        sound = all(
            all(isinstance(text, str) for text in (key.id, key.name, key.hash, key.created))
            and key.role in get_args(Role)
            and type(key.per_minute) is int
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
