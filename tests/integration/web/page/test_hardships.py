"""What a page must bear: several workers, a server that is started again, a path before it, and replies out of all measure."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from dataclasses import replace
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import expect

from shared import ask_on

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.xdist_group("page")]

VADEMECUM = str(Path(sys.executable).with_name("vademecum"))
QUESTION = "How long must I hold the calibration button of the fingers?"
RULES = """\
rag_services: {kb: {type: local, match_threshold: 0.75}}
responses:
  - {match: {user_message_regexp: "^hello"}, static_response: "Good morning."}
  - {match: {rag_result: match}}
  - {static_response: "Nothing on that."}
"""
HELD = """
window.real = fetch;
window.fetch = (url, options) => !window.held || !String(url).endsWith('/ask') ? window.real(url, options)
    : new Promise((_done, fail) => { options.signal.onabort = () => fail(new DOMException('', 'AbortError')); });
"""


def test_two_workers_are_one_server(visit, tmp_path, collections_folder):
    (tmp_path / "vademecum").mkdir()
    (tmp_path / "vademecum/collections").symlink_to(collections_folder)
    home = {**os.environ, "XDG_DATA_HOME": str(tmp_path)}
    command = [VADEMECUM, "serve", "--port", "0", "--workers", "2"]
    with subprocess.Popen(
        command, env=home, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        try:
            port = int(re.search(r":(\d+)", server.stdout.readline())[1])
            page = visit(Address(port))
            for _ in range(4):
                answer = ask_on(page, QUESTION)
                expect(answer.locator(".lead")).to_contain_text("seven seconds")
                expect(answer.locator(".checked.pending")).to_have_count(0)
                answer.get_by_role("button", name="Why this answer?").click()
                expect(page.locator("dialog.drawer .times").first).to_be_visible()
                page.keyboard.press("Escape")
            page.reload()
            expect(page.locator(".answer")).to_have_count(4)
        finally:
            server.send_signal(signal.SIGTERM)


@pytest.mark.nightly
def test_two_workers_look_after_documents_and_rules(visit, tmp_path, collections_folder):
    shutil.copytree(collections_folder, tmp_path / "vademecum/collections")
    rules = tmp_path / "chat.yaml"
    rules.write_text(RULES)
    home = {**os.environ, "XDG_DATA_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    added = subprocess.run(
        [VADEMECUM, "keys", "add", "ana", "--admin"], env=home, capture_output=True, text=True, check=True
    )
    token = re.search(r"vdm_[\w-]+", added.stdout)[0]
    command = [VADEMECUM, "serve", "--port", "0", "--workers", "2", "--chat", str(rules)]
    with subprocess.Popen(
        command, env=home, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        try:
            port = int(re.search(r":(\d+)", server.stdout.readline())[1])
            page = visit(Address(port), path="/#collections", ready=".sign-in")
            page.get_by_label("Key", exact=True).fill(token)
            page.keyboard.press("Enter")
            for name in ("masts", "sails"):
                page.get_by_role("button", name="New", exact=True).click()
                page.get_by_label("Name", exact=True).fill(name)
                page.get_by_role("button", name="Create").click()
                expect(page.locator(".manage-main h2")).to_have_text(name)
                files = [
                    {
                        "name": f"{name}-{at}.md",
                        "mimeType": "",
                        "buffer": f"The {name} {at} cost {at}7 guilders.".encode(),
                    }
                    for at in range(40)
                ]
                page.locator("input[type=file]").first.set_input_files(files)
                expect(page.locator(".manage-main")).to_contain_text("Indexed: 40 documents", timeout=30_000)
            for _ in range(4):
                page.reload()
                page.wait_for_selector(".collection-list")
                expect(page.locator(".collection-list")).to_contain_text("masts")
                expect(page.locator(".collection-list")).to_contain_text("sails")
            page.goto(f"http://127.0.0.1:{port}/#rules")
            text = page.get_by_label("Text of chat.yaml")
            for said in ("Good day.", "Good evening.", "Good night."):
                text.fill(re.sub(r"Good \w+\.", said, RULES))
                page.get_by_role("button", name="Save and use").click()
                expect(page.locator(".tag.warn")).to_have_count(0)
                assert said in rules.read_text()
                # the other worker reads the file when it is asked
                for _ in range(6):
                    connection = HTTPConnection("127.0.0.1", port)
                    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
                    connection.request("POST", "/api/chat", json.dumps({"message": "hello"}), headers)
                    assert json.loads(connection.getresponse().read())["response"] == said
                    connection.close()
            page.goto(f"http://127.0.0.1:{port}/#health")
            expect(page.locator(".source-table")).to_contain_text("man-pages")
        finally:
            server.send_signal(signal.SIGTERM)


class Address:
    """A server elsewhere, for `visit`."""

    def __init__(self, port, path=""):
        self.port, self.url = port, f"http://127.0.0.1:{port}{path}"


def test_a_server_that_is_started_again(visit, settings, machine, tmp_path, run_server):
    own = replace(settings, places=machine, collections_folder=tmp_path / "none")
    with run_server(own) as server:
        page = visit(server)
        ask_on(page, "What number is our berth?")
        port = server.port
    page.fill("#question", "Which channel does the harbour master answer on?")
    page.press("#question", "Enter")
    broken = page.locator(".broken")
    expect(broken).to_contain_text("Your question is kept.")
    with run_server(replace(own, port=port)):
        broken.get_by_role("button").click()
        expect(page.locator(".answer").last.locator(".lead")).to_contain_text("channel 12")
        expect(page.locator(".answer h2")).to_have_text(
            ["What number is our berth?", "Which channel does the harbour master answer on?"]
        )
        page.reload()
        expect(page.locator(".answer")).to_have_count(2)


@contextmanager
def proxy(port):

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.forward(None)

        def do_POST(self):
            self.forward(self.rfile.read(int(self.headers["Content-Length"])))

        def forward(self, body):
            if not self.path.startswith("/desk/"):
                self.send_error(404)
                return
            connection = HTTPConnection("127.0.0.1", port)
            headers = {
                name: self.headers[name] for name in ("Content-Type", "Cookie") if name in self.headers
            }
            connection.request(self.command, self.path.removeprefix("/desk"), body, headers)
            reply = connection.getresponse()
            content = reply.read()
            connection.close()
            self.send_response(reply.status)
            for name, value in reply.getheaders():
                if name.lower() not in {
                    "transfer-encoding",
                    "content-length",
                    "connection",
                    "date",
                    "server",
                }:
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_said):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield Address(server.server_port, "/desk")
        server.shutdown()


def test_below_a_path(visit, running):
    with proxy(running.port) as server:
        page = visit(server)
        answer = ask_on(page, "What number is our berth?")
        expect(answer.locator(".lead")).to_contain_text("number 41")
        expect(answer.locator(".checked.pending")).to_have_count(0)
        answer.locator(".chip").first.click()
        expect(page.locator(".proof.checked")).to_be_visible()
        page.get_by_role("link", name="Open whole page").click()
        expect(page.locator(".book .document mark")).to_contain_text("number 41")
        page.reload()
        expect(page.locator(".book .document")).to_contain_text("number 41")
        assert page.url.startswith(server.url)
        page.get_by_role("link", name="All documents").click()
        expect(page.locator(".documents-count")).to_have_text("6 documents")


def test_back_in_the_middle_of_an_answer_keeps_the_question(visit):
    page = visit()
    page.add_init_script(HELD)
    page.reload()
    page.wait_for_selector(".toggle")
    ask_on(page, "What number is our berth?")
    page.evaluate("() => { window.held = true; }")
    page.fill("#question", "Which channel does the harbour master answer on?")
    page.press("#question", "Enter")
    expect(page.locator(".answer")).to_have_count(2)
    page.go_back()
    expect(page.locator("h1")).to_have_text("Ask your documents.")
    expect(page.locator("#question")).to_have_value("Which channel does the harbour master answer on?")
    page.evaluate("() => { window.held = false; }")
    page.go_forward()
    expect(page.locator(".answer h2")).to_have_text(["What number is our berth?"])
    expect(page.locator("#question")).to_have_value("Which channel does the harbour master answer on?")
    page.press("#question", "Enter")
    expect(page.locator(".answer").last.locator(".lead")).to_contain_text("channel 12")


def test_a_trace_of_five_megabytes(visit):
    page = visit()
    passages = [
        {"chunk_id": f"notes:{number}", "reference": f"{number}.md {'x' * 450}", "score": 1.0, "cosine": 0.5}
        for number in range(10_000)
    ]
    trace = {
        "id": "0" * 32,
        "desk": "book",
        "steps": [{"name": "retrieve", "duration_ms": 3, "passages": passages}],
    }
    page.route("**/traces/*", lambda route: route.fulfill(json=trace))
    ask_on(page, "What number is our berth?").get_by_role("button", name="Why this answer?").click()
    drawer = page.locator("dialog.drawer")
    expect(drawer.locator("tbody tr", has_text=".md")).to_have_count(10)
    expect(drawer).to_contain_text("9,990 more candidates")
    page.keyboard.press("Escape")
    expect(drawer).to_be_hidden()


def test_a_document_of_fifty_megabytes_is_shown_in_stretches(visit):
    """However long the server says that a document is, the page takes a stretch of it."""
    page = visit()

    def longer(route):
        found = route.fetch().json()
        route.fulfill(json={**found, "length": 50_000_000})

    page.route("**/documents/*", longer)
    page.route("**/documents/*?*", longer)
    answer = ask_on(page, "What number is our berth?")
    answer.locator(".chip").first.click()
    expect(page.locator(".proof.checked")).to_be_visible()
    expect(page.get_by_role("button", name="Show more of the document")).to_be_visible()
    page.get_by_role("link", name="Open whole page").click()
    expect(page.locator(".book .document mark")).to_contain_text("number 41")
    assert page.evaluate("document.querySelectorAll('.document > div').length") < 100
