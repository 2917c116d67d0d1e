"""A manual page made by hand."""

import pytest

from vademecum.core.passages import SECTION
from vademecum.retrieval.passages.passages import passages_of
from vademecum.testing import document


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
