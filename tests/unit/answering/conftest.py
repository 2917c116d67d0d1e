"""Evidence made by hand: a document's text with its passages, each with its scores."""

import pytest

from vademecum.core.evidence import Evidence, ScoredPassage
from vademecum.core.passages import SECTION
from vademecum.retrieval.passages import passages_of
from vademecum.testing import document


@pytest.fixture(scope="session")
def evidence_of():
    """Evidence of one document; `scores` by a word that stands in a passage, the rest score nothing."""

    def make(page, scores=(), alias="manual"):
        def score(passage):
            words = page.text[passage.start : passage.end]
            return max((value for word, value in dict(scores).items() if word in words), default=0.0)

        return Evidence(
            alias=alias,
            digest=page.digest(),
            reference=page.reference,
            title=page.title,
            summary=page.summary,
            text=page.text,
            passages=tuple(
                ScoredPassage(*passage, score=score(passage), coverage=0.0) for passage in passages_of(page)
            ),
        )

    return make


@pytest.fixture(scope="session")
def chmod():
    page = document(
        "chmod(1)",
        ("NAME", ["chmod - change file permissions"]),
        ("SYNOPSIS", ["chmod [OPTION]... MODE FILE...", "chmod [OPTION]... --reference=RFILE FILE..."]),
        (
            "DESCRIPTION",
            [
                "The program changes the permissions of files.  A mode is symbolic or octal, e.g. the number 644.",
                "Nothing of weather is said here at all.",
            ],
        ),
        (
            "OPTIONS",
            [
                ("-R, --recursive", "change files and directories recursively"),
                ("-v, --verbose", "tell of every file"),
                ("-c", "tell of changes"),
            ],
        ),
        ("EXAMPLES", ["chmod a-w notes", "chmod -R u+x tree"]),
        ("SEE ALSO", ["chown(1), recursively"]),
        summary="change file permissions",
    )
    assert all(passage.kind == SECTION for passage in passages_of(page)[:3])
    return page
