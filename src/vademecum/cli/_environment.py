"""Flags from environment variables, for commands that are started by systemd or in a container."""

import os

from vademecum.cli._command import Command, Flag, split
from vademecum.core.errors import ConfigError
from vademecum.text.similar import closest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_YES, _NO = {"1", "true", "yes", "on"}, {"", "0", "false", "no", "off"}


def variable_of(command: Command, flag: Flag) -> str:
    """Return the environment variable of a flag, such as `VADEMECUM_SERVE_PORT` of `--port`."""
    return f"{command.variables}{flag.names[-1].lstrip('-').replace('-', '_').upper()}"


def words_of(
    command: Command, words: "Sequence[str]", environ: "Mapping[str, str] | None" = None
) -> list[str]:
    """Return the flags that are set by environment variables and not by the command line.

    Lists are separated by commas. A switch is 1 or 0.
    """
    environ = os.environ if environ is None else environ
    flags = {variable_of(command, flag): flag for flag in command.flags if flag.names[-1] != "--help"}
    _, given = split(command, words)
    found: list[str] = []
    for name, value in environ.items():
        if not name.startswith(command.variables):
            continue
        flag = flags.get(name)
        if flag is None:
            similar = closest(name, flags)
            hint = f"Did you mean {similar}?" if similar else f"See: {' '.join(command.path)} --help"
            raise ConfigError(f"There is no environment variable {name}.", hint=hint)
        if flag.names[-1] in given:
            continue
        if flag.value:
            values = [part.strip() for part in value.split(",")] if flag.is_repeated else [value.strip()]
            found += [f"{flag.names[-1]}={part}" for part in values if part]
        elif value.strip().lower() in _YES:
            found.append(flag.names[-1])
        elif value.strip().lower() not in _NO:
            raise ConfigError(f"{name} must be 1 or 0.", hint="Correct the environment variable.")
    return found
