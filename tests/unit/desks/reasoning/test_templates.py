"""Files of reasoning templates: every way in which one may be written, or miswritten."""

import os
from pathlib import Path

import pytest

from vademecum.core.documents import Problem
from vademecum.core.errors import TemplatesClash
from vademecum.desks.reasoning.templates import (
    FALLBACK,
    Template,
    find_templates,
    parse_template,
    read_template,
)

WHOLE = """---
name: "Proof by Contradiction"
domain: mathematics
complexity: complex
methodology: deductive
keywords: [proof, contradiction, QED]
description: "Assumes the opposite"
use_when: ["It cannot be."]
near: [case-analysis]
author: somebody
rating: {stars: 5, votes: [1, 2]}
---

## Steps

1. **State the claim.**
"""


def parsed(text, name="proof.md"):
    return parse_template(text, Path(name))


def written(folder, text, name="one.md"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_reads_every_field():
    one = parsed(WHOLE, "some/proof-by-contradiction.md")
    assert one.id == "proof-by-contradiction"
    assert (one.name, one.domain, one.complexity) == ("Proof by Contradiction", "mathematics", "complex")
    assert (one.methodology, one.description) == ("deductive", "Assumes the opposite")
    assert one.keywords == ("proof", "contradiction", "QED")
    assert (one.use_when, one.near) == (("It cannot be.",), ("case-analysis",))
    assert one.content == "## Steps\n\n1. **State the claim.**"
    assert one.file_path == "some/proof-by-contradiction.md"
    assert one.other == {"author": "somebody", "rating": {"stars": "5", "votes": ["1", "2"]}}
    assert one.warnings == ()
    assert one.to_dict()["other"] == one.other


@pytest.mark.parametrize(
    "text", ["Just steps.", "---\n---\nJust steps.", "---\nname:\ndomain: ~\n---\nJust steps."]
)
def test_defaults(text):
    one = parsed(text, "think-hard.md")
    assert (one.name, one.domain, one.complexity, one.methodology) == (
        "think-hard",
        "general",
        "moderate",
        "sequential",
    )
    assert (one.keywords, one.description, one.content) == ((), "", "Just steps.")
    assert one.warnings == ()


@pytest.mark.parametrize(
    ("written_as", "expected"),
    [
        ("proof, contradiction", ("proof", "contradiction")),
        ("proof; assume the opposite", ("proof", "assume the opposite")),
        ("assume the opposite", ("assume the opposite",)),
        ("[a, a, b]", ("a", "b")),
        ("[on, 2026-01-02, 3.10, null, yes]", ("on", "2026-01-02", "3.10", "yes")),
        ("[]", ()),
        ("\n  - one\n  - two words", ("one", "two words")),
        ("\n- one\n- two", ("one", "two")),
        ('["a, b", c]', ("a, b", "c")),
        ("{a: b}", ()),
        ("[[a], b]", ("b",)),
    ],
)
def test_keywords(written_as, expected):
    assert parsed(f"---\nkeywords: {written_as}\n---\nx").keywords == expected


@pytest.mark.parametrize("value", ["2026-11-22", "yes", "off", "true", "3.10", "1e3", "0x1F", "12:30:00"])
def test_dates_booleans_and_numbers_stay_as_written(value):
    assert parsed(f"---\nname: {value}\n---\nx").name == value


def test_byte_order_marks_and_line_ends_do_not_matter():
    plain = parsed(WHOLE)
    assert parsed("\ufeff" + WHOLE) == plain
    assert parsed(WHOLE.replace("\n", "\r\n")) == plain
    assert parsed(WHOLE.replace("\n", "\r")) == plain


def test_tabs():
    one = parsed("---\nname:\tTabbed\nkeywords:\n\t- one\n\t- two\n---\n\n\tcode\n")
    assert (one.name, one.keywords) == ("Tabbed", ("one", "two"))
    assert one.content == "\tcode"


def test_rules_in_the_body_belong_to_it():
    one = parsed("---\nname: A\n---\nBefore\n\n---\n\nname: B\n---\nAfter\n")
    assert one.name == "A"
    assert one.content == "Before\n\n---\n\nname: B\n---\nAfter"


def test_a_body_that_begins_with_a_rule_has_no_front_matter():
    one = parsed("---\n\nJust a rule above.\n\n---\nMore\n")
    assert one.content.startswith("---")
    assert one.name == "proof"


def test_unsound_yaml_is_read_by_lines_with_a_warning():
    text = "---\nname: Split: and rule\ndescription: 'open\nkeywords: [a, b]\nuse_when:\n  - it: is: odd\n---\nBody\n"
    one = parsed(text)
    assert one.name == "Split: and rule"
    assert one.keywords == ("a", "b")
    assert one.use_when == ("it: is: odd",)
    assert one.content == "Body"
    assert len(one.warnings) == 1
    assert "YAML" in one.warnings[0]


def test_a_bomb_of_references_does_not_grow():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    one = parsed("---\n" + "\n".join(lines) + "\nname: Bomb\n---\nBody\n")
    assert one.name == "Bomb"
    assert len(str(one.to_dict())) < 5000
    assert "not followed" in one.warnings[0]


def test_deep_nesting_and_tags_do_nothing():
    deep = parsed("---\nname: Deep\nx: " + "[" * 3000 + "]" * 3000 + "\n---\nBody")
    assert deep.name == "Deep"
    assert deep.warnings
    tagged = parsed("---\nname: !!python/object/apply:os.system ['exit 3']\ndomain: d\n---\nBody")
    assert tagged.domain == "d"
    assert tagged.name == "proof"
    assert ["name" in warning for warning in tagged.warnings] == [True]


def test_the_first_of_two_equal_fields_counts():
    assert parsed("---\nname: A\nname: B\n---\nx").name == "A"


def test_the_other_name_of_the_fallback():
    one = parsed("x", "bot-chain-of-thought.md")
    assert one.id == FALLBACK
    assert one.is_fallback


def test_a_file_with_questions_beside_it(tmp_path):
    path = written(tmp_path, "Steps")
    (tmp_path / "asked").mkdir()
    (tmp_path / "asked/one.txt").write_text("how so\r\n\n  why   not \nhow so\n")
    assert read_template(path).asked == ("how so", "why not")


@pytest.mark.parametrize(
    ("raw", "fault"),
    [
        (b"", "empty"),
        (b"---\nname: Only\n---\n\n", "empty"),
        ("Größe".encode("latin-1"), "not-utf-8"),
        (b"a\0b", "not-utf-8"),
        (b"x" * (1 << 20) + b"x", "too-large"),
    ],
)
def test_reports_an_unreadable_file_as_a_problem(tmp_path, raw, fault):
    found = read_template(written(tmp_path, raw))
    assert isinstance(found, Problem)
    assert found.fault == fault
    assert found.hint
    assert found.message


def test_utf_16_is_read(tmp_path):
    assert read_template(written(tmp_path, WHOLE.encode("utf-16"))).name == "Proof by Contradiction"


def test_pipes_folders_and_links_are_problems_and_never_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "folder.md").mkdir()
    (tmp_path / "link.md").symlink_to("/etc/passwd")
    paths, problems = find_templates([tmp_path])
    assert problems == []
    assert [path.name for path in paths] == ["folder.md", "link.md", "pipe.md"]
    assert [type(read_template(path)) for path in paths] == [Problem] * 3
    assert isinstance(read_template(tmp_path / "gone.md"), Problem)


def test_finds_visible_markdown_files_alone(tmp_path):
    for name in ("a.md", ".hidden.md", "b.txt", "c.MD", ".md"):
        written(tmp_path, "x", name)
    (tmp_path / "deeper").mkdir()
    written(tmp_path / "deeper", "x", "d.md")
    paths, _ = find_templates([tmp_path, tmp_path / "deeper" / ".."])
    assert [path.name for path in paths] == ["a.md"]
    assert isinstance(read_template(paths[0]), Template)


def test_two_files_of_one_stem_are_a_named_error(tmp_path):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        written(tmp_path / folder, "x", "same.md")
    with pytest.raises(TemplatesClash, match="same") as caught:
        find_templates([tmp_path / "one", tmp_path / "two"])
    assert caught.value.hint


def test_a_folder_that_is_not_there_is_a_problem(tmp_path):
    written(tmp_path, "x")
    paths, (problem,) = find_templates([tmp_path / "gone", tmp_path])
    assert len(paths) == 1
    assert "gone" in problem.message
