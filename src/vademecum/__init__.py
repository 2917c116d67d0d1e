"""Vademecum: answers from the documents you already have, every sentence checked against its source.

    >>> from vademecum import Library
    >>> with Library.open() as library:
    ...     print(library.ask("How do I change file permissions?"))

Every error class is in `vademecum.errors`. Importing the package loads none of its parts; each is loaded when its name
is first used.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from vademecum.ask.stream import AnswerStream
    from vademecum.core.answers import Answer, Citation, Reference, Statement
    from vademecum.core.documents import Block, Document, Problem
    from vademecum.core.errors import (
        AnswerError,
        ConfigError,
        ProviderError,
        SourceError,
        StoreError,
        VademecumError,
    )
    from vademecum.core.hits import Hit
    from vademecum.core.models import ModelSettings
    from vademecum.core.protocols import Source
    from vademecum.core.trace import Trace
    from vademecum.files.places import Places as Places
    from vademecum.index.catalog.catalog import CatalogEntry
    from vademecum.index.progress import Report
    from vademecum.library.collections import Collection, Collections
    from vademecum.library.health.diagnosis import HealthResult
    from vademecum.library.library import Library

    __version__: str

_ROOMS = {
    "Answer": "core.answers",
    "AnswerError": "core.errors",
    "AnswerStream": "ask.stream",
    "Block": "core.documents",
    "CatalogEntry": "index.catalog.catalog",
    "Citation": "core.answers",
    "Collection": "library.collections",
    "Collections": "library.collections",
    "ConfigError": "core.errors",
    "Document": "core.documents",
    "HealthResult": "library.health.diagnosis",
    "Hit": "core.hits",
    "Library": "library.library",
    "ModelSettings": "core.models",
    "Places": "files.places",
    "Problem": "core.documents",
    "ProviderError": "core.errors",
    "Reference": "core.answers",
    "Report": "index.progress",
    "Source": "core.protocols",
    "SourceError": "core.errors",
    "Statement": "core.answers",
    "StoreError": "core.errors",
    "Trace": "core.trace",
    "VademecumError": "core.errors",
}
"""Where each public name is defined. `Places`, which names the folders of a library one by one, is for those who need
that; `Library.open` takes one folder."""

__all__ = [
    "Answer",
    "AnswerError",
    "AnswerStream",
    "Block",
    "CatalogEntry",
    "Citation",
    "Collection",
    "Collections",
    "ConfigError",
    "Document",
    "HealthResult",
    "Hit",
    "Library",
    "ModelSettings",
    "Problem",
    "ProviderError",
    "Reference",
    "Report",
    "Source",
    "SourceError",
    "Statement",
    "StoreError",
    "Trace",
    "VademecumError",
    "__version__",
]


def __getattr__(name: str) -> object:
    """Load a public name on first use (PEP 562)."""
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415 - 10 ms that only those who ask for it pay

        found: object = version("vademecum")
    elif name in _ROOMS:
        from importlib import import_module  # noqa: PLC0415 - importing the package imports nothing

        found = getattr(import_module(f"vademecum.{_ROOMS[name]}"), name)
    else:
        raise AttributeError(f"module 'vademecum' has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """The public names, for those who explore."""
    return [*globals(), *(name for name in __all__ if name not in globals())]
