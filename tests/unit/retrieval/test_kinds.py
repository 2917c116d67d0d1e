"""Kinds of question, by their words."""

import json
from pathlib import Path

import pytest

from vademecum.retrieval.question.kinds import kinds_of

CASES = Path(__file__).with_name("kinds.jsonl").read_text("utf-8").splitlines()


@pytest.mark.parametrize(("question", "kinds"), [*map(json.loads, CASES)])
def test_kinds(question, kinds):
    assert kinds_of(question) == set(kinds)


def test_a_part_of_a_word_is_no_sign():
    assert kinds_of("informational rustic officers") == frozenset()
