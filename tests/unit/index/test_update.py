"""Reindexing several sources: the good ones are published, the failed ones stay as they were."""

import pytest

from vademecum.core.errors import SourceError
from vademecum.index.generations import Generations
from vademecum.index.progress import Progress, Report
from vademecum.index.update import drop, index_sources, writing
from vademecum.testing import MemorySource, document


class Failing(MemorySource):
    """Cannot be listed."""

    def scan(self):
        raise SourceError("It is cut short.", hint="Copy it again.")


class Vanishing(MemorySource):
    """Goes away while it is listed."""

    def scan(self):
        yield from super().scan()
        raise FileNotFoundError(2, "No such file", "page")


def page(name, words="said"):
    return document(
        f"{name}(1)", ("NAME", [f"{name} - a page"]), ("DESCRIPTION", [f"It is {words} of {name}."])
    )


def live(generations):
    return {one.alias: one.documents - len(one.dead) for one in generations.current().segments}


@pytest.fixture
def generations(tmp_path):
    return Generations(tmp_path / "index")


@pytest.mark.parametrize("kind", [Failing, Vanishing])
def test_a_source_that_fails_stays_as_it_was_and_the_others_go_on(generations, kind):
    index_sources(generations, [MemorySource("a", [page("one")]), MemorySource("b", [page("two")])])
    report = index_sources(
        generations, [kind("a", [page("one", "no longer said")]), MemorySource("b", [page("x"), page("y")])]
    )
    assert live(generations) == {"a": 1, "b": 2}
    assert [(one.alias, one.outcome) for one in report.sources] == [("a", "failed"), ("b", "updated")]
    assert (report.problems[0].place, report.problems[0].fault) == ("a", "source-unreadable")
    assert report.problems[0].hint
    assert report.published


def test_when_all_fail_nothing_is_published(generations):
    index_sources(generations, [MemorySource("a", [page("one")])])
    before = generations.current()
    with pytest.raises(SourceError, match="cut short"):
        index_sources(generations, [Failing("a", [])])
    assert generations.current() == before


def test_a_source_is_dropped_at_once(generations):
    with writing(generations):
        assert not drop(generations, "a")
    index_sources(generations, [MemorySource("a", [page("one")]), MemorySource("b", [page("two")])])
    with writing(generations):
        assert drop(generations, "a")
        assert not drop(generations, "a")
    assert live(generations) == {"b": 1}
    assert len(list((generations.folder / "segments").iterdir())) == 1


def test_progress_gives_share_rate_and_time_left():
    nothing = Progress("scan", "a", 0, 0, 0)
    assert (nothing.percent_complete, nothing.rate_mb_s, nothing.left_s) == (None, None, None)
    half = Progress("build", "a", 50, 100, 4_000_000, spent_s=2.0)
    assert (half.percent_complete, half.rate_mb_s, half.left_s) == (50.0, 2.0, 2.0)
    check = Progress("check", "a", 0, 0, 250, spent_s=1.0, total_bytes=1000)
    assert (check.percent_complete, check.left_s) == (25.0, 3.0)
    assert half.to_dict()["state"] == "running"


def test_a_report_survives_as_data(generations):
    report = index_sources(generations, [Failing("a", []), MemorySource("b", [page("two")])])
    assert report.sources
    assert report.problems
    assert Report.from_dict(report.to_dict()) == report
