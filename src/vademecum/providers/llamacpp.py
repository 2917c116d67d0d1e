"""Models in this process, using llama.cpp: any GGUF file, without a network.

llama.cpp's own server runs inside the extension module, and listens on a Unix socket in a folder that only this user can access. So
in-process models are used like any other, with deadlines and with streams that can be cancelled immediately.
"""

import os
import shutil
import tempfile
import weakref
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

from vademecum.core.deadline import Deadline
from vademecum.core.errors import ConfigError, ModelMissing, ProviderError
from vademecum.core.limits import CONTEXT_TOKENS
from vademecum.core.models import ModelSettings, Purpose
from vademecum.net import Client, Limits, Place
from vademecum.providers._completions import Completions, check, embeddings
from vademecum.providers._embeddings import ServedEmbedder, Ways
from vademecum.providers._server import Server
from vademecum.text.printable import printable

_MAGIC = b"GGUF"
_ALIAS = "model"
_LONGEST_FOLDER = 60
_STARTS_S = 10.0
_NOT_THERE = "Give the path of a GGUF file, as in llamacpp:/models/name.gguf."


def open_chat(settings: ModelSettings, client: Client) -> "LlamaChat":
    """Load a chat model."""
    return LlamaChat(settings, _Engine(settings, client, embedding=False))


def open_embedder(settings: ModelSettings, client: Client) -> "LlamaEmbedder":
    """Load an embedder."""
    return LlamaEmbedder(settings, _Engine(settings, client, embedding=True))


def look(settings: ModelSettings, client: Client, deadline: Deadline | None) -> tuple[str, ...]:  # noqa: ARG001 - there is no server
    """Check that the file is a GGUF file, and that llama.cpp is installed, without loading the model."""
    if find_spec("xllamacpp") is None:
        raise _not_installed()
    _checked(settings.model)
    return ()


def _not_installed() -> ConfigError:
    message = "Models in the process need xllamacpp, which is not installed."
    return ConfigError(message, hint="Install it with: pip install 'vademecum[llamacpp]'")


class LlamaChat(Completions):
    """A chat model in this process; see `ChatModel`."""

    def __init__(self, settings: ModelSettings, engine: "_Engine") -> None:
        super().__init__(settings._replace(model=_ALIAS, context_tokens=engine.context_tokens), engine.server)
        self.name = f"{settings.provider}:{Path(settings.model).name}"
        self._engine = engine

    def close(self) -> None:
        """Unload the model, and end open streams."""
        self._engine.close()


class LlamaEmbedder(ServedEmbedder):
    """An embedder in this process; see `Embedder`."""

    def __init__(self, settings: ModelSettings, engine: "_Engine") -> None:
        inside = settings._replace(model=_ALIAS)

        def ask(texts: list[str], _purpose: Purpose, deadline: Deadline | None) -> list[object]:
            return embeddings(inside, engine.server, texts, deadline, None)

        def checked(deadline: Deadline | None) -> None:
            check(inside, engine.server, deadline)

        ways = Ways(ask, checked, engine.revision)
        super().__init__(settings, ways)
        self._engine = engine

    def close(self) -> None:
        """Unload the model."""
        self._engine.close()


class _Engine:
    """A loaded model, and its socket."""

    def __init__(self, settings: ModelSettings, client: Client, *, embedding: bool) -> None:
        self.path = _checked(settings.model)
        self.context_tokens = settings.context_tokens or CONTEXT_TOKENS
        self._lock = Lock()
        folder = tempfile.mkdtemp(prefix="vademecum-", dir=_short_folder())
        self._finalizer = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        address = f"{folder}/llama.sock"
        try:
            self._running: Any = self._started(address, settings, embedding=embedding)
        except BaseException:
            self._finalizer()
            raise
        place = Place("http", Path(folder).name, 80, "/v1", address)  # one host for each, so that no two mix
        client.allow(place)
        limits = Limits(timeout_s=settings.timeout_s, stall_s=settings.stall_s, retries=0)
        self.server = Server(client, place, {}, limits)
        self._root = self.server._replace(place=place._replace(path=""))

    def _started(self, address: str, settings: ModelSettings, *, embedding: bool) -> Any:
        try:
            import xllamacpp  # noqa: PLC0415 - 100 MB that only this provider needs
        except ModuleNotFoundError as error:
            raise _not_installed() from error
        wanted = xllamacpp.CommonParams()
        wanted.model.path = str(self.path)
        wanted.model_alias = {_ALIAS}
        wanted.hostnames = [address]
        wanted.n_ctx = wanted.n_batch = self.context_tokens
        wanted.n_parallel = 1
        wanted.verbosity = 0
        wanted.warmup = False
        wanted.ui = False
        wanted.embedding = embedding
        if embedding:  # a text must fit into one step
            wanted.n_ubatch = self.context_tokens
        if settings.threads is not None:
            wanted.cpuparams.n_threads = wanted.cpuparams_batch.n_threads = settings.threads
        try:
            return xllamacpp.Server(wanted)
        except Exception as error:
            message = f"{printable(str(self.path), 200)} cannot be loaded by llama.cpp."
            raise ModelMissing(
                message, hint="Check that the file is whole, and that memory is left."
            ) from error

    def revision(self) -> str:
        """Distinguishes versions of a file with the same name."""
        status = self.path.stat()
        return f"{status.st_size}:{status.st_mtime_ns}"

    def close(self) -> None:
        """Unload the model. Repeated calls have no effect.

        llama.cpp's loop must be running: a request to stop that comes earlier is lost when the loop starts, and waiting for
        it never ends. Only a running loop responds to a query about its slots, so this waits for that.
        """
        with self._lock:
            if self._running is not None:
                with suppress(ProviderError):
                    for _ in self._root.call("/slots", deadline=Deadline(_STARTS_S), once=True):
                        pass
            self._running = None
            self._finalizer()


def _checked(name: str) -> Path:
    """Return the path of the file, if it is a GGUF file."""
    path = Path(name).expanduser()
    shown = printable(str(path), 200)
    try:
        if not path.is_file():
            raise ModelMissing(f"There is no file {shown}.", hint=_NOT_THERE)
        with path.open("rb") as file:
            magic = file.read(len(_MAGIC))
    except (OSError, ValueError) as error:
        raise ModelMissing(f"{shown} cannot be read.", hint="Check the path and its permissions.") from error
    if magic != _MAGIC:
        raise ModelMissing(f"{shown} is not a GGUF file.", hint=_NOT_THERE)
    return path


def _short_folder() -> str | None:
    """Return the parent of the socket's folder. The path of a socket is limited to about a hundred bytes."""
    runtime = Path(os.environ.get("XDG_RUNTIME_DIR", ""))
    short = len(os.fsencode(runtime)) <= _LONGEST_FOLDER
    return str(runtime) if short and runtime.is_absolute() and runtime.is_dir() else None
