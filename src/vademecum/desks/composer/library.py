"""The templates of a folder: parsed, resolved, with their facts, and a list of those that cannot be read.

Reading 68 templates takes some 0.3 s, so what was made of them is kept (`kept.py`) until a file changes. A template itself is read
again only when somebody asks for it.
"""

import os
import posixpath
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from vademecum.core.errors import ConfigError
from vademecum.desks.composer import kept
from vademecum.desks.composer.image_template import (
    Data,
    Facts,
    Resolved,
    Template,
    facts_of,
    parse_template,
    resolve,
)
from vademecum.desks.composer.image_template.parse import MOST_BYTES, problem
from vademecum.desks.composer.image_template.text import Indexed, indexed
from vademecum.files.folders import desk_folder
from vademecum.files.read import Unreadable, open_within, read_open
from vademecum.text.patterns import Pattern
from vademecum.text.printable import printable

if TYPE_CHECKING:
    from vademecum.core.documents import Problem

OURS = Path(__file__).parent / "image-templates"
OUR_DEFAULTS = Path(__file__).parent / "os-defaults"

_MOST_FILES = 5000
_GLOBBING = frozenset("*?[")
_ENDINGS = (".yml", ".yaml")
_NAME = Pattern(r"[A-Za-z0-9][A-Za-z0-9._-]*", flags=0)
_DEFAULTS_OF = {"raw": "raw", "img": "initrd", "iso": "iso", "wsl2": "wsl2"}
_BESIDE = ("os-defaults", "config/osv")
"""Where the defaults lie beside a folder of templates: as ours do, and as in the source of the tool."""

_HINTS = {
    "missing-parent": "Correct `extends`: it is a path from the template's own folder.",
    "outside": "A parent must lie in the template's own folder, or below it.",
    "ambiguous-parent": "Write the path from the template's own folder.",
    "no-template": "Write `image:` and `target:`, or move the file elsewhere.",
    "too-many": "Part the templates into several folders, and name the one you need.",
}


class Entry:
    """A template of the library.

    Attributes:
        file: Its path within the folder of templates (`ubuntu24/ubuntu24-x86_64-docker-raw.yml`).
    """

    __slots__ = ("__dict__", "_library", "facts", "file", "indexed", "problems")

    def __init__(
        self,
        library: "TemplateLibrary",
        file: str,
        facts: Facts,
        found: Indexed,
        problems: "tuple[Problem, ...]",
    ) -> None:
        self._library, self.file, self.facts, self.indexed, self.problems = (
            library,
            file,
            facts,
            found,
            problems,
        )

    @cached_property
    def template(self) -> Template:
        """As written."""
        found = self._library.read(self.file)
        if not isinstance(found, Template):
            message = f"{printable(self.file, 200)} cannot be read any more: {found.message}"
            raise ConfigError(message, hint="Put the file back, or ask again.")
        return found

    @cached_property
    def resolved(self) -> Resolved:
        """With its parents and defaults."""
        return self._library.resolve_template(self.template)

    @property
    def name(self) -> str:
        """The file's name without folders."""
        return self.file.rpartition("/")[2]

    @property
    def stem(self) -> str:
        """The file's name without folders and ending."""
        return self.file.rpartition("/")[2].rpartition(".")[0]


