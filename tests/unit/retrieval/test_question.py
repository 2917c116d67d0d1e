"""What a question is taken for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.core.errors import AnswerError
from vademecum.retrieval.question.question import (
    _CHATTER_SHARE,
    _GUESSED_SHARE,
    _WHOLE_SHARE,
    LONGEST_QUESTION,
    analyse,
)
from vademecum.testing import document
from vademecum.text.words import number, terms


def term(question, text):
    (found,) = (one for one in question.terms if one.text == text)
    return found


def texts(question):
    return [one.text for one in question.terms]


@pytest.mark.parametrize("empty", ["", " ", "\t\n", "\x1f"])
def test_an_empty_question_is_refused(index, empty):
    with pytest.raises(AnswerError, match="empty") as caught:
        analyse(empty, index)
    assert "ragman" in caught.value.hint


@pytest.mark.parametrize(
    "nothing", ["how is it that the of", "?!", "a b c", "whats dont", "hey thanks", "日 本"]
)
def test_a_question_of_stop_words_has_no_terms(index, nothing):
    question = analyse(nothing, index)
    assert (question.terms, question.read_as) == ((), ())
    assert question.vector().terms == []


def test_terms_stand_in_order_with_their_rarity(index):
    question = analyse("change the owner of files, files and permissions", index)
    assert texts(question) == ["chang", "owner", "file", "permiss"]
    assert question.words == ("change", "owner", "files", "files", "permissions")
    for one in question.terms:
        assert one.known
        assert one.number == number(one.text)
        assert one.rarity == index.rarity(one.number) == one.weight > 0
    assert term(question, "owner").rarity > term(question, "permiss").rarity


def test_words_that_are_only_said_change_nothing(index):
    plain = analyse("owner of files", index)
    chatty = analyse("hey, actually: owner of really files, thanks", index)
    assert (chatty.terms, chatty.words) == (plain.terms, plain.words)


def test_the_vector_has_what_is_known(index):
    question = analyse("zyzzyva owner quokka file", index)
    vector = question.vector()
    assert vector.terms == sorted([number("owner"), number("file")])
    assert dict(zip(*vector, strict=True)) == {one.number: one.weight for one in question.terms if one.known}
    assert [one.text for one in question.terms if not one.known] == ["zyzzyva", "quokka"]
    assert term(question, "quokka").rarity > term(question, "owner").rarity, "nothing is rarer"


@pytest.mark.parametrize(
    ("asked", "text", "share"),
    [
        ("owner", "owner", 1.0),
        ("command", "command", _CHATTER_SHARE),
        ("2024", "2024", _CHATTER_SHARE),
        ("read-only", "read-only", _WHOLE_SHARE),
        ("--recursive", "--recursive", 1.0),
    ],
)
def test_small_talk_and_compounds_weigh_less(index, asked, text, share):
    found = term(analyse(asked, index), text)
    assert found.weight == pytest.approx(share * found.rarity)


def test_a_compound_that_no_document_has_counts_by_its_known_words(index_of):
    index = index_of(document("work(7)", ("", ["Full pay. Part of the time."])))
    assert texts(analyse("full-time", index)) == ["full", "time"]
    assert "full-xq" in texts(analyse("full-xq", index))


def test_it_knows_what_is_named(index):
    question = analyse(
        "What does -R (or --recursive) do in chmod(1), and open (2)? Not a-b, not x(y).", index
    )
    assert question.references == ("chmod(1)", "open(2)")
    assert question.options == ("-R", "--recursive")
    assert {"-R", "--recursive"} <= set(texts(question))


def test_a_page_is_named_as_man_names_it_or_by_the_file_whose_format_is_asked_for(index_of):
    index = index_of(
        document("passwd(5)", ("", ["The fields of each line."])), document("passwd(1)", ("", ["Change."]))
    )
    assert analyse("man 5 crontab", index).references == ("crontab(5)",)
    assert analyse("what is the format of /etc/passwd?", index).references == ("passwd(5)",)
    assert analyse("the fields of /etc/userflags", index).references == ()
    assert analyse("change /etc/passwd", index).references == ()


def test_a_code_is_looked_up_in_the_page_that_lists_all_unless_another_page_is_named(index_of):
    index = index_of(
        document("errno(3)", ("", ["EAGAIN, EXDEV"])),
        document("signal(7)", ("", ["SIGTERM"])),
        document("rename(2)", ("", ["EXDEV"])),
    )
    assert analyse("I got EAGAIN back, what now", index).references == ("errno(3)",)
    assert analyse("which number has SIGTERM", index).references == ("signal(7)",)
    assert analyse("why does rename fail with EXDEV", index).references == ()
    assert analyse("an EXTRA word", index).references == ()


def test_an_exit_status_is_that_of_the_command_that_is_named(index_of):
    index = index_of(document("diff(1)", ("", ["Exit status is 1."])), document("exit(3)", ("", ["Exit."])))
    assert analyse("what does exit status 1 of diff mean", index).references == ("diff(1)",)
    assert analyse("what does diff do", index).references == ()
    assert analyse("what does exit status 1 mean", index).references == ()


def test_a_slip_is_read_as_the_frequent_word(index):
    question = analyse("change permisions", index)
    assert question.read_as == (("permisions", "permissions"),)
    assert texts(question) == ["chang", "permiss"]
    right = index.rarity(number("permiss"))
    assert term(question, "permiss").rarity == pytest.approx(_GUESSED_SHARE * right)
    assert term(question, "permiss").word == "permissions"
    twice = analyse("permisions, I said permisions", index)
    assert twice.read_as == question.read_as
    assert texts(twice).count("permiss") == 1
    both = analyse("permissions permisions", index)
    assert texts(both) == ["permiss"]
    assert term(both, "permiss").rarity == right


@pytest.mark.parametrize("slip", ["ownr", "zebbra", "walruss", "quokka", "Zyzzyva"])
def test_a_slip_of_a_rare_word_is_left_alone(index, slip):
    question = analyse(slip, index)
    assert question.read_as == ()
    assert [one.known for one in question.terms] == [slip == "walruss"] or not question.terms[0].known


def test_an_abbreviation_is_looked_for_in_both_forms(index_of):
    index = index_of(
        document("a(1)", ("", ["the dir of a directory"])), document("b(1)", ("", ["other words"]))
    )
    question = analyse("dir", index)
    assert texts(question) == ["dir", "directori"]
    assert term(question, "directori").rarity == pytest.approx(_GUESSED_SHARE * term(question, "dir").rarity)
    assert analyse("directory", index).terms[0].rarity == term(question, "dir").rarity


@pytest.mark.parametrize("short", ["perm", "perms", "Perms"])
def test_an_abbreviation_that_no_page_has_is_read_in_full(index, short):
    """And not taken for a slip of another word."""
    question = analyse(f"change {short}", index)
    assert texts(question) == ["chang", "permiss"]
    assert all(one.known for one in question.terms)


def test_a_long_question_is_cut(index):
    whole = "owner " * LONGEST_QUESTION
    question = analyse(whole, index)
    assert question.shortened
    assert len(question.text) <= LONGEST_QUESTION
    assert texts(question) == ["owner"]
    assert not analyse("x" * LONGEST_QUESTION, index).shortened


def test_keeps_the_rarest_of_many_terms_in_order(index):
    made_up = " ".join(f"qq{at:03}" for at in range(60))
    question = analyse(f"file permissions {made_up} owner", index)
    assert question.shortened
    assert len(question.terms) == 48
    assert texts(question) == [f"qq{at:03}" for at in range(48)]


@given(st.text(max_size=200))
def test_anything_can_be_asked(index, text):
    try:
        question = analyse(text, index)
    except AnswerError:
        assert not text.split()
        return
    assert question.text == " ".join(text.split())
    assert len(set(texts(question))) == len(question.terms)
    vector = question.vector()
    assert vector.terms == sorted(set(vector.terms))
    read = {wrong.lower() for wrong, _ in question.read_as}
    for word in terms(question.text):
        assert read or question.shortened or word in texts(question) or word.isascii()
