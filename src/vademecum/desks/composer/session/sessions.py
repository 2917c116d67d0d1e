"""Stored sessions: the messages and templates of a conversation, so that it can be continued, and undone to any turn.

Each is a file of its own, `sessions/ID.ndjson`, readable by its owner alone: a line that says what it is, then a line a turn. So
what is left of a file that was cut is still every turn before the cut. A file that cannot be read is never overwritten nor
deleted; one of a newer version is left to that version.
"""

import json
import os
import stat
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from vademecum.core.errors import ConfigError, StoreError
from vademecum.desks.composer.settings import ComposerSettings
from vademecum.files.locks import locked_folder
from vademecum.text.patterns import Pattern
from vademecum.text.printable import printable

FORMAT = 1
_ENDING = ".ndjson"
_ID = Pattern(r"[0-9]{8}-[0-9]{6}-[0-9a-f]{6}", flags=0)
_MOST_BYTES = 64 << 20
_START = "Start another one: leave --continue out."


def is_id(text: str) -> bool:
    """Return whether a text can be a session's id."""
    return bool(_ID.fullmatch(text))


class Turn(NamedTuple):
    """One turn of a conversation.

    Attributes:
        said: What the person said. A password in it has been taken out by the caller.
        kind: What it was: `new`, `refinement`, `question`, `undo`, `suggestion`, ...
        text_after: The template after it, as YAML; "" if there is none.
    """

    said: str
    kind: str
    edits: Sequence[Mapping[str, Any]] = ()
    text_after: str = ""
    summary: str = ""


class Session:
    """A conversation.

    Attributes:
        id: Its name: the moment it began, and six digits of chance.
        forgotten: How many of its first turns had to go, since it had become too large.
        revision: How often it was saved; 0 for never.
        events: What happened to it in this process: `started`, `continued`, `cut off`, `shortened`, `saved`, and other
            sessions that were `deleted ID` by the way.
    """

    def __init__(
        self,
        name: str,
        created: datetime,
        updated: datetime,
        turns: Sequence[Turn] = (),
        *,
        forgotten: int = 0,
        revision: int = 0,
    ) -> None:
        self.id, self.created, self.updated = name, created, updated
        self.turns = [*turns]
        self.warnings: tuple[str, ...] = ()
        self.forgotten, self.revision = forgotten, revision
        self.events: list[str] = []

    def __eq__(self, other: object) -> bool:
        """Return whether the same was said; what happened to it in this process does not count."""
        return isinstance(other, Session) and self._kept() == other._kept()

    __hash__ = None  # type: ignore[assignment]  # it grows

    def _kept(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "events"}

    @property
    def text(self) -> str:
        """The template as it is now; "" if there is none."""
        return self.turns[-1].text_after if self.turns else ""


class SessionBroken(Exception):
    """A file that is not a session, and why."""


class Sessions:
    """The sessions in one folder, which is made when the first is saved."""

    def __init__(self, folder: Path, settings: ComposerSettings) -> None:
        self.folder = folder
        self._rules = settings.session
        self._timeout_s = settings.conversation.session_timeout_s

    def new(self) -> Session:
        """A session without turns. Nothing is written before it is saved."""
        now = datetime.now(UTC)
        name = f"{now:%Y%m%d-%H%M%S}-{os.urandom(3).hex()}"
        session = Session(name, now, now)
        session.events.append("started")
        return session

    def last(self) -> Session | None:
        """The session that was used last, however long ago it may be continued; None if there is none.

        Raises:
            StoreError: It cannot be read.
        """
        for name in self._newest_first():
            return self.load(name)
        return None

    def current(self) -> Session | None:
        """The session that a request goes on with by itself: the last one, if something was said a short while ago."""
        for name in self._newest_first():
            with suppress(StoreError):
                session = self.load(name)
                return session if self.is_current(session) else None
            return None
        return None

    def is_current(self, session: Session) -> bool:
        """Return whether something was said in it within the session timeout."""
        return (datetime.now(UTC) - session.updated).total_seconds() <= self._timeout_s

    def ids(self) -> tuple[str, ...]:
        """The ids of all sessions that have not expired, the one used last first."""
        return tuple(self._newest_first())

    def load(self, session_id: str) -> Session:
        """A session.

        One that was cut is what is left of it, with a warning; the cut file is kept beside it.

        Raises:
            ConfigError: That is not a session's id, or there is none.
            StoreError: It cannot be read.
        """
        path = self._path(session_id)
        try:
            lines = _lines(path)
            session, whole = _session(session_id, lines)
        except FileNotFoundError:
            message = f"There is no session {printable(session_id, 60)}."
            raise ConfigError(message, hint=_START) from None
        except OSError as error:
            message = f"The session {session_id} cannot be read: {error.strerror or error}."
            raise StoreError(message, hint=f"Check the owner and permissions of {path}.") from error
        except SessionBroken as error:
            message = f"The session {session_id} cannot be read: {error}."
            raise StoreError(message, hint=f"{_START} The file stays as it is: {path}") from error
        session.events.append("continued")
        return session if whole else self._mended(session)

    def save(self, session: Session) -> str:
        """Keep a session.

        Returns:
            "", or a sentence on what could not be kept: its first turns, when it is too large.

        Raises:
            StoreError: It cannot be written, or another process has gone on with it.
        """
        if not self._rules.persist:
            return ""
        path = self._path(session.id)
        warning = self._shortened(session)
        try:
            with locked_folder(self.folder):
                if _revision(path) not in {None, session.revision}:
                    message = f"The session {session.id} was continued elsewhere in the meantime."
                    raise StoreError(message, hint="Load it again with --continue, or start another one.")
                session.updated = datetime.now(UTC)
                session.revision += 1
                _write(path, session)
                session.events += ["saved", *(f"deleted {name}" for name in self._prune(path))]
        except OSError as error:
            message = f"The session {session.id} cannot be stored: {error.strerror or error}."
            raise StoreError(message, hint=f"Check owner, rights and room of {self.folder}.") from error
        return warning

    def _mended(self, session: Session) -> Session:
        """What is left of a session that was cut, with the cut file set aside."""
        session.events.append("cut off")
        path = self._path(session.id)
        aside = path.with_suffix(".damaged")
        with suppress(OSError), locked_folder(self.folder):
            if not aside.exists():
                os.link(path, aside)
            _write(path, session)
        left = f"{len(session.turns)} turns are left" if len(session.turns) != 1 else "one turn is left"
        session.warnings = (f"The file of session {session.id} was cut off; {left}. It is kept as {aside}.",)
        return session

    def _path(self, session_id: str) -> Path:
        if not is_id(session_id):
            raise ConfigError(f"{session_id[:60]!a} is not a session's id.", hint=_START)
        return self.folder / f"{session_id}{_ENDING}"

    def _newest_first(self) -> list[str]:
        if not self._rules.persist:
            return []
        oldest_s = time.time() - self._rules.max_age_s
        return [name for changed_s, name in self._files() if changed_s > oldest_s]

    def _files(self) -> list[tuple[float, str]]:
        """When each was last written, and its id; the newest first."""
        found = []
        with suppress(OSError):
            for entry in os.scandir(self.folder):
                name = entry.name.removesuffix(_ENDING)
                if name != entry.name and is_id(name):
                    with suppress(OSError):
                        found.append((entry.stat(follow_symlinks=False).st_mtime, name))
        return sorted(found, reverse=True)

    def _prune(self, saved: Path) -> list[str]:
        """Remove what has expired and the oldest of too many, but nothing that this version cannot read; the ids of what went."""
        gone = []
        oldest_s = time.time() - self._rules.max_age_s
        for place, (changed_s, name) in enumerate(self._files()):
            path = self._path(name)
            if path != saved and (changed_s <= oldest_s or place >= self._rules.max_sessions):
                with suppress(OSError):
                    if _revision(path) is not None:
                        path.unlink()
                        gone.append(name)
        return gone

    def _shortened(self, session: Session) -> str:
        """Let the first turns of a session go that has become too large. The last one always stays."""
        sizes = [len(json.dumps(_plain(turn))) for turn in session.turns]
        gone = 0
        while sum(sizes[gone:]) > self._rules.max_size_bytes and gone < len(sizes) - 1:
            gone += 1
        if not gone:
            return ""
        del session.turns[:gone]
        session.forgotten += gone
        session.events.append("shortened")
        return f"The session has become too large to keep whole; its first {session.forgotten} turns cannot be undone any more."


