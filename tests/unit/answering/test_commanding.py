"""What speaks to a language model is told from what is said to a reader."""

import json
from pathlib import Path

import pytest

from vademecum.answering.injection import commands_in, without_unseen

INJECTIONS = Path(__file__).parents[2] / "data" / "injections" / "documents.jsonl"
HARMLESS = INJECTIONS.with_name("harmless.txt").read_text(encoding="utf-8").splitlines()
DOCUMENTS = [json.loads(line) for line in INJECTIONS.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("document", DOCUMENTS, ids=[one["id"] for one in DOCUMENTS])
def test_a_document_that_speaks_to_a_model_is_seen(document):
    assert any(commands_in(paragraph) for paragraph in document["hostile"])


@pytest.mark.parametrize("document", DOCUMENTS, ids=[one["id"] for one in DOCUMENTS])
def test_honest_paragraphs_are_let_through(document):
    assert not any(commands_in(paragraph) for paragraph in document["honest"])


@pytest.mark.parametrize("text", HARMLESS)
def test_sentences_of_manuals_are_let_through(text):
    assert not commands_in(text)


def test_removes_invisible_characters():
    assert without_unseen("a\u200bb\u202ec\u00add\U000e0041\ufeff") == "abcd"
