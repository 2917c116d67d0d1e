"""Where the pages of a book can be read, by what makes a site of it."""

import pytest

from vademecum.ask.sites import Part, Site


@pytest.mark.parametrize(
    ("style", "reference", "path"),
    [
        ("docusaurus", "intro.md", "intro"),
        ("docusaurus", "01-basics/02-nodes.md", "basics/nodes"),
        ("docusaurus", "basics/index.md", "basics"),
        ("docusaurus", "basics/README.md", "basics"),
        ("docusaurus", "basics/basics.md", "basics"),
        ("docusaurus", "2024-06.md", "2024-06"),
        ("mdbook", "guide/start.md", "guide/start.html"),
        ("mdbook", "README.md", "index.html"),
        ("gitbook", "guide/README.md", "guide"),
        ("gitbook", "guide/start.md", "guide/start"),
        ("mkdocs", "guide/start.md", "guide/start/"),
        ("mkdocs", "guide/index.md", "guide/"),
        ("mkdocs", "index.md", ""),
        ("sphinx", "guide/index.md", "guide/index.html"),
        ("plain", "guide/start here.md", "guide/start%20here.md"),
    ],
)
def test_a_page_has_the_address_its_site_gives_it(style, reference, path):
    site = Site((Part("", "https://example.org/book/", style),), {})
    assert site.url(reference) == f"https://example.org/book/{path}"
    assert site.url(reference, "the-end") == f"https://example.org/book/{path}#the-end"


def test_parts_of_a_book_have_addresses_of_their_own():
    site = Site.from_data(
        {"parts": [Part("", "/docs", "plain")._asdict(), Part("px4", "/docs/px4", "gitbook")._asdict()]}
    )
    assert site.url("px4/log/logging.md") == "/docs/px4/log/logging"
    assert site.url("px4.md") == "/docs/px4.md"
    assert Site.from_data(site.to_data()) == site


def test_a_page_may_say_its_own_address():
    site = Site((Part("", "/docs", "docusaurus"),), {"a/b.md": "find-the-way", "c.md": "/"})
    assert site.url("a/b.md", "x") == "/docs/find-the-way#x"
    assert site.url("c.md") == "/docs/"


def test_quotes_what_could_steer_a_browser():
    url = Site((Part("", "/docs", "plain"),), {}).url('a"><script>.md', 'x" onclick="y')
    assert not set('"<> ') & set(url)
