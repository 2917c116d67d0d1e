"""What becomes of a sample manual: nodes, names, links, and blocks of text."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vademecum.core.documents import DocumentRef
from vademecum.core.passages import ITEM, OPTION
from vademecum.retrieval.lexical import depth, family, name_terms
from vademecum.retrieval.passages.passages import passages_of
from vademecum.sources.info import InfoSource
from vademecum.sources.info.markup import plain
from vademecum.sources.info.structure import read_structure
from vademecum.testing import broken_promises
from vademecum.text.words import terms

SAMPLE = Path(__file__).parents[2] / "data" / "info" / "sample.info"


@pytest.fixture(scope="module")
def refs():
    return list(InfoSource(SAMPLE, "info").scan())


@pytest.fixture(scope="module")
def documents(refs):
    found = InfoSource(SAMPLE, "info").read(refs)
    return {document.reference: document for document in found}


@pytest.fixture(scope="module")
def mow(documents):
    return documents["mow invocation(sample)"]


def shown(document, kind):
    return [document.text[block.start : block.end] for block in document.blocks if block.kind == kind]


def test_a_document_for_each_node_but_the_index(refs):
    assert all(isinstance(ref, DocumentRef) for ref in refs)
    assert [ref.key for ref in refs] == [
        "sample.info/Top",
        "sample.info/Tools",
        "sample.info/mow invocation",
        "sample.info/Spades",
    ]


def test_titles_are_paths(documents):
    assert [document.title for document in documents.values()] == [
        "sample",
        "sample: Tools",
        "sample: Tools > mow invocation",
        "sample: Tools > Spades",
    ]


def test_summaries_are_what_menus_say_else_the_heading(documents):
    assert {name: document.summary for name, document in documents.items()} == {
        "Top(sample)": "A manual for tests.",
        "Tools(sample)": "What one works with.",
        "mow invocation(sample)": "Run the mower.",
        "Spades(sample)": "Dig.",
    }


def test_a_node_answers_to_all_its_names(mow):
    assert mow.names == (
        "mow invocation(sample)",
        "sample: mow invocation",
        "mow(sample)",
        "(sample)mow invocation",
        "(sample)An Anchor",
    )


def test_a_reference_works_as_those_of_manual_pages_do(mow):
    assert "mow" in {name.partition("(")[0] for name in mow.names}
    assert len(name_terms(mow.names[:1])) == len(terms("mow invocation"))
    assert family(mow.reference) == "mow invocation"
    assert depth(mow.reference) == 0


def test_links_lead_to_nodes(documents):
    assert documents["mow invocation(sample)"].links == ("Spades(sample)", "Kinds of rakes(rake)")
    assert documents["Tools(sample)"].links == ("mow invocation(sample)", "Spades(sample)", "Top(rake)")


def test_menus_and_header_lines_are_not_text(documents):
    assert documents["Top(sample)"].text == "A Sample Manual\nThis manual is about gardens."
    assert documents["Tools(sample)"].text == "1 Tools\nThis stands after the menu."


def test_cross_references_read_as_info_shows_them(mow):
    assert shown(mow, "paragraph")[0] == (
        "‘mow’ cuts the grass. See Spades, for other tools, and see Rakes. Read the rest (see An Anchor). Synopsis:"
    )


def test_headings_have_levels_and_numbers_outside(mow):
    assert [block[3:5] for block in mow.blocks if block.kind == "heading"] == [
        (2, "mow invocation"),
        (3, "mow invocation"),
    ]
    assert shown(mow, "heading") == ["‘mow’: Cut the grass", "Exit status"]
    assert mow.text.startswith("1.1 ‘mow’: Cut the grass\n")


def test_examples_stay_as_they_are(mow):
    assert shown(mow, "code") == ["mow [OPTION]... LAWN\n\nmow --help", "$ mow --height=high park"]


def test_a_table(mow):
    assert shown(mow, "table") == ["Grass  Height\nlow  2 cm\nhigh  9 cm"]


def test_items_have_all_their_tags(mow):
    assert [mow.text[one.start : one.tag_end] for one in mow.blocks if one.kind == "item"] == [
        "-a\n--all",
        "-H HEIGHT, --height=HEIGHT",
        "--colour[=WHEN]",
        "never",
        "always",
        "Function: int mow (struct lawn *LAWN, int HEIGHT)\nMacro: MOW_ALL",
        "-height N\n-length N",
    ]
    assert {one.anchor for one in mow.blocks if one.kind == "item"} == {"mow invocation"}


def test_options_become_option_passages(mow):
    found = {
        mow.text[one.start : one.tag_end]: (one.kind, mow.text[one.start : one.end])
        for one in passages_of(mow)
    }
    assert found["-a\n--all"] == (OPTION, "-a\n--all\nCut all of it.\nEven the flowers.")
    assert found["-height N\n-length N"] == (OPTION, "-height N\n-length N\nIt is that high.")
    assert "-- Test: -height N" in mow.text
    assert found["never"] == (ITEM, "never\nDo not.")
    kind, text = found["-H HEIGHT, --height=HEIGHT"]
    assert kind == OPTION
    assert text.endswith("high park")
    assert "• ‘high’ - for sheep, which like to stand in it" in text


def test_lists_have_levels(mow):
    levels = {mow.text[one.start : one.end].split("\n")[0]: one.level for one in mow.blocks}
    assert levels["Even the flowers."] == 1
    assert levels["‘low’ - for games"] == 2
    assert levels["The default is ‘low’."] == 1
    assert levels["never"] == 2
    assert levels["Steps to take:"] == 0
    assert levels["Mow, if it is dry."] == 1


def test_a_quotation_and_footnotes_are_running_text(mow):
    assert any(
        text.startswith("A quotation is set like an example, but its lines are filled as far as the")
        for text in shown(mow, "paragraph")
    )
    assert shown(mow, "paragraph")[-2:] == ["It is zero.(1)", "(1) Unless it rains."]
    assert "-----" not in mow.text


def test_a_picture_is_what_is_drawn_for_it(documents):
    assert documents["Spades(sample)"].text == "Spades\nThey dig. | _|_"


LINES = st.sampled_from(
    [
        "", "plain words", "   Words that begin a paragraph", "     $ code", "          deeper code", "‘-o’", "`--old'",
        "'-n', '--new'", "     its body", "   * a bullet", "     of two lines", "  1. one", " -- Function: f (x)",
        "          (more)", "Heading", "=======", "*****", "...", "a  b  c", "* Menu:", "* One::  Said.", "* Two: One.",
        "*note One::", "See *Note", "One: (x)One.", "\x1f", '\x00\x08[image text="a\n b"\x00\x08]', "\tx", "“é”", "-",
        "     A quotation that is filled up to the margin, as running text would be", "   ---------- Footnotes ----------",
    ]
)  # fmt: skip


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(bodies=st.lists(st.lists(LINES, max_size=30), min_size=1, max_size=4))
def test_offsets_hold_whatever_a_node_does(bodies, tmp_path):
    nodes = (
        f"\x1f\nFile: x.info,  Node: N{at}\n\n" + "\n".join(body) + "\n" for at, body in enumerate(bodies)
    )
    (tmp_path / "x.info").write_text("".join(nodes))
    broken = broken_promises(InfoSource(tmp_path / "x.info", "info"))
    assert broken in ([], ["It lists no document."])


@given(text=st.text(max_size=500))
def test_any_text_can_be_read(text):
    layout = read_structure(plain(text), "N")
    assert all(layout.text[one.start : one.end].strip() for one in layout.blocks)
