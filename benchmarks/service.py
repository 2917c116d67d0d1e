"""The web server under load: `/ask` at a steady pace over many connections, and as fast as it goes.

    python benchmarks/service.py --book ../shared/data/book --questions benchmarks/questions/book.jsonl

A server of its own is started, as `vademecum serve` starts it, with the answer cache off, over a book that is indexed in
a private folder; everything stays on the loopback. First 200 requests a second are sent, spread over 100 connections that
stay open, each question in its turn; a request that is due is never held back because others are late, and its time runs
from when it was due, so that a server that stalls is not flattered. Then each connection sends one request after the other
(closed loop) for a while, and at last one connection alone. Printed: times at the client of whole answers, times of the
look-up as the server's figures have them, errors, memory of all of its processes (RssAnon), and processor time for each
request: the server's, and the client's, which it spends on the same processors.
"""

import argparse
import asyncio
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path
from typing import Any, NamedTuple

LEAST_QUESTIONS = 500
_START_S = 60.0
_ANSWER_S = 30.0
_SAMPLED_S = 0.25
_ALONE_S = 10.0

Json = dict[str, Any]


class Done(NamedTuple):
    """A request that was answered, or failed.

    Attributes:
        seconds: From when it was due until its last byte.
        status: The reply's; 0 when there was none.
        outcome: What `/ask` said of it.
    """

    seconds: float
    status: int
    outcome: str


class Connection:
    """A connection that stays open, by which requests are sent one after the other."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def ask(self, question: str, due_s: float) -> Done:
        """Send a question, and take the whole answer."""
        try:
            async with asyncio.timeout(_ANSWER_S):
                status, body = await self._exchanged(json.dumps({"query": question}).encode())
        except (OSError, TimeoutError, ValueError, asyncio.IncompleteReadError):
            self.close()
            return Done(time.perf_counter() - due_s, 0, "")
        seconds = time.perf_counter() - due_s
        return Done(seconds, status, json.loads(body).get("status", "") if status == 200 else "")

    async def _exchanged(self, body: bytes) -> tuple[int, bytes]:
        if self._reader is None or self._writer is None:
            self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        head = (
            "POST /ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        self._writer.write(head.encode() + body)
        received = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = re.search(r"content-length: (\d+)", received)
        if length is None:
            raise ValueError("a reply without its length")
        return int(received.split()[1]), await self._reader.readexactly(int(length[1]))

    def close(self) -> None:
        """Close it; the next request opens it again."""
        if self._writer:
            self._writer.close()
        self._reader = self._writer = None


async def paced(port: int, questions: Sequence[str], *, rate: float, connections: int) -> list[Done]:
    """Send each question when it is due, on whichever connection is free."""
    free: asyncio.Queue[Connection] = asyncio.Queue()
    for _ in range(connections):
        free.put_nowait(Connection(port))
    began_s = time.perf_counter()

    async def send(question: str, due_s: float) -> Done:
        connection = await free.get()
        try:
            return await connection.ask(question, due_s)
        finally:
            free.put_nowait(connection)

    sent = []
    for at, question in enumerate(questions):
        due_s = began_s + at / rate
        await asyncio.sleep(max(0.0, due_s - time.perf_counter()))
        sent.append(asyncio.create_task(send(question, due_s)))
    done = await asyncio.gather(*sent)
    while not free.empty():
        free.get_nowait().close()
    return done


async def closed(port: int, questions: Sequence[str], *, seconds: float, connections: int) -> list[Done]:
    """Send the next question on a connection as soon as the last one is answered."""
    ends_s = time.perf_counter() + seconds
    rest = cycle(questions)
    done: list[Done] = []

    async def go_on() -> None:
        connection = Connection(port)
        while time.perf_counter() < ends_s:
            done.append(await connection.ask(next(rest), time.perf_counter()))
        connection.close()

    await asyncio.gather(*(go_on() for _ in range(connections)))
    return done


class Memory:
    """The most memory that a process and its children have had for themselves."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self.peak_bytes = 0

    async def watch(self) -> None:
        """Look now and then."""
        while True:
            self.peak_bytes = max(self.peak_bytes, sum(map(_anonymous, _family(self._pid))))
            await asyncio.sleep(_SAMPLED_S)


