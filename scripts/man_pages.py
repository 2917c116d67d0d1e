"""Write the manual pages of our own commands, from what the commands say of themselves.

`python scripts/man_pages.py` writes `docs/man`; `--check` says whether it is as it would be written.
"""

import argparse
import sys
from pathlib import Path

from vademecum.cli._command import Command, Flag
from vademecum.cli._programs import PROGRAMS

FOLDER = Path(__file__).parents[1] / "docs" / "man"
DATE = "November 22, 2026"

_PURPOSE = {
    "ragman": "ask this machine's own manuals a question",
    "ragadmin": "add, update and index what ragman answers from: manual pages, Kiwix archives",
    "vademecum": "ask books, chat by rules, serve it all over HTTP, choose a way of reasoning, measure how good answers are",
    "os-image-composer": "turn plain words into a template of an operating system's image, and refine it",
}
_TELLING = {
    "ragman": """\
.Nm
answers a question in English from the documents that are indexed on this machine: manual pages, info manuals,
Kiwix archives and other sources that
.Xr ragadmin 1
keeps.
Every sentence of an answer is quoted from a document and cited.
Nothing leaves the machine, and no language model is needed.
.Pp
With
.Fl Fl model ,
or a model that the configuration names, a language model writes the answer from the passages that were found.
Every sentence is checked against the words that it cites, and what does not hold is left out.
When the model fails or is too late, the answer is in the documents' own words, and says so.
.Pp
All words that are not flags make up the question.
.Ql -
alone reads it from standard input.
On a terminal the answer is laid out to its width; piped, it is Markdown.
.Pp
With
.Fl Fl conversation
a question may lean on the one before it
.Pq Dq and only newer files? .
What it was taken as is said above the answer.
The question
.Dq start over
ends what was said.
A conversation is forgotten after a week.
""",
    "ragadmin": """\
.Nm
keeps the sources and the index that
.Xr ragman 1
answers from.
To add a Kiwix archive, or a folder of manual pages or notes, use
.Ic ragadmin sources add .
It also updates and removes sources, builds the index again, says what stands in the way of answers, and
.Po Ic ragadmin models
.Pc
which language models are configured and whether they work.
Sources are named by an alias, which is made from the file name and never changes.
""",
    "vademecum": """\
.Nm
.Cm reason
names the way of reasoning that fits a problem, or says that none does, and puts the problem into it.
.Nm
.Cm eval
asks the index of
.Xr ragman 1 ,
or the ways of reasoning, questions whose answers are known, and prints how good the answers are, next to plain BM25.
.Nm
.Cm packages
reads the package repositories that images of operating systems are built from, so that names of packages can be checked offline.
""",
    "os-image-composer": """\
.Nm
.Cm ai
finds the template nearest to what was asked for, changes as little of it as it must, checks the result, and says of everything asked
for whether it is in it.
Without a language model and without a network all of it works.
.Nm
.Cm config
writes and shows the settings.
Commands inside templates are never run.
""",
}
_EXAMPLES = {
    "ragman": (
        ("Ask a question", 'ragman "How do I change file permissions?"'),
        ("Ask the section on system calls only", 'ragman --section 2 "create a file exclusively"'),
        (
            "Ask a follow-up",
            'ragman --conversation work "how do I copy a directory"\nragman --conversation work "and only newer files?"',
        ),
        (
            "Have a language model write the answer",
            'ragman --model ollama:gemma3:1b "How do I change file permissions?"',
        ),
        ("Ask from a script", 'ragman --json "what is umask"'),
    ),
    "ragadmin": (
        (
            "Add a Kiwix archive (a ZIM file, such as an offline Wikipedia) as a source and index it",
            "ragadmin sources add wikipedia.zim\nragadmin reindex",
        ),
        ("Add a folder of notes", "ragadmin sources add ~/notes --type docs\nragadmin reindex"),
        ("Bring the index up to date after packages were installed", "ragadmin reindex"),
        ("Remove a source", "ragadmin sources remove wikipedia"),
        ("Find out why there are no answers", "ragadmin health"),
        (
            "Have a language model of Ollama's write the answers, and try it out",
            "ragadmin init --backend ollama\nragadmin models test",
        ),
        (
            "Complete commands in bash",
            "ragadmin completion bash > ~/.local/share/bash-completion/completions/ragman",
        ),
    ),
    "vademecum": (
        ("Measure the answers to questions of your own", "vademecum eval linux --questions questions.jsonl"),
    ),
    "os-image-composer": (
        ("Make a template", 'os-image-composer ai "ubuntu 24 minimal raw image with nginx, 20 GB"'),
        ("Refine the last one", 'os-image-composer ai --continue "call the host edge-7"'),
    ),
}
_FILES = """\
.Sh FILES
.Bl -tag -width Ds
.It Pa ${XDG_CONFIG_HOME}/ragcli/config.yaml
The configuration.
.It Pa ${XDG_DATA_HOME}/ragcli/
Catalog, index, conversations and logs.
.It Pa ${XDG_RUNTIME_DIR}/ragcli/ragcli.sock
Where the background service listens.
.El
"""
_ENVIRONMENT = """\
.Sh ENVIRONMENT
.Bl -tag -width Ds
.It Ev NO_COLOR
When set, no styles are printed.
.It Ev VADEMECUM_SERVICE
When
.Ql off ,
the background service is not asked.
.El
"""
_EXIT = {
    "ragman": (
        (0, "Done, also when there is no answer."),
        (1, "Failed."),
        (2, "Not a usable command or question."),
        (4, "The index is missing, damaged, or refused by --strict."),
        (130, "Interrupted."),
    ),
    "": (
        (0, "Done."),
        (1, "Failed."),
        (2, "Not a usable command."),
        (3, "Done, with warnings."),
        (4, "The index is missing or damaged."),
        (130, "Interrupted."),
    ),
}


