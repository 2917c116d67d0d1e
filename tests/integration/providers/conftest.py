"""Real servers of language models, each a process of its own: llama.cpp's, and Ollama.

What they need is fetched and built once by `scripts/services`, since tests have no network.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from vademecum.core.errors import ProviderError
from vademecum.core.models import ModelSettings
from vademecum.providers.registry import open_model

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "vademecum/services"
MODEL = CACHE / "models/SmolLM2-135M-Instruct.Q4_1.gguf"
OLLAMA = next(iter(sorted(CACHE.glob("ollama-*/ollama"), reverse=True)), CACHE / "ollama")
ASKED_OLLAMA = os.environ.get("OLLAMA_HOST", "")
NAME = "smollm2"

SERVER = """
import sys
import xllamacpp

servers = []
for embedding in (False, True):
    wanted = xllamacpp.CommonParams()
    wanted.model.path = sys.argv[1]
    wanted.hostnames, wanted.port = ["127.0.0.1"], 0
    wanted.n_ctx = wanted.n_batch = wanted.n_ubatch = 1024
    wanted.n_parallel, wanted.verbosity, wanted.warmup, wanted.ui = 2, 0, False, False
    wanted.cpuparams.n_threads = wanted.cpuparams_batch.n_threads = 1
    wanted.embedding = embedding
    if embedding:
        wanted.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    servers.append(xllamacpp.Server(wanted))
print(*(server.listening_address for server in servers), flush=True)
sys.stdin.read()
"""


@pytest.fixture(scope="session")
def gguf():
    if not MODEL.is_file():
        stop = pytest.fail if os.environ.get("CI") else pytest.skip
        stop("not there: the model; fetch it with scripts/services/smollm2")
    return MODEL


@pytest.fixture(scope="session")
def openai_server(gguf):
    """The addresses of llama.cpp's server: one for chat, one for embedding."""
    with subprocess.Popen(
        [sys.executable, "-c", SERVER, gguf], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        chat, embedding = process.stdout.readline().split()
        yield f"{chat}/v1", f"{embedding}/v1"
        process.stdin.close()
        process.wait(60)


@pytest.fixture(scope="session")
def ollama_server(tmp_path_factory, request):
    """Ollama with the model in it: the one of `OLLAMA_HOST` and its `OLLAMA_MODEL`, else one of our own."""
    if ASKED_OLLAMA:
        yield ASKED_OLLAMA, os.environ.get("OLLAMA_MODEL", "gemma3:1b")
        return
    if not OLLAMA.is_file():
        stop = pytest.fail if os.environ.get("CI") else pytest.skip
        stop("not there: Ollama; build it with scripts/services/ollama, or name one with OLLAMA_HOST")
    gguf = request.getfixturevalue("gguf")
    folder = tmp_path_factory.mktemp("ollama")
    (folder / "Modelfile").write_text(f"FROM {gguf}\nPARAMETER num_thread 1\n")
    host = f"127.0.0.1:{free_port()}"
    environment = {
        **os.environ,
        "HOME": str(folder),
        "OLLAMA_MODELS": str(folder / "models"),
        "OLLAMA_HOST": host,
    }
    with (folder / "log").open("w") as log:
        process = subprocess.Popen([OLLAMA, "serve"], env=environment, stdout=log, stderr=log)
    try:
        wait_for(host)
        subprocess.run(
            [OLLAMA, "create", NAME, "-f", folder / "Modelfile"],
            env=environment,
            check=True,
            capture_output=True,
        )
        yield host, NAME
    finally:
        process.terminate()
        process.wait(60)


def free_port():
    import socket

    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def wait_for(host):
    ends = time.monotonic() + 60
    while True:
        try:
            open_model(ModelSettings("ollama", "any", f"http://{host}", retries=0)).check()
        except ProviderError as error:
            if error.code == "MODEL_MISSING":
                return
            if time.monotonic() > ends:
                raise
            time.sleep(0.1)
