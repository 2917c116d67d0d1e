"""`vademecum models`: try a language model."""

import json
import sys
from typing import TYPE_CHECKING

from vademecum.cli._command import Options
from vademecum.text.printable import printable

if TYPE_CHECKING:
    from vademecum.evaluation.model_trial import Trial, TriedCase

_SHOWN = 100
_SCHEMA = {
    "yes": "followed",
    "ignored": "ignored; replies are read as plain text",
    "rejected": "rejected; replies are read as plain text",
}


def try_model(arguments: Options) -> int:
    """Try a model on ten questions, and print the results; return 1 if it makes no choice at all."""
    from vademecum.evaluation import model_trial  # noqa: PLC0415 - other commands need none of it
    from vademecum.library.internal import InternalLibrary  # noqa: PLC0415 - the same
    from vademecum.providers.registry import open_model, settings_of  # noqa: PLC0415 - the same

    with InternalLibrary.open() as library:
        model = open_model(settings_of(arguments.name, library.settings.models))
    is_shown = sys.stderr.isatty()
    done = 0

    def show(case: "TriedCase") -> None:
        nonlocal done
        done += 1
        if is_shown:
            print(f"\r\x1b[K{done} of 10: {case.question}", end="", file=sys.stderr, flush=True)

    try:
        trial = model_trial.try_model(model, arguments.timeout, show)
    finally:
        model.close()
        if is_shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    print(json.dumps(trial.to_dict(), indent=2, ensure_ascii=False) if arguments.json else _text(trial))
    return 0 if trial.choices else 1


def _text(trial: "Trial") -> str:
    count = len(trial.cases)
    lines = [
        printable(trial.model, _SHOWN),
        f"  prompt    {_speed(trial.prompt_tokens_s)}",
        f"  reply     {_speed(trial.reply_tokens_s)}",
        f"  schemas   {_SCHEMA[trial.schema]}",
        f"  choosing  {trial.right} of {count} right; {trial.choices} replies were valid choices; {trial.seconds:.1f} s each (median)",
    ]
    if trial.prompt_tokens is not None and trial.reply_tokens is not None:
        used = f"{trial.prompt_tokens:,} tokens of prompts and {trial.reply_tokens:,} of replies"
        lines.append(f"  tokens    {used}, for {count} questions")
    for case in trial.cases:
        mark = "✓" if case.is_right else "✗"
        lines.append(f"  {mark} {case.question}" + (f" {printable(case.fault, 200)}" if case.fault else ""))
    return "\n".join(lines)


def _speed(tokens_s: float | None) -> str:
    return "unknown; the server does not report tokens" if tokens_s is None else f"{tokens_s:,.0f} tokens/s"
