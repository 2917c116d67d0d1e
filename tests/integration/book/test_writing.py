"""A model that writes a book's answer: what holds, what does not, and what becomes of the answer when it fails."""

import json
import re
import threading

import pytest

from vademecum.core.errors import ProviderError
from vademecum.desks.book.ask import Ask, ask_book, stream_book
from vademecum.desks.book.desk import Desk
from vademecum.desks.book.reply import NOTHING_FOUND
from vademecum.desks.book.settings import BookSettings
from vademecum.testing.model import ScriptedModel, chunks, lines_in, said, written
from vademecum.testing.scripted import answer, stream

STEPPER = "How many pulses make a whole turn of a stepper motor?"
TRUE = "A stepper motor turns by a fixed angle with every pulse."
BUSY = answer({"error": {"message": "slow down"}}, 429)


UNTRUE = "Stepper motors were invented in 1523 by a monk."


def line_of(text, request):
    return next(number for number, line in lines_in(request).items() if line.startswith(text))


def citing(*texts):
    """A reply whose sentences cite the line on stepper motors."""

    def give(visit, request):
        number = line_of(TRUE, request)
        said(written(*((text, number) for text in texts)))(visit, request)

    return give


@pytest.fixture
def desk_with(collections):
    made = []

    def make(*models, **settings):
        chosen = {"style": "prose", **settings}
        desk = Desk(collections, BookSettings(models=tuple(one.settings for one in models), **chosen))
        made.append(desk)
        return desk

    yield make
    for desk in made:
        desk.close()


def both(request, desk):
    plain = ask_book(request, desk)
    with stream_book(request, desk) as events:
        streamed = "".join(event.data["text"] for event in events if event.name == "token")
    return plain, streamed


def test_a_written_answer_is_verified_and_cited(desk_with):
    with ScriptedModel(citing(TRUE)) as model:
        plain, streamed = both(Ask(query=STEPPER), desk_with(model))
        assert (plain.status, plain.answer, streamed) == ("success", f"{TRUE} [1]", f"{TRUE} [1]")
        assert plain.model == "openai:scripted"
        assert TRUE in plain.citations[0].quote
        assert plain.sources[0].title == "Motors"
        prompt = "\n".join(one["content"] for one in model.asked[0].json["messages"])
        assert model.asked[0].json["temperature"] == 0.3
    assert "Stepper motors" in prompt


def test_a_sentence_in_other_forms_of_the_words_of_its_line_is_shown_as_written(desk_with):
    sentence = "Stepper motors turn by fixed angles with every pulse."
    with ScriptedModel(citing(sentence)) as model:
        plain, streamed = both(Ask(query=STEPPER), desk_with(model))
    assert (plain.answer, streamed) == (f"{sentence} [1]", f"{sentence} [1]")
    assert plain.summary[0].origin == "reworded"


def test_what_the_passages_do_not_say_is_replaced_by_the_line_that_it_cites(desk_with):
    with ScriptedModel(citing(UNTRUE)) as model:
        plain, streamed = both(Ask(query=STEPPER), desk_with(model))
    (replaced,) = plain.summary
    assert (replaced.text.startswith(TRUE), replaced.origin) == (True, "replaced")
    assert plain.answer == streamed == f"{replaced.text} [1]"
    with ScriptedModel(citing(TRUE, UNTRUE)) as model:
        plain, streamed = both(Ask(query=STEPPER), desk_with(model))
    assert plain.answer == streamed == f"{TRUE} [1]"


@pytest.mark.parametrize(
    "reply",
    [
        answer({"error": {"message": "boom"}}, 500),
        said(UNTRUE),
        said("I cannot help with that."),
        answer("this is not JSON"),
    ],
    ids=["an error", "what no line says", "nothing of use", "no protocol"],
)
def test_a_model_that_fails_leaves_the_books_own_words(desk_with, reply):
    with ScriptedModel(reply) as model:
        plain, streamed = both(Ask(query=STEPPER), desk_with(model))
        assert plain.status == "partial"
        assert plain.reasons
        assert plain.model == ""
        assert "200 pulses make a whole turn" in plain.answer
        assert streamed == plain.answer
        required = Ask(query=STEPPER, require_model=True)
        with pytest.raises(ProviderError):
            ask_book(required, desk_with(model))
        last = list(stream_book(required, desk_with(model)))[-1]
        assert (last.name, bool(last.data["hint"])) == ("error", True)


def test_one_that_breaks_off_keeps_what_holds_and_adds_the_books_own_words(desk_with):
    def broken(visit, request):
        text = written((TRUE, line_of(TRUE, request)), ("And it", 1))
        stream(chunks(text), then=lambda visit, _request: visit.hang_up())(visit, request)

    with ScriptedModel(broken) as model:
        plain, streamed = both(Ask(query=STEPPER), desk_with(model))
    assert plain.status == "partial"
    assert plain.answer.startswith(f"{TRUE} [1]")
    assert "so 200 pulses make a whole turn" in plain.answer
    assert streamed == plain.answer
    numbers = {(one.alias, one.document_ref): one.number for one in plain.citations}
    assert sorted(numbers.values()) == list(range(1, len(numbers) + 1))


