"""A book of three short pages on something else than robots: what it answers, and what it does not."""

import pytest

from vademecum.desks.book.ask import Ask, ask_book
from vademecum.desks.book.books import add_book
from vademecum.desks.book.desk import Desk
from vademecum.desks.book.settings import BookSettings
from vademecum.library.collections import Collections

PAGES = {
    "bread.md": (
        "# Bread\n\n## Sourdough\n\nFeed the sourdough starter with equal parts of flour and water, twelve hours before baking. "
        "The dough rests overnight in the fridge, because the cold slows the yeast down.\n\n"
        "## Baking\n\nBake the loaf at 240 degrees for 45 minutes. It is done when it sounds hollow on its underside.\n"
    ),
    "coffee.md": (
        "# Coffee\n\n## Grinding\n\nGrind the beans just before brewing. For a French press the grind is coarse, for an espresso "
        "it is fine.\n\n## Descaling\n\nDescale the machine every two months with citric acid; vinegar damages its seals.\n"
    ),
    "garden.md": (
        "# Garden\n\n## Tomatoes\n\nTomatoes are planted outside after the last frost. Water them at the roots and never on the "
        "leaves, or they catch blight.\n\n## Compost\n\nThe heap needs air: turn it once a month.\n"
    ),
}


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    folder = tmp_path_factory.mktemp("small") / "house"
    folder.mkdir()
    for name, text in PAGES.items():
        (folder / name).write_text(text)
    made = Collections(tmp_path_factory.mktemp("data") / "collections")
    add_book(made, folder, name="house")
    return Desk(made, BookSettings(cached=0))


@pytest.mark.parametrize(
    ("query", "part"),
    [
        ("How long do I bake the loaf?", "45 minutes"),
        ("Why does the dough rest in the fridge?", "slows the yeast"),
        ("What grind does a French press need?", "coarse"),
        ("Can I descale the machine with vinegar?", "damages its seals"),
        ("When are tomatoes planted outside?", "after the last frost"),
        ("How often do I turn the compost heap?", "once a month"),
    ],
)
def test_what_it_answers(desk, query, part):
    reply = ask_book(Ask(query=query), desk)

    assert not reply.no_answer
    assert part in reply.answer


@pytest.mark.parametrize(
    "query",
    [
        "How do I tune a guitar?",
        "What is the capital of Australia?",
        "convert a video to another format",
        "Who won the football world cup in 2018?",
        "price of an espresso machine from Italy",
    ],
)
def test_what_it_does_not_answer(desk, query):
    assert ask_book(Ask(query=query), desk).no_answer


def test_of_what_it_speaks_of_and_does_not_say_not_all_is_answered(desk):
    near_misses = (
        "Which company invented the coffee capsule?",
        "What year was the first greenhouse for tomatoes built?",
        "How many bars of pressure does the machine give?",
        "Who sold us the compost?",
        "What does the vinegar cost?",
        "Which frost was the worst?",
    )
    refused = [query for query in near_misses if ask_book(Ask(query=query), desk).no_answer]
    assert len(refused) >= len(near_misses) / 2, refused
