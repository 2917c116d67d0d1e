"""Plain English in code, comments, messages and documents: words that a reader of today would stumble over."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NEVER = re.compile(r"\b(can not|anew|whoever|shall)\b", re.IGNORECASE)
AT_MOST = {"beside": 72, "stands": 21, "told": 48, "for one in": 448}
"""How often words are left that are on their way out of `src`: the numbers may only fall."""

INPUT = re.compile(
    r"\br[\"']|rf[\"']|\bshall she\b|would will shall|\"sha\": \"shall\"|\"should\", \"shall\""
)
"""Lines that name what people write: patterns and lists of words."""

OTHERS = ("docs/decisions/", "docs/explanation/generated-answers.md", "CHANGELOG.md", "CONTRIBUTING.md")
"""Records of what was decided, other people's words, and what names the words."""


@pytest.fixture
def texts(project_files):
    wanted = re.compile(r"src/.*\.py|(?:docs/.*|[A-Z]+)\.md|web/src/.*\.tsx?")
    names = [name for name in project_files if wanted.fullmatch(name) and not name.startswith(OTHERS)]
    return {name: (ROOT / name).read_text("utf-8") for name in names}


@pytest.mark.needs("git")
def test_old_words_are_not_written(texts):
    assert len(texts) > 500
    found = [
        f"{name}:{number}: {line.strip()[:100]}"
        for name, text in texts.items()
        for number, line in enumerate(text.splitlines(), 1)
        if NEVER.search(line) and not INPUT.search(line)
    ]
    assert found == []


@pytest.mark.needs("git")
@pytest.mark.parametrize(("word", "most"), AT_MOST.items())
def test_words_on_their_way_out_only_become_fewer(texts, word, most):
    count = sum(
        len(re.findall(rf"\b{word}\b", text)) for name, text in texts.items() if name.startswith("src/")
    )
    assert count <= most, f"{word!r} is written {count} times"
