"""Passages ranked: what is told of them, baselines, selections, and that the size of a collection changes little."""

import pytest

from vademecum.ask.running_text.selected import selected_from
from vademecum.core.errors import AnswerError, StoreError
from vademecum.library.collections import Collections
from vademecum.retrieval.passages.features import Likeness
from vademecum.retrieval.question.question import analyse
from vademecum.retrieval.units.calibration import THRESHOLD, USUAL_THRESHOLD

PAGES = {
    "kites.md": "# Kites\n\n## Tails\n\nA kite needs a tail of two metres to fly steadily.\n\n## Lines\n\nA line of silk is strong and light.\n",
    "boats.md": "# Boats\n\nA boat needs a keel of lead to sail upright. Its sail is of linen.\n",
    "swings.md": "# Swings\n\nA swing hangs from two ropes of hemp.\n",
}


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("toys")
    for name, text in PAGES.items():
        (folder / name).write_text(text)
    made = Collections(tmp_path_factory.mktemp("data")).create("toys")
    made.library.add_source(folder, type="docs")
    made.library.reindex()
    return made.library


def many_pages(tmp_path):
    """A collection, and a folder with so many pages that not all of their passages are candidates."""
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(150):
        (folder / f"{number}.md").write_text(
            f"# Page {number}\n\nQuartz number {number} weighs {number} grams.\n"
        )
    return Collections(tmp_path / "data").create("many"), folder


def test_a_passage_tells_where_it_stands(library):
    first = library.passages("how long must the tail of a kite be", limit=1)[0]
    assert (first.reference, first.title, first.heading) == ("kites.md", "Kites", "Kites > Tails; Lines")
    assert first.url.startswith("file://")
    assert first.passage == f"{first.document}:0"
    assert library.text(first.document)[first.start : first.end] == first.text
    assert 0 < first.relevance <= 1


def test_words_that_mean_the_same_are_met(library):
    found = library.find("how lengthy is the rope that a seat dangles from", limit=3)
    assert found.hits[0].reference == "swings.md"


def test_the_baseline(library):
    hits = library.passages_bm25("keel of a boat", limit=2)
    assert hits[0].reference == "boats.md"
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))


def test_few_passages_are_all_candidates_whatever_words_they_hold(library):
    assert [hit.reference for hit in library.passages_bm25("keel")] == ["boats.md"]
    assert {hit.reference for hit in library.passages("keel")} == set(PAGES)


def test_many_passages_are_candidates_by_their_words_alone(tmp_path):
    made, folder = many_pages(tmp_path)
    (folder / "kites.md").write_text(PAGES["kites.md"])
    made.library.add_source(folder, type="docs")
    made.library.reindex()
    assert [hit.reference for hit in made.library.passages("a tail of silk")] == ["kites.md"]


def test_a_passage_is_as_far_as_its_words_and_headings_are_in_meaning(library):
    hits = library.passages("a boat needs a keel of lead", limit=3)
    assert hits[0].reference == "boats.md"
    assert 0 < hits[0].distance < min(hit.distance for hit in hits[1:]) <= 2


def test_what_shares_no_word_is_not_answerable(library):
    found = library.find("xylophone quasar brontosaurus")
    assert found.answerability < THRESHOLD
    assert found.confidence < USUAL_THRESHOLD


def test_answerable_is_told_from_not(library):
    there = library.find("how long must the tail of a kite be").answerability
    near = library.find("how much does a kite of silk cost in Paris").answerability
    assert there > near
    assert there > 0.5


def test_evidence_holds_the_chosen_passages_alone(library):
    found = library.find("keel of a boat", limit=3)
    documents = found.evidence(found.hits[:1])
    assert [one.reference for one in documents] == ["boats.md"]
    (passage,) = documents[0].passages
    assert documents[0].text[passage.start : passage.end] == found.hits[0].text


def test_a_blank_question(library):
    with pytest.raises(AnswerError):
        library.passages(" ")


@pytest.mark.parametrize(
    ("selection", "found"),
    [
        ("keel of lead", "keel of lead"),
        ("**keel** of\n\n> lead", "keel of lead"),
        ("upright. Its sail", "upright. Its sail"),
        ("sail upright.", "sail upright."),
        ("KEEL OF LEAD", None),
        ("keel of gold", None),
        ("...", None),
        ("", None),
    ],
)
def test_a_selection_is_located(library, selection, found):
    selected, index, _ = selected_from([library.corpus()], [selection])
    assert selected.is_located == (found is not None)
    if found:
        (place,) = index.places()
        text = index.segments[0].flat.text(index.segments[0].flat.document(place.document))
        assert text[selected.start : selected.end] == found


def test_a_document_that_is_not_there(library):
    with pytest.raises(StoreError):
        library.text("toys:00")


def test_a_word_that_no_document_has_is_looked_for_by_words_like_it(tmp_path):
    made, folder = many_pages(tmp_path)
    (folder / "letters.md").write_text("# Letters\n\nThe folder is kept behind the house.\n")
    made.library.add_source(folder, type="docs")
    made.library.reindex()
    assert "letters.md" in {hit.reference for hit in made.library.passages("directory")[:2]}


def test_a_word_that_a_document_has_is_not_replaced(tmp_path):
    made, folder = many_pages(tmp_path)
    (folder / "letters.md").write_text("# Letters\n\nThe folder is kept in a directory behind the house.\n")
    made.library.add_source(folder, type="docs")
    made.library.reindex()
    index = made.library._opened().running_text()
    question = analyse("folder", index)
    assert index.similar(question.terms[0].text)
    assert not Likeness(question, index).replacements().terms
