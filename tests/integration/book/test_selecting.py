"""Selected text: its own corpus, and nothing outside of it, ever."""

import random

import pytest

from vademecum.desks.book.ask import Ask, ask_book, stream_book
from vademecum.desks.book.reply import NOTHING_FOUND

SELECTION = (
    "A stepper motor turns by a fixed angle with every pulse. "
    "The usual angle is 1.8 degrees, so 200 pulses make a whole turn."
)


def selected(desk, query, text, **more):
    return ask_book(Ask(query=query, mode="selected-text", selected_text=text, **more), desk)


def located(desk, reply):
    """Where the selection was found: document text, start and end."""
    library = desk.collections.get("robots").library
    found = next(step.saw for step in reply.trace.steps if step.name == "retrieve")
    return library, found["start"], found["end"]


def test_an_answer_is_from_the_selection(desk):
    reply = selected(desk, "how many pulses make a turn of the stepper motor", SELECTION)
    assert reply.status == "success"
    assert not reply.not_in_book
    assert "200 pulses" in reply.answer
    for citation in reply.citations:
        assert citation.quote in SELECTION
    assert reply.sources[0].url.endswith("hardware/motors#stepper-motors")


def test_nothing_relevant_inside_is_no_result_though_the_book_knows(desk):
    reply = selected(desk, "which range does the ultrasonic range finder measure", SELECTION)
    assert (reply.answer, reply.status, reply.citations) == (NOTHING_FOUND, "no_results", ())


@pytest.mark.parametrize(
    "text",
    [
        SELECTION.replace(" ", "\n\n  "),
        "> **A stepper motor** turns by a *fixed angle* with every pulse. The usual angle is `1.8 degrees`, so 200 pulses make a [whole turn](x.md).",
        "• A stepper motor turns by a fixed angle with every pulse.\n• The usual angle is 1.8 degrees, so 200 pulses make a whole turn.",
    ],
)
def test_a_selection_is_found_whatever_its_white_space_and_marks(desk, text):
    reply = selected(desk, "how many pulses make a turn of the stepper motor", text)
    assert not reply.not_in_book
    assert "200 pulses" in reply.answer


def test_a_selection_may_reach_across_headings_and_passages(desk):
    text = "so 200 pulses make a whole turn.\n\nServo motors\n\nA servo motor holds an angle that is given by the width"
    reply = selected(desk, "what gives the angle that a servo motor holds", text, explain=True)
    assert not reply.not_in_book
    assert "width" in reply.answer
    assert "middle position" not in reply.answer


def test_a_selection_that_is_not_in_the_book_is_answered_and_flagged(desk):
    text = "The blue whale is the largest animal. Its heart weighs as much as a small car."
    reply = selected(desk, "how much does the heart of a blue whale weigh", text)
    assert reply.not_in_book
    assert reply.status == "success"
    assert all(citation.quote in text for citation in reply.citations)
    assert reply.citations[0].document.startswith("selection:")
    assert [source.book for source in reply.sources] == [""]


def test_the_stream_of_a_selection_says_the_same(desk):
    request = Ask(query="how many pulses make a turn", mode="selected-text", selected_text=SELECTION)
    plain = ask_book(request, desk)
    events = list(stream_book(request, desk))
    assert "".join(event.data["text"] for event in events if event.name == "token") == plain.answer


def test_no_span_outside_of_500_random_selections(desk):
    chance = random.Random(5)  # noqa: S311 - chance is seeded, so that a failure comes again
    library = desk.collections.get("robots").library
    texts = {}
    for question in (
        "motor pulse angle",
        "sensor range distance water",
        "map corridor planner",
        "handbook robots",
    ):
        for hit in library.passages(question, limit=10):
            texts[hit.document] = library.text(hit.document)
    questions = [
        "how many pulses",
        "which angle",
        "what range in metres",
        "what is stored",
        "calibrate",
        "corridors",
    ]
    answered = 0
    for _ in range(500):
        text = texts[chance.choice(sorted(texts))]
        start = chance.randrange(len(text) - 1)
        end = min(len(text), start + chance.randint(1, 300))
        if not text[start:end].strip():
            continue
        reply = selected(desk, chance.choice(questions), text[start:end], explain=True)
        if reply.not_in_book:
            inside = text[start:end]
            assert all(citation.quote in inside for citation in reply.citations)
            continue
        first, last = located(desk, reply)[1:]
        for citation in reply.citations:
            answered += 1
            assert " ".join(citation.quote.split()) in " ".join(text[start:end].split())
            assert first <= citation.start < citation.end <= last
            assert citation.document in texts
    assert answered > 50


