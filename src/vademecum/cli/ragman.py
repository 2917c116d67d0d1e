"""`ragman`: ask the manuals of this machine."""

import gc
import os
import sys

from vademecum.cli._ending import USAGE, complain, run_to_end
from vademecum.cli._flags import read_flags
from vademecum.core.errors import ConfigError, IndexMissing
from vademecum.core.limits import CONTEXT_TOKENS
from vademecum.library.service.client import Service

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NoReturn

    from vademecum.core.answers import Answer
    from vademecum.library.library import Library

FLAGS = (
    ("--plain", "", "without Markdown"),
    ("--json", "", "as JSON, with every citation"),
    ("--explain", "", "and why: what each step saw and chose"),
    ("--source", "ALIAS", "answer from this source only; may be given several times"),
    ("--section", "SECTION", "answer from this section of the manual only; may be given several times"),
    ("--conversation", "NAME", "go on from the last question of that name; - for the one used last"),
    ("--model", "MODEL", "have this model write the answer: PROVIDER:MODEL, or a name of the configuration"),
    ("--no-model", "", "answer in the documents' own words, whatever the configuration says"),
    ("--require-model", "", "fail rather than answer without the model"),
    ("--timeout", "S", "how long an answer by a model may take; by default what the configuration says"),
    ("--strict", "", "refuse when the manuals changed since they were indexed"),
    ("--yes", "", "build the index first, if there is none, without asking"),
    ("--no-service", "", "answer in this process, even when the background service is there"),
    ("--context-tokens", "N", f"the most tokens of question and answer together ({CONTEXT_TOKENS})"),
    ("--version", "", "the version"),
    ("-h, --help", "", "this text"),
)
"""The flags: name, what stands for their value, and what they do. Completion and manual page are made of it, too."""

_LINES = "\n".join(f"  {f'{name} {value}'.strip():{21}}{meaning}" for name, value, meaning in FLAGS)

HELP = f"""\
Usage: ragman [query] "QUESTION"
       ragman explain -- COMMAND...

Answers a question from this machine's manuals, every sentence with its source; or explains a command line
part by part, without running it.

  ragman "How do I change file permissions?"
  ragman how do I list open files
  ragman "what does tar -xzf do"
  ragman explain -- tar -xzf archive.tgz
  echo "what is umask" | ragman -
  ragman --conversation work "how do I copy a directory"
  ragman --conversation work "and only newer files?"
  ragman --model ollama:gemma3:1b "how do I change the owner of a folder"

Options:
{_LINES}

Exit codes: 0 done, also when there is no answer; 1 failed; 2 not a usable command or question;
4 the index is missing, damaged, or refused by --strict; 130 interrupted.
"""

_SWITCHES = tuple(one for names, value, _ in FLAGS if not value for one in names.split(", "))
_VALUED = tuple(names for names, value, _ in FLAGS if value)
REPEATED = ("--source", "--section")
"""Flags of which every value counts."""

_HINT = "See: ragman --help. To explain a command line: ragman explain -- COMMAND... Other words that begin with a dash go in quotes."
_STDIN_BYTES = 1 << 20
_LONGEST_S = 86_400
_TRIES_MORE = 1


_MEDIA = {"markdown": "text/markdown", "plain": "text/plain", "json": "application/json", "": "*/*"}
"""How the service is asked for each form; without one it does as the configuration says."""


class Request:
    """What was asked for.

    Args:
        question: The words.
        flags: Those given, with their values.
        how: What the library is told beside the question: the arguments of `Library.ask`.
    """

    __slots__ = ("flags", "how", "question")

    def __init__(self, question: str, flags: dict[str, str], how: "dict[str, Any]") -> None:
        self.question, self.flags, self.how = question, flags, how

    @property
    def form(self) -> str:
        """The form that the flags ask for; "" for the configuration's."""
        return "json" if "--json" in self.flags else "plain" if "--plain" in self.flags else ""

    @property
    def explain(self) -> bool:
        """Whether the trace is wanted, too."""
        return "--explain" in self.flags


def main() -> "NoReturn":
    """Run the command and leave.

    Garbage is not collected: a question is over before there is any to speak of.
    """
    gc.disable()
    run_to_end("ragman", lambda: run(sys.argv[1:]))


def run(arguments: "Sequence[str]") -> int:
    """Answer, print, and return the exit code.

    Args:
        arguments: Without the program's name.

    Raises:
        VademecumError: What went wrong.
    """
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
    try:
        text = answered(request)
    except IndexMissing as missing:
        if not _may_build(missing, yes="--yes" in request.flags):
            return missing.exit_code
        _build()
        text = answered(request)
    print(text, end="", flush=True)
    return 0


def read(arguments: "Sequence[str]") -> Request:
    """The request that a command line makes.

    Raises:
        ConfigError: It is not a usable one.
    """
    repeated: dict[str, list[str]] = {name: [] for name in REPEATED}
    words, flags = read_flags(arguments, _SWITCHES, _VALUED, _HINT, repeated)
    if "--plain" in flags and "--json" in flags:
        raise ConfigError("--plain and --json exclude each other.", hint="Choose one.")
    tokens = flags.get("--context-tokens", str(CONTEXT_TOKENS))
    if not (tokens.isascii() and tokens.isdigit() and int(tokens[:9]) > 0):
        raise ConfigError(f"--context-tokens must be a whole number above 0, not {tokens!r}.", hint=_HINT)
    if words[:1] == ["query"]:
        del words[0]
    if words[:1] == ["explain"] and "--" in arguments:
        from shlex import join  # noqa: PLC0415 - for command lines

        from vademecum.retrieval.command_lines.questions import EXPLAIN  # noqa: PLC0415 - the same

        words = [EXPLAIN + join(words[1:])] if any(map(str.strip, words[1:])) else []
    if words == ["-"]:
        words = [sys.stdin.buffer.read(_STDIN_BYTES).decode("utf-8", "replace")]
    if flags.get("--conversation") == "":
        raise ConfigError("--conversation needs a name.", hint=_HINT)
    if "--no-model" in flags and ("--model" in flags or "--require-model" in flags):
        raise ConfigError("--no-model excludes --model and --require-model.", hint="Choose one.")
    if flags.get("--model") == "":
        raise ConfigError("--model needs a name.", hint=_HINT)
    if "--timeout" in flags:
        _seconds(flags["--timeout"])
    how = {
        "strict": "--strict" in flags,
        "context_tokens": int(tokens[:9]),
        "sources": repeated["--source"],
        "sections": repeated["--section"],
        "conversation": flags.get("--conversation", ""),
    }
    return Request(" ".join(words), flags, how)


