"""Blocks, offsets and anchors, without a renderer."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vademecum.sources.man.layout import Layout, anchor_of, is_enumerator, is_option, looks_like_tag
from vademecum.sources.man.markup import read_markup
from vademecum.sources.man.plain import read_plain

WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=1, max_size=12)
LEVELS = st.integers(0, 3)
STEPS = st.one_of(
    st.tuples(st.just("heading"), WORDS, st.integers(1, 2)),
    st.tuples(st.sampled_from(["paragraph", "code", "table", "tag"]), WORDS, LEVELS),
    st.tuples(st.just("marker"), st.sampled_from(["•", "1."])),
    st.tuples(st.just("retag"), LEVELS),
    st.tuples(st.just("settle")),
)


@settings(max_examples=max(60, settings.default.max_examples))
@given(steps=st.lists(STEPS, max_size=30))
def test_offsets_hold_in_any_order(steps):
    layout = Layout()
    for name, *arguments in steps:
        getattr(layout, name)(*arguments)
    layout.settle()
    end = -1
    for block in layout.blocks:
        assert block.start > end
        end = block.end
        assert layout.text[block.start : block.end].strip()
        assert block.start <= block.tag_end <= block.end
    said = "".join(word for name, word, *_ in (step for step in steps if len(step) > 1) if name != "retag")
    assert sorted("".join(layout.text.split())) == sorted(said)
    anchors = [block.anchor for block in layout.blocks if block.anchor]
    assert len(set(anchors)) == len(anchors)


@pytest.mark.parametrize(
    ("tag", "anchor"),
    [
        ("-R, --recursive", "R"),
        ("--no-preserve-root", "no"),
        ("-?", "?"),
        ("--", "--"),
        ("-", "-"),
        ("+x", "x"),
        ("[-]n", "n"),
        ("EACCES", "EACCES"),
        ("$HOME", "HOME"),
    ],
)
def test_anchors(tag, anchor):
    assert anchor_of(tag) == anchor


def test_recognises_enumerators():
    assert all(map(is_enumerator, ["1.", "(a)", "12)", "•", "o", "*", "iv."]))
    assert not any(map(is_enumerator, ["-x", "no.", "100%", "--", "a", "[1]"]))


def test_recognises_options():
    assert all(map(is_option, ["-x", "--long", "+x", "-1", "-?"]))
    assert not any(map(is_option, ["- text", "word", "--", "-", "--- a"]))


def test_recognises_tags():
    assert all(map(looks_like_tag, ["-a, --all.", "Description=", "raw (or unformatted)"]))
    assert not any(map(looks_like_tag, ["For example:", "This is a sentence.", "$ command -x", "-x " * 100]))


def test_a_repeated_anchor_gets_a_number():
    body = '<h1 id="X">X</h1><p>a</p><h1 id="X">X</h1><p>b</p><h1>Two  words</h1>'
    assert [b.anchor for b in read_markup(body).blocks if b.kind == "heading"] == ["X", "X~2", "Two_words"]


@given(body=st.text(max_size=300))
def test_no_text_breaks_the_readers(body):
    read_markup(body)
    read_plain(body)


def test_groff_lines_without_a_header_are_kept():
    layout = read_plain("NAME\n       x - y\n")
    assert layout.text == "NAME\nx - y"


def test_tables_of_groff():
    page = "X(1)    Manual    X(1)\n\nA\n       above\n       ┌───┬───┐\n       │a  │ b c │\n       ├───┼───┤\n       │d  │ e  │\n       └───┴───┘\n       below\n\nfoot\n"
    layout = read_plain(page)
    assert layout.text == "A\nabove\na  b c\nd  e\nbelow"
    assert [block.kind for block in layout.blocks] == ["heading", "paragraph", "table", "paragraph"]


def test_links_show_where_they_lead():
    body = '<p>See <a class="Lk" href="http://a.b">this</a>, <a class="Mt" href="mailto:x@y.z">x@y.z</a>.</p>'
    assert read_markup(body).text == "See this ⟨http://a.b⟩, ⟨x@y.z⟩."
    mdoc = f'<p><span class="Nd">a page</span></p>{body}<p>Joe &#x27E8;joe@x.y&#x27E9;</p>'
    assert read_markup(mdoc).text == "a page\nSee this: http://a.b, x@y.z.\nJoe <joe@x.y>"


def test_an_option_above_an_untagged_paragraph_is_its_tag():
    body = '<p class="Pp HP"><b>-a</b>, <b>--all</b></p><dl class="Bl-tag"><dt></dt><dd>do all</dd></dl><p>after</p>'
    layout = read_markup(body)
    assert [(b.kind, layout.text[b.start : b.tag_end], b.anchor, b.level) for b in layout.blocks] == [
        ("item", "-a, --all", "a", 1),
        ("paragraph", "", "", 0),
    ]


def test_numbered_lists_count():
    layout = read_markup("<ol><li>one</li><li>two</li></ol><pre>  a\n\n\n    b\n</pre>")
    assert layout.text == "1. one\n2. two\na\n\n  b"
    assert [block.kind for block in layout.blocks] == ["paragraph", "paragraph", "code"]
