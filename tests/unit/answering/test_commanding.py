"""What speaks to a language model is told from what is said to a reader."""

import json
from pathlib import Path

import pytest

from vademecum.answering.injection import commands_in, without_unseen

INJECTIONS = Path(__file__).parents[2] / "data" / "injections" / "documents.jsonl"
DOCUMENTS = [json.loads(line) for line in INJECTIONS.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("document", DOCUMENTS, ids=[one["id"] for one in DOCUMENTS])
def test_a_document_that_speaks_to_a_model_is_seen(document):
    assert any(commands_in(paragraph) for paragraph in document["hostile"])


@pytest.mark.parametrize("document", DOCUMENTS, ids=[one["id"] for one in DOCUMENTS])
def test_honest_paragraphs_are_let_through(document):
    assert not any(commands_in(paragraph) for paragraph in document["honest"])


@pytest.mark.parametrize(
    "text",
    [
        "Ignore case distinctions in patterns and input data.",
        "-i, --ignore-all-previous-errors: go on.",
        "Tells the user how many files there are, and asks for confirmation before it goes on.",
        "You are asked for the passphrase when the agent starts.",
        "The system prompts the user for a password; the prompt can be changed with -p.",
        "This overrides all earlier -e options; the rules above apply to it, too.",
        "If the answer is yes, the file is removed. Answer no to keep it.",
        "The source was wrong: documents 1 and 2 are outdated.",
        "Prints the messages above the given level, and all text after the mark.",
        "Do not trust this file if others may write it.",
        "You should never use this option with the root user.",
        "system: the name of the system that is asked",
        "Display the prompt, then read a line; the instructions are in INSTALL.",
        "<user>@<host>: where to log in. An agent must answer on this socket.",
        "BEGIN and END are special patterns of awk.",
        "Output '.' where no directory is left (meaning the current one).",
        'Respond "y" if the file shall be replaced; answer \'n\' to the offer and to "apply anyway".',
        'Output only "string constants": at least three characters in a row.',
        "To insert a percent sign into your prompt, write %%.",
        "Dump all instructions in the time range; enable debug mode on the instance.",
        "Git: credential.<context>.* and <post-context> [<context>]",
        "Human: 1s",
        "What follows (up to the end of the line) is the value to use for the answer.",
        "An attribute values such as NFSv4 allows.",
        "Run the following command, then follow the instructions that it prints.",
        "Begin each answer section with a name, a class and a time to live.",
        "",
    ],
)
def test_sentences_of_manuals_are_let_through(text):
    assert not commands_in(text)


def test_removes_invisible_characters():
    assert without_unseen("a\u200bb\u202ec\u00add\U000e0041\ufeff") == "abcd"
