"""Prometheus metrics: counts and durations of requests and answers. Labels never contain text from questions."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)

from vademecum.state.history import OUTCOMES, History

MEDIA = CONTENT_TYPE_LATEST
SHARED = "PROMETHEUS_MULTIPROC_DIR"
"""The environment variable with the folder in which several workers share metrics."""

_ROOM_BYTES = 1 << 20
"""The initial size of each file that the library maps. Our files never grow beyond it."""

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


def make_room(folder: Path) -> None:
    """Allocate the metrics files of this worker. The library's sparse files would end the process on a full disk."""
    for kind in ("counter", "histogram", "gauge_livesum"):
        with (folder / f"{kind}_{os.getpid()}.db").open("ab") as file:
            file.write(bytes(_ROOM_BYTES - file.tell()))


def forget(pid: int) -> None:
    """Remove the open streams of a worker that has ended from the metrics."""
    from prometheus_client.multiprocess import mark_process_dead  # noqa: PLC0415 - only with several workers

    mark_process_dead(pid)  # type: ignore[no-untyped-call]


class Metrics:
    """The metrics of one process, or of all workers together."""

    def __init__(self, history: History | None = None) -> None:
        self._history = history
        self._registry = CollectorRegistry()
        here = self._registry
        self._requests = Counter(
            "vademecum_requests",
            "Requests by route and status.",
            ["method", "route", "status"],
            registry=here,
        )
        self._request_s = Histogram(
            "vademecum_request_seconds", "Time of a request.", ["route"], buckets=_SECONDS, registry=here
        )
        self._answers = Counter(
            "vademecum_answers",
            "Answers by desk, rule, outcome and provider.",
            ["desk", "rule", "outcome", "provider"],
            registry=here,
        )
        self._answer_s = Histogram(
            "vademecum_answer_seconds", "Time of an answer.", ["desk"], buckets=_SECONDS, registry=here
        )
        self._retrieval_s = Histogram(
            "vademecum_retrieval_seconds", "Time of a look-up.", ["desk"], buckets=_SECONDS, registry=here
        )
        self._open_streams = Gauge(
            "vademecum_open_streams", "Streams under way.", registry=here, multiprocess_mode="livesum"
        )

    def requested(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        self._requests.labels(method, route, str(status)).inc()
        self._request_s.labels(route).observe(seconds)

    def answered(
        self, desk: str, *, outcome: str, seconds: float, rule: str = "", provider: str = ""
    ) -> None:
        """Count an answer."""
        self._answers.labels(desk, rule, outcome, provider).inc()
        self._answer_s.labels(desk).observe(seconds)
        if self._history and outcome in OUTCOMES:
            self._history.answered(outcome, seconds)

    def retrieved(self, desk: str, seconds: float) -> None:
        """Count a retrieval."""
        self._retrieval_s.labels(desk).observe(seconds)

    @contextmanager
    def streaming(self) -> Iterator[None]:
        """Count a stream while it is open."""
        self._open_streams.inc()
        try:
            yield
        finally:
            self._open_streams.dec()

    def render(self) -> bytes:
        """Return all metrics in the Prometheus format; those of all workers if there are several."""
        if not os.environ.get(SHARED):
            return generate_latest(self._registry)
        from prometheus_client.multiprocess import MultiProcessCollector  # noqa: PLC0415 - only with several workers

        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry)


class Stopwatch:
    """A stopwatch that starts when it is created."""

    def __init__(self) -> None:
        self._began_s = time.perf_counter()

    @property
    def seconds(self) -> float:
        """The elapsed time, in seconds."""
        return time.perf_counter() - self._began_s
