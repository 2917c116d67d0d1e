"""What tests of the chat desk share: a real server that wraps collections, models that say what they are told, and a desk."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

import pytest

from vademecum.core.deadline import Deadline
from vademecum.core.models import Message
from vademecum.desks.chat.chat import ChatStream, chat, route
from vademecum.desks.chat.load import read
from vademecum.desks.chat.reply import ChatRequest
from vademecum.desks.chat.resources import Resources
from vademecum.library.collections import Collections
from vademecum.testing import ScriptedServer, stream
from vademecum.testing.scripted import answer

GARDEN = {
    "beans.md": "# Runner beans\n\nSow runner beans in May, when the soil is warm. Water them every evening.\n",
    "roses.md": "# Roses\n\nPrune climbing roses in late winter, before the buds swell.\n",
}
PODS = {
    "pods.md": "# Pods\n\nA pod in CrashLoopBackOff restarts its container again and again.\n\n## Logs\n\n"
    "Read the logs of the previous container with kubectl logs --previous.\n",
    "services.md": "# Services\n\nA service gives pods one stable address. ClusterIP is its default type.\n",
}


class Wrapper:
    """A server that wraps collections, as the chat desk's transport of that name expects one.

    A document is as near to every question as its `distance` says.

    Attributes:
        collections: By name: `{"metadata": {...}, "documents": [{"text", "metadata", "distance"}]}`.
        asked: The bodies of `POST /query`, in order.
        fails: The status of every further answer; 0 for none.
    """

    def __init__(self):
        self.collections = {}
        self.asked = []
        self.fails = 0
        self.before_answer = lambda _name: None
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def reply(self, data, status=200):
                body = json.dumps(data).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def handle_any(self, method):
                length = int(self.headers.get("Content-Length") or 0)
                body = json.loads(self.rfile.read(length)) if length else None
                self.reply(*outer.answer(method, self.path, body))

            def do_GET(self):
                self.handle_any("GET")

            def do_POST(self):
                self.handle_any("POST")

            def do_PUT(self):
                self.handle_any("PUT")

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def add(self, name, *documents, **metadata):
        """Add a collection; documents are texts or pairs of text and distance."""
        pairs = [one if isinstance(one, tuple) else (one, 0.1) for one in documents]
        self.collections[name] = {
            "metadata": metadata,
            "documents": [{"text": text, "metadata": {}, "distance": distance} for text, distance in pairs],
        }

    def answer(self, method, path, body):
        if self.fails:
            return {"detail": "out of order"}, self.fails
        resources = [unquote(one) for one in path.strip("/").split("/")]
        match method, resources:
            case "GET", ["collections"]:
                listed = [
                    {"name": name, "metadata": one["metadata"]} for name, one in self.collections.items()
                ]
                return {"collections": listed}, 200
            case "POST", ["collections"]:
                self.collections[body["name"]] = {"metadata": body.get("metadata") or {}, "documents": []}
                return {"name": body["name"]}, 200
            case "PUT", ["collections", name, "metadata"]:
                self.collections[name]["metadata"] = body["metadata"]
                return {"name": name}, 200
            case "POST", ["collections", name, "documents"]:
                self.collections[name]["documents"] += [{"distance": 0.1, **one} for one in body["documents"]]
                return {"added": len(body["documents"])}, 200
            case "POST", ["query"]:
                self.asked.append(body)
                self.before_answer(body["collection"])
                if body["collection"] not in self.collections:
                    return {"detail": "no such collection"}, 404
                found = sorted(
                    self.collections[body["collection"]]["documents"], key=lambda one: one["distance"]
                )
                return {"results": found[: body["top_k"]]}, 200
        return {"detail": "no such path"}, 404

    def close(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def said(text, finish="stop"):
    """A model's reply, as a stream of OpenAI's protocol."""
    pieces = [text[at : at + 20] for at in range(0, len(text), 20)]
    chunks = [{"choices": [{"delta": {"content": one}}]} for one in pieces]
    chunks.append({"model": "scripted", "choices": [{"delta": {}, "finish_reason": finish}]})
    return stream([f"data: {json.dumps(one)}\n\n".encode() for one in chunks] + [b"data: [DONE]\n\n"])


@pytest.fixture
def wrapper():
    server = Wrapper()
    yield server
    server.close()


@pytest.fixture
def speaks():
    """A function that starts a model's server with what it says, one reply a call, the last one ever after."""
    servers = []

    def start(*replies):
        script = [one if callable(one) or isinstance(one, bytes) else said(one) for one in replies]
        calls = []

        def speak(visit, request):
            if not request.path.endswith("/chat/completions"):
                visit.send(answer({"error": {"message": "unknown"}}, 404))
                return
            calls.append(request.json)
            given = script.pop(0) if len(script) > 1 else script[0]
            if isinstance(given, bytes):
                visit.send(given)
            else:
                given(visit, request)

        server = ScriptedServer(speak)
        server.calls = calls
        server.__enter__()
        servers.append(server)
        return server

    yield start
    for server in servers:
        server.__exit__(None, None, None)


@pytest.fixture
def fails():
    return answer({"error": {"message": "out of order"}}, 500)


@pytest.fixture(scope="session")
def shared_collections(tmp_path_factory):
    """Two small collections of this machine. Nothing may change them."""
    folder = tmp_path_factory.mktemp("chat")
    found = Collections(folder / "collections")
    for name, documents, about in (
        ("garden", GARDEN, {"description": "Growing plants."}),
        (
            "pods",
            PODS,
            {"description": "Kubernetes.", "metadata": {"prompt": "You know pods.", "max_tokens": 77}},
        ),
    ):
        source = folder / name
        source.mkdir()
        for file, text in documents.items():
            (source / file).write_text(text)
        found.create(name, **about)
        found.get(name).library.add(source)
    return found


@pytest.fixture
def local(shared_collections):
    return shared_collections


@pytest.fixture
def desk(tmp_path):
    """A function that puts a configuration in YAML into force."""
    opened = []

    def put(text, collections=None):
        loaded = read(text.encode(), "chat.yaml")
        resources = Resources(loaded, collections or Collections(tmp_path / "no-collections"))
        opened.append(resources)
        return resources

    yield put
    for resources in opened:
        resources.close()


@pytest.fixture
def ask():
    """A function that asks a desk, and gives the reply."""

    def put(resources, message="How?", collections=None, *, history=(), timeout_s=20, **more):
        turns = [one if isinstance(one, Message) else Message("user", one) for one in history]
        request = ChatRequest(message=message, collections=collections, history=turns, **more)
        return chat(request, resources, deadline=Deadline(timeout_s))

    return put


@pytest.fixture
def way():
    """A function that routes a question, and gives all that is known of it."""

    def put(resources, message="How?", collections=None, *, history=(), **more):
        turns = [one if isinstance(one, Message) else Message("user", one) for one in history]
        request = ChatRequest(message=message, collections=collections, history=turns, **more)
        return route(request, resources, deadline=Deadline(20))

    return put


@pytest.fixture
def streamed():
    """A function that asks a desk, and gives the events and the reply."""

    def put(resources, message="How?", collections=None, **more):
        with ChatStream(
            ChatRequest(message=message, collections=collections, **more), resources
        ) as answering:
            events = list(answering)
            return events, answering.reply

    return put


@pytest.fixture
def says():
    return said
