"""`os-image-composer ai --interactive`: a conversation with line editing, history and commands."""

import re
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from vademecum.cli._command import Options
from vademecum.cli._style import harmless
from vademecum.cli.composer.turn import agent_for, count_turn, keep, session_for, write_template
from vademecum.core.errors import VademecumError
from vademecum.text.printable import printable
from vademecum.text.similar import closest

if TYPE_CHECKING:
    from vademecum.desks.composer.session.conversation import Conversation, Said
    from vademecum.desks.composer.session.sessions import Sessions
    from vademecum.desks.composer.settings import ComposerSettings

COMMANDS = {
    ":diff": "show the changes since the first draft",
    ":undo": "undo the last change; :undo 2 undoes two",
    ":redo": "redo what was undone",
    ":explain": "explain the last template or change",
    ":save": "write the template; :save FILE",
    ":validate": "check it",
    ":show": "print it",
    ":summary": "describe the template",
    ":new": "start over",
    ":help": "these commands",
    ":quit": "quit; the session is kept",
}
_GREETING = "Describe the image, then ask for changes. :help lists the commands, :quit ends."
_LONGEST_HISTORY = 500


def converse(arguments: Options, settings: "ComposerSettings", request: str) -> int:
    """Hold a conversation until the user quits, and return the exit code."""
    from vademecum.desks.composer.session.conversation import Conversation  # noqa: PLC0415 - only here
    from vademecum.desks.composer.session.sessions import Sessions  # noqa: PLC0415 - the same

    sessions = Sessions(settings.sessions_folder, settings)
    session, _ = session_for(arguments, sessions, "")
    agent, notice = agent_for(settings)
    conversation = Conversation(agent, session)
    lines = _Lines(settings)
    _say(
        f"{notice}\n{_GREETING}"
        if not conversation.text
        else f"{notice}\n{conversation.summary()}\n{_GREETING}"
    )
    last: Said | None = None
    begun = bool(session.turns)
    if request.strip():
        last = _made(_turn(conversation, request, sessions, arguments, is_first=not begun), last)
    while (line := lines.read()) is not None:
        words = line.strip()
        if not words:
            continue
        if words.startswith(":"):
            if words.split()[0] in {":quit", ":q", ":exit"}:
                break
            _command(words, conversation, last, sessions, arguments)
        else:
            last = _made(_turn(conversation, words, sessions, arguments, is_first=not session.turns), last)
    lines.close()
    if session.turns and settings.session.persist and not arguments.dry_run:
        _say("The session is kept. Continue it with: os-image-composer ai --continue")
    return 0


class _Lines:
    """A reader of lines from standard input, on a terminal with editing and history. The history has no passwords."""

    def __init__(self, settings: "ComposerSettings") -> None:
        from vademecum.desks.composer.settings import composer_folder  # noqa: PLC0415 - only here

        self._file = composer_folder() / "history"
        self._readline = None
        self._keeps = settings.session.persist
        if sys.stdin.isatty():
            with suppress(ImportError):
                import readline  # noqa: PLC0415 - only on a terminal

                self._readline = readline
                readline.set_auto_history(False)
                readline.set_completer(_complete)
                readline.set_completer_delims(" ")
                readline.parse_and_bind("tab: complete")
                with suppress(OSError):
                    readline.read_history_file(self._file)

    def read(self) -> str | None:
        """Read the next line; None at the end of input, "" after an interrupt."""
        try:
            if sys.stdin.isatty():
                line = input("> ")
            else:
                line = sys.stdin.readline()
                if not line:
                    return None
        except EOFError:
            print()
            return None
        except KeyboardInterrupt:
            print("\n(:quit ends)")
            return ""
        if self._readline is not None and line.strip():
            from vademecum.desks.composer.request.secrets import hide  # noqa: PLC0415 - only on a terminal

            self._readline.add_history(hide(line).text)
        return line

    def close(self) -> None:
        """Save the history."""
        if self._readline is not None and self._keeps:
            with suppress(OSError):
                self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._file.touch(mode=0o600)
                self._readline.set_history_length(_LONGEST_HISTORY)
                self._readline.write_history_file(self._file)


