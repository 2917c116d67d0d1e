"""The registry: what a place looks like, what a language is called, and which reader opens what."""

import zipfile

import pytest

from vademecum.core.errors import SourceError
from vademecum.index.catalog.catalog import CatalogEntry
from vademecum.index.catalog.source_types import TYPES, guessed_type, known_type, located, open_source, tag


@pytest.mark.parametrize(
    ("made", "place", "kind"),
    [
        ("x/man1/a.1", "x", "man"),
        ("x/man3p/a.3p", "x", "man"),
        ("x/mann/a.n", "x", "man"),
        ("x/manual/a.1", "x", "docs"),
        ("x/a.info", "x", "info"),
        ("x/a.info-2.gz", "x", "info"),
        ("x/a.information", "x", "docs"),
        ("x/a.info.gz", "x/a.info.gz", "info"),
        ("x/pages/common/tar.md", "x", "tldr"),
        ("x/pages/common/tar.md", "x/pages", "tldr"),
        ("x/pages/tar.md", "x", "docs"),
        ("x/a.ZIM", "x/a.ZIM", "kiwix"),
        ("x/a.zimaa", "x/a.zimaa", "kiwix"),
        ("x/a.zip", "x/a.zip", "tldr"),
        ("x/a.zim/b", "x/a.zim", "kiwix"),
        ("x/a.md", "x", "docs"),
        ("x/a.records", "x/a.records", "records"),
    ],
)
def test_a_type_is_guessed(tmp_path, made, place, kind):
    (tmp_path / made).parent.mkdir(parents=True)
    (tmp_path / made).touch()
    assert guessed_type(tmp_path / place) == kind


def test_a_file_of_no_type_is_refused(tmp_path):
    (tmp_path / "a.odd").touch()
    with pytest.raises(SourceError, match=r"a\.odd is a file") as caught:
        guessed_type(tmp_path / "a.odd")
    assert "folder" in caught.value.hint
    (tmp_path / "a.TXT").touch()
    assert guessed_type(tmp_path / "a.TXT") == "docs"


def test_there_are_seven_types():
    assert TYPES == ("man", "info", "kiwix", "tldr", "help", "records", "docs")
    assert [known_type(name) for name in TYPES] == list(TYPES)
    with pytest.raises(SourceError, match="no type"):
        known_type("Man")


@pytest.mark.parametrize("kind", TYPES)
def test_every_reader_is_there(tmp_path, kind):
    (tmp_path / "man1").mkdir()
    (tmp_path / "pages" / "common").mkdir(parents=True)
    place = tmp_path
    if kind in {"kiwix", "records"}:
        place = tmp_path / f"a.{kind}"
        place.touch()
    source = open_source(CatalogEntry("a", kind, str(place)))
    assert source.alias == "a"
    assert source.parser


@pytest.mark.parametrize("kind", [*TYPES, "wiki"])
def test_a_missing_place_is_an_error_with_a_hint(tmp_path, kind):
    with pytest.raises(SourceError) as caught:
        open_source(CatalogEntry("a", kind, str(tmp_path / "gone")))
    assert caught.value.message.startswith("a")
    assert caught.value.hint


@pytest.mark.parametrize(
    ("language", "kept"),
    [("en", "en"), ("EN", "en"), ("eng", "en"), ("pt-br", "pt-BR"), ("zh-Hant", "zh-Hant"), ("gsw", "gsw")],
)
def test_languages(language, kept):
    assert tag(language) == kept


@pytest.mark.parametrize("language", ["", "e", "english!", "../x", "en\n", "x" * 300, "\u202e"])
def test_rejects_a_bad_language(language):
    with pytest.raises(SourceError, match="language"):
        tag(language)


def test_a_place_is_absolute_and_there(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "link").symlink_to("a")
    assert located(f"{tmp_path}/link/../link") == tmp_path / "a"
    (tmp_path / "loop").symlink_to("loop")
    for path in ("", "\0", "x" * 300, f"{tmp_path}/loop", f"{tmp_path}/gone"):
        with pytest.raises(SourceError):
            located(path)


def test_a_zip_of_pages_is_opened(tmp_path):
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        archive.writestr("pages/common/tar.md", "# tar\n\n> Archive.\n\n- Extract:\n\n`tar xf a`\n")
    source = open_source(CatalogEntry("t", "tldr", str(tmp_path / "t.zip")))
    assert [ref.names[0] for ref in source.scan()] == ["tar(tldr)"]
