"""Plain English in code, comments, messages and documents: words that a reader of today would stumble over."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NEVER = re.compile(r"\b(can not|anew|whoever|shall)\b", re.IGNORECASE)
AT_MOST = {"beside": 118, "stands": 188, "told": 195, "for one in": 842}
"""How often words are left that are on their way out of `src`: the numbers may only fall."""

INPUT = re.compile(
    r"\br[\"']|rf[\"']|\bshall she\b|would will shall|\"sha\": \"shall\"|\"should\", \"shall\""
)
"""Lines that name what people write: patterns and lists of words."""

OTHERS = ("docs/decisions/", "docs/explanation/generated-answers.md", "CHANGELOG.md", "CONTRIBUTING.md")
"""Records of what was decided, other people's words, and what names the words."""


def files():
    listing = ["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    found = subprocess.run(listing, capture_output=True, text=True, check=False)
    if found.returncode:
        pytest.skip("not a git checkout")
    names = [name for name in found.stdout.split("\0") if name and not name.startswith(OTHERS)]
    wanted = re.compile(r"src/.*\.py|(?:docs/.*|[A-Z]+)\.md|web/src/.*\.tsx?")
    return {
        name: (ROOT / name).read_text("utf-8")
        for name in names
        if wanted.fullmatch(name) and (ROOT / name).is_file()
    }


@pytest.mark.needs("git")
def test_old_words_are_not_written():
    texts = files()
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
def test_words_on_their_way_out_only_become_fewer(word, most):
    count = sum(
        len(re.findall(rf"\b{word}\b", text)) for name, text in files().items() if name.startswith("src/")
    )
    assert count <= most, f"{word!r} is written {count} times"
