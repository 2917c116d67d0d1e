"""The library: catalog, index and question path. `Library` is the entry point."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from vademecum.library.library import Library

__all__ = ["Library"]


def __getattr__(name: str) -> object:
    """Load `Library` on first use, so that other modules of this room can be imported without it."""
    if name != "Library":
        raise AttributeError(f"module 'vademecum.library' has no attribute {name!r}")
    from vademecum.library.library import Library  # noqa: PLC0415 - see above

    return Library
