"""Selects the tests that a change can reach, from the import graph that the contracts use.

A test file belongs to the modules and programs that it names, and to the package that its folder is named after. It is
selected if one of them is changed, or imports a changed module, directly or through others.
"""

import re
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

import grimp

ROOT = Path(__file__).parents[1]
PACKAGE = "vademecum"
ALWAYS = ["tests/architecture"]
PROGRAMS = {
    PACKAGE: f"{PACKAGE}.cli.vademecum",
    "ragman": f"{PACKAGE}.cli.ragman",
    "ragadmin": f"{PACKAGE}.cli.ragadmin",
    "os-image-composer": f"{PACKAGE}.cli.os_image_composer",
}
PACKAGES_OF_FOLDERS = {
    "web": "server",
    "service": "server",
    "packages": "desks.composer",
    **{desk: f"desks.{desk}" for desk in ("book", "chat", "composer", "linux", "reasoning")},
}
"""Folders of tests that are not named after the package that they test."""

TEXTS = re.compile(r"(?:docs|examples|deploy|training)/|[\w.-]+\.md|mkdocs\.yml")
_NAMED = re.compile(rf"\b{PACKAGE}(?:\.\w+)+")
_PACKAGE_ITSELF = re.compile(rf"^\s*(?:from {PACKAGE} import|import {PACKAGE}$)", re.MULTILINE)


class Unknown(Exception):
    """The change is unknown, or can reach everything. The message gives the reason."""


def changed_files(revision: str) -> list[str]:
    """Return the files that differ from a revision.

    Raises:
        Unknown: There is no Git repository, no such revision, or something is not committed.
    """
    if _git("status", "--porcelain"):
        raise Unknown("Some changes are not committed.")
    return _git("diff", "--name-only", f"{revision}...HEAD", "--").splitlines()


def _git(*words: str) -> str:
    try:
        done = subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=False)
    except OSError as error:
        raise Unknown(f"git cannot be run: {error.strerror}.") from error
    if done.returncode:
        raise Unknown(f"git {words[0]}: {done.stderr.strip().splitlines()[0]}.")
    return done.stdout


def tests_of(files: Iterable[str]) -> list[str]:
    """Return the test files and folders that a change of some files can reach.

    Raises:
        Unknown: A file can reach everything, such as `pyproject.toml`.
    """
    graph = grimp.build_graph(PACKAGE, cache_dir=None)
    found, changed = set(ALWAYS), set()
    for file in files:
        path = Path(file)
        if file.startswith(f"src/{PACKAGE}/"):
            changed |= _modules(path.relative_to("src"), graph)
        elif path.name.startswith("test_") and file.startswith("tests/"):
            found |= {file} if (ROOT / file).exists() else set()
        elif file.startswith("tests/") and len(path.parts) > 2 and path.parts[1] != "data":
            found.add(str(path.parent))
        elif file.startswith("web/"):
            found.add("tests/integration/web")
        elif file.startswith("benchmarks/"):
            found.add("tests/unit/benchmarks")
        elif TEXTS.match(file):
            found.add("tests/docs")
        else:
            raise Unknown(f"{file} can change any test.")
    reached = changed.union(*map(graph.find_downstream_modules, changed))
    for test in sorted((ROOT / "tests").rglob("test_*.py")):
        if _belongs_to(test, graph.modules) & reached:
            found.add(str(test.relative_to(ROOT)))
    if changed:
        found.add("tests/docs")
    return sorted(name for name in found if not any(str(above) in found for above in Path(name).parents))


def _modules(path: Path, graph: grimp.ImportGraph) -> set[str]:
    """Return a module; for data, and a module that is loaded by its name, all of its folder and the one above."""
    name = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
    if name in graph.modules and graph.find_modules_that_directly_import(name):
        return {name}
    above = {".".join(folder.parts) for folder in (path.parent, path.parent.parent) if len(folder.parts) > 1}
    return {module for module in graph.modules if module in above or module.rpartition(".")[0] in above}


def _belongs_to(test: Path, known: set[str]) -> set[str]:
    text = test.read_text("utf-8")
    named = {module for module in _NAMED.findall(text) if module in known}
    named |= {module for program, module in PROGRAMS.items() if f'"{program}"' in text}
    named |= {PACKAGE} if _PACKAGE_ITSELF.search(text) else set()
    folders: Sequence[str] = test.relative_to(ROOT / "tests").parts[1:-1]
    for folder in folders:
        package = f"{PACKAGE}.{PACKAGES_OF_FOLDERS.get(folder, folder)}"
        if folder != "desks":
            named |= {module for module in known if module == package or module.startswith(f"{package}.")}
    return named
