"""Which headings tell what a document is about."""

import pytest

from vademecum.retrieval.lexical import USUAL_HEADINGS, telling


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("OPTIONS > Output", "Output"),
        ("Output > OPTIONS > Colours", "Output Colours"),
        ("Setuid bits", "Setuid bits"),
        ("options", ""),
        ("SEE ALSO", ""),
        ("DESCRIPTION OF FIELDS", "DESCRIPTION OF FIELDS"),
        ("", ""),
    ],
)
def test_keeps_telling_headings(path, told):
    assert telling(path) == told


def test_usual_ones_are_looked_up_as_they_are_written():
    assert len(USUAL_HEADINGS) > 10
    assert all(heading == heading.upper() for heading in USUAL_HEADINGS)
