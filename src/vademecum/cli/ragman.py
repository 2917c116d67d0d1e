"""`ragman`: ask the manuals of this machine."""

import gc
import os
import sys

from vademecum.cli._command import VERSION, Argument, Command, Flag, Options, options_of, split
from vademecum.cli._ending import USAGE, complain, run_to_end
from vademecum.core.errors import ConfigError, IndexMissing
from vademecum.core.limits import CONTEXT_TOKENS
from vademecum.library.service.client import Service

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NoReturn

    from vademecum.core.answers import Answer
    from vademecum.library.internal import InternalLibrary

RAGMAN = Command(
    "ragman",
    "Answer a question from the manuals of this machine, with a citation for every sentence",
    arguments=(Argument("QUESTION", "The question, in English; - reads it from standard input", many="+"),),
    flags=(
        Flag("--plain", meaning="Print plain text instead of Markdown"),
        Flag("--json", meaning="Print JSON, with every citation"),
        Flag("--explain", meaning="Also show what each step found and chose"),
        Flag("--source", "ALIAS", "Answer only from this source; can be repeated", is_repeated=True),
        Flag(
            "--section",
            "SECTION",
            "Answer only from this section of the manual; can be repeated",
            is_repeated=True,
        ),
        Flag(
            "--conversation", "NAME", "Ask a follow-up question in the conversation NAME; - is the last one"
        ),
        Flag("--model", "MODEL", "Use this model: PROVIDER:MODEL, or a configured name"),
        Flag("--no-model", meaning="Quote the documents even if a model is configured"),
        Flag(
            "--style",
            "STYLE",
            "How the model answers: choose (quotations) or prose; by default as configured",
            choices=("choose", "prose"),
        ),
        Flag("--require-model", meaning="Fail if the model cannot answer"),
        Flag(
            "--timeout",
            "S",
            "The time limit in seconds, for an answer from a model; by default as configured",
            kind="seconds",
        ),
        Flag("--more", meaning="Show more lines; without a question, those for the last one"),
        Flag("--line", meaning="Print only the line to type; exit with 1 if there is none"),
        Flag("--why", meaning="Explain the last answer, without asking again"),
        Flag("--fail", meaning="Exit with 1 if there is no answer"),
        Flag("--strict", meaning="Refuse if the manuals have changed since they were indexed"),
        Flag("--yes", meaning="Build the index first if there is none, without asking"),
        Flag("--no-service", meaning="Answer in this process even if the background service is running"),
        Flag(
            "--context-tokens",
            "N",
            f"The maximum number of tokens in the question and answer combined ({CONTEXT_TOKENS})",
            kind="count",
            default=CONTEXT_TOKENS,
        ),
        VERSION,
    ),
)

_EXAMPLES = """
Examples:
  ragman "How do I change file permissions?"
  ragman how do I list open files
  ragman "what does tar -xzf do"
  ragman explain -- tar -xzf archive.tgz
  echo "what is umask" | ragman
  ragman --conversation work "how do I copy a directory"
  ragman --conversation work "and only newer files?"
  ragman --more
  ragman last --why
  ragman --model ollama:gemma3:1b "how do I change the owner of a folder"

`ragman explain -- COMMAND...` explains a command line part by part, without running it.

Exit codes: 0 done, also if there is no answer; 1 failed, or no answer with --fail; 2 invalid command or question;
4 the index is missing, damaged, or refused by --strict; 130 interrupted.
"""

_HINT = "See: ragman --help. To explain a command line: ragman explain -- COMMAND... Quote other words that begin with a dash."
_STDIN_BYTES = 1 << 20
_PROBLEMS = 3
"""The exit code of a reindex that could not read some documents."""

_TRIES_MORE = 1

_MEDIA = {"markdown": "text/markdown", "plain": "text/plain", "json": "application/json", "": "*/*"}
"""The media type that the service is asked for, by format; with "" the service uses the configured format."""


class Request:
    """A request to answer a question.

    Args:
        options: The options of the command line.
        how: Further arguments of `Library.ask`.
        is_refused: Whether the answer was a refusal; known with `--fail`.
    """

    __slots__ = ("how", "is_refused", "options", "question")

    def __init__(self, question: str, options: Options, how: "dict[str, Any]") -> None:
        self.question, self.options, self.how = question, options, how
        self.is_refused = False

    @property
    def form(self) -> str:
        """The format that the flags select; "" for the configured one."""
        return "json" if self.options.json else "plain" if self.options.plain else ""

    @property
    def explain(self) -> bool:
        """Return whether to print the trace, too."""
        return bool(self.options.explain)


