"""Start background embedding: a low-priority process that continues after its parent has ended."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread
from time import monotonic

from vademecum.core.errors import VademecumError
from vademecum.index.generations import Generations
from vademecum.index.manifest import Manifest
from vademecum.index.unit_vectors import unit_embedder
from vademecum.library.unit_embedding import Embedded, embed_units, embedded

SWITCH = "VADEMECUM_EMBEDDING"
"""The environment variable that disables the process if it is `off`."""

_PROGRAM = (
    "import json, sys; asked = json.loads(sys.stdin.buffer.read()); sys.path[:] = asked.pop('path'); "
    "from vademecum.library.background import work; work(**asked)"
)
_NICER = 10
_AT_MOST_S = 10.0
"""The time for embedding before a generation is published: some 1,200 units on one core."""


def begin(*indexes: Path) -> bool:
    """Start embedding in the background, if the transformer is installed and something is left to embed.

    Returns:
        Whether something is left to embed and a process is running.
    """
    waiting = [str(index) for index in indexes if _waits(index)]
    if not waiting:
        return False
    try:
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", _PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return False
    assert process.stdin  # noqa: S101 - for the type checker
    with suppress(OSError), process.stdin as pipe:
        pipe.write(json.dumps({"indexes": waiting, "path": sys.path}).encode())
    Thread(target=process.wait, daemon=True).start()  # a server that goes on keeps no dead child
    return True


def embed_added(generations: Generations) -> Callable[[Manifest], None]:
    """Return a function that embeds what a generation adds to an embedded index, before the generation is published.

    Answers and distances then stay on one scale. More than a few seconds of work is left to the process; until it ends, words answer.
    """

    def embed(upcoming: Manifest) -> None:
        until_s = monotonic() + _AT_MOST_S

        def in_time(_progress: Embedded) -> None:
            if monotonic() > until_s:
                raise TimeoutError

        with suppress(VademecumError, OSError):  # TimeoutError and BlockingIOError are among these
            if is_on() and (progress := embedded(generations)) and progress.is_complete:
                embed_units(generations, in_time, patience_s=0, upcoming=upcoming)

    return embed


def is_on() -> bool:
    """Return whether the environment allows the process."""
    return os.environ.get(SWITCH, "").lower() != "off"


def work(indexes: Sequence[str]) -> None:
    """Embed until nothing is left, including what is indexed in the meantime. Indexes that another process is embedding are skipped.

    Failures are retried the next time. Until then, answers use words only.
    """
    os.nice(_NICER)
    for generations in map(Generations, map(Path, indexes)):
        with suppress(VademecumError, OSError):
            while (progress := embedded(generations)) and not progress.is_complete:
                embed_units(generations, lambda _: None, patience_s=0)


def _waits(index: Path) -> bool:
    """Return whether an index has something left to embed."""
    if not is_on():
        return False
    try:
        unit_embedder(Path(index))
        progress = embedded(Generations(index))
    except VademecumError:  # it is not installed, or there is no index
        return False
    return progress is not None and not progress.is_complete
