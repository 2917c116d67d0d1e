"""A child process that parses files, so that a malformed file can crash only that process.

Readers of rich formats may loop, crash or exhaust memory on a malicious file. The process has memory and time limits,
and is killed and replaced if it exceeds one. It receives one open file at a time and answers in JSON, so that nothing
in its output is executed.
"""

import base64
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import time
import weakref
from types import TracebackType
from typing import Any, Self

from vademecum.core.documents import Block
from vademecum.files.read import Unreadable
from vademecum.sources._blocks import Parsed

TIME_LIMIT_S = 60.0
MEMORY_LIMIT_BYTES = 1024 * 1024 * 1024
_REQUEST_LIMIT_BYTES = 64 * 1024
_ANSWER_LIMIT_BYTES = 96 * 1024 * 1024
_LARGE_BYTES = 4 * 1024 * 1024

_PROGRAM = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[3]);"
    "from vademecum.sources.docs._contained import serve; serve(int(sys.argv[1]), float(sys.argv[2]))"
)
_LENGTH_BYTES = 8


class Contained:
    """A reader of files in a child process, which starts with the first file.

    The process ends with the `with` block, or otherwise with this object.
    """

    def __init__(self, time_limit_s: float = TIME_LIMIT_S) -> None:
        self._time_limit_s = time_limit_s
        self._pipe: socket.socket | None = None
        self._ending: weakref.finalize[..., Contained] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def read(self, descriptor: int, suffix: str, root: str = "", key: str = "") -> Parsed:
        """Read an open file. See `formats.read_file`."""
        return _parsed(self.ask(descriptor, {"do": "read", "suffix": suffix, "root": root, "key": key}))

    def ask(self, descriptor: int, request: dict[str, Any]) -> dict[str, Any]:
        """Send a request about an open file.

        Args:
            request: The request as plain data; see `_answer`. Its JSON has at most `_REQUEST_LIMIT_BYTES` bytes.
        """
        is_new = self._pipe is None
        deadline = time.monotonic() + self._time_limit_s
        try:
            pipe = self._pipe or self._start()
            pipe.settimeout(self._time_limit_s)
            os.lseek(descriptor, 0, os.SEEK_SET)  # a previous process may have read it
            socket.send_fds(pipe, [json.dumps(request).encode()], [descriptor])
            length = int.from_bytes(_receive(pipe, _LENGTH_BYTES, deadline))
            answer = _receive(pipe, length, deadline) if length <= _ANSWER_LIMIT_BYTES else b""
        except TimeoutError as error:
            self._end()
            message = f"It could not be read within {self._time_limit_s:g} seconds."
            raise Unreadable("reader-timeout", message) from error
        except (OSError, EOFError) as error:
            self._end()
            if not is_new:  # memory left over from previous files may have been the cause
                return self.ask(descriptor, request)
            message = "Reading it ended the process that did: it is damaged, or needs too much memory."
            raise Unreadable("reader-failed", message) from error
        except BaseException:
            self._end()
            raise
        if not answer or len(answer) > _LARGE_BYTES:  # memory that a large file took is given back
            self._end()
        if not answer:
            raise Unreadable("too-large", "It holds too much text.")
        found: dict[str, Any] = json.loads(answer)
        if "fault" in found:
            raise Unreadable(found["fault"], found["message"])
        return found

    def _start(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        with theirs:
            command = [sys.executable, "-c", _PROGRAM, str(theirs.fileno()), str(self._time_limit_s)]
            child = subprocess.Popen(
                [*command, json.dumps(sys.path)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                process_group=0,
            )
        self._pipe = ours
        self._ending = weakref.finalize(self, _ended, child, ours)
        return ours

    def _end(self) -> None:
        if self._ending:
            self._ending()
        self._pipe = self._ending = None


def _ended(child: "subprocess.Popen[bytes]", pipe: socket.socket) -> None:
    pipe.close()
    child.kill()
    child.wait()


def _receive(pipe: socket.socket, length: int, deadline: float) -> bytes:
    """Receive `length` bytes."""
    received = bytearray()
    while len(received) < length:
        pipe.settimeout(max(deadline - time.monotonic(), 0.001))
        piece = pipe.recv(min(length - len(received), 1 << 20))
        if not piece:
            raise EOFError
        received += piece
    return bytes(received)


def _parsed(answer: dict[str, Any]) -> Parsed:
    return Parsed(
        title=answer["title"],
        summary=answer["summary"],
        language=answer["language"],
        text=answer["text"],
        blocks=tuple(Block(*block) for block in answer["blocks"]),
        links=tuple(answer["links"]),
    )


def serve(descriptor: int, time_limit_s: float) -> None:
    """Read files as they arrive, until the other side closes. Runs in the child process."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT_BYTES, MEMORY_LIMIT_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with socket.socket(fileno=descriptor) as pipe:
        while True:
            request, descriptors, _, _ = socket.recv_fds(pipe, _REQUEST_LIMIT_BYTES, 1)
            if not descriptors:
                break
            signal.setitimer(signal.ITIMER_REAL, time_limit_s + 1)  # if no parent is left to end us
            answer = json.dumps(_answer(descriptors[0], json.loads(request)), ensure_ascii=False)
            sent = answer.encode("utf-8", "replace")
            pipe.sendall(len(sent).to_bytes(_LENGTH_BYTES) + sent)
            signal.setitimer(signal.ITIMER_REAL, 0)


def _answer(descriptor: int, request: dict[str, Any]) -> dict[str, Any]:
    """Answer a request: `read` the text, or its `records`, or, for a PDF, `place` a quote or `draw` a page."""
    # only the child process needs them
    from vademecum.sources.docs.data import read_records  # noqa: PLC0415
    from vademecum.sources.docs.formats import read_file  # noqa: PLC0415
    from vademecum.sources.docs.pdf import draw, place  # noqa: PLC0415

    try:
        work = request.pop("do")
        if work == "place":
            return place(descriptor, **request)._asdict()
        if work == "records":
            return read_records(descriptor, **request)
        if work == "draw":
            return {"png": base64.b64encode(draw(descriptor, **request)).decode()}
        return read_file(descriptor, **request)._asdict()
    except Unreadable as bad:
        return {"fault": bad.fault, "message": bad.message}
    except MemoryError:
        os._exit(1)  # the state of this process is unreliable now
    except Exception as error:  # noqa: BLE001 - libraries may raise anything for malicious files
        return {"fault": "damaged", "message": f"It cannot be read: {type(error).__name__}."}
