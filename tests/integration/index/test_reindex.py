"""Reindexing by the catalog: what is noted of each source, in the index and in the catalog alike."""

import json
import os
import shutil
from pathlib import Path

import pytest

from vademecum import Places
from vademecum.core.errors import IndexCorrupt, SourceError
from vademecum.index.catalog.catalog import CatalogEntry
from vademecum.index.generations import Generations
from vademecum.library.internal import InternalLibrary
from vademecum.retrieval.methods import METHODS

DATA = Path(__file__).parents[2] / "data"


@pytest.fixture
def library(tmp_path):
    library = InternalLibrary.open(Places(tmp_path / "data", tmp_path / "config"))
    for entry in library.sources():
        library.remove_source(entry.alias)
    return library


@pytest.fixture
def notes(tmp_path):
    return make_notes(tmp_path / "notes", 3)


def make_notes(folder, count):
    folder.mkdir(parents=True)
    for number in range(count):
        (folder / f"n{number}.md").write_text(
            f"# Note {number}\n\nA walrus of number {number} is said to sleep.\n"
        )
    return folder


def manifest(library):
    return Generations(library.places.index_folder).current()


def at_build(do):
    done = []

    def on_progress(progress):
        if progress.stage == "build" and not done:
            done.append(progress)
            do()

    return on_progress


def test_the_index_carries_the_catalog_it_was_made_of(library, notes, tmp_path):
    library.add(notes)
    library.add(make_notes(tmp_path / "other", 2))
    library.add_source(make_notes(tmp_path / "third", 1))
    found = manifest(library)
    assert found.sources == tuple(library.sources()[:2])
    assert [(one.alias, one.documents, one.status) for one in found.sources] == [
        ("notes", 3, "active"),
        ("other", 2, "active"),
    ]
    assert library.reindex().version == manifest(library).version != found.version


def test_what_did_not_change_is_passed_over(library, notes, tmp_path):
    library.add(notes)
    library.add_source(make_notes(tmp_path / "other", 2))
    report = library.reindex()
    assert [(one.alias, one.outcome) for one in report.sources] == [
        ("notes", "unchanged"),
        ("other", "updated"),
    ]
    (notes / "n9.md").write_text("# Nine\n\nA ninth walrus.\n")
    report = library.reindex()
    assert [(one.alias, one.outcome) for one in report.sources] == [
        ("notes", "updated"),
        ("other", "unchanged"),
    ]
    assert (report.added, report.unchanged, report.documents) == (1, 5, 6)
    report = library.reindex(full=True)
    assert {one.outcome for one in report.sources} == {"updated"}


def test_problems_are_named_again_when_nothing_changed(library, notes):
    (notes / "broken.pdf").write_bytes(b"%PDF-1.7 and no more")
    first = library.add(notes)
    assert first.problems
    again = library.reindex()
    assert [one.outcome for one in again.sources] == ["unchanged"]
    assert [one.place for one in again.problems] == [one.place for one in first.problems]


def test_a_folder_that_goes_while_it_is_read_does_no_harm(library, notes, tmp_path):
    library.add(make_notes(tmp_path / "other", 2))
    library.add_source(notes)
    report = library.reindex(on_progress=at_build(lambda: notes.rename(tmp_path / "away")))
    assert report.problems
    assert report.documents == 2
    assert library.stale()
    with pytest.raises(SourceError):
        library.reindex(sources=["notes"])
    assert library.source("notes").status == "error"
    (tmp_path / "away").rename(notes)
    assert library.reindex().documents == 5
    assert library.source("notes").status == "active"


def test_an_archive_that_is_replaced_while_it_is_read_is_read_again(library, tmp_path):
    place = tmp_path / "handbook.zim"
    shutil.copy(DATA / "zim/handbook.zim", place)
    library.add_source(place)

    def replace():
        (tmp_path / "new").write_bytes(b"something else")
        (tmp_path / "new").replace(place)

    try:
        library.reindex(on_progress=at_build(replace))
    except SourceError:
        assert library.source("handbook").status == "error"
    else:
        assert library.stale()
    shutil.copy(DATA / "zim/handbook.zim", place)
    assert library.reindex().documents > 0
    assert library.source("handbook").status == "active"
    assert library.stale() == ()


def test_a_source_that_is_removed_while_it_is_read_by_another_is_not_noted_again(library, notes, tmp_path):
    library.add(make_notes(tmp_path / "other", 2))
    library.add_source(notes)
    other = InternalLibrary.open(library.places)
    library.reindex(on_progress=at_build(lambda: other.update_source("notes", notes="mine", language="de")))
    entry = library.source("notes")
    assert (entry.status, entry.language, entry.notes) == ("pending", "de", "mine")
    library.reindex()
    assert library.source("notes").status == "active"


