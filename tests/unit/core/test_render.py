"""Markdown, plain text and JSON say the same."""

import json
import re
from dataclasses import replace

import pytest

from vademecum.core.answers import (
    LOW_CONFIDENCE,
    Answer,
    Citation,
    LineNotes,
    Reference,
    Statement,
    render_json,
    render_markdown,
    render_plain,
    to_dict,
)
from vademecum.core.evidence import COMPOSED
from vademecum.core.trace import Trace
from vademecum.text.printable import inert


def citation(number, alias, reference, quote):
    where = {"document": f"{alias}:00", "document_ref": reference, "location": reference}
    return Citation(number=number, alias=alias, **where, start=0, end=len(quote), quote=quote)


ANSWER = Answer(
    question="how",
    outcome="partial",
    confidence=0.7251,
    answerability=0.9,
    summary=(
        Statement(text="chmod - change", citations=(0,)),
        Statement(text="It does.", citations=(0, 1, 2)),
    ),
    steps=(
        Statement(text="recursively", command="-R", citations=(1,)),
        Statement(text="", command="chmod a-w x", citations=(2,)),
    ),
    references=(
        Reference(number=1, alias="manual", document_ref="chmod(1)", label="chmod(1)", notes="change"),
        Reference(number=2, alias="book", document_ref="x", label="A title", url="https://example.org/x"),
        Reference(number=3, alias="manual", document_ref="chown(1)", label="chown(1)"),
    ),
    citations=(
        citation(1, "manual", "chmod(1)", "chmod - change"),
        citation(1, "manual", "chmod(1)", "-R recursively"),
        citation(2, "book", "x", "chmod a-w x"),
    ),
    dropped=1,
    warnings=("mind the gap",),
)
REFUSAL = Answer(
    question="how",
    outcome="not_found",
    confidence=0.1,
    answerability=0.2,
    no_answer=True,
    guidance=("No document mentions “x”.", LOW_CONFIDENCE),
    see_also=(
        Reference(number=0, alias="manual", document_ref="a(1)", label="a(1)", notes="a page"),
        Reference(number=0, alias="manual", document_ref="b(1)", label="b(1)"),
    ),
)


def test_markdown():
    assert (
        render_markdown(ANSWER)
        == """\
_Warning: mind the gap_

## Summary

chmod - change (manual) [1]
It does. (manual) [1] (book) [2]

## Steps

1. `-R`: recursively (manual) [1]
2. `chmod a-w x` (book) [2]

## References

- manual: [1] chmod(1), [3] chown(1)
- book: [2] A title <https://example.org/x>

_Confidence: 73% (likely); left out 1 sentence that could not be verified_
"""
    )


def test_plain_is_the_same_without_markup():
    markdown = render_markdown(ANSWER)
    bare = re.sub(r"^## |`|^_|_$", "", markdown, flags=re.MULTILINE)
    assert render_plain(ANSWER) == bare != markdown


@pytest.mark.parametrize(
    ("dropped", "said"), [(0, ""), (1, "; left out 1 sentence that"), (2, "; left out 2 sentences that")]
)
def test_counts_dropped_sentences(dropped, said):
    last = render_plain(replace(ANSWER, dropped=dropped)).splitlines()[-1]
    assert last.startswith(f"Confidence: 73% (likely){said}")
    assert ("left out" in last) == bool(dropped)


def test_shared_markers_are_shown_once():
    same = tuple(Statement(text=text, citations=(0,)) for text in ("One.", "Two.", "Three."))
    assert "\n\nOne.\nTwo.\nThree. (manual) [1]\n\n" in render_markdown(replace(ANSWER, summary=same))


def test_the_line_of_a_task_is_the_summary_with_its_parts_as_steps_and_other_lines_last():
    first, other = (
        Statement(text="", command=line, citations=(0,), origin=COMPOSED) for line in ("a -x b", "a -y")
    )
    part = Statement(text="One.", command="-x", citations=(0,))
    notes = LineNotes(left_out=("quickly",), values=("b",), destroying=("a -y",))
    answer = replace(ANSWER, summary=ANSWER.summary[:1], steps=(first, part, other), lines=notes)
    shown = render_markdown(answer)
    assert "## Summary\n\n`a -x b`\nchmod - change (manual) [1]\n\n_Left out: “quickly”._\n\n" in shown
    assert "## Steps\n\n1. `-x`: One. (manual) [1]\n- or `a -y` (manual) [1]\n" in shown
    data = json.loads(render_json(answer))
    assert data["summary"] == "a -x b\nchmod - change"
    assert data["steps"][0]["origin"] == "composed"
    assert data["lines"] == {"left_out": ["quickly"], "values": ["b"], "destroying": ["a -y"]}
    assert data["warnings"][:2] == ["mind the gap", "Left out: “quickly”."]
    assert data["warnings"][2].endswith(": a -y")


def test_a_guess_is_a_refusal_that_shows_the_nearest_thing():
    shown = render_plain(
        replace(ANSWER, no_answer=True, outcome="not_found", confidence=0.2, guidance=(LOW_CONFIDENCE,))
    )
    assert shown.index(LOW_CONFIDENCE) < shown.index("chmod - change")
    assert "Confidence: 20% (a guess)" in shown


