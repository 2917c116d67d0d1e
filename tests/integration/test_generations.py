"""Generations: what an index says depends on its documents alone, and whoever reads it is never in the way."""

# ruff: noqa: S311 - chance is seeded, so that a failure comes again

import random
import subprocess
import sys

import pytest

from vademecum.core.documents import Problem
from vademecum.core.errors import IndexLocked, IndexMissing
from vademecum.core.passages import SparseVector
from vademecum.index.generations import Generations
from vademecum.index.reader.current import open_index
from vademecum.index.update import index_sources
from vademecum.testing import MemorySource, document
from vademecum.text.words import number

SEEDS = range(3)


def shape(generations):
    segments = generations.current().segments
    return [(segment.documents - len(segment.dead), len(segment.dead)) for segment in segments]


def history(seed, make_page):
    """Sources of a library, one state after another; the last two changes are small."""
    chance = random.Random(seed)
    state = {"a": dict.fromkeys(range(60), 0), "b": dict.fromkeys(range(60, 75), 0)}
    states = [state]
    for step in range(2 + seed % 4):
        state = {alias: dict(pages) for alias, pages in state.items()}
        most = 25 if step < seed % 3 else 2
        for _ in range(chance.randint(1, most)):
            pages = state[chance.choice("aaab")]
            action, one = chance.choice(["add", "change", "change", "delete"]), chance.choice(sorted(pages))
            if action == "add":
                pages[max(max(of) for of in state.values()) + 1] = 0
            elif action == "change":
                pages[one] += 1
            elif len(pages) > 5:
                del pages[one]
        states.append(state)
    for _ in range(2):
        state = {alias: {**pages, min(pages): pages[min(pages)] + 1} for alias, pages in state.items()}
        states.append(state)
    return [
        [MemorySource(alias, [make_page(n, v) for n, v in chance.sample(sorted(pages.items()), len(pages))])
         for alias, pages in sorted(of.items())]
        for of in states
    ]  # fmt: skip


@pytest.mark.parametrize("seed", SEEDS)
def test_after_any_history_an_index_is_as_if_built_from_nothing(folder, make_page, open_said, seed):
    lived, fresh = Generations(folder / "lived"), Generations(folder / "fresh")
    compared = 0
    for sources in history(seed, make_page):
        report = index_sources(lived, sources)
        assert report.documents == sum(len(source.documents) for source in sources)
        if len(shape(lived)) > 2 and any(dead for _, dead in shape(lived)):
            compared += 1
            index_sources(fresh, sources, full=True)
            before, after = open_said(fresh), open_said(lived)
            assert before.keys() == after.keys()
            for what, wanted in before.items():
                assert after[what] == wanted, what
    assert compared, "some state must have been in several segments, with dead documents"


TEXT = "everybody quotes this very paragraph"


def sharing(*numbers):
    return [document(f"q{n}(1)", ("", [TEXT]), ("OWN", [f"only{n} here"])) for n in numbers]


def quoted(generations):
    index = open_index(generations)
    query = SparseVector([number("quot")], [1.0])
    found = index.passages(query, 50)
    return sorted(index.page(place).reference for place, _ in found)


@pytest.mark.parametrize(
    "steps", [[range(4)], [[0], [0, 1], [0, 1, 2], [0, 1, 2, 3]], [[0, 1], [0, 1, 2, 3]]]
)
def test_a_text_of_more_than_three_documents_is_left_out_wherever_they_are(generations, steps):
    filler = [document(f"f{n}(1)", ("", [f"filler {n}"])) for n in range(40)]
    for numbers in steps:
        index_sources(generations, [MemorySource("a", [*filler, *sharing(*numbers)])])
    assert len(shape(generations)) == len(steps)
    assert quoted(generations) == []


@pytest.mark.parametrize("first", [range(3), range(4), range(5)])
def test_only_live_documents_count(generations, first):
    filler = [document(f"f{n}(1)", ("", [f"filler {n}"])) for n in range(40)]
    for numbers in (first, range(3)):
        index_sources(generations, [MemorySource("a", [*filler, *sharing(*numbers)])])
    assert quoted(generations) == ["q0(1)", "q1(1)", "q2(1)"]


