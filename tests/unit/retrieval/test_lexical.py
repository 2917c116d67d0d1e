"""BM25F, against its formula."""

from collections import Counter
from math import inf, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.core.passages import OPTION, SECTION, Entry, SparseVector
from vademecum.retrieval.lexical import MANUAL_PAGES, Window, depth, encode, exact, family, rarity, weight_of
from vademecum.retrieval.lexical import bm25f as weighed
from vademecum.retrieval.passages.passages import passages_of
from vademecum.testing import document
from vademecum.text.words import number, numbers, terms

K1 = 1.2


def entry(page):
    return Entry(
        key=page.key,
        fingerprint="f",
        digest=page.digest(),
        reference=page.reference,
        title=page.title,
        summary=page.summary,
        names=page.names,
        links=page.links,
        text=page.text,
        passages=passages_of(page),
    )


def bm25f(fields):
    """Zaragoza et al. 2004: the sum of the fields' normalised frequencies, saturated once."""
    found = {}
    for term in {term for text_terms, _ in fields for term in text_terms}:
        frequency = 0.0
        for text_terms, field in fields:
            if text_terms:
                length = 1 - field.b + field.b * len(text_terms) / field.usual_length
                frequency += field.boost * Counter(text_terms)[term] / length
        found[number(term)] = (K1 + 1) * frequency / (K1 + frequency)
    return found


def weights(words):
    return {term: steps / 512 for term, steps in zip(*words, strict=True)}


PAGE = document(
    "chmod(1)",
    ("NAME", ["chmod - change file mode bits"]),
    (
        "SETUID BITS",
        [("-R, --recursive", "change files and directories recursively"), "a paragraph on file modes"],
    ),
    summary="change file mode bits",
)


@given(st.lists(st.integers(0, 9), max_size=40), st.lists(st.integers(0, 12), max_size=14))
def test_some_terms_of_a_window_have_the_weights_of_its_vector(body, heading):
    """To the last bit, whichever of the fields has more terms."""
    vector = weighed(((body, MANUAL_PAGES.body), (heading, MANUAL_PAGES.heading)))
    expected = dict(zip(*vector, strict=True))
    window = Window(body, heading, [90, 90, 91], MANUAL_PAGES)
    assert [window.score({term: 3}) for term in range(14)] == [
        3 * expected.get(term, 0) for term in range(14)
    ]
    assert [window.score({term: 2}) for term in (90, 91)] == [2 * 512, 512]
    assert window.score({0: 3, 90: 1}) == window.score({0: 3}) + window.score({90: 1})


FIELDS = [MANUAL_PAGES.page_name, MANUAL_PAGES.page_tags, MANUAL_PAGES.body, MANUAL_PAGES.heading]


@given(st.lists(st.tuples(st.lists(st.integers(0, 9), max_size=40), st.sampled_from(FIELDS)), max_size=4))
def test_fields_are_added_up_and_rounded_term_by_term(fields):
    """To the last bit, whichever of the fields is the largest."""
    expected = {}
    for term in sorted({term for found, _ in fields for term in found}):
        frequency = 0.0
        for found, field in fields:
            if term in found:
                length = 1 - field.b + field.b * len(found) / field.usual_length
                frequency += found.count(term) * (field.boost / length)
        expected[term] = int((K1 + 1) * 512 * frequency / (K1 + frequency) + 0.5) or 1
    vector = weighed(fields)
    assert dict(zip(*vector, strict=True)) == expected
    assert len(vector.terms) == len(expected)


def test_a_passage_scores_by_the_formula():
    encoded = encode(entry(PAGE))
    found = passages_of(PAGE)
    (option,) = (position for position, passage in enumerate(found) if passage.kind == OPTION)
    text = PAGE.text[found[option].start : found[option].end]
    wanted = bm25f(
        [
            (terms(text), MANUAL_PAGES.body),
            (terms("-R, --recursive"), MANUAL_PAGES.tag),
            (terms("SETUID BITS"), MANUAL_PAGES.heading),
        ]
    )
    assert len(wanted) > 5
    assert weights(encoded.passages[option]) == pytest.approx(wanted, abs=1 / 1024)


def test_a_page_scores_by_the_formula():
    encoded = encode(entry(PAGE))
    body = [
        term
        for passage in passages_of(PAGE)
        if passage.kind == SECTION
        for term in terms(PAGE.text[passage.start : passage.end])
    ]
    wanted = bm25f(
        [
            (terms("chmod"), MANUAL_PAGES.page_name),
            (terms(PAGE.summary), MANUAL_PAGES.page_summary),
            (terms("SETUID BITS"), MANUAL_PAGES.page_headings),
            (terms("-R, --recursive"), MANUAL_PAGES.page_tags),
            (body, MANUAL_PAGES.page_body),
        ]
    )
    assert len(wanted) > 10
    assert weights(encoded.page) == pytest.approx(wanted, abs=1 / 1024)