class TemplateLibrary:
    """Templates by file. Open one with `TemplateLibrary.open`."""

    def __init__(self, templates_dir: Path, os_defaults_dir: Path | None) -> None:
        self.templates_dir, self.os_defaults_dir = templates_dir, os_defaults_dir
        self.templates: tuple[Entry, ...] = ()
        self.problems: tuple[Problem, ...] = ()
        self._root = os.path.realpath(templates_dir)
        self._read: dict[str, Template | Problem] = {}
        self._defaults: dict[str, Template | Problem | None] = {}
        self._packages: dict[str, frozenset[str]] = {}

    @classmethod
    def open(
        cls,
        templates_dir: Path | None = None,
        os_defaults_dir: Path | None = None,
        keep_in: Path | None = None,
    ) -> "TemplateLibrary":
        """Read a folder of templates."""
        templates_dir = templates_dir or OURS
        if os_defaults_dir is None:
            beside = (templates_dir.parent / name for name in _BESIDE)
            os_defaults_dir = next((folder for folder in beside if folder.is_dir()), None)
        elif not os_defaults_dir.is_dir():
            message = f"There is no folder of defaults {printable(str(os_defaults_dir), 200)}."
            raise ConfigError(message, hint="Correct ai.os_defaults_dir, or leave it out.")
        library = cls(templates_dir, os_defaults_dir)
        files, problems = _listed(templates_dir)
        state = kept.state_of(templates_dir, files, os_defaults_dir)
        folder = keep_in or Path(desk_folder("composer"), "templates")
        known = kept.load(folder, state)
        if known is None:
            entries, more = library._make(files)
            known = kept.Kept(entries, (*problems, *more))
            kept.save(folder, state, known)
        library.templates = tuple(Entry(library, *entry) for entry in known.entries)
        library.problems = known.problems
        return library

    def _make(self, files: list[str]) -> "tuple[tuple[kept.KeptEntry, ...], list[Problem]]":
        """Read everything."""
        entries = []
        problems = []
        for file in files:
            template = self.read(file)
            if not isinstance(template, Template):
                problems.append(template)
                continue
            if not {"image", "target"} & template.data.keys():
                message = "It has neither `image` nor `target`: it is not a template."
                problems.append(problem(file, "no-template", message, _HINTS["no-template"]))
                continue
            resolved = self.resolve_template(template)
            facts = facts_of(resolved)
            entries.append(kept.KeptEntry(file, facts, indexed(template, facts), resolved.problems))
        return tuple(entries), problems

    def read(self, file: str) -> "Template | Problem":
        """A file of the folder."""
        if file not in self._read:
            self._read[file] = _read(self._root, file)
        return self._read[file]

    def entry(self, file_or_stem: str) -> Entry | None:
        """A template by its path, its name or its stem; `None` if there is none, or more than one."""
        wanted = file_or_stem.removeprefix("./")
        for called in ("file", "name", "stem"):
            found = [template for template in self.templates if getattr(template, called) == wanted]
            if found:
                return found[0] if len(found) == 1 else None
        return None

    def named_in(self, text: str) -> tuple[Entry, str] | None:
        """Return the template that a text names by its file or stem, and the text with spaces in the place of the name."""
        lowered = text.lower()
        for entry in sorted(self.templates, key=lambda entry: -len(entry.stem)):
            if "-" not in entry.stem or entry.stem.lower() not in lowered:
                continue
            name = re.compile(
                rf"(?<![\w.-])(?:[\w./-]*/)?{re.escape(entry.stem)}(?:\.ya?ml)?(?![\w-])", re.IGNORECASE
            )
            if found := name.search(text):
                return entry, text[: found.start()] + " " * len(found[0]) + text[found.end() :]
        return None

    def resolve(self, data: Data, file: str = "") -> Resolved:
        """Resolve values that are no file of the library yet, such as a draft."""
        return resolve(
            Template(file=file or "draft.yml", text="", data=data), self._any_parent, self.defaults_of
        )

    def resolve_template(self, template: Template) -> Resolved:
        """Resolve a template that lies in the folder, by the tool's own rules."""
        return resolve(template, self._parent, self.defaults_of)

    def _parent(self, child: Template, reference: str) -> "Template | Problem":
        file = posixpath.normpath(posixpath.join(posixpath.dirname(child.file), reference))
        own = posixpath.dirname(child.file)
        if reference.startswith("/") or file.startswith("../") or (own and not file.startswith(f"{own}/")):
            message = f"Its parent {printable(reference, 100)} lies outside of its folder."
            return problem(child.file, "outside", message, _HINTS["outside"])
        found = self.read(file) if file.lower().endswith(_ENDINGS) else None
        if found is None:
            message = (
                f"Its parent {printable(reference, 100)} cannot be used: its name must end in .yml or .yaml."
            )
            return problem(child.file, "missing-parent", message, _HINTS["missing-parent"])
        if not isinstance(found, Template):
            message = f"Its parent {printable(reference, 100)} cannot be used: {found.message}"
            return problem(child.file, "missing-parent", message, _HINTS["missing-parent"])
        return found

    def _any_parent(self, child: Template, reference: str) -> "Template | Problem":
        found = self._parent(child, reference)
        if isinstance(found, Template):
            return found
        name = reference.rpartition("/")[2]
        named = [template for template in self.templates if template.file.rpartition("/")[2] == name]
        return named[0].template if len(named) == 1 else found

    def defaults_of(self, target: Data) -> "Template | Problem | None":
        """The defaults of a target; `None` where there is no folder of defaults, or none in it for this target."""
        names = [target.get(key) for key in ("os", "dist", "arch")]
        kind = _DEFAULTS_OF.get(str(target.get("imageType")))
        if (
            self.os_defaults_dir is None
            or not kind
            or not all(isinstance(name, str) and _NAME.fullmatch(name) for name in names)
        ):
            return None
        file = f"{names[0]}/{names[1]}/imageconfigs/defaultconfigs/default-{kind}-{names[2]}.yml"
        if file not in self._defaults:
            there = Path(self.os_defaults_dir, file).is_file()
            self._defaults[file] = _read(os.path.realpath(self.os_defaults_dir), file) if there else None
        return self._defaults[file]

    def packages(self, distribution: str = "") -> frozenset[str]:
        """All package names that the templates (of a distribution, by `target.os`) have, without globs."""
        if distribution not in self._packages:
            self._packages[distribution] = self._packages_of(distribution)
        return self._packages[distribution]

    def _packages_of(self, distribution: str) -> frozenset[str]:
        return frozenset(
            name
            for template in self.templates
            if distribution in {"", template.facts.distribution}
            for name in (*template.facts.packages, *template.facts.kernel_packages)
            if not _GLOBBING.intersection(name)
        )


