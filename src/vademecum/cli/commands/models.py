"""`vademecum models`: try a language model."""

import json

from vademecum.answering.skill import keep_skill
from vademecum.cli._command import Options
from vademecum.cli._output import show_progress
from vademecum.evaluation import model_trial
from vademecum.evaluation.model_trial import Trial, TriedCase
from vademecum.library.internal import InternalLibrary
from vademecum.providers.registry import open_model, settings_of
from vademecum.text.printable import printable

_SHOWN = 100
_SCHEMA = {
    "yes": "followed",
    "ignored": "ignored; replies are read as plain text",
    "rejected": "rejected; replies are read as plain text",
}


def try_model(arguments: Options) -> int:
    """Try a model on ten questions, print the results and keep its skill; return 1 if it makes no choice at all."""
    with InternalLibrary.open() as library:
        model = open_model(settings_of(arguments.name, library.settings.models))
    tried: list[TriedCase] = []

    def show(case: TriedCase) -> None:
        tried.append(case)
        show_progress(len(tried), count, case.question)

    count = 2 * sum(1 for _ in model_trial.cases_of())
    try:
        trial = model_trial.try_model(model, arguments.timeout, show)
    finally:
        model.close()
        show_progress(count, count, "")
    keep_skill(trial.model, trial.skill)
    print(json.dumps(trial.to_dict(), indent=2, ensure_ascii=False) if arguments.json else _text(trial))
    return 0 if trial.choices else 1


def _text(trial: Trial) -> str:
    count, skill = len(trial.cases), trial.skill
    lines = [
        printable(trial.model, _SHOWN),
        f"  prompt    {_speed(trial.prompt_tokens_s)}",
        f"  reply     {_speed(trial.reply_tokens_s)}",
        f"  schemas   {_SCHEMA[trial.schema]}",
        f"  choosing  {trial.right} of {count // 2} right; {trial.choices} of {count} replies were valid; {trial.seconds:.1f} s each (median)",
        f"  refusing  {trial.refused} of {count // 2} right, where no line answers",
        f"  skill     right {skill.agrees:.0%}, invents {skill.invents:.0%}; {'writes' if skill.composes else 'does not write'} command lines; kept for answers",
    ]
    if trial.prompt_tokens is not None and trial.reply_tokens is not None:
        used = f"{trial.prompt_tokens:,} tokens of prompts and {trial.reply_tokens:,} of replies"
        lines.append(f"  tokens    {used}, for {count} questions")
    for case in trial.cases:
        mark, none = "✓" if case.is_right else "✗", "" if case.is_there else " (no line answers)"
        lines.append(
            f"  {mark} {case.question}{none}" + (f" {printable(case.fault, 200)}" if case.fault else "")
        )
    return "\n".join(lines)


def _speed(tokens_s: float | None) -> str:
    return "unknown; the server does not report tokens" if tokens_s is None else f"{tokens_s:,.0f} tokens/s"
