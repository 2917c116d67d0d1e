"""Choose a renderer for a page, and handle its failures."""

import hashlib
import secrets
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from vademecum.core.errors import RendererMissing
from vademecum.files.read import Unreadable
from vademecum.sources.man.document import cross_references
from vademecum.sources.man.groff import render_texts
from vademecum.sources.man.layout import Layout
from vademecum.sources.man.markup import read_markup
from vademecum.sources.man.plain import read_plain
from vademecum.sources.man.process import Outcome, run

MANDOC_IDLE_S = 4.0
"""The maximum time without output. mandoc renders a page in a millisecond, and prints continuously."""

_MANDOC_TOTAL_S = 60.0
_MANDOC_LIMIT_BYTES = 256 * 1024 * 1024
_BODY = b'<div class="manual-text">'
_FOOT = b'<table class="foot">'
_SEPARATOR = "separator"


def render_html(mandoc: str, files: Sequence[str], folder: Path) -> list[str]:
    """Render pages to the HTML between the header and footer of mandoc.

    After each page, mandoc renders a separator page that consists of one random word, which no page can contain. The
    outputs of pages therefore cannot be confused, whatever a page makes mandoc do.

    Args:
        files: The names of inflated UTF-8 pages within `folder`.

    Returns:
        The HTML of the pages, from the first up to the one that mandoc did not finish.
    """
    word = secrets.token_hex(16)
    (folder / _SEPARATOR).write_text(f".TH S 1\n{word}\n")
    arguments = [name for file in files for name in (file, _SEPARATOR)]
    command = [mandoc, "-K", "utf-8", "-T", "html", "-O", "fragment", *arguments]
    outcome = run(
        command, folder, idle_s=MANDOC_IDLE_S, total_s=_MANDOC_TOTAL_S, limit_bytes=_MANDOC_LIMIT_BYTES
    )
    pieces = outcome.output.split(word.encode())
    return [_body(piece) for piece in pieces[: len(files)][: len(pieces) - 1]]


def _body(piece: bytes) -> str:
    start = piece.find(_BODY)
    end = piece.rfind(_FOOT)
    return piece[start + len(_BODY) : end].decode("utf-8", "replace") if 0 <= start < end else ""


_PATIENCE = 3
_KNOWN_GOOD = ".TH GOOD 1\n.SH NAME\ngood \\- a page that every renderer can show\n"


class Page(NamedTuple):
    """A rendered page, and the references that its markup declares."""

    layout: Layout
    links: tuple[str, ...] = ()


class Programs(NamedTuple):
    """The paths of the renderers on this machine; at least one exists."""

    mandoc: str | None
    groff: str | None

    @property
    def stamp(self) -> str:
        """The name and a fingerprint of the renderer. Another program has another stamp.

        mandoc does not report its version, so the size and time of the file are used.
        """
        name, path = ("mandoc", self.mandoc) if self.mandoc else ("groff", self.groff)
        status = Path(path or "").stat()
        facts = f"{status.st_size}-{status.st_mtime_ns}"
        return f"{name}-{hashlib.blake2b(facts.encode(), digest_size=4).hexdigest()}"


def find_programs() -> Programs:
    """Find mandoc and groff on the `PATH`."""
    found = Programs(shutil.which("mandoc"), shutil.which("groff"))
    if not any(found):
        message = "Neither mandoc nor groff is installed; nothing can render manual pages."
        raise RendererMissing(message, hint="Install mandoc (fast) or groff, for example: apt install mandoc")
    return found


class Renderer:
    """A renderer of inflated pages. One mandoc process renders many; groff renders those that mandoc cannot."""

    def __init__(self, programs: Programs, folder: Path) -> None:
        self._mandoc = programs.mandoc
        self._groff = programs.groff
        self._folder = folder
        self._failures = 0

    def render(self, files: Sequence[str]) -> list[Page | Unreadable]:
        """Render pages in order.

        Returns:
            For each page, its content or the reason why it cannot be rendered.
        """
        if self._mandoc is None:
            return self._render_with_groff(files)
        bodies = render_html(self._mandoc, files, self._folder)
        pages = [_page(body) for body in bodies]
        # mandoc stopped within the next page: from there on, each page is rendered separately.
        # A page that already was alone is not retried.
        unfinished = files[len(bodies) :]
        pages += (
            [None]
            if len(files) == len(unfinished) == 1
            else [_page(self._retry(file)) for file in unfinished]
        )
        failed = [number for number, page in enumerate(pages) if page is None or not page.layout.blocks]
        instead = self._render_with_groff([files[number] for number in failed])
        results: list[Page | Unreadable] = [page or _nothing() for page in pages]
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

    def _render_with_groff(self, files: Sequence[str]) -> list[Page | Unreadable]:
        if not files:
            return []
        groff = self._groff
        if groff is None:
            message = "mandoc shows nothing of it or does not end, and groff is not installed."
            return [Unreadable("renderer-failed", message)] * len(files)
        return [_plain_page(outcome) for outcome in render_texts(groff, files, self._folder)]


def _page(body: str | None) -> Page | None:
    return None if body is None else Page(read_markup(body), cross_references(body))


def _plain_page(outcome: Outcome) -> Page | Unreadable:
    match outcome.ending:
        case "timeout":
            return Unreadable("renderer-timeout", "No renderer came to an end with it.")
        case "flood":
            return Unreadable("too-large", "What it renders to has no end.")
        case _:
            layout = read_plain(outcome.output.decode("utf-8", "replace"))
            return Page(layout) if layout.blocks else _nothing()


def _nothing() -> Unreadable:
    return Unreadable("nothing-shown", "Rendered, it shows nothing.")
