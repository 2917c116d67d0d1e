"""Slips of the keyboard, and abbreviations."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.core.passages import WHOLE
from vademecum.retrieval.question.spelling import ABBREVIATIONS, CONTRACTIONS, corrected, corrected_text
from vademecum.text.words import STOP_WORDS, number, stem, terms_of_word

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def frequencies(**windows):
    counts = {number(stem(word)): count * WHOLE for word, count in windows.items()}
    return lambda term: counts.get(term, 0)


@st.composite
def slips(draw):
    """A word, and the same with one slip behind its first letter."""
    word = draw(st.text(LETTERS, min_size=6, max_size=12))
    at = draw(st.integers(1, len(word) - 1))
    letter = draw(st.sampled_from(LETTERS))
    before, after = word[:at], word[at:]
    swapped = before[:-1] + after[0] + before[-1] + after[1:] if at > 1 else word + letter
    slip = draw(
        st.sampled_from([before + letter + after, before + after[1:], before + letter + after[1:], swapped])
    )
    return word, slip


@given(slips())
def test_one_slip_is_corrected(pair):
    word, slip = pair
    found = corrected(slip, frequencies(**{word: 20}))
    assert found is not None
    assert stem(found) == stem(word)


def test_the_most_frequent_word_is_chosen():
    assert corrected("permisions", frequencies(permissions=40, provisions=900)) == "permissions"
    assert corrected("boats", frequencies(boots=30, beats=31)) == "beats"
    assert corrected("boats", frequencies(boots=30, beats=30)) == "boots", "ties go one way"


@pytest.mark.parametrize(
    ("text", "read_as"),
    [
        ("hwo do i chnage my pasword?", "how do i change my password?"),
        ("who is Pasword", "who is Pasword"),
        ("a bottle of tallyboat for elmgate", "a bottle of tallyboat for elmgate"),
    ],
)
def test_corrects_words_that_are_neither_in_documents_nor_english(text, read_as):
    assert corrected_text(text, frequencies(password=1, change=1)) == read_as


@pytest.mark.parametrize(
    ("word", "known"),
    [
        ("permisions", {"permissions": 19}),
        ("premisions", {"permissions": 900}),
        ("permisión", {"permission": 900}),
        ("permisions", {}),
    ],
)
def test_leaves_other_words_alone(word, known):
    """Rare words; two slips; a slip in the first letter; short words; what is not all ASCII letters."""
    assert corrected(word, frequencies(**known)) is None


def test_abbreviations_are_words_that_count():
    assert len(ABBREVIATIONS) > 20
    for short, full in ABBREVIATIONS.items():
        assert terms_of_word(short)
        assert len(terms_of_word(full)) == 1
        assert stem(short) != stem(full)
    assert not CONTRACTIONS & ABBREVIATIONS.keys()
    assert not CONTRACTIONS & STOP_WORDS
