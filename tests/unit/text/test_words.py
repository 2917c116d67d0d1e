"""Words and terms."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.text.words import WORD, number, numbers, numbers_in, terms


@given(st.text(max_size=200))
def test_terms_are_the_same_every_time(text):
    assert terms(text) == terms(text)
    assert numbers(WORD.findall(text)) == [number(term) for term in terms(text)]
    assert all(0 <= found < 1 << 32 for found in numbers(WORD.findall(text)))


@given(
    st.text(alphabet=st.one_of(st.sampled_from("-ab._+ \t\x1c\x85\u2028,("), st.characters()), max_size=200)
)
def test_a_text_cut_at_white_space_has_the_same_words(text):
    assert numbers_in(text) == numbers(WORD.findall(text))
    assert numbers_in(text) == numbers_in(text), "also when all of it is known"


@given(st.lists(st.sampled_from(["chmod", "files", "-R", "read-only", "naïve"]), min_size=1, max_size=6))
def test_terms_of_a_text_are_those_of_its_words(words):
    assert terms(" ".join(words)) == [term for word in words for term in terms(word)]


def test_options_keep_their_case():
    assert terms("-r") == ["-r"]
    assert terms("-R") == ["-R"]
    assert "--recursive" in terms("--recursive")
    assert "--Recursive" in terms("--Recursive")


def test_a_long_option_is_found_by_its_word_too():
    assert set(terms("recursively")) <= set(terms("--recursive"))


@pytest.mark.parametrize("compound", ["read-only", "epoll_wait", "sshd_config"])
def test_a_compound_counts_whole_and_in_parts(compound):
    parts = terms(compound.replace("-", " ").replace("_", " "))
    assert parts
    assert set(terms(compound)) == {*parts, compound}


@pytest.mark.parametrize("possessive", ["user's", "user’s", "users'"])
def test_a_possessive_is_its_noun(possessive):
    assert terms(possessive) == terms("user") != []


def test_words_of_any_script_count():
    assert terms("naïve Größe 漢字") == terms("NAÏVE GRÖSSE 漢字".replace("GRÖSSE", "GRÖßE"))
    assert len(terms("naïve Größe 漢字")) == 3


def test_stop_words_and_single_letters_do_not_count():
    assert terms("what is the of a b c") == []


def test_a_range_is_no_option():
    assert not [term for term in terms("2-9 a-z 0x1-0x2") if term.startswith("-")]


@pytest.mark.parametrize(
    "pattern",
    ["a", "a.", "a-", "-", "--", "a ", "-a ", "-a-", "a.-", ".", "漢", "a_", "_", "\x00", "a'", "+", "w+"],
)
def test_long_text_of_any_pattern_takes_a_moment(pattern):
    text = pattern * (200_000 // len(pattern))
    began_s = time.process_time()
    assert len(terms(text)) <= len(text)
    assert time.process_time() - began_s < 5
