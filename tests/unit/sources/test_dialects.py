"""The dialects of Markdown that books are written in: what they say stays, their machinery goes, code is left alone."""

import time

import pytest

from vademecum.sources._dialects import plain_markdown
from vademecum.sources._markdown import read_markdown


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ('!REDIRECT "https://example.org/x.html"\n\n# Here\n\nStill here.', "Here\nStill here."),
        ('{% hint style="info" %}\nMind this.\n{% endhint %}', "Mind this."),
        ('{% tabs %}\n{% tab title="Linux" %}\nRun it.\n{% endtab %}\n{% endtabs %}', "Linux\nRun it."),
        ("{% youtube %}\n\nSeen above.\n", "Seen above."),
        (":::{note}\n:class: wide\nInside.\n:::\nAfter.", "Inside.\nAfter."),
        (":::note[Take care]\nInside.\n:::", "Take care\nInside."),
        (":::tip Good to know\nInside.\n:::", "Good to know\nInside."),
        (
            "::::{grid} 1 2 2\n:::{card} First\nOne.\n:::\n:::{card} Second\nTwo.\n:::\n::::",
            "First\nOne.\nSecond\nTwo.",
        ),
        ("```{figure} a.png\n:alt: x\nWhat it shows.\n```", "What it shows."),
        ("```{toctree}\nintro\nnext\n```\nText.", "Text."),
        ("```{code-block} sh\n:linenos:\nls -l\n```", "ls -l"),
        ('!!! note "Mind"\n    This here.\n\nAfter.', "Mind\nThis here.\nAfter."),
        ("??? tip\n    Folded.\n", "Folded."),
        ('=== "Linux"\n\n    Run it.\n', "Linux\nRun it."),
        ("> [!WARNING]\n> Hot.", "Hot."),
        ("See {ref}`the guide <guide>` and {doc}`start`.", "See the guide and start."),
        ("{{#include ../a.md}}\nText.", "Text."),
        (
            "See [the board](https://a.example/{{ book.version }}/b.md), {{ book.version }}.",
            "See the board, {{ book.version }}.",
        ),
        ("[TOC]\n\n[[_TOC_]]\n\nText.", "Text."),
        ("import Tabs from '@theme/Tabs';\n\nText.", "Text."),
        ("Text {.wide #here}", "Text"),
    ],
)
def test_a_block_is_read_as_what_it_says(source, text):
    assert read_markdown(source).text == text


@pytest.mark.parametrize(
    "source",
    [
        "```sh\n# {% raw %} ::: !!! {{#include x}}\n:::{note}\n```",
        "~~~\n{% if %}\n```\n~~~",
        "Write `{% youtube %}` and ``{{#include x}}`` there.",
        "A plain text, with {braces} and :colons: and 50 % of it.",
        "import this from there, they said.",
        "Nothing.\n\n!!! not indented\nhere",
        "a ::: b",
    ],
)
def test_code_and_plain_text_stay_to_the_letter(source):
    assert plain_markdown(source) == source


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("Each [library](/libs){.external} also.", "Each library also."),
        ("[a](b){target=_blank}, ![c](d.png){ width=300 .e}.", "a, c."),
        ("[a](<b c> 'd('){: .e #f}\n[`a`][b]{.c}\n\n[b]: c", "a a"),
        ("*a*{.b} __c__{: #d} `e`{.sh}", "a c e"),
        ("- `--force`{.opt}: overwrite", "--force\noverwrite"),
        ("| a |\n|---|\n| [b](c){.d} e |", "a\nb e"),
        ("## Name {.wide}\n\nText", "Name\nText"),
        ("{: .wide}\nText", "Text"),
        ("`[a](b){.c}` and ``d`{.e}``", "[a](b){.c} and d`{.e}"),
        ("```\n[a](b){.c}\n## Name {.d}\n```", "[a](b){.c}\n## Name {.d}"),
        ("    [a](b){.c}\n    d {.e}", "[a](b){.c}\nd {.e}"),
        ("| a |\n|---|\n| `[b](c){.d}` |", "a\n[b](c){.d}"),
        ("The sum of x_{i=1} and f(x){.a}", "The sum of x_{i=1} and f(x){.a}"),
        ("[a](b) {c} `{.d}`", "a {c} {.d}"),
    ],
)
def test_attributes_are_left_out_but_not_in_code_and_formulas(source, text):
    assert read_markdown(source).text == text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("## Name {#my-label .wide}", "Name"),
        ("## Name {: #my-label}", "Name"),
        ("## `{#x}` {.a #my-label}", "{#x}"),
        ("(my-label)=\n## Name", "Name"),
        ('<a id="my-label"></a>\n\n## Name', "Name"),
        ('## Name <a name="my-label"></a>', "Name"),
        ("## Name {#my-label}", "Name"),
    ],
)
def test_an_explicit_anchor_is_that_of_the_heading(source, text):
    page = read_markdown(source)
    (heading,) = page.blocks
    assert (heading.anchor, page.text) == ("my-label", text)


