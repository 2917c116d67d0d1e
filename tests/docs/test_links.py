"""Every link within the project leads somewhere, and every document can be reached."""

import re
from pathlib import Path

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


def leads_nowhere(document, target):
    path, _, anchor = target.partition("#")
    place = (document.parent / path).resolve() if path else document
    return not place.exists() or bool(anchor and anchor not in anchors(place))


def test_every_link_leads_somewhere():
    found = [(document, target) for document in DOCUMENTS for target in links(document)]
    assert found
    assert not [link for link in found if leads_nowhere(*link)]


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
