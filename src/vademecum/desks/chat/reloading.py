"""Reload the configuration when its file changes. If the new one is invalid, the old one stays active."""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from vademecum.core.errors import ConfigError
from vademecum.desks.chat.loading import ConfigurationFaulty, Loaded, built_in, located, read, read_bytes
from vademecum.desks.chat.parts import Parts
from vademecum.library.collections import Collections

_LOOKS_EVERY_S = 0.5


class _State(NamedTuple):
    """What tells that a file was replaced."""

    number: int
    size_bytes: int
    changed_ns: int


class Condition(NamedTuple):
    """How it stands with the configuration.

    Attributes:
        file: Where it is, or "" for none.
        version: Of the one in force.
        in_force_since: When it was loaded, in seconds of the epoch.
        warnings: What is worth knowing of it, a line each.
        faults: Why the file as it is now is not in force, a line each; empty when it is.
    """

    file: str
    version: str
    in_force_since: float
    warnings: tuple[str, ...]
    faults: tuple[str, ...]


class Reloading:
    """Keeps the last good configuration in force. One serves any number of threads.

    Several processes of one server have the same last good one: a reader keeps its text where all look, so
    that one that was not asked before the file became faulty takes it from there.

    Args:
        path: The file; None for no file.
        collections: The collections of this machine.
        told: Told of every file that could not be taken.
        kept: Where the processes of this server keep the last good text; None for a process alone.

    Raises:
        ConfigError: The file cannot be used as it is now.
    """

    def __init__(
        self,
        path: Path | None,
        collections: Collections,
        told: Callable[[ConfigError], object] = lambda _error: None,
        kept: Path | None = None,
    ) -> None:
        self._path = path
        self._collections = collections
        self._told = told
        self._kept = kept
        self._lock = Lock()
        self._looked_s = time.monotonic()
        self._faults: tuple[str, ...] = ()
        self._since_s = time.time()
        self._seen = self._states()
        self._parts = Parts(self._first(), collections)

    def current(self) -> Parts:
        """The parts in force; the file is looked at now and then, and read when it has changed."""
        if (
            self._path
            and time.monotonic() - self._looked_s > _LOOKS_EVERY_S
            and self._lock.acquire(blocking=False)
        ):
            try:
                self._looked_s = time.monotonic()
                if self._states() != self._seen:
                    self._take()
            finally:
                self._lock.release()
        return self._parts

    def reload(self) -> Condition:
        """Read the file now, whether or not it seems to have changed."""
        with self._lock:
            self._take()
        return self.condition()

    def condition(self) -> Condition:
        """How it stands."""
        loaded = self._parts.loaded
        name = str(self._path or "")
        warnings = tuple(located(name, warning) for warning in loaded.warnings)
        return Condition(name, loaded.version, self._since_s, warnings, self._faults)

    def close(self) -> None:
        """Let go of all parts, once the answers on their way are done."""
        self._parts.close()

    def _states(self) -> tuple[_State | None, _State | None]:
        return _state(self._path), _state(self._kept)

    def _first(self) -> Loaded:
        """What is in force at the start: of a process that joins others, what they have."""
        if self._path is None:
            return built_in()
        try:
            return self._good()
        except ConfigError as error:
            if kept := self._last_good():
                self._note(error)
                return kept
            raise

    def _take(self) -> None:
        """Read the file, and put it into force if it is sound, else what others found to be; the caller holds the lock."""
        before, self._seen = self._seen, self._states()
        if self._path is None:
            return
        loaded: Loaded | None
        try:
            loaded = self._good()
        except ConfigError as error:
            if before[0] != self._seen[0] or not self._faults:
                self._note(error)
            loaded = self._last_good()
        else:
            self._faults = ()
        if loaded is None or loaded.version == self._parts.loaded.version:
            return
        old, self._parts = self._parts, Parts(loaded, self._collections)
        self._since_s = time.time()
        old.close()

    def _good(self) -> Loaded:
        """The file as it is now, kept for the other processes.

        Raises:
            ConfigError: It cannot be used.
        """
        path = self._path or Path()
        text = read_bytes(path)
        loaded = self._read(text)
        last = self._last_good()
        if self._kept and (last is None or last.version != loaded.version):
            beside = self._kept.with_name(f"{self._kept.name}.{os.getpid()}")
            with suppress(OSError):  # then each process has its own, as if it were alone
                beside.write_bytes(sha256(text).hexdigest().encode() + b"\n" + text)
                beside.replace(self._kept)
        return loaded

    def _last_good(self) -> Loaded | None:
        """What a process of this server last found to be good."""
        try:
            sum_, _, text = self._kept.read_bytes().partition(b"\n") if self._kept else (b"", b"", b"")
            return self._read(text) if sum_ == sha256(text).hexdigest().encode() else None
        except (OSError, ConfigError):
            return None

    def _read(self, text: bytes) -> Loaded:
        name = str(self._path)
        return read(text, name, is_json=name.lower().endswith(".json"))

    def _note(self, error: ConfigError) -> None:
        """Remember why the file is not in force."""
        faults = error.faults if isinstance(error, ConfigurationFaulty) else ()
        self._faults = tuple(located(str(self._path), fault) for fault in faults) or (error.message,)
        self._told(error)


def _state(path: Path | None) -> _State | None:
    if path is None:
        return None
    try:
        status = os.stat(path)  # noqa: PTH116 - half the time of Path.stat, at every question
    except OSError:
        return None
    return _State(status.st_ino, status.st_size, status.st_mtime_ns)
