"""Markdown: text, blocks, front matter; and what is written to break its reader."""

import sys

import pytest

from vademecum.sources._markdown import read_markdown, slug

ORDINARY = "Ordinary words, of a plain text with `code` and [a link](to/there.md) and *some* stress. "


def shown(page, kind=None):
    return [page.text[block.start : block.end] for block in page.blocks if kind in (None, block.kind)]


def test_headings_have_levels_and_anchors():
    page = read_markdown(
        "# The *one* `x`\n\n## What's new?\n\n## What's new?\n\nSetext\n---\n\n### Own {#mine}\n"
    )
    found = [(block.level, block.anchor) for block in page.blocks]
    assert found == [(1, "the-one-x"), (2, "whats-new"), (2, "whats-new-1"), (2, "setext"), (3, "mine")]
    assert page.title == "The one x"
    assert shown(page)[-1] == "Own"


def test_paragraphs_are_folded_and_hard_breaks_kept():
    page = read_markdown(
        "One\ntwo\tthree **four**.  \nFive ~~six~~ <b>seven</b><br>eight ![a picture](x.png)\n"
    )
    assert page.text == "One two three four.\nFive six seven\neight a picture"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("![Logo](l.png)\n\nThe bus carries data.\n", "The bus carries data."),
        ("![Logo](l.png)\nThe bus carries data.\n", "The bus carries data."),
        ("The bus.\n![Logo](l.png)", "The bus."),
        ("[![Build](b.svg)](ci) ![Docs](d.svg).\n\nWords.", "Words."),
        ("- ![A part](a.png)\n- A screw\n", "• A screw"),
        ("Press ![Pause](p.png) to wait.", "Press Pause to wait."),
        ("| Key | Does |\n|-|-|\n| ![Wall](w.svg) | `w` |\n", "Key | Does\nWall | w"),
        ("```mermaid\ngraph TD; a-->b\n```\nWords.", "Words."),
        ("```{mermaid}\ngraph TD; a-->b\n```\nWords.", "Words."),
    ],
)
def test_pictures_and_drawings_are_not_text(source, text):
    assert read_markdown(source).text == text


ROWS = "Glaze | Fire\nCeladon | 1260 °C\nTenmoku | 1280 °C"
TIGHT = """<table>
<tr><th>Glaze</th><th>Fire</th></tr>
<tr><td>Celadon</td><td>1260 °C</td></tr>
<tr><td>Tenmoku</td><td>1280 °C</td></tr>
</table>
"""
BLANK_LINES = TIGHT.replace("\n<tr>", "\n\n  <tr>")
MARKDOWN_WITHIN = """<table><tr><th>Glaze</th><th>Fire</th></tr>
<tr>
<td>

**Celadon**

</td>
<td>

1260 °C

</td>
</tr>

    <tr>
      <td>Tenmoku</td><td>1280 °C</td>
    </tr>
</table>
"""


@pytest.mark.parametrize("source", [TIGHT, BLANK_LINES, MARKDOWN_WITHIN])
def test_a_table_of_html_keeps_its_cells(source):
    page = read_markdown(f"# Glazes\n\nBefore.\n\n{source}\nAfter.\n")
    assert shown(page) == ["Glazes", "Before.", ROWS, "After."]
    assert shown(page, "table") == [ROWS]


def test_a_table_that_never_ends_ends_at_the_next_heading_and_words_outside_of_cells_come_first():
    page = read_markdown("<table><tr><td>A</td><td>B</td></tr>\n\nWords.\n\n## Next\n\nMore.\n")
    assert page.text == "Words.\nA | B\nNext\nMore."
    assert shown(page, "heading") == ["Next"]


def test_lists_have_their_marks_in_the_text_and_not_in_the_blocks():
    page = read_markdown("- plain\n  1. one\n  2. two\n\n     more\n- last\n")
    assert page.text == "• plain\n1. one\n2. two\nmore\n• last"
    assert [(one, block.level) for one, block in zip(shown(page), page.blocks, strict=True)] == [
        ("plain", 1), ("one", 2), ("two", 2), ("more", 2), ("last", 1),
    ]  # fmt: skip


