"""What the documents show is what comes.

A `console` block holds commands behind `$` and what they print, a `python` block is a whole program and the
`text` block behind it what that prints, and the commands of an `sh` block end well. They are tried by someone
whose machine has the four pages of `tests/data/manual` and no others. A line `...` stands for what is left
out, and numbers that differ from run to run (times, shares, scores) are not compared.

Of a block marked `<!-- of a whole machine -->` only the shape is compared: that it answers or refuses, its keys and steps.

`make docs ARGS=--rewrite` puts what comes now into the blocks that leave nothing out; what is of a whole
machine comes from the index of whoever runs it.
"""

import json
import re
import sys
from itertools import pairwise
from pathlib import Path

import pytest
import yaml

from vademecum.core.answers import LOW_CONFIDENCE

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted(
    path
    for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"))
    if re.search(r"^```(?!text)\w", path.read_text(), re.MULTILINE)
)
VARYING = re.compile(r"\d{4}-\d\d-\d\dT[\d:.+]+|\d[\d,]*%|\d+\.\d+")
SHAPE = re.compile(
    rf'^(?:## )?(Summary|References)$|^_?(Confidence): |^(\w+) \([\d.]+ ms\)$|^ *("\w+"): |^({LOW_CONFIDENCE})$',
    re.MULTILINE,
)
LANGUAGES = {"bash", "console", "json", "jsonl", "python", "sh", "text", "yaml"}

pytestmark = pytest.mark.needs("mandoc", "make")


def test_there_are_examples():
    assert ROOT / "README.md" in DOCUMENTS


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: str(document.relative_to(ROOT)))
def test_what_it_shows_is_what_comes(document, blocks, person, owner, request):
    rewrites = request.config.getoption("--rewrite", default=False)
    owner = owner and owner._replace(home=person.home)  # with the files that the document has had saved
    tried, rewritten = [], []
    for block, following in pairwise([*blocks(document.read_text()), None]):
        assert block.language in LANGUAGES
        if block.file:
            (person.home / block.file).write_text(block.body)
        shown = (
            following if block.language == "python" and following and following.language == "text" else block
        )
        if block.whole:
            person.trust(1 if LOW_CONFIDENCE in shown.body else 0)
        if (comes := outcome(person, block)) is not None:
            tried.append((block, shown, comes))
            prints = shown is not block or block.language == "console"
            if rewrites and prints and (owner or not block.whole):
                rewritten.append((shown, outcome(owner if block.whole else person, block)))
    if rewrites:
        rewrite(document, rewritten)
        return
    assert tried
    for block, shown, comes in tried:
        said = f"It shows:\n{shown.body}\nWhat comes:\n{comes}"
        if block.whole:
            assert shape(shown.body) == shape(comes), said
            assert block.language != "python" or shown.body.count("\n") == comes.count("\n"), said
        elif shown is block and block.language == "python":
            assert comes == "", "it prints, and no text block follows"
        else:
            assert fits(shown.body, comes), said


def outcome(person, block):
    """What a block gives when it is tried; `None` where there is nothing to compare."""
    match block.language:
        case "console":
            return "".join(f"$ {command}\n{said(person, command)}" for command in commands(block.body))
        case "python":
            code, printed = person.run(sys.executable, "-c", block.body)
            assert code == 0, printed
            return printed
        case "sh":
            for command in block.body.splitlines():
                ends_well(person, command)
        case "json":
            json.loads(block.body)
        case "jsonl":
            assert [json.loads(line) for line in block.body.splitlines()]
        case "yaml":
            yaml.safe_load(block.body)
        case _:
            return None
    return block.body


def commands(body):
    assert body.startswith("$ ")
    return re.findall(r"^\$ (.*)$", body, re.MULTILINE)


def said(person, command):
    code, printed = person.run("bash", "-c", command)
    assert code < 126, printed
    assert "Traceback" not in printed
    return printed


def ends_well(person, command):
    """A command of a set-up: `make` says what it would do, and what needs another user's rights is left alone."""
    if command.startswith("make "):
        command = f"{command} --dry-run --directory='{ROOT}'"
    if not command.startswith("sudo "):
        code, printed = person.run("bash", "-c", command)
        assert code == 0, printed


def fits(shown, comes):
    """Whether the output is as shown, `...` standing for any lines."""
    lines = [
        r"(?:.*\n)*?" if line == "..." else re.escape(f"{line}\n")
        for line in VARYING.sub("#", shown).splitlines()
    ]
    return re.fullmatch("".join(lines), VARYING.sub("#", comes)) is not None


def shape(text):
    """The headings, keys and fixed words of an output, each once."""
    return list(dict.fromkeys("".join(found) for found in SHAPE.findall(text)))


def rewrite(document, blocks):
    text = document.read_text()
    for block, comes in reversed(blocks):
        if "\n...\n" not in block.body and not fits(block.body, comes):
            text = text[: block.start] + comes + text[block.end :]
    document.write_text(text)


@pytest.mark.parametrize(
    ("shown", "comes", "as_shown"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\n", "a\nb\n", False),
        ("a\n...\n", "a\nb\nc\n", True),
        ("a\n...\nc\n", "a\nc\n", True),
        ("a\n...\nd\n", "a\nb\nc\n", False),
        ("90% in 1.5 s\n", "3% in 20.1 s\n", True),
        ("[1]\n", "[2]\n", False),
    ],
)
def test_how_it_is_compared(shown, comes, as_shown):
    assert fits(shown, comes) == as_shown


def test_what_its_shape_is():
    answer = '## Summary\n\nls - list (m) [1]\n\n## References\n\n_Confidence: 9%_\n\ndecide (0.1 ms)\n  "quote": "x"\n'
    assert shape(answer) == ["Summary", "References", "Confidence", "decide", '"quote"']
    assert shape(answer.replace("list", "show").replace("9%", "80%")) == shape(answer)
    assert shape(answer.replace("## Summary\n", LOW_CONFIDENCE + "\n")) != shape(answer)
