"""Each form of a follow-up, and of a question about documents as a whole, has its example and not its counter-example."""

import pytest

from vademecum.ask.running_text.whole import whole_asked
from vademecum.retrieval.question.follow_up import FORMS, found_form, leans

WHOLE = [
    ("documents", "can you give me a list of all the docs you were trained on", "find a file by name"),
    (
        "documents",
        "What files are in this knowledge base?",
        "what files should be in a new repo before I publish it",
    ),
    ("documents", "hello, what do you know about?", "what do you know about parking?"),
    ("documents", "what sort of things can i ask about the hotel", "search for a word in every file below"),
    ("documents", "list the documents", "list files in a directory"),
    (
        "outline",
        "can you give me a short summary of the travel policy",
        "View a summary of all the commits made",
    ),
    ("outline", "summarize the release notes for me please", "how do I summarize a column"),
    ("values", "list every date mentioned", "List all files in long format with their date"),
    ("values", "give me all the prices of the membership", "give me the price of a ticket"),
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
