"""The same question has the same answer through every door: Python, ragman, vademecum ask, POST /ask, /v1, and MCP."""

import asyncio
import json
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from commands import run_command
from shared import environment, library_of, places_in
from vademecum.ask.path import decide, own_words, turns_of
from vademecum.core.answers import to_dict
from vademecum.library.collections import Collections
from vademecum.library.library import Library

BIN = Path(sys.executable).parent
DATA = Path(__file__).parents[2] / "data"

NOTES = {
    "moorings.md": "# Moorings\n\nOur berth is number 41, on the east pier.\n\nThe harbour master answers on channel 12.\n",
    "paint.md": "# Paint\n\nThe hull gets two coats of red lead every spring. Sand it with grit 80 before.\n",
    "galley.md": "# Galley\n\n| stove | gas |\n| --- | --- |\n| big | butane |\n| small | propane |\n",
}
BOOK = {
    "winch.md": "# The winch\n\n## Brake\n\nThe brake of the winch holds two tonnes. Oil it once a month.\n\n## Drum\n\nThe drum takes 80 metres of rope.\n",
    "sails.md": "# Sails\n\nReef the main sail when the wind reaches force six.\n\n1. Turn into the wind.\n2. Lower the halyard.\n",
}
STOCK = {
    "shackles.txt": "Shackles\n\nForty shackles of steel lie in drawer nine.\n",
    "lamps.txt": "Lamps\n\nThe spare lamps are of 12 volts and 10 watts.\n",
}
QUESTIONS = [
    ("man", "How do I change file permissions recursively?"),
    ("man", "How do I change the owner of a file?"),
    ("man", "chmod --reference"),
    ("man", "change the mode of a file from C"),
    ("man", "Which wine goes with venison?"),
    ("info", "How do I cut the grass?"),
    ("info", "mow all of the lawn"),
    ("info", "How do I dig with the spade?"),
    ("kiwix", "How do I tie a bowline?"),
    ("kiwix", "What is a hitch good for?"),
    ("kiwix", "Who won the regatta of 1912?"),
    ("docs", "Which channel does the harbour master answer on?"),
    ("docs", "How many coats of red lead does the hull get?"),
    ("docs", "What gas does the small stove take?"),
    ("docs", "Who bakes the wedding cake?"),
    ("book", "How much does the brake of the winch hold?"),
    ("book", "When do I reef the main sail?"),
    ("book", "How long is the rope on the drum?"),
    ("stock", "Where are the shackles of steel?"),
    ("stock", "How many watts have the spare lamps?"),
]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A person's folders with every kind of source, indexed."""
    home = tmp_path_factory.mktemp("doors")
    folders = {}
    for name, files in (("notes", NOTES), ("winches", BOOK), ("stock", STOCK)):
        folders[name] = home / name
        folders[name].mkdir()
        for file, text in files.items():
            (folders[name] / file).write_text(text)
    shutil.copytree(DATA / "manual", home / "manual")
    shutil.copytree(DATA / "info", home / "info")
    shutil.copy(DATA / "zim/handbook.zim", home)
    library_of(places_in(home), home / "manual", home / "info", home / "handbook.zim", folders["notes"])
    collections = Collections(home / "data/vademecum/collections")
    collections.create("winches", kind="book").library.add(folders["winches"])
    collections.create("stock").library.add(folders["stock"])
    return home


@pytest.fixture(scope="module")
def names(home):
    library = Library(places_in(home))
    return {entry.type: entry.alias for entry in library.sources()} | {"book": "winches", "stock": "stock"}


def parts(statements, citations):
    """What a door says: each statement with the exact words that it rests on."""
    cited = [(one["document"], one["start"], one["end"], one["quote"]) for one in citations]
    return [
        (one["text"], one.get("command", ""), [cited[at] for at in one["citations"]]) for one in statements
    ]


def of_answer(data):
    return parts([*data["summary_sentences"], *data["steps"]], data["citations"])


def of_reply(data):
    assert "summary" in data, json.dumps(data)
    return parts([*data["summary"], *data["steps"]], data["citations"])


def run(home, *command):
    done = run_command(*command, env=environment(home))
    assert done.returncode in {0, 3}, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def server(settings, home, run_server):
    there = replace(settings, places=places_in(home), collections_folder=home / "data/vademecum/collections")
    with run_server(there) as server:
        yield server


def by_tools(server, asked):
    """What `ask` of MCP gives for each source and question."""

    async def go():
        found = []
        async with (
            httpx2.AsyncClient(timeout=60) as http,
            Client(streamable_http_client(f"{server.url}/mcp", http_client=http)) as client,
        ):
            for source, question in asked:
                result = await client.call_tool("ask", {"source": source, "question": question})
                assert not result.is_error, result.content
                found.append(result.structured_content)
        return found

    return asyncio.run(go())


