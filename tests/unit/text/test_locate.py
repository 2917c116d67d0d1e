"""A quote is found where its words stand, however it is set."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.text.locate import locate

TEXT = "The -r option (recursive) copies\n  whole directories – “trees” – and isn't slow.\nIt can't be undone; see cp(1)."


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("whole directories", ["whole directories"]),
        ("copies whole   directories", ["copies\n  whole directories"]),
        ("**copies** `whole` _directories_", ["copies\n  whole directories"]),
        ('directories - "trees" - and isn’t slow', ["directories – “trees” – and isn't slow"]),
        ("THE -R OPTION", ["The -r option"]),
        ("The -r option ... isn't slow", ["The -r option", "isn't slow"]),
        ("The -r option […] see cp(1)", ["The -r option", "see cp(1)"]),
        ("isn't slow ... The -r option", []),
        ("whole cities", []),
        ("recur\u200bsive", ["recursive"]),
        ("", []),
        ("...", []),
        ("**", []),
        ("a", []),
    ],
)
def test_finds_a_quote_however_it_is_set(quote, found):
    assert [TEXT[start:end] for start, end in locate(quote, TEXT)] == found


def test_only_within():
    start = TEXT.index("whole")
    assert locate("The -r", TEXT, start) == []
    assert locate("slow", TEXT, 0, start) == []
    assert locate("whole", TEXT, start, start + 5) == [(start, start + 5)]


@given(st.text(max_size=60), st.text(max_size=60), st.text(min_size=3, max_size=30))
def test_finds_words_between_any_others(before, behind, words):
    for start, end in locate(words, before + words + behind):
        assert 0 <= start < end <= len(before + words + behind)
    if words.isascii() and words.isalnum():
        ((start, end),) = locate(words, f"{before} {words} {behind}")
        assert f"{before} {words} {behind}"[start:end].lower().replace(" ", "") != ""