def main() -> "NoReturn":
    """Run the command, and exit. The process ends before the garbage collector would have anything to do."""
    gc.disable()
    run_to_end("ragman", lambda: run(sys.argv[1:]))


def run(arguments: "Sequence[str]") -> int:
    """Answer a question, print the answer, and return the exit code."""
    words, flags = split(RAGMAN, arguments, _HINT)
    if "--help" in flags:
        from vademecum.cli._help import help_of  # noqa: PLC0415 - most questions need no help

        print(help_of(RAGMAN) + _EXAMPLES, end="")
        return 0
    if "--version" in flags:
        from vademecum import __version__  # noqa: PLC0415 - takes 10 ms

        print(f"ragman {__version__}")
        return 0
    if "--why" in flags and words in ([], ["last"]):
        from vademecum.cli._explain import explain_last  # noqa: PLC0415 - rarely needed

        print(explain_last(), end="")
        return 0
    request = read(words, flags, is_verbatim="--" in arguments)
    if not request.question.strip():
        print('No question given. Example: ragman "How do I change file permissions?"', file=sys.stderr)
        print("See: ragman --help", file=sys.stderr)
        return USAGE
    try:
        text = answered(request)
    except IndexMissing as missing:
        if not _may_build(missing, yes=request.options.yes):
            return missing.exit_code
        _build()
        text = answered(request)
    print(text, end="", flush=True)
    return int((request.options.fail or request.options.line) and request.is_refused)


def read(words: "list[str]", flags: "dict[str, list[str | None]]", *, is_verbatim: bool) -> Request:
    """Return the request that a command line makes.

    Args:
        is_verbatim: Whether the command line contains `--`, so that the words can be a command line to explain.
    """
    for flag in ("--model", "--conversation"):
        if flags.get(flag, [None])[-1] == "":
            raise ConfigError(f"{flag} needs a name.", hint=_HINT)
    options = options_of(RAGMAN, words or [""], flags, _HINT)
    if options.plain and options.json:
        raise ConfigError("--plain and --json cannot be used together.", hint="Choose one.")
    if options.no_model and (options.model or options.style or options.require_model):
        message = "--no-model excludes --model, --style and --require-model."
        raise ConfigError(message, hint="Choose one.")
    if words[:1] == ["query"]:
        del words[0]
    if options.more and not words:
        from vademecum.cli._explain import last_question  # noqa: PLC0415 - rarely needed

        words, options.source, options.section = last_question()
    if words[:1] == ["explain"] and is_verbatim:
        from shlex import join  # noqa: PLC0415 - only for command lines

        from vademecum.command_lines.questions import EXPLAIN  # noqa: PLC0415 - the same

        line = words[1] if len(words) == 2 else join(words[1:])
        words = [EXPLAIN + line] if any(map(str.strip, words[1:])) else []
    if words == ["-"] or (not words and not sys.stdin.isatty()):
        words = [sys.stdin.buffer.read(_STDIN_BYTES).decode("utf-8", "replace")]
    how = {
        "strict": options.strict,
        "context_tokens": options.context_tokens,
        "sources": options.source,
        "sections": options.section,
        "conversation": options.conversation or "",
        **({"more": True} if options.more else {}),
    }
    return Request(" ".join(words), options, how)


def answered(request: Request) -> str:
    """Return the text to print, from the background service if it is running, otherwise from this process."""
    options = request.options
    is_here = options.more or options.model or options.style or options.require_model
    service = None if options.no_service or is_here else Service.here()
    if service is not None:
        text = _by_service(service, request)
        if text is not None:
            return text
        if request.explain and service.why:
            print(f"ragman: the background service was not used: {service.why}", file=sys.stderr)

    from vademecum.library.internal import InternalLibrary  # noqa: PLC0415 - the whole engine, not needed with the service

    with InternalLibrary.open() as library:
        return _shown(_asked(request, library), request, library.settings.presenter_default)


def _model_of(request: Request, library: "InternalLibrary") -> "dict[str, Any]":
    """Return the arguments of `Library.ask` for the model that writes the answer; empty without a model."""
    options, settings = request.options, library.settings
    name = "" if options.no_model else options.model or settings.model
    if not name:
        if options.require_model or options.style:
            raise ConfigError("No model is configured.", hint="Name one: ragman --model PROVIDER:MODEL ...")
        return {}
    from vademecum.providers.registry import settings_of  # noqa: PLC0415 - only with a model

    wanted = settings_of(name, settings.models)
    if name not in settings.models:  # at a terminal, quotes of documents are better than a long wait
        wanted = wanted._replace(retries=_TRIES_MORE)
    return {
        "model": wanted,
        "timeout_s": options.timeout or settings.timeout_s,
        "require_model": options.require_model,
        "style": options.style,
    }


