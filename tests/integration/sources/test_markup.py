"""reStructuredText and AsciiDoc: structure, exact quotations, what is left out, and input that is built to do harm."""

import os
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vademecum import Library
from vademecum.sources.docs import DocsSource
from vademecum.sources.docs.asciidoc import read_asciidoc
from vademecum.sources.docs.formats import read_file
from vademecum.sources.docs.rst import read_rst
from vademecum.testing import broken_promises

RST = """\
:orphan:

=========
The Guide
=========

Start with :ref:`the part <part>`, :func:`~os.path.join` and `another <other.rst>`_ [1]_.

.. toctree::
   :maxdepth: 2

   hidden-page

.. option:: -v, --verbose

   Say :option:`more <-v>` of what is done.

.. py:function:: join(a, b)
   :noindex:

   Joins paths.

   :param a: the first path

.. note:: Be careful.

Server
======

Port : number
   The port is 8080.

-b FILE    use a file

* one

  1. inner

.. list-table:: Limits
   :header-rows: 1

   * - Plan
     - Size
   * - Free
     - 10 GB

.. code-block:: sh

   make install

.. include:: /etc/passwd

.. raw:: html

   <b>raw</b>

.. tab-set::

   .. tab-item:: Linux

      Run apt.

.. [1] A footnote.

Broken `markup
"""

ADOC = """\
= The Guide
Ann Author <ann@example.org>
:product: Widget Pro
:description: How to use {product}.

Welcome to *{product}*, _the_ `widget` tool. See https://example.org/a[the site^] and xref:other.adoc#x[another].
The name snake_case_name and 2 * 3 * 4 stay; footnotes do notfootnote:[Hidden note.].

// a hidden comment
////
a hidden block
////

[[install]]
== Installing

. Download it.
. Unpack it:
+
[source,bash]
----
tar xf widget.tar.gz <1>
----
<1> It needs tar.
. Run `make`.

NOTE: It takes 2 GB of memory.

[WARNING]
====
Do not run it as root.
====

* one
** inner

.Limits
[cols="1,2",options="header"]
|===
|Plan |Size

|Free
|10 GB

2+|Paid
|===

-v::
--verbose::
  Say more of what is done.

ifdef::env-github[]
Hidden on paper.
endif::[]
ifndef::env-github[]
Shown on paper.
endif::[]

include::/etc/passwd[]

Old Style
---------

See linkgit:git-log[1].

++++
<b>hidden</b>
++++
"""


def shape(parsed):
    return [
        (
            block.kind,
            block.level,
            parsed.text[block.start : block.end],
            parsed.text[block.start : block.tag_end],
        )
        if block.kind == "item"
        else (block.kind, block.level, parsed.text[block.start : block.end])
        for block in parsed.blocks
    ]


def test_restructured_text():
    parsed = read_rst(RST)
    assert shape(parsed) == [
        ("heading", 1, "The Guide"),
        ("paragraph", 0, "Start with the part, join and another."),
        ("item", 1, "-v, --verbose: Say more of what is done.", "-v, --verbose"),
        ("item", 1, "join(a, b): Joins paths.", "join(a, b)"),
        ("item", 2, "param a: the first path", "param a"),
        ("paragraph", 0, "Be careful."),
        ("heading", 2, "Server"),
        ("item", 1, "Port : number: The port is 8080.", "Port : number"),
        ("item", 1, "-b FILE: use a file", "-b FILE"),
        ("paragraph", 1, "one"),
        ("paragraph", 2, "inner"),
        ("paragraph", 0, "Limits"),
        ("table", 0, "Plan | Size\nFree | 10 GB"),
        ("code", 0, "make install"),
        ("item", 1, "Linux: Run apt.", "Linux"),
        ("paragraph", 0, "A footnote."),
        ("paragraph", 0, "Broken `markup"),
    ]
    assert "1. inner" in parsed.text
    assert "• one" in parsed.text
    assert parsed.links == ("other.rst",)


def test_asciidoc():
    parsed = read_asciidoc(ADOC)
    assert shape(parsed) == [
        ("heading", 1, "The Guide"),
        ("paragraph", 0, "Ann Author <ann@example.org>"),
        (
            "paragraph",
            0,
            (
                "Welcome to Widget Pro, the widget tool. See the site and another. "
                "The name snake_case_name and 2 * 3 * 4 stay; footnotes do not."
            ),
        ),
        ("heading", 2, "Installing"),
        ("paragraph", 1, "Download it."),
        ("paragraph", 1, "Unpack it:"),
        ("code", 1, "tar xf widget.tar.gz"),
        ("paragraph", 2, "It needs tar."),
        ("paragraph", 1, "Run make."),
        ("paragraph", 0, "It takes 2 GB of memory."),
        ("paragraph", 0, "Do not run it as root."),
        ("paragraph", 1, "one"),
        ("paragraph", 2, "inner"),
        ("paragraph", 0, "Limits"),
        ("table", 0, "Plan | Size\nFree | 10 GB\nPaid"),
        ("item", 1, "-v, --verbose: Say more of what is done.", "-v, --verbose"),
        ("paragraph", 0, "Shown on paper."),
        ("heading", 2, "Old Style"),
        ("paragraph", 0, "See git-log(1)."),
    ]
    assert parsed.blocks[3].anchor == "install"
    assert (parsed.title, parsed.summary) == ("The Guide", "How to use Widget Pro.")
    assert parsed.links == ("https://example.org/a", "other.adoc#x")
    assert "3. Run make." in parsed.text


