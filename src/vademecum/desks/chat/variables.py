"""Prompt templates with variables: parsed when the configuration is loaded, and substituted in a single pass.

Substituted values are data: `${...}` in a question, a document or a collection's own prompt is never substituted.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from vademecum.desks.chat.profile import FIELDS, OF_SERVICE
from vademecum.text.printable import printable
from vademecum.text.similar import closest

_PLACES = re.compile(r"\$\{\s*([^{}]*?)\s*\}|\{\{\s*([A-Za-z_][\w.]*)\s*\}\}")
_SHORT = {"user": "user_message", "context": "context", "expanded_rag_context": "expanded_rag_context"}
_KNOWN = {
    **_SHORT,
    **{f"profile.{name}": name for name in FIELDS},
    "profile.expanded_rag_context": "expanded_rag_context",
    **{f"service.{name}": f"service_{name}" for name in OF_SERVICE},
    "service.max_tokens": "service_tokens",
}
"""The fields or texts of all variables."""


class UnknownVariable(ValueError):
    """An unknown variable in a prompt. `meant` is the variable that was probably meant, or ""."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        shown = printable(name, 60)
        self.meant = closest(name, _KNOWN)
        if name.isupper():
            self.message = f"${{{shown}}} is not a variable: prompts do not contain environment variables."
        else:
            self.message = f"${{{shown}}} is not a variable."


class Template(NamedTuple):
    """A text with variables.

    Attributes:
        parts: Texts and field names in turn; every second part is a name.
    """

    written: str
    parts: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The fields that the template names."""
        return self.parts[1::2]


def read_template(written: str) -> Template:
    """Parse a template.

    >>> read_template("Of {{profile.collection}}: ${context}").names
    ('collection', 'context')
    """
    return Template(written, tuple(_parts(written)))


def _parts(written: str) -> Iterator[str]:
    end = 0
    for found in _PLACES.finditer(written):
        name = found[1] if found[1] is not None else found[2]
        if name not in _KNOWN:
            raise UnknownVariable(name)
        yield written[end : found.start()]
        yield _KNOWN[name]
        end = found.end()
    yield written[end:]


def fill(
    template: Template,
    value: Callable[[str], str | None],
    missing: Callable[[str], None] = lambda _name: None,
) -> str:
    """Return the text of a template with substituted values."""
    said = []
    for place, part in enumerate(template.parts):
        if place % 2 == 0:
            said.append(part)
            continue
        found = value(part)
        if found is None:
            missing(part)
        said.append(found or "")
    return "".join(said)


def known_variables() -> Mapping[str, str]:
    """Return the fields of all variables, by the variables' names in prompts."""
    return dict(_KNOWN)
