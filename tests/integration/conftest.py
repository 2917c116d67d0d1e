"""What tests of the index share: a folder in memory, documents, and all that an open index says."""

# ruff: noqa: S311 - chance is seeded, so that a failure comes again

import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from shared import library_in
from vademecum.ask.kinds import Corpus
from vademecum.ask.rating import search
from vademecum.index.generations import Generations
from vademecum.index.reader.current import open_index
from vademecum.retrieval.question.question import analyse
from vademecum.testing import document
from vademecum.text.words import number, terms

WORDS = """file mode socket kernel memory list directory user print copy sort line buffer signal time queue""".split()  # noqa: SIM905 - a word list reads best
SHARED = [f"This {word} is said of many a {other}." for word, other in zip(WORDS, WORDS[3:], strict=False)]
QUESTIONS = ("file", "copy a directory", "-v", "p3 kernel", "zebra")
MANUAL = Path(__file__).parents[1] / "data" / "manual"
IN_MEMORY = Path("/dev/shm")  # noqa: S108 - only `mkdtemp` makes anything there


@pytest.fixture
def folder(tmp_path):
    """A folder where syncing costs nothing, if there is one."""
    place = Path(
        tempfile.mkdtemp(prefix="vademecum-test-", dir=IN_MEMORY if IN_MEMORY.is_dir() else tmp_path)
    )
    yield place
    shutil.rmtree(place)


@pytest.fixture(scope="session")
def ignoring_interrupts():
    """What starts a program with SIGINT ignored, as a shell does in the background."""
    return ["sh", "-c", """trap '' INT; exec "$@" """, "sh"]


@pytest.fixture(scope="session")
def manual_home(tmp_path_factory):
    """The folder of a person whose library is the small manual, for tests that only ask."""
    folder = tmp_path_factory.mktemp("manual-home")
    shutil.copytree(MANUAL, folder / "manual")
    library_in(folder).add(folder / "manual")
    return folder


@pytest.fixture
def small_disk(tmp_path, mounted):
    with mounted(tmp_path) as place:
        yield place


@pytest.fixture(scope="session")
def mounted():
    """Makes a small disk in a folder, there until the end of a `with`."""
    return a_small_disk