def test_an_anchor_in_the_middle_of_text_is_not_the_next_headings():
    blocks = read_markdown('<a id="here"></a>\nText.\n\n## Name').blocks
    assert [block.anchor for block in blocks if block.kind == "heading"] == ["name"]


@pytest.mark.parametrize(
    "opening",
    [":::{note}\n", "```{note}\n", "::::{grid}\n:::{card} A\n", '!!! note "A"\n    ', "{% hint %}\n"],
)
def test_a_block_that_is_never_closed_keeps_its_text(opening):
    assert "The end is here." in read_markdown(f"{opening}The end is here.\n").text


@pytest.mark.parametrize(
    "piece", [":::{note}\n", "```{note}\n", "!!! note\n    ", "> [!NOTE]\n> ", "{% if %}", "<a id=x>"]
)
def test_a_page_of_nothing_but_marks_ends_soon(piece):
    began_s = time.process_time()
    plain_markdown(piece * 3_000)
    assert time.process_time() - began_s < 5


@pytest.mark.parametrize(
    "source",
    [
        "x {a=" + "a=b" * 20_000,
        "x {" + "a=b.c" * 20_000,
        " {" + ".a " * 60_000 + "x",
        "x" + " " * 200_000 + "{a}x",
        "\t" * 200_000 + "{",
        "!!! " + "a" * 200_000 + "!",
        "!!! " + "a " * 100_000 + "!",
        "!!! a\n" * 30_000,
        "!!! a\n\n" * 30_000,
        "import from 'a' " + " " * 200_000 + "x",
        "{a}`" + " " * 200_000 + "x`",
        "{a}`" + "<" * 200_000 + "`",
        "{% " + "a" * 200_000 + "%x",
        "{{#a " * 40_000,
        "{" + "`" * 100_000 + "a" * 100_000,
        "# <a id=" + "a" * 200_000,
        "# " + "<a id=x" * 30_000,
        "<a id=x>\n# a {#a}" + " " * 200_000 + "x",
        "[a](" + "[a](b){.c " * 20_000,
    ],
)
def test_no_pattern_tries_the_same_again_and_again(source, ordinary_s):
    began_s = time.process_time()
    plain_markdown(source)
    assert time.process_time() - began_s < 20 * ordinary_s


@pytest.fixture(scope="module")
def ordinary_s():
    """How long it takes to read ordinary text of that length."""
    ordinary = ("Ordinary words, with `code` and *some* stress. " * 5000)[:200_000]
    began_s = time.process_time()
    plain_markdown(ordinary)
    read_markdown(ordinary)
    return time.process_time() - began_s


def test_every_page_of_the_real_books_is_free_of_machinery(pytestconfig):
    from pathlib import Path

    folder = Path(pytestconfig.rootpath, "..", "shared", "data", "book")
    if not folder.is_dir():
        pytest.skip("the books are not here")
    seen = 0
    for file in folder.rglob("*.md"):
        if file.name == "SOURCE.md":
            continue
        page = read_markdown(file.read_text())
        code = [page.text[block.start : block.end] for block in page.blocks if block.kind == "code"]
        prose = page.text
        for one in code:
            prose = prose.replace(one, "")
        assert "!REDIRECT" not in prose, file
        assert "{%" not in prose, file
        assert ":::" not in prose, file
        seen += 1
    assert seen == 251