def test_documents_count_not_how_often_each_says_it(generations):
    often = document(
        "q(1)", *((f"H{n}", ["filler"]) for n in range(3)), ("", [TEXT] * 6), ("OPTIONS", [("-a", TEXT)])
    )
    index_sources(generations, [MemorySource("a", [often, *sharing(0)])])
    assert set(quoted(generations)) == {"q(1)", "q0(1)"}


def test_sources_share_texts_too(generations):
    index_sources(generations, [MemorySource("a", sharing(0, 1)), MemorySource("b", sharing(2, 3))])
    assert quoted(generations) == []


def test_ties_at_the_limit_go_by_document(generations, make_page):
    pages = [document(f"t{n}(1)", ("", ["one identical thing"])) for n in range(30)]
    for end in (10, 20, 30):
        index_sources(generations, [MemorySource("a", [*(make_page(n) for n in range(60)), *pages[:end]])])
    assert len(shape(generations)) == 3
    index = open_index(generations)
    query = SparseVector([number("ident")], [1.0])
    first = [index.page(place).reference for place, _ in index.pages(query, 7)]
    wanted = sorted(pages, key=lambda page: page.digest())[:7]
    assert first == [page.reference for page in wanted]


def reads(log):
    found = log.read_text().splitlines() if log.exists() else []
    log.unlink(missing_ok=True)
    return found


def test_unchanged_documents_are_not_read_again(generations, make_page, tmp_path):
    pages, log = [make_page(n) for n in range(40)], tmp_path / "log"
    assert index_sources(generations, [MemorySource("a", pages, log=log)]).added == len(reads(log)) == 40
    again = index_sources(generations, [MemorySource("a", pages, log=log)])
    assert (again.unchanged, again.published, reads(log)) == (40, False, [])
    pages[3] = make_page(3, 1)
    report = index_sources(generations, [MemorySource("a", [*pages, make_page(40)], log=log)])
    assert (report.changed, report.added, report.unchanged) == (1, 1, 39)
    assert reads(log) == ["'p3(1)'", "'p40(1)'"]


def test_compaction_reads_nothing_again(generations, make_page, tmp_path):
    log = tmp_path / "log"
    index_sources(generations, [MemorySource("a", [make_page(n) for n in range(40)], log=log)])
    reads(log)
    report = index_sources(generations, [MemorySource("a", [make_page(n) for n in range(30)], log=log)])
    assert (report.removed, report.unchanged, reads(log)) == (10, 30, [])
    assert shape(generations) == [(30, 0)]


def test_another_parser_reads_everything_anew(generations, make_page, tmp_path):
    pages, log = [make_page(n) for n in range(10)], tmp_path / "log"
    index_sources(generations, [MemorySource("a", pages)])
    report = index_sources(generations, [MemorySource("a", pages, parser="memory-2", log=log)])
    assert (report.changed, report.unchanged, len(reads(log))) == (10, 0, 10)
    assert shape(generations) == [(10, 0)]


def test_full_reads_everything_anew(generations, make_page, tmp_path, open_said):
    source = MemorySource("a", [make_page(n) for n in range(10)], log=tmp_path / "log")
    index_sources(generations, [source])
    before = open_said(generations)
    reads(source.log)
    assert index_sources(generations, [source], full=True).published
    assert len(reads(source.log)) == 10
    assert open_said(generations) == before


@pytest.mark.parametrize(("deleted", "segments"), [(4, [(36, 4)]), (5, [(35, 0)])])
def test_past_a_tenth_dead_a_source_is_compacted(generations, make_page, deleted, segments):
    index_sources(generations, [MemorySource("a", [make_page(n) for n in range(40)])])
    index_sources(generations, [MemorySource("a", [make_page(n) for n in range(deleted, 40)])])
    assert shape(generations) == segments


def test_past_four_segments_a_source_is_compacted(generations, make_page):
    seen = []
    for end in range(1, 7):
        index_sources(generations, [MemorySource("a", [make_page(n) for n in range(end)])])
        seen.append(len(shape(generations)))
    assert seen == [1, 2, 3, 4, 1, 2]