@contextmanager
def a_small_disk(folder):
    """A file system of 200 MB, as disks have it: one in memory needs room even to read where a file has a hole."""
    image, place = folder / "image", folder / "disk"
    place.mkdir()
    if os.geteuid() != 0:
        pytest.skip("only root may mount a file system")
    with image.open("wb") as file:
        file.truncate(200 << 20)
    for command in (["mkfs.ext4", "-q", "-m", "0", image], ["mount", "-o", "loop", image, place]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            (pytest.fail if os.environ.get("CI") else pytest.skip)(done.stderr)
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", place], check=True)


@pytest.fixture(scope="session")
def fill():
    """Fills a file system up but for so many bytes; gives the way to undo it."""

    def fill_up(place, leave=0):
        def room():
            return shutil.disk_usage(place).free - leave

        with (place / "filler").open("wb", buffering=0) as filler, suppress(OSError):
            with suppress(OSError):
                os.posix_fallocate(filler.fileno(), 0, room())
            filler.seek(0, os.SEEK_END)
            while room() > 0:
                filler.write(bytes(min(room(), 1 << 16)))
                os.fsync(filler.fileno())
        assert room() < 4096
        return (place / "filler").unlink

    return fill_up


@pytest.fixture
def generations(folder):
    return Generations(folder / "index")


@pytest.fixture(scope="session")
def make_page():
    """A made-up manual page; every version of it differs, and has texts that others have, too."""

    def make(number, version=0):
        chance = random.Random(f"{number} {version}")
        say = lambda: " ".join(chance.choices(WORDS, k=4))  # noqa: E731 - one line says it
        options = [(f"-{chance.choice('vqxR')}", chance.choice([*SHARED[:4], say()])) for _ in range(3)]
        paragraphs = [chance.choice(SHARED), say(), chance.choice(SHARED[:2])]
        name = f"p{number}(1)"
        return document(
            name,
            ("DESCRIPTION", paragraphs),
            ("OPTIONS", options),
            ("SEE ALSO", [chance.choice(SHARED[:3])]),
            summary=say(),
            names=(name, f"alias{number % 7}({chance.randint(1, 3)})"),
            links=[f"p{chance.randint(0, 20)}(1)" for _ in range(3)],
        )

    return make


@pytest.fixture(scope="session")
def all_said():
    """All that an open index says, in terms that do not depend on how it is stored."""
    return said


def said(index):
    def name(place):
        segment = index.segments[place.segment]
        return f"{segment.info.alias}:{segment.flat.document(place.document).digest.hex()}"

    def passage(place, scored):
        flat = index.segments[place.segment].flat
        record, found = flat.document(place.document), flat.passage(scored.passage)
        words = flat.words(record, found)
        assert flat.text(record)[found.start : found.end] == words != ""
        return name(place), scored.passage - record.first_passage, scored.kind, words, scored.score

    everything = {"total": index.windows(), "documents": index.manifest.documents}
    for word in {*WORDS, "-v", "-R", *(term for text in SHARED for term in terms(text))}:
        everything["frequency", word] = index.frequency(number(word))
    for question in QUESTIONS:
        vector = analyse(question, index).vector()
        for limit in (10, 1000):
            everything["pages", question, limit] = [
                (name(place), score) for place, score in index.pages(vector, limit)
            ]
            everything["passages", question, limit] = [passage(*one) for one in index.passages(vector, limit)]
        everything["search", question] = search(question, [Corpus(index, 0.35)], 10)
        near = index.nearest("line", index.embed(terms(question)), 10)
        everything["nearest", question] = [(name(place), score) for place, score in near]
    for asked in (
        *(f"p{n}" for n in range(0, 80, 4)),
        *(f"Alias{n}" for n in range(7)),
        "p1(1)",
        "P2(1)",
        "nothing",
    ):
        found = index.named(asked)
        everything["named", asked] = [
            (name(place), index.page(place)._replace(first_passage=0)) for place in found
        ]
    assert everything["pages", "file", 10]
    assert everything["passages", "file", 10]
    assert everything["search", "file"]
    return everything


@pytest.fixture(scope="session")
def open_said():
    return lambda generations: said(open_index(generations))


SERVICES = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "vademecum/services"


def service(name, program):
    found = next(iter(sorted(SERVICES.glob(f"{name}-*/{program}"))), None)
    if found is None:
        stop = pytest.fail if os.environ.get("CI") else pytest.skip
        stop(f"not there: {name}; install it with scripts/services/{name}")
    return found


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


@contextmanager
def a_process(program, arguments, log, environment):
    with log.open("w") as file:
        process = subprocess.Popen(
            [program, *arguments], stdout=file, stderr=file, env=os.environ | environment
        )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGCONT)
        process.terminate()
        process.wait(60)


def until_it_answers(url, process, log):
    ends = time.monotonic() + 60
    while True:
        try:
            with urllib.request.urlopen(url, timeout=5):  # noqa: S310 - our own server
                return
        except OSError:
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < ends, log.read_text()
            time.sleep(0.1)


@contextmanager
def a_chroma(folder):
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    arguments = ["run", "--path", folder / "data", "--host", "127.0.0.1", "--port", str(port)]
    program = service("chroma", "bin/chroma")
    with a_process(program, arguments, folder / "log", {}) as process:
        until_it_answers(f"{url}/api/v2/heartbeat", process, folder / "log")
        yield url, process


@contextmanager
def a_weaviate(folder):
    """A real Weaviate: its address as a store has it, and its process. A name goes before the question mark."""
    with weaviate_nodes(folder, ["one"]) as ((url, process),):
        yield url, process


