"""What of a document is embedded."""

from vademecum.retrieval.meaning import line_of
from vademecum.text.words import terms


def test_a_document_is_embedded_as_its_title_and_line():
    found = line_of("git-worktree(1)", "manage trees")
    assert found.text == "git worktree: manage trees"
    assert found.terms == terms(found.text)


def test_a_document_without_a_line_still_has_its_title():
    assert line_of("Wind tunnels", "").terms == terms("wind tunnels")
