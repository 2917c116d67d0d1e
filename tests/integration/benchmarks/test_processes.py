import os
import subprocess
import sys

import pytest

SPENDS_TIME = "import time; end = time.process_time() + 0.2\nwhile time.process_time() < end: pass"
HOLDS = """
import subprocess, sys, time
held = b"x" * 60_000_000
if sys.argv[1:]:
    subprocess.run([sys.executable, *sys.argv[1:]], check=True)
time.sleep(0.3)
"""


def test_a_process_is_measured_to_its_end():
    from processes import run

    used = run([sys.executable, "-c", SPENDS_TIME + "\nprint('done')"], os.environ)
    assert used.output == "done\n"
    assert 200 <= used.cpu_ms <= used.wall_ms * 1.1


def test_a_process_is_given_only_the_environment_named():
    from processes import run

    used = run([sys.executable, "-c", "import os; print(os.environ['WHO'])"], {"WHO": "nobody"})
    assert used.output == "nobody\n"


def test_a_failure_says_what_the_process_said():
    from processes import Failed, run

    failing = [sys.executable, "-c", "import sys; sys.exit('no such thing')"]
    with pytest.raises(Failed, match="ended with 1:\nno such thing"):
        run(failing, os.environ)
    assert run(failing, os.environ, accepted=(0, 1)).output == ""


def test_memory_is_summed_over_children_and_their_children(tmp_path):
    from processes import PeakMemory, run

    script = tmp_path / "holds.py"
    script.write_text(HOLDS)
    with PeakMemory() as memory:
        run([sys.executable, script], os.environ)
    alone = memory.peak_bytes
    with PeakMemory() as memory:
        run([sys.executable, script, script], os.environ)
    assert 60e6 < alone < 110e6
    assert 120e6 < memory.peak_bytes < 220e6


FORKS = """
import os, time
held = bytes(60_000_000).replace(b"\\0", b"x")
child = os.fork()
time.sleep(0.3)
if child:
    os.waitpid(child, 0)
"""


def test_a_large_process_that_starts_a_small_one_is_not_counted_in_its_place():
    from processes import PeakMemory, run

    held = bytearray(b"x") * 300_000_000
    with PeakMemory() as memory:
        for _ in range(40):
            run([sys.executable, "-S", "-c", "pass"], os.environ)
        run([sys.executable, "-c", "import time; held = b'x' * 30_000_000; time.sleep(0.3)"], os.environ)
    assert len(held) == 300_000_000
    assert 30e6 < memory.peak_bytes < 80e6


def test_a_fork_that_runs_no_program_of_its_own_is_counted_once():
    from processes import PeakMemory, run

    with PeakMemory() as memory:
        run([sys.executable, "-c", FORKS], os.environ)
    assert 60e6 < memory.peak_bytes < 110e6


def test_what_ran_before_is_not_counted():
    from processes import PeakMemory, run

    waits = "held = b'x' * 90_000_000; print('held', flush=True); input()"
    before = subprocess.Popen(
        [sys.executable, "-c", waits], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with before:
        assert before.stdout.readline() == "held\n"
        with PeakMemory() as memory:
            run([sys.executable, "-c", "import time; held = b'x' * 30_000_000; time.sleep(0.3)"], os.environ)
        before.communicate("\n")
    assert 30e6 < memory.peak_bytes < 80e6