def _listed(folder: Path) -> "tuple[list[str], list[Problem]]":
    """The files that may be templates, in order."""
    if not folder.is_dir():
        message = f"There is no folder of templates {printable(str(folder), 200)}."
        raise ConfigError(
            message, hint="Correct ai.templates_dir, or leave it out for the templates of the package."
        )
    files = sorted(_walk(str(folder), ""))
    if len(files) <= _MOST_FILES:
        return files, []
    message = f"It holds more than {_MOST_FILES:,} templates; only the first ones are read."
    return files[:_MOST_FILES], [problem(str(folder), "too-many", message, _HINTS["too-many"])]


def _walk(folder: str, prefix: str, depth: int = 0) -> Iterator[str]:
    try:
        with os.scandir(folder) as found:
            inner = sorted(found, key=lambda one: one.name)
    except OSError as error:
        if depth:  # a folder in it that is not ours to read
            return
        message = f"The folder of templates {printable(folder, 200)} cannot be listed: {error.strerror}."
        raise ConfigError(message, hint="Check its permissions.") from error
    for one in inner:
        if one.name.startswith(".") or not one.name.isprintable():
            continue
        if one.is_dir(follow_symlinks=False) and depth < 8:
            yield from _walk(one.path, f"{prefix}{one.name}/", depth + 1)
        elif one.name.lower().endswith(_ENDINGS) and not one.is_dir():
            yield f"{prefix}{one.name}"


def _read(root: str, file: str) -> "Template | Problem":
    try:
        raw = read_open(open_within(root, file, MOST_BYTES), MOST_BYTES)
        text = raw.decode("utf-8-sig")
    except Unreadable as refused:
        return problem(file, refused.fault, refused.message, "Check the file, or move it elsewhere.")
    except UnicodeDecodeError as error:
        return problem(
            file, "not-utf-8", f"It is not written in UTF-8 (byte {error.start}).", "Save it as UTF-8."
        )
    found = parse_template(text, file)
    return found._replace(folder=root) if isinstance(found, Template) else found
