"""Answer the questions of the background service, in this process or in a helper process.

A search holds the interpreter lock, so only another process answers a second question at the same time. Helpers map the
same index, are sent pickled requests on standard input, and end with the service.
"""

import asyncio
import json
import math
import os
import pickle
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, BinaryIO

from vademecum.core.answers import Answer, Hit
from vademecum.core.errors import VademecumError
from vademecum.core.settings import Presenter
from vademecum.files.places import Places
from vademecum.files.read import state_of
from vademecum.library.internal import InternalLibrary

_PROGRAM = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from vademecum.server.local.answering import serve; serve(sys.stdin.buffer)"
)
_LENGTH_BYTES = 8


class Answering:
    """A library that answers with the newest index and settings."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._library = InternalLibrary.open(places)
        self._seen: object = ()

    def ask(self, question: str, *, no_model: bool, **options: Any) -> tuple[Answer | None, Presenter]:
        """Return the answer and the configured format; no answer if a model is configured to write it."""
        self._freshen()
        settings = self._library.settings
        if settings.model and not no_model:
            return None, settings.presenter_default
        return self._library.ask(question, **options), settings.presenter_default

    def search(self, question: str, limit: int, sources: Sequence[str], sections: Sequence[str]) -> list[Hit]:
        """Search; see `Library.search`."""
        self._freshen()
        return self._library.search(question, limit=limit, sources=sources, sections=sections)

    def warm(self) -> None:
        """Open the index and answer a question, so that the first user does not wait."""
        with suppress(VademecumError):
            self.search("manual page", 1, (), ())

    def close(self) -> None:
        """Close the library."""
        self._library.close()

    def _freshen(self) -> None:
        """Use the newest index and settings. Unless one of two files has changed, this only looks at them."""
        now = (state_of(self._places.index_folder / "CURRENT"), state_of(self._places.settings_file))
        if now != self._seen:
            self._library.refresh()
            self._seen = now


class HelperLost(Exception):
    """A helper process could not be started, or ended before it had answered."""


class Helper:
    """A process with an `Answering` of its own.

    Attributes:
        is_running: Whether it can be called: it has neither been ended nor lost.
        idle_since_s: The time of the event loop at which its last call ended; infinite during a call.
    """

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.is_running = True
        self.idle_since_s = 0.0

    @classmethod
    async def start(cls, places: Places) -> "Helper":
        """Start a process, and wait until it has opened the index."""
        pipe = asyncio.subprocess.PIPE
        command = (sys.executable, "-P", "-c", _PROGRAM, json.dumps(sys.path))
        try:
            process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, process_group=0)
        except OSError as error:
            raise HelperLost from error
        helper = cls(process)
        await helper._send(places)
        await helper.call("warm")
        return helper

    async def call(self, name: str, *values: Any, **options: Any) -> Any:
        """Call a method of the `Answering`. Only one call may run at a time."""
        self.idle_since_s = math.inf
        await self._send((name, values, options))
        assert self._process.stdout  # noqa: S101 - for the type checker
        try:
            length = int.from_bytes(await self._process.stdout.readexactly(_LENGTH_BYTES))
            result = pickle.loads(await self._process.stdout.readexactly(length))  # noqa: S301 - from our own process
        except asyncio.IncompleteReadError as error:
            self.end()
            raise HelperLost from error
        self.idle_since_s = asyncio.get_running_loop().time()
        if isinstance(result, VademecumError):
            raise result
        return result

    def end(self) -> None:
        """End the process. It needs no time to finish, because it only reads."""
        self.is_running = False
        with suppress(ProcessLookupError):
            self._process.kill()

    async def _send(self, message: object) -> None:
        assert self._process.stdin  # noqa: S101 - for the type checker
        try:
            self._process.stdin.write(_framed(message))
            await self._process.stdin.drain()
        except OSError as error:
            self.end()
            raise HelperLost from error


def serve(requests: BinaryIO) -> None:
    """Run a helper: answer requests until the service is gone or has closed the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not be read as a reply
    answering = Answering(_received(requests))
    with suppress(EOFError, BrokenPipeError):
        while True:
            name, values, options = _received(requests)
            try:
                result = getattr(answering, name)(*values, **options)
            except VademecumError as error:
                result = error
            replies.write(_framed(result))
            replies.flush()


def _framed(message: object) -> bytes:
    pickled = pickle.dumps(message)
    return len(pickled).to_bytes(_LENGTH_BYTES) + pickled


def _received(requests: BinaryIO) -> Any:
    """Read a message."""
    length = int.from_bytes(requests.read(_LENGTH_BYTES))
    return pickle.loads(requests.read(length))  # noqa: S301 - it comes from the process that started this one
