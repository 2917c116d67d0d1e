"""Commands of ours, run in the test's own process, which is ten times as fast as a process for each."""

import io
import os
import subprocess
import sys
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from unittest.mock import patch

from vademecum.cli._ending import outcome, set_up_streams


def run_command(program, *words, env=None, cwd=None, given=b"", text=True):
    """Run a command in this process, and return what `subprocess.run` would: the exit code and all that was printed.

    A test of signals, terminals, or of several commands at once starts processes instead.

    Args:
        program: Its name, such as `ragman`.
        words: The command line.
        env: The environment; the test's own by default.
        cwd: The folder to run it in; the test's own by default.
        given: The standard input.
        text: Whether to return strings instead of bytes.
    """
    arguments = [os.fsdecode(word) for word in words]
    encoding = (env or {}).get("PYTHONIOENCODING", "utf-8")
    out, err, typed = (
        io.TextIOWrapper(io.BytesIO(data), encoding=encoding, errors="surrogateescape")
        for data in (b"", b"", given)
    )
    environment, folder = dict(os.environ), Path.cwd()
    with ExitStack() as stack:
        for name, stream in (("stdout", out), ("stderr", err), ("stdin", typed)):
            stack.enter_context(patch.object(sys, name, stream))
        stack.enter_context(patch.object(sys, "argv", [program, *arguments]))
        stack.callback(os.chdir, folder)
        stack.callback(_become, environment)
        os.chdir(cwd or folder)
        _become(env or environment)
        run = import_module(f"vademecum.cli.{program.replace('-', '_')}").run
        set_up_streams()
        code = outcome(program, lambda: run(arguments))
    printed = [stream.buffer.getvalue() for stream in (out, err) if not stream.flush()]
    assert b"Traceback" not in printed[1], printed[1].decode()
    if text:
        printed = [data.decode(encoding, "surrogateescape") for data in printed]
    return subprocess.CompletedProcess([program, *arguments], code, *printed)


def _become(environment):
    os.environ.clear()
    os.environ.update(environment)