@pytest.mark.parametrize(
    ("source", "rows"),
    [
        ("|===\n|A |B\n\n|1 |2\n|===", "A | B\n1 | 2"),
        ("[cols=2*]\n|===\n|A\n|B\n|1\n|2 \\| 3\n|===", "A | B\n1 | 2|3"),
        (',===\nA,B\n1,"2, 3"\n,===', "A | B\n1 | 2, 3"),
        ("|===\n|A |B |C\n\n2+|wide |z\n3*|x\n|===", "A | B | C\nwide |  | z\nx | x | x"),
    ],
    ids=["a first row", "columns declared", "with commas", "spans"],
)  # fmt: skip
def test_tables_of_asciidoc(source, rows):
    assert read_asciidoc(source).text == rows


def test_sections_are_below_the_title_of_the_file():
    source = "Guide\n=====\n\nIt is short.\n\nServer\n------\n\nIt runs.\n"
    headings = [(level, text) for kind, level, text, *_ in shape(read_rst(source)) if kind == "heading"]
    assert headings == [(1, "Guide"), (2, "Server")]


def test_cells_of_several_rows_are_in_each():
    source = "+---+---+\n| A | B |\n+===+===+\n| x | 1 |\n|   +---+\n|   | 2 |\n+---+---+\n"
    assert read_rst(source).text == "A | B\nx | 1\nx | 2"


def test_without_docutils_headings_are_found(tmp_path, monkeypatch):
    monkeypatch.delitem(sys.modules, "vademecum.sources.docs.rst")
    monkeypatch.setitem(sys.modules, "docutils", None)
    (tmp_path / "guide.rst").write_text("The Guide\n=========\n\nIt is short.\n")
    parsed = read_file(os.open(tmp_path / "guide.rst", os.O_RDONLY), ".rst")
    assert shape(parsed) == [("heading", 1, "The Guide"), ("paragraph", 0, "It is short.")]


def test_settings_of_docutils_in_a_folder_are_not_read(tmp_path, monkeypatch):
    (tmp_path / "docutils.conf").write_text("[general]\nfile_insertion_enabled: yes\n")
    (tmp_path / "secret.txt").write_text("The password is swordfish.")
    monkeypatch.chdir(tmp_path)
    source = ".. csv-table::\n   :file: secret.txt\n\nText.\n\n.. include:: secret.txt\n"
    assert "swordfish" not in read_rst(source).text


@pytest.mark.parametrize("read", [read_rst, read_asciidoc], ids=["rst", "asciidoc"])
@pytest.mark.parametrize(
    "source",
    [
        "*" * 100_000, "`" * 100_000, "[" * 100_000, "<<" * 50_000, "{a" * 50_000, "_a_" * 30_000, "=" * 100_000,
        "* " * 50_000, "|===\n" + "a|" * 50_000, ":a: {a}{a}\n" * 3_000 + "\n{a}", "a::\n" * 20_000,
        "ifdef::a[]\n" * 20_000, ". a\n+\n" * 10_000, "https://a[" * 10_000,
    ],
    ids=lambda source: f"{source[:5]!r}",
)  # fmt: skip
def test_input_that_is_built_to_take_long(read, source):
    began_s = time.process_time()
    read(source)
    assert time.process_time() - began_s < 20


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from([*ADOC.splitlines(), *RST.splitlines(), "", "\0", "|", "====", "+", "é😀"])))
def test_any_order_of_lines_keeps_blocks_in_the_text(lines):
    for parsed in (read_asciidoc("\n".join(lines)), read_rst("\n".join(lines))):
        ends = [0]
        for block in parsed.blocks:
            assert ends[-1] <= block.start <= block.tag_end <= block.end <= len(parsed.text)
            ends.append(block.end)


def test_both_are_answered_from(tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "guide.rst").write_text(RST)
    (folder / "widget.adoc").write_text(ADOC.replace("The Guide", "The Widget"))
    assert broken_promises(DocsSource(folder, "notes")) == []
    with Library.open(tmp_path / "library") as library:
        library.add_source(str(folder))
        library.reindex()
        assert "8080" in library.ask("which port does the server use?").to_markdown()
        assert "2 GB of memory" in library.ask("how much memory does the widget take?").to_markdown()
