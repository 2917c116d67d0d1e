"""`ragadmin completion`: shell completion for bash, zsh and fish.

`sed` reads the aliases of sources from the catalog file, and the names of conversations from their folder. One of our
own commands would take a quarter of a second for every key press.
"""

import shlex
from collections.abc import Callable, Iterable

from vademecum.cli._command import Command, Options
from vademecum.library.internal import InternalLibrary

_DATA = "${XDG_DATA_HOME:-$HOME/.local/share}/ragcli"
_ALIASES = rf"""sed -n 's/^ *"alias": "\([a-z0-9-]*\)",\{{0,1\}}$/\1/p' "{_DATA}/catalog.json" 2>/dev/null"""
_TALKS = f"""ls -1 "{_DATA}/conversations" 2>/dev/null | sed -n 's/^\\([a-z0-9_-]*\\)\\.json$/\\1/p'"""
_FIXED = {
    "TYPE": "man info kiwix tldr help records docs",
    "STATUS": "active pending error",
    "SECTION": "1 2 3 4 5 6 7 8",
    "TAG": "en",
}
_FILES = {"PATH", "FILE.jsonl", "FILE"}


def completion(library: InternalLibrary, asked: Options) -> int:
    """Print the completion script of a shell, or its key binding."""
    del library
    print(_KEYS[asked.shell] if asked.key else script(asked.shell), end="")
    return 0


def script(shell: str) -> str:
    """Return the completion script of all our commands for a shell."""
    return _SCRIPTS[shell]()


def _words(name: str, choices: Iterable[str] = ()) -> str:
    """Return shell code that prints the words for a value, or "" if there are none."""
    if fixed := " ".join(choices):
        return f"echo {fixed}"
    if name == "ALIAS":
        return _ALIASES
    if name == "NAME":
        return f"{_TALKS}; echo -"
    return f"echo {_FIXED[name]}" if name in _FIXED else ""


def _bash() -> str:
    from vademecum.cli._programs import PROGRAMS  # noqa: PLC0415 - it declares this module's own command

    lines = ["# bash completion of our commands", "_ragcli() {"]
    lines += [
        '  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} path=${1##*/} one words=""',
        "  local IFS=$' \\t\\n'",
        '  [[ $word == "=" ]] && word=""',
        '  [[ $before == "=" ]] && before=${COMP_WORDS[COMP_CWORD-2]}',
        "  COMPREPLY=()",
        '  for one in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
        '    case "$path $one" in',
    ]
    commands = [command for program in PROGRAMS for command in program.walk()]
    lines += [f'      "{" ".join(one.path)}") path="$path $one" ;;' for one in commands if len(one.path) > 1]
    lines += ["    esac", "  done", '  case "$path $before" in']
    for command in commands:
        for flag in command.shown_flags:
            if not flag.value:
                continue
            pattern = "|".join(f'"{" ".join(command.path)} {name}"' for name in flag.names)
            if flag.value in _FILES:
                lines.append(
                    f'    {pattern}) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;'
                )
            elif words := _words(flag.value, flag.choices):
                lines.append(f'    {pattern}) COMPREPLY=($(compgen -W "$({words})" -- "$word")); return ;;')
            elif not flag.is_optional:
                lines.append(f"    {pattern}) return ;;")
    lines += ["  esac", "  if [[ $word == -* ]]; then", '    case "$path" in']
    for command in commands:
        names = " ".join(name for flag in command.shown_flags for name in flag.names)
        lines.append(f'      "{" ".join(command.path)}") words="{names}" ;;')
    lines += [
        "    esac",
        '    COMPREPLY=($(compgen -W "$words" -- "$word")); return',
        "  fi",
        '  case "$path" in',
    ]
    for command in commands:
        label = f'    "{" ".join(command.path)}")'
        if command.commands:
            names = " ".join(one.path[-1] for one in command.commands)
            lines.append(f'{label} COMPREPLY=($(compgen -W "{names}" -- "$word")) ;;')
        for argument in command.arguments[:1]:
            if argument.name in _FILES:
                lines.append(
                    f'{label} compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;'
                )
            elif words := _words(argument.name, argument.choices):
                lines.append(f'{label} COMPREPLY=($(compgen -W "$({words})" -- "$word")) ;;')
    lines += ["  esac", "}", "complete -F _ragcli ragman ragadmin vademecum os-image-composer"]
    return "\n".join(lines) + "\n"


