"""The configuration in force: read again when its file has changed, and kept as it was when the new one is faulty."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from vademecum.core.errors import ConfigError
from vademecum.desks.chat.loading import ConfigurationFaulty, Loaded, built_in, load, located
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

    Args:
        path: The file; None for no file.
        collections: The collections of this machine.
        told: Told of every file that could not be taken.

    Raises:
        ConfigError: The file can not be used as it is now.
    """

    def __init__(
        self,
        path: Path | None,
        collections: Collections,
        told: Callable[[ConfigError], object] = lambda _error: None,
    ) -> None:
        self._path = path
        self._collections = collections
        self._told = told
        self._lock = Lock()
        self._looked_s = time.monotonic()
        self._seen = _state(path)
        self._faults: tuple[str, ...] = ()
        self._since_s = time.time()
        self._parts = Parts(load(path) if path else built_in(), collections)

    def current(self) -> Parts:
        """The parts in force; the file is looked at now and then, and read when it has changed."""
        if (
            self._path
            and time.monotonic() - self._looked_s > _LOOKS_EVERY_S
            and self._lock.acquire(blocking=False)
        ):
            try:
                self._looked_s = time.monotonic()
                state = _state(self._path)
                if state != self._seen:
                    self._take(state)
            finally:
                self._lock.release()
        return self._parts

    def reload(self) -> Condition:
        """Read the file now, whether or not it seems to have changed."""
        with self._lock:
            self._take(_state(self._path))
        return self.condition()

    def condition(self) -> Condition:
        """How it stands."""
        loaded = self._parts.loaded
        name = str(self._path or "")
        warnings = tuple(located(name, one) for one in loaded.warnings)
        return Condition(name, loaded.version, self._since_s, warnings, self._faults)

    def close(self) -> None:
        """Let go of all parts, once the answers on their way are done."""
        self._parts.close()

    def _take(self, state: _State | None) -> None:
        """Read the file, and put it into force if it is sound; the caller holds the lock."""
        self._seen = state
        if self._path is None:
            return
        try:
            loaded: Loaded = load(self._path)
        except ConfigError as error:
            faults = error.faults if isinstance(error, ConfigurationFaulty) else ()
            self._faults = tuple(located(str(self._path), one) for one in faults) or (error.message,)
            self._told(error)
            return
        self._faults = ()
        if loaded.version == self._parts.loaded.version:
            return
        before, self._parts = self._parts, Parts(loaded, self._collections)
        self._since_s = time.time()
        before.close()


def _state(path: Path | None) -> _State | None:
    if path is None:
        return None
    try:
        status = os.stat(path)  # noqa: PTH116 - half the time of Path.stat, at every question
    except OSError:
        return None
    return _State(status.st_ino, status.st_size, status.st_mtime_ns)
