"""The web page in a browser: the first paint, from a click to the marked sentence, and frames while an answer streams.

    python benchmarks/page.py

A server of its own is started over a book with one document of a megabyte, in a private folder; Debian's Chromium shows its page, without
a window and without a graphics processor. Printed, each the median of several runs: the first paint, beside that of an empty page of the same
server; how far anything moved while it loaded; from the click on a citation to the frame that shows its mark, as the page is when
it has checked its quotes, and with nothing of the document fetched before; and frames a second while 100 tokens a second come into a conversation of 200 answers, beside the frames of
the same page at rest.
"""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

_START_S = 60.0
_LONG_BYTES = 1_000_000
_QUESTION = "Who scratched its back at the rudder?"
_ANSWER = "On the last day a whale scratched its back at the rudder."
_TURNS = 200
_TOKENS_A_SECOND, _STREAM_S = 100, 5
_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
]

_PAINTED = """() => new Promise((done) => {
    const look = () => {
        const found = performance.getEntriesByName('first-contentful-paint')[0];
        found ? done(found.startTime) : setTimeout(look, 20);
    };
    look();
})"""
_MOVED = """() => new Promise((done) => {
    let moved = 0;
    new PerformanceObserver((list) => list.getEntries().forEach((one) => (moved += one.value)))
        .observe({ type: 'layout-shift', buffered: true });
    setTimeout(() => done(moved), 500);
})"""
_MARKED = """() => new Promise((done) => {
    const began = performance.now();
    const look = () => document.querySelector('.document mark')
        ? requestAnimationFrame(() => done(performance.now() - began))
        : performance.now() - began > 10000 ? done(NaN) : requestAnimationFrame(look);
    document.querySelector('.chip').click();
    look();
})"""
_FRAMES = """(seconds) => new Promise((done) => {
    const times = [];
    const began = performance.now();
    const frame = (now) => {
        times.push(now);
        now - began < 1000 * seconds ? requestAnimationFrame(frame) : done(times);
    };
    requestAnimationFrame(frame);
})"""
_STREAMED = """([perSecond, seconds]) => {
    const real = window.fetch;
    window.fetch = (url, options) => {
        if (!String(url).endsWith('/ask')) return real(url, options);
        const encoder = new TextEncoder();
        let sent = 0;
        const body = new ReadableStream({
            start(control) {
                const timer = setInterval(() => {
                    const data = JSON.stringify({ part: 'summary', sentence: `Token ${sent} of an answer.`, command: '', citations: [0] });
                    if (sent === 0) control.enqueue(encoder.encode('event: retrieval\\ndata: {}\\n\\n'));
                    control.enqueue(encoder.encode(`event: token\\ndata: ${data}\\n\\n`));
                    if (++sent >= perSecond * seconds) { clearInterval(timer); control.close(); }
                }, 1000 / perSecond);
            },
        });
        return Promise.resolve(new Response(body, { headers: { 'Content-Type': 'text/event-stream' } }));
    };
}"""


def main() -> None:
    """Measure, and print."""
    asked = _parser().parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        _serving(Path(folder)) as url,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=_ARGUMENTS)

        def fresh() -> Page:
            return browser.new_context(viewport={"width": 1440, "height": 900}).new_page()

        figures: dict[str, list[float]] = {}

        def note(name: str, value: float) -> None:
            figures.setdefault(name, []).append(value)

        for _ in range(asked.runs):
            page = fresh()
            page.goto(f"{url}/healthz")
            note("first paint of a line of text, ms", page.evaluate(_PAINTED))
            page.goto(url)
            note("first paint, ms", page.evaluate(_PAINTED))
            note("moved while loading", page.evaluate(_MOVED))
            page.fill("#question", _QUESTION)
            page.press("#question", "Enter")
            page.wait_for_selector(".answer .chip:not(.pending)")
            note("from click to mark, ms", page.evaluate(_MARKED))
            page.close()
            page = fresh()
            # the text is fetched by the click, not by the check before it
            page.route("**/documents/**", lambda route: route.abort())
            page.goto(url)
            page.fill("#question", _QUESTION)
            page.press("#question", "Enter")
            page.wait_for_selector(".chip.pending")
            page.unroute("**/documents/**")
            note("… with nothing fetched before, ms", page.evaluate(_MARKED))
            page.close()
        page = fresh()
        page.goto(f"{url}/#c/{_conversation(url)}")
        page.wait_for_function(f"() => document.querySelectorAll('.answer').length === {_TURNS}")
        page.wait_for_timeout(3000)
        for _ in range(max(1, asked.runs // 3)):
            _frames(page, "at rest", note)
            page.evaluate(_STREAMED, [_TOKENS_A_SECOND, _STREAM_S])
            page.fill("#question", "How?")
            page.press("#question", "Enter")
            _frames(page, "while streaming", note)
            page.wait_for_selector(".answer:last-child .broken", timeout=60_000)
        browser.close()
    for name, values in figures.items():
        low, high = min(values), max(values)
        print(f"{name:34} {statistics.median(values):9.2f}   ({low:.2f} to {high:.2f}, {len(values)} runs)")


def _frames(page: Page, when: str, note: Any) -> None:
    times = page.evaluate(_FRAMES, _STREAM_S - 1)
    gaps = [after - before for before, after in pairwise(times)]
    note(f"frames a second {when}", 1000 * len(gaps) / sum(gaps))
    note(f"longest frame {when}, ms", max(gaps))


def _conversation(url: str) -> str:
    """A conversation of many answers, on the server."""
    id_ = "new"
    for _ in range(_TURNS):
        id_ = _post(f"{url}/ask", {"query": _QUESTION, "conversation": id_})["conversation"]
    return id_


def _post(url: str, body: dict[str, Any]) -> dict[str, Any]:
    request = urllib.request.Request(  # noqa: S310 - our own server, on the loopback
        url, json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=60) as reply:  # noqa: S310 - likewise
        found: dict[str, Any] = json.load(reply)
    return found


@contextmanager
def _serving(folder: Path) -> Iterator[str]:
    """A server over a long document; its URL."""
    pages = folder / "book"
    pages.mkdir()
    line = "Day {}: wind from the west, sea slight, nothing to report.\n\n"
    count = _LONG_BYTES // len(line)
    days = [line.format(day) for day in range(count)]
    days.insert(count // 2, f"{_ANSWER}\n\n")
    (pages / "log.md").write_text("# Log book\n\n" + "".join(days))
    environment = {
        **os.environ,
        "XDG_DATA_HOME": str(folder / "data"),
        "XDG_CONFIG_HOME": str(folder / "config"),
    }
    vademecum = str(Path(sys.executable).with_name("vademecum"))
    added = [vademecum, "book", "add", str(pages), "--name", "log"]
    subprocess.run(added, env=environment, check=True, capture_output=True)
    command = [vademecum, "serve", "--port", "0"]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        try:
            deadline_s = time.monotonic() + _START_S
            assert server.stdout is not None  # noqa: S101 - it is piped
            for said in server.stdout:
                if found := re.search(r"http://127\.0\.0\.1:\d+", said):
                    yield found[0]
                    return
                if time.monotonic() > deadline_s:
                    break
            sys.exit("The server did not start.")
        finally:
            server.terminate()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--runs", type=int, default=9, help="how often each is measured (default: %(default)s)"
    )
    return parser


if __name__ == "__main__":
    main()
