"""Files that the composer keeps, written by processes: counters, and sessions of one that is killed."""

import os
import signal
import subprocess
import sys

from shared import wait_until
from vademecum.desks.composer.counters import metrics, metrics_file
from vademecum.desks.composer.session.sessions import Sessions, Turn
from vademecum.desks.composer.settings import ComposerSettings


def test_across_processes():
    code = "from vademecum.desks.composer.counters import Run, count; print(count(Run(cache_hits=1, query_type='semantic', duration_ms=3)))"
    processes = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) for _ in range(4)]
    assert [process.communicate()[0] for process in processes] == [b"\n"] * 4
    assert metrics()["cache"]["hits"] == 4
    assert metrics_file().exists()


SAVER = """
import sys
from pathlib import Path
from vademecum.desks.composer.session.sessions import Sessions, Turn
from vademecum.desks.composer.settings import ComposerSettings
sessions = Sessions(Path(sys.argv[1]), ComposerSettings())
session = sessions.new()
print(session.id, flush=True)
while True:
    session.turns.append(Turn(f"turn {len(session.turns)}", "refinement", (), "x" * 2000, ""))
    sessions.save(session)
"""


def test_killed_at_any_moment_it_is_whole(tmp_path):
    folder = tmp_path / "sessions"
    sessions = Sessions(folder, ComposerSettings())
    process = subprocess.Popen([sys.executable, "-c", SAVER, str(folder)], stdout=subprocess.PIPE, text=True)
    session_id = process.stdout.readline().strip()
    wait_until(lambda: session_id in sessions.ids() and len(sessions.load(session_id).turns) > 20)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    session = sessions.load(session_id)
    assert len(session.turns) > 20
    assert [one.said for one in session.turns] == [f"turn {number}" for number in range(len(session.turns))]
    session.turns.append(Turn("what is in it?", "question", (), "image:\n  name: edge\n", "nginx."))
    assert sessions.save(session) == ""