def _asked(request: Request, library: "InternalLibrary") -> "Answer":
    """Return the answer of this process. While a model is asked, its name is shown on a terminal."""
    model = _model_of(request, library)
    is_shown = bool(model) and sys.stderr.isatty()
    if is_shown:
        from vademecum.text.printable import printable  # noqa: PLC0415 - only with a model

        name = printable(f"{model['model'].provider}:{model['model'].model}", 60)
        print(f"Asking {name}, at most {model['timeout_s']:g} s ...", end="", file=sys.stderr, flush=True)
    try:
        return library.ask(request.question, **request.how, **model)
    finally:
        if is_shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _by_service(service: Service, request: Request) -> str | None:
    """Return the text to print from the service, or None if the service cannot be used."""
    how = {**request.how, "no_model": request.options.no_model}
    if request.explain or request.options.fail or request.options.line or sys.stdout.isatty():
        answer = service.ask(request.question, **how)
        return None if answer is None else _shown(answer, request, _presenter())
    found = service.ask_for_text(request.question, _MEDIA[request.form], **how)
    return None if found is None else found[0]


def _shown(answer: "Answer", request: Request, presenter: str) -> str:
    """Return an answer as the text to print."""
    from vademecum.core.answers import render_json, render_markdown, render_plain  # noqa: PLC0415 - usually the service renders

    request.is_refused = answer.no_answer
    if sys.stdout.isatty() or request.options.line:
        from vademecum.cli._explain import keep  # noqa: PLC0415 - not for scripts

        keep(answer, request.options.source, request.options.section)
    if request.options.line:
        return _line_of(answer, request)
    form = request.form or presenter
    if form == "json":
        return render_json(answer, explain=request.explain)
    text = ""
    if request.explain:
        from vademecum.cli._explain import explained  # noqa: PLC0415 - rarely needed

        text = "\n" + explained(answer.trace)
    if not sys.stdout.isatty():
        return (render_plain(answer) if form == "plain" else render_markdown(answer)) + text
    from vademecum.cli._style import harmless, laid_out  # noqa: PLC0415 - only for terminals

    return (harmless(render_plain(answer)) if form == "plain" else laid_out(answer)) + harmless(text)


def _line_of(answer: "Answer", request: Request) -> str:
    """Return the line to type, as a comment if it destroys something; "" without one, for a guess, and for a line of a file."""
    from vademecum.core.answers import is_of_file, layout_of  # noqa: PLC0415 - usually the service renders
    from vademecum.core.evidence import LINES  # noqa: PLC0415 - the same

    lines = [said.command for said in layout_of(answer).first if said.origin in LINES]
    if answer.no_answer or (lines and is_of_file(answer)):
        lines = []
    request.is_refused = not lines
    if not lines:
        print("ragman: no line was found. See: ragman QUESTION", file=sys.stderr)
    return "".join(f"{'# ! ' if line in answer.lines.destroying else ''}{line}\n" for line in lines)


def _presenter() -> str:
    from vademecum.config.library import load_settings  # noqa: PLC0415 - the same
    from vademecum.files.places import default_places  # noqa: PLC0415 - only for answers of the service

    places = default_places()
    return load_settings(places.settings_file, places.settings_copy).presenter_default


def _may_build(missing: IndexMissing, *, yes: bool) -> bool:
    """Print that there is no index, and return whether to build it now."""
    if yes:
        return True
    complain("ragman", missing)
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    print("Build it now? The first answer takes some seconds. [Y/n] ", end="", file=sys.stderr, flush=True)
    said = os.read(sys.stdin.fileno(), 100).decode("utf-8", "replace").lower()
    return said.endswith("\n") and said.strip() in {"", "y", "yes"}  # the end of input is not an answer


def _build() -> None:
    from vademecum.cli._building import build_apart  # noqa: PLC0415 - needed only once
    from vademecum.library.internal import InternalLibrary  # noqa: PLC0415 - the same

    gc.enable()
    with InternalLibrary.open() as library:
        code = build_apart(library, on=sys.stderr)
    if code not in {None, 0, _PROBLEMS}:
        raise SystemExit(code)


if __name__ == "__main__":
    main()
