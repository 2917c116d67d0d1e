"""What of a document is embedded."""

from hypothesis import given
from hypothesis import strategies as st

from vademecum.library.building import entry_of
from vademecum.retrieval.meaning import NAMES, contents_terms, description_terms, line_terms, terms_of
from vademecum.retrieval.words import terms
from vademecum.testing import MemorySource, document


def entry(page):
    (ref,) = MemorySource("a", [page]).scan()
    return entry_of(page, ref)


PAGE = entry(
    document(
        "git-worktree(1)",
        ("NAME", ["git-worktree - manage trees"]),
        ("SYNOPSIS", ["git worktree add PATH"]),
        ("INTRODUCTION", ["An introduction to trees"]),
        ("DESCRIPTION", [" ".join(f"number{at}" for at in range(100))]),
        ("OPTIONS", [("-f, --force", "remove even dirty ones"), ("--no-checkout", "do not fill")]),
        ("List of walruses", ["a walrus"]),
        summary="manage trees",
    )
)


def test_each_vector_has_its_terms():
    found = terms_of(PAGE)
    assert tuple(found) == NAMES
    assert (
        found["line"] == terms("git worktree manage trees") == line_terms("git-worktree(1)", "manage trees")
    )
    assert found["description"] == [f"number{at}" for at in range(60)]
    assert found["contents"] == terms("introduction force no-checkout list walruses")


def test_without_a_description_the_first_section_that_is_no_listing_counts():
    page = entry(
        document("a(1)", ("NAME", ["a - b"]), ("SYNOPSIS", ["a x"]), ("INTRODUCTION", ["walrus herd"]))
    )
    assert description_terms(page) == ["walrus", "herd"]
    assert description_terms(entry(document("a(1)", ("NAME", ["a - b"])))) == []


def test_contents_are_not_endless():
    options = [(f"--walrus{at}", "text") for at in range(500)]
    found = contents_terms(entry(document("a(1)", ("OPTIONS", options))))
    assert found == [f"walrus{at}" for at in range(100)]


@given(st.lists(st.text(min_size=1).filter(str.strip), max_size=4))
def test_any_document_has_all_vectors(texts):
    page = document("a(1)", ("", [text.strip() for text in texts]))
    assert terms_of(entry(page)).keys() == set(NAMES)
