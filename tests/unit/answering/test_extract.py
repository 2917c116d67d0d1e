"""A draft is made of the documents' own words, chosen for the question."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.answering.extract import extract
from vademecum.answering.verify import verify
from vademecum.core.evidence import Draft
from vademecum.testing import document
from vademecum.text.sentences import fold, sentences


def about(*words):
    """Judges a text by how many of the words stand in it."""
    return lambda text: float(sum(word in text for word in words))


def drafted(evidence, relevance, likeness=lambda _text: 0.0):
    return extract(evidence, relevance, likeness)


def commands(draft):
    return [step.command for step in draft.steps]


def test_nothing_makes_nothing():
    assert drafted([], about("x")) == Draft((), ())


def test_the_parts_of_an_answer(evidence_of, chmod):
    evidence = [evidence_of(chmod, {"recursively": 5.0, "every file": 1.0})]
    draft = drafted(evidence, about("program", "changes", "permissions", "recursively", "tree"))
    assert draft.summary[0].text == "chmod - change file permissions"
    assert "The program changes the permissions of files." in [one.text for one in draft.summary]
    assert not any("weather" in one.text for one in draft.summary)
    assert commands(draft)[0].startswith("chmod [OPTION]... ")
    assert "-R, --recursive" in commands(draft)
    assert "-v, --verbose" not in commands(draft), "far behind the best"
    assert commands(draft)[-1] == "chmod -R u+x tree"
    (option,) = (step for step in draft.steps if step.command == "-R, --recursive")
    assert option.text == "change files and directories recursively"
    assert option.spans[0].anchor


def test_the_synopsis_line_is_chosen_for_the_question(evidence_of, chmod):
    draft = drafted([evidence_of(chmod)], about("--reference"))
    assert commands(draft) == ["chmod [OPTION]... --reference=RFILE FILE..."]


def test_a_listing_is_no_sentence(evidence_of, chmod):
    draft = drafted([evidence_of(chmod, {"chown": 9.0})], about("chown(1)", "recursively"))
    assert "chown" not in " ".join(one.text for one in draft.summary)


def test_an_abbreviation_ends_no_sentence(evidence_of, chmod):
    draft = drafted([evidence_of(chmod)], about("octal"))
    assert "A mode is symbolic or octal, e.g. the number 644." in [one.text for one in draft.summary]


@pytest.mark.parametrize(
    "whole", ["rm $(find . -name core)", "tools (incl. ROS and Gazebo)", "cats vs. Dogs", "ls . /tmp"]
)
def test_a_command_or_a_short_form_ends_no_sentence(whole):
    text = f"First this.\n{whole}"
    assert [text[start:end] for start, end in sentences(text, 0, len(text))] == ["First this.", whole]


def test_shows_the_first_of_two_documents(evidence_of, chmod):
    chown = document("chown(1)", ("NAME", ["chown - change owner"]), summary="change owner")
    evidence = [evidence_of(chmod, {"recursively": 5.0}), evidence_of(chown)]
    verified = verify(drafted(evidence, about("permissions")), evidence)
    assert [one.document_ref for one in verified.references] == ["chmod(1)"]


def test_without_a_name_section_the_summary_stands_for_it(evidence_of):
    page = document("a(7)", ("", ["Cats sleep all day long. They purr."]), summary="Cats sleep all day long.")
    draft = drafted([evidence_of(page)], about())
    assert [one.text for one in draft.summary] == ["Cats sleep all day long."]
    without = document("a(7)", ("", ["Cats sleep."]), summary="Not said anywhere")
    assert drafted([evidence_of(without)], about()) == Draft((), ())


def test_the_use_of_a_function_comes_with_its_header(evidence_of):
    page = document(
        "open(2)", ("SYNOPSIS", ["#include <open.h>", "int open(const char *pathname, int flags);"])
    )
    draft = drafted([evidence_of(page)], about("open"))
    assert commands(draft) == ["#include <open.h> int open(const char *pathname, int flags);"]


def test_cuts_long_text_between_sentences_or_words(evidence_of):
    sentence = "This sentence of the walrus is seventy characters long, or nearly that."
    page = document(
        "a(1)",
        ("NAME", [" ".join([sentence] * 9)]),
        ("OPTIONS", [("-w", " ".join(["walrus"] * 200)), ("-x", "walrus" * 100)]),
    )
    evidence = [evidence_of(page, {"walrus": 2.0})]
    draft = drafted(evidence, about("walrus"))
    assert draft.summary[0].text == " ".join([sentence] * 4)
    texts = {step.command: step.text for step in draft.steps}
    assert set(texts["-w"].split()) == {"walrus"}
    assert 280 < len(texts["-w"]) <= 320
    assert texts["-x"] == ("walrus" * 100)[:320]
    assert verify(draft, evidence).dropped == 0


def test_an_entry_within_a_better_one_is_left_out(evidence_of):
    page = document("a(1)", ("OPTIONS", [("-a", "alpha walrus"), ("-b", "beta walrus")]))
    evidence = evidence_of(page, {"alpha": 3.0, "beta": 2.0})
    first = next(one for one in evidence.passages if one.kind)
    inner = first._replace(start=first.start + 3, tag_end=first.start + 3, score=2.9)
    draft = drafted([evidence._replace(passages=(*evidence.passages, inner))], about("walrus"))
    assert commands(draft) == ["-a", "-b"]


def test_an_entry_of_a_tag_alone_is_its_tag(evidence_of):
    page = document("a(1)", ("OPTIONS", ["-a walrus"]))
    evidence = evidence_of(page, {"walrus": 1.0})
    (section,) = evidence.passages
    tag = section._replace(kind=1, tag_end=section.end)
    draft = drafted([evidence._replace(passages=(section, tag))], about())
    assert [(step.command, step.text) for step in draft.steps] == [("-a walrus", "")]


blocks = st.one_of(
    st.text(max_size=60).map(fold).filter(bool),
    st.tuples(st.sampled_from(["-a", "--all", "name"]), st.text(max_size=60).map(fold).filter(bool)),
)
sections = st.tuples(
    st.sampled_from(["", "NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "ERRORS > Odd"]),
    st.lists(blocks, min_size=1, max_size=4),
)


@given(
    st.lists(st.lists(sections, min_size=1, max_size=5), min_size=1, max_size=3),
    st.lists(st.characters(), min_size=1, max_size=3),
)
def test_whatever_a_document_says_every_statement_holds(evidence_of, contents, words):
    evidence = [
        evidence_of(document(f"p{at}(1)", *content), dict.fromkeys(words, 1.0))
        for at, content in enumerate(contents)
    ]
    draft = drafted(evidence, about(*words))
    verified = verify(draft, evidence)
    assert set(verified.verdicts) <= {"supported", "speaks to a model"}
    for statement in (*verified.summary, *verified.steps):
        quotes = " ".join(fold(verified.citations[at].quote) for at in statement.citations)
        assert statement.citations
        assert statement.text in quotes
        assert statement.command in quotes


@pytest.mark.parametrize("line", ["$ chmod 1", "# chmod 1", "chmod 1"])
def test_an_example_may_have_a_prompt(evidence_of, line):
    page = document("chmod(1)", ("EXAMPLES", ["ls 1", line]))
    assert commands(drafted([evidence_of(page)], about("1"))) == [line]
    assert commands(drafted([evidence_of(page)], about("zebra"))) == []


def test_prefers_sentences_nearer_in_meaning(evidence_of):
    last = "When a lid closes, the whole machine may well be suspended."
    others = [f"Number {at} of the lids may well be opened by hand at noon." for at in range(8)]
    page = document("lid(5)", ("DETAILS", [*others, last]))

    def said(likeness):
        draft = drafted([evidence_of(page, {"lid": 1.0})], about("lid"), likeness)
        return [one.text for one in draft.summary]

    assert last in said(lambda text: float("suspended" in text))
    assert last not in said(lambda _text: 0.0)


def test_an_entry_is_quoted_with_its_tag(evidence_of):
    page = document(
        "tool(1)",
        (
            "DESCRIPTION",
            ["It cuts bread into slices of any width.", ("-w N", "The width of the bread slices.")],
        ),
    )
    draft = drafted([evidence_of(page, {"bread": 1.0})], about("bread", "slices", "width"))
    assert [one.text for one in draft.summary] == ["It cuts bread into slices of any width."]
    assert commands(draft) == ["-w N"]


def test_prose_that_begins_with_the_commands_name_is_no_example(evidence_of):
    page = document("kill(1)", ("EXAMPLES", ["Kill all the walruses you can.", "kill -9 walrus"]))
    assert commands(drafted([evidence_of(page)], about("walrus"))) == ["kill -9 walrus"]


@pytest.mark.parametrize(
    "opening", ["Given a walrus and a seal, the commands", "Feed a walrus like this:", "To feed a walrus,"]
)
def test_a_sentence_that_breaks_off_is_said_with_what_follows_it(evidence_of, opening):
    page = document(
        "feed(1)", ("DESCRIPTION", [opening, "feed walrus herring", "A walrus weighs a ton and eats much."])
    )
    draft = drafted([evidence_of(page, {"walrus": 1.0})], about("walrus", "herring"))
    said = [fold(one.text) for one in draft.summary]
    assert f"{opening} feed walrus herring" in said
    assert not {opening, "feed walrus herring"} & set(said)


def test_a_sentence_about_the_page_is_none_of_the_answer(evidence_of):
    sentence = "It sets the owner of many files at once."
    page = document(
        "tool(1)", ("DESCRIPTION", [f"This manual page documents the owner of files. {sentence}"])
    )
    said = [one.text for one in drafted([evidence_of(page, {"owner": 1.0})], about("owner", "files")).summary]
    assert said == [sentence]


def test_a_sentence_that_leans_on_the_one_before_comes_after_others(evidence_of):
    torn = "However, the owner of files is set."
    whole = [f"Tool {at} changes the owner of files all at once." for at in range(2)]
    page = document("tool(1)", ("NOTES", [torn, *whole]))
    said = [one.text for one in drafted([evidence_of(page, {"owner": 1.0})], about("owner", "files")).summary]
    assert said == whole
