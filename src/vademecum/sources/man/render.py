"""Which program renders a page, and what happens when it does not."""

import hashlib
import os
import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from vademecum.core.errors import RendererMissing
from vademecum.sources._faults import BadFile
from vademecum.sources.man.facts import cross_references
from vademecum.sources.man.groff import render_text
from vademecum.sources.man.layout import Layout
from vademecum.sources.man.mandoc import render_html
from vademecum.sources.man.markup import read_markup
from vademecum.sources.man.plain import read_plain
from vademecum.sources.man.process import Outcome

_PATIENCE = 3
_KNOWN_GOOD = ".TH GOOD 1\n.SH NAME\ngood \\- a page that every renderer can show\n"


class Page(NamedTuple):
    """A rendered page, and the references its markup declares."""

    layout: Layout
    links: tuple[str, ...] = ()


class Programs(NamedTuple):
    """Paths of the renderers on this machine; at least one is there."""

    mandoc: str | None
    groff: str | None

    @property
    def stamp(self) -> str:
        """Name and a fingerprint of the program that renders; another program has another stamp.

        mandoc does not tell its version, so the file's size and time stand for it.
        """
        name, path = ("mandoc", self.mandoc) if self.mandoc else ("groff", self.groff)
        status = Path(path or "").stat()
        facts = f"{status.st_size}-{status.st_mtime_ns}"
        return f"{name}-{hashlib.blake2b(facts.encode(), digest_size=4).hexdigest()}"


def find_programs() -> Programs:
    """Look for mandoc and groff on the `PATH`.

    Raises:
        RendererMissing: Neither is there.
    """
    found = Programs(shutil.which("mandoc"), shutil.which("groff"))
    if not any(found):
        message = "Neither mandoc nor groff is installed; nothing can render manual pages."
        raise RendererMissing(message, hint="Install mandoc (fast) or groff, for example: apt install mandoc")
    return found


class Renderer:
    """Renders inflated pages: many through one mandoc, the ones it fails on through groff.

    Args:
        programs: What is installed.
        folder: A private folder that holds the pages.
    """

    def __init__(self, programs: Programs, folder: Path) -> None:
        self._mandoc = programs.mandoc
        self._groff = programs.groff
        self._folder = folder
        self._failures = 0

    def render(self, files: Sequence[str]) -> list[Page | BadFile]:
        """Render pages, in order.

        Args:
            files: Names within the folder.

        Returns:
            For each page what it shows, or what is wrong with it.
        """
        if self._mandoc is None:
            return self._render_with_groff(files)
        bodies = render_html(self._mandoc, files, self._folder)
        pages = [_page(body) for body in bodies]
        # mandoc stopped within the next page: from there on each goes alone. One that was alone
        # has had its chance.
        unfinished = files[len(bodies) :]
        pages += (
            [None]
            if len(files) == len(unfinished) == 1
            else [_page(self._retry(file)) for file in unfinished]
        )
        failed = [number for number, page in enumerate(pages) if page is None or not page.layout.blocks]
        instead = self._render_with_groff([files[number] for number in failed])
        results: list[Page | BadFile] = [page or _nothing() for page in pages]
        for number, page in zip(failed, instead, strict=True):
            results[number] = page
        return results

    def _retry(self, file: str) -> str | None:
        if self._mandoc is None:
            return None
        bodies = render_html(self._mandoc, [file], self._folder)
        if bodies:
            self._failures = 0
            return bodies[0]
        self._failures += 1
        if self._failures == _PATIENCE:
            self._failures = 0
            (self._folder / "good").write_text(_KNOWN_GOOD)
            if not render_html(self._mandoc, ["good"], self._folder):
                self._mandoc = None  # the program is broken, not the pages
        return None

    def _render_with_groff(self, files: Sequence[str]) -> list[Page | BadFile]:
        if not files:
            return []
        groff = self._groff
        if groff is None:
            message = "mandoc shows nothing of it or does not end, and groff is not installed."
            return [BadFile("renderer-failed", message)] * len(files)
        if len(files) == 1:
            return [_plain_page(render_text(groff, files[0], self._folder))]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            outcomes = pool.map(lambda file: render_text(groff, file, self._folder), files)
            return [_plain_page(outcome) for outcome in outcomes]


def _page(body: str | None) -> Page | None:
    return None if body is None else Page(read_markup(body), cross_references(body))


def _plain_page(outcome: Outcome) -> Page | BadFile:
    match outcome.ending:
        case "timeout":
            return BadFile("renderer-timeout", "No renderer came to an end with it.")
        case "flood":
            return BadFile("too-large", "What it renders to has no end.")
        case _:
            layout = read_plain(outcome.output.decode("utf-8", "replace"))
            return Page(layout) if layout.blocks else _nothing()


def _nothing() -> BadFile:
    return BadFile("nothing-shown", "Rendered, it shows nothing.")
