"""Tasks that a document shows: an instruction, then the commands that carry it out."""

import pytest

from vademecum.core.documents import Block
from vademecum.retrieval.passages.examples import shown_tasks


def shown(*parts, manual=""):
    """Return the tasks of (kind, text) blocks; the tag of an item is its first line."""
    blocks, text = [], ""
    for kind, said in parts:
        start = len(text)
        tag_end = start + len(said.partition("\n")[0]) if kind == "item" else start
        blocks.append(Block(kind, start, start + len(said), 1, "", tag_end))
        text += said + "\n"
    return [(need.text, need.line) for need in shown_tasks(text, blocks, manual=manual)]


HEADING = ("heading", "Restart the billing workers")


def test_the_sentence_before_commands_and_the_heading_say_what_they_do():
    parts = (
        HEADING,
        ("paragraph", "It is Monday. Restart one after the other:"),
        ("code", "systemctl restart a\nsystemctl restart b"),
    )
    line = "systemctl restart a\nsystemctl restart b"
    assert shown(*parts) == [("Restart one after the other", line), ("Restart the billing workers", line)]


def test_output_below_a_prompt_is_no_command():
    assert shown(HEADING, ("code", "$ ls -l \\\n    /srv\ntotal 0\n$ pwd\n/srv")) == [
        ("Restart the billing workers", "ls -l /srv\npwd")
    ]


def test_comments_say_what_the_lines_below_them_do():
    code = "# stop the old service\nsystemctl stop old\n# start the new service\nsystemctl start new"
    assert shown(HEADING, ("code", code)) == [
        ("Restart the billing workers", "systemctl stop old\nsystemctl start new"),
        ("stop the old service", "systemctl stop old"),
        ("start the new service", "systemctl start new"),
    ]


@pytest.mark.parametrize(
    "code",
    [
        "name: billing\nport: 80",
        "print(1)",
        "grep [OPTION]... PATTERNS",
        "Total 5",
        "\n".join(f"echo {number}" for number in range(20)),
        "echo " + "x" * 2_000_000,
        "",
    ],
)
def test_code_that_is_no_short_list_of_commands_is_no_task(code):
    assert shown(HEADING, ("code", code)) == []


def test_an_example_of_a_manual_is_one_command_of_the_page():
    examples = ("heading", "EXAMPLES")
    assert shown(
        examples,
        ("item", "tool -x a.txt\nPack one file at a time. It is slow."),
        ("item", "To pack all letters:\ntool -a"),
        ("item", "other -x\nPack one file at a time."),
        ("paragraph", "Pack the letters of today."),
        ("code", "$ tool -t\n$ tool --today"),
        ("code", "tool -t\nother -x"),
        manual="tool(1)",
    ) == [
        ("Pack one file at a time", "tool -x a.txt"),
        ("To pack all letters", "tool -a"),
        ("Pack the letters of today", "tool -t"),
    ]


@pytest.mark.parametrize(
    ("said", "is_task"),
    [
        ("For example, to pack the letters of today, use:", True),
        ("If you want to pack only letters, try", True),
        ("The obvious but wrong answer is to pack twice:", False),
        ("To see the following output:", False),
    ],
)
def test_the_text_of_a_manual_must_say_what_for(said, is_task):
    found = shown(("heading", "Packing"), ("paragraph", said), ("code", "tool -t"), manual="tool(1)")
    assert [line for _, line in found] == ["tool -t"] * is_task
