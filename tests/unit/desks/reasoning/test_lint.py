"""What is amiss in a library of templates."""

from pathlib import Path

import pytest

from vademecum.desks.reasoning import ReasoningLibrary
from vademecum.desks.reasoning.lint import lint
from vademecum.desks.reasoning.templates import parse_template


@pytest.fixture(scope="module")
def all_of_ours(ours):
    return ours.list_templates()


@pytest.fixture(scope="module")
def six(six_of_ours):
    return ReasoningLibrary([six_of_ours]).list_templates()


def kinds_of(templates):
    return {(one.kind, one.template) for one in lint(templates, nothing(templates))}


def nothing(templates):
    return next(one for one in templates if one.is_fallback).asked


def test_our_templates_have_no_findings(all_of_ours):
    assert len(all_of_ours) == 31
    assert lint(all_of_ours, nothing(all_of_ours)) == []


def test_our_templates_have_enough_examples_and_questions(all_of_ours):
    """The linter reports missing fields and unknown neighbours; these numbers are a rule for our own templates alone."""
    for one in all_of_ours:
        assert one.id not in one.near
        if not one.is_fallback:
            assert 4 <= len(one.examples) <= 8, one.id
            assert len(one.asked) >= 40, one.id


def test_reports_a_copy_as_a_near_duplicate(six):
    pre_mortem = next(one for one in six if one.id == "pre-mortem")
    copy = parse_template(
        Path(pre_mortem.file_path).read_text() + "\nOne more line.\n", Path("pre-mortem-2.md")
    )
    found = [one for one in lint([*six, copy], nothing(six)) if one.kind == "near-duplicate"]
    assert [(one.template, "pre-mortem" in one.message) for one in found] == [("pre-mortem-2", True)]


def test_reports_a_template_that_its_own_examples_do_not_find(six):
    """Its only example is a question that no template fits."""
    text = f'---\nname: Vague\ndescription: Numbers.\nexamples: ["{nothing(six)[0]}"]\n---\n1. a\n2. b'
    found = kinds_of([*six, parse_template(text, Path("vague.md"))])
    assert {("unreached", "vague"), ("missing", "vague")} <= found
    assert "unreached" not in {kind for kind, template in found if template != "vague"}


def test_reports_missing_fields_unknown_neighbours_and_warnings():
    bare = parse_template("---\nkeywords: 'x\nnear: [gone]\n---\nJust do it.", Path("bare.md"))
    found = lint([bare], [])
    assert {one.kind for one in found} >= {"missing", "unknown-near", "warning"}
    assert [one.message for one in found if one.kind == "unknown-near" and "gone" in one.message]
    assert [one.message for one in found if one.kind == "missing" and "checklist" in one.message]