@contextmanager
def weaviate_nodes(folder, names):
    """A cluster: the address and process of each node."""
    ports = {name: [free_port() for _ in range(6)] for name in names}
    program = service("weaviate", "weaviate-server")
    with ExitStack() as stack:
        starting = []
        for name, (port, grpc_port, gossip, data, raft, metrics) in ports.items():
            environment = {
                "PERSISTENCE_DATA_PATH": str(folder / name),
                "AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED": "true",
                "DISABLE_TELEMETRY": "true",
                "CLUSTER_HOSTNAME": name,
                "CLUSTER_ADVERTISE_ADDR": "127.0.0.1",
                "CLUSTER_BIND_ADDR": "127.0.0.1",
                "CLUSTER_ADVERTISE_PORT": str(gossip),
                "CLUSTER_GOSSIP_BIND_PORT": str(gossip),
                "CLUSTER_DATA_BIND_PORT": str(data),
                "CLUSTER_IN_LOCALHOST": "true",
                "CLUSTER_JOIN": "" if name == names[0] else f"127.0.0.1:{ports[names[0]][2]}",
                "RAFT_PORT": str(raft),
                "RAFT_INTERNAL_RPC_PORT": str(raft + 1),  # where others on one host look for it
                "RAFT_JOIN": ",".join(f"{each}:{found[4]}" for each, found in ports.items()),
                "RAFT_BOOTSTRAP_EXPECT": str(len(names)),
                "GRPC_PORT": str(grpc_port),
                "GO_PROFILING_DISABLE": "true",
                "PROMETHEUS_MONITORING_PORT": str(metrics),
                "LOG_LEVEL": "warning",
            }
            arguments = ["--host", "127.0.0.1", "--port", str(port), "--scheme", "http"]
            log = folder / f"{name}.log"
            process = stack.enter_context(a_process(program, arguments, log, environment))
            starting.append((f"http://127.0.0.1:{port}/v1/.well-known/ready", process, log))
            while len(names) > 1 and process.poll() is None:  # others look for it once
                with suppress(OSError), socket.create_connection(("127.0.0.1", gossip)):
                    break
                time.sleep(0.1)
        for each in starting:
            until_it_answers(*each)
        yield tuple(
            (f"weaviate://127.0.0.1:{found[0]}?grpc_port={found[1]}", process)
            for found, (_, process, _) in zip(ports.values(), starting, strict=True)
        )


@pytest.fixture(scope="session")
def chroma_server(tmp_path_factory):
    with a_chroma(tmp_path_factory.mktemp("chroma")) as (url, _process):
        yield url


@contextmanager
def opensearch_nodes(folder, names):
    """A cluster: the address of each node as a store has it, and its process. A name goes at the end."""
    program = service("opensearch", "opensearch")
    ports = {name: (free_port(), free_port()) for name in names}
    with ExitStack() as stack:
        starting = []
        for name, (port, transport) in ports.items():
            settings = {
                "path.home": folder / name,
                "http.port": port,
                "transport.port": transport,
                "node.name": name,
                "cluster.name": folder.name,
                "cluster.routing.allocation.disk.threshold_enabled": "false",
                "action.auto_create_index": "false",
            }
            if len(names) == 1:
                settings["discovery.type"] = "single-node"
            else:
                hosts = ",".join(f"127.0.0.1:{other}" for _, other in ports.values())
                settings |= {
                    "discovery.seed_hosts": hosts, "cluster.initial_cluster_manager_nodes": ",".join(names)
                }  # fmt: skip
            (folder / name).mkdir()
            log = folder / f"{name}.log"
            arguments = [f"-E{key}={value}" for key, value in settings.items()]
            process = stack.enter_context(a_process(program, arguments, log, {"OPENSEARCH_HEAP": "400m"}))
            starting.append(
                (f"http://127.0.0.1:{port}/_cluster/health?wait_for_nodes={len(names)}", process, log)
            )
        for each in starting:
            until_it_answers(*each)
        yield tuple(
            (f"opensearch://127.0.0.1:{port}", process)
            for (port, _), (_, process, _) in zip(ports.values(), starting, strict=True)
        )


@pytest.fixture(scope="session")
def opensearch_server(tmp_path_factory):
    """The address of a real OpenSearch, as a store has it, without a name."""
    with opensearch_nodes(tmp_path_factory.mktemp("opensearch"), ["one"]) as ((url, _process),):
        yield url


@pytest.fixture
def opensearch_cluster(tmp_path):
    """The address and process of each of three nodes."""
    with opensearch_nodes(tmp_path, ["one", "two", "three"]) as nodes:
        yield nodes


@pytest.fixture(scope="session")
def weaviate_server(tmp_path_factory):
    """The address of a real Weaviate, as a store has it."""
    with a_weaviate(tmp_path_factory.mktemp("weaviate")) as (url, _process):
        yield url


@pytest.fixture
def weaviate_cluster(tmp_path):
    """The address and process of each of three nodes; those that do not find each other are started once more."""
    names, folders = ["one", "two", "three"], (tmp_path / "first", tmp_path / "second")
    for folder in folders:
        folder.mkdir()
    with ExitStack() as stack:
        try:
            nodes = stack.enter_context(weaviate_nodes(folders[0], names))
        except AssertionError:
            nodes = stack.enter_context(weaviate_nodes(folders[1], names))
        yield nodes