def test_a_source_that_fails_under_old_rules_does_not_keep_the_index_from_answering(
    library, notes, tmp_path, monkeypatch
):
    library.add(notes)
    library.add(make_notes(tmp_path / "other", 2))
    older = METHODS["documents"]._replace(rules="passages-0 words-0 meaning-0 needs-0 documents-0")
    monkeypatch.setitem(METHODS, "documents", older)
    notes.rename(tmp_path / "away")
    report = InternalLibrary.open(library.places).reindex()
    assert report.documents == 2
    assert {hit.alias for hit in InternalLibrary.open(library.places).search("walrus")} == {"other"}
    entry = library.source("notes")
    assert (entry.status, entry.documents) == ("error", 0)


def test_quarantined_by_what_was_read_it_is_not_tried_again(library, tmp_path):
    place = tmp_path / "handbook.zim"
    data = (DATA / "zim/handbook.zim").read_bytes()
    place.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    assert library.add_source(place).status == "error"
    library.add_source(make_notes(tmp_path / "notes", 1))
    stages = []
    report = library.reindex(on_progress=lambda progress: stages.append((progress.alias, progress.stage)))
    assert [(one.alias, one.outcome) for one in report.sources] == [
        ("handbook", "quarantined"),
        ("notes", "updated"),
    ]
    assert "handbook" not in {alias for alias, _ in stages}
    library.reindex(sources=["notes"])
    with pytest.raises(SourceError):
        library.reindex(sources=["handbook"], on_progress=lambda one: stages.append((one.alias, one.stage)))
    assert ("handbook", "check") in stages
    os.utime(place, ns=(1, 1))
    report = library.reindex()
    assert [one.outcome for one in report.sources] == ["failed", "unchanged"]


def test_a_default_source_that_is_not_there_is_waited_for(notes, tmp_path, monkeypatch):
    seeds = (CatalogEntry("info-pages", "info", str(tmp_path / "info")),)
    monkeypatch.setattr("vademecum.index.catalog.catalog.DEFAULT", seeds)
    monkeypatch.setattr("vademecum.index.results.DEFAULT", seeds)
    monkeypatch.setattr("vademecum.library.setup.DEFAULT", seeds)
    library = InternalLibrary.open(Places(tmp_path / "data", tmp_path / "config"))
    library.prepare()
    (entry,) = library.sources()
    assert entry.status == "pending"
    assert "There is no folder" in entry.notes
    with pytest.raises(SourceError, match="there is no folder"):
        library.reindex()
    library.add_source(notes)
    for _ in range(2):
        report = library.reindex()
        assert [(one.place, one.fault) for one in report.problems] == [("info-pages", "source-unreadable")]
        assert [entry.status for entry in library.sources()] == ["pending", "active"]
        assert "there is no folder" in library.sources()[0].notes
        assert library.stale() == ()
    assert not any(library.prepare().values())
    (tmp_path / "info").mkdir()
    shutil.copy(DATA / "info/sample.info", tmp_path / "info")
    assert library.reindex().problems == ()
    entry = library.source("info-pages")
    assert (entry.status, entry.notes) == ("active", "")


# --- a catalog that is lost -------------------------------------------------------------------------------------------


@pytest.fixture
def lost(library, notes, tmp_path):
    """A library of two sources whose catalog was deleted."""
    library.add(notes)
    library.add(make_notes(tmp_path / "other", 2))
    library.places.catalog_file.unlink()
    return InternalLibrary.open(library.places)


@pytest.mark.parametrize(
    "change",
    [
        lambda library, place: library.add_source(place),
        lambda library, _: library.update_source("notes", notes="mine"),
        lambda library, _: library.remove_source("other"),
        lambda library, _: library.prepare(),
    ],
    ids=["add", "update", "remove", "prepare"],
)
def test_no_command_begins_anew_where_the_index_knows_the_sources(lost, tmp_path, change):
    change(lost, make_notes(tmp_path / "third", 1))
    aliases = [entry.alias for entry in lost.sources()]
    assert aliases[:1] == ["notes"]
    report = lost.reindex()
    assert report.removed == 0
    assert report.documents == 3 + 2 * ("other" in aliases) + ("third" in aliases)
    assert {hit.alias for hit in lost.search("walrus")} == set(aliases)


def test_a_lost_catalog_is_read_from_the_index(lost):
    assert [entry.alias for entry in lost.sources()] == ["notes", "other"]
    assert not lost.places.catalog_file.exists()
    assert lost.ask("walrus", sources=["other"]).question
    assert lost.stale() == ()


def test_a_dry_run_says_what_a_reindex_does_without_a_catalog(lost):
    foreseen = lost.reindex(dry_run=True)
    assert not lost.places.catalog_file.exists()
    done = lost.reindex()
    assert foreseen.sources == done.sources
    assert [(one.alias, one.outcome) for one in done.sources] == [
        ("notes", "unchanged"),
        ("other", "unchanged"),
    ]
    assert foreseen.recovered == done.recovered != ()


def test_a_dry_run_says_what_a_reindex_does_after_a_power_cut(library, notes):
    library.add(notes)
    before = library.places.catalog_file.read_bytes()
    (notes / "n9.md").write_text("# Nine\n\nA ninth walrus.\n")
    library.reindex()
    library.places.catalog_file.write_bytes(before)
    foreseen = library.reindex(dry_run=True)
    assert library.places.catalog_file.read_bytes() == before
    done = library.reindex()
    assert foreseen.sources == done.sources
    assert foreseen.recovered == done.recovered != ()


