"""The question's words and the pages found for it decide what kind of answer leads."""

import pytest

from vademecum.retrieval.documents.leading import (
    LEADS,
    SIGNS,
    TASK,
    OfLine,
    chance_of_lead,
    leading_kind,
    signals_of_lead,
    signs_of,
)
from vademecum.retrieval.documents.leading import SIGNALS as LEAD_SIGNALS


@pytest.mark.parametrize(
    ("text", "pages", "kind"),
    [
        ("how do I compress a folder", ["gzip(1)", "tar(1)"], "task"),
        ("what does -r of cp do", ["cp(1)"], "option"),
        ("what is a sticky bit", ["chmod(1)", "inode(7)"], "definition"),
        ("what does exit status 2 of grep mean", ["grep(1)"], "value"),
        ("difference between pgrep and pidof", ["pgrep(1)", "pidof(8)"], "difference"),
        ("why does rename fail with EXDEV", ["rename(2)"], "error"),
        ("what is the third field in /etc/passwd", ["passwd(5)"], "format"),
        ("read a line from a stream in C", ["getline(3)", "fgets(3)"], "function"),
        ("can tar read zip files", ["tar(1)"], "yes_no"),
    ],
)
def test_each_kind_is_told(text, pages, kind):
    assert leading_kind(text, pages) in ({kind, "option"} if kind == "value" else {kind})


def test_the_pages_tell_a_task_from_an_interface():
    text = "read a line of input and split it"
    assert leading_kind(text, ["cut(1)", "awk(1)", "read(1)"]) == TASK
    assert leading_kind(text, ["getline(3)", "strtok(3)", "scanf(3)"]) == "function"


@pytest.mark.parametrize("text", ["", "?", "x" * 10_000, "ls " * 500, "\N{SNOWMAN}"])
def test_any_text_is_of_a_kind(text):
    assert len(signs_of(text, [])) == len(SIGNS)
    assert leading_kind(text, []) in LEADS


def chance(line=None, **changed):
    usual = {"there": 0.9, "right": 0.8, "need": 0.7, "covered": 0.8, "named": False, "only_named": False}
    signals = signals_of_lead(**(usual | changed), words=5, lead=TASK, line=line)
    assert len(signals) == len(LEAD_SIGNALS)
    return chance_of_lead(signals)


def test_a_lead_is_likelier_where_the_documents_answer_and_it_has_the_words_of_the_question():
    assert chance(there=0.0) < chance(there=0.4) < chance(there=1.0)
    assert 0 < chance(covered=0.1) < chance() < chance(only_named=True) < 1


def test_a_line_is_likelier_where_its_task_is_and_nothing_is_left_out():
    likely = OfLine(chance=0.7, left_out=0, agrees=True, for_fact=False)
    assert chance(likely._replace(chance=0.2)) < chance(likely) < 1
    assert chance(likely._replace(left_out=2)) < chance(likely)