def spent_s(pid: int) -> float:
    """The processor time that a process and its children have had."""
    ticks = 0
    for one in _family(pid):
        fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def _family(pid: int) -> Iterator[int]:
    yield pid
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return
    for child in children:
        yield from _family(int(child))


def _anonymous(pid: int) -> int:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    found = re.search(r"RssAnon:\s+(\d+)", status)
    return int(found[1]) * 1024 if found else 0


@contextmanager
def serving(data: Path, workers: int) -> Iterator[tuple[int, int]]:
    """The server at work; gives its port and its process."""
    environment = {**os.environ, "XDG_DATA_HOME": str(data), "ASK_CACHE": "0", "VADEMECUM_EMBEDDING": "off"}
    command = [
        str(Path(sys.executable).with_name("vademecum")),
        "serve",
        "--port",
        "0",
        "--workers",
        str(workers),
    ]
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        said = process.stdout.readline() if process.stdout else ""
        port = int(said.split()[2].rstrip(",").rpartition(":")[2])
        _wait(port)
        yield port, process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)
        if process.stdout:
            process.stdout.close()


def _wait(port: int) -> None:
    ends_s = time.monotonic() + _START_S
    while time.monotonic() < ends_s:
        try:
            if _get(port, "/readyz")[0] == 200:
                return
        except OSError:
            time.sleep(0.1)
    raise SystemExit("the server is not ready: is there a book?")


def _get(port: int, path: str) -> tuple[int, str]:
    from http.client import HTTPConnection  # noqa: PLC0415 - used twice a run

    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", path)
        reply = connection.getresponse()
        return reply.status, reply.read().decode()
    finally:
        connection.close()


def look_ups(port: int) -> dict[float, float]:
    """How many look-ups took at most so many seconds, as the server counts them."""
    found: dict[float, float] = {}
    pattern = r'vademecum_retrieval_seconds_bucket\{desk="book",le="([^"]+)"\} (\S+)'
    for border, count in re.findall(pattern, _get(port, "/metrics")[1]):
        found[float(border)] = float(count)
    return found


def quantile(before: dict[float, float], after: dict[float, float], share: float) -> float:
    """A quantile of what was counted between two looks, interpolated within its bucket, in milliseconds."""
    counts = {border: after[border] - before.get(border, 0.0) for border in sorted(after)}
    total = counts[max(counts)] if counts else 0.0
    lower, below = 0.0, 0.0
    for border, count in counts.items():
        if total and count >= share * total:
            if border == float("inf"):
                return lower * 1000
            return (lower + (border - lower) * (share * total - below) / max(count - below, 1)) * 1000
        lower, below = border, count
    return float("nan")


def told(done: Sequence[Done], seconds: float) -> Json:
    """The figures of a run."""
    times = sorted(one.seconds * 1000 for one in done)
    cuts = statistics.quantiles(times, n=100, method="inclusive")
    outcomes = {one.outcome for one in done}
    return {
        "requests": len(done),
        "errors": sum(one.status != 200 for one in done),
        "requests_per_s": round(len(done) / seconds, 1),
        "p50_ms": round(cuts[49], 1),
        "p95_ms": round(cuts[94], 1),
        "p99_ms": round(cuts[98], 1),
        "max_ms": round(times[-1], 1),
        "outcomes": {name: sum(one.outcome == name for one in done) for name in sorted(outcomes)},
    }


