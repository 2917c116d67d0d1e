"""Freshness: told from a few `stat` calls, for every type of source."""

import os

import pytest

from vademecum.index.catalog.catalog import CatalogEntry
from vademecum.index.catalog.changes import changed, look


def held(kind, place):
    entry = CatalogEntry("a", kind, str(place), status="active", recipe="r", documents=1)
    return entry._replace(seen=look(entry))


@pytest.fixture
def tree(tmp_path):
    for name in ("man1", "pages/common", "deep/deeper", ".hidden"):
        (tmp_path / "t" / name).mkdir(parents=True)
    return tmp_path / "t"


def test_watches_folders_that_matter(tree):
    assert set(look(CatalogEntry("a", "man", str(tree)))) == {"", "man1"}
    docs = set(look(CatalogEntry("a", "docs", str(tree))))
    assert docs == {"", "man1", "pages", "pages/common", "deep", "deep/deeper"}
    assert look(CatalogEntry("a", "docs", str(tree / "gone"))) == {}


@pytest.mark.parametrize("kind", ["info", "tldr", "docs"])
def test_a_new_file_is_noticed(tree, kind):
    entry = held(kind, tree)
    assert changed([entry]) == []
    (tree / "pages/common/new.md").touch()
    os.utime(tree / "pages/common", ns=(1, 1))
    (change,) = changed([entry])
    assert change.said.startswith("a ")
    assert "ragadmin reindex" in change.advice


def test_a_replaced_archive_is_noticed(tmp_path):
    place = tmp_path / "a.zim"
    place.write_bytes(b"1")
    entry = held("kiwix", place)
    assert changed([entry]) == []
    state = place.stat()
    place.write_bytes(b"22")
    os.utime(place, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert "changed" in changed([entry])[0].said
    place.unlink()
    for status in ("active", "error"):
        (change,) = changed([entry._replace(status=status)])
        assert "read" in change.said
        assert str(place) in change.remedy
        assert "ragadmin sources remove a" in change.remedy
        assert change.advice == change.remedy


def test_reports_pending_and_failed_sources(tree):
    entry = held("docs", tree)
    assert "updated" in changed([entry._replace(status="pending")])[0].said
    (change,) = changed([entry._replace(status="error")])
    assert "ragadmin health" in change.advice
    assert changed([entry._replace(recipe="", status="error"), entry._replace(seen=None)]) == []


def test_few_of_many_folders_are_watched_and_nothing_is_walked_to_ask(tmp_path):
    for number in range(300):
        (tmp_path / f"{number}/below").mkdir(parents=True)
    entry = held("docs", tmp_path)
    assert 2 <= len(entry.seen) <= 65
    assert changed([entry]) == []