def test_documents_of_sources_that_are_dropped_are_counted(library, notes, tmp_path):
    library.add(notes)
    library.add(make_notes(tmp_path / "other", 2))
    place = library.places.catalog_file
    data = json.loads(place.read_text())
    del data["sources"][0]  # by hand, so nothing else knows
    place.write_text(json.dumps(data))
    foreseen = library.reindex(dry_run=True)
    done = library.reindex()
    assert (done.documents, done.removed, done.unchanged) == (2, 3, 2)
    assert (foreseen.removed, foreseen.sources) == (done.removed, done.sources)


def test_documents_that_go_with_old_rules_are_counted(library, notes, tmp_path, monkeypatch):
    library.add(notes)
    library.add(make_notes(tmp_path / "other", 2))
    older = METHODS["documents"]._replace(rules="passages-0 words-0 meaning-0 needs-0 documents-0")
    monkeypatch.setitem(METHODS, "documents", older)
    notes.rename(tmp_path / "away")
    foreseen = library.reindex(dry_run=True)
    report = library.reindex()
    assert [(one.alias, one.outcome, one.removed) for one in report.sources] == [
        ("notes", "failed", 3),
        ("other", "updated", 0),
    ]
    assert (report.removed, len(report.problems)) == (3, 1)
    assert [one.removed for one in foreseen.sources] == [3, 0]


# --- an index that is damaged -----------------------------------------------------------------------------------------


def segments_of(library, alias):
    names = [one.name for one in manifest(library).segments if one.alias == alias]
    assert names
    return [library.places.index_folder / "segments" / name for name in names]


@pytest.mark.parametrize("harm", [shutil.rmtree, lambda place: os.truncate(place / "flat/texts.bin", 1)])
@pytest.mark.parametrize("named", [None, ["notes"], ["other"]])
def test_a_segment_that_is_gone_is_not_passed_over(library, notes, tmp_path, harm, named):
    library.add(notes)
    library.add(make_notes(tmp_path / "other", 2))
    for place in segments_of(library, "other"):
        harm(place)
    for dry_run in (True, False):
        with pytest.raises(IndexCorrupt) as caught:
            library.reindex(sources=named, dry_run=dry_run)
        assert "ragadmin reindex --full" in caught.value.hint


def test_what_is_left_of_a_damaged_index_is_built_on(library, notes, tmp_path):
    library.add(notes)
    library.add(make_notes(tmp_path / "other", 2))
    shutil.rmtree(segments_of(library, "other")[0])
    notes.rename(tmp_path / "away")
    report = library.reindex(full=True)
    assert (report.documents, library.source("notes").status) == (5, "error")
    assert {hit.alias for hit in library.search("walrus")} == {"notes", "other"}


def test_a_lost_catalog_is_taken_from_a_damaged_index_too(lost):
    shutil.rmtree(segments_of(lost, "other")[0])
    with pytest.raises(IndexCorrupt):
        lost.reindex()
    foreseen = lost.reindex(full=True, dry_run=True)
    report = lost.reindex(full=True)
    assert (
        [one.alias for one in foreseen.sources]
        == [entry.alias for entry in lost.sources()]
        == ["notes", "other"]
    )
    assert (report.documents, report.removed) == (5, 0)


def test_one_that_was_damaged_and_not_looked_at_is_read_by_the_next_reindex(library, notes, tmp_path):
    library.add(notes)
    library.add(make_notes(tmp_path / "other", 2))
    shutil.rmtree(segments_of(library, "other")[0])
    assert library.reindex(full=True, sources=["notes"]).documents == 3
    assert library.source("other").status == "pending"
    assert library.reindex().documents == 5


def test_a_source_can_be_removed_beside_a_damaged_one(library, notes, tmp_path):
    library.add(notes)
    library.add(make_notes(tmp_path / "other", 2))
    shutil.rmtree(segments_of(library, "other")[0])
    library.remove_source("notes")
    with pytest.raises(IndexCorrupt):
        library.search("walrus")
    assert library.reindex(full=True).documents == 2
    assert {hit.alias for hit in library.search("walrus")} == {"other"}


# --- what is private --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "first",
    [
        lambda library, _: library.remove_source("man-pages"),
        lambda library, place: library.add_source(place),
        lambda library, _: library.prepare(),
        lambda library, _: Generations(library.places.index_folder).writing().__enter__(),
    ],
    ids=["remove", "add", "prepare", "reindex"],
)
def test_folders_are_nobody_elses_business(notes, tmp_path, first):
    data = tmp_path / "deep/data"
    before = os.umask(0o022)
    try:
        first(InternalLibrary.open(Places(data, tmp_path / "config")), notes)
    finally:
        os.umask(before)
    made = [place for place in (data, *data.glob("*"), *data.glob("index/*")) if place.is_dir()]
    assert made
    assert {place.stat().st_mode & 0o777 for place in made} == {0o700}