@pytest.mark.parametrize(
    ("confidence", "word"),
    [(1, "sure"), (0.85, "sure"), (0.849, "likely"), (0.6, "likely"), (0.599, "a guess")],
)
def test_the_confidence_has_three_words(confidence, word):
    assert to_dict(replace(ANSWER, confidence=confidence))["certainty"] == word


def test_references_say_how_to_read_on_and_what_may_do_as_well():
    first, *others = ANSWER.references
    also = (Reference(number=0, alias="manual", document_ref="cp(1)", label="cp(1)"),)
    answer = replace(
        ANSWER,
        references=(replace(first, read_with="man 1 chmod", section="OPTIONS"), *others),
        see_also=also,
    )
    assert (
        "[2] A title <https://example.org/x>\n- read more: `man 1 chmod` (OPTIONS)\n- also: cp(1)\n"
        in render_markdown(answer)
    )
    assert json.loads(render_json(answer))["references"][0]["read_with"] == "man 1 chmod"
    assert str(answer) == render_plain(answer).rstrip("\n")


def test_a_refusal():
    assert (
        render_markdown(REFUSAL)
        == f"""\
No document mentions “x”.

{LOW_CONFIDENCE}

## See also

- a(1): a page
- b(1)

_Confidence: 10% (a guess)_
"""
    )
    assert "See also" not in render_plain(replace(REFUSAL, see_also=()))


def test_every_section_is_there_and_none_is_empty():
    first, *others = ANSWER.references
    opened = replace(ANSWER, steps=(), references=(replace(first, read_with="man 1 chmod"), *others))
    steps = "\nSteps\n\n1. Read more: man 1 chmod\n2. Read more: A title\n3. Read more: chown(1)\n\n"
    assert steps in render_plain(opened)
    assert render_plain(opened).count("man 1 chmod") == 1
    assert "## Summary\n\n`-R`: recursively (manual) [1]\n" in render_markdown(replace(ANSWER, summary=()))


def test_how_a_follow_up_was_taken_is_said_first():
    answer = replace(ANSWER, read_as="copy directory cp: and only newer files?")
    assert render_markdown(answer).startswith(
        "_Interpreted as: copy directory cp: and only newer files?_\n\n_Warning"
    )
    assert json.loads(render_json(answer))["read_as"] == answer.read_as
    assert json.loads(render_json(ANSWER))["read_as"] is None


def test_a_url_that_says_what_the_label_says_is_data_only():
    page = Reference(number=1, alias="m", document_ref="a(1)", label="a(1)", url="man:a(1)")
    answer = replace(ANSWER, references=(page,))
    assert "- m: [1] a(1)\n" in render_markdown(answer)
    assert json.loads(render_json(answer))["references"][0]["url"] == "man:a(1)"


@pytest.mark.parametrize(
    ("command", "shown"), [("ls", "`ls`"), ("a `b` c", "`` a `b` c ``"), ("``", "``` `` ```")]
)
def test_backticks_in_a_command(command, shown):
    answer = replace(ANSWER, steps=(Statement(text="x", command=command, citations=(0,)),))
    assert f"\n1. {shown}: x (manual) [1]\n" in render_markdown(answer)
    assert f"\n1. {command}: x (manual) [1]\n" in render_plain(answer)


def test_json_is_the_data():
    data = json.loads(render_json(ANSWER))
    assert data == json.loads(json.dumps(to_dict(ANSWER)))
    assert data["summary"] == "chmod - change\nIt does."
    assert data["steps"][0] == {"text": "recursively", "command": "-R", "citations": [1], "origin": None}
    assert data["references"][1]["url"] == "https://example.org/x"
    assert data["references"][0]["url"] is None
    assert [one["quote"] for one in data["citations"]] == [one.quote for one in ANSWER.citations]
    assert (data["confidence"], data["dropped"], data["warnings"]) == (0.7251, 1, ["mind the gap"])
    assert "“" in render_json(REFUSAL)
    assert json.loads(render_json(REFUSAL))["see_also"][0]["notes"] == "a page"


def test_the_trace_is_there_when_asked_for():
    trace = Trace()
    trace.record("decide", threshold=0.35)
    answer = replace(ANSWER, trace=trace)
    assert "trace" not in json.loads(render_json(answer))
    (step,) = json.loads(render_json(answer, explain=True))["trace"]["steps"]
    assert (step["name"], step["threshold"]) == ("decide", 0.35)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("See ![it](http://a.example/x.png).", r"See !\[it]\(http://a.example/x.png)."),
        ("See [it](javascript:run).", r"See [it]\(javascript:run)."),
        ("<IMG src=x onerror=run> and </script>", r"\<IMG src=x onerror=run> and \</script>"),
        ("a[1] (b) < c, <stdio.h>, x![y]", r"a[1] (b) < c, <stdio.h>, x!\[y]"),
    ],
)
def test_markup_of_a_document_is_inert(text, shown):
    assert inert(text) == shown
