"""Adding books: what makes a site of them, what is left out, and what a failure leaves behind."""

import os

import pytest

from vademecum.core.errors import CollectionExists, CollectionMissing, ConfigError, SourceError
from vademecum.desks.book.books import add_book, named_by, remove_book, site_of, sync_book
from vademecum.library.collections import Collections
from vademecum.library.uploads.uploads import Uploads


@pytest.fixture
def collections(tmp_path):
    return Collections(tmp_path / "collections")


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "My Book"
    (place / "guide").mkdir(parents=True)
    (place / "guide" / "start.md").write_text("# Start\n\nTurn the red key twice to start the engine.\n")
    (place / "README.md").write_text("# About\n\nThis book is about engines with keys.\n")
    return place


def urls(book, question="turn the key to start the engine"):
    return {hit.reference: hit.url for hit in book.library.passages(question)}


def test_a_folder_becomes_a_book(collections, folder):
    book, report = add_book(collections, folder)
    assert (book.name, book.kind, report.documents) == ("my-book", "book", 2)
    assert urls(book) == {"guide/start.md": "/docs/guide/start#start", "README.md": "/docs/#about"}


@pytest.mark.parametrize(
    ("mark", "url"),
    [
        ("docusaurus.config.js", "https://x.org/b/guide/start#start"),
        ("book.toml", "https://x.org/b/guide/start.html#start"),
        ("mkdocs.yml", "https://x.org/b/guide/start/#start"),
        (".gitbook.yaml", "https://x.org/b/guide/start#start"),
        ("conf.py", "https://x.org/b/guide/start.html#start"),
    ],
)
def test_what_makes_the_site_is_told_by_its_files(collections, folder, mark, url):
    (folder / mark).write_text("")
    book, _ = add_book(collections, folder, url="https://x.org/b")
    assert urls(book)["guide/start.md"] == url


def test_the_file_may_stand_in_the_folder_above(folder):
    (folder / "mkdocs.yml").write_text("")
    (folder / "guide" / "SUMMARY.md").unlink(missing_ok=True)
    assert site_of(folder / "guide", base="/g", style=None).url("start.md") == "/g/start/"


def test_several_books_in_one_have_each_their_own(folder):
    (folder / "guide" / "SUMMARY.md").write_text("* [Start](start.md)\n")
    site = site_of(folder, base="/docs", style=None)
    assert site.url("guide/start.md") == "/docs/guide/start.html"
    assert site.url("README.md") == "/docs/"
    assert site_of(folder, base="/docs", style="plain").url("guide/start.md") == "/docs/guide/start.md"


def test_pages_may_say_their_own_address(collections, folder):
    (folder / "guide" / "start.md").write_text("---\nslug: begin\n---\n# Start\n\nTurn the red key twice.\n")
    book, _ = add_book(collections, folder)
    assert urls(book)["guide/start.md"] == "/docs/guide/begin#start"


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "ftp://x", "x.org", "https://x.org/?q", "//x.org\n", "https:// x"]
)
def test_what_is_no_url_is_refused(collections, folder, url):
    with pytest.raises(ConfigError, match="not a URL"):
        add_book(collections, folder, url=url)
    assert collections.list() == []


def test_nothing_is_left_of_a_book_that_can_not_be_read(collections, tmp_path, folder):
    empty = tmp_path / "empty"
    empty.mkdir()
    for place in (tmp_path / "nothing", folder / "README.md", empty):
        with pytest.raises(SourceError):
            add_book(collections, place)
    assert collections.list() == []


def test_a_name_is_taken_once(collections, folder):
    add_book(collections, folder, name="engines")
    with pytest.raises(CollectionExists):
        add_book(collections, folder, name="engines")
    assert "red key" in collections.get("engines").library.passages("which key starts the engine")[0].text


def test_a_table_of_contents_is_counted_and_never_cited(collections, folder):
    (folder / "SUMMARY.md").write_text("# Summary\n\n* [Start the engine with the red key](guide/start.md)\n")
    book, report = add_book(collections, folder)
    assert report.documents == 3
    assert "SUMMARY.md" not in urls(book)


def test_syncing_reads_what_changed(collections, folder):
    add_book(collections, folder, name="engines", url="https://x.org/b")
    (folder / "guide" / "stop.md").write_text("# Stop\n\nPull the blue lever to stop the engine.\n")
    (folder / "README.md").unlink()
    report = sync_book(collections, "engines")
    assert (report.added, report.removed, report.documents) == (1, 1, 2)
    found = collections.get("engines").library.passages("pull a lever to stop the engine")[0]
    assert (found.reference, found.url) == ("guide/stop.md", "https://x.org/b/guide/stop#stop")
    assert sync_book(collections, "engines").published is False


def test_what_was_handed_over_to_a_book_changes_no_address(collections, folder, tmp_path):
    (folder / "guide" / "SUMMARY.md").write_text("* [Start](start.md)\n")
    book, _ = add_book(collections, folder, name="engines", url="https://x.org/b")
    (tmp_path / "more.md").write_text("# More\n\nThe blue lever stops the engine.\n")
    uploads = Uploads(book)
    uploads.take("more.md", tmp_path / "more.md")
    book.library.add_source(uploads.files, type="docs")
    assert sync_book(collections, "engines").documents == 4
    assert urls(collections.get("engines"))["guide/start.md"] == "https://x.org/b/guide/start.html#start"


def test_a_book_is_removed_and_nothing_else(collections, folder):
    add_book(collections, folder, name="engines")
    collections.create("whales", owner="somebody")
    with pytest.raises(CollectionMissing, match="no book named whales") as caught:
        remove_book(collections, "whales")
    assert "DELETE /api/collections/whales" in caught.value.hint
    assert remove_book(collections, str(folder)) == "engines"
    assert [one.name for one in collections.list()] == ["whales"]


def test_a_folder_names_its_book(collections, folder, tmp_path):
    add_book(collections, folder, name="engines")
    assert named_by(collections, "engines") == "engines"
    assert named_by(collections, str(folder)) == "engines"
    with pytest.raises(ConfigError):
        named_by(collections, str(tmp_path))
    with pytest.raises(CollectionMissing):
        named_by(collections, "boats")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read(collections, folder):
    folder.chmod(0)
    try:
        with pytest.raises(SourceError):
            add_book(collections, folder)
    finally:
        folder.chmod(0o700)