@pytest.mark.parametrize("text", ["...", "\ud800", "\u202e", "\x00"])
@pytest.mark.parametrize("query", ["how many pulses make a turn", "Summarize this"])
def test_a_selection_without_words_has_no_answer(desk, query, text):
    assert selected(desk, query, text).status == "no_results"


def test_a_selection_is_rated_by_its_own_words(desk):
    likely = selected(desk, "When was the door of steel invented?", DOORS)
    unlikely = selected(desk, "When was the door of steel painted?", DOORS)
    assert 1 > likely.answerability >= likely.confidence > unlikely.confidence > 0
    assert unlikely.unknown == ("painted",)


GRIPPER = (
    "The gripper of the arm needs 24 V and closes with a force of 40 N. Its fingers are made of aluminium."
)
DOORS = (
    "Door class A is made of wood. Door class B is made of steel, and was invented in 1840 by Ada Lovelace."
)
ERROR = "Error E12 means that the door is open."
SHIP = "The captain of the ship Aurora is named Elena Fisher. The ship left port in 1912."


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("What does error E07 mean?", ERROR),
        ("Who invented the gripper?", GRIPPER),
        ("How much does the gripper weigh?", GRIPPER),
        ("What does the gripper cost?", GRIPPER),
        ("What is door class C made of?", DOORS),
        ("What happened to the door of steel in 1841?", DOORS),
        ("When did the ship sink?", SHIP),
        ("Who built the ship?", SHIP),
        ("Explain the engine", SHIP),
    ],
)
def test_a_selection_does_not_answer_what_it_does_not_say(desk, query, text):
    reply = selected(desk, query, text)
    assert reply.status == "no_results"


@pytest.mark.parametrize(
    ("query", "text", "said"),
    [
        ("What does error E12 mean?", ERROR, "open"),
        ("Which voltage does the gripper need?", GRIPPER, "24 V"),
        ("What is door class B made of?", DOORS, "steel"),
        ("When did the ship leave port?", SHIP, "1912"),
        ("Who is the captain?", SHIP, "Elena Fisher"),
        ("Why did the ship leave port?", f"{SHIP} It left because of a fire.", "a fire"),
    ],
)
def test_a_selection_answers_what_it_says(desk, query, text, said):
    assert said in selected(desk, query, text).answer  # which is shown as a guess if it is less likely


@pytest.mark.parametrize(
    "query",
    [
        "Summarize this",
        "Can you summarise the selected text in one sentence, please?",
        "Give me a short summary of this passage.",
        "What is this about?",
        "What does this mean?",
        "TL;DR",
    ],
)
@pytest.mark.parametrize("text", [SELECTION, SHIP])
def test_a_question_of_all_of_a_selection_is_answered_by_its_sentences(desk, query, text):
    reply = selected(desk, query, text)
    assert reply.status == "success"
    assert all(citation.quote in text for citation in reply.citations)


@pytest.mark.parametrize("query", ["What is the meaning of life?", "What does this whale eat?", "Why?"])
def test_a_question_of_something_is_none_of_all(desk, query):
    assert selected(desk, query, SHIP).status == "no_results"


def test_of_a_long_selection_the_sentences_that_say_the_most_of_it_are_quoted(desk):
    text = " ".join(f"Whale number {at} sings of krill and of deep water." for at in range(40))
    text += " Thanks to all who came." * 5
    reply = selected(desk, "Summarize this", text)
    assert reply.status == "success"
    assert "krill" in reply.answer
    assert "Thanks" not in reply.answer
