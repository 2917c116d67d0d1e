"""A trial of a model: ten questions with known answers, its speed, its schemas, its tokens."""

import json
import re

import pytest

from vademecum.answering.skill import LARGE
from vademecum.core.errors import ProviderBusy, ReplyInvalid
from vademecum.evaluation.model_trial import cases_of, try_model
from vademecum.providers.registry import open_model
from vademecum.testing.model import ScriptedModel, said
from vademecum.testing.scripted import answer


def model_that(chooses, schemas="yes"):
    """A scripted model, whose choice is given by the question and its lines."""

    def give(visit, request):
        system, user = (request.json["messages"][0]["content"], request.json["messages"][-1]["content"])
        if "response_format" in request.json and schemas == "rejected":
            visit.send(answer({"error": {"message": "no schemas"}}, 400))
        elif "You choose the lines" in system:
            lines = [text for _, text in re.findall(r"^(\d+)\. \[.*?\] (.*)$", user, re.MULTILINE)]
            said(chooses(user.rpartition("Question: ")[2], lines))(visit, request)
        elif "larger" in user:
            said('{"number": 5}' if schemas == "yes" else "Five, of course.")(visit, request)
        else:
            said("one, two, three, four")(visit, request)

    return ScriptedModel(give)


def well(question, lines):
    case = next(case for case in cases_of() if case.question == question)
    right = case.lines[case.right]
    return json.dumps({"lines": [lines.index(right) + 1] if right in lines else []})


def test_there_are_ten_questions_with_different_places_of_the_answer():
    cases = list(cases_of())
    assert len(cases) == 10
    assert all(0 <= case.right < len(case.lines) for case in cases)
    assert len({case.right for case in cases}) >= 4
    assert all(len(set(case.lines)) == len(case.lines) >= 5 for case in cases)


@pytest.mark.parametrize("schemas", ["yes", "ignored", "rejected"])
def test_a_model_that_chooses_well(schemas):
    shown = []
    with model_that(well, schemas) as model:
        trial = try_model(open_model(model.settings), 20, shown.append)
    assert (trial.model, trial.schema) == ("openai:scripted", schemas)
    assert (trial.choices, trial.right, trial.refused) == (20, 10, 10)
    assert trial.skill.right > LARGE.right
    assert trial.skill.invents < LARGE.invents
    assert tuple(shown) == trial.cases
    assert 0 < trial.seconds < 20
    assert (trial.prompt_tokens, trial.prompt_tokens_s) == (None, None)  # this server does not report them
    assert json.loads(json.dumps(trial.to_dict()))["right"] == 10


def test_a_model_that_always_chooses_the_first_line_is_seldom_right():
    with model_that(lambda _question, _lines: '{"lines": [1]}') as model:
        trial = try_model(open_model(model.settings), 20)
    assert (trial.choices, trial.refused) == (20, 0)
    assert trial.right <= 3
    assert trial.skill.composes == 0.0


def test_a_model_that_chats_makes_no_choice():
    with model_that(lambda _question, _lines: "I would say 3, but ask somebody else.") as model:
        trial = try_model(open_model(model.settings), 20)
    assert (trial.choices, trial.right) == (0, 0)
    assert all("is not a choice of lines" in case.fault for case in trial.cases)


@pytest.mark.parametrize(
    ("reply", "kind"), [(answer({"error": "no"}, 503), ProviderBusy), ("", ReplyInvalid)]
)
def test_a_model_that_does_not_answer(reply, kind):
    with ScriptedModel(reply) as model, pytest.raises(kind):
        try_model(open_model(model.settings), 5)