def test_headings_that_every_page_has_count_for_nothing():
    option = ("-x", "leave it")
    usual, none = (
        encode(entry(document("x(1)", (heading, ["all is said here", option]))))
        for heading in ("OPTIONS", "")
    )
    assert usual.page.terms
    assert (usual.page, usual.passages) == (none.page, none.passages)
    own = encode(entry(document("x(1)", ("OPTIONS > Colours", ["all is said here", option]))))
    assert number("colour") in own.page.terms
    assert number("option") not in own.page.terms
    assert all(number("colour") in passage.terms for passage in own.passages)


def test_terms_are_counted_by_windows():
    """In how many windows of the document, times what the document counts for; at least in one."""
    long = " ".join(["kernel"] * 250)
    page = document(
        "git-log(1)", ("", [long, "kernel socket", long]), ("OPTIONS", [("-z", "zebra")]), summary="a heron"
    )
    windows = [passage for passage in passages_of(page) if passage.kind == SECTION]
    assert len(windows) == 3
    encoded = encode(entry(page))
    assert weight_of("git-log(1)") == 32
    assert encoded.weight == 3 * 32
    assert encoded.counts[number("kernel")] == 2 * 32
    assert encoded.counts[number("socket")] == 1 * 32
    assert encoded.counts[number("zebra")] == 1 * 32, "of a window"
    assert encoded.counts[number("heron")] == 1 * 32, "of the line alone"
    assert set(encoded.counts) == set(encoded.page.terms)
    assert max(encoded.counts.values()) <= encoded.weight


def test_a_long_document_does_not_make_its_words_common():
    """It has some of every word; of its windows few have."""
    sentence = " ".join(f"word{at}" for at in range(290))
    long = encode(entry(document("bash(1)", ("", [sentence, *["plain text here"] * 1000]))))
    assert (
        rarity(long.counts[number("word7")], long.weight)
        > rarity(long.counts[number("plain")], long.weight)
        > 0
    )


def test_no_term_comes_twice_and_nothing_weighs_nothing():
    encoded = encode(entry(PAGE))
    for vector in (encoded.page, *encoded.passages):
        assert vector.terms
        assert len(set(vector.terms)) == len(vector.terms)
        assert all(0 < weight < K1 + 1 for weight in weights(vector).values())


def test_a_question_weighs_in_steps():
    query = exact(SparseVector([1, 2, 3], [0.0001, 1.0, 7.2]))
    assert query.terms == [1, 2, 3]
    assert query.steps == [1, 128, round(7.2 * 128)]


@given(st.integers(0, 1 << 24), st.integers(0, 1 << 24))
def test_rarity_is_that_of_bm25_positive_and_falling(one, other):
    fewer, more = sorted((one, other))
    total = 1 << 24
    assert inf > rarity(fewer, total) >= rarity(more, total) > 0
    assert rarity(64 * 3, 64 * 100) == pytest.approx(log(1 + (100 - 3 + 0.5) / (3 + 0.5)))


@pytest.mark.parametrize(
    ("reference", "levels", "first"),
    [
        ("git(1)", 0, "git"),
        ("git-commit(1)", 1, "git"),
        ("az_vm_create(1)", 2, "az"),
        ("epoll_wait(2)", 0, "epoll"),
    ],
)
def test_sub_commands_count_less(reference, levels, first):
    assert (depth(reference), family(reference)) == (levels, first)
    assert weight_of(reference) == 64 >> levels


def test_a_document_without_words_has_empty_vectors():
    encoded = encode(entry(document("(1)", ("", ["the of"]))))
    assert encoded.page.terms == []
    assert encoded.counts == {}
    assert encoded.weight == 64
    assert numbers(["the"]) == []


def test_a_title_counts_as_a_name():
    """A file is cited by its path; people ask for what it calls itself."""
    from dataclasses import replace

    from vademecum.core.documents import DocumentRef
    from vademecum.index.build import entry_of

    page = document("notes/q3.md", ("", ["Some words."]))
    ref = DocumentRef(key=page.key, names=page.names, fingerprint="1")
    plain = encode(entry_of(page, ref)).page
    titled = encode(entry_of(replace(page, title="Walrus husbandry"), ref)).page
    (walrus,) = numbers(["walrus"])
    assert walrus not in plain.terms
    assert walrus in titled.terms
