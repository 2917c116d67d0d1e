"""Notes in one library with manual pages: whichever holds the answer comes first."""

from pathlib import Path

import pytest

from vademecum import Library, Places

pytestmark = pytest.mark.needs("mandoc")

MANUAL = Path(__file__).parents[2] / "data/manual"
NOTES = {
    "release.md": "# Releases\n\n## Who signs\n\nOn Fridays Marta signs the archive of the release, and Jonas copies it to the file server.\n",
    "servers.md": "# Servers\n\nThe file server is in the cellar. Its name is basalt. Change its batteries in March.\n",
    "lunch.md": "# Lunch\n\nLunch is at noon. On Wednesdays there is soup.\n",
}


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("library")
    notes = folder / "notes"
    notes.mkdir()
    for name, text in NOTES.items():
        (notes / name).write_text(text)
    (folder / "data").mkdir()
    (folder / "data/catalog.json").write_text('{"format": 2, "generation": 0, "sources": []}')
    made = Library.open(Places(folder / "data", folder / "config"))
    made.add_source(MANUAL, type="man")
    made.add_source(notes, type="docs")
    made.reindex()
    assert {entry.type for entry in made.sources() if entry.documents} == {"man", "docs"}
    return made


def test_what_a_note_says_is_answered_from_it_and_no_manual_page_stands_beside(library):
    answer = library.ask("Who signs the archive of the release on Fridays?")
    assert not answer.no_answer
    assert {one.alias for one in answer.references} == {"notes"}
    assert answer.references[0].document_ref == "release.md"
    assert "Marta signs the archive" in " ".join(one.text for one in answer.summary)


def test_what_a_manual_says_is_answered_from_it(library):
    answer = library.ask("How do I change the permissions of a file recursively?")
    assert answer.references[0].document_ref == "chmod(1)"


@pytest.mark.parametrize("question", ["archive of the release", "change file mode", "file server", "soup"])
def test_what_is_found_of_a_kind_is_in_the_order_of_its_scores(library, question):
    hits = library.search(question)
    kinds = [hit.alias == "notes" for hit in hits]
    assert kinds in (sorted(kinds), sorted(kinds, reverse=True))  # the likelier kind before the other
    for kind in set(kinds):
        scores = [hit.score for hit, of in zip(hits, kinds, strict=True) if of is kind]
        assert scores == sorted(scores, reverse=True)
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))


def test_an_info_node_that_is_only_a_menu_has_no_passage_to_show(tmp_path):
    nodes = [("Top", "(dir)", "* Menu:\n\n* knots::  How."), ("knots", "Top", "* Menu:\n\n* reef::  Two.")]
    nodes.append(("reef", "knots", "1 Reef\n======\n\nTie the knots left over right."))
    text = "".join(f"\x1f\nFile: a.info,  Node: {name},  Up: {up}\n\n{said}\n" for name, up, said in nodes)
    (tmp_path / "a.info").write_text(f"This is a.info.\n\n{text}")
    with Library.open(Places(tmp_path / "data", tmp_path / "config")) as library:
        library.add(tmp_path / "a.info")
        assert [hit.reference for hit in library.search("knots")] == ["reef(a)"]
