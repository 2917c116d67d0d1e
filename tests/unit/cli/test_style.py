"""How an answer looks where a person reads it."""

import re

import pytest

from vademecum.cli._style import shown, width_of, wrapped

ANSWER = """\
_Warning: mind the gap between the platform and the train, which is wider here than elsewhere on this line_

## Summary

chmod - change file mode bits, said at some length so that it has to be broken somewhere (manual) [1] (book) [12]

## Steps

1. `-R, --recursive`: change files and directories recursively, and all that is in them as well (manual) [1]
2. `chmod a-w x` (book) [12]
3. `` a `b` c ``: x (manual) [1]

## References

- manual: [1] chmod(1), [3] scp(1)
- book: [12] A title <https://example.org/x>, [13] B <javascript:alert(1)>

_Confidence: 73%_
"""


def bare(text):
    return re.sub(r"\x1b\[\dm|\x1b\]8;;[^\x1b]*\x1b\\", "", text)


@pytest.mark.parametrize("columns", [40, 60, 80, 300])
def test_it_fits_and_says_all(columns):
    text = shown(ANSWER, columns, styles=True)
    assert max(map(width_of, bare(text).splitlines())) <= min(columns, 100)
    words = re.findall(r"\w+", re.sub(r" <https[^>]*>|^_|_$", "", ANSWER, flags=re.MULTILINE))
    assert re.findall(r"\w+", bare(text)) == words
    assert "\x1b[1mSummary\x1b[0m" in text
    assert "\x1b[1m-R, --recursive\x1b[0m" in text
    assert "##" not in text


def test_documents_that_can_be_opened_are_links():
    text = shown(ANSWER, 80, styles=True)
    assert "[1] \x1b]8;;man:chmod(1)\x1b\\chmod(1)\x1b]8;;\x1b\\, [3] \x1b]8;;man:scp(1)\x1b\\scp(1)" in text
    assert "[12] \x1b]8;;https://example.org/x\x1b\\A title\x1b]8;;\x1b\\" in text
    assert "8;;javascript" not in text


def test_without_styles_there_is_no_escape_and_code_keeps_its_marks():
    text = shown(ANSWER, 60, styles=False)
    assert "\x1b" not in text
    assert "\nSummary\n" in text
    assert "1. `-R, --recursive`\n" in text
    assert "<https://example.org/x>" in text
    assert max(map(len, text.splitlines())) <= 60


@pytest.mark.parametrize("columns", [0, 1, 5])
def test_a_terminal_of_no_width(columns):
    assert "chmod" in shown(ANSWER, columns, styles=True)


def test_a_document_cannot_steer_the_terminal():
    nasty = "a \x1b[31mred\x1b]8;;http://x\x07 \x9b2J \x02b\x03 \u202ec\u2066 (m) [1]\n"
    text = shown(nasty, 80, styles=True)
    assert "\x1b[31" not in text
    assert not set(text) & {"\x07", "\x9b", "\x02", "\x03", "\u202e", "\u2066"}
    assert "8;;" not in text.replace("]8;;http://x ", "")


def test_wide_and_combining_characters():
    assert (width_of("漢字"), width_of("e\u0301"), width_of("ab")) == (4, 1, 2)
    assert all(width_of(line) <= 10 for line in wrapped("漢字 " * 20, 10))


def test_a_word_that_is_too_long_stays_whole():
    assert wrapped("x" * 50 + " y", 20) == ["x" * 50, "y"]
