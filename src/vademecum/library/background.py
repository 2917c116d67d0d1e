"""Start background embedding: a low-priority process that continues after its parent has ended."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread

from vademecum.core.errors import VademecumError
from vademecum.index.generations import Generations
from vademecum.index.unit_vectors import unit_embedder
from vademecum.library.unit_embedding import embed_units, embedded

SWITCH = "VADEMECUM_EMBEDDING"
"""Set to `off`, it keeps the process from being started."""

_PROGRAM = (
    "import json, sys; asked = json.loads(sys.stdin.buffer.read()); sys.path[:] = asked.pop('path'); "
    "from vademecum.library.background import work; work(**asked)"
)
_NICER = 10


def begin(*indexes: Path) -> bool:
    """Have what is not embedded yet embedded in the background, if the transformer is installed.

    Args:
        indexes: The folders of indexes.

    Returns:
        Whether there is something to be embedded, and a process for it.
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


def is_on() -> bool:
    """Whether the environment lets processes be started for it."""
    return os.environ.get(SWITCH, "").lower() != "off"


def work(indexes: Sequence[str]) -> None:
    """Embed until all is embedded, also what is indexed meanwhile; what another process is at is left to it.

    What fails is left for the next time: answers are by words until then.
    """
    os.nice(_NICER)
    for generations in map(Generations, map(Path, indexes)):
        with suppress(VademecumError, OSError):
            while (progress := embedded(generations)) and not progress.is_complete:
                embed_units(generations, lambda _: None, patience_s=0)


def _waits(index: Path) -> bool:
    """Whether something is to be embedded there."""
    if not is_on():
        return False
    try:
        unit_embedder()
        progress = embedded(Generations(index))
    except VademecumError:  # it is not installed, or there is no index
        return False
    return progress is not None and not progress.is_complete
