"""Finding: what one letter or digit tells apart, which the index does not hold."""

import pytest

from vademecum.desks.book.ask import Ask, ask_book
from vademecum.desks.book.books import add_book
from vademecum.desks.book.desk import Desk
from vademecum.desks.book.settings import BookSettings
from vademecum.library.collections import Collections
from vademecum.retrieval.passages.ranking import Label, labels

FILLING = "It takes a quarter of an hour, and is written down in the ledger of the house."
MATERIALS = {"A": "oak", "B": "steel", "C": "glass", "D": "rubber"}


@pytest.fixture(scope="module")
def doors(tmp_path_factory):
    """A desk with a book on classes of doors, and the steps of their inspection."""
    folder = tmp_path_factory.mktemp("doors")
    for name, material in MATERIALS.items():
        text = f"# Door class {name}\n\nA door of class {name} is made of {material}. {FILLING}\n"
        (folder / f"class-{name.lower()}.md").write_text(text)
    for step, part in enumerate(("hinge", "lock", "frame", "seal"), 1):
        text = f"# Step {step}\n\nIn step {step} of the inspection one looks at the {part}. {FILLING}\n"
        (folder / f"step-{step}.md").write_text(text)
    made = Collections(tmp_path_factory.mktemp("data") / "collections")
    add_book(made, folder, name="doors")
    return Desk(made, BookSettings(cached=0))


@pytest.mark.parametrize(("name", "material"), MATERIALS.items())
def test_the_class_that_is_asked_for_is_quoted_first(doors, name, material):
    reply = ask_book(Ask(query=f"What is door class {name} made of?"), doors)
    assert material in reply.summary[0].text
    assert reply.sources[0].section.endswith(f"class {name}")


@pytest.mark.parametrize(("step", "part"), [(1, "hinge"), (3, "frame"), (4, "seal")])
def test_the_step_that_is_asked_for_is_quoted_first(doors, step, part):
    reply = ask_book(Ask(query=f"What does one look at in step {step} of the inspection?"), doors)
    assert part in reply.summary[0].text
    scores = [one.relevance_score for one in reply.sources]
    assert scores == sorted(scores, reverse=True)


def test_labels_are_letters_and_numbers_behind_a_name():
    assert labels("What is door class C made of, in step 5?") == [Label("class", "C"), Label("step", "5")]
    assert labels("May I leave a door open for 5.5 V, or is it 5%?") == []


@pytest.mark.parametrize(
    ("text", "side"),
    [
        ("Class C doors", 1),
        ("the classes B and C", 1),
        ("the classes A, B, C", 1),
        ("door class B", -1),
        ("class CE", 0),
        ("a door in the C major", 0),
        ("no classes at all", 0),
    ],
)
def test_a_text_has_the_label_or_another_or_none(text, side):
    assert Label("class", "C").side(text) == side


def test_relevance_tells_the_passage_that_answers_from_one_that_shares_a_word(doors):
    library = doors.collections.get("doors").library
    first, other = (
        library.find(question, limit=3).hits[0].relevance
        for question in ("What is door class B made of?", "Which door was painted blue by the mayor?")
    )
    assert 0.5 < first < 0.999
    assert other < first / 2
