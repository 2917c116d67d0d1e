"""What unit tests share: that they start no process, and a small library in memory, behind the real engine."""

import sys
from contextlib import ExitStack, closing
from itertools import count
from threading import Thread

import pytest

from vademecum.core.evidence import Evidence, ScoredPassage
from vademecum.index.generations import Generations
from vademecum.index.reader.current import open_index
from vademecum.index.update import index_sources
from vademecum.retrieval.passages.passages import passages_of
from vademecum.state.database import SharedTables
from vademecum.testing import MemorySource, ScriptedServer, document

STARTS_A_PROCESS = {"subprocess.Popen", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.system"}
_forbidden = False


@pytest.fixture(scope="session", autouse=True)
def watched():
    def refuse(event, arguments):
        if _forbidden and event in STARTS_A_PROCESS:
            pytest.fail(f"unit tests start no process, integration tests do: {event}{arguments[:2]!r}")

    sys.addaudithook(refuse)


@pytest.fixture(autouse=True)
def starts_no_process(watched):  # noqa: ARG001 - it must be there first
    global _forbidden  # noqa: PLW0603 - an audit hook cannot be taken away
    _forbidden = True
    yield
    _forbidden = False


@pytest.fixture
def serve():
    """Starts scripted servers, and stops them at the end of the test."""
    with ExitStack() as servers:
        yield lambda *script: servers.enter_context(ScriptedServer(*script))


@pytest.fixture
def opened_tables(tmp_path):
    """Opens one file of tables again and again, as each worker does."""
    with ExitStack() as opened:
        yield lambda: opened.enter_context(closing(SharedTables(tmp_path / "server/state.sqlite")))


@pytest.fixture(scope="session")
def at_once():
    """Makes calls in threads of their own, and waits for all of them."""

    def make(*calls):
        threads = [Thread(target=call) for call in calls]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert not any(thread.is_alive() for thread in threads)

    return make


@pytest.fixture(scope="session")
def evidence_of():
    """Evidence of one document; `scores` by a word of a passage; the rest score nothing."""

    def make(page, scores=(), alias="manual"):
        def score(passage):
            words = page.text[passage.start : passage.end]
            return max((value for word, value in dict(scores).items() if word in words), default=0.0)

        return Evidence(
            alias=alias,
            digest=page.digest(),
            reference=page.reference,
            title=page.title,
            summary=page.summary,
            text=page.text,
            passages=tuple(
                ScoredPassage(*passage[:6], score=score(passage), coverage=0.0)
                for passage in passages_of(page)
            ),
        )

    return make


@pytest.fixture(scope="session")
def index_of(tmp_path_factory):
    """Builds and opens an index of the documents it is given."""
    numbers = count()

    def build(*documents):
        generations = Generations(tmp_path_factory.mktemp("index") / str(next(numbers)))
        assert index_sources(generations, [MemorySource("manual", documents)]).documents == len(documents)
        return open_index(generations)

    return build


@pytest.fixture(scope="session")
def index(index_of):
    """A small manual: commands, a system call, a file format, a vendor's family, and pages that fill."""
    return index_of(*manual())


def manual():
    yield page(
        "chmod(1)",
        "change file permissions",
        "It changes the permissions of each given file, according to mode. A mode is symbolic or octal.",
        [("-R, --recursive", "change files and directories recursively"), ("-v", "tell of every file")],
        examples=[("chmod a-w notes", "Make the file notes read-only for everyone.")],
        links=["chown(1)", "umask(2)"],
    )
    yield page(
        "chown(1)",
        "change file owner and group",
        "It changes who owns each given file. Only a privileged process gives a file away.",
        [("-R, --recursive", "operate on files and directories recursively")],
        links=["chmod(1)"],
    )
    yield page(
        "umask(2)",
        "set the file mode creation mask",
        "The mask takes permissions away from files that are made by open(2).",
        errors=[("EPERM", "the mask of permissions cannot be set")],
        links=["chmod(1)", "open(2)"],
    )
    yield page(
        "open(2)",
        "open and possibly create a file",
        "The call gives a file descriptor. With O_CREAT a file that is not there is created.",
        errors=[("EACCES", "access to the file descriptor is not allowed")],
    )
    yield page(
        "crontab(5)",
        "tables for driving cron",
        "Five fields say when: minute, hour, day of month, month, and day of week.",
    )
    yield page("signal(7)", "overview of signals", "A zebra crossing is not meant, but the kernel's signals.")
    for word in "add bind cast drop edit find grow hide join kill list move name pack quit".split():  # noqa: SIM905
        yield page(f"acme-{word}(1)", f"{word} a walrus", f"It {word}s a walrus of the aquarium.")
    for at in range(24):
        yield page(f"filler{at}(3)", f"part {at} of a series", "Nothing is said here but of permissions.")


def page(reference, summary, description, options=(), *, examples=(), errors=(), links=()):
    name = reference.partition("(")[0]
    sections = [
        ("NAME", [f"{name} - {summary}"]),
        ("SYNOPSIS", [f"{name} [OPTION]... FILE..."]),
        ("DESCRIPTION", [description]),
        ("OPTIONS", options),
        ("ERRORS", errors),
        ("EXAMPLES", examples),
    ]
    return document(reference, *(one for one in sections if one[1]), summary=summary, links=links)
