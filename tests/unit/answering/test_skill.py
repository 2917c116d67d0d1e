"""The confidence that a model's choice deserves."""

from functools import partial
from types import SimpleNamespace

import pytest

from vademecum.answering.skill import LARGE, MIDDLE, SMALL, keep_skill, measured_skill, skill_of, usual_skill
from vademecum.providers.registry import open_model
from vademecum.testing.model import ScriptedModel


@pytest.mark.parametrize(
    ("name", "skill"),
    [
        ("llamacpp:/models/SmolLM2-135M-Instruct.Q4_1.gguf", SMALL),
        ("ollama:gemma3:1b", SMALL),
        ("ollama:qwen2.5:1.5b-instruct", SMALL),
        ("ollama:llama3.2:3b", MIDDLE),
        ("ollama:mistral:7b", LARGE),
        ("ollama:gemma3:27b-it-q4_K_M", LARGE),
        ("openai:gpt-4o-mini", LARGE),
        ("llamacpp:/models/mine.gguf", SMALL),
    ],
)
def test_the_size_in_a_name_decides(name, skill):
    assert usual_skill(name) is skill


@pytest.mark.parametrize("skill", [SMALL, MIDDLE, LARGE])
def test_a_choice_is_surer_where_an_answer_is_likelier(skill):
    chances = [skill.of_pick(3, 0.1, there) for there in (0.1, 0.3, 0.6, 0.9)]
    assert chances == sorted(chances)
    assert chances[-1] <= skill.right / skill.chooses
    assert skill.of_pick(0, 0.95, 0.95) >= 0.95


def test_finding_nothing_lowers_the_confidence_more_the_better_a_model_is():
    assert LARGE.of_none(0.7) < 0.25 < MIDDLE.of_none(0.7) < SMALL.of_none(0.7) <= 0.7


def test_only_models_that_are_not_small_write_lines():
    assert SMALL.of_pick(None, 0.1, 0.9) == 0.0
    assert not SMALL.names
    assert LARGE.of_pick(None, 0.1, 0.9) > MIDDLE.of_pick(None, 0.1, 0.9) > 0.3


def test_a_measured_skill_is_kept_and_used():
    keep_skill("openai:mine", measured_skill("openai:mine", right=0.2, chooses=1.0, invents=1.0))
    keep_skill("openai:yours", measured_skill("openai:yours", right=1.0, chooses=1.0, invents=0.0))
    mine, yours, other = (
        skill_of(SimpleNamespace(name=f"openai:{name}")) for name in ("mine", "yours", "other")
    )
    assert mine.right < 0.6 < yours.right
    assert (mine.composes, yours.composes) == (0.0, LARGE.composes)
    assert other is LARGE


def test_a_model_on_this_machine_without_a_size_is_not_taken_for_large():
    with ScriptedModel("") as model:
        assert skill_of(open_model(model.settings)) is MIDDLE


@pytest.mark.parametrize("position", [3, None])
def test_our_answer_stays_where_it_is_likelier_unless_the_model_is_required(position):
    shown = partial(SMALL.shown, position, own=0.9, there=0.9, is_prose=False)
    assert shown(is_required=False) is None
    assert shown(is_required=True) is not None
    assert SMALL.shown(0, 0.9, 0.9, is_prose=False, is_required=False) == 0.9
