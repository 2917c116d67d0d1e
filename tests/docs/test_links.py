"""Every link within the project leads somewhere, and every document can be reached."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


def links(document):
    prose = re.sub(r"^```.*?^```$", "", document.read_text(), flags=re.MULTILINE | re.DOTALL)
    return [target for target in LINK.findall(prose) if "://" not in target]


def anchors(document):
    """Headings as the fragments that address them: lower case, signs left out, spaces as hyphens."""
    headings = re.findall(r"^#+ (.+)$", document.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: str(document.relative_to(ROOT)))
def test_its_links_lead_somewhere(document):
    for target in links(document):
        path, _, anchor = target.partition("#")
        place = (document.parent / path).resolve() if path else document
        assert place.exists(), target
        assert not anchor or anchor in anchors(place), target


def test_every_document_can_be_reached():
    reached, waiting = set(), [ROOT / "README.md"]
    while waiting:
        document = waiting.pop()
        if document not in reached and document.suffix == ".md":
            reached.add(document)
            targets = (target.partition("#")[0] for target in links(document))
            waiting += [(document.parent / target).resolve() for target in targets if target]
    assert set(DOCUMENTS) <= reached


def test_decisions_are_numbered_and_built_alike():
    decisions = sorted((ROOT / "docs/decisions").glob("[0-9]*.md"))
    assert [int(path.name[:4]) for path in decisions] == list(range(1, len(decisions) + 1))
    assert decisions
    for path in decisions:
        headings = re.findall(r"^## (.+)$", path.read_text(), re.MULTILINE)
        assert headings == ["Context", "Decision", "Reasons", "Consequences"], path
