"""A filter: what is outside of it is never found, and what is within is found as if nothing else were there."""

import pytest

from vademecum.ask import path, rating
from vademecum.ask.hits import search_plain
from vademecum.ask.kinds import Corpus
from vademecum.core.answers import LOW_CONFIDENCE
from vademecum.core.errors import ConfigError, SourceError
from vademecum.core.settings import Settings
from vademecum.index.catalog.catalog import CatalogEntry
from vademecum.index.catalog.links import url_of
from vademecum.index.reader import scope
from vademecum.index.reader.scope import Limits, limits_of

QUESTIONS = ("change file permissions", "open a file descriptor", "mask", "-R", "chmod", "zyzzyva")


@pytest.fixture(params=[4000, 0])
def most(request, monkeypatch):
    """Both ways of the search: by number, and by looking further."""
    monkeypatch.setattr(scope, "_MOST", request.param)


@pytest.mark.usefixtures("most")
@pytest.mark.parametrize("section", ["1", "2", "5"])
def test_only_documents_of_the_section_are_found(index, section):
    view = index.limited(Limits(sections=(section,)))
    everything = {hit.reference for question in QUESTIONS for hit in search(question, index, 1000)}
    found = {hit.reference for question in QUESTIONS for hit in search(question, view, 1000)}
    plain = {hit.reference for question in QUESTIONS for hit in search_plain(question, view, 1000)}
    within = {reference for reference in everything if reference.endswith(f"({section})")}
    assert within
    assert within <= found
    assert found | plain == {one for one in found | plain if f"({section}" in one}
    for question in QUESTIONS:
        answer = ask(question, view, Settings(confidence_threshold=0.0))
        cited = {one.document_ref for one in (*answer.references, *answer.see_also)}
        assert all(f"({section}" in reference for reference in cited)


def ask(question, index, settings):
    return path.ask(question, [Corpus(index, settings.confidence_threshold)])


def search(question, index, limit):
    return rating.search(question, [Corpus(index, 0.35)], limit)


def test_the_two_ways_find_the_same(index, monkeypatch):
    results = []
    for most in (4000, 0):
        monkeypatch.setattr(scope, "_MOST", most)
        view = index.limited(Limits(sections=("1",)))
        results.append([search(question, view, 20) for question in QUESTIONS])
    assert results[0] == results[1]
    assert results[0][0]


def test_limits_that_no_document_meets_find_nothing(index):
    for limits in (Limits(sections=("9",)), Limits(sources=("elsewhere",))):
        view = index.limited(limits)
        assert search("change file permissions", view, 10) == []
        assert search_plain("change file permissions", view, 10) == []
        answer = ask("change file permissions", view, Settings(confidence_threshold=0.0))
        assert (answer.outcome, answer.no_answer, answer.see_also) == ("not_found", True, ())
        assert str(limits) in answer.guidance[0]
        assert answer.guidance[1:] == (LOW_CONFIDENCE,)
    assert search("change file permissions", index, 10)


def test_a_refusal_names_its_limits(index):
    view = index.limited(Limits(sections=("2",)))
    answer = ask("change file permissions", view, Settings(confidence_threshold=1.0))
    assert any("section 2" in one for one in answer.guidance)
    nothing = ask("how is it that the of", view, Settings())
    assert "section 2" in nothing.guidance[0]


@pytest.mark.parametrize(
    ("section", "reference", "within"),
    [
        ("3", "printf(3)", True),
        ("3", "perlapi(3perl)", True),
        ("3", "mode_t(3type)", True),
        ("3perl", "perlapi(3perl)", True),
        ("3perl", "printf(3)", False),
        ("3p", "perlapi(3perl)", False),
        ("3", "chmod(1)", False),
        ("1", "X(1SSL)", True),
        ("3", "Mercury (3)", False),
        ("3", "notes/list.md", False),
        ("3", "", False),
        ("3", f"{'x' * 300}(3)", True),
    ],
)
def test_sections(section, reference, within):
    assert Limits(sections=(section,)).allow_reference(reference) == within


def test_several_are_either():
    limits = limits_of(["a", "a"], ["1", "3PERL"], ["a", "b"])
    assert limits == Limits(("a",), ("1", "3perl"))
    assert not limits_of([], [], [])
    assert not limits.allow_source("b")


@pytest.mark.parametrize("section", ["", "-1", "(3)", "3 4", "a", "3" * 40, "../3", "٣"])
def test_rejects_a_bad_section(section):
    with pytest.raises(ConfigError, match="section"):
        limits_of([], [section], [])


def test_names_the_known_sources_for_an_unknown_one():
    with pytest.raises(SourceError) as caught:
        limits_of(["man\x1b[31m"], [], ["man-pages", "tldr"])
    assert "man\\x1b[31m" in caught.value.message
    assert "man-pages, tldr" in caught.value.hint


def test_gives_the_url_of_a_document_that_can_be_opened():
    notes = CatalogEntry("notes", "docs", "/home/you/my notes")
    assert url_of(notes, "a b/ä<x>.md") == "file:///home/you/my%20notes/a%20b/%C3%A4%3Cx%3E.md"
    assert url_of(notes, "a\\nb") == ""
    assert url_of(CatalogEntry("wiki", "kiwix", "/x.zim"), "Linux") == ""
    assert url_of(CatalogEntry("m", "man", "/usr/share/man"), "a b(1)") == "man:a%20b(1)"
