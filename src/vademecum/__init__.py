"""Vademecum: answers from the documents you already have, every sentence checked against its source.

    >>> from vademecum import Library
    >>> library = Library.open()

Importing the package loads none of its parts; each is loaded when its name is first used.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from vademecum.core.answers import Answer, Citation, Hit, Reference, Statement
    from vademecum.core.errors import (
        AnswerError,
        ConfigError,
        IndexMissing,
        SourceError,
        StoreError,
        VademecumError,
    )
    from vademecum.core.trace import Trace
    from vademecum.library.catalog import CatalogEntry
    from vademecum.library.indexing import Report
    from vademecum.library.library import Library
    from vademecum.library.places import Places

    __version__: str

_ROOMS = {
    "Answer": "core.answers",
    "AnswerError": "core.errors",
    "CatalogEntry": "library.catalog",
    "Citation": "core.answers",
    "ConfigError": "core.errors",
    "Hit": "core.answers",
    "IndexMissing": "core.errors",
    "Library": "library.library",
    "Places": "library.places",
    "Reference": "core.answers",
    "Report": "library.indexing",
    "SourceError": "core.errors",
    "Statement": "core.answers",
    "StoreError": "core.errors",
    "Trace": "core.trace",
    "VademecumError": "core.errors",
}
"""Where each public name lives."""

__all__ = [
    "Answer",
    "AnswerError",
    "CatalogEntry",
    "Citation",
    "ConfigError",
    "Hit",
    "IndexMissing",
    "Library",
    "Places",
    "Reference",
    "Report",
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
