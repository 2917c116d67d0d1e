"""`ragman`: ask the machine's own manuals."""

import os
import sys
from collections.abc import Sequence
from typing import NamedTuple, NoReturn

from vademecum.answering.render import render_json, render_markdown, render_plain
from vademecum.cli._ending import USAGE, complain, exit_code, run_to_end, set_up_streams
from vademecum.cli._flags import read_flags
from vademecum.core.answers import Answer
from vademecum.core.errors import ConfigError, IndexMissing
from vademecum.library.library import CONTEXT_TOKENS, Library

HELP = f"""\
Usage: ragman [query] "QUESTION"

Answers a question from this machine's manuals, every sentence with its source.

  ragman "How do I change file permissions?"
  ragman how do I list open files
  echo "what is umask" | ragman -

Options:
  --plain              without Markdown
  --json               as JSON, with every citation
  --explain            and why: what each step saw and chose
  --strict             refuse when the manuals changed since they were indexed
  --yes                build the index first, if there is none, without asking
  --context-tokens N   look at the first N tokens of the question ({CONTEXT_TOKENS})
  --version            the version
  -h, --help           this text

Exit codes: 0 done, also when there is no answer; 1 failed; 2 not a usable command or question;
4 the index is missing, damaged, or refused by --strict; 130 interrupted.
"""

_SWITCHES = ("--plain", "--json", "--explain", "--strict", "--yes", "--version", "--help", "-h")
_VALUED = ("--context-tokens",)
_HINT = 'See: ragman --help. Words that begin with a dash go in quotes with the rest: ragman "what does tar -x do"'
_STDIN_BYTES = 1 << 20


class Request(NamedTuple):
    """What was asked for."""

    question: str
    flags: dict[str, str]
    context_tokens: int


def main() -> NoReturn:
    """Run the command and leave."""
    run_to_end("ragman", lambda: run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Answer, print, and return the exit code.

    Raises:
        VademecumError: What went wrong.
    """
    set_up_streams()
    request = read(arguments)
    if "--help" in request.flags or "-h" in request.flags:
        print(HELP, end="")
        return 0
    if "--version" in request.flags:
        from vademecum import __version__  # noqa: PLC0415 - 10 ms

        print(f"ragman {__version__}")
        return 0
    if not request.question.strip():
        print(HELP, end="", file=sys.stderr)
        return USAGE
    library = Library.open()
    try:
        answer = _ask(library, request)
    except IndexMissing as missing:
        if not _may_build(missing, yes="--yes" in request.flags):
            return exit_code(missing)
        _build(library)
        answer = _ask(library, request)
    print(shown(answer, request.flags, library.settings.presenter_default), end="")
    return 0


def read(arguments: Sequence[str]) -> Request:
    """The request that a command line makes.

    Raises:
        ConfigError: It is not a usable one.
    """
    words, flags = read_flags(arguments, _SWITCHES, _VALUED, _HINT)
    if "--plain" in flags and "--json" in flags:
        raise ConfigError("--plain and --json exclude each other.", hint="Choose one.")
    tokens = flags.get("--context-tokens", str(CONTEXT_TOKENS))
    if not (tokens.isascii() and tokens.isdigit() and int(tokens[:9]) > 0):
        raise ConfigError(f"--context-tokens must be a whole number above 0, not {tokens!r}.", hint=_HINT)
    if words[:1] == ["query"]:
        del words[0]
    if words == ["-"]:
        words = [sys.stdin.buffer.read(_STDIN_BYTES).decode("utf-8", "replace")]
    return Request(" ".join(words), flags, int(tokens[:9]))


def shown(answer: Answer, flags: dict[str, str], presenter: str) -> str:
    """The answer as it is to be printed."""
    explain = "--explain" in flags
    if "--json" in flags or (presenter == "json" and "--plain" not in flags):
        return render_json(answer, explain=explain)
    if "--plain" in flags or presenter == "plain":
        text = render_plain(answer)
        if sys.stdout.isatty():
            from vademecum.cli._style import harmless  # noqa: PLC0415 - for people only

            text = harmless(text)
    else:
        text = render_markdown(answer)
        if sys.stdout.isatty():
            from vademecum.cli._style import harmless, on_terminal, styled  # noqa: PLC0415 - for people only

            text = styled(text) if on_terminal() else harmless(text)
    if explain:
        from vademecum.cli._explain import explained  # noqa: PLC0415 - not on the usual path

        text += "\n" + explained(answer.trace)
    return text


def _ask(library: Library, request: Request) -> Answer:
    strict = "--strict" in request.flags
    return library.ask(request.question, strict=strict, context_tokens=request.context_tokens)


def _may_build(missing: IndexMissing, *, yes: bool) -> bool:
    """Say that there is no index, and find out whether one is to be built now."""
    if yes:
        return True
    complain("ragman", missing)
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    print("Build it now? It takes about a minute. [Y/n] ", end="", file=sys.stderr, flush=True)
    return os.read(sys.stdin.fileno(), 100).decode("utf-8", "replace").strip().lower() in {"", "y", "yes"}


def _build(library: Library) -> None:
    from vademecum.cli._building import build, summary  # noqa: PLC0415 - once in a library's life

    report = build(library)
    print(summary(report), file=sys.stderr)


if __name__ == "__main__":
    main()
