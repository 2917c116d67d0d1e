"""`vademecum`: commands for all desks. Modules are imported when their command is called."""

import sys
from collections.abc import Sequence
from typing import NoReturn

from vademecum.cli._ending import run_to_end
from vademecum.cli._programs import VADEMECUM
from vademecum.cli._run import run as run_command


def main() -> NoReturn:
    """Run the command, and exit."""
    run_to_end("vademecum", lambda: run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run a command, and return the exit code."""
    known = {command.path[-1] for command in VADEMECUM.commands}
    if arguments and not arguments[0].startswith("-") and arguments[0] not in known:
        from vademecum.cli.commands.extensions import run_extension  # noqa: PLC0415 - it reads all packages' metadata

        code = run_extension(arguments)
        if code is not None:
            return code
    return run_command(VADEMECUM, arguments)


if __name__ == "__main__":
    main()
