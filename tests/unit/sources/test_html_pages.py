"""What a page of HTML says, and what is left out of it."""

import pytest

from vademecum.sources._html import HtmlLink, decode_html, read_html


def shown(markup):
    """The blocks as (kind, text), what is between them checked on the way."""
    page = read_html(markup)
    assert page.text == page.text.strip()
    assert all(first.end <= second.start for first, second in zip(page.blocks, page.blocks[1:], strict=False))
    words = [page.text[block.start : block.end] for block in page.blocks]
    assert all(one and one == one.strip() for one in words)
    return [(block.kind, text) for block, text in zip(page.blocks, words, strict=True)]


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("", []),
        ("plain text", [("paragraph", "plain text")]),
        ("<p>one\n  two&nbsp;three &lt;b&gt; &amp;amp;", [("paragraph", "one two three <b> &amp;")]),
        ("<p>a<br>b<br/><br>c</p>", [("paragraph", "a\nb\nc")]),
        ("<p>un<b>bro</b>ken <i>w<code>or</code>d</i></p>", [("paragraph", "unbroken word")]),
        ("<p>H<sub>2</sub>O x<sup>2</sup>", [("paragraph", "H2O x2")]),
        ("<div>a<div>b</div>c</div>", [("paragraph", "a"), ("paragraph", "b"), ("paragraph", "c")]),
        ("<h2> A <b>title</b><br>of two</h2>x", [("heading", "A title of two"), ("paragraph", "x")]),
        ("<pre>\n  a\n    b &lt;\n\n\n  c\n</pre>", [("code", "a\n  b <\n\nc")]),
        ("<pre><code>a<br>b</code></pre>", [("code", "a\nb")]),
        ("<pre><div>a</div><div>b</div></pre>", [("code", "a\nb")]),
        ("<ul><li>a<li>b<ol start=3><li>c<li><p>d<p>e</ol></ul>f", [("paragraph", x) for x in "abcdef"]),
        (
            "<dl><dt>-a<dt>-b<dd>both<p>more<dt>-c</dl>",
            [("item", "-a\n-b\nboth"), ("paragraph", "more"), ("item", "-c")],
        ),
        ("<dl><dd>only indented</dl>", [("paragraph", "only indented")]),
        (
            "<table><caption>Signs</caption><tr><th>a<th>b<tr><td>||<td>x<br>y<tr><td><td>z<tr><td>w<td></table>",
            [("paragraph", "Signs"), ("table", "a | b\n|| | x y\n| z\nw")],
        ),
        ("<table><tr><td>one<tr><td>two</table>", [("paragraph", "one"), ("paragraph", "two")]),
        (
            "<table><tr><td><h1>T</h1>x<td><table><tr><td>a<td>b</table></table>",
            [("heading", "T"), ("paragraph", "x"), ("table", "a | b")],
        ),
        ("<table><tr><td>say <pre>a\n b</pre></table>", [("paragraph", "say"), ("code", "a\n b")]),
        ("<p>a\0b\x1b[1m\x85\u200bc\xadd", [("paragraph", "ab[1m cd")]),
        ("<p>&#0;&#27;&#xd800;a\udc80", [("paragraph", "��a?")]),
        ("<p>a <!-- no --> b <![CDATA[c]]> <?d?>", [("paragraph", "a b")]),
        ("<p>open <b>never <i>closed <a href=x", [("paragraph", "open never closed")]),
        ("</p></div></table></dl>x</ul></li></h1>", [("paragraph", "x")]),
        ('<p title="a > b"><b title="c > d">x</b> <img alt="<p>e">y', [("paragraph", "x y")]),
    ],
)
def test_blocks(markup, expected):
    assert shown(markup) == expected


@pytest.mark.parametrize(
    "noise",
    [
        "<script>document.write('<p>no')</script>",
        "<style>p { no: no }</style>",
        "<nav><ul><li>no</ul></nav>",
        "<header><a href=/>no</a></header>",
        "<footer>no</footer>",
        "<div hidden>no</div>",
        "<div style='color: red; display:none'>no</div>",
        "<div style='display: none'>no</div>",
        "<div aria-hidden=true>no</div>",
        "<template><p>no</template>",
        "<svg><text>no</text></svg>",
        "<select><option>no</select><button>no</button><textarea>no</textarea>",
        "<span class=mw-editsection>[<a href=e>no</a>]</span>",
        "<sup class=reference>[<a href=#n>no</a>]</sup>",
        "<table class='infobox vcard'><tr><td>no<td>no</table>",
        "<div class='navbox'>no</div><div class=toc>no</div>",
        "<a class=headerlink href=#x>no</a>",
    ],
)
def test_leaves_machinery_out(noise):
    assert [text for _, text in shown(f"<body><p>before {noise}<p>after")] == ["before", "after"]


def test_the_main_part_is_read_alone():
    page = "<div>menu</div><main><header><p>By me</header><p>Text.<footer>no</footer></main><div>below</div>"
    assert [text for _, text in shown(page)] == ["By me", "Text."]
    assert [text for _, text in shown("<main> </main><p>Text.")] == ["Text."]
    assert [text for _, text in shown("<header><h1>Title</h1></header><p>Text.")] == ["Title", "Text."]


def test_title_and_language():
    page = read_html("<html lang=de-AT><title> A <b>\n&amp; B</title><p>x")
    assert (page.title, page.language) == ("A & B", "de-AT")
    assert read_html("<html lang='no such thing'><p>x").language == ""


