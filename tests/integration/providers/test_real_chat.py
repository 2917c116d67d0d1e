"""The chat desk end to end: the web server as a process, and a real language model behind it.

What so small a model says is not looked at, only that it was asked, checked, streamed and ended.
"""

import json
import os
import subprocess
import sys
import urllib.request
from http.client import HTTPConnection

import pytest

from vademecum.library.collections import Collections

DRIVE = "# Drive\n\nHold the calibration button for seven seconds, until the lamp turns blue. The drive needs 48 volts.\n"
RULES = """
llms: {{local: {{type: openai, base_url: "{}", default_model: smollm2, timeout_s: 60, retries: 0, context_tokens: 1000}}}}
rag_services: {{kb: {{type: local, match_threshold: 0.9}}}}
intent: {{provider: {{llm: local}}, detection: {{greeting: Somebody says hello., other things: Anything else.}}}}
responses:
  - {{match: {{rag_result: match}}, prompt: Answer from the handbook., llm: local, max_tokens: 120, temperature: 0}}
  - {{match: {{intent: [greeting, other things, other]}}, prompt: Be kind., llm: local, max_tokens: 30}}
  - {{static_response: never}}
"""

pytestmark = pytest.mark.servers


@pytest.fixture(scope="module")
def server(openai_server, tmp_path_factory):
    """The address of a server with a collection and rules."""
    folder = tmp_path_factory.mktemp("real-chat")
    pages = folder / "handbook"
    pages.mkdir()
    (pages / "drive.md").write_text(DRIVE)
    Collections(folder / "vademecum/collections").create("handbook").library.add(pages)
    (folder / "chat.yaml").write_text(RULES.format(openai_server[0]))
    command = [
        sys.executable,
        "-m",
        "vademecum.cli.vademecum",
        "serve",
        "--port",
        "0",
        "--chat",
        folder / "chat.yaml",
    ]
    environment = {**os.environ, "XDG_DATA_HOME": str(folder), "HOME": str(folder)}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        line = process.stdout.readline()
        assert "http://127.0.0.1:" in line, line + process.stderr.read()
        yield line.split("http://")[1].split()[0]
        process.terminate()
        process.communicate(timeout=60)


def post(server, body):
    request = urllib.request.Request(
        f"http://{server}/api/chat", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=120) as reply:  # noqa: S310 - likewise
        return reply.read().decode()


def test_from_documents(server):
    found = json.loads(
        post(server, {"message": "How long must I hold the calibration button?", "explain": True})
    )
    assert found["routing"]["collection"] == "handbook"
    assert found["status"] in {"success", "partial"}
    assert found["grounded"]
    assert len(found["citations"]) > 0
    flat = " ".join(DRIVE.split())
    assert all(" ".join(one["quote"].split()) in flat for one in found["citations"])
    generate = found["trace"]["steps"][-1]
    assert generate["llm"] == "local"
    assert generate["offered"] > 0


def test_without_documents_after_asking_what_is_meant(server):
    found = json.loads(post(server, {"message": "Hello there!", "collections": [], "explain": True}))
    assert found["response"]
    assert not found["grounded"]
    assert found["routing"]["intent"] in {"greeting", "other things", "other"}
    intent = next(step for step in found["trace"]["steps"] if step["name"] == "intent")
    assert intent["model"].startswith("openai:")


def test_streamed(server):
    blocks = (
        post(server, {"message": "Tell me a story.", "collections": [], "stream": True}).strip().split("\n\n")
    )
    events = [
        (one.splitlines()[0][7:], json.loads(one.splitlines()[1][6:]))
        for one in blocks
        if one.startswith("event")
    ]
    assert [events[0][0], events[-1][0]] == ["retrieval", "final"]
    tokens = [data["text"] for name, data in events if name == "token"]
    assert len(tokens) > 1
    assert "".join(tokens) == events[-1][1]["response"]


def test_ended_in_the_middle(server):
    host, port = server.split(":")
    for _ in range(3):
        connection = HTTPConnection(host, int(port), timeout=60)
        body = json.dumps({"message": "Tell me a long story.", "collections": [], "stream": True})
        connection.request("POST", "/api/chat", body, {"Content-Type": "application/json"})
        assert connection.getresponse().read(40)
        connection.close()
    assert json.loads(post(server, {"message": "Hello there!", "collections": []}))["response"]
