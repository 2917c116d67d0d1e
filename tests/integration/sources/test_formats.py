"""Files as people have them: each format is read with its structure, and without its markup."""

import io
import json
import zipfile

import pytest

from vademecum.files.read import Unreadable
from vademecum.sources.docs.formats import Included, read_bytes

CELLS = [
    {"cell_type": "markdown", "source": ["# Pump\n", "Open `V-3`."]},
    {"cell_type": "code", "source": "start()", "outputs": [{"text": "noise"}]},
]
MAIL = "From: Ada <ada@example.org>\nSubject: Valve\n\nIt sticks.\n\n> Really?\n"
PAGE = 'MIME-Version: 1.0\nContent-Type: multipart/related; boundary="b"\n\n--b\nContent-Type: text/html\n\n<h1>Pump</h1><p>Open it.</p>\n--b--\n'
TEX = r"\title{Pump}\begin{document}\section{Start}Open \texttt{V-3}.\footnote{Behind it.}\begin{tabular}{ll}Part & g \\ Seal & 20\end{tabular}\end{document}"
DOCBOOK = "<article><title>Pump</title><section><title>Start</title><para>Open <b>it</b>.</para></section></article>"
W = "xmlns:w='w' xmlns:a='a' xmlns:p='p' xmlns:r='r'"
O = "xmlns:office='o' xmlns:text='t' xmlns:table='tb' xmlns:style='s' xmlns:draw='d'"  # noqa: E741 - like W


def zipped(**parts):
    with zipfile.ZipFile(file := io.BytesIO(), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name.replace("__", "/").replace("_DOT_", "."), content)
    return file.getvalue()


def paragraph(words, mark=""):
    return f"<w:p>{mark}<w:r><w:t>{words}</w:t></w:r></w:p>"


NUMBERED = "<w:pPr><w:numPr><w:ilvl w:val='0'/><w:numId w:val='7'/></w:numPr></w:pPr>"
DOCX = zipped(
    word__numbering_DOT_xml=f"<w:x {W}><w:abstractNum w:abstractNumId='1'><w:lvl w:ilvl='0'><w:numFmt w:val='decimal'/></w:lvl></w:abstractNum>"
    "<w:num w:numId='7'><w:abstractNumId w:val='1'/></w:num></w:x>",
    word__footnotes_DOT_xml=f"<w:x {W}><w:footnote w:id='2'>{paragraph('Behind it.')}</w:footnote></w:x>",
    word__header1_DOT_xml=f"<w:x {W}>{paragraph('Pump works')}</w:x>",
    word__document_DOT_xml=f"<w:x {W}>{paragraph('Open it.', NUMBERED)}{paragraph('Wait.', NUMBERED)}<w:p><w:r><w:t>See</w:t></w:r><w:footnoteReference w:id='2'/></w:p></w:x>",
)
PPTX = zipped(
    ppt__presentation_DOT_xml=f"<p:x {W}><p:sldId id='256' r:id='r1'/></p:x>",
    ppt___rels__presentation_DOT_xml_DOT_rels="<x><Relationship Id='r1' Target='slides/slide9.xml'/></x>",
    ppt__slides__slide9_DOT_xml=f"<p:x {W}><p:sp><p:ph type='title'/><a:p><a:t>Start</a:t></a:p></p:sp><p:sp><a:p><a:t>Open it.</a:t></a:p></p:sp></p:x>",
    ppt__slides___rels__slide9_DOT_xml_DOT_rels="<x><Relationship Id='n' Target='../notesSlides/notesSlide4.xml'/></x>",
    ppt__notesSlides__notesSlide4_DOT_xml=f"<p:x {W}><p:sp><a:p><a:t>Say why.</a:t></a:p></p:sp></p:x>",
)
ODT = zipped(
    content_DOT_xml=f"<office:x {O}><text:list-style style:name='L'/><text:h text:outline-level='1'>Start</text:h><text:list text:style-name='L'><text:list-item>"
    "<text:p>Open<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Behind it.</text:p></text:note-body></text:note> it.</text:p>"
    "</text:list-item></text:list><table:table><table:table-row><table:table-cell><text:p>Part</text:p></table:table-cell><table:table-cell>"
    "<text:p>g</text:p></table:table-cell></table:table-row></table:table></office:x>",
    mimetype="application/vnd.oasis.opendocument.text",
)


