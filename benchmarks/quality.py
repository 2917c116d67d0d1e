"""Quality: what `vademecum eval` says of the questions that nothing was fitted on."""

import importlib.util
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from places import Home, command
from processes import run

SPLIT = Path(__file__).parents[1] / "training" / "questions.py"
"""Where it is said which questions are held out."""

Json = dict[str, Any]


def own_questions() -> list[tuple[Json, str]]:
    """Our own questions, each with its part: `held` or one that may be fitted on."""
    spec = importlib.util.spec_from_file_location("development_questions", SPLIT)
    if spec is None or spec.loader is None:
        raise ImportError(SPLIT)
    parts = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(parts)
    found = []
    for name in parts.OWN_FILES:
        for line in (parts.OWN / name).read_text(encoding="utf-8").splitlines():
            data = json.loads(line)
            gold = sorted(data.get("gold", ()))
            page = gold[0] if gold and gold[0] != parts.SHELL else data["question"]
            found.append((data, parts.split(page, own=True)))
    return found


def held(*, answerable: bool) -> list[Json]:
    """The questions that nothing was fitted on."""
    return [
        data
        for data, part in own_questions()
        if part == "held" and data.get("answerable", True) is answerable
    ]


def question_sets() -> dict[str, list[Json]]:
    """What is asked, by name.

    `held`: nothing of it was fitted on. `refusals`: the answerable of these, with all questions that no page
    answers; three quarters of the latter may have been fitted on, so it says how stable the figures are.
    """
    answerable = held(answerable=True)
    unanswerable = [data for data, _ in own_questions() if not data.get("answerable", True)]
    return {"held": answerable + held(answerable=False), "refusals": answerable + unanswerable}


def evaluate(home: Home, say: Callable[[str], None], options: Sequence[str] = ()) -> Json:
    """What `vademecum eval` says of each set.

    Args:
        home: Where the index is.
        say: Told what is being done.
        options: More for `vademecum eval`.

    Raises:
        Failed: It failed.
    """
    results = {}
    for name, questions in question_sets().items():
        say(f"quality: {name}, {len(questions)} questions")
        file = home.folder / f"{name}.jsonl"
        file.write_text("".join(json.dumps(one) + "\n" for one in questions), encoding="utf-8")
        asked = [command("vademecum"), "eval", "linux", "--json", "--questions", str(file), *options]
        report = json.loads(run(asked, home.environment).output)
        if name != "held":  # whose curve is drawn
            report.get("risk_coverage", {}).pop("points", None)
        results[name] = report
    return results


def spread_evenly(questions: Sequence[str], count: int) -> list[str]:
    """At most `count` of the questions, evenly over all of them."""
    count = min(count, len(questions))
    return [questions[place * len(questions) // count] for place in range(count)]
