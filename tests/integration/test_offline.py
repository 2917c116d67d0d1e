"""Everything an administrator and a person asking do works where there is no network, and asks for none.

Each command runs in a network of its own that has no device up, not even the machine itself, while `strace` takes
down every call that has to do with a network.
"""

import os
import re
import shutil
import signal
import subprocess
import sys

import pytest

from shared import DATA, places_of_every_kind, wait_until

RAGADMIN = [sys.executable, "-m", "vademecum.cli.ragadmin"]
RAGMAN = [sys.executable, "-m", "vademecum.cli.ragman"]
QUESTIONS = {
    "man": "How do I change file permissions?",
    "info": "How is the grass cut with mow?",
    "kiwix": "Which knot holds a rope?",
    "tldr": "How do I turn wheel 17 with tool17?",
    "docs": "How is an envelope sealed?",
}
DONE, DONE_WITH_WARNINGS = 0, 3
PATIENCE_S = 60

pytestmark = [pytest.mark.needs("mandoc", "strace", "unshare"), pytest.mark.timeout(300)]


class Cut:
    """Runs commands where there is no network, and knows which sockets they asked for."""

    def __init__(self, folder, apart):
        self.folder, self.traces, self.apart = folder, folder / "traces", apart
        self.traces.mkdir()
        own = {f"XDG_{name.upper()}_HOME": f"{folder}/{name}" for name in ("data", "config")}
        kept = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
        self.environment = {**kept, **own, "XDG_RUNTIME_DIR": f"{folder}/run"}
        (folder / "run").mkdir(mode=0o700)

    def command(self, command, *flags):
        trace = self.traces / f"{len(list(self.traces.iterdir())):02}"
        trace.touch()
        traced = ["strace", "-f", "--seccomp-bpf", *flags, "-e", "trace=%network", "-o", str(trace)]
        return [*self.apart, *traced, *map(str, command)]

    def run(self, command, *arguments, accepted=(DONE,), **more):
        done = subprocess.run(
            self.command([*command, *arguments]),
            env={**self.environment, **more}, capture_output=True, text=True, check=False, timeout=PATIENCE_S * 2,
        )  # fmt: skip
        assert done.returncode in accepted, done.stderr
        assert "Traceback" not in done.stderr
        return done.stdout

    def families(self):
        said = "".join(trace.read_text() for trace in self.traces.iterdir())
        return set(re.findall(r"\bsocket(?:pair)?\((\w+)", said))


def asked(cut, kind, place):
    """What is printed for a question on what a source of that type holds; that one is cited."""
    said = cut.run(RAGMAN, QUESTIONS[kind])
    assert place.stem in said.partition("## References")[2]
    return said


@pytest.fixture(scope="module")
def apart():
    """The command before a command that gives it a network of its own."""
    for command in (["unshare", "--net"], ["unshare", "--map-root-user", "--net"]):
        tried = subprocess.run([*command, "true"], capture_output=True, text=True, check=False)
        if tried.returncode == 0:
            return command
    stop = pytest.fail if os.environ.get("CI") else pytest.skip
    return stop(f"not permitted here: {tried.stderr.strip()}")


@pytest.fixture
def cut(folder, apart):
    return Cut(folder, apart)


@pytest.fixture
def places(cut):
    places = places_of_every_kind(cut.folder)
    for number in range(620):  # so many are read by two processes
        (places["tldr"] / f"common/tool{number}.md").write_text(
            f"# tool{number}\n\n> Turn wheel {number}.\n\n- Turn it:\n\n`tool{number}`\n"
        )
    (places["docs"] / "far.html").write_text(
        '<link href="http://192.0.2.1/a.css"><h1>Far</h1><img src="http://192.0.2.1/a">'
    )
    shutil.copy(DATA / "docs/locked.pdf", places["docs"])  # a process of its own looks at it
    return places


PROBE = """
import socket
with open("/proc/self/net/dev") as devices:
    print(sorted(line.split(":")[0].strip() for line in devices if ":" in line))
for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((address, 9))
        except OSError as error:
            print(error.strerror)
"""


def test_what_would_use_a_network_fails_there_and_is_seen(cut):
    """So that the test below says something."""
    said = cut.run([sys.executable, "-c", PROBE]).splitlines()
    assert said[0] == "['lo']"
    assert len(said) == 3
    assert set(said[1:]) <= {"Network is unreachable", "Cannot assign requested address"}
    assert cut.families() >= {"AF_INET", "AF_INET6"}


def test_all_that_is_administered_and_asked_works_without_a_network(cut, places):
    cut.run(RAGADMIN, "init")
    (cut.folder / "config/ragcli/config.yaml").write_text("ragman: {confidence_threshold: 0}\n")
    for seeded in ("man-pages", "info-pages"):
        cut.run(RAGADMIN, "sources", "remove", seeded)
    for kind, place in places.items():
        assert f"({kind}, en, " in cut.run(RAGADMIN, "sources", "add", place)
    some = {"accepted": (DONE_WITH_WARNINGS,)}  # one of the notes is locked
    cut.run(RAGADMIN, "reindex", "--dry-run", accepted=(DONE, DONE_WITH_WARNINGS))
    cut.run(RAGADMIN, "reindex", **some)
    cut.run(RAGADMIN, "sources", "update", "notes", "--notes", "mine")
    cut.run(RAGADMIN, "reindex", "--full", "--json", **some)
    listed = cut.run(RAGADMIN, "sources", "list")
    assert all(f"  {kind} " in listed for kind in places)
    assert "mine" in cut.run(RAGADMIN, "sources", "show", "notes")
    assert "index_integrity" in cut.run(RAGADMIN, "health", accepted=(DONE, DONE_WITH_WARNINGS))
    alone = {source: asked(cut, *source) for source in places.items()}

    service = subprocess.Popen(
        cut.command([*RAGADMIN, "serve"], "--daemonize"), env=cut.environment, stdout=subprocess.DEVNULL
    )
    try:
        wait_until(lambda: (cut.folder / "run/ragcli/ragcli.sock").exists() or service.poll() is not None)
        assert "A service is running" in cut.run(RAGADMIN, "service", "status")
        assert {source: asked(cut, *source) for source in places.items()} == alone
        (places["docs"] / "parcel.md").write_text("# Parcels\n\nA parcel is tied with string.\n")
        cut.run(RAGADMIN, "reindex", **some)
        assert "string" in cut.run(RAGMAN, "How is a parcel tied?")
    finally:
        service.send_signal(signal.SIGTERM)
        assert service.wait(PATIENCE_S) == 0
    assert "string" in cut.run(RAGMAN, "How is a parcel tied?")
    cut.run(RAGADMIN, "sources", "remove", "notes")

    wait_until(lambda: all("+++ exited" in trace.read_text() for trace in cut.traces.iterdir()))
    assert cut.families() == {"AF_UNIX"}