def main() -> int:
    """Write the pages, or check them; 1 when they are stale."""
    parser = argparse.ArgumentParser(description="Write the manual pages of our own commands.")
    parser.add_argument("--check", action="store_true", help="only say whether they are as they should be")
    check = parser.parse_args().check
    stale = [name for name, text in pages().items() if not _is(FOLDER / name, text)]
    if check:
        for name in stale:
            print(f"{FOLDER / name} is not what the commands say; run: make man", file=sys.stderr)
        return 1 if stale else 0
    FOLDER.mkdir(exist_ok=True)
    for name in stale:
        (FOLDER / name).write_text(pages()[name], encoding="utf-8")
        print(f"wrote {FOLDER / name}")
    return 0


def pages() -> dict[str, str]:
    """Each page by the name of its file."""
    return {f"{program.path[0]}.1": page(program) for program in PROGRAMS}


def page(program: Command) -> str:
    """A program's page, in mdoc."""
    name = program.path[0]
    others = sorted(one for one in _PURPOSE if one != name)
    lines = [
        r'.\" Made by scripts/man_pages.py; run "make man" after a change of flags.',
        f".Dd {DATE}",
        f".Dt {name.upper()} 1",
        ".Os",
        ".Sh NAME",
        f".Nm {name}",
        f".Nd {_PURPOSE[name]}",
        ".Sh SYNOPSIS",
    ]
    leaves = [command for command in program.walk() if not command.commands]
    for command in leaves:
        lines += [".Nm", *_synopsis(command)]
    lines += [".Sh DESCRIPTION", _TELLING[name].rstrip("\n")]
    if program.commands:
        for command in leaves:
            lines += [f".Ss {' '.join(command.path[1:])}", _sentence(command.meaning)]
            for argument in command.arguments:
                if argument.meaning:
                    lines += [".Pp", f".Ar {_safe(argument.name)}:", f"{_sentence(argument.meaning)}"]
            lines += _flags([flag for flag in command.shown_flags if "--help" not in flag.names])
    else:
        lines += [".Pp", "The flags are:", *_flags(list(program.shown_flags))]
    lines += [*_ENVIRONMENT.splitlines(), *_FILES.splitlines(), ".Sh EXIT STATUS", ".Bl -tag -width Ds"]
    for code, meaning in _EXIT.get(name, _EXIT[""]):
        lines += [f".It {code}", _safe(meaning)]
    lines += [".El", ".Sh EXAMPLES"]
    for meaning, command in _EXAMPLES[name]:
        lines += [
            _sentence(meaning, ":"),
            ".Bd -literal -offset indent",
            *map(_safe, command.split("\n")),
            ".Ed",
            ".Pp",
        ]
    lines.pop()
    lines += [".Sh SEE ALSO", *(f".Xr {one} 1{' ,' * (one != others[-1])}" for one in others)]
    return "\n".join(lines) + "\n"


def _synopsis(command: Command) -> list[str]:
    lines = [f".Cm {' '.join(command.path[1:])}"] if command.path[1:] else []
    lines += [
        f".Op {_mdoc(flag, flag.names[-1:])}{' ...' if flag.is_repeated else ''}"
        for flag in command.shown_flags
        if "--help" not in flag.names
    ]
    return [*lines, *(f".Ar {_safe(argument.name)}" for argument in command.arguments)]


def _flags(flags: list[Flag]) -> list[str]:
    if not flags:
        return []
    lines = [".Bl -tag -width Ds"]
    for flag in flags:
        lines += [f".It {' , '.join(_mdoc(flag, [one]) for one in flag.names)}", _safe(flag.meaning)]
    return [*lines, ".El"]


def _mdoc(flag: Flag, names: list[str] | tuple[str, ...]) -> str:
    name = names[0]
    shown = f"Fl Fl {name[2:]}" if name.startswith("--") else f"Fl {name[1:]}"
    value = f" Op Ar {_safe(flag.value)}" if flag.is_optional else f" Ar {_safe(flag.value)}"
    return shown + (value if flag.value else "")


def _sentence(text: str, end: str = ".") -> str:
    text = text[:1].upper() + text[1:]
    return _safe(text if text.endswith((".", ":")) else text + end)


def _safe(text: str) -> str:
    r"""Text in roff: a backslash is written out, and no line begins with a control sign."""
    text = text.replace("\\", r"\e").replace("-", r"\-")
    return rf"\&{text}" if text.startswith((".", "'")) else text


def _is(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    sys.exit(main())
