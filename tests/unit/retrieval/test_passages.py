"""Passages: where they begin and end, and that nothing is lost between them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.core.documents import Block, Document
from vademecum.core.passages import ITEM, OPTION, SECTION
from vademecum.retrieval.passages.passages import MOST_CHARACTERS, WINDOW_WORDS, passages_of
from vademecum.testing import document

words = st.text(alphabet="abz-R.;é漢", min_size=1, max_size=8).filter(str.strip)
space = st.sampled_from([" ", " ", " ", "\n", "\t", "\u00a0", "  "])
tags = st.sampled_from(["-R", "--recursive", "-R, --recursive", "+x", "EPERM", "name", "-"])


@st.composite
def running_text(draw):
    if draw(st.integers(0, 9)) == 0:
        return draw(space).join([draw(words)] * draw(st.integers(200, 1300)))
    found = draw(words)
    for word in draw(st.lists(words, max_size=8)):
        found += draw(space) + word
    return found


@st.composite
def documents(draw):
    text, blocks = "", []
    for kind in draw(
        st.lists(st.sampled_from(["heading", "paragraph", "item", "code", "table"]), max_size=25)
    ):
        tag = draw(tags) if kind == "item" else ""
        body = draw(words if kind == "heading" else running_text())
        whole = f"{tag} {body}" if tag else body
        level = draw(st.integers(1, 3)) if kind in {"heading", "item"} else draw(st.integers(0, 3))
        start = len(text)
        blocks.append(Block(kind, start, start + len(whole), level, f"a{len(blocks)}", start + len(tag)))
        text += whole + "\n"
    text = text.removesuffix("\n")
    return Document(
        key="k", reference="r(1)", title="r", summary="", names=("r(1)",), text=text, blocks=tuple(blocks)
    )


@given(documents())
def test_passages(page):
    found = passages_of(page)
    text = page.text
    for passage in found:
        assert 0 <= passage.start < passage.end <= len(text)
        stretch = text[passage.start : passage.end]
        assert stretch == stretch.strip() != ""
        assert passage.start <= passage.tag_end <= passage.end
        assert len(stretch.split()) <= WINDOW_WORDS
    assert list(found) == sorted(found, key=lambda passage: (passage.start, -passage.end, passage.kind))


@pytest.mark.parametrize(
    "filler", ["k" * 76 + "\n", "k", "k" * 9000 + " ", "short words ", "k" * 76 + " \n\n\n"]
)
def test_no_passage_is_longer_than_2000_tokens(filler):
    text = (filler * (30_000 // len(filler))).strip()
    page = document(
        "keys(5)", ("DESCRIPTION", ["Keys follow.", text]), ("OPTIONS", [("-k", text), ("-v", "Short.")])
    )
    found = passages_of(page)
    assert max(passage.end - passage.start for passage in found) <= 4 * 2000 == MOST_CHARACTERS
    covered = {at for one in found if one.kind == SECTION for at in range(one.start, one.end)}
    signs = [at for block in page.blocks if block.kind != "heading" for at in range(block.start, block.end)]
    assert all(at in covered for at in signs if not page.text[at].isspace()), "nothing is left out"
    assert [page.text[one.start : one.tag_end] for one in found if one.kind == OPTION] == ["-k", "-v"]


@given(documents())
def test_windows_cover_every_block_and_no_heading(page):
    windows = [passage for passage in passages_of(page) if passage.kind == SECTION]
    covered = set()
    for window in windows:
        assert window.tag_end == window.start
        assert not covered & set(range(window.start, window.end)), "windows overlap"
        covered.update(range(window.start, window.end))
    for block in page.blocks:
        inked = {at for at in range(block.start, block.end) if not page.text[at].isspace()}
        assert inked.isdisjoint(covered) if block.kind == "heading" else inked <= covered


@given(documents())
def test_each_item_has_one_entry_that_begins_with_it(page):
    entries = [passage for passage in passages_of(page) if passage.kind != SECTION]
    items = [block for block in page.blocks if block.kind == "item"]
    assert [(entry.start, entry.anchor) for entry in entries] == [(item.start, item.anchor) for item in items]
    for entry, item in zip(entries, items, strict=True):
        is_option = page.text.startswith(("-R", "--", "+x"), item.start)
        assert entry.kind == (OPTION if is_option else ITEM)
        assert entry.tag_end == item.tag_end


@given(documents())
def test_headings_are_paths_of_those_above(page):
    for passage in passages_of(page):
        path = []
        for block in page.blocks:
            if block.start > passage.start:
                break
            if block.kind == "heading":
                path = [above for above in path if above.level < block.level] + [block]
        assert passage.heading == " > ".join(page.text[block.start : block.end] for block in path)


def test_an_entry_takes_in_its_further_paragraphs_but_not_its_neighbours():
    text = "-a\nfirst\n-b second"
    blocks = (
        Block("item", 0, 2, 1, "a", 2),
        Block("paragraph", 3, 8, 1, "", 3),
        Block("item", 9, 18, 1, "b", 11),
    )
    page = Document(
        key="k", reference="r(1)", title="r", summary="", names=("r(1)",), text=text, blocks=blocks
    )
    entries = [text[one.start : one.end] for one in passages_of(page) if one.kind == OPTION]
    assert entries == ["-a\nfirst", "-b second"]


def test_every_option_of_a_very_long_page_is_a_passage():
    page = document("big(1)", ("OPTIONS", [(f"-o{number}", "does it") for number in range(20_000)]))
    found = passages_of(page)
    assert sum(passage.kind == OPTION for passage in found) == 20_000