@pytest.mark.parametrize(
    ("suffix", "content", "blocks"),
    [
        (".ipynb", json.dumps({"cells": CELLS}), "Pump | Open V-3. | start()"),
        (".org", "* TODO Pump :tag:\n:PROPERTIES:\n:ID: x\n:END:\n:not-closed:\nOpen =V-3=, see [[http://x][the\nsite]].[fn:1]\n#+begin_src sh\ngo\n#+end_src", "Pump | :not-closed: Open V-3, see the site. | go"),
        (".tex", TEX, "Pump | Start | Open V-3. | Part | g⏎Seal | 20 | Behind it."),
        (".rtf", r"{\rtf1 Open it.\par Wait.\par}", "Open it. | Wait."),
        (".eml", MAIL, "Valve | From: Ada <ada@example.org> | It sticks. | Really?"),
        (".mbox", f"From a Tue Sep  1 10:00:00 2026\n{MAIL}\nFrom b Tue Sep  1 11:00:00 2026\n{MAIL}", "Valve | From: Ada <ada@example.org> | It sticks. | Really? | " * 2),
        (".mhtml", PAGE, "Pump | Open it."),
        (".json", '[{"part": "Seal", "g": 20}, {"part": "Cap", "g": 1.50}]', "part | g⏎Seal | 20⏎Cap | 1.50"),
        (".yaml", "# Where it is.\nplace: hall\nlimits:\n  # In bar.\n  pressure: 3\n", "place: hall⏎Where it is.⏎limits.pressure: 3⏎In bar."),
        (".toml", "[limits]\n# In bar.\npressure = 3", "limits.pressure: 3⏎In bar."),
        (".xml", "<pump id='7'><name>Main</name><limits><pressure>3</pressure></limits></pump>", "id: 7⏎name: Main⏎limits.pressure: 3"),
        (".xml", DOCBOOK, "Pump | Start | Open it."),
        (".srt", "1\n00:01:02,000 --> 00:01:03,000\nOpen <i>the\n\n2\n00:01:03,000 --> 00:01:04,000\nvalve.", "00:01:02⏎Open the valve."),
        (".vtt", "WEBVTT\n\n01:02.000 --> 01:03.000\n<v Ada>Open it.", "00:01:02⏎Ada: Open it."),
        (".log", "10:00 the pump started without any fault at all\n10:05 the pump stopped because the pressure was high", "10:00 the pump started without any fault at all | 10:05 the pump stopped because the pressure was high"),
        ("", "Pump\n====\n\n- Open it.", "Pump | Open it."),
        (".asc", "== Pump\n\nOpen `V-3`.", "Pump | Open V-3."),
        (".qmd", '::: {.callout-note title="Mind"}\nOpen it.\n:::\n\n{{< pagebreak >}}', "Mind | Open it."),
        (".mdx", 'import X from "x"\n\n<Tabs>\n  <Tab label="Shell">\n\n      ```sh\n      go\n      ```\n\n  </Tab>\n</Tabs>', "Shell | go"),
        (".md", "---\nowner: Ada\ntags: [a, b]\n---\nSee [[Valves|the valves]], [[Pump#Start]],![[x.png]] [[ -f x ]] and [[x]](y).[^1]\n\n[^1]: Behind it.\n\nBar\n: A unit.", "owner: Ada⏎tags: a, b | See the valves, Pump > Start, [[ -f x ]] and [x]. | Behind it. | Bar⏎A unit."),
        (".md", '+++\nowner = "Ada"\n+++\nOpen it.', "owner: Ada | Open it."),
        (".docx", DOCX, "Pump works | Open it. | Wait. | See | Behind it."),
        (".pptx", PPTX, "Start | Open it. | Say why."),
        (".odt", ODT, "Start | Open it. | Behind it. | Part | g"),
        (".txt", "Давление насоса не должно превышать трёх бар.".encode("koi8-r"), "Давление насоса не должно превышать трёх бар."),
        (".txt", "泵的压力不能超过三巴。会议从九点开始。".encode("gbk"), "泵的压力不能超过三巴。会议从九点开始。"),
        (".txt", "Open the valve.".encode("utf-16-le"), "Open the valve."),
    ],
)  # fmt: skip
def test_a_format_is_read_without_its_markup(suffix, content, blocks):
    parsed = read_bytes(content.encode() if isinstance(content, str) else content, suffix)
    found = " | ".join(parsed.text[block.start : block.end].replace("\n", "⏎") for block in parsed.blocks)
    assert found == blocks.rstrip("| ")
    assert suffix != ".docx" or "1. Open it.\n2. Wait." in parsed.text  # numbers are not in the blocks


LAUGHS = "a: &a [x, x]\n" + "".join(
    f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("suffix", "content", "fault"),
    [
        (".yaml", LAUGHS, "too-large"), (".json", "[" * 100_000, "damaged"), (".json", '{"a": ', "damaged"), (".toml", "a =", "damaged"), (".xml", "<a><b>", "damaged"),
        (".xml", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "damaged"), (".ipynb", "{}", "damaged"), (".mhtml", MAIL, "no-text"),
        (".asc", "-----BEGIN PGP SIGNATURE-----", "not-text"), (".odt", ODT[:200], "damaged"), (".odt", zipped(**{"META-INF/manifest_DOT_xml": "<encryption-data/>", "content_DOT_xml": "?"}), "encrypted"), (".pptx", zipped(x="y"), "not-text"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_read_has_a_name(suffix, content, fault):
    with pytest.raises(Unreadable) as caught:
        read_bytes(content.encode() if isinstance(content, str) else content, suffix)
    assert caught.value.fault == fault


@pytest.mark.parametrize(
    ("suffix", "line"),
    [(".rst", ".. include:: %s"), (".md", '--8<-- "%s"'), (".md", "{{#include %s}}"), (".adoc", "include::%s[]"), (".org", '#+INCLUDE: "%s"'), (".tex", r"\input{%s}")],
)  # fmt: skip
def test_included_files_are_read_within_the_folder_only(tmp_path, suffix, line):
    (tmp_path / "docs/parts").mkdir(parents=True)
    (tmp_path / "secret.md").write_text("Hunter2.")
    (tmp_path / f"docs/parts/part{suffix}").write_text("Open it.\n\n" + line % f"../page{suffix}")
    named = [line % name for name in (f"parts/part{suffix}", "../secret.md", "gone.md")]
    text = "\n\n".join(["Start.", *named, "End."])
    parsed = read_bytes(text.encode(), suffix, Included(str(tmp_path / "docs"), f"page{suffix}"))
    assert [parsed.text[block.start : block.end] for block in parsed.blocks] == ["Start.", "Open it.", "End."]
