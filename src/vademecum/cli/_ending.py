"""End a command: print its error, and exit without cleanup.

An answer of the background service takes about 10 ms. `contextlib` would take another 4 ms to load.
"""

import os
import sys

from vademecum.core.errors import VademecumError

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` takes 7 ms to load
    from collections.abc import Callable
    from typing import NoReturn

INTERRUPTED = 130
USAGE = 2


def run_to_end(program: str, command: "Callable[[], int]") -> "NoReturn":
    """Run a command, print its error, flush the streams, and exit.

    The process exits with `os._exit`: the system frees memory and closes files faster than the interpreter.

    Args:
        program: The name of the program in error messages.
        command: Returns the exit code.
    """
    set_up_streams()
    code = outcome(program, command)
    for stream in (sys.stdout, sys.stderr):
        try:  # noqa: SIM105 - see the module docstring
            stream.flush()
        except (OSError, ValueError):
            pass
    os._exit(code)


def outcome(program: str, command: "Callable[[], int]") -> int:
    """Run a command, print its error on stderr, and return the exit code."""
    try:
        code = command()
        sys.stdout.flush()
    except VademecumError as error:
        complain(program, error)
        return error.exit_code
    except KeyboardInterrupt:
        _say(f"{program}: interrupted")
        return INTERRUPTED
    except BrokenPipeError:  # the reader has closed the pipe
        return 0
    except SystemExit as stop:  # the reason has already been printed
        return stop.code if isinstance(stop.code, int) else 0
    except OSError as error:  # such as a full disk for stdout
        about = f"{error.filename}: " if error.filename else ""
        _say(f"{program}: {about}{error.strerror or error}.")
        _say("Check the free space on the disk, and the destination of the output.")
    except MemoryError:
        print(f"{program}: not enough memory.", file=sys.stderr)
    except Exception:  # noqa: BLE001 - a bug, whose report needs the traceback
        from traceback import print_exc  # noqa: PLC0415 - only here

        print_exc()
        print(
            f"{program}: this is a bug in Vademecum. Please report it with the lines above.", file=sys.stderr
        )
    else:
        return code
    return 1


def complain(program: str, error: VademecumError) -> None:
    """Print an error and its hint on stderr."""
    _say(f"{program}: {error.message}")
    if error.hint:
        _say(error.hint)


def _say(text: str) -> None:
    """Print a text on stderr. Errors of the stream are ignored."""
    try:  # noqa: SIM105 - see the module docstring
        print(text, file=sys.stderr)
    except OSError:
        pass


def set_up_streams() -> None:
    """Print characters that the terminal cannot encode as `?`, and replace closed streams with `/dev/null`."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # opened in this order, each gets its usual file descriptor
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115 - no pathlib here
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure") and stream.encoding.lower() != "utf-8":
            stream.reconfigure(errors="replace")
