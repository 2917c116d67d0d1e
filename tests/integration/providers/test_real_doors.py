"""`/ask`, `/api/chat` and `/v1/chat/completions` end to end: a book, the web server as a process, llama.cpp behind it.

What so small a model says is not looked at: only that it was asked, that what is said was checked, that a stream says
the same as a plain reply, and that llama.cpp is at work no longer when nobody listens.
"""

import json
import os
import re
import subprocess
import sys
import urllib.request
from http.client import HTTPConnection
from typing import NamedTuple

import pytest

from shared import wait_until
from vademecum.library.collections import Collections

QUESTION = "How long must I hold the calibration button?"
DRIVE = """# Drive

Hold the calibration button for seven seconds, until the lamp turns blue. The drive needs 48 volts.
"""
RULES = """
llms: {{local: {{type: openai, base_url: "{}", default_model: smollm2, timeout_s: 60, retries: 0, context_tokens: 500}}}}
rag_services: {{kb: {{type: local, match_threshold: 0.9}}}}
responses:
  - {{match: {{rag_result: match}}, prompt: Answer from the handbook., llm: local, max_tokens: 60, temperature: 0}}
  - {{prompt: Be kind., llm: local, max_tokens: 400}}
"""
DOORS = {
    "/ask": {"query": QUESTION, "book": "handbook"},
    "/api/chat": {"message": QUESTION},
    "/v1/chat/completions": {"model": "handbook", "messages": [{"role": "user", "content": QUESTION}]},
}

pytestmark = pytest.mark.servers


class Behind(NamedTuple):
    """A web server, `host:port`, and the address of llama.cpp's behind it."""

    place: str
    model: str

    def post(self, path, body):
        request = urllib.request.Request(
            f"http://{self.place}{path}", json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=120) as reply:  # noqa: S310 - our own address
            return reply.read().decode()

    def at_work(self):
        with urllib.request.urlopen(f"{self.model}/slots", timeout=60) as reply:  # noqa: S310 - likewise
            return sum(one["is_processing"] for one in json.load(reply))


@pytest.fixture(scope="module")
def behind(openai_server, tmp_path_factory):
    folder = tmp_path_factory.mktemp("real-doors")
    pages = folder / "pages"
    pages.mkdir()
    (pages / "drive.md").write_text(DRIVE)
    Collections(folder / "vademecum/collections").create("handbook", kind="book").library.add(pages)
    (folder / "chat.yaml").write_text(RULES.format(openai_server[0]))
    command = [sys.executable, "-m", "vademecum.cli.vademecum", "serve", "--port", "0"]
    environment = {
        **os.environ,
        "XDG_DATA_HOME": str(folder),
        "HOME": str(folder),
        "OPENAI_BASE_URL": openai_server[0],
        "OPENAI_MODEL": "smollm2",
        "OPENAI_TIMEOUT": "60",
    }
    with subprocess.Popen(
        [*command, "--chat", folder / "chat.yaml"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment,
    ) as process:
        found = re.search(r"http://([\d.:]+)", process.stdout.readline())
        assert found
        yield Behind(found[1], openai_server[0].removesuffix("/v1"))
        process.terminate()
        process.wait(60)


def events(body):
    """The data of a stream's events, each with its name; "" where it has none."""
    return [
        (name, json.loads(data)) for name, data in re.findall(r"(?:event: (\w+)\n)?data: ({.*})\n\n", body)
    ]


def told(path, said):
    """The text of a plain reply, and what is told of it."""
    if path.startswith("/v1"):
        return said["choices"][0]["message"]["content"], said["vademecum"]
    return said["answer" if path == "/ask" else "response"], said


@pytest.mark.parametrize("path", DOORS)
def test_it_is_written_and_checked(behind, path):
    explained = {} if path == "/v1/chat/completions" else {"explain": True}
    text, said = told(path, json.loads(behind.post(path, DOORS[path] | explained)))
    assert text
    assert said["status"] in {"success", "partial"}
    if explained:  # a model that was no use is named there, too
        trace = json.dumps(said["trace"])
        assert "smollm2" in trace or '"doubt"' in trace or '"chosen"' in trace, "the model was asked"
    assert len(said["citations"]) > 0
    assert all(one["quote"] in DRIVE for one in said["citations"])


@pytest.mark.parametrize("path", DOORS)
def test_it_is_streamed(behind, path):
    found = events(behind.post(path, DOORS[path] | {"stream": True}))
    if path.startswith("/v1"):
        deltas = [data["choices"][0]["delta"].get("content", "") for _, data in found]
        final = found[-1][1]["vademecum"]
        assert len("".join(deltas)) > 0
    else:
        assert (found[0][0], found[-1][0]) == ("retrieval", "final")
        final = found[-1][1]
        tokens = [data["text"] for name, data in found if name == "token"]
        assert "".join(tokens) == told(path, final)[0]
    assert final["status"] in {"success", "partial"}
    assert all(one["quote"] in DRIVE for one in final["citations"])
    assert len(final["citations"]) > 0


LONG = {
    "/ask": DOORS["/ask"],
    "/api/chat": {"message": "Tell me a very long story.", "collections": []},
    "/v1/chat/completions": {
        "model": "chat",
        "messages": [{"role": "user", "content": "Sing about seventy-seven zebras in a zeppelin."}],
    },
}


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "plain"])
@pytest.mark.parametrize("path", LONG)
def test_who_goes_away_frees_the_model(behind, path, stream):
    wait_until(lambda: behind.at_work() == 0, 60)
    connection = HTTPConnection(behind.place, timeout=60)
    try:
        body = json.dumps(LONG[path] | {"stream": stream})
        connection.request("POST", path, body, {"Content-Type": "application/json"})
        wait_until(lambda: behind.at_work() == 1, 30)
    finally:
        connection.close()
    wait_until(lambda: behind.at_work() == 0, 30)
    wait_until(lambda: open_streams(behind) == 0, 30)


def open_streams(behind):
    with urllib.request.urlopen(f"http://{behind.place}/metrics", timeout=60) as reply:
        return float(re.search(r"^vademecum_open_streams (\S+)", reply.read().decode(), re.MULTILINE)[1])
