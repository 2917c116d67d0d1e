"""The manifest: it carries what it was made of, and tells when it was tampered with."""

import json

import pytest

from vademecum.core.errors import IndexCorrupt, IndexStale
from vademecum.index.catalog.catalog import CatalogEntry
from vademecum.index.manifest import FORMAT, Manifest

ENTRY = CatalogEntry(
    "a", "docs", "/srv/\udcff", "en", "active", "now", 5, 3, checksum="0a", seen={"": 1}, recipe="r"
)
MANIFEST = Manifest(
    7, "now", 1, {}, (), (), (ENTRY, ENTRY._replace(alias="b", status="error", notes="cut short"))
)


def test_a_written_manifest_is_read_again():
    assert Manifest.from_json(MANIFEST.to_json(), "here") == MANIFEST
    assert json.loads(MANIFEST.to_json())["version"] == MANIFEST.version


def test_the_version_is_what_it_was_made_of():
    def version(**fields):
        return MANIFEST._replace(sources=(ENTRY._replace(**fields), MANIFEST.sources[1])).version

    assert version(last_updated="later", notes="x", seen={}, size_bytes=9) == MANIFEST.version
    assert MANIFEST._replace(number=8, sources=MANIFEST.sources[::-1]).version == MANIFEST.version
    others = [{"checksum": "0b"}, {"recipe": "s"}, {"language": "de"}, {"documents": 4}, {"location": "/"}]
    assert len({version(**one) for one in others} - {MANIFEST.version}) == len(others)


@pytest.mark.parametrize("form", range(FORMAT))
def test_an_older_one_is_stale(form):
    data = {**json.loads(MANIFEST.to_json()), "format": form}
    with pytest.raises(IndexStale, match="older") as caught:
        Manifest.from_json(json.dumps(data), "here")
    assert "ragadmin reindex" in caught.value.hint


@pytest.mark.parametrize(
    "change",
    [
        {"format": FORMAT + 1},
        {"format": None},
        {"version": "0"},
        {"sources": [{}]},
        {"sources": [1]},
        {"sources": None},
    ],
)
def test_a_damaged_one_is_named(change):
    with pytest.raises(IndexCorrupt) as caught:
        Manifest.from_json(json.dumps({**json.loads(MANIFEST.to_json()), **change}), "here")
    assert "--full" in caught.value.hint
