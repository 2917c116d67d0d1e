"""A collection that follows a folder, and documents in other languages."""

import sys

import pytest

from shared import wait_until
from vademecum import Library
from vademecum.desks.book.books import add_book
from vademecum.library.collections import Collections
from vademecum.server import jobs
from vademecum.server.jobs import FolderWatch, Jobs
from vademecum.state.database import SharedTables


@pytest.mark.parametrize("listed_s", [60.0, 0.2])
def test_a_changed_folder_is_indexed_again(tmp_path, monkeypatch, listed_s):
    monkeypatch.setattr(jobs, "LISTED_S", listed_s)
    if listed_s < 1:  # the system reports nothing: the folder is listed
        monkeypatch.setitem(sys.modules, "watchfiles", None)
    (tmp_path / "notes/pump").mkdir(parents=True)
    (tmp_path / "notes/a.md").write_text("The pump is in the hall.")
    collections = Collections(tmp_path / "collections")
    add_book(collections, tmp_path / "notes", name="notes", follows=True)
    watch = FolderWatch(collections, Jobs(SharedTables(tmp_path / "state.sqlite")), tmp_path / "lock")

    def is_indexed():
        (tmp_path / "notes/pump/b.md").write_text("The valve is behind the panel.")
        return len(collections.get("notes").library.documents()) == 2

    watch.start()
    try:
        wait_until(is_indexed)
    finally:
        watch.close()


def test_documents_in_other_languages_are_named(tmp_path):
    (tmp_path / "notes").mkdir()
    german = "Die Pumpe ist in der Halle, und das Ventil ist mit einer Klappe bei der Wand. "
    (tmp_path / "notes/de.md").write_text(german * 5)
    (tmp_path / "notes/ja.txt").write_text(
        "ポンプの圧力は三バールを超えてはいけません。会議は九時から始まります。", "shift-jis"
    )
    (tmp_path / "notes/en.md").write_text("The pump is in the hall. " * 9)
    with Library.open(tmp_path / "library") as library:
        for report in (library.add(tmp_path / "notes"), library.reindex()):
            assert (report.documents, report.problems) == (3, ())
            assert (
                "2 documents seem to be in another language than English: de.md, ja.txt."
                in report.left_out[0]
            )
        assert "de.md: It seems to be in another language" in str(library.health())
        (tmp_path / "notes/en.md").write_text(german * 9)
        found = library.update_source("notes", location=str(tmp_path / "notes"))
        assert (found.language, "is not in English (de)" in str(found.warnings)) == ("de", True)
