"""What of a document is embedded."""

from vademecum.retrieval.meaning import line_of, placed
from vademecum.text.words import terms


def test_a_document_is_embedded_as_its_title_and_line():
    found = line_of("git-worktree(1)", "manage trees")
    assert found.text == "git worktree: manage trees"
    assert found.terms == terms(found.text)


def test_a_document_without_a_line_still_has_its_title():
    assert line_of("Wind tunnels", "").terms == terms("wind tunnels")


def test_a_passage_is_compared_with_its_headings():
    found = placed("Rockets", "Flight > Drag", "It grows with speed.")
    assert found == "Rockets. Flight. Drag. It grows with speed."
    assert placed("Rockets", "Rockets > Drag", "It grows.") == "Rockets. Drag. It grows."
