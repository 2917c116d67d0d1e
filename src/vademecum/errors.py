"""Every error of Vademecum, for `except` clauses: `from vademecum.errors import IndexMissing`."""

from vademecum.core.errors import (
    AnswerError,
    ArchiveBroken,
    CollectionExists,
    CollectionMissing,
    CollectionRefused,
    ConfigError,
    DeadlinePassed,
    DiskFull,
    IndexCorrupt,
    IndexLocked,
    IndexMissing,
    IndexStale,
    ModelMissing,
    ProviderBusy,
    ProviderError,
    ProviderRefused,
    ProviderTimeout,
    ProviderUnreachable,
    RendererMissing,
    ReplyInvalid,
    SessionMissing,
    SourceError,
    StoreError,
    StreamClosed,
    TemplatesClash,
    VademecumError,
)

__all__ = [
    "AnswerError", "ArchiveBroken", "CollectionExists", "CollectionMissing", "CollectionRefused", "ConfigError", "DeadlinePassed", "DiskFull", "IndexCorrupt",
    "IndexLocked", "IndexMissing", "IndexStale", "ModelMissing", "ProviderBusy", "ProviderError", "ProviderRefused", "ProviderTimeout", "ProviderUnreachable",
    "RendererMissing", "ReplyInvalid", "SessionMissing", "SourceError", "StoreError", "StreamClosed", "TemplatesClash", "VademecumError",
]  # fmt: skip
