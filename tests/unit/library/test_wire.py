"""What travels between the service and its clients arrives as it was."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.core.answers import Answer, Citation, LineNotes, Reference, Statement
from vademecum.core.trace import Trace
from vademecum.library.service.unix_http import to_json
from vademecum.library.service.wire import answer_from_wire, answer_to_wire

words = st.text(st.characters(codec=None))
counts = st.integers(min_value=0, max_value=10**9)
shares = st.floats(min_value=0, max_value=1)
positions = st.lists(counts, max_size=3).map(tuple)
statements = st.lists(st.builds(Statement, text=words, command=words, citations=st.just(())), max_size=3)
references = st.lists(
    st.builds(Reference, number=counts, alias=words, document_ref=words, label=words, url=words, notes=words),
    max_size=3,
)
citations = st.lists(
    st.builds(
        Citation, number=counts, alias=words, document=words, document_ref=words, location=words,
        start=counts, end=counts, quote=words,
    ),
    max_size=3,
)  # fmt: skip
answers = st.builds(
    Answer, question=words, outcome=st.sampled_from(["answered", "partial", "not_found"]), confidence=shares,
    answerability=shares, summary=statements.map(tuple), steps=statements.map(tuple),
    references=references.map(tuple), citations=citations.map(tuple), no_answer=st.booleans(),
    guidance=st.lists(words).map(tuple), see_also=references.map(tuple), dropped=counts,
    warnings=st.lists(words).map(tuple),
    lines=st.builds(LineNotes, *[st.lists(words).map(tuple)] * 3),
)  # fmt: skip


@given(answers)
def test_an_answer_arrives_as_it_was(answer):
    answer.trace.record("analyse", terms=[{"term": "a", "rarity": 0.1}], kinds=["how_to"], none=None)
    answer.trace.record("decide", confidence=0.30000000000000004, reasons=[])
    found = answer_from_wire(json.loads(json.dumps(answer_to_wire(answer))))
    assert found.trace.to_dict() == answer.trace.to_dict()
    assert found.trace.steps == answer.trace.steps
    for field in Answer.__dataclass_fields__:
        if field != "trace":
            assert getattr(found, field) == getattr(answer, field)


@pytest.mark.parametrize("data", [{}, {"trace": []}, [], "x", {"trace": [{}]}])
def test_rejects_what_is_no_answer(data):
    with pytest.raises((TypeError, KeyError, ValueError, AttributeError)):
        answer_from_wire(data)


def test_a_trace_is_whole():
    trace = Trace()
    trace.record("verify", verdicts=["supported"], dropped=0)
    answer = Answer(question="q", outcome="not_found", confidence=0.0, answerability=0.0, trace=trace)
    assert answer_to_wire(answer)["trace"][0]["saw"] == {"verdicts": ["supported"], "dropped": 0}


values = st.recursive(
    st.none() | st.booleans() | st.integers() | words,
    lambda inner: st.lists(inner) | st.dictionaries(words, inner),
    max_leaves=10,
)


@given(values)
def test_json_by_hand_is_json(value):
    written = to_json(value)
    assert written.isascii()
    assert json.loads(written) == value
