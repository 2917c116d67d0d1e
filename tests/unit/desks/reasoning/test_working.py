"""Working by a template with a model, on a scripted server."""

import json

import pytest

from vademecum.core.errors import ProviderError
from vademecum.core.models import ModelSettings
from vademecum.desks.reasoning.scaffold import scaffold_of
from vademecum.desks.reasoning.work import work_through
from vademecum.providers.registry import open_model
from vademecum.testing import ScriptedServer
from vademecum.testing.scripted import answer

CONTENT = "## Steps\n\n1. **Count.** Things.\n2. **Sum.** Numbers.\n\n## Checklist\n\n- [ ] All counted.\n- [ ] Units agree.\n"
BOTH_HOLD = json.dumps({"points": [{"holds": True, "why": "yes"}, {"holds": True, "why": "they do"}]})
ONE_FAILS = json.dumps(
    {"points": [{"holds": True, "why": "yes"}, {"holds": False, "why": "metres and feet"}]}
)


def said(text, reason="stop"):
    message = {"role": "assistant", "content": text}
    done = {"done": True, "done_reason": reason, "prompt_eval_count": 5, "eval_count": 1}
    return answer({"model": "m", "message": message} | done)


def work(*script, **more):
    with ScriptedServer(*script) as server:
        model = open_model(ModelSettings("ollama", "m", server.url, retries=0))
        try:
            return work_through(model, scaffold_of("Counting", CONTENT), "how many?", **more), server.requests
        finally:
            model.close()


def test_one_call_a_step_one_for_the_checklist_and_one_for_the_answer():
    steps = []
    done, requests = work(
        said("three"),
        said("six"),
        said(BOTH_HOLD),
        said("It is six."),
        on_step=lambda *told: steps.append(told),
    )
    assert [(one.title, one.result) for one in done.steps] == [("Count", "three"), ("Sum", "six")]
    assert [(one.point, one.holds) for one in done.checklist] == [
        ("All counted.", True),
        ("Units agree.", True),
    ]
    assert (done.answer, done.model, done.warnings) == ("It is six.", "m", ())
    assert [number for number, _ in steps] == [1, 2]
    assert len(requests) == 4
    second = requests[1].json["messages"]
    assert [turn["role"] for turn in second] == ["system", "user", "user", "assistant", "user"]
    assert second[3]["content"] == "three"
    assert "how many?" in second[1]["content"]
    assert requests[2].json["format"]["type"] == "object"
    assert "do not hold" not in requests[3].json["messages"][-1]["content"]


def test_the_answer_is_asked_to_repair_what_does_not_hold():
    done, requests = work(said("a"), said("b"), said(ONE_FAILS), said("c"))
    assert [one.holds for one in done.checklist] == [True, False]
    asked = requests[3].json["messages"][-1]["content"]
    assert "Units agree.: metres and feet" in asked
    assert "All counted." not in asked


@pytest.mark.parametrize(
    "reply", ["not JSON", '{"points": 3}', '{"points": [{"why": "x"}]}', "[]", '{"points": []}']
)
def test_a_checklist_that_cannot_be_had_is_a_warning(reply):
    done, _ = work(said("a"), said("b"), said(reply), said("c"))
    assert [one.holds for one in done.checklist] == [None, None]
    assert done.answer == "c"
    assert len(done.warnings) == 1


def test_warns_of_a_step_and_an_answer_that_were_cut_short():
    done, _ = work(said("a", "length"), said("b"), said(BOTH_HOLD), said("c", "length"))
    assert [name in warning for name, warning in zip(("Step 1", "answer"), done.warnings, strict=True)] == [
        True,
        True,
    ]


def test_a_model_that_fails_is_an_error():
    with pytest.raises(ProviderError):
        work(said("a"), answer({"error": "no"}, status=500), answer({"error": "no"}, status=500))
    with pytest.raises(ProviderError):
        work(said("a"), timeout_s=0.0)
