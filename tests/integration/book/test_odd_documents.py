"""Documents nobody would write by hand: each gives a plain answer or a named error, and no other document is lost by it."""

import threading

import pytest

from vademecum.desks.book.ask import Ask, ask_book
from vademecum.desks.book.books import add_book
from vademecum.desks.book.desk import Desk
from vademecum.desks.book.reply import NOTHING_FOUND
from vademecum.desks.book.settings import BookSettings
from vademecum.library.collections import Collections

ORDINARY = "# Boiler\n\nThe boiler is bled every October by Mrs Hartley.\n"
LONG_SENTENCE = (
    "The keeper writes down " + ", ".join(f"ship {n} from port {n * 7}" for n in range(700)) + " at dusk."
)


@pytest.fixture
def asked(tmp_path):
    """A function that asks a folder of these documents."""

    def ask(question, **documents):
        folder = tmp_path / "pages"
        folder.mkdir()
        for name, text in {"boiler.md": ORDINARY, **documents}.items():
            (folder / name).write_text(text)
        collections = Collections(tmp_path / "data")
        added, _ = add_book(collections, folder, name="odd")
        desk = Desk(collections, BookSettings(cached=0))
        assert "Mrs Hartley" in ask_book(Ask(query="When is the boiler bled?"), desk).answer
        reply = ask_book(Ask(query=question), desk)
        for citation in reply.citations:
            assert added.library.text(citation.document)[citation.start : citation.end] == citation.quote
        return reply

    return ask


def test_of_a_table_of_ten_thousand_rows_the_row_is_said(asked):
    rows = "".join(f"| part-{n} | {n * 3} grams | shelf {n % 97} |\n" for n in range(10_000))
    reply = asked(
        "Where is part-7321?", **{"parts.md": f"# Parts\n\n| Part | Weight | Place |\n|---|---|---|\n{rows}"}
    )
    assert "Part: part-7321; Weight: 21963 grams" in reply.summary[0].text
    assert len(reply.answer) < 1000


def test_of_a_sentence_of_twenty_thousand_characters_a_part_is_said(asked):
    assert len(LONG_SENTENCE) > 15_000
    reply = asked("What does the keeper write down?", **{"log.md": f"# Log\n\n{LONG_SENTENCE}\n"})
    assert reply.summary[0].text.startswith("The keeper writes down")
    assert len(reply.answer) < 2000


def test_a_note_of_one_word_is_a_note(asked):
    assert asked("When is the boiler bled?", **{"word.md": "Seahorse\n"}).summary


def test_a_page_that_is_one_block_of_code_is_found(asked):
    code = "\n".join(f"setting_{n} = {n * 11}" for n in range(300))
    reply = asked("What is setting_217?", **{"settings.md": f"```ini\n{code}\n```\n"})
    assert "2387" in reply.answer or reply.answer == NOTHING_FOUND
    assert len(reply.answer) < 2000


def test_documents_that_contradict_each_other_are_both_said(asked):
    reply = asked(
        "When do the bins go out?",
        **{
            "old.md": "# Bins\n\nThe bins go out on Monday evening.\n",
            "new.md": "# Bins\n\nThe bins go out on Friday evening.\n",
        },
    )
    assert "Monday" in reply.answer
    assert "Friday" in reply.answer
    assert {source.reference for source in reply.sources} >= {"old.md", "new.md"}


def test_a_document_that_is_replaced_while_it_is_read(tmp_path):
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "boiler.md").write_text(ORDINARY)
    collections = Collections(tmp_path / "data")
    added, _ = add_book(collections, folder, name="odd")
    desk = Desk(collections, BookSettings(cached=0))
    stop = threading.Event()
    answers = []

    def ask():
        while not stop.is_set():
            reply = ask_book(Ask(query="When is the boiler bled?"), desk)
            answers.append(reply.answer)

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        for name in ("Hartley", "Olsen", "Baker", "Meyer"):
            (folder / "boiler.md").write_text(ORDINARY.replace("Hartley", name))
            added.library.reindex()
    finally:
        stop.set()
        asking.join()
    assert "Meyer" in ask_book(Ask(query="When is the boiler bled?"), desk).answer
    assert all("Mrs " in answer for answer in answers)
