"""Plain English in code, comments, messages and documents: words that a reader of today would stumble over."""

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NEVER = re.compile(r"\b(can not|anew|whoever|shall)\b", re.IGNORECASE)
ON_THEIR_WAY_OUT = ("beside", "stands", "told", "for one in")
RIDDLE = re.compile(r"(?:What|Whether|Who)\b")
"""How a docstring does not begin: it says what a function returns, or what a class is."""

AT_MOST = {
    "answering": (0, 1, 1, 4, 0),
    "ask": (0, 0, 0, 13, 0),
    "cli": (0, 0, 0, 20, 0),
    "config": (1, 0, 0, 2, 2),
    "core": (0, 0, 0, 5, 0),
    "desks/book": (0, 0, 1, 5, 0),
    "desks/chat": (3, 1, 0, 49, 0),
    "desks/composer": (36, 6, 30, 171, 84),
    "desks/linux": (0, 0, 0, 2, 5),
    "desks/reasoning": (6, 3, 0, 10, 13),
    "evaluation": (0, 2, 0, 0, 3),
    "files": (4, 0, 0, 1, 0),
    "index": (3, 0, 0, 20, 0),
    "library": (0, 1, 0, 18, 0),
    "net": (0, 0, 0, 1, 0),
    "providers": (1, 0, 0, 5, 2),
    "retrieval": (1, 4, 0, 11, 0),
    "server": (0, 1, 5, 21, 0),
    "sources": (0, 0, 0, 5, 2),
    "state": (4, 0, 7, 1, 0),
    "stores": (0, 0, 0, 1, 0),
    "testing": (0, 1, 0, 2, 2),
    "text": (0, 0, 0, 1, 0),
}
"""How often each room still has the four words, and docstrings that begin with a riddle. A number may only fall; a room without a row has none."""

NAME = re.compile(r"test_(?:what|who|whose|whether|that|of)_")
NAMES_AT_MOST = {"unit": 1, "integration": 102, "docs": 3}
"""How many tests still have a name that is not a sentence about behaviour, by folder."""

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


def test_rooms_only_get_plainer():
    found = {}
    for path in (ROOT / "src/vademecum").rglob("*.py"):
        parts, text = path.relative_to(ROOT / "src/vademecum").parts, path.read_text("utf-8")
        room = "/".join(parts[:2]) if parts[0] == "desks" else parts[0]
        words = Counter({word: len(re.findall(rf"\b{word}\b", text)) for word in ON_THEIR_WAY_OUT})
        words["docstrings"] = sum(bool(RIDDLE.match(said)) for said in docstrings(text))
        found[room] = found.get(room, Counter()) + words
    counts = {
        room: tuple(words[word] for word in (*ON_THEIR_WAY_OUT, "docstrings"))
        for room, words in found.items()
        if words.total()
    }
    assert counts == AT_MOST


def docstrings(text):
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return (
        ast.get_docstring(node) or "" for node in ast.walk(ast.parse(text)) if isinstance(node, documented)
    )


def test_names_of_tests_say_the_behaviour():
    counts = Counter(
        path.relative_to(ROOT / "tests").parts[0]
        for path in (ROOT / "tests").rglob("test_*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef) and NAME.match(node.name)
    )
    assert counts == NAMES_AT_MOST
