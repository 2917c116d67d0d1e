"""Builds the documentation site from the documents of this repository: `build_site.py [--prepare]`.

The documents link to each other as files. Below `build/site`, this makes a copy in which README.md and its like are
pages, links to them lead there, and links to other files of the repository lead to its host. Zensical then makes HTML of
the copy, in `build/site/site`. With `--prepare`, only the copy is made.
"""

import argparse
import json
import os
import posixpath
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "build" / "site"
HOST = "https://github.com/vademecum/vademecum/blob/main/"
PAGES = {
    "README.md": "index.md",
    "docs/README.md": "contents.md",
    "ARCHITECTURE.md": "architecture.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "CODE_OF_CONDUCT.md": "conduct.md",
    "CHANGELOG.md": "changelog.md",
    "benchmarks/README.md": "benchmarks.md",
}
"""The documents outside of `docs`, and their names on the site."""

CONTENTS = "docs/README.md"
"""The table of contents, which the navigation of the site is made from."""

_LINK = re.compile(r"(!?\[[^\]\n]*\]\()([^()\s]+)((?:\s+\"[^\"\n]*\")?\))")
_FENCE = re.compile(r"^(```|~~~)")
_ABSOLUTE = re.compile(r"[a-z][a-z0-9+.-]*:|#|/")
_ROW = re.compile(r"^\| (?P<goal>[^|]+) \| (?P<links>.+) \|$", re.MULTILINE)
_COMMANDS = {"ragman", "ragadmin", "vademecum"}
_SECTIONS = {
    "get a first answer": "Tutorial",
    "complete a task": "How-to guides",
    "look something up": "Reference",
    "understand": "Explanation",
}


def main() -> int:
    """Make the site, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prepare", action="store_true", help="make the copy, without HTML")
    asked = parser.parse_args()
    prepare(TARGET)
    if asked.prepare:
        return 0
    zensical = Path(sys.executable).with_name("zensical")
    return subprocess.run([zensical, "build", "--strict", "--clean"], cwd=TARGET, check=False).returncode


def prepare(target: Path) -> None:
    """Make the copy and the configuration of Zensical in a folder, which is emptied first."""
    shutil.rmtree(target, ignore_errors=True)
    sources = {**PAGES, **{path: posixpath.relpath(path, "docs") for path in _documents()}}
    for source, page in sources.items():
        place = target / "docs" / page
        place.parent.mkdir(parents=True, exist_ok=True)
        if source.endswith(".md"):
            place.write_text(with_links(source, (ROOT / source).read_text(), sources))
        else:
            shutil.copyfile(ROOT / source, place)
    (target / "zensical.toml").write_text(_configuration(sources))


def with_links(source: str, text: str, sources: dict[str, str]) -> str:
    """Return a document in which each link leads to a page of the site, or to a file on the host of the repository.

    Args:
        source: The path of the document in the repository.
        text: Its text. Code is unchanged.
        sources: The pages of the site by path in the repository.
    """
    lines = []
    fence = ""
    for line in text.split("\n"):
        found = _FENCE.match(line.lstrip())
        if found and (not fence or found[1] == fence):
            fence = "" if fence else found[1]
        lines.append(line if fence or found else _LINK.sub(lambda link: _moved(link, source, sources), line))
    return "\n".join(lines)


def _moved(link: re.Match[str], source: str, sources: dict[str, str]) -> str:
    if _ABSOLUTE.match(link[2]):
        return link[0]
    path, hash_, fragment = link[2].partition("#")
    target = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
    if target in sources:
        address = posixpath.relpath(sources[target], posixpath.dirname(sources[source]) or ".")
    else:
        address = HOST + target
    return f"{link[1]}{address}{hash_}{fragment}{link[3]}"


def _documents() -> list[str]:
    found = (path for path in (ROOT / "docs").rglob("*") if path.is_file() and path.suffix != ".1")
    return sorted(os.fspath(path.relative_to(ROOT)) for path in found if path != ROOT / CONTENTS)


def _configuration(sources: dict[str, str]) -> str:
    """Return the configuration. Strings of JSON are strings of TOML."""
    contents = (ROOT / CONTENTS).read_text()
    entries = ["{ 'Vademecum' = 'index.md' }", "{ 'All documents' = 'contents.md' }"]
    for row in _ROW.finditer(contents):
        if section := _SECTIONS.get(row["goal"]):
            pages = (
                _entry(link[1].lstrip("[").rstrip("(").rstrip("]"), link[2])
                for link in _LINK.finditer(row["links"])
            )
            entries.append(f"{{ {json.dumps(section)} = [{', '.join(pages)}] }}")
    decisions = sorted(page for page in sources.values() if page.startswith("decisions/0"))
    listed = ", ".join([json.dumps("decisions/README.md"), *map(json.dumps, decisions)])
    entries.append(f"{{ 'Decisions' = [{listed}] }}")
    project = [page for path, page in PAGES.items() if path not in {"README.md", CONTENTS}]
    entries.append(f"{{ 'Project' = [{', '.join(map(json.dumps, project))}] }}")
    nav = ",\n    ".join(entries)
    return f"""\
[project]
site_name = "Vademecum"
site_description = "Answers from the documents you already have, every sentence checked against its source"
nav = [
    {nav},
]

[project.theme]
variant = "modern"
font = false
features = ["content.code.copy", "navigation.sections", "navigation.top", "search.highlight", "toc.follow"]
"""


def _entry(title: str, page: str) -> str:
    shown = title if title.split(maxsplit=1)[0] in _COMMANDS else title[:1].upper() + title[1:]
    return f"{{ {json.dumps(shown)} = {json.dumps(page)} }}"


if __name__ == "__main__":
    sys.exit(main())
