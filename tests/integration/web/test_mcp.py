"""The tools, as MCP's own client calls them, over HTTP and over standard input and output."""

import asyncio
import json
import os
import sys
from pathlib import Path

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from vademecum.library.collections import Collections

QUESTION = "How long must I hold the calibration button of the fingers?"
TOOLS = {"search", "ask", "explain_command", "list_sources", "get_passage", "select_template"}


def over_http(server, use, key=""):

    async def go():
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60) as http,
            Client(streamable_http_client(f"{server.url}/mcp", http_client=http)) as client,
        ):
            return await use(client)

    return asyncio.run(go())


def over_stdio(use, folder):
    """Call the tools of a process of `vademecum mcp`, whose data are in a folder."""

    async def go():
        parameters = StdioServerParameters(
            command=str(Path(sys.executable).with_name("vademecum")),
            args=["mcp"],
            env={**os.environ, "XDG_DATA_HOME": str(folder)},
        )
        async with Client(stdio_client(parameters)) as client:
            return await use(client)

    return asyncio.run(go())


async def everything(client):
    tools = (await client.list_tools()).tools
    answer = await called(client, "ask", question=QUESTION, source="handbook")
    found = await called(client, "search", question=QUESTION, source="handbook", limit=3)
    passage = await called(client, "get_passage", passage=found["passages"][0]["passage"])
    sources = await called(client, "list_sources")
    chosen = await called(
        client, "select_template", problem="Which commit broke the build? It was fine in March."
    )
    return tools, answer, found, passage, sources, chosen


async def called(client, name, **arguments):
    result = await client.call_tool(name, arguments)
    assert not result.is_error, result.content
    assert json.loads(result.content[0].text) == result.structured_content
    return result.structured_content


def check(said, ask):
    tools, answer, found, passage, sources, chosen = said
    assert {tool.name for tool in tools} == TOOLS
    assert all(tool.annotations.read_only_hint and tool.description for tool in tools)
    assert (answer["status"], answer["answer"]) == (ask["status"], ask["answer"])
    assert [(one["document"], one["start"], one["end"]) for one in answer["citations"]] == [
        (one["document"], one["start"], one["end"]) for one in ask["citations"]
    ]
    assert {one["quote"] for one in answer["citations"]} == {""}, "each text comes once"
    assert all(tool.output_schema for tool in tools if tool.name != "select_template")
    assert "seven seconds" in found["passages"][0]["text"]
    assert len(found["passages"]) == 3
    assert passage["text"] == found["passages"][0]["text"]
    assert "handbook" in {one["name"] for one in sources["sources"]}
    assert chosen["matches"][0]["id"] == "binary-search-debugging"


def test_every_tool_says_what_http_says(server):
    check(over_http(server, everything), server.post("/ask", {"query": QUESTION, "book": "handbook"}).json)


def test_standard_input_and_output(server, tmp_path, collections_folder):
    (tmp_path / "vademecum").mkdir()
    (tmp_path / "vademecum/collections").symlink_to(collections_folder)
    check(over_stdio(everything, tmp_path), server.post("/ask", {"query": QUESTION, "book": "handbook"}).json)


BAD = [
    ("ask", {}),
    ("ask", {"question": " "}),
    ("ask", {"question": 3}),
    ("ask", {"question": QUESTION, "source": "nothing"}),
    ("ask", {"question": QUESTION, "source": "../keys"}),
    ("ask", {"question": "x" * 20_001}),
    ("search", {"question": QUESTION, "limit": 0}),
    ("search", {"question": QUESTION, "limit": 21}),
    ("search", {"question": QUESTION, "unknown": 1}),
    ("get_passage", {"passage": "x"}),
    ("get_passage", {"passage": f"handbook:{'0' * 64}:0"}),
    ("get_passage", {"passage": "../../etc/passwd"}),
    ("select_template", {"problem": "x", "top_k": 11}),
    ("list_sources", {"all": True}),
    ("delete_everything", {}),
]


@pytest.mark.parametrize(("name", "arguments"), BAD)
def test_what_is_not_taken(server, name, arguments):
    async def use(client):
        return await client.call_tool(name, arguments)

    result = over_http(server, use)
    assert result.is_error
    assert result.content[0].text
    assert "Traceback" not in result.content[0].text
    assert "GET /" not in result.content[0].text


def test_all_collections_are_searched(server):
    async def use(client):
        return await called(client, "search", question=QUESTION, limit=20)

    found = over_http(server, use)
    assert {one["source"] for one in found["passages"]} == {"handbook", "annas", "bobs"}
    assert found["problems"] == []


def test_a_command_line_is_explained_or_named_as_unknown(server):
    async def explained(client):
        return await called(client, "explain_command", line="frobnicate -x | grep y")

    said = over_http(server, explained)
    assert (said["status"], said["citations"]) == ("no_results", [])


def test_what_can_not_be_searched_is_named(tmp_path, settings, run_server):
    from dataclasses import replace

    Collections(tmp_path / "own").create("bare")

    async def use(client):
        return await called(client, "search", question=QUESTION)

    with run_server(replace(settings, collections_folder=tmp_path / "own")) as server:
        found = over_http(server, use)
    assert found["passages"] == []
    assert found["problems"] == ["bare: It has no documents yet."]


def test_nothing_is_found_in_a_collection_without_documents(tmp_path, settings, run_server):
    from dataclasses import replace

    Collections(tmp_path / "own").create("bare")

    async def use(client):
        found = await called(client, "search", question=QUESTION, source="bare")
        return found, await called(client, "ask", question=QUESTION, source="bare")

    with run_server(replace(settings, collections_folder=tmp_path / "own")) as server:
        found, said = over_http(server, use)
    assert found == {"passages": [], "problems": ["bare: It has no documents yet."]}
    assert (said["status"], said["answer"]) == ("no_results", "No relevant information found for your query.")


def test_keys(shared, anna):
    async def use(client):
        return await called(client, "list_sources")

    sources = over_http(shared, use, anna)["sources"]
    assert [one["name"] for one in sources if one["documents"]] == ["annas", "handbook"]
    assert "bobs" not in {one["name"] for one in sources}
    with pytest.raises(BaseExceptionGroup) as raised:
        over_http(shared, use)
    assert "401" in str(raised.value) or raised.value.exceptions


def test_a_web_page_may_not_call_the_tools(server):
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    headers = {"Accept": "application/json, text/event-stream"}
    assert server.post("/mcp", body, headers=headers | {"Origin": "https://evil.example"}).status == 403
    assert server.post("/mcp", body, headers=headers | {"Host": "evil.example"}).status == 421


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_no_stream_is_opened_and_no_session_ended(server, method):
    reply = server.call(method, "/mcp", headers={"Accept": "text/event-stream"})
    assert (reply.status, reply.json["code"]) == (405, "METHOD_NOT_ALLOWED")
    assert reply.headers["allow"] == "POST"
    assert reply.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"[" * 50_000, b'{"jsonrpc": "2.0"}', b"\xff"])
def test_what_is_no_message(server, body):
    headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    assert 400 <= server.post("/mcp", body, headers=headers).status < 500
