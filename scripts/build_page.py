"""Build the web page: the types of the API from its description, then the files that the package carries.

    scripts/build_page.py [--check]

With `--check` nothing is written; what is out of date is named, and the exit status is 1.
"""

import filecmp
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from vademecum.server.app import create_app
from vademecum.server.openapi import described
from vademecum.server.settings import ServerSettings

ROOT = Path(__file__).parents[1]
WEB = ROOT / "web"
TYPES = WEB / "src/api/schema.d.ts"
BUILT = ROOT / "src/vademecum/server/page"
PROGRAMS = WEB / "node_modules/.bin"

USED = (
    "/ask",
    "/traces",
    "/api/chat/rules",
    "/api/collections",
    "/api/conversations",
    "/api/feedback",
    "/api/health",
    "/api/jobs",
    "/api/keys",
    "/api/me",
    "/api/session",
    "/api/sources",
)
"""What the paths begin with that the page calls."""


def main() -> int:
    """Build all of it, or say what is out of date."""
    is_check = "--check" in sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder)
        description = made / "openapi.json"
        description.write_text(api_description(), encoding="utf-8")
        types = made / "schema.d.ts"
        _run("openapi-typescript", description, "-o", types)
        if not is_check:
            shutil.copy(types, TYPES)
        elif not filecmp.cmp(types, TYPES, shallow=False):
            return _out_of_date(TYPES)
        page = made / "page"
        _run("vite", "build", "--logLevel", "warn", "--outDir", page)
        _run("vite", "build", "--logLevel", "warn", "--config", "vite.widget.config.ts", "--outDir", page)
        if is_check:
            differing = [one for one in _names(page) | _names(BUILT) if not _same(page / one, BUILT / one)]
            return _out_of_date(BUILT / differing[0]) if differing else 0
        shutil.rmtree(BUILT, ignore_errors=True)
        shutil.copytree(page, BUILT)
    return 0


def api_description() -> str:
    """The part of the API's description that the page uses: its paths, their good replies, and what these are made of."""
    with tempfile.TemporaryDirectory() as folder:
        app = create_app(ServerSettings(folder=Path(folder), collections_folder=Path(folder)))
        whole = described(app)
    paths = {path: _plain(methods) for path, methods in whole["paths"].items() if path.startswith(USED)}
    schemas = {name: _plain(schema) for name, schema in whole["components"]["schemas"].items()}
    needed = {"Problem", *_named(paths)}
    while more := {inner for name in needed for inner in _named(schemas[name])} - needed:
        needed |= more
    kept = {
        "openapi": whole["openapi"],
        "info": {"title": whole["info"]["title"], "version": "0"},
        "paths": paths,
        "components": {"schemas": {name: schemas[name] for name in sorted(needed)}},
    }
    return json.dumps(kept, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _plain(data: Any) -> Any:
    """Without examples and errors, which are all alike."""
    if isinstance(data, dict):
        return {
            name: {code: _plain(reply) for code, reply in value.items() if code.startswith("2")}
            if name == "responses"
            else _plain(value)
            for name, value in data.items()
            if name not in {"examples", "security"}
        }
    return [_plain(one) for one in data] if isinstance(data, list) else data


def _named(data: object) -> set[str]:
    """The schemas that some data names."""
    return set(re.findall(r"#/components/schemas/(\w+)", json.dumps(data)))


def _run(program: str, *arguments: object) -> None:
    subprocess.run([PROGRAMS / program, *map(str, arguments)], cwd=WEB, check=True, stdout=subprocess.DEVNULL)


def _names(folder: Path) -> set[Path]:
    return {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}


def _same(one: Path, other: Path) -> bool:
    return one.is_file() and other.is_file() and filecmp.cmp(one, other, shallow=False)


def _out_of_date(place: Path) -> int:
    print(f"{place.relative_to(ROOT)} is out of date; run: make page", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