def test_two_processes_build_what_one_builds(folder, make_page, open_said):
    pages = [make_page(n) for n in range(700)]
    one, two = Generations(folder / "one"), Generations(folder / "two")
    for end in (350, 700):
        index_sources(one, [MemorySource("a", pages[:end])])
    index_sources(two, [MemorySource("a", pages)])
    assert sorted(shape(two)) != [(700, 0)]
    assert sum(live for live, _ in shape(two)) == 700
    assert open_said(one) == open_said(two)


def test_a_large_source_gets_segments_of_a_size_which_are_left_as_they_are(
    folder, make_page, open_said, monkeypatch
):
    pages = [make_page(n) for n in range(1100)]
    one, many = Generations(folder / "one"), Generations(folder / "many")
    index_sources(one, [MemorySource("a", pages[:550])])
    index_sources(one, [MemorySource("a", pages)])
    monkeypatch.setattr("vademecum.index.build.SEGMENT_BYTES", 1)
    monkeypatch.setattr("vademecum.index.workers._WORTH_TWO", 2000)
    index_sources(many, [MemorySource("a", pages)])
    assert shape(many) == [(200, 0)] * 5 + [(100, 0)]
    assert open_said(one) == open_said(many)
    monkeypatch.setattr("vademecum.index.plan.SEGMENT_BYTES", 1)
    index_sources(many, [MemorySource("a", pages[1:])])
    assert sorted(shape(many)) == sorted([(199, 1), *[(200, 0)] * 4, (100, 0)])


