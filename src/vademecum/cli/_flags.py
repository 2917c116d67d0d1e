"""Parse flags and arguments: what `argparse` does, in a twentieth of its import time."""

from vademecum.core.errors import ConfigError
from vademecum.text.similar import closest

TYPE_CHECKING = False
if TYPE_CHECKING:  # `collections` takes 2 ms to load, a fifth of asking the background service
    from collections.abc import Collection, Sequence


def read_flags(
    arguments: "Sequence[str]",
    switches: "Collection[str]",
    valued: "Collection[str]",
    help_hint: str,
    repeated: dict[str, list[str]] | None = None,
) -> tuple[list[str], dict[str, str]]:
    """Tell flags from words. Flags may stand anywhere; after `--` all are words, and `-` is a word.

    Args:
        arguments: Without the program's name.
        switches: Flags without a value (`--plain`).
        valued: Flags with one (`--limit 3`, `--limit=3`).
        help_hint: What to do after a mistake.
        repeated: Takes in every value of the flags that it names, in order.

    Returns:
        The words, and each flag that was given with its value ("" for a switch); the last one counts.

    Raises:
        ConfigError: A flag is unknown, lacks its value, or has one that it does not take.
    """
    words: list[str] = []
    flags: dict[str, str] = {}
    rest = iter(arguments)
    for argument in rest:
        if argument == "--":
            words.extend(rest)
        elif not argument.startswith("-") or argument == "-":
            words.append(argument)
        else:
            name, equals, value = argument.partition("=")
            if name in switches and not equals:
                flags[name] = ""
            elif name in switches:
                raise ConfigError(f"{name} takes no value.", hint=help_hint)
            elif name not in valued:
                raise ConfigError(
                    f"There is no flag {name}.{_meant(name, (*switches, *valued))}", hint=help_hint
                )
            elif equals:
                flags[name] = value
            elif (following := next(rest, None)) is not None:
                flags[name] = following
            else:
                raise ConfigError(f"{name} needs a value.", hint=help_hint)
            if repeated and name in repeated:
                repeated[name].append(flags[name])
    return words, flags


def _meant(name: str, known: "Sequence[str]") -> str:
    similar = closest(name, (flag for flag in known if flag.startswith("--")))
    return f" Did you mean {similar}?" if similar else ""
