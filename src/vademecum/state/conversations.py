"""Conversations: the last questions of each, for resolving follow-ups.

Each is a small file, `conversations/NAME.json` in the data folder. Only its owner can read it, because questions are
private. It contains the last few turns, and expires a week after the last one. Errors in storing it become warnings and never
prevent an answer.
"""

import json
import os
import re
import stat
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from vademecum.core.conversations import Turn
from vademecum.core.errors import ConfigError
from vademecum.files.locks import locked_folder

FORMAT = 1
MOST_TURNS = 8
"""The maximum number of stored turns."""

EXPIRES_S = 7 * 24 * 3600.0
LAST = "-"
"""Refers to the conversation that was used last."""

_FIRST = "default"
_MOST_CONVERSATIONS = 100
_MOST_BYTES = 1 << 18
_LONGEST = 2000
_MOST_REFERENCES = 5
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9_-]{0,29}[a-z0-9])?")


class Conversations:
    """The conversations in a folder, which is created when the first turn is stored."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def named(self, name: str) -> str:
        """Check a conversation's name, and resolve `-` to the one used last."""
        if name == LAST:
            return next(iter(self._newest_first()), _FIRST)
        if not _NAME.fullmatch(name):
            message = f"{name[:100]!a} is not a valid name for a conversation."
            hint = "Take up to 31 small letters, digits, - and _, or - for the conversation used last."
            raise ConfigError(message, hint=hint)
        return name

    def turns(self, name: str) -> tuple[list[Turn], str]:
        """Return the turns, oldest first, and a warning or "".

        A file that cannot be parsed is renamed, and the conversation starts over.
        """
        path = self._path(name)
        try:
            return _read(path), ""
        except FileNotFoundError:
            return [], ""
        except PermissionError as error:
            return [], f"The conversation {name} cannot be read: {error.strerror}."
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            aside = path.with_suffix(".damaged")
            try:
                path.replace(aside)
            except OSError as error:
                return [], f"The conversation {name} is damaged and cannot be set aside: {error.strerror}."
            return [], f"The conversation {name} was damaged; it starts over, and the file is now {aside}."

    def add(self, name: str, turn: Turn) -> str:
        """Store a turn, and return a warning or "". If the last question is repeated, its turn is replaced."""
        try:
            with locked_folder(self.folder):
                before, _ = self.turns(name)
                if before and before[-1].asked == turn.asked:
                    before.pop()
                self._write(name, [*before, turn][-MOST_TURNS:])
                self._prune()
        except OSError as error:
            return f"The conversation {name} cannot be stored: {error.strerror or error}."
        return ""

    def forget(self, name: str) -> None:
        """Delete a conversation, so that it starts over."""
        with suppress(OSError):
            self._path(name).unlink(missing_ok=True)

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.json"

    def _newest_first(self) -> list[str]:
        """Return the names of the conversations that have not expired, newest first."""
        oldest_s = time.time() - EXPIRES_S
        found = []
        with suppress(OSError):
            for entry in os.scandir(self.folder):
                name, dot, ending = entry.name.rpartition(".")
                with suppress(OSError):
                    changed_s = entry.stat(follow_symlinks=False).st_mtime
                    if f"{dot}{ending}" == ".json" and _NAME.fullmatch(name) and changed_s > oldest_s:
                        found.append((-changed_s, name))
        return [name for _, name in sorted(found)]

    def _prune(self) -> None:
        """Remove expired conversations, and the oldest ones above the limit."""
        kept = {self._path(name).name for name in self._newest_first()[:_MOST_CONVERSATIONS]}
        for path in self.folder.glob("*.json"):
            if path.name not in kept and _NAME.fullmatch(path.stem):
                with suppress(OSError):
                    path.unlink()

    def _write(self, name: str, turns: Sequence[Turn]) -> None:
        data = {"format": FORMAT, "turns": [_shortened(turn)._asdict() for turn in turns]}
        path = self._path(name)
        beside = path.with_name(f"{name}.{os.getpid()}.new")
        try:
            descriptor = os.open(
                beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600
            )
            with open(descriptor, "w", encoding="ascii") as file:  # noqa: PTH123 - a descriptor with its mode
                json.dump(data, file)
            beside.replace(path)
        finally:
            with suppress(OSError):
                beside.unlink(missing_ok=True)


def _read(path: Path) -> list[Turn]:
    """Read the turns of a conversation; empty if it has expired."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:  # noqa: PTH123 - no link is followed, and no pipe is waited for
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > _MOST_BYTES:
            raise ValueError("no conversation")
        data = json.loads(file.read(_MOST_BYTES))
    if data["format"] != FORMAT:
        raise ValueError("of another format")
    turns = [_checked(**one) for one in data["turns"]]
    return turns[-MOST_TURNS:] if status.st_mtime > time.time() - EXPIRES_S else []


def _checked(asked: str, read_as: str, references: Sequence[str]) -> Turn:
    turn = Turn(asked, read_as, tuple(references))
    if not all(isinstance(text, str) for text in (turn.asked, turn.read_as, *turn.references)):
        raise TypeError("no turn")
    return turn


def _shortened(turn: Turn) -> Turn:
    return Turn(turn.asked[:_LONGEST], turn.read_as[:_LONGEST], turn.references[:_MOST_REFERENCES])