def _lines(path: Path) -> list[str]:
    """The lines of a file; the last one is "" if it ends as it should."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:  # noqa: PTH123 - no link is followed, and no pipe is waited for
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise SessionBroken("it is not a regular file")
        if status.st_size > _MOST_BYTES:
            raise SessionBroken("it is too large for a session")
        raw = file.read(_MOST_BYTES)
    return raw.decode("utf-8", "replace").split("\n")


def _session(session_id: str, lines: Sequence[str]) -> tuple[Session, bool]:
    """A session from its lines, and whether it is whole."""
    try:
        head = json.loads(lines[0])
        version = head["format"]
        if type(version) is int and version > FORMAT:
            raise SessionBroken("a newer version of this program wrote it")
        if version != FORMAT or head["id"] != session_id:
            raise SessionBroken("it is not what it says it is")
        created, updated = (datetime.fromisoformat(head[name]) for name in ("created", "updated"))
        count, forgotten, revision = (int(head[name]) for name in ("turns", "forgotten", "revision"))
        if created.tzinfo is None or updated.tzinfo is None:
            raise ValueError("no time zone")  # noqa: TRY301 - one way out for all that is amiss
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise SessionBroken("its first line is damaged or missing") from error
    turns = []
    for line in lines[1:]:
        try:
            turns.append(_turn(json.loads(line)))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            break
    session = Session(session_id, created, updated, turns[:count], forgotten=forgotten, revision=revision)
    return session, len(turns) == count


def _turn(data: Mapping[str, Any]) -> Turn:
    turn = Turn(**data)
    texts = (turn.said, turn.kind, turn.text_after, turn.summary)
    edits = turn.edits
    if not all(isinstance(text, str) for text in texts) or not isinstance(edits, list):
        raise TypeError("no turn")
    if not all(isinstance(edit, dict) for edit in edits):
        raise TypeError("no edits")
    return turn._replace(edits=tuple(edits))


def _plain(turn: Turn) -> dict[str, Any]:
    return turn._asdict() | {"edits": [dict(edit) for edit in turn.edits]}


def _revision(path: Path) -> int | None:
    """How often a session was saved; None for one that is not there, or that this version cannot read."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            head = json.loads(file.readline(10_000))
        return int(head["revision"]) if head["format"] == FORMAT else None
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _write(path: Path, session: Session) -> None:
    """Put a session in the place of the old one in one step."""
    head = {
        "format": FORMAT,
        "id": session.id,
        "created": session.created.isoformat(),
        "updated": session.updated.isoformat(),
        "turns": len(session.turns),
        "forgotten": session.forgotten,
        "revision": session.revision,
    }
    beside = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
        with open(os.open(beside, flags, 0o600), "w", encoding="ascii") as file:  # noqa: PTH123 - a descriptor with its mode
            file.writelines(json.dumps(line) + "\n" for line in (head, *map(_plain, session.turns)))
        beside.replace(path)
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
