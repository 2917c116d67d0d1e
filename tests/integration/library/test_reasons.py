"""A refusal does not say that no document mentions a word that some document mentions."""

from pathlib import Path

import pytest

from vademecum import Library

MANUAL = Path(__file__).parents[2] / "data/manual"


@pytest.fixture
def library(tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "vpn.md").write_text(
        "# VPN\n\nAsk Marta Lindqvist for a certificate. It is valid for 400 days.\n"
    )
    (notes / "rooms.md").write_text("# Rooms\n\nThe server calypso is in the cellar.\n")
    with Library.open(tmp_path / "library") as library:
        library.add_source(MANUAL)
        library.add_source(notes)
        library.reindex()
        yield library


@pytest.mark.parametrize(
    "question",
    [
        "phone number of Marta Lindqvist",
        "salary of Marta Lindqvist",
        "which chmod option does calypso use for Marta",
    ],
)
def test_words_of_other_kinds_of_documents_are_not_called_missing(library, question):
    said = " ".join(library.ask(question).guidance)
    for word in ("Marta", "Lindqvist", "calypso"):
        assert f"“{word}”" not in said


def test_words_that_no_document_has_are_still_named(library):
    answer = library.ask("what does the zeppelin cost?")
    assert answer.no_answer
    assert "No document mentions “zeppelin”" in " ".join(answer.guidance)