def answered(request: Request) -> str:
    """What is to be printed: by the background service where there is one, else by this process.

    Args:
        request: What was asked for.

    Raises:
        VademecumError: What went wrong.
    """
    names_model = "--model" in request.flags or "--require-model" in request.flags
    service = None if "--no-service" in request.flags or names_model else Service.here()
    if service is not None:
        text = _by_service(service, request)
        if text is not None:
            return text
        if request.explain and service.why:
            print(f"ragman: the background service was not used: {service.why}", file=sys.stderr)

    from vademecum.library.library import Library  # noqa: PLC0415 - the whole engine, which the service spares us

    with Library.open() as library:
        answer = library.ask(request.question, **request.how, **_model_of(request, library))
        return _shown(answer, request, library.settings.presenter_default)


def _model_of(request: Request, library: "Library") -> "dict[str, Any]":
    """Who is to write the answer, as `Library.ask` takes it; nothing where nobody is.

    Raises:
        ConfigError: There is no such model, or none where one is required.
    """
    flags, settings = request.flags, library.settings
    name = "" if "--no-model" in flags else flags.get("--model", settings.model)
    if not name:
        if "--require-model" in flags:
            raise ConfigError("No model is configured.", hint="Name one: ragman --model PROVIDER:MODEL ...")
        return {}
    from vademecum.providers.registry import settings_of  # noqa: PLC0415 - for those who have a model

    wanted = settings_of(name, settings.models)
    if name not in settings.models:  # who waits at a terminal has the documents' own words soon
        wanted = wanted._replace(retries=_TRIES_MORE)
    return {
        "model": wanted,
        "timeout_s": _seconds(flags["--timeout"]) if "--timeout" in flags else settings.timeout_s,
        "require_model": "--require-model" in flags,
    }


def _seconds(text: str) -> float:
    """A number of seconds.

    Raises:
        ConfigError: It is none that anybody would wait.
    """
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= _LONGEST_S:
        message = f"--timeout must be a number of seconds above 0 and up to {_LONGEST_S}, not {text[:40]!r}."
        raise ConfigError(message, hint=_HINT)
    return seconds


def _by_service(service: Service, request: Request) -> str | None:
    """What is to be printed, as the service has it; `None` when it cannot be used."""
    how = {**request.how, "no_model": "--no-model" in request.flags}
    if request.explain:
        answer = service.ask(request.question, **how)
        return None if answer is None else _shown(answer, request, _presenter())
    found = service.ask_for_text(request.question, _MEDIA[request.form], **how)
    return None if found is None else _for_the_screen(*found)


def _shown(answer: "Answer", request: Request, presenter: str) -> str:
    """An answer as it is to be printed."""
    from vademecum.answering.render import (  # noqa: PLC0415 - the service renders, as a rule
        render_json,
        render_markdown,
        render_plain,
    )

    form = request.form or presenter
    if form == "json":
        return render_json(answer, explain=request.explain)
    text = render_plain(answer) if form == "plain" else render_markdown(answer)
    text = _for_the_screen(text, _MEDIA[form])
    if request.explain:
        from vademecum.cli._explain import explained  # noqa: PLC0415 - not on the usual path

        text += "\n" + _for_the_screen(explained(answer.trace), _MEDIA["plain"])
    return text


def _for_the_screen(text: str, media: str) -> str:
    """A rendered answer: as it is, or where a person looks, with styles and nothing that steers the terminal."""
    if media == _MEDIA["json"] or not sys.stdout.isatty():
        return text
    from vademecum.cli._style import harmless, laid_out  # noqa: PLC0415 - for people only

    return laid_out(text) if media == _MEDIA["markdown"] else harmless(text)


def _presenter() -> str:
    from vademecum.config.library import load_settings  # noqa: PLC0415 - the same
    from vademecum.files.places import default_places  # noqa: PLC0415 - only for what the service has answered

    places = default_places()
    return load_settings(places.settings_file, places.settings_copy).presenter_default


def _may_build(missing: IndexMissing, *, yes: bool) -> bool:
    """Say that there is no index, and find out whether one is to be built now."""
    if yes:
        return True
    complain("ragman", missing)
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    print("Build it now? It takes about a minute. [Y/n] ", end="", file=sys.stderr, flush=True)
    said = os.read(sys.stdin.fileno(), 100).decode("utf-8", "replace").lower()
    return said.endswith("\n") and said.strip() in {"", "y", "yes"}  # an input that ends says nothing


def _build() -> None:
    from vademecum.cli._building import build, summary  # noqa: PLC0415 - once in a library's life
    from vademecum.library.library import Library  # noqa: PLC0415 - the same

    gc.enable()
    with Library.open() as library:
        report = build(library)
    print(summary(report), file=sys.stderr)


if __name__ == "__main__":
    main()