def _complete(text: str, state: int) -> str | None:
    found = [command for command in COMMANDS if command.startswith(text)] if text.startswith(":") else []
    return found[state] if state < len(found) else None


def _say(text: str) -> None:
    print(harmless(text), flush=True)


def _turn(
    conversation: "Conversation", words: str, sessions: "Sessions", arguments: Options, *, is_first: bool
) -> "Said | None":
    """Process a message, and print the result. An error is printed, and does not end the conversation."""
    from vademecum.desks.composer.report import report  # noqa: PLC0415 - only here

    started_s = time.perf_counter()
    try:
        said = conversation.say(words)
    except VademecumError as error:
        _say(f"{error.message} {error.hint}".strip())
        return None
    if said.kind == "save":
        _save(conversation, said.save_as, arguments)
        return said
    _say(report(said))
    if said.kind in {"new", "show"} and said.text:
        print(f"\n{said.text}", end="", flush=True)
    elif said.diff:
        print(f"\n{harmless(said.diff)}", end="", flush=True)
    if arguments.explain and said.draft:
        _explain(said)
    if not arguments.dry_run:
        keep(sessions, conversation.session, arguments)
        count_turn(said, started_s, is_new_session=is_first)
    return said


def _made(said: "Said | None", last: "Said | None") -> "Said | None":
    """Return the last turn that created or changed a template, for `:explain`."""
    return said if said is not None and said.draft is not None else last


def _command(
    words: str, conversation: "Conversation", last: "Said | None", sessions: "Sessions", arguments: Options
) -> None:
    name, _, rest = words.partition(" ")
    rest = rest.strip()
    if name == ":help":
        _say("\n".join(f"{one:10} {meaning}" for one, meaning in COMMANDS.items()))
    elif name == ":save":
        _save(conversation, rest, arguments)
    elif name == ":explain":
        if last is not None:
            _explain(last)
        else:
            _say("There is nothing to explain yet.")
    elif name == ":summary":
        _say(conversation.summary())
    elif name == ":undo" and rest and not _COUNT.fullmatch(rest):
        _say(f"{printable(rest, 40)} is not a number of changes. Example: :undo 2")
    elif name in _SPOKEN:
        spoken = f"undo the last {rest} changes" if name == ":undo" and rest else _SPOKEN[name]
        _turn(conversation, spoken, sessions, arguments, is_first=False)
    else:
        similar = closest(name, COMMANDS)
        _say(
            f"Unknown command {printable(name, 40)}. {f'Did you mean {similar}?' if similar else ':help lists them.'}"
        )


_COUNT = re.compile(r"[1-9][0-9]{0,5}")
_SPOKEN = {
    ":diff": "show the diff",
    ":undo": "undo",
    ":redo": "redo",
    ":validate": "validate",
    ":show": "show the template",
    ":new": "start over",
}


def _explain(said: "Said") -> None:
    from vademecum.desks.composer.report import explained  # noqa: PLC0415 - only here

    if said.draft:
        _say(explained(said.draft))


def _save(conversation: "Conversation", name: str, arguments: Options) -> None:
    """Write the template, by default to a file named after the image."""
    if not conversation.text:
        _say("There is no template yet.")
        return
    from vademecum.desks.composer.editing.document import Document  # noqa: PLC0415 - only here

    path = (
        Path(name).expanduser()
        if name
        else arguments.output
        or Path(f"{Document.read(conversation.text).get('image', 'name') or 'template'}.yml")
    )
    if arguments.dry_run:
        _say(f"{printable(str(path))} would be written.")
        return
    try:
        write_template(path, conversation.text, conversation.session, force=arguments.force)
    except VademecumError as error:
        _say(f"{error.message} {error.hint}".strip())
        return
    _say(f"Written to {printable(str(path))}.")
