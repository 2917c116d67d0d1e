"""One page through groff, as plain text with every paragraph on one line."""

from pathlib import Path

from vademecum.sources.man.process import Outcome, run

IDLE_S = 10.0
"""Longest silence: groff renders a page in 20 milliseconds, the largest in a second."""

_TOTAL_S = 20.0
_OUTPUT_LIMIT_BYTES = 64 * 1024 * 1024
_OPTIONS = (
    "-t", "-K", "utf8", "-mandoc", "-T", "utf8",
    "-P-c", "-P-b", "-P-u", "-P-o",  # no colours, no bold, no underlining, no overstriking
    "-rHY=0", "-dAD=l", "-rLL=5000n",  # no hyphenation, no justification, no broken lines
)  # fmt: skip


def render_text(groff: str, file: str, folder: Path) -> Outcome:
    """Render a page into what `man` shows, header and footer included.

    Args:
        groff: Path of the program.
        file: Name of an inflated UTF-8 page within `folder`.
        folder: A private folder.

    Returns:
        UTF-8 text, and how groff ended.
    """
    return run(
        [groff, *_OPTIONS, file],
        folder,
        idle_s=IDLE_S,
        total_s=_TOTAL_S,
        limit_bytes=_OUTPUT_LIMIT_BYTES,
    )
