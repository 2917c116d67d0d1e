"""Which thing a question wants explained, and which sentences say what a thing is."""

import pytest

from vademecum.core.passages import SECTION, Entry, Passage
from vademecum.retrieval.lexical import MANUAL_PAGES, encode
from vademecum.retrieval.methods import METHODS
from vademecum.retrieval.question.definitions import (
    SAYS_WHAT_IT_DOES,
    SAYS_WHAT_IT_IS,
    asked_thing,
    defines,
    first_at,
    mark_of,
    marks_in,
    stems_of,
)


@pytest.mark.parametrize(
    ("question", "thing"),
    [
        ("What is ROS 2?", "ros 2"),
        ("what is ros2", "ROS 2"),
        ("What's a companion computer?", "companion computer"),
        ("What are mixers in PX4?", "mixer"),
        ("what does SITL stand for", "SITL"),
        ("What does the geofence do?", "geofence"),
        ("Explain the traffic editor", "traffic editor"),
        ("the meaning of EKF?", "EKF"),
        ("MAVLink?", "MAVLink"),
        ("ok, so what is PX4 used for?", "PX4"),
    ],
)
def test_the_thing_that_is_asked_for(question, thing):
    assert asked_thing(question) == stems_of(thing) != ()


@pytest.mark.parametrize(
    "question",
    [
        "How do I install it?",
        "Which port does the simulator use?",
        "",
        "?",
        "What is it?",
        "what is " + "x " * 10_000,
        "what is a very long and quite curious name nobody would ever give a thing",
    ],
)
def test_no_thing_is_asked_for(question):
    assert asked_thing(question) == ()


@pytest.mark.parametrize(
    ("text", "thing"),
    [
        ("The uORB is an asynchronous messaging API.", "uORB"),
        ("It began in 2009. PX4 is the flight stack of this drone.", "px4"),
        ("• SITL stands for software in the loop", "SITL"),
        ("A mixer is a file that maps controls to outputs.", "mixers"),
        ("Tip: a geofence is a virtual fence.", "geofence"),
        ("State is estimated by an Extended Kalman Filter (EKF) on board.", "EKF"),
        ("SITL (Software In The Loop) runs on a computer.", "SITL"),
        ("In PX4, an airframe is any vehicle.", "airframe"),
    ],
)
def test_a_sentence_that_says_what_a_thing_is(text, thing):
    assert defines(text, stems_of(thing))[0] == 1.0
    assert marks_in(text)[mark_of(stems_of(thing))] == SAYS_WHAT_IT_IS


def test_a_sentence_that_says_what_a_thing_does_counts_less():
    for text in (
        "Fuel hosts hundreds of models.",
        "Fuel: models of all kinds, free to use",
        "Fuel - all of its models",
    ):
        assert defines(text, stems_of("fuel")) == (0.0, 1.0), text
        assert marks_in(text) == {mark_of(stems_of("fuel")): SAYS_WHAT_IT_DOES}, text


@pytest.mark.parametrize(
    "text",
    [
        "This is a page on uORB.",
        "It is an API, uORB or not.",
        "We met uORB before.",
        "Ask for the Radio Control Manual (PX4).",
        "",
        "uORB" * 10_000,
        "a " * 20_000,
    ],
)
def test_a_sentence_that_defines_nothing_of_the_kind(text):
    for thing in ("uORB", "PX4"):
        assert defines(text, stems_of(thing)) == (0.0, 0.0)


def test_a_longer_name_is_half_the_thing():
    assert defines("The PX4 autopilot is a program.", stems_of("PX4")) == (0.5, 0.0)


def test_how_early_a_thing_is_named():
    assert first_at("The PX4 flight stack", stems_of("px4")) == 1.0
    assert first_at("Flight stack of PX4", stems_of("px4")) == pytest.approx(1 / 3)
    assert first_at("Flight stack", stems_of("px4")) == 0.0


def test_an_index_of_running_text_marks_what_a_passage_defines():
    text = "uORB is a messaging API."
    passage = Passage(SECTION, 0, len(text), 0, "", "")
    entry = Entry("a", "1", "0" * 64, "a.md", "A", "", ("a.md",), (), text, (passage,))
    mark = mark_of(stems_of("uORB"))
    of_pages, of_texts = (encode(entry, fields) for fields in (MANUAL_PAGES, METHODS["documents"].fields))
    assert mark in of_texts.passages[0].terms
    assert mark not in of_pages.passages[0].terms
    for encoded in (of_pages, of_texts):
        assert mark not in encoded.page.terms
        assert not any(mark in window for window in encoded.windows)