def test_the_next_model_is_asked_when_one_is_too_busy(desk_with):
    with ScriptedModel(BUSY) as busy, ScriptedModel(citing(TRUE)) as free:
        desk = desk_with(busy, free)
        reply = ask_book(Ask(query=STEPPER), desk)
        assert (reply.status, reply.answer) == ("success", f"{TRUE} [1]")
        assert busy.asked
        assert free.asked


def test_a_question_the_book_does_not_answer_is_refused_whatever_a_model_picks(desk_with):
    with ScriptedModel('{"lines": [2]}') as model:
        desk = desk_with(model, style="choose")
        assert ask_book(Ask(query="Which wine goes with venison?"), desk).status == "no_results"
        assert model.asked


def test_only_the_selection_is_shown_to_the_model(desk_with):
    text = "The usual angle is 1.8 degrees, so 200 pulses make a whole turn."
    with ScriptedModel(text) as model:
        request = Ask(query=STEPPER, mode="selected-text", selected_text=text)
        reply = ask_book(request, desk_with(model))
        shown = "\n".join(lines_in(model.asked[0]).values())
    assert "200 pulses" in shown
    assert "A servo motor" not in shown
    assert all(citation.quote in text for citation in reply.citations)


def test_closing_ends_the_model_at_once(desk_with):
    began = threading.Event()

    def slow(visit, request):
        def wait(visit, _request):
            began.set()
            visit.wait_for_end()

        stream(chunks(TRUE), then=wait)(visit, request)

    with ScriptedModel(slow) as model:
        stream_ = stream_book(Ask(query=STEPPER), desk_with(model))
        events = []
        reading = threading.Thread(target=lambda: events.extend(stream_))
        reading.start()
        assert began.wait(60)
        stream_.close()
        reading.join(60)
        assert not reading.is_alive()
    assert all(event.name != "final" for event in events)


# --- a model that chooses ---------------------------------------------------------------------------------------------


def choosing(*beginnings):
    """A model that chooses the lines with these beginnings."""

    def give(visit, request):
        numbers = [line_of(beginning, request) for beginning in beginnings]
        said(json.dumps({"lines": numbers}))(visit, request)

    return give


def test_a_model_chooses_sentences_of_the_books(desk_with):
    with ScriptedModel(choosing(TRUE)) as model:
        plain, streamed = both(Ask(query=STEPPER), desk_with(model, style="choose"))
    (chosen,) = plain.summary
    assert chosen.text.startswith(TRUE)
    assert (plain.status, plain.answer, streamed) == ("success", f"{chosen.text} [1]", f"{chosen.text} [1]")
    assert (plain.model, plain.dropped, plain.warnings) == ("openai:scripted", 0, ())
    assert chosen.origin == "copied"
    assert plain.citations[0].quote == chosen.text
    assert plain.sources[0].title == "Motors"


def test_a_sentence_of_a_passage_that_the_own_answer_does_not_use_has_its_source(desk_with):
    with ScriptedModel('{"lines": [1]}') as model:
        desk = desk_with(model, style="choose")
        ask_book(Ask(query=STEPPER, k=1), desk)
        shown = model.asked[0].json["messages"][-1]["content"]
    lines = re.findall(r"^\d+\. \[([^:\]]*).*?\] (.*)$", shown, re.MULTILINE)
    other, line = next((title, line) for title, line in lines if title != "Motors")
    with ScriptedModel(choosing(line)) as model:
        request = Ask(query=STEPPER, k=1, require_model=True)
        plain, streamed = both(request, desk_with(model, style="choose"))
    assert plain.answer == streamed
    assert plain.answer.startswith(line)
    assert [one.title for one in plain.sources] == [other]
    assert plain.references[0].label == other


@pytest.mark.parametrize(
    ("question", "is_certain"),
    [("How do I calibrate the gyroscope?", True), ("How often does the planner replan?", False)],
)
def test_no_line_leaves_the_own_answer_if_it_is_certain(desk_with, question, is_certain):
    own = ask_book(Ask(query=question), desk_with())
    assert own.status == "success"
    with ScriptedModel('{"lines": []}') as model:
        plain, streamed = both(Ask(query=question), desk_with(model, style="choose"))
    assert plain.answer == streamed == (own.answer if is_certain else NOTHING_FOUND)
    assert (plain.status, plain.model) == ("success" if is_certain else "no_results", "")
    assert plain.confidence < own.confidence
    assert "The model openai:scripted found no answer in the documents." in plain.warnings


def test_no_more_passages_are_used_than_are_asked_for(desk_with):
    with ScriptedModel('{"lines": [1, 2, 3, 4, 5]}') as model:
        for k in (1, 2):
            found = ask_book(Ask(query=STEPPER, k=k), desk_with(model, style="choose"))
            assert 1 <= len(found.summary) <= k
            assert len(found.sources) <= k


def test_passages_below_the_similarity_threshold_are_not_offered(desk_with):
    def shown(**settings):
        with ScriptedModel('{"lines": [1]}') as model:
            ask_book(Ask(query=STEPPER), desk_with(model, style="choose", **settings))
            return model.asked[0].json["messages"][-1]["content"]

    everything, near = shown(), shown(similarity_threshold=0.5)
    assert "200 pulses" in near
    assert near.count("\n") < everything.count("\n")
