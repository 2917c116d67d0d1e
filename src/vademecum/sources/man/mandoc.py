"""Many pages through one mandoc, and each page's HTML out of what it prints."""

import secrets
from collections.abc import Sequence
from pathlib import Path

from vademecum.sources.man.process import run

IDLE_S = 4.0
"""Longest silence: mandoc renders a page in a millisecond, and prints as it goes."""

_TOTAL_S = 60.0
_OUTPUT_LIMIT_BYTES = 256 * 1024 * 1024
_BODY = b'<div class="manual-text">'
_FOOT = b'<table class="foot">'
_SEPARATOR = "separator"


def render_html(mandoc: str, files: Sequence[str], folder: Path) -> list[str]:
    """Render pages into the HTML that stands between mandoc's header and footer.

    After each page mandoc is given a separator page of ours whose one word, random, no page can
    contain; so outputs are never taken for each other's, whatever a page makes mandoc do.

    Args:
        mandoc: Path of the program.
        files: Names of inflated UTF-8 pages within `folder`.
        folder: A private folder.

    Returns:
        The HTML of the pages from the first on, up to the one mandoc did not finish.
    """
    word = secrets.token_hex(16)
    (folder / _SEPARATOR).write_text(f".TH S 1\n{word}\n")
    arguments = [name for file in files for name in (file, _SEPARATOR)]
    command = [mandoc, "-K", "utf-8", "-T", "html", "-O", "fragment", *arguments]
    outcome = run(command, folder, idle_s=IDLE_S, total_s=_TOTAL_S, limit_bytes=_OUTPUT_LIMIT_BYTES)
    pieces = outcome.output.split(word.encode())
    return [_body(piece) for piece in pieces[: len(files)][: len(pieces) - 1]]


def _body(piece: bytes) -> str:
    start = piece.find(_BODY)
    end = piece.rfind(_FOOT)
    return piece[start + len(_BODY) : end].decode("utf-8", "replace") if 0 <= start < end else ""
