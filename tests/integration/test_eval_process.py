"""`vademecum eval` as a process: interrupted, and with nobody who reads what it prints."""

import os
import signal
import subprocess
import sys

COMMAND = [sys.executable, "-m", "vademecum.cli.vademecum"]


def test_an_interrupt_ends_it(tmp_path):
    pipe = tmp_path / "questions"
    os.mkfifo(pipe)
    with (
        subprocess.Popen(
            [*COMMAND, "eval", "linux", "--questions", str(pipe)], stderr=subprocess.PIPE, text=True
        ) as process,
        pipe.open("w"),
    ):  # opens once the command reads
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in said


def test_a_reader_that_leaves_is_no_error():
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [*COMMAND, "--help"], stdout=writing, stderr=subprocess.PIPE, text=True, timeout=60, check=False
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")
