"""Each form of a follow-up, and of a question about documents as a whole, has its example and not its counter-example."""

import pytest

from vademecum.ask.running_text.whole import whole_asked
from vademecum.retrieval.question.follow_up import FORMS, found_form, leans

WHOLE = [
    ("documents", "hi, which files are there?", "which files does cp copy"),
    ("documents", "hello, what do you know about?", "what do you know about parking?"),
    ("documents", "list the documents", "list files in a directory"),
    ("documents", "which topics does this collection cover", "which topics do I need for the exam"),
    ("outline", "can you give me a short summary of the travel policy", "how do I summarize a column"),
    ("values", "please list all phone numbers", "what is the phone number of the desk"),
    ("values", "show me every email address you have", "show me the address of the clinic"),
    ("values", "give me a list of the prices", "give me the price of a ticket"),
]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.example)
def test_a_form_of_a_follow_up_has_its_example_and_not_its_counter_example(form):
    assert found_form(form.kind, form.example)
    assert not found_form(form.kind, form.other)
    if form.kind in {"leads", "adds", "points", "person"}:
        assert leans(form.example)
    if form.kind == "dummy":
        assert not leans(form.example)


@pytest.mark.parametrize(("kind", "question", "other"), WHOLE)
def test_a_question_about_documents_as_a_whole_is_recognized(kind, question, other):
    assert whole_asked(question).kind == kind
    assert whole_asked(other) is None