def test_two_processes_make_as_many_segments_as_are_needed(generations, make_page, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (tmp_path / "sitecustomize.py").write_text("import vademecum.index.build as b; b.SEGMENT_BYTES = 1")
    index_sources(generations, [MemorySource("a", [make_page(n) for n in range(900)])])
    assert sorted(shape(generations)) == [(100, 0), *[(200, 0)] * 4]


def test_a_document_that_can_not_be_read_is_named_and_left_alone_until_it_changes(
    generations, make_page, tmp_path
):
    bad, log = Problem(place="bad", fault="odd", message="It is odd.", hint="Mend it."), tmp_path / "log"
    for _ in range(2):
        report = index_sources(generations, [MemorySource("a", [bad, make_page(1)], log=log)])
        assert report.problems == (bad,)
        assert report.documents == 1
    assert reads(log) == ["'bad'", "'p1(1)'"]
    worse = Problem(place="bad", fault="odd", message="It is odder.")
    assert index_sources(generations, [MemorySource("a", [worse, make_page(1)], log=log)]).problems == (
        worse,
    )
    assert reads(log) == ["'bad'"]
    report = index_sources(
        generations, [MemorySource("a", [document("good(1)", ("", ["mended"]), key="bad"), make_page(1)])]
    )
    assert (report.problems, report.documents) == ((), 2)


def test_a_document_that_is_no_text_is_a_problem_and_the_rest_goes_on(generations, make_page):
    report = index_sources(
        generations, [MemorySource("a", [document("bad(1)", ("", ["caf\udce9"])), make_page(1)])]
    )
    assert [problem.place for problem in report.problems] == ["bad(1)"]
    assert report.documents == 1


def test_a_source_that_is_no_longer_given_is_dropped(generations, make_page, open_said):
    sources = [MemorySource("a", [make_page(n) for n in range(5)]), MemorySource("b", [make_page(9)])]
    index_sources(generations, sources[:1])
    alone = open_said(generations)
    index_sources(generations, sources)
    assert open_said(generations) != alone
    index_sources(generations, sources[:1])
    assert open_said(generations) == alone


def test_an_index_of_nothing_finds_nothing(generations):
    index_sources(generations, [MemorySource("a", [])])
    index = open_index(generations)
    query = SparseVector([1], [1.0])
    assert (index.pages(query, 5), index.passages(query, 5), index.named("x"), index.windows()) == (
        [],
        [],
        [],
        0,
    )


def test_no_index_is_said(generations):
    with pytest.raises(IndexMissing) as caught:
        open_index(generations)
    assert "reindex" in caught.value.hint


def test_a_reader_goes_on_with_the_generation_it_opened(generations, make_page, open_said, all_said):
    index_sources(generations, [MemorySource("a", [make_page(n) for n in range(40)])])
    index = open_index(generations)
    before = all_said(index)
    (segment,) = generations.current().segments
    for version in (1, 2):
        index_sources(generations, [MemorySource("a", [make_page(n, version) for n in range(40)])])
    assert not generations.segment(segment.name).exists()
    assert not generations.generation(1).exists()
    assert all_said(index) == before != open_said(generations)


HOLD = """
import sys
from pathlib import Path
from vademecum.index.generations import Generations
with Generations(Path(sys.argv[1])).writing():
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_second_writer_is_refused_at_once_and_a_reader_is_not(generations, make_page, open_said):
    source = MemorySource("a", [make_page(n) for n in range(10)])
    index_sources(generations, [source])
    before = open_said(generations)
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, generations.folder],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(IndexLocked) as caught:
            index_sources(generations, [source], full=True)
        assert caught.value.hint
        assert open_said(generations) == before
    finally:
        holder.kill()
        holder.communicate()
    assert index_sources(generations, [source], full=True).published, "a killed holder loses the lock"


def test_nothing_is_swept_away_while_it_is_being_opened(generations, make_page):
    pages = [make_page(n) for n in range(10)]
    index_sources(generations, [MemorySource("a", pages)])
    kept = {generations.segment(one.name) for one in generations.current().segments}
    with generations.opening():
        index_sources(generations, [MemorySource("a", [make_page(n, 1) for n in range(10)])])
        assert generations.sweep(generations.current()) == 0
        assert all((one / "vectors/line.bin").exists() for one in kept)
    assert generations.sweep(generations.current()) > 0
    assert not any(one.exists() for one in kept)
    assert len(list((generations.folder / "segments").iterdir())) == len(generations.current().segments)


READ = """
import sys
from pathlib import Path
from vademecum.ask.rating import search
from vademecum.ask.kinds import Corpus
from vademecum.index.generations import Generations
from vademecum.index.reader.current import open_index
generations, opened, seen = Generations(Path(sys.argv[1])), 0, set()
while not Path(sys.argv[2]).exists():
    index = open_index(generations)
    assert len(search("file mode socket", [Corpus(index, 0.35)], 5)) == 5
    opened += 1
    seen.add(index.manifest.number)
print(opened, len(seen))
"""


def test_readers_never_fail_while_generations_follow_each_other(generations, make_page, tmp_path):
    pages, stop = [make_page(n) for n in range(20)], tmp_path / "stop"
    index_sources(generations, [MemorySource("a", pages)])
    command = [sys.executable, "-c", READ, generations.folder, stop]
    reader = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        for version in range(1, 51):
            pages[version % 20] = make_page(version % 20, version)
            assert index_sources(generations, [MemorySource("a", pages)]).published
    finally:
        stop.touch()
        out, err = reader.communicate()
    assert reader.returncode == 0, err
    opened, seen = map(int, out.split())
    assert opened >= seen > 3


def test_the_best_live_page_is_found_behind_dead_ones_of_several_segments(generations):
    def page(name, text):
        return document(f"{name}(1)", ("DESCRIPTION", [text]), summary="a page")

    def source(alias, heavy):
        others = [page(f"{alias}-other{n}", "Granite and marble.") for n in range(60)]
        return MemorySource(
            alias,
            [
                *(page(f"{alias}-heavy{n}", "Quartz quartz." if heavy else "Slate.") for n in range(5)),
                *others,
            ],
        )

    last = MemorySource(
        "c", [page("last", "Much about other stones, and in the end a word on quartz as well.")]
    )
    index_sources(generations, [source("a", heavy=True), source("b", heavy=True), last])
    index_sources(generations, [source("a", heavy=False), source("b", heavy=False), last])
    assert [dead for _, dead in shape(generations)] == [5, 5, 0, 0, 0]
    index = open_index(generations)
    asked = SparseVector([number("quartz")], [1.0])
    (found,) = index.pages(asked, 1)
    assert index.page(found[0]).reference == "last(1)"
    ((place, _),) = index.passages(asked, 1)
    assert index.page(place).reference == "last(1)"