def _zsh() -> str:
    from vademecum.cli._programs import PROGRAMS  # noqa: PLC0415 - it declares this module's own command

    lines = ["#compdef ragman ragadmin vademecum os-image-composer", "# zsh completion of our commands", ""]

    def action(name: str, choices: Iterable[str] = ()) -> str:
        if name in _FILES:
            return "_files"
        words = _words(name, choices)
        if words.startswith("echo ") and "$" not in words:
            return f"({words.removeprefix('echo ')})"
        return {"ALIAS": "_ragcli_aliases", "NAME": "_ragcli_talks"}.get(name, " ")

    def specs(command: Command) -> list[str]:
        found = []
        for flag in command.shown_flags:
            meaning = _escaped(flag.meaning)
            value = ""
            if flag.value:
                value = (
                    f"{':' if not flag.is_optional else '::'}{flag.value}:{action(flag.value, flag.choices)}"
                )
            star = "*" if flag.is_repeated else ""
            found += [f"{star}{name}[{meaning}]{value}" for name in flag.names]
        for argument in command.arguments:
            many = "*" if argument.name == "QUESTION" else ""
            found.append(f"{many}:{argument.name}:{action(argument.name, argument.choices)}")
        return found

    lines += [
        f"_ragcli_aliases() {{ compadd -- $({_ALIASES}) }}",
        f"_ragcli_talks() {{ compadd -- $({_TALKS}) - }}",
        "",
    ]
    for command in (one for program in PROGRAMS for one in program.walk()):
        name = "_" + "_".join(command.path)
        lines.append(f"{name}() {{")
        shown = [shlex.quote(spec) for spec in specs(command)]
        if command.commands:
            lines += [
                "  local -a commands=(",
                *(
                    f"    {shlex.quote(one.path[-1] + ':' + one.meaning.replace(':', ','))}"
                    for one in command.commands
                ),
                "  )",
                "  local state",
                "  _arguments -C " + " ".join([*shown, "'1: :->command'", "'*:: :->rest'"]),
                '  case "$state" in',
                "    command) _describe command commands ;;",
                '    rest) case "$words[1]" in',
                *(f"      {one.path[-1]}) _{'_'.join(one.path)} ;;" for one in command.commands),
                "    esac ;;",
                "  esac",
            ]
        else:
            lines.append("  _arguments " + " ".join(shown))
        lines += ["}", ""]
    lines += [
        'if [[ "$funcstack[1]" == _* && -n "$service" ]]; then',
        '  "_$service" "$@"',
        "else",
        "  compdef _ragman ragman",
        "  compdef _ragadmin ragadmin",
        "  compdef _vademecum vademecum",
        "  compdef _os-image-composer os-image-composer",
        "fi",
    ]
    return "\n".join(lines) + "\n"


def _fish() -> str:
    from vademecum.cli._programs import PROGRAMS  # noqa: PLC0415 - it declares this module's own command

    data = "(set -q XDG_DATA_HOME; and echo $XDG_DATA_HOME; or echo $HOME/.local/share)/ragcli"
    lines = [
        "# fish completion of our commands",
        "function __ragcli_aliases",
        f"    set -l data {data}",
        r"""    sed -n 's/^ *"alias": "\([a-z0-9-]*\)",\{0,1\}$/\1/p' "$data/catalog.json" 2>/dev/null""",
        "end",
        "function __ragcli_talks",
        f"    set -l data {data}",
        r"""    ls -1 "$data/conversations" 2>/dev/null | sed -n 's/^\([a-z0-9_-]*\)\.json$/\1/p'""",
        "    echo -",
        "end",
        "function __ragcli_rest",
        "    set -l words (commandline -opc)",
        "    set -e words[1]",
        "    set -l words (string match -v -- '-*' $words)",
        "    for one in $argv",
        '        test (count $words) -gt 0; and test "$words[1]" = "$one"; or return 1',
        "        set -e words[1]",
        "    end",
        "    count $words",
        "    return 0",
        "end",
        "function __ragcli_at",
        "    __ragcli_rest $argv >/dev/null",
        "end",
        "function __ragcli_next",
        "    test (__ragcli_rest $argv; or echo none) = 0",
        "end",
    ]

    def values(name: str, choices: Iterable[str] = ()) -> str:
        if name in _FILES:
            return " -F"
        words = {"ALIAS": "(__ragcli_aliases)", "NAME": "(__ragcli_talks)"}.get(name, "")
        words = words or _words(name, choices).removeprefix("echo ")
        return f" -a {shlex.quote(words)}" if words else ""

    for program in PROGRAMS:
        lines.append(f"complete -c {program.path[0]} -f")
        for command in program.walk():
            at = f"complete -c {program.path[0]} -n {shlex.quote(' '.join(['__ragcli_at', *command.path[1:]]))}"
            for flag in command.shown_flags:
                names = " ".join(
                    f"-l {one[2:]}" if one.startswith("--") else f"-s {one[1:]}" for one in flag.names
                )
                takes = " -r" if flag.value in _FILES else " -x"
                value = (
                    f"{takes}{values(flag.value, flag.choices)}"
                    if flag.value and not flag.is_optional
                    else ""
                )
                lines.append(f"{at} {names}{value} -d {shlex.quote(flag.meaning)}")
            following = at.replace("__ragcli_at", "__ragcli_next")
            lines += [
                f"{following} -a {one.path[-1]} -d {shlex.quote(one.meaning)}" for one in command.commands
            ]
            lines += [
                f"{following}{values(argument.name, argument.choices)}"
                for argument in command.arguments[:1]
                if values(argument.name, argument.choices)
            ]
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    for sign in "\\[]:":
        text = text.replace(sign, f"\\{sign}")
    return text


_KEYS = {
    "bash": """_ragman_line() {
  local line
  line=$(ragman --line -- "$READLINE_LINE") && READLINE_LINE=$line READLINE_POINT=${#line}
}
bind -x '"\\em": _ragman_line'
""",
    "zsh": """_ragman_line() {
  local line
  line=$(ragman --line -- "$BUFFER") && BUFFER=$line CURSOR=${#line}
  zle redisplay
}
zle -N _ragman_line
bindkey '\\em' _ragman_line
""",
    "fish": """function _ragman_line
    set -l line (ragman --line -- (commandline | string collect) | string collect)
    and test -n "$line"; and commandline -r -- $line
    commandline -f repaint
end
bind \\em _ragman_line
""",
}
"""For each shell, a binding of Alt+M: the question at the prompt gives way to its line, which is not run."""

_SCRIPTS: dict[str, Callable[[], str]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