async def measured(port: int, pid: int, questions: Sequence[str], asked: argparse.Namespace) -> Json:
    """A paced run and a closed loop against a running server."""
    memory = Memory(pid)
    watching = asyncio.create_task(memory.watch())
    await closed(port, questions, seconds=2.0, connections=4)  # open the book, fill what is filled once
    before = await asyncio.to_thread(look_ups, port)
    server_s, client_s, began_s = spent_s(pid), time.process_time(), time.perf_counter()
    steady = list(islice(cycle(questions), asked.requests))
    found = await paced(port, steady, rate=asked.rate, connections=asked.connections)
    figures: Json = {"paced": told(found, time.perf_counter() - began_s)}
    figures["processor_ms_each"] = {
        "server": round((spent_s(pid) - server_s) * 1000 / len(found), 2),
        "client": round((time.process_time() - client_s) * 1000 / len(found), 2),
    }
    after = await asyncio.to_thread(look_ups, port)
    figures["retrieval"] = {
        f"p{share}_ms": round(quantile(before, after, share / 100), 1) for share in (50, 95, 99)
    }
    for name, connections, seconds in (
        ("closed_loop", asked.connections, asked.closed_s),
        ("one_connection", 1, _ALONE_S),
    ):
        began_s = time.perf_counter()
        found = await closed(port, questions, seconds=seconds, connections=connections)
        figures[name] = told(found, time.perf_counter() - began_s)
    watching.cancel()
    figures["memory_mb"] = round(memory.peak_bytes / 1e6, 1)
    return figures


def read_questions(path: Path, least: int) -> list[str]:
    """Different questions: those of a file, then the same ones worded a little otherwise until there are enough."""
    said = [
        json.loads(line)["question"] for line in path.read_text(encoding="utf-8").splitlines() if line.strip()
    ]
    openings = (
        "",
        "Please tell me: ",
        "In short, ",
        "I wonder: ",
        "For my robot: ",
        "Quick question: ",
        "Again: ",
    )
    found = list(dict.fromkeys(f"{opening}{one}" for opening in openings for one in said))
    if len(found) < least:
        raise SystemExit(f"{path} makes {len(found)} different questions; {least} are needed")
    return found[: max(least, len(said))]


def index(book: Path, data: Path) -> None:
    """Make the book a collection of a private folder, without a transformer that would embed it in the background meanwhile."""
    environment = {**os.environ, "XDG_DATA_HOME": str(data), "VADEMECUM_EMBEDDING": "off"}
    command = [str(Path(sys.executable).with_name("vademecum")), "book", "add", str(book)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode not in {0, 3}:
        raise SystemExit(f"the book cannot be indexed: {done.stderr}")


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description="The web server under load.")
    parser.add_argument(
        "--book", type=Path, required=True, metavar="DIR", help="a book, indexed in a private folder"
    )
    parser.add_argument(
        "--questions", type=Path, required=True, metavar="FILE", help="JSON lines with a question each"
    )
    parser.add_argument("--rate", type=float, default=200.0, help="requests a second (%(default)s)")
    parser.add_argument("--connections", type=int, default=100, help="%(default)s")
    parser.add_argument("--requests", type=int, default=20_000, help="of the paced run (%(default)s)")
    parser.add_argument(
        "--closed-s", type=float, default=20.0, help="seconds of the closed loop (%(default)s)"
    )
    parser.add_argument("--workers", type=int, action="append", help="may be given again; by default 1 and 2")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    asked = parser.parse_args()
    questions = read_questions(asked.questions, LEAST_QUESTIONS)
    results = {}
    with tempfile.TemporaryDirectory(prefix="vademecum-service-") as folder:
        index(asked.book, Path(folder))
        for workers in asked.workers or [1, 2]:
            with serving(Path(folder), workers) as (port, pid):
                results[f"workers {workers}"] = asyncio.run(measured(port, pid, questions, asked))
    if asked.json:
        print(json.dumps({"questions": len(questions), "load": os.getloadavg(), **results}))
        return
    print(f"{len(questions)} different questions, answer cache off, load {os.getloadavg()[0]:.1f}")
    for name, figures in results.items():
        for run, numbers in figures.items():
            print(f"{name:10}  {run:12}  {numbers}")


if __name__ == "__main__":
    main()
