"""A folder of notes answers what it holds: by its sentences, whatever words are used, through every door alike."""

import json
from contextlib import suppress
from pathlib import Path

import pytest

from vademecum import Places
from vademecum.core.errors import AnswerError, IndexMissing, SourceError, VademecumError
from vademecum.desks.book.ask import Ask, ask_book
from vademecum.desks.book.books import add_book
from vademecum.desks.book.desk import Desk
from vademecum.desks.book.settings import BookSettings
from vademecum.library.collections import Collections
from vademecum.library.internal import InternalLibrary
from vademecum.text.words import number, stem

EXAMPLES = Path(__file__).parents[3] / "examples/notes"
QUESTIONS = {
    "When do we ship?": "Tuesdays",
    "Who signs the archive?": "Marta",
    "where is the key of the rack": "in the kitchen",
    "how many days of holiday does everybody get": "30 days",
    "When is the filter of the dishwasher cleaned?": "every Friday",
    "how much coffee for a litre": "60 grams",
    "What does gneiss do?": "the shop",
}
ELSEWHERE = ("Who won the world cup in 1966?", "What is the wifi password?", "How do I tune a guitar?")


def library_of(folder, notes):
    places = Places(folder / "data", folder / "config")
    places.data.mkdir(parents=True)
    places.catalog_file.write_text('{"format": 2, "generation": 0, "sources": []}')
    library = InternalLibrary.open(places)
    library.add_source(notes, type="docs")
    library.reindex()
    return library


def written(folder, **notes):
    (folder / "notes").mkdir()
    for name, text in notes.items():
        (folder / "notes" / f"{name}.md").write_text(text)
    return folder / "notes"


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return library_of(tmp_path_factory.mktemp("library"), EXAMPLES)


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    made = Collections(tmp_path_factory.mktemp("data") / "collections")
    add_book(made, EXAMPLES, name="notes")
    return Desk(made, BookSettings(cached=0))


@pytest.mark.parametrize(("question", "expected"), QUESTIONS.items())
def test_the_first_thing_said_is_the_answer(library, question, expected):
    answer = library.ask(question)
    assert expected in answer.summary[0].text
    assert len(answer.summary) <= 3
    assert answer.steps == ()
    for one in answer.citations:
        assert library.text(one.document)[one.start : one.end] == one.quote


@pytest.mark.parametrize("question", ELSEWHERE)
def test_what_the_notes_do_not_hold_is_refused_and_nothing_reads_like_an_answer(library, question):
    answer = library.ask(question)
    assert answer.no_answer
    assert not any(one.notes for one in answer.see_also)
    texts = "\n".join(path.read_text() for path in EXAMPLES.iterdir())
    for said in answer.guidance:
        assert not any(line and line in said for line in texts.splitlines())


@pytest.mark.parametrize(
    "question", [*QUESTIONS, *ELSEWHERE, "how do we get new milk", "which server has no backup"]
)
def test_every_door_gives_the_same_answer(library, desk, question):
    answer, reply = library.ask(question), ask_book(Ask(query=question), desk)
    assert [one.text for one in answer.summary] == [one.text for one in reply.summary]
    assert answer.no_answer == reply.no_answer
    assert [one.quote for one in answer.citations] == [one.quote for one in reply.citations]
    assert (answer.confidence, answer.answerability) == pytest.approx((reply.confidence, reply.answerability))


def test_the_note_that_defines_what_every_note_names_is_found(tmp_path):
    notes = {
        f"n{number}": f"# Part {number}\n\nZephyr {number} was fitted. Clean Zephyr, check Zephyr.\n"
        for number in range(150)
    }
    notes["intro"] = (
        "# Start here\n\nBefore anything else, some words on wind and sails.\n\nThe Zephyr is a small boat with two masts.\n"
    )
    library = library_of(tmp_path, written(tmp_path, **notes))
    for question in ("What is the Zephyr?", "what is zephyr", "explain Zephyr", "What does Zephyr mean?"):
        assert library.ask(question).summary[0].text == "The Zephyr is a small boat with two masts.", question


def test_a_row_is_said_with_its_columns(library):
    answer = library.ask("What does gneiss do?")
    assert (
        answer.summary[0].text
        == "Name: gneiss; What it does: the shop; Where: hosted in Falkenstein; Backup: hourly"
    )
    assert [one.quote.partition(" | ")[0] for one in answer.citations[:2]] == ["Name", "gneiss"]


def test_what_is_missing_are_words_that_tell_something(library):
    (said, *_) = library.ask("where can I see the new xylophone").guidance
    assert said == "No document mentions “xylophone”."