def test_a_bullet_that_begins_with_code_is_an_item():
    page = read_markdown("- `--force`: overwrite *all*\n- `-n` – dry run\n- `x` is a letter\n")
    items = [block for block in page.blocks if block.kind == "item"]
    assert [page.text[block.start : block.tag_end] for block in items] == ["--force", "-n"]
    assert shown(page) == ["--force\noverwrite all", "-n\ndry run", "x is a letter"]


def test_code_and_tables_keep_their_lines():
    page = read_markdown(
        "```sh\n$ ls\n\n\n  -la\n```\n\n    indented\n\n| a | b |\n|---|---|\n| | `c` |\n| d | |\n"
    )
    assert shown(page, "code") == ["$ ls\n\n  -la", "indented"]
    assert shown(page, "table") == ["a | b\n| c\nd"]


def test_html_is_read_as_what_it_says():
    page = read_markdown(
        "<details><summary>More</summary>\n<a href='x.md'>Text</a> &amp; that</details>\n\n"
        "<script>alert(1)</script>\n\n<!-- unseen -->\n"
    )
    assert shown(page) == ["More", "Text & that"]
    assert page.links == ("x.md",)


def test_links_are_told_once_as_written():
    page = read_markdown(
        "[a](b.md#c), [a](b.md#c), <https://example.org>, [r], <a@b.org>\n\n[r]: <../r ä.md>\n"
    )
    assert page.links == ("b.md#c", "https://example.org", "../r ä.md", "mailto:a@b.org")


@pytest.mark.parametrize(
    ("source", "front", "text"),
    [
        ("---\ntags: [a, b]\nn: 3\n---\nbody", {"tags": "a, b", "n": "3"}, "tags: a, b\nn: 3\nbody"),
        ("\ufeff---\r\ntitle: T\r\n---\r\nbody", {"title": "T"}, "body"),
        ("---\n# a comment\n\ntitle: T\n...\nbody", {"title": "T"}, "body"),
        ("---\n---\nbody", {}, "body"),
        ("---\ntitle: T\nbad: [\n---\nbody", {"title": "T"}, "body"),
        ("---\ntitle: {a: b}\nlang: en\n---\nbody", {"lang": "en"}, "body"),
        ("---\na: &a b\ntitle: *a\n---\nbody", {"a": "b"}, "a: b\nbody"),
        ("---\n\nIt began with a rule.\n\n---\n\nbody", {}, "It began with a rule.\nbody"),
        ("---\ntitle: never closed", {}, "title: never closed"),
        ("before\n\n---\ntitle: T\n---\n", {}, "before\ntitle: T"),
    ],
)
def test_front_matter(source, front, text):
    page = read_markdown(source)
    assert page.front == front
    assert page.text == text


BOMB = "a: &a {x: 1}\n" + "".join(
    f"b{n}: &b{n} {{<<: [{', '.join([f'*b{n - 1}'] * 9)}]}}\n" for n in range(1, 40)
)


@pytest.mark.parametrize(
    "source",
    [
        "",
        "\0",
        f"---\ntitle: T\n{BOMB}---\nbody",
        "---\na: " + "[" * 60_000 + "\n---\nbody",
        "---\n" + "\n \n#" * 2_000 + "\n---\n",
        "word " * 200_000,
        "- " * 10_000 + "x",
        "\n".join(" " * (2 * depth) + "- x" for depth in range(500)),
        "> " * 10_000 + "x",
        "\n".join(["|".join("a" * 10_000), "|".join("-" * 10_000), "|".join("b" * 10_000)]),
        "[" * 50_000,
        "*a " * 30_000,
        "`" * 50_000,
        "<div>" * 20_000 + "x",
        "&#xd800;\ud800\u202e\x1b[31m",
    ],
)
def test_hostile_text_is_read(source):
    page = read_markdown(source)
    assert all(0 <= block.start < block.end <= len(page.text) for block in page.blocks)
    page.text.encode()