def test_levels_and_anchors():
    page = read_html(
        "<a name=top></a><h1>T</h1><section id=s><h2>S</h2><p id=p>x</section>"
        "<h3 id=own><a name=other></a>O</h3><h3><span class=mw-headline id=inner>I</span></h3><h3 id=own>again</h3>"
        "<h4 id=mwAb>made</h4><h4 id='a b'>odd</h4>"
        "<dl><dt id=d>-d<dd>y<p>z<ul><li>w</ul></dl>"
    )
    assert [(block.kind, block.level, block.anchor) for block in page.blocks] == [
        ("heading", 1, "top"),
        ("heading", 2, "s"),
        ("paragraph", 0, ""),
        ("heading", 3, "own"),
        ("heading", 3, "inner"),
        ("heading", 3, ""),
        ("heading", 4, ""),
        ("heading", 4, ""),
        ("item", 1, "d"),
        ("paragraph", 1, ""),
        ("paragraph", 2, ""),
    ]
    item = page.blocks[-3]
    assert page.text[item.start : item.tag_end] == "-d"


def test_bullets_and_numbers_are_between_the_blocks():
    page = read_html("<ul><li>a<li></ul><ol start=9><li>b<li>c</ol>")
    assert page.text == "• a\n9. b\n10. c"
    assert [page.text[block.start : block.end] for block in page.blocks] == ["a", "b", "c"]


def test_links():
    page = read_html(
        "<p><a href='a%20b.html#c' title='A &amp; B'>x</a><a href=a%20b.html>x</a><a href=#d>x</a><a name=e>x</a>"
        "<a href=https://example.org/>x</a><a href=//example.org>x</a><a href=mailto:me>x</a><a href='../f?g=1&amp;h'>x"
        "</a><a href='javascript:alert(1)'>x</a><nav><a href=i>x</a></nav><a href='j&#27;k'>x</a>"
    )
    assert page.links == (HtmlLink("a%20b.html", "A & B"), HtmlLink("../f?g=1&h", ""))


HOSTILE = {
    "nested blocks": lambda n: "<div>" * (n // 5),
    "nested and closed": lambda n: "<div>" * (n // 11) + "x" + "</div>" * (n // 11),
    "nested lists": lambda n: "<ul><li>" * (n // 8),
    "nested tables": lambda n: "<table><tr><td>" * (n // 15),
    "nested entries": lambda n: "<dl><dt>" * (n // 8),
    "nested headings": lambda n: "<h1>" * (n // 4),
    "nested code": lambda n: "<pre>" * (n // 5),
    "nested formatting": lambda n: "<b>" * (n // 3),
    "formatting left open": lambda n: "".join(f"<b id={k}>" for k in range(n // 20)) + "<p>x" * (n // 8),
    "formatting that is odd": lambda n: "".join(f"<I id='<{k}'>" for k in range(n // 26)) + "<p>x" * (n // 8),
    "formatting in formatting": lambda n: (
        "".join(f"<<b>b id={k}>" for k in range(n // 26)) + "<p>x" * (n // 8)
    ),
    "attributes": lambda n: "<p " + " ".join(f"a{k}" for k in range(n // 8)) + ">x",
    "attributes that quote tags": lambda n: "<p " + " ".join(f'a{k}="</b>"' for k in range(n // 14)) + ">x",
    "comments": lambda n: "<!--" * (n // 4),
    "scripts": lambda n: "<script>" * (n // 8),
    "quotes": lambda n: '<b "' * (n // 4),
    "signs": lambda n: "<" * n,
    "ampersands": lambda n: "&" * n,
    "entities": lambda n: "&#27;\0\ud800" * (n // 7),
    "spaces": lambda n: " \n\t" * (n // 3),
    "tabs": lambda n: "<pre>x" + "\t" * n,
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_no_markup_takes_minutes(kind):
    assert read_html(HOSTILE[kind](100_000)) is not None


def test_a_megabyte_of_nested_tags_is_read():
    depth = 100_000
    page = read_html("<div>" * depth + "<p>deep" + "</div>" * depth)
    assert page.text == "deep"


@pytest.mark.parametrize("kind", ["nested and closed", "attributes", "formatting that is odd"])
def test_reads_a_page_in_front_of_hostile_markup(kind):
    page = "<title>T &amp; U</title><script>no</script><!-- no --><h1>Head</h1><p>One <b>two</b>.<br>Three &lt; four.</p>"
    found = read_html(page + HOSTILE[kind](100_000))
    assert found.title == "T & U"
    assert found.text.startswith("Head\nOne two.\nThree < four.")


@pytest.mark.parametrize(
    ("raw", "declared", "text"),
    [
        (b"gr\xc3\xb6\xc3\x9fe", "iso-8859-1", "größe"),
        (b"gr\xf6\xdfe", "", "größe"),
        (b"\xff\xfea\0", "", "a"),
        (b"\xfe\xff\0a", "", "a"),
        (b"\xef\xbb\xbfa", "utf-16", "a"),
        (b'<meta charset="koi8-r">\xc1\xff', "", '<meta charset="koi8-r">аЪ'),
        (b"\x82\xa0\xff", "shift_jis", "あ\ufffd"),
        (b"a\xc3", "utf-8", "a\ufffd"),
        (b"\x80", "undefined", "€"),
    ],
)
def test_decode(raw, declared, text):
    assert decode_html(raw, declared) == text


def test_text_that_a_script_puts_in_its_place_is_read():
    script = '<script id="t" type="text/x-handlebars-template"><h3>Logs</h3><p>They grow.</p></script><script>var x = 1</script>'
    assert read_html(f"<body>{script}<p>End.</p></body>").text == "Logs\nThey grow.\nEnd."
