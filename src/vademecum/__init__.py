"""Answers from the documents you have, every sentence tied to the exact words of its source.

    >>> from vademecum import Library
    >>> with Library.open("library") as library:
    ...     report = library.add("notes")
    ...     print(library.ask("When is the office open?").summary[0].text)
    The office is open from nine to five on working days.

`Library.open()` opens the one that `ragman` asks. Each name is loaded when it is first used:

    asking:    Library, Answer, AnswerStream, Statement, Citation, Reference, LineNotes, Hit, Trace, TraceStep,
               ModelCall, ModelSettings, Settings
    reading:   DocumentText, TextBlock, TextSection, DocumentEntry
    sources:   CatalogEntry, Report, SourceReport, Progress, HealthResult, Collection, Collections, Places
    extending: Source, Document, DocumentRef, Block, Problem
    errors:    AnswerError, ArchiveBroken, CollectionExists, CollectionMissing, CollectionRefused, ConfigError,
               DeadlinePassed, DiskFull, IndexCorrupt, IndexLocked, IndexMissing, IndexStale, ModelMissing,
               ProviderBusy, ProviderError, ProviderRefused, ProviderTimeout, ProviderUnreachable,
               RendererMissing, ReplyInvalid, SessionMissing, SourceError, StoreError, StreamClosed,
               TemplatesClash, VademecumError
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from vademecum.ask.stream import AnswerStream as AnswerStream
    from vademecum.core.answers import Answer as Answer
    from vademecum.core.answers import Citation as Citation
    from vademecum.core.answers import Hit as Hit
    from vademecum.core.answers import LineNotes as LineNotes
    from vademecum.core.answers import Reference as Reference
    from vademecum.core.answers import Statement as Statement
    from vademecum.core.documents import Block as Block
    from vademecum.core.documents import Document as Document
    from vademecum.core.documents import DocumentRef as DocumentRef
    from vademecum.core.documents import Problem as Problem
    from vademecum.core.errors import AnswerError as AnswerError
    from vademecum.core.errors import ArchiveBroken as ArchiveBroken
    from vademecum.core.errors import CollectionExists as CollectionExists
    from vademecum.core.errors import CollectionMissing as CollectionMissing
    from vademecum.core.errors import CollectionRefused as CollectionRefused
    from vademecum.core.errors import ConfigError as ConfigError
    from vademecum.core.errors import DeadlinePassed as DeadlinePassed
    from vademecum.core.errors import DiskFull as DiskFull
    from vademecum.core.errors import IndexCorrupt as IndexCorrupt
    from vademecum.core.errors import IndexLocked as IndexLocked
    from vademecum.core.errors import IndexMissing as IndexMissing
    from vademecum.core.errors import IndexStale as IndexStale
    from vademecum.core.errors import ModelMissing as ModelMissing
    from vademecum.core.errors import ProviderBusy as ProviderBusy
    from vademecum.core.errors import ProviderError as ProviderError
    from vademecum.core.errors import ProviderRefused as ProviderRefused
    from vademecum.core.errors import ProviderTimeout as ProviderTimeout
    from vademecum.core.errors import ProviderUnreachable as ProviderUnreachable
    from vademecum.core.errors import RendererMissing as RendererMissing
    from vademecum.core.errors import ReplyInvalid as ReplyInvalid
    from vademecum.core.errors import SessionMissing as SessionMissing
    from vademecum.core.errors import SourceError as SourceError
    from vademecum.core.errors import StoreError as StoreError
    from vademecum.core.errors import StreamClosed as StreamClosed
    from vademecum.core.errors import TemplatesClash as TemplatesClash
    from vademecum.core.errors import VademecumError as VademecumError
    from vademecum.core.models import ModelSettings as ModelSettings
    from vademecum.core.protocols import Source as Source
    from vademecum.core.settings import Settings as Settings
    from vademecum.core.trace import ModelCall as ModelCall
    from vademecum.core.trace import Trace as Trace
    from vademecum.core.trace import TraceStep as TraceStep
    from vademecum.files.places import Places as Places
    from vademecum.index.catalog.catalog import CatalogEntry as CatalogEntry
    from vademecum.index.progress import Progress as Progress
    from vademecum.index.progress import Report as Report
    from vademecum.index.progress import SourceReport as SourceReport
    from vademecum.index.reader.documents import DocumentEntry as DocumentEntry
    from vademecum.index.reader.documents import DocumentText as DocumentText
    from vademecum.index.reader.documents import TextBlock as TextBlock
    from vademecum.index.reader.documents import TextSection as TextSection
    from vademecum.library.collections import Collection as Collection
    from vademecum.library.collections import Collections as Collections
    from vademecum.library.health.diagnosis import HealthResult as HealthResult
    from vademecum.library.library import Library as Library

    __version__: str

_ROOMS = {
    "ask.stream": "AnswerStream",
    "core.answers": "Answer Citation Hit LineNotes Reference Statement",
    "core.documents": "Block Document DocumentRef Problem",
    "core.errors": "AnswerError ArchiveBroken CollectionExists CollectionMissing CollectionRefused ConfigError DeadlinePassed DiskFull IndexCorrupt IndexLocked IndexMissing IndexStale ModelMissing ProviderBusy ProviderError ProviderRefused ProviderTimeout ProviderUnreachable RendererMissing ReplyInvalid SessionMissing SourceError StoreError StreamClosed TemplatesClash VademecumError",
    "core.models": "ModelSettings",
    "core.protocols": "Source",
    "core.settings": "Settings",
    "core.trace": "ModelCall Trace TraceStep",
    "files.places": "Places",
    "index.catalog.catalog": "CatalogEntry",
    "index.progress": "Progress Report SourceReport",
    "index.reader.documents": "DocumentEntry DocumentText TextBlock TextSection",
    "library.collections": "Collection Collections",
    "library.health.diagnosis": "HealthResult",
    "library.library": "Library",
}
"""The public names, by the module that defines them. There is no `__all__`: `help` would print the documentation of every class."""

_MODULES = {name: module for module, names in _ROOMS.items() for name in names.split()}


def __getattr__(name: str) -> object:
    """Load a public name on first use (PEP 562)."""
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415 - 10 ms that only those who ask for it pay

        found: object = version("vademecum")
    elif name in _MODULES:
        from importlib import import_module  # noqa: PLC0415 - importing the package imports nothing

        found = getattr(import_module(f"vademecum.{_MODULES[name]}"), name)
    else:
        raise AttributeError(f"module 'vademecum' has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """List the public names."""
    return [*_MODULES, "__version__"]