def calls(source):
    count = 0

    def see(_frame, event, _argument):
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(see)
    try:
        read_markdown(source)
    finally:
        sys.setprofile(before)
    return count


@pytest.fixture(scope="module")
def ordinary_calls():
    return calls((ORDINARY * 200)[:10_000])


@pytest.mark.parametrize(
    "piece",
    ["[", "![", "[a", "[\n", "[][", "[[x](", "![a](", "[a](<b", "](", "<", "<a ", "a<![CDATA[", "&", "*a ", "*", "`a ",
     "**a *b ", "_a ", "~~a ", "\\[", "|a ", "a", "> ", "> - ", "- ", "- x\n", "> [!a", "{a}`", "# a\n"],
)  # fmt: skip
def test_reading_takes_linear_time(piece, ordinary_calls):
    assert calls((piece * 20_000)[:20_000]) < 2.5 * calls((piece * 10_000)[:10_000]) + ordinary_calls


@pytest.mark.parametrize(
    "source",
    [
        "[" * 5000 + "]" * 5000,
        "![" * 1600 + "](a)" * 1600,
        "> " * 40 + "a\n" + "b\n" * 5000,
        "- " * 40 + "a\n" + "b\n" * 5000,
        "> - " * 20 + "a\n" + "b\n" * 5000,
        " ".join("`" * length for length in range(140)),
    ],
)
def test_nesting_costs_little_more_than_ordinary_text(source, ordinary_calls):
    assert calls(source) < 100 * ordinary_calls


def test_brackets_that_are_never_closed_are_text_and_the_next_paragraph_has_links():
    page = read_markdown("[" * 1000 + "\n\n[a](b) in [0, 1) and [0, 2)")
    assert page.text == "[" * 1000 + "\na in [0, 1) and [0, 2)"
    assert page.links == ("b",)


@pytest.mark.parametrize("mark", ["> ", "- "])
def test_the_deepest_text_is_read(mark):
    assert read_markdown(mark * 200 + "deep\n").text.removeprefix("• ") == "deep"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("/fault_<datetime>.txt | Hard", "/fault_<datetime>.txt | Hard"),
        ("| a |\n|---|\n| /fault_<datetime>.txt |", "a\n/fault_<datetime>.txt"),
        ("Run `rm <x>` in `a<b>c</b>`", "Run rm <x> in a<b>c</b>"),
        ("Put <x> into `<x></x>`", "Put <x> into <x></x>"),
        ("| a |\n|---|\n| `/fault_<datetime>.txt` |", "a\n/fault_<datetime>.txt"),
        ("read <PORT><PIN>, <git hash>", "read <PORT><PIN>, <git hash>"),
        ("<b>bold</b> <B>x</B> <emphasis>y</emphasis> <Badge new> <wbr>", "bold x y"),
        ('<a href="b">c</a> <x y="z">', "c"),
    ],
)
def test_a_tag_that_is_no_element_is_text(source, text):
    assert read_markdown(source).text == text


def test_slug():
    assert slug("A `b`_c: d-e?") == "a-b_c-d-e"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (
            "Treasurer: Oda Finke, oda@x.example\nChair: Ines",
            "Treasurer: Oda Finke, oda@x.example\nChair: Ines",
        ),
        ("**Phone:** 0171 555\n**Room (new):** 12", "Phone: 0171 555\nRoom (new): 12"),
        ("Note: a long remark\nthat goes on", "Note: a long remark that goes on"),
        ("Call at nine. Then: go\nPhone: 12", "Call at nine. Then: go Phone: 12"),
        ("One line: alone", "One line: alone"),
    ],
)
def test_lines_of_a_name_and_a_value_stay_lines(source, text):
    assert read_markdown(source).text == text
