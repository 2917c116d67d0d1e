"""The outcome of a wish, and the context that an edit needs."""

from typing import Any, Literal, NamedTuple

from vademecum.desks.composer.editing.document import Document
from vademecum.desks.composer.image_template import Data
from vademecum.desks.composer.library import TemplateLibrary
from vademecum.desks.composer.wish import Wish

State = Literal["delivered", "already", "undeliverable", "asked back", "not understood"]


class Outcome(NamedTuple):
    """What came of a wish.

    Attributes:
        state: Whether it was done (`delivered`), was so already (`already`), cannot be had, or was not understood.
        says: What was done, or why not, in a sentence. It holds no password.
        packages: The packages that it came to, of a wish for software.
    """

    wish: Wish
    state: State
    says: str
    packages: tuple[str, ...] = ()

    @property
    def is_met(self) -> bool:
        """Return whether what was asked for is so now."""
        return self.state in {"delivered", "already"}


class Done(NamedTuple):
    """A document after an edit, and what came of the wish."""

    document: Document
    outcome: Outcome


class Scene(NamedTuple):
    """What is around the template that is edited.

    Attributes:
        known: Names of packages of its distribution.
        elsewhere: Names of packages of other distributions.
        drafting: Whether a new template is made, where what a person says nothing of is ours to choose; else it is theirs.
    """

    library: TemplateLibrary
    file: str = ""
    known: frozenset[str] = frozenset()
    elsewhere: frozenset[str] = frozenset()
    drafting: bool = False
    sized: frozenset[str] = frozenset()

    def resolved(self, document: Document) -> Data:
        """The template with all that it inherits."""
        return self.library.resolve(document.data, self.file).data

    def section(self, document: Document, *path: str | int) -> Data:
        """A section with what it inherits; empty if there is none."""
        value: Any = self.resolved(document)
        for step in path:
            value = value.get(step) if isinstance(value, dict) else None
        return value if isinstance(value, dict) else {}

    def packages(self, document: Document) -> list[str]:
        """The packages, with those that it inherits."""
        found = self.section(document, "systemConfig").get("packages")
        return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


def delivered(document: Document, wish: Wish, says: str, *, packages: tuple[str, ...] = ()) -> Done:
    """Done as asked for."""
    return Done(document, Outcome(wish, "delivered", says, packages))


def already(document: Document, wish: Wish, says: str, *, packages: tuple[str, ...] = ()) -> Done:
    """It is like that already."""
    return Done(document, Outcome(wish, "already", says, packages))


def undeliverable(document: Document, wish: Wish, says: str) -> Done:
    """It cannot be had."""
    return Done(document, Outcome(wish, "undeliverable", says))