def test_every_source_has_one_answer_through_every_door(home, names, server):
    library = Library(places_in(home))
    collections = Collections(home / "data/vademecum/collections")
    by_mcp = by_tools(server, [(names[kind], question) for kind, question in QUESTIONS])
    answered = 0
    for (kind, question), told in zip(QUESTIONS, by_mcp, strict=True):
        name = names[kind]
        is_collection = kind in {"book", "stock"}
        answer = (
            collections.get(name).library.ask(question)
            if is_collection
            else library.ask(question, sources=[name])
        )
        expected = of_answer(to_dict(answer))
        answered += bool(expected)
        reply = server.post("/ask", {"query": question, "source": name}).json
        assert of_reply(reply) == expected, (question, "POST /ask")
        assert of_reply(run(home, "vademecum", "ask", "--json", "--source", name, question)) == expected
        if not is_collection:
            assert of_answer(run(home, "ragman", "--json", "--source", name, question)) == expected, "ragman"
        completion = server.post(
            "/v1/chat/completions", {"model": name, "messages": [{"role": "user", "content": question}]}
        ).json
        cited = [(one["document"], one["start"], one["end"]) for one in reply["citations"]]
        by_v1 = completion["vademecum"]["citations"]
        assert [(one["document"], one["start"], one["end"]) for one in by_v1] == cited, (question, "/v1")
        assert completion["choices"][0]["message"]["content"].startswith(reply["answer"])
        assert [(one["document"], one["start"], one["end"]) for one in told["citations"]] == cited, (
            question,
            "MCP",
        )
        assert (told["answer"], told["status"]) == (reply["answer"], reply["status"])
        assert abs(told["confidence"] - answer.confidence) < 0.0001
    library.close()
    assert answered >= 14


def test_all_sources_at_once_have_one_answer_through_every_door(home, server):
    for kind, question in QUESTIONS[::3]:
        reply = server.post("/ask", {"query": question}).json
        assert of_reply(run(home, "vademecum", "ask", "--json", question)) == of_reply(reply), question
        completion = server.post(
            "/v1/chat/completions",
            {"model": "everything", "messages": [{"role": "user", "content": question}]},
        ).json
        assert completion["vademecum"]["citations"] == reply["citations"], (kind, question)


MANUAL = Path(__file__).parents[3] / "docs"
RULES = "rag_services: {kb: {type: local}}\nresponses: [{prompt: Answer., style: choose}]\n"


def headings():
    """Questions: the headings of the project's own documents, some as a follow-up to the one before."""
    pages = [*sorted((MANUAL / "how-to").glob("*.md")), *sorted((MANUAL / "reference").glob("*.md"))]
    lines = [line for page in pages for line in page.read_text().splitlines() if line.startswith("## ")]
    found = [f"{line.strip('# ')}?" for line in lines][:196]
    return [
        *found,
        "What documents do you have?",
        "list all email addresses",
        "summarize the chat",
        "Wo ist das?",
    ]


def test_chat_and_every_other_door_begin_with_the_same_line(settings, tmp_path, run_server):
    collections = Collections(tmp_path / "collections")
    names = ["how-to", "reference"]
    for name in names:
        collections.create(name).library.add(MANUAL / name)
    (tmp_path / "chat.yaml").write_text(RULES)
    there = replace(settings, collections_folder=collections.folder, chat_file=tmp_path / "chat.yaml")
    asked, answered = headings(), 0
    with run_server(there) as server:
        for at, question in enumerate(asked):
            before = asked[at - 1 : at] if at % 4 == 0 else []
            messages = [{"role": "user", "content": text} for text in [*before, question]]
            chat = server.post("/api/chat", {"message": question, "history": messages[:-1]}).json
            by_v1 = server.post("/v1/chat/completions", {"model": "everything", "messages": messages}).json
            decision = decide(
                question,
                [collections.get(name).library.corpus(name=name) for name in names],
                before=turns_of(before),
            )
            verified, _ = own_words(decision)
            expected = verified.summary[:1] if decision.rated.answers else ()
            answered += bool(expected)
            first = expected[0].text or expected[0].command if expected else ""
            assert bool(chat["summary"]) == bool(expected), question
            assert chat["summary"].startswith(first), question
            if expected:
                cited, place = verified.citations[0], by_v1["vademecum"]["citations"][0]
                assert (place["document"], place["start"]) == (cited.document, cited.start), question
                assert chat["status"] == by_v1["vademecum"]["status"], question
            if not before:
                reply = server.post("/ask", {"query": question, "source": names}).json
                assert (reply["status"] == "no_results") == (not expected), question
                if expected:
                    assert first in reply["summary"][0].values(), question
                assert (reply["read_as"] or "") == (chat["routing"]["read_as"] or "")
    assert (len(asked), answered >= 100) == (200, True)


def test_passages_of_every_source_are_found_and_fetched(names, server):
    async def go():
        async with (
            httpx2.AsyncClient(timeout=60) as http,
            Client(streamable_http_client(f"{server.url}/mcp", http_client=http)) as client,
        ):
            for kind, question in QUESTIONS:
                found = await client.call_tool(
                    "search", {"source": names[kind], "question": question, "limit": 3}
                )
                passages = found.structured_content["passages"]
                assert passages, question
                assert {one["source"] for one in passages} == {names[kind]}
                one = await client.call_tool("get_passage", {"passage": passages[0]["passage"]})
                assert one.structured_content == passages[0]
            listed = await client.call_tool("list_sources", {})
            return {one["name"] for one in listed.structured_content["sources"]}

    assert asyncio.run(go()) == {*names.values()}
