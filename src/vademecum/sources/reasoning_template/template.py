"""One template: what its file says, and what stands for what it leaves out."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from vademecum.sources._front import parted
from vademecum.sources.reasoning_template.fields import Value, read_fields

FALLBACK = "chain-of-thought"
"""The template that is taken when none fits."""

_ALSO_FALLBACK = "bot-chain-of-thought"
_BETWEEN = re.compile(r"[,;\n]")
_LISTS = ("keywords", "use_when", "avoid_when", "near", "examples")
_TEXTS = ("name", "description", "domain", "complexity", "methodology")


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """A way of reasoning.

    Attributes:
        id: The file's name without its ending.
        name: For people.
        domain: Where it is at home (`mathematics`).
        complexity: `simple`, `moderate` or `complex`, or what the file says.
        methodology: How it goes about it (`deductive`).
        keywords: Words and phrases of the method.
        description: What it does and what it is for.
        content: The text after the front matter, as written.
        file_path: Where it was read.
        use_when: Situations that it fits, a sentence each.
        avoid_when: Situations that it does not fit, and what does instead.
        near: Ids of templates that it is easily mistaken for.
        examples: Questions that it fits, as people ask them.
        asked: More of these, from `asked/ID.txt` beside the file.
        other: All other fields, as written.
        warnings: What was wrong with the file, in sentences.
    """

    id: str
    name: str
    domain: str = "general"
    complexity: str = "moderate"
    methodology: str = "sequential"
    keywords: tuple[str, ...] = ()
    description: str = ""
    content: str = ""
    file_path: str = ""
    use_when: tuple[str, ...] = ()
    avoid_when: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    other: Mapping[str, Value] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def is_fallback(self) -> bool:
        """Whether it is the one that is taken when none fits."""
        return self.id == FALLBACK

    def to_dict(self) -> dict[str, object]:
        """Every field of the file, and what was made of it, as plain data."""
        return {
            "id": self.id,
            **{name: getattr(self, name) for name in _TEXTS},
            **{name: list(getattr(self, name)) for name in _LISTS},
            "content": self.content,
            "file_path": self.file_path,
            "is_fallback": self.is_fallback,
            "other": dict(self.other),
            "warnings": list(self.warnings),
        }


def parse_template(text: str, path: Path, asked: tuple[str, ...] = ()) -> Template:
    """A template from the text of its file.

    Args:
        text: With or without a mark of byte order, and with any ends of lines. Without front matter all of it is
            the content, and all fields have their defaults.
        path: Its stem is the id.
        asked: Questions that it is known to fit.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    inner, content = parted(text)
    fields, faults = read_fields(inner)
    warnings = list(faults)
    texts = {name: _text(fields.get(name)) for name in _TEXTS}
    warnings += [
        f"{name} is not text and counts as left out."
        for name in _TEXTS
        if isinstance(fields.get(name), list | dict)
    ]
    id_ = FALLBACK if path.stem == _ALSO_FALLBACK else path.stem
    return Template(
        id=id_,
        name=texts["name"] or path.stem,
        domain=texts["domain"] or "general",
        complexity=texts["complexity"] or "moderate",
        methodology=texts["methodology"] or "sequential",
        description=texts["description"],
        keywords=_list(fields.get("keywords"), parts=True),
        use_when=_list(fields.get("use_when")),
        avoid_when=_list(fields.get("avoid_when")),
        near=_list(fields.get("near"), parts=True),
        examples=_list(fields.get("examples")),
        content=content.strip("\n"),
        file_path=str(path),
        asked=asked,
        other={name: value for name, value in fields.items() if name not in {*_TEXTS, *_LISTS}},
        warnings=tuple(warnings),
    )


def _text(value: Value) -> str:
    """A text on one line; "" where none stands."""
    return " ".join(value.split()) if isinstance(value, str) else ""


def _list(value: Value, *, parts: bool = False) -> tuple[str, ...]:
    """A list of texts, each once. A text alone is a list of one, or (`parts`) of what stands between its commas."""
    if isinstance(value, str):
        value = list(_BETWEEN.split(value)) if parts else list(value.split("\n"))
    if not isinstance(value, list):
        return ()
    return tuple(dict.fromkeys(text for one in value if (text := _text(one))))
