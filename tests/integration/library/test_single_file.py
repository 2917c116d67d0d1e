"""A single document as a source: asked alone, cited by its name, noticed when it changes, and never with what lies next to it."""

import pytest

from vademecum import Library, SourceError


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "notes"
    place.mkdir()
    (place / "shed.md").write_text("# Shed\n\nThe shed key hangs behind the door.\n")
    (place / "secret.md").write_text("# Safe\n\nThe safe opens with 4711.\n")
    return place


@pytest.fixture
def library(tmp_path):
    with Library.open(tmp_path / "library") as found:
        yield found


def test_it_is_asked_alone_and_cited_by_its_name(library, folder):
    assert library.add(folder / "shed.md").documents == 1
    (source,) = library.sources()
    assert (source.alias, source.type, source.status) == ("shed", "docs", "active")
    answer = library.ask("Where is the shed key?")
    assert answer.summary[0].text == "The shed key hangs behind the door."
    assert answer.citations[0].document_ref == "shed.md"
    assert answer.references[0].url == (folder / "shed.md").as_uri()
    assert answer.references[0].read_with == f"{folder}/shed.md:3"
    assert [document.reference for document in library.documents()] == ["shed.md"]
    assert library.ask("What opens the safe?").no_answer


def test_a_change_is_noticed(library, folder):
    library.add(folder / "shed.md")
    assert library.stale() == ()
    (folder / "secret.md").write_text("Something else.\n")
    assert library.stale() == ()
    with (folder / "shed.md").open("a") as file:
        file.write("\nThe spare key is in the kitchen drawer.\n")
    assert "shed has changed" in library.stale()[0]
    assert library.reindex().changed == 1
    assert "kitchen drawer" in library.ask("Where is the spare key?").summary[0].text
    (folder / "shed.md").unlink()
    assert "cannot be read now" in library.stale()[0]
    assert "kitchen drawer" in library.ask("Where is the spare key?").summary[0].text


def test_a_folder_and_a_file_of_it_are_two_sources(library, folder):
    library.add(folder)
    library.add(folder / "shed.md")
    assert [source.alias for source in library.sources()] == ["notes", "shed"]
    assert library.ask("Where is the shed key?").citations[0].quote == "The shed key hangs behind the door."


def test_a_file_that_is_no_document_is_refused(library, folder):
    (folder / "tool.py").write_text("print()")
    with pytest.raises(SourceError, match="none that can be read as a source") as caught:
        library.add(folder / "tool.py")
    assert ".md" in caught.value.hint


@pytest.mark.parametrize("name", ["empty.md", "binary.txt"])
def test_a_file_without_text_is_a_problem(library, folder, name):
    (folder / name).write_bytes(b"" if name.startswith("empty") else bytes(range(32)) * 50)
    report = library.add(folder / name)
    assert (report.documents, len(report.problems)) == (0, 1)
