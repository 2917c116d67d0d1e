"""Files of questions: what is read, and what is refused, by line."""

import pytest

from vademecum.core.errors import ConfigError
from vademecum.desks.linux.questions import Question, read_questions


def test_a_question_with_everything(write_questions):
    path = write_questions(
        {
            "question": "make a tree writable",
            "gold": ["chmod(1)", "chmod(2)"],
            "must_contain": ["chmod", "-R|--recursive"],
            "answerable": True,
            "section": "1",
            "kind": "how",
            "flags": [{"anything": None}],
        }
    )
    assert read_questions(path) == [
        Question(
            question="make a tree writable",
            gold=("chmod(1)", "chmod(2)"),
            must_contain=("chmod", "-R|--recursive"),
            answerable=True,
            section="1",
            kind="how",
        )
    ]


def test_only_the_question_is_needed(write_questions):
    nothing = {"gold": None, "must_contain": None, "answerable": None, "section": None, "kind": None}
    path = write_questions({"question": "why"}, "", "  ", {"question": "why", **nothing}, "")
    assert read_questions(path) == [Question(question="why")] * 2


def test_lines_may_end_as_on_windows_and_begin_with_a_mark(write_questions):
    path = write_questions(
        b'\xef\xbb\xbf{"question": "gr\xc3\xb6\xc3\x9fe", "section": 3}\r', b'{"question": "b"}\r'
    )
    assert read_questions(path) == [Question(question="größe", section="3"), Question(question="b")]


def test_a_line_separator_within_a_string_ends_no_line(write_questions):
    assert read_questions(write_questions('{"question": "a\u2028b\x85"}')) == [
        Question(question="a\u2028b\x85")
    ]


GOOD = {"question": "how"}


@pytest.mark.parametrize(
    ("lines", "line", "what"),
    [
        ([], 1, "no question"),
        (["", " "], 1, "no question"),
        ([GOOD, "how do I"], 2, "not JSON"),
        ([GOOD, "", '{"question": "how"'], 3, "not JSON"),
        (["[" * 100_000], 1, "not JSON"),
        (["[", "]"], 1, "not JSON"),
        ([[1]], 1, "not a JSON object"),
        (["null"], 1, "not a JSON object"),
        ([b'{"question": "gr\xf6\xdfe"}'], 1, "not UTF-8"),
        ([{}], 1, 'no "question"'),
        ([{"question": None}], 1, 'no "question"'),
        ([{"question": " "}], 1, '"question" is empty'),
        ([{"question": ["how"]}], 1, '"question" is not a string'),
        (['{"question": "\\ud800"}'], 1, "half a character"),
        ([GOOD | {"gold": "chmod(1)"}], 1, '"gold" is not a list'),
        ([GOOD | {"gold": [""]}], 1, '"gold" holds an empty string'),
        ([GOOD | {"must_contain": "chmod"}], 1, '"must_contain" is not a list'),
        ([GOOD | {"must_contain": [["a", "b"]]}], 1, '"must_contain" is not a list of strings'),
        ([GOOD | {"must_contain": ["| |"]}], 1, "no option"),
        ([GOOD | {"leads": ["tail"]}], 1, '"leads" is not a list'),
        ([GOOD | {"leads": [[]]}], 1, '"leads" is not a list of lists'),
        ([GOOD | {"leads": [["|-"], ["| |"]]}], 1, "no option"),
        ([GOOD | {"explains": ["-x"]}], 1, '"explains" is not an object'),
        ([GOOD | {"explains": {"-x": 1}}], 1, '"explains" is not an object of strings'),
        ([GOOD | {"answerable": "false"}], 1, '"answerable" is neither'),
        ([GOOD | {"answerable": 0}], 1, '"answerable" is neither'),
        ([GOOD | {"section": ["1"]}], 1, '"section" is not'),
        ([GOOD | {"kind": True}], 1, '"kind" is not'),
    ],
)
def test_faults_name_the_line_and_the_way_out(write_questions, lines, line, what):
    path = write_questions(*(str(entry) if isinstance(entry, list) else entry for entry in lines))
    with pytest.raises(ConfigError, match=what) as caught:
        read_questions(path)
    assert caught.value.message.startswith(f"{path}, line {line}: ")
    assert caught.value.hint


def test_files_that_cannot_be_read(tmp_path):
    for path, why in [(tmp_path / "none.jsonl", "No such file"), (tmp_path, "directory")]:
        with pytest.raises(ConfigError, match=why) as caught:
            read_questions(path)
        assert str(path) in caught.value.message
        assert caught.value.hint
