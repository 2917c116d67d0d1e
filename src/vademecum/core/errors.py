"""The exceptions of Vademecum, as one hierarchy.

    VademecumError
     ├─ ConfigError          settings, flags, configuration files
     ├─ SourceError          a source of documents
     │   ├─ RendererMissing  no program that renders manual pages is installed
     │   ├─ ArchiveBroken    a file of many documents is damaged or in an unknown format
     │   └─ TemplatesClash   two reasoning templates have the same id
     ├─ ProviderError        a model, or the connection to it
     │   ├─ ProviderUnreachable  no connection, or it closed before a response
     │   ├─ ProviderTimeout  the deadline passed, or a response stalled
     │   ├─ ProviderRefused  the server rejected the API key, the permissions or the request
     │   ├─ ProviderBusy     too many requests, or the server is temporarily unavailable
     │   ├─ ModelMissing     the server does not have the model
     │   ├─ ReplyInvalid     the response does not follow the protocol or the request
     │   └─ StreamClosed     the stream was closed on this side
     ├─ StoreError           the index on disk
     │   ├─ IndexMissing     no index yet                       (code INDEX_MISSING)
     │   ├─ IndexCorrupt     the index cannot be read           (code INDEX_CORRUPT)
     │   ├─ IndexStale       the sources have changed since     (code INDEX_STALE)
     │   ├─ IndexLocked      another process is writing the index
     │   ├─ DiskFull         no space left to write
     │   ├─ CollectionMissing  no collection with that name
     │   ├─ CollectionExists a collection with that name already exists
     │   └─ CollectionRefused  the service has one collection, and was asked for a different one
     └─ AnswerError          an invalid question
         ├─ DeadlinePassed   the time limit expired
         └─ SessionMissing   no conversation with that name

Each message states what happened, and to what. Each `hint` is one sentence about what to do next.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` takes 7 ms to load, about as long as an answer from the service
    from collections.abc import Iterator
    from typing import ClassVar


class VademecumError(Exception):
    """The base class of all errors that the package raises.

    Args:
        message: What happened, and to what.
        hint: What to do next, as one sentence.

    Attributes:
        code: Its fixed code.
        exit_code: The exit code of a command: 1 failed, 2 usage, 4 index missing, corrupt or refused as stale. (0 is success,
            3 success with warnings, 130 interrupted.)
        status: The status of an HTTP response.
    """

    code: "ClassVar[str]" = "ERROR"
    exit_code: "ClassVar[int]" = 1
    status: "ClassVar[int]" = 500

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class ConfigError(VademecumError):
    """A setting, flag or configuration file cannot be used."""

    code = "CONFIG_INVALID"
    exit_code = 2


class SourceError(VademecumError):
    """A source of documents cannot be used at all."""

    code = "SOURCE_UNUSABLE"
    status = 422


class RendererMissing(SourceError):
    """No program that renders manual pages is installed."""

    code = "RENDERER_MISSING"
    status = 500


class ArchiveBroken(SourceError):
    """A file of many documents is damaged, truncated or in an unknown format. None of it is used.

    Args:
        message: What happened, and to what.
        fault: A short fixed name (`wrong-checksum`), as in `Problem.fault`.
        hint: What to do next, as one sentence.
    """

    code = "ARCHIVE_BROKEN"

    def __init__(self, message: str, *, fault: str = "", hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.fault = fault


class TemplatesClash(SourceError):
    """Two files of reasoning templates have the same name, which is their id."""

    code = "TEMPLATES_CLASH"


class ProviderError(VademecumError):
    """A model cannot be reached, or its response is invalid."""

    code = "PROVIDER_FAILED"
    status = 502


class ProviderUnreachable(ProviderError):
    """A model server cannot be reached, or the connection closed before a response."""

    code = "PROVIDER_UNREACHABLE"


class ProviderTimeout(ProviderError):
    """A model server did not respond in time, or stopped before the end of its response."""

    code = "PROVIDER_TIMEOUT"
    status = 504


class ProviderRefused(ProviderError):
    """The model server rejected the request because of the API key, permissions, or an unsupported request."""

    code = "PROVIDER_REFUSED"


class ProviderBusy(ProviderError):
    """A model server is overloaded or temporarily unavailable."""

    code = "PROVIDER_BUSY"


class ModelMissing(ProviderError):
    """A server does not have the model, or there is no such file."""

    code = "MODEL_MISSING"


class ReplyInvalid(ProviderError):
    """A model's response does not follow the protocol or the request, or is incomplete.

    Args:
        message: What happened, and to what.
        hint: What to do next, as one sentence.
        text: The complete response, if only its format is wrong; otherwise None.
    """

    code = "REPLY_INVALID"

    def __init__(self, message: str, *, hint: str = "", text: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.text = text


class StreamClosed(ProviderError):
    """A stream was closed while it was being read."""

    code = "STREAM_CLOSED"


class StoreError(VademecumError):
    """The index on disk cannot be read or written."""

    code = "STORE_FAILED"


class IndexMissing(StoreError):
    """No index has been built yet."""

    code = "INDEX_MISSING"
    exit_code = 4
    status = 503


class IndexCorrupt(StoreError):
    """The index cannot be read."""

    code = "INDEX_CORRUPT"
    exit_code = 4
    status = 503


class IndexStale(StoreError):
    """The sources have changed since the index was built."""

    code = "INDEX_STALE"
    exit_code = 4
    status = 503


class IndexLocked(StoreError):
    """Another process is writing the index."""

    code = "INDEX_LOCKED"
    status = 409


class DiskFull(StoreError):
    """The disk is full."""

    code = "DISK_FULL"
    status = 507


class CollectionMissing(StoreError):
    """There is no collection or book with that name."""

    code = "COLLECTION_MISSING"
    status = 422


class CollectionExists(StoreError):
    """A collection or book with that name already exists."""

    code = "COLLECTION_EXISTS"
    status = 409


class CollectionRefused(StoreError):
    """A service that has one collection was asked for a different one."""

    code = "COLLECTION_REFUSED"
    status = 403


class AnswerError(VademecumError):
    """The question is invalid."""

    code = "QUESTION_INVALID"
    exit_code = 2
    status = 400


class DeadlinePassed(AnswerError):
    """The time limit expired before the question was answered."""

    code = "DEADLINE_PASSED"
    exit_code = 1
    status = 504


class SessionMissing(AnswerError):
    """There is no conversation with that name, or it belongs to another user."""

    code = "SESSION_MISSING"
    exit_code = 1
    status = 404


def all_errors(root: type[VademecumError] = VademecumError) -> "Iterator[type[VademecumError]]":
    """Yield all classes of this module, parents first."""
    yield root
    for child in root.__subclasses__():
        if child.__module__ == __name__:
            yield from all_errors(child)