def test_how_rare_a_word_is_does_not_come_from_a_few_notes_alone(library):
    index = library._opened().running_text()
    found, rare = (index.rarity(number(stem(word))) for word in ("find", "xylophone"))
    assert index.frequency(number(stem("find"))) == index.frequency(number(stem("xylophone"))) == 0
    assert found < rare / 2


def test_a_word_that_a_value_meets_is_not_missing(tmp_path):
    notes = written(
        tmp_path, heating="The frost guard switches on at 3 degrees.", shed="The shed has a new roof."
    )
    library = library_of(tmp_path, notes)
    assert library.find("at what temperature does the frost guard come on").unmentioned() == []
    assert library.find("what did the new roof cost").unmentioned() == ["cost"]


def test_the_trace_says_what_decided(library):
    steps = {step.name: dict(step.saw) for step in library.ask("Who signs the archive?").trace.steps}
    assert list(steps) == ["analyse", "retrieve", "evaluate", "decide", "compose", "verify"]
    assert steps["evaluate"]["signals"]
    json.dumps(library.ask("Who signs the archive?").trace.to_dict())


def test_two_notes_that_contradict_each_other_are_both_shown(tmp_path):
    notes = written(tmp_path, old="The bins are emptied on Monday.", new="The bins are emptied on Friday.")
    said = [one.text for one in library_of(tmp_path, notes).ask("When are the bins emptied?").summary]
    assert sorted(said) == ["The bins are emptied on Friday.", "The bins are emptied on Monday."]


def test_a_note_that_is_one_table(tmp_path):
    table = "| Room | Key | Heating |\n|---|---|---|\n| attic | brass | off in winter |\n| cellar | steel | none |\n"
    answer = library_of(tmp_path, written(tmp_path, rooms=table)).ask("Which key has the attic?")
    assert answer.summary[0].text == "Room: attic; Key: brass; Heating: off in winter"


def test_a_note_in_german(tmp_path):
    notes = written(
        tmp_path, garten="# Garten\n\nDie Tomaten werden im Mai gepflanzt. Der Schlauch liegt im Keller.\n"
    )
    library = library_of(tmp_path, notes)
    answer = library.ask("Wann werden die Tomaten gepflanzt?")
    assert answer.no_answer or answer.summary[0].text == "Die Tomaten werden im Mai gepflanzt."
    assert library.ask("Wer gewann 1966 die Meisterschaft?").no_answer


def test_one_note_of_one_word(tmp_path):
    library = library_of(tmp_path, written(tmp_path, one="Basalt"))
    for question in ("basalt", "What is the capital of Australia?"):
        answer = library.ask(question)
        assert answer.no_answer or answer.summary[0].text == "Basalt"


def test_an_empty_folder_says_what_to_do(tmp_path):
    (tmp_path / "notes").mkdir()
    with pytest.raises((SourceError, IndexMissing)) as caught:
        library_of(tmp_path, tmp_path / "notes").ask("When do we ship?")
    assert caught.value.hint


@pytest.mark.parametrize(
    "question", ["a", "?", "the", "x", "42", "ß", "🦉", "a" * 3000, "when when when " * 200]
)
def test_whatever_is_asked_is_answered_or_refused_plainly(library, question):
    with suppress(AnswerError):  # there is nothing to look for
        answer = library.ask(question)
        assert answer.no_answer or answer.citations


def test_an_empty_question_is_an_error(library):
    with pytest.raises(VademecumError):
        library.ask(" ")


def test_notes_beside_notes_are_searched_by_document(library):
    hits = library.search("key of the rack", limit=3)
    assert hits[0].reference == "servers.md"
    assert [hit.rank for hit in hits] == [1, 2, 3]
    assert len({hit.document for hit in hits}) == 3
    plain = library.search_passages_bm25("key of the rack", limit=3)
    assert plain[0].reference == "servers.md"


def test_documents_as_a_whole_are_listed_and_outlined(tmp_path):
    for at in range(13):
        name = "Judo" if at == 4 else f"Crew{at}"
        text = f"# {name}\n\nWe practise at {at + 8}.\n\n## Desk\n\nRing 0155 5010 2{at:02}.\n"
        (tmp_path / f"{name}.md").write_text(text)
    library = Collections(tmp_path.with_name("collections")).create("clubs").library
    library.add(tmp_path)
    for question in ("What documents do you have?", "list all phone numbers"):
        found = library.ask(question)
        assert (len(found.summary), found.warnings) == (12, ("1 more are not shown.",))
    outline = library.ask("summarize the judo page")
    assert [said.text for said in outline.summary] == [
        "Judo: We practise at 12.",
        "Desk: Ring 0155 5010 204.",
    ]
    assert library.ask("list all email addresses").no_answer
    assert library.ask("When does Judo pracitse?").read_as == "When does Judo practise?"
    assert "German" in library.ask("Wann und wo habt ihr Training?").guidance[0]
