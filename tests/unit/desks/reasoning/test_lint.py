"""What is amiss in a library of templates."""

from pathlib import Path

import pytest

from vademecum.desks.reasoning import ReasoningLibrary
from vademecum.desks.reasoning.lint import lint
from vademecum.desks.reasoning.templates import parse_template


@pytest.fixture(scope="module")
def ours():
    return ReasoningLibrary().list_templates()


def nothing(templates):
    return next(one for one in templates if one.is_fallback).asked


def test_ours_have_nothing_amiss(ours):
    assert len(ours) == 31
    assert lint(ours, nothing(ours)) == []


def test_ours_are_as_agreed(ours):
    known = {one.id for one in ours}
    for one in ours:
        assert one.description, one.id
        assert one.keywords, one.id
        assert set(one.near) <= known - {one.id}, one.id
        if not one.is_fallback:
            assert 4 <= len(one.examples) <= 8, one.id
            assert len(one.asked) >= 40, one.id


def test_a_copy_is_nearly_the_same(ours):
    pre_mortem = next(one for one in ours if one.id == "pre-mortem")
    copy = parse_template(
        Path(pre_mortem.file_path).read_text() + "\nOne more line.\n", Path("pre-mortem-2.md")
    )
    found = [one for one in lint([*ours, copy], nothing(ours)) if one.kind == "near-duplicate"]
    assert [(one.template, "pre-mortem" in one.message) for one in found] == [("pre-mortem-2", True)]


def test_what_nothing_reaches(ours):
    vague = parse_template(
        "---\nname: Prove\ndescription: Show that it cannot be.\nexamples: [show that the list of primes never runs out]\n---\n1. a\n2. b",
        Path("vague.md"),
    )
    found = {(one.kind, one.template) for one in lint([*ours, vague], nothing(ours))}
    assert ("unreached", "vague") in found
    assert ("missing", "vague") in found


def test_what_is_left_out():
    bare = parse_template("---\nkeywords: 'x\nnear: [gone]\n---\nJust do it.", Path("bare.md"))
    found = lint([bare], [])
    assert {one.kind for one in found} >= {"missing", "unknown-near", "warning"}
    assert any("gone" in one.message for one in found)
    assert "It has no checklist." in {one.message for one in found}
