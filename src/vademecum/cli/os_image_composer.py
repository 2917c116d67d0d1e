"""`os-image-composer`: turn plain language into an image template. Modules are imported when their command is called."""

import gc
import sys
from collections.abc import Sequence
from typing import NoReturn

from vademecum.cli._ending import run_to_end
from vademecum.cli._programs import COMPOSER
from vademecum.cli._run import run as run_command


def main() -> NoReturn:
    """Run the command, and exit."""
    if not {"-i", "--interactive"} & set(sys.argv):
        gc.disable()  # the process ends before garbage collection is useful
    run_to_end("os-image-composer", lambda: run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run a command, and return the exit code."""
    return run_command(COMPOSER, arguments)


if __name__ == "__main__":
    main()
