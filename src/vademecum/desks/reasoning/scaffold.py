"""Fill a problem into a template, for a person or a model to follow step by step."""

import re
from typing import NamedTuple

from vademecum.core.models import Message

_HEADING = re.compile(r"^##[ \t]+(.+?)[ \t]*$", re.MULTILINE)
_STEP = re.compile(r"^(\d{1,2})[.)][ \t]+", re.MULTILINE)
_ITEM = re.compile(r"^[-*][ \t]+(?:\[[ xX]?\][ \t]+)?", re.MULTILINE)
_BOLD = re.compile(r"\*\*(.+?)\*\*", re.DOTALL)
_MOST_STEPS, _MOST_ITEMS = 20, 30


class Step(NamedTuple):
    """A step of a template."""

    title: str
    text: str


class Scaffold(NamedTuple):
    """A template in parts.

    Attributes:
        steps: In order; if none are marked, the whole text is one.
    """

    name: str
    steps: tuple[Step, ...]
    checklist: tuple[str, ...]


def scaffold_of(name: str, content: str) -> Scaffold:
    """The parts of a template's text: the numbered points below `## Steps`, and the points below a heading with "checklist"."""
    sections = [(match[1].lower(), body.strip("\n")) for match, body in _parted(_HEADING, content)]
    steps = next((body for title, body in sections if title.startswith("step")), "")
    checks = next((body for title, body in sections if "checklist" in title), "")
    parts = [_step(text) for text in _points(_STEP, steps or content)][:_MOST_STEPS]
    items = [" ".join(text.split()) for text in _points(_ITEM, checks)][:_MOST_ITEMS]
    return Scaffold(name, tuple(parts) or (Step(name, content.strip()),), tuple(items))


def has_steps(content: str) -> bool:
    r"""Return whether a template's text has numbered steps at all.

    >>> has_steps("## Steps\n\n1. Say what is asked."), has_steps("Nothing here.")
    (True, False)
    """
    return bool(_STEP.search(content))


def messages_for(scaffold: Scaffold, problem: str, content: str) -> tuple[Message, Message]:
    """The two messages with which any model can be asked to work by a template: the method, and the problem.

    The problem is fenced with a fence that it does not hold, and named as data.
    """
    instructions = (
        f"Work on the person's problem by the method below, {scaffold.name}. Take its steps in order, give each step's result under "
        "its number and title, and fill in every blank (___). Then go through the checklist, say of each point whether it holds, "
        "and mend what does not. End with the answer under the heading Answer. Name what you assume. If the method turns "
        "out not to fit, say so and say why.\n\n"
    )
    return Message("system", instructions + content.strip()), Message("user", fenced(problem))


def fenced(problem: str) -> str:
    """A problem between two rules that it does not hold itself."""
    rule = '"""'
    while rule in problem:
        rule += '"'
    return f"The problem, as the person put it:\n{rule}\n{problem.strip()}\n{rule}"


def filled(scaffold: Scaffold, problem: str) -> str:
    """A sheet for a person: the problem, the steps with their blanks, the checklist."""
    lines = [
        f"# {scaffold.name}",
        "",
        "Problem:",
        "",
        *(f"> {line}" for line in problem.strip().splitlines()),
        "",
        "## Steps",
        "",
    ]
    for number, step in enumerate(scaffold.steps, start=1):
        lines += [f"{number}. {step.text}", ""]
    if scaffold.checklist:
        lines += ["## Checklist", "", *(f"- [ ] {item}" for item in scaffold.checklist), ""]
    return "\n".join([*lines, "## Answer", "", "___", ""])


def _parted(mark: re.Pattern[str], text: str) -> list[tuple[re.Match[str], str]]:
    """Each mark, with the text up to the next one."""
    found = list(mark.finditer(text))
    ends = [*(match.start() for match in found[1:]), len(text)]
    return [(match, text[match.end() : end]) for match, end in zip(found, ends, strict=False)]


def _points(mark: re.Pattern[str], text: str) -> list[str]:
    """The texts after each mark that are not blank."""
    return [point for _, part in _parted(mark, text) if (point := part.strip())]


def _step(text: str) -> Step:
    bold = _BOLD.match(text)
    title = bold[1] if bold else re.split(r"(?<=[.:])\s", text, maxsplit=1)[0]
    return Step(" ".join(title.split()).rstrip(".:"), text)
