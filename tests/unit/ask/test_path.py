"""A question's path as a whole, over a small library behind the real engine."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.answering.verify import verify
from vademecum.ask import path, rating
from vademecum.ask.answer import _NONE
from vademecum.ask.gather import gather, relevance
from vademecum.ask.hits import search_plain
from vademecum.ask.kinds import USUAL, Corpus
from vademecum.ask.manuals import pages
from vademecum.ask.manuals.pages import RatedPages
from vademecum.ask.rating import rate
from vademecum.core.answers import LOW_CONFIDENCE, to_dict
from vademecum.core.errors import AnswerError
from vademecum.core.passages import ITEM, OPTION
from vademecum.core.settings import Settings
from vademecum.retrieval.documents.answerability import Judgement
from vademecum.retrieval.question.question import analyse
from vademecum.testing import document
from vademecum.text.sentences import fold

ALWAYS = Settings(confidence_threshold=0.0)
NEVER = Settings(confidence_threshold=1.0)
QUESTION = "How do I change file permissions recursively?"


def find(question, index):
    (rated,), _ = rate(question.text, [Corpus(index, 0.35)])
    return rated.ranked


def ask(question, index, settings):
    return path.ask(question, [Corpus(index, settings.confidence_threshold)])


def search(question, index, limit):
    return rating.search(question, [Corpus(index, 0.35)], limit)


def texts_of(index):
    return {
        f"{segment.info.alias}:{record.digest.hex()}": segment.flat.text(record)
        for segment in index.segments
        for record in map(segment.flat.document, range(len(segment.flat)))
    }


def check(answer, texts):
    """Every sentence is in the words it cites, and these stand where it says."""
    assert answer.citations
    for citation in answer.citations:
        assert texts[citation.document][citation.start : citation.end] == citation.quote != ""
    statements = (*answer.summary, *answer.steps)
    assert statements
    for statement in statements:
        cited = [fold(answer.citations[at].quote) for at in statement.citations]
        quotes = " ".join(cited)
        assert quotes
        assert statement.text or statement.command
        assert fold(statement.text) in quotes or statement.text == ": ".join(cited)
        own = fold(answer.question)
        assert all(word in quotes or word in own for word in fold(statement.command).split())
    assert {one.number for one in answer.citations} == {one.number for one in answer.references}
    assert sorted(one.number for one in answer.references) == list(range(1, len(answer.references) + 1))


# --- ask --------------------------------------------------------------------------------------------------------------


def test_an_answer(index):
    answer = ask(QUESTION, index, ALWAYS)
    check(answer, texts_of(index))
    assert (answer.outcome, answer.no_answer, answer.dropped, answer.guidance) == ("answered", False, 0, ())
    assert answer.references[0].document_ref == "chmod(1)"
    assert "-R, --recursive" in [step.command for step in answer.steps]
    assert [step.name for step in answer.trace.steps] == [
        "analyse", "retrieve", "evaluate", "decide", "compose", "verify"
    ]  # fmt: skip
    json.dumps(to_dict(answer, explain=True))


WORDS = st.sampled_from(
    """change file permissions owner mask walrus kill descriptor minute signals zebra -R chmod open(2) EACCES
    recursively edit quokka permisions dir the how acme access read-only notes""".split()  # noqa: SIM905 - a word list
)


@given(st.lists(WORDS | st.text(max_size=5), min_size=1, max_size=8).map(" ".join).filter(str.split))
def test_every_citation_is_exact_whatever_is_asked(index, texts, question):
    answer = ask(question, index, ALWAYS)
    if answer.no_answer:
        line_is_unknown = "line" in answer.trace.to_dict()["steps"][2]
        assert line_is_unknown or not find(analyse(question, index), index)
        return
    check(answer, texts)
    assert 0 <= answer.confidence <= answer.answerability <= 1


@pytest.fixture(scope="module")
def texts(index):
    return texts_of(index)


def test_a_refusal_says_why_and_what_is_near(index):
    answer = ask("change the owner of a Zyzzyva", index, NEVER)
    assert (answer.outcome, answer.no_answer, answer.summary, answer.steps) == ("not_found", True, (), ())
    assert (answer.references, answer.citations) == ((), ())
    assert len(answer.guidance) == 2
    assert answer.guidance[0].startswith("No document mentions “Zyzzyva”; the nearest is ")
    assert answer.guidance[1] == LOW_CONFIDENCE
    assert len(answer.see_also) == 3
    assert "chown(1)" in [one.label for one in answer.see_also]
    assert all(one.number == 0 and one.notes for one in answer.see_also)


def test_stop_words_find_nothing_and_say_how_to_go_on(index):
    for threshold in (ALWAYS, NEVER):
        answer = ask("how is it that the of", index, threshold)
        assert answer.no_answer
        assert answer.guidance == (_NONE, "No document shares a word with the question.", LOW_CONFIDENCE)
        assert (answer.confidence, answer.answerability, answer.see_also) == (0, 0, ())


def test_an_empty_question_is_refused(index):
    for call in (
        lambda: ask(" ", index, ALWAYS),
        lambda: search("", index, 3),
        lambda: search_plain("", index, 3),
    ):
        with pytest.raises(AnswerError):
            call()


def test_how_a_slip_was_read_is_said(index):
    answer = ask("change permisions", index, ALWAYS)
    assert ["“permisions” as “permissions”" in one for one in answer.warnings] == [True]
    both = ask("permisions permisssions", index, NEVER)
    assert ["“permisssions” as “permissions”" in one for one in both.warnings] == [True]
    assert ask("change permissions", index, ALWAYS).warnings == ()


def test_a_long_question_says_so(index):
    many = " ".join(f"qq{number:03}" for number in range(60))
    assert "question" in ask(f"owner {many}", index, ALWAYS).warnings[0]


def test_the_same_question_has_the_same_answer(index):
    first, second = (ask(QUESTION, index, ALWAYS) for _ in range(2))
    assert replace(first, trace=second.trace) == second


# --- decide -----------------------------------------------------------------------------------------------------------


def rated(question, ranked, threshold=0.35, index=None):
    return RatedPages(question, Corpus(index, threshold), ranked, Judgement(0.9, 0.9, ()))


def scored(index, *scores, text="change file", sections="1"):
    """The question, and its candidates of these sections, in their order, with other scores."""
    question = analyse(text, index)
    found = [one for one in find(question, index) if one.page.reference[-2] in sections]
    found.sort(key=lambda one: sections.index(one.page.reference[-2]))
    assert len(found) >= len(scores)
    return question, [one._replace(score=score) for one, score in zip(found, scores, strict=False)]


def test_a_few_documents_that_are_as_near_are_used_too(index):
    near = pages._NEAR_ENOUGH
    question, ranked = scored(index, 5.0, 5.0 - 0.9 * near, 5.0 - 1.1 * near)
    assert rated(question, ranked).chosen() == ranked[:2]
    question, ranked = scored(index, *[5.0] * (pages._MOST_CHOSEN + 2))
    assert rated(question, ranked).chosen() == ranked[: pages._MOST_CHOSEN]


def test_below_the_threshold_none_is_chosen(index):
    question, ranked = scored(index, 5.0)
    confidence = rated(question, ranked, index=index).confidence
    assert 0 < confidence < 1
    assert rated(question, ranked, confidence, index).answers
    assert not rated(question, ranked, confidence + 0.0001, index).answers
    assert rated(question, [], index=index).evidence(USUAL) == ([], [])


def test_the_second_of_two_near_documents_is_only_suggested(index):
    question, ranked = scored(index, 5.0, 5.0, 5.0 - 1.1 * pages._AS_GOOD)
    found = rated(question, ranked, index=index)
    evidence, _ = found.evidence(USUAL)
    verified = verify(found.draft(evidence), evidence)
    assert [one.document_ref for one in verified.references] == [ranked[0].page.reference]
    assert [one.document_ref for one in found.others()] == [ranked[1].page.reference]


def test_an_option_that_no_entry_is_likely_to_be_is_not_there(index):
    def on_chmod(text):
        question = analyse(text, index)
        page = next(one for one in find(question, index) if one.page.reference == "chmod(1)")
        found = rated(question, [page], index=index)
        assert found.lead == "option"
        return found

    absent = on_chmod("which chmod option plays music")
    assert not absent.answers
    assert ["chmod(1)" in one for one in absent.reasons] == [True]
    there = on_chmod("which chmod option changes files and directories recursively")
    assert there.confidence > absent.confidence
    assert there.reasons == ()


def test_a_function_is_shown_beside_a_command_only_when_asked_for(index):
    question, ranked = scored(index, *[5.0] * 18, sections="12")
    commands = [one for one in ranked if one.page.reference.endswith("(1)")][:1]
    functions = [one for one in ranked if one.page.reference.endswith("(2)")][:1]
    assert commands
    assert functions
    assert rated(question, commands + functions).chosen() == commands
    assert rated(question, functions + commands).chosen() == functions + commands
    in_c = analyse("change file in C", index)
    assert rated(in_c, commands + functions).chosen() == commands + functions


# --- search -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("call", [search, search_plain])
def test_a_search(index, texts, call):
    hits = call(QUESTION, index, 5)
    assert [hit.rank for hit in hits] == [1, 2, 3, 4, 5]
    assert len({hit.document for hit in hits}) == 5
    assert "chmod(1)" in [hit.reference for hit in hits[:2]]
    for hit in hits:
        assert texts[hit.document][hit.start : hit.end] == hit.text != ""
        assert hit.passage.startswith(f"{hit.document}:")
        assert hit.location.startswith(hit.reference)
    assert call(QUESTION, index, 2) == hits[:2]


def test_the_baseline_is_the_best_passage(index):
    hits = search_plain("descriptor of a file", index, 3)
    assert hits[0].reference == "open(2)"
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert search_plain("how is it", index, 3) == []


def test_a_page_found_by_its_meaning_alone_has_a_quote(index):
    (hit, *_) = search("authorization", index, 1)
    assert hit.text


# --- evidence ---------------------------------------------------------------------------------------------------------


def of(text, index, reference):
    question = analyse(text, index)
    (found,) = (one for one in find(question, index) if one.page.reference == reference)
    (evidence,) = gather(question, [found.place], index)
    return evidence


def scores(evidence):
    return {evidence.text[one.start : one.end].split("\n")[0]: one.score for one in evidence.passages}


def test_evidence_is_the_whole_document(index):
    evidence = of(QUESTION, index, "chmod(1)")
    assert texts_of(index)[f"{evidence.alias}:{evidence.digest}"] == evidence.text
    assert (evidence.title, evidence.summary) == ("chmod(1)", "change file permissions")
    starts = [one.start for one in evidence.passages]
    assert starts == sorted(starts)
    assert len(starts) > 5
    assert {OPTION, ITEM} <= {one.kind for one in evidence.passages}
    assert all(0 <= one.coverage <= 1 and one.score >= 0 for one in evidence.passages)
    assert max(one.coverage for one in evidence.passages) > 0.5


def test_the_entry_asked_for_scores_best(index):
    found = scores(of("recursively change permissions", index, "chmod(1)"))
    assert found["-R, --recursive change files and directories recursively"] > found["-v tell of every file"]


def test_words_of_the_pages_name_say_nothing_within_it(index):
    evidence = of("chmod", index, "chmod(1)")
    assert {one.coverage for one in evidence.passages} == {0}
    judge = relevance(analyse("chmod files", index), evidence)
    assert judge("chmod") == 0 < judge("a file") == judge("file files")
    assert relevance(analyse("chmod files", index), None)("chmod") > 0


def test_errors_count_less_unless_asked_for(index_of):
    page = document(
        "open(2)",
        ("DESCRIPTION", ["The call gives a file descriptor."]),
        ("FLAGS", [("O_RDWR", "ask for access to read and write the file descriptor")]),
        ("ERRORS", [("EACCES", "access to the file descriptor is not allowed")]),
    )
    index = index_of(page, document("other(1)", ("", ["Another page."])))
    entry = "EACCES access to the file descriptor is not allowed"
    plain = scores(of("access file descriptor", index, "open(2)"))[entry]
    asked = scores(of("access file descriptor error", index, "open(2)"))[entry]
    assert 0 < plain < asked


def test_each_part_of_a_question_has_its_entry(index_of):
    page = document(
        "tool(1)",
        ("DESCRIPTION", ["It works on a folder."]),
        (
            "OPTIONS",
            [
                ("-j", "run several jobs at the same time"),
                ("-n", "print what would be run without running anything"),
                ("-z", "zip the walrus"),
            ],
        ),
    )
    index = index_of(page, document("other(1)", ("", ["Another page of other things."])))
    found = scores(of("run several jobs, and print what would happen", index, "tool(1)"))
    jobs, printed, walrus = (found[entry] for entry in found if entry.startswith("-"))
    assert min(jobs, printed) >= 0.5 > walrus


def test_an_entry_that_means_the_same_is_raised(index_of):
    index = index_of(
        document(
            "tool(1)",
            ("DESCRIPTION", ["It works on a folder."]),
            ("OPTIONS", [("-d", "remove empty directories"), ("-s", "send signals to processes")]),
        ),
        document("other(1)", ("", ["Another page of other things."])),
    )
    found = scores(of("delete a folder", index, "tool(1)"))
    assert found["-d remove empty directories"] > found["-s send signals to processes"]


def test_names_of_the_askers_own_files_are_no_topic(index):
    words = lambda text: [term.word for term in pages.rate_pages(text, Corpus(index, 0.35)).question.terms]  # noqa: E731 - read as one
    assert words("change the owner of notes.txt to user zebulon") == words("change the owner of file to user")
    assert "password" in words("change the owner of /etc/passwd"), "a file that pages are about"
    assert pages.rate_pages("owner of notes.txt", Corpus(index, 0.35)).question.text == "owner of notes.txt"
