"""The errors of Vademecum, as one tree.

    VademecumError
     ├─ ConfigError          settings, flags, files of configuration
     ├─ SourceError          a place documents come from
     │   └─ RendererMissing  nothing on this machine renders manual pages
     ├─ ProviderError        a model, or the road to it
     ├─ StoreError           the index on disk
     │   ├─ IndexMissing     there is none yet          (code INDEX_MISSING)
     │   ├─ IndexCorrupt     there is one, unreadable   (code INDEX_CORRUPT)
     │   ├─ IndexStale       sources changed since      (code INDEX_STALE)
     │   ├─ IndexLocked      another process writes it
     │   └─ DiskFull         no room left to write
     └─ AnswerError          a question that can not be answered as put

Every one says what happened and to what, and carries a `hint`: one sentence on what to do next.
"""

from typing import ClassVar


class VademecumError(Exception):
    """The root of all errors raised on purpose.

    Args:
        message: What happened, and to what.
        hint: One sentence: what to do next.
    """

    code: ClassVar[str] = "ERROR"

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class ConfigError(VademecumError):
    """A setting, flag or configuration file that can not be used."""

    code = "CONFIG_INVALID"


class SourceError(VademecumError):
    """A place documents come from that can not be used at all."""

    code = "SOURCE_UNUSABLE"


class RendererMissing(SourceError):
    """No program on this machine turns manual pages into text."""

    code = "RENDERER_MISSING"


class ProviderError(VademecumError):
    """A model that can not be reached or answers nonsense."""

    code = "PROVIDER_FAILED"


class StoreError(VademecumError):
    """The index on disk can not be read or written."""

    code = "STORE_FAILED"


class IndexMissing(StoreError):
    """No index has been built yet."""

    code = "INDEX_MISSING"


class IndexCorrupt(StoreError):
    """There is an index, and it can not be read."""

    code = "INDEX_CORRUPT"


class IndexStale(StoreError):
    """The sources changed since the index was built."""

    code = "INDEX_STALE"


class IndexLocked(StoreError):
    """Another process is writing the index."""

    code = "INDEX_LOCKED"


class DiskFull(StoreError):
    """There is no room left to write."""

    code = "DISK_FULL"


class AnswerError(VademecumError):
    """A question that can not be taken as put."""

    code = "QUESTION_INVALID"


EXIT_CODES: dict[type[VademecumError], int] = {
    VademecumError: 1,
    ConfigError: 2,
    SourceError: 1,
    RendererMissing: 1,
    ProviderError: 1,
    StoreError: 1,
    IndexMissing: 4,
    IndexCorrupt: 4,
    IndexStale: 4,
    IndexLocked: 1,
    DiskFull: 1,
    AnswerError: 2,
}
"""The process exit code of each error: 1 failed, 2 usage, 4 index missing, corrupt or refused as stale.

0 is done, 3 is done with warnings, 130 is interrupted; a test fails on a class that is not here.
"""
