"""Query the background service, if it is running.

Every call returns `None` if there is no service, or none that can answer like this process: for example, if it serves
other folders, runs a different installation, hangs, or sends an invalid response. The caller then works without it.
"""

import os

from vademecum.core.limits import CHARACTERS_A_TOKEN, CONTEXT_TOKENS
from vademecum.files.folders import config_folder, data_folder, socket_file
from vademecum.library.service.unix_http import (
    NONSENSE,
    Reply,
    Useless,
    connected,
    lines,
    receive,
    receive_head,
    send,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from typing import Any

    from vademecum.core.answers import Answer
    from vademecum.core.errors import VademecumError
    from vademecum.index.progress import Progress, Report

SWITCH = "VADEMECUM_SERVICE"
"""The environment variable that disables the use of a service if it is `off`."""

ANSWER = "application/x-vademecum-answer"
"""The media type of an answer in the format of `library.service.wire`."""


class Service:
    """The client of the service for a library's folders.

    Attributes:
        why: Why the last call returned `None`; "" if there is no service.
    """

    __slots__ = ("_folders", "_path", "why")

    def __init__(self, data: str, config: str, path: str) -> None:
        self._folders: dict[str, object] = {"data": data, "config": config}
        self._path = path
        self.why = ""

    @classmethod
    def here(cls) -> "Service | None":
        """Return the service of this user, or `None` if it has no socket or is disabled."""
        if os.environ.get(SWITCH, "").lower() in {"off", "0", "no"}:
            return None
        path = socket_file()
        return cls(data_folder(), config_folder(), path) if os.path.exists(path) else None  # noqa: PTH110 - no pathlib here

    def ask(self, question: str, **how: "Any") -> "Answer | None":
        """See `Library.ask` for the arguments. If the configuration names a model, the service answers only with `no_model`."""
        try:
            asked = _asked(question, **how)
            reply = self._ask(ANSWER, asked)
            import json  # noqa: PLC0415 - not on the common path

            from vademecum.library.service.wire import answer_from_wire  # noqa: PLC0415 - the same

            return answer_from_wire(json.loads(reply.body))
        except Useless as useless:
            self.why = str(useless)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            self.why = NONSENSE
        return None

    def ask_for_text(self, question: str, media: str, **how: "Any") -> "tuple[str, str] | None":
        """Return an answer that the service has rendered.

        Args:
            question: As for `ask`.
            media: `text/markdown`, `text/plain`, `application/json`, or `*/*` for the configured format.
            **how: As for `ask`.

        Returns:
            The text and its media type, or None.
        """
        try:
            asked = _asked(question, **how)
            reply = self._ask(media, asked)
            return reply.body.decode("utf-8", "surrogatepass"), reply.media
        except Useless as useless:
            self.why = str(useless)
        except UnicodeDecodeError:
            self.why = NONSENSE
        return None

    def reindex(
        self,
        *,
        full: bool = False,
        sources: "Collection[str] | None" = None,
        on_progress: "Callable[[Progress], None]" = lambda _progress: None,
    ) -> "Report | None":
        """See `Library.reindex`. Interrupting the call, for example with Ctrl-C, stops the reindex in the service, too."""
        wanted = None if sources is None else sorted(sources)
        try:
            connection = connected(self._path)
            try:
                asked = {"full": full, "sources": wanted, **self._folders}
                send(connection, "POST", "/reindex", "application/x-ndjson", asked)
                reply = receive_head(connection)
                if reply.status != 200:
                    raise _error_in(reply)
                return _followed(lines(connection, reply.body), on_progress)
            finally:
                connection.close()
        except Useless as useless:
            self.why = str(useless)
        return None

    def health(self) -> "dict[str, Any] | None":
        """Return the status that the service reports."""
        import json  # noqa: PLC0415 - not on the path of a question

        try:
            reply = self._call("GET", "/healthz", "application/json", None)
            found: dict[str, Any] = json.loads(reply.body)
        except Useless as useless:
            self.why = str(useless)
        except ValueError:
            self.why = NONSENSE
        else:
            return found
        return None

    def _ask(self, media: str, asked: "dict[str, object]") -> Reply:
        return self._call("POST", "/ask", media, {**asked, **self._folders})

    def _call(self, method: str, path: str, media: str, asked: "dict[str, object] | None") -> Reply:
        """Send a request, and return the complete response."""
        connection = connected(self._path)
        try:
            send(connection, method, path, media, asked)
            reply = receive(connection)
        finally:
            connection.close()
        if reply.status != 200:
            raise _error_in(reply)
        return reply


def _asked(question: str, *, context_tokens: int = CONTEXT_TOKENS, **how: "Any") -> "dict[str, object]":
    """Return the body of a question. Empty values are omitted."""
    # The rest is not used. One more character is sent, because the warning about a truncated question depends on it.
    question = question[: context_tokens * CHARACTERS_A_TOKEN + 1]
    given = {name: value for name, value in how.items() if value}
    return {"question": question, "context_tokens": context_tokens, **given}


def _followed(said: "Iterator[bytes]", on_progress: "Callable[[Progress], None]") -> "Report":
    """Follow a reindex until it ends, and return its report."""
    import json  # noqa: PLC0415 - questions need none of these

    from vademecum.core.errors import StoreError  # noqa: PLC0415 - the same
    from vademecum.index.progress import Progress, Report  # noqa: PLC0415 - the same

    began = False
    try:
        for line in said:
            snapshot = json.loads(line)
            state = snapshot["state"]
            if state == "succeeded":
                return Report.from_dict(snapshot["report"])
            if state == "failed":
                raise error_of(snapshot["error"])
            if state == "cancelled":
                break
            if state == "running":
                began = True
                names = ("stage", "source", "documents", "total", "text_bytes", "spent_s", "total_bytes")
                on_progress(Progress(*(snapshot[name] for name in names)))
    except (ValueError, TypeError, KeyError, AttributeError):
        if not began:
            raise Useless(NONSENSE) from None
    except Useless:
        if not began:
            raise
    message = "The background service stopped before the index was done; the index is as it was."
    raise StoreError(message, hint="Run again: ragadmin reindex")


def _error_in(reply: Reply) -> "VademecumError":
    """Return the error in a response."""
    import json  # noqa: PLC0415 - for errors only

    try:
        return error_of(json.loads(reply.body))
    except (ValueError, TypeError, KeyError, AttributeError):
        raise Useless(NONSENSE) from None


def error_of(problem: "dict[str, Any]") -> "VademecumError":
    """Return the exception for a problem, of the class that has its code."""
    from vademecum.core.errors import all_errors  # noqa: PLC0415 - for errors only

    detail, hint = str(problem["detail"]), str(problem["hint"])
    for error in all_errors():
        if error.code == problem["code"]:
            return error(detail, hint=hint)
    raise Useless(detail.rstrip("."))
