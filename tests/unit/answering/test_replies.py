"""A model's reply is read while it comes, whatever its form, and never fails."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.answering.reply import MOST_CLAIMS, Claim, Reader, corrected

ASKED_FOR = {
    "summary": [
        {"citations": [{"passage": 1, "quote": 'tell of "all"'}], "text": "It tells of all. It is quick."},
        {"citations": [{"passage": 2, "quote": ""}, {"passage": 3, "quote": "b"}], "text": "Ünïcode, too."},
    ],
    "steps": [{"citations": [{"passage": 2, "quote": "c"}], "command": "ls -l", "text": "List them."}],
}
CLAIMS = [
    Claim("summary", "It tells of all.", "", (1,), ('tell of "all"',)),
    Claim("summary", "It is quick.", "", (1,), ('tell of "all"',)),
    Claim("summary", "Ünïcode, too.", "", (2, 3), ("b",)),
    Claim("steps", "List them.", "ls -l", (2,), ("c",)),
]


def read(text, size=None):
    reader = Reader()
    pieces = [text[at : at + size] for at in range(0, len(text), size)] if size else [text]
    claims = [claim for piece in pieces for claim in reader.feed(piece)]
    return claims + reader.end()


@pytest.mark.parametrize("size", [None, 1, 7])
@pytest.mark.parametrize("form", [{}, {"indent": 2}, {"ensure_ascii": False}, {"separators": (",", ":")}])
def test_reads_the_format_that_was_asked_for(form, size):
    assert read(json.dumps(ASKED_FOR, **form), size) == CLAIMS


def test_a_sentence_comes_as_soon_as_it_is_whole():
    text = json.dumps(ASKED_FOR)
    reader, came = Reader(), {}
    for place, letter in enumerate(text):
        for claim in reader.feed(letter):
            came[claim.text] = place
    assert came["It tells of all."] == text.index("}", text.index("quick"))
    assert came["Ünïcode, too."] == text.index("}", text.index("too."))
    assert came["List them."] == text.index("}", text.index("them."))
    assert reader.end() == []


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ('```json\n{"summary": ["All is told [1]."], "steps": []}\n```', [("summary", "All is told.", "", (1,))]),
        ('{"summary": "One. Two [2].", "citations": [1]}', [("summary", "Two.", "", (2,)), ("summary", "One.", "", (1,))]),
        (
            '{"Summary": [{"sentence": "One.", "cites": ["[1]", "2"]}]}',
            [("summary", "One.", "", (1, 2))],
        ),
        ('{"summary": [{"text": "One.", "passage": 3, "quote": "o"}]}', [("summary", "One.", "", (3,))]),
        ('{"steps": [{"command": "`ls`", "citations": [1.0]}]}', [("steps", "", "ls", (1,))]),
        ('[{"text": "One.", "citations": [4]}]', [("summary", "One.", "", (4,))]),
        ('{"answer": {"text": "One.", "citations": [4]}}', [("summary", "One.", "", (4,))]),
        ('{"summary": [{"text": "Cut short.", "citations": [1]}, {"te', [("summary", "Cut short.", "", (1,))]),
        ('{"summary": [{"text": "Line\nbreak.", "citations": [1]}]}', [("summary", "Line", "", (1,)), ("summary", "break.", "", (1,))]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("size", [None, 1])
def test_other_forms_of_json(text, claims, size):
    assert [(one.part, one.text, one.command, one.cites) for one in read(text, size)] == claims


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("It tells of all [1]. It is quick. [2]", [("summary", "It tells of all.", "", (1,)), ("summary", "It is quick.", "", (2,))]),
        ("See open(2) and e.g. read(2) [1, 3].", [("summary", "See open(2) and e.g. read(2).", "", (1, 3))]),
        ("**Summary**: All is *told* [1].\n\n## Steps\n\n1. `ls -l`: List them [2]\n2. Look. [3]\n", [
            ("summary", "All is told.", "", (1,)), ("steps", "List them", "ls -l", (2,)), ("steps", "Look.", "", (3,))]),
        ("Steps:\n- First [1]\n- Then [2]\n\nSources:\n- [1] nowhere\n- [2] there", [("steps", "First", "", (1,)), ("steps", "Then", "", (2,))]),
        ("Nothing is cited.", [("summary", "Nothing is cited.", "", ())]),
        ("From passage 【4†L1】 it follows 【4†L1-L2】.", [("summary", "From passage it follows.", "", (4,))]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("size", [None, 1, 5])
def test_prose(text, claims, size):
    assert [(one.part, one.text, one.command, one.cites) for one in read(text, size)] == claims


@given(st.text(max_size=300), st.integers(1, 20))
def test_nothing_breaks_it(text, size):
    for claim in read(text, size):
        assert claim.text or claim.command
        assert all(isinstance(one, int) for one in claim.cites)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9), lambda one: st.lists(one, max_size=4) | st.dictionaries(st.sampled_from(["summary", "steps", "text", "citations", "quote", "passage", "command", "x"]), one, max_size=4)), st.integers(1, 9))  # fmt: skip
def test_no_json_breaks_it_and_pieces_do_not_matter(data, size):
    text = json.dumps(data)
    if text[0] in "{[":
        assert read(text, size) == read(text)


def test_an_endless_reply_is_cut():
    claims = read(
        json.dumps({"summary": [{"text": f"Sentence {n}.", "citations": [1]} for n in range(500)]}), 50
    )
    assert len(claims) == MOST_CLAIMS


@pytest.mark.parametrize(
    "text", ["[" * 30_000, '{"summary": "' + "a" * 100_000, "a " * 30_000, '{"a":' * 10_000, "1. " * 20_000]
)
def test_hostile_lengths_take_no_time(text):
    began_s = time.process_time()
    read(text, 4096)
    assert time.process_time() - began_s < 3


def test_corrections():
    text = '{"corrected": [{"place": 2, "citations": [{"passage": 1, "quote": "x"}], "command": "", "text": "So."}, {"place": "3"}, 7]}'
    assert corrected(f"Here: {text} done") == {2: Claim("summary", "So.", "", (1,), ("x",))}
    for nonsense in (
        "",
        "{",
        "[]",
        '{"corrected": 3}',
        '{"corrected": [{"place": true, "text": "So."}]}',
        "[" * 9999,
    ):
        assert corrected(nonsense) == {}
