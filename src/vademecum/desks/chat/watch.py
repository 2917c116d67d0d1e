"""Reload the configuration when its file changes. If the new one is invalid, the old one stays active."""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from vademecum.config.document import read_bytes
from vademecum.core.errors import ConfigError
from vademecum.desks.chat.load import ConfigurationFaulty, Loaded, built_in, located, read
from vademecum.desks.chat.resources import Resources
from vademecum.files.read import state_of
from vademecum.library.collections import Collections


class Condition(NamedTuple):
    """The state of the configuration.

    Attributes:
        in_force_since: When the active configuration was loaded, in seconds since the epoch.
        faults: Why the current file is not active, one line each; empty if it is.
    """

    file: str
    version: str
    in_force_since: float
    warnings: tuple[str, ...]
    faults: tuple[str, ...]


class ConfigurationWatch:
    """Keeps the last valid configuration active. Can be used by any number of threads.

    The processes of a server share the last valid configuration: each stores the text that it reads in `kept`. A
    process that did not read the file before it became invalid uses this text.

    Args:
        path: The path of the file, or None.
        on_fault: Called with the error of each rejected file.
        kept: The file with the last valid text, shared by the processes of this server; None for a single process.
    """

    def __init__(
        self,
        path: Path | None,
        collections: Collections,
        on_fault: Callable[[ConfigError], object] = lambda _error: None,
        kept: Path | None = None,
    ) -> None:
        self._path = path
        self._collections = collections
        self._on_fault = on_fault
        self._kept = kept
        self._lock = Lock()
        self._faults: tuple[str, ...] = ()
        self._since_s = time.time()
        self._seen = self._states()
        self._resources = Resources(self._first(), collections)

    @property
    def path(self) -> Path | None:
        """The path of the file, or None."""
        return self._path

    def current(self) -> Resources:
        """Return the active resources. If the file has changed, it is read first, unless another thread is reading it."""
        if self._path and self._states() != self._seen and self._lock.acquire(blocking=False):
            try:
                self._take()
            finally:
                self._lock.release()
        return self._resources

    def reload(self) -> Condition:
        """Read the file now, whether or not it has changed."""
        with self._lock:
            self._take()
        return self.condition()

    def condition(self) -> Condition:
        """Return the state of the configuration."""
        loaded = self._resources.loaded
        name = str(self._path or "")
        warnings = tuple(located(name, warning) for warning in loaded.warnings)
        return Condition(name, loaded.version, self._since_s, warnings, self._faults)

    def close(self) -> None:
        """Close all resources, after the answers in progress."""
        self._resources.close()

    def _states(self) -> tuple[object, object]:
        return state_of(self._path), state_of(self._kept)

    def _first(self) -> Loaded:
        """Return the initial configuration: that of the file, or if it is invalid, that of the other processes."""
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
        """Activate the file if it is valid, otherwise the processes' last valid text. The caller holds the lock."""
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
        if loaded is None or loaded.version == self._resources.loaded.version:
            return
        old, self._resources = self._resources, Resources(loaded, self._collections)
        self._since_s = time.time()
        old.close()

    def _good(self) -> Loaded:
        """Load the current file, and store its text for the other processes."""
        path = self._path or Path()
        text = read_bytes(path)
        loaded = self._read(text)
        last = self._last_good()
        if self._kept and (last is None or last.version != loaded.version):
            beside = self._kept.with_name(f"{self._kept.name}.{os.getpid()}")
            with suppress(OSError):  # then nothing is shared, and each process uses its own
                beside.write_bytes(sha256(text).hexdigest().encode() + b"\n" + text)
                beside.replace(self._kept)
        return loaded

    def _last_good(self) -> Loaded | None:
        """Return the last configuration that a process of this server found valid, or None."""
        try:
            sum_, _, text = self._kept.read_bytes().partition(b"\n") if self._kept else (b"", b"", b"")
            return self._read(text) if sum_ == sha256(text).hexdigest().encode() else None
        except (OSError, ConfigError):
            return None

    def _read(self, text: bytes) -> Loaded:
        name = str(self._path)
        return read(text, name, is_json=name.lower().endswith(".json"))

    def _note(self, error: ConfigError) -> None:
        """Record why the file is not active."""
        faults = error.faults if isinstance(error, ConfigurationFaulty) else ()
        self._faults = tuple(located(str(self._path), fault) for fault in faults) or (error.message,)
        self._on_fault(error)
