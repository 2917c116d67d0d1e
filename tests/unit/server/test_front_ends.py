"""Requests for titles and tags are recognized by their form, and questions about titles are not."""

import json

import pytest

from vademecum.core.models import Message
from vademecum.server.routes.openai import own_request

TALK = "USER: How do I book a train to the fair?\nASSISTANT: With the travel desk."
OPEN_WEBUI = "### Task:\nGenerate {} summarizing the chat history.\n### Output:\nJSON format: {}\n### Chat History:\n<chat_history>\n{}\n</chat_history>"
LIBRE_CHAT = "Provide a concise, 5-word-or-less title for the conversation, using title case conventions. Only return the title itself.\n\nConversation:\n{}"


def user(*texts):
    return [Message("user", text) for text in texts]


@pytest.mark.parametrize(
    ("what", "form", "reply"),
    [
        ("a concise title", '{ "title": "your title here" }', {"title": "How do I book a train to the fair"}),
        ("1-3 broad tags", '{ "tags": ["tag1", "tag2"] }', {"tags": ["book", "train", "fair"]}),
        ("search queries", '{ "queries": ["query1"] }', {"queries": ["How do I book a train to the fair?"]}),
    ],
)
def test_answers_in_the_json_that_is_asked_for(what, form, reply):
    assert json.loads(own_request(user(OPEN_WEBUI.format(what, form, TALK)))) == reply


@pytest.mark.parametrize(
    "messages",
    [
        user(LIBRE_CHAT.format(TALK.replace("USER", "User"))),
        user("How do I book a train to the fair?", "Generate a title for this conversation:"),
        [
            Message("system", "You will generate a short title based on the first message of a user."),
            *user("How do I book a train to the fair?"),
        ],
    ],
)
def test_answers_with_the_title_alone(messages):
    assert own_request(messages) == "How do I book a train to the fair"


@pytest.mark.parametrize(
    "question",
    [
        "How do I create a title for a chat message?",
        "What does the field title of the chat history mean?",
        'Why does the API return { "title": "x" } for a page?',
        "Please provide the job titles of the people who answer the phone",
    ],
)
def test_a_question_about_titles_is_a_question(question):
    assert own_request([Message("system", "Answer in German."), *user(question)]) is None
