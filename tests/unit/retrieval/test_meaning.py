"""What of a document is embedded."""

from vademecum.retrieval.meaning import line_of, wording_of
from vademecum.retrieval.words import terms


def test_a_document_is_embedded_as_its_title_and_line():
    found = line_of("git-worktree(1)", "manage trees")
    assert found.text == "git worktree: manage trees"
    assert found.terms == terms(found.text)


def test_a_document_without_a_line_still_has_its_title():
    assert line_of("Wind tunnels", "").terms == terms("wind tunnels")


def test_a_passage_is_embedded_with_where_it_stands():
    found = wording_of("Rockets", "Flight > Drag", "It grows with speed.")
    assert found.text == "Rockets. Flight. Drag. It grows with speed."
    assert found.terms == terms(found.text)
    assert wording_of("Rockets", "Rockets > Drag", "It grows.").text == "Rockets. Drag. It grows."
