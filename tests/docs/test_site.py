"""The documentation site: every document is a page of it, and every link in it leads somewhere."""

import importlib.util
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("build_site", ROOT / "scripts/build_site.py")
build_site = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(build_site)

LINK = re.compile(r"\]\(([^()\s]+)\)")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    build_site.prepare(folder)
    return folder


def pages_of(entry):
    if isinstance(entry, str):
        return [entry]
    (below,) = entry.values()
    return [below] if isinstance(below, str) else [page for inner in below for page in pages_of(inner)]


def test_every_document_is_in_the_navigation_once(site):
    nav = tomllib.loads((site / "zensical.toml").read_text())["project"]["nav"]
    listed = [page for entry in nav for page in pages_of(entry)]
    written = [path.relative_to(site / "docs").as_posix() for path in (site / "docs").rglob("*.md")]
    assert sorted(listed) == sorted(written)
    assert len(listed) > 80


def test_every_link_leads_to_a_page_or_to_a_file_of_the_repository(site):
    links = 0
    for page in (site / "docs").rglob("*.md"):
        text = re.sub(r"^(```|~~~).*?^\1", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
        for link in LINK.findall(re.sub(r"`[^`\n]*`", "", text)):
            target = link.partition("#")[0]
            links += 1
            if target.startswith(build_site.HOST):
                assert (ROOT / target.removeprefix(build_site.HOST)).exists(), (page.name, link)
            elif target and "://" not in target:
                assert (page.parent / target).resolve().is_file(), (page.name, link)
    assert links > 300


@pytest.mark.parametrize(
    ("source", "text", "expected"),
    [
        ("README.md", "[a](docs/how-to/x.md#b)", "[a](how-to/x.md#b)"),
        ("docs/how-to/x.md", "[a](../../README.md)", "[a](../index.md)"),
        ("docs/how-to/x.md", '![a](y.png "t") [b](../../deploy/z)', '![a](y.png "t") [b](HOST/deploy/z)'),
        ("docs/how-to/x.md", "[a](https://x.org) [b](#c)", "[a](https://x.org) [b](#c)"),
        ("docs/how-to/x.md", "```\n[a](../../README.md)\n```", "```\n[a](../../README.md)\n```"),
    ],
    ids=["into docs", "out of docs", "an image and a file", "absolute", "code"],
)  # fmt: skip
def test_links(source, text, expected):
    sources = {
        "README.md": "index.md",
        "docs/how-to/x.md": "how-to/x.md",
        "docs/how-to/y.png": "how-to/y.png",
    }
    assert build_site.with_links(source, text, sources) == expected.replace("HOST/", build_site.HOST)
