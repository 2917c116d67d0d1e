"""Passages ranked: what is told of them, baselines, selections, and that the size of a collection changes little."""

import pytest

from vademecum.core.errors import AnswerError, StoreError
from vademecum.library.collections import Collections
from vademecum.retrieval.calibration import THRESHOLD, USUAL_THRESHOLD

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


@pytest.mark.parametrize("by", ["words", "meaning"])
def test_the_baselines(library, by):
    hits = library.passages("keel of a boat", limit=2, by=by)
    assert hits[0].reference == "boats.md"
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))


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
    hits = library.reading("what").located(selection)
    assert (hits[0].text if hits else None) == found


def test_a_document_that_is_not_there(library):
    with pytest.raises(StoreError):
        library.text("toys:00")
