"""The widget on another site, in a browser, under the strictest policy: asked, proved, refused, used up; by keyboard, and on a phone."""

import http.server
import threading
from dataclasses import replace
from functools import partial

import pytest
from playwright.sync_api import expect

from vademecum.server.guard.keys import Keys

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.xdist_group("screens")]

QUESTION = "How long must I hold the calibration button of the fingers?"


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves a folder, and logs nothing."""

    def log_message(self, *_arguments):
        """Log nothing."""


@pytest.fixture
def site(tmp_path):
    """A site with nothing on it yet: its folder and its origin."""
    folder = tmp_path / "site"
    folder.mkdir()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield folder, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def shown(settings, run_server, site, browser):
    folder, origin = site
    keys = Keys(settings.folder / "keys.json")
    admin = keys.add("admin", role="admin")[1]
    token = keys.add("site", role="widget", origins=[origin], per_day=3)[1]
    contexts = []
    with run_server(replace(settings)) as server:
        server.call("PATCH", "/api/collections/handbook", {"shared_with": ["site"]}, key=admin)
        policy = f"default-src 'none'; script-src {server.url}; connect-src {server.url}"
        (folder / "index.html").write_text(
            f'<!doctype html><html lang="en"><title>Docs</title><meta http-equiv="Content-Security-Policy" content="{policy}">'
            "<main><h1>Docs</h1><p>Some text.</p></main>"
            f'<script src="{server.url}/page/widget.js" data-key="{token}" data-source="handbook" defer></script>'
        )

        def show(**options):
            context = browser.new_context(**options)
            contexts.append(context)
            page = context.new_page()
            page.set_default_timeout(10_000)
            page.faults = []
            page.on("pageerror", lambda error: page.faults.append(str(error)))
            page.on("console", lambda said: page.faults.append(said.text) if "Content" in said.text else None)
            page.goto(f"{origin}/index.html")
            return page

        yield show
        server.call("PATCH", "/api/collections/handbook", {"shared_with": []}, key=admin)
    for context in contexts:
        context.close()


def ask(page, question):
    page.get_by_label("Question").fill(question)
    page.keyboard.press("Enter")


def test_a_visitor_asks_and_sees_the_proof(shown):
    page = shown(viewport={"width": 1280, "height": 800})
    page.get_by_role("button", name="Ask these docs").click()
    expect(page.get_by_label("Question")).to_be_focused()
    ask(page, QUESTION)
    expect(page.locator("article .lead")).to_contain_text("seven seconds")
    expect(page.locator(".provenance .ok")).to_contain_text("checked")
    page.locator(".chip").first.click()
    expect(page.locator("blockquote mark")).to_contain_text("seven seconds")
    assert page.locator("h1").evaluate("(heading) => getComputedStyle(heading).fontFamily") != ""
    ask(page, "How many zorkmids are in the vault?")
    expect(page.locator("article").last).to_contain_text("These docs do not answer this.")
    ask(page, QUESTION)
    expect(page.locator("article").last.locator(".lead")).to_contain_text("seven seconds")
    ask(page, QUESTION)
    expect(page.get_by_role("alert")).to_have_text("This site's questions are used up for today.")
    assert page.faults == []
    assert page.evaluate("document.cookie + JSON.stringify(localStorage)") == "{}"


def test_by_keyboard_on_a_phone(shown):
    page = shown(viewport={"width": 390, "height": 844})
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Ask these docs")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_label("Question")).to_be_focused()
    page.keyboard.type(QUESTION)
    page.keyboard.press("Enter")
    expect(page.locator("article .lead")).to_contain_text("seven seconds")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Ask these docs")).to_be_focused()


@pytest.mark.parametrize(
    ("width", "dark"),
    [
        (390, True),
        *(
            pytest.param(width, dark, marks=pytest.mark.nightly)
            for width, dark in ((390, False), (1280, False), (1280, True))
        ),
    ],
)
def test_everybody_can_use_it(shown, violations, dark, width):
    page = shown(
        viewport={"width": width, "height": 844}, color_scheme="dark" if dark else "light", bypass_csp=True
    )
    for reach in (
        lambda: page.get_by_role("button", name="Ask these docs").wait_for(),
        lambda: page.get_by_role("button", name="Ask these docs").click(),
        lambda: (ask(page, QUESTION), page.locator(".chip").first.click()),
        lambda: (
            ask(page, "How many zorkmids are in the vault?"),
            page.get_by_text("do not answer").wait_for(),
        ),
    ):
        reach()
        assert violations(page) == []


def test_a_page_that_is_not_allowed_says_so(shown, site):
    folder, _ = site
    page = shown()
    text = (folder / "index.html").read_text()
    (folder / "other.html").write_text(text.replace('data-key="vdm_', 'data-key="vdm_x'))
    page.goto(page.url.replace("index", "other"))
    page.get_by_role("button", name="Ask these docs").click()
    ask(page, QUESTION)
    expect(page.get_by_role("alert")).to_contain_text("Unknown API key.")
