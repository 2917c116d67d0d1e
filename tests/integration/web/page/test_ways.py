"""A question that is asked another way from the drawer: with a model and without, by rules that are in force and by those that are not."""

from contextlib import contextmanager
from dataclasses import replace

import pytest
from playwright.sync_api import expect

from vademecum.testing.model import ScriptedModel, lines_in, said, written

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.xdist_group("screens")]

QUESTION = "How long must I hold the calibration button of the fingers?"
WRITTEN = "Hold the calibration button for seven seconds until the lamp turns blue."
RULES = """\
rag_services: {kb: {type: local, match_threshold: 0.75}}
responses:
  - {match: {user_message_regexp: lines of}, static_response: "Welcome aboard."}
  - {match: {rag_result: match}}
  - {static_response: "Nothing on that."}
"""
DRAFT = RULES.replace(
    "responses:\n", "responses:\n  - {match: {user_message_regexp: button}, static_response: Ask Ana.}\n"
)


def writes(visit, request):
    """A model that writes one sentence, with the number of its line."""
    number = next(
        number for number, line in lines_in(request).items() if line.startswith("Hold the calibration")
    )
    said(written((WRITTEN, number)))(visit, request)


@pytest.fixture
def ruled(settings, tmp_path, machine, run_server):
    (tmp_path / "chat.yaml").write_text(RULES)
    with run_server(replace(settings, places=machine, chat_file=tmp_path / "chat.yaml")) as server:
        yield server


@pytest.fixture
def modelled(settings, run_server, monkeypatch):

    @contextmanager
    def run():
        with ScriptedModel(writes) as model:
            for name, value in {
                "OPENAI_BASE_URL": f"{model.server.url}/v1",
                "OPENAI_API_KEY": "none",
                "OPENAI_MODEL": "small",
                "ASK_STYLE": "prose",
            }.items():
                monkeypatch.setenv(name, value)
            with run_server(settings) as server:
                yield server, model.server

    return run


def drawer_of(page, question):
    page.fill("#question", question)
    page.press("#question", "Enter")
    page.locator(".answer").last.get_by_role("button", name="Why").click()
    drawer = page.locator("dialog.drawer")
    expect(drawer.get_by_role("heading", name="Ask another way")).to_be_visible()
    return drawer


def test_with_the_model_and_without_side_by_side(visit, modelled):
    with modelled() as (server, models):
        page = visit(server)
        drawer = drawer_of(page, QUESTION)
        mine = drawer.get_by_role("article", name="This answer")
        assert drawer.get_by_role("button", name="With the model").count() == 0
        asked = len(models.requests)
        drawer.get_by_role("button", name="Without a model").click()
        other = drawer.get_by_role("article", name="Without a model")
        expect(other).to_contain_text("no model")
        expect(other).to_contain_text("seven seconds")
        expect(mine).to_contain_text("openai:small")
        expect(mine).to_contain_text(WRITTEN)
        expect(mine.locator(".only")).to_contain_text(["only here"])
        expect(other.locator(".only").first).to_contain_text("until the lamp turns blue")
        assert len(models.requests) == asked
        page.context.close()


def test_rules_in_force_a_draft_and_a_file(visit, ruled, tmp_path):
    page = visit(ruled)
    drawer = drawer_of(page, QUESTION)
    names = drawer.locator(".ways-buttons button")
    expect(names).to_have_text(["By your rules", "By another rule file…"])
    names.first.click()
    by_rules = drawer.get_by_role("article", name="By your rules")
    expect(by_rules).to_contain_text("By rule 1")
    expect(by_rules).to_contain_text("seven seconds")
    (tmp_path / "other.yaml").write_text(DRAFT)
    with page.expect_file_chooser() as chooser:
        drawer.get_by_role("button", name="By another rule file").click()
    chooser.value.set_files(tmp_path / "other.yaml")
    by_file = drawer.get_by_role("article", name="other.yaml")
    expect(by_file).to_contain_text("By rule 0")
    expect(by_file).to_contain_text("Ask Ana.")
    expect(by_file).to_contain_text("not from your documents")
    for text, fault in {
        RULES.replace('static_response: "W', 'static_respons: "W'): "Did you mean static_response?",
        RULES.replace("type: local", "type: local, url: http://127.0.0.1:9"): "Line 1:",
        "\0\1": "This rule file cannot be asked.",
    }.items():
        (tmp_path / "other.yaml").write_text(text)
        with page.expect_file_chooser() as chooser:
            drawer.get_by_role("button", name="By another rule file").click()
        chooser.value.set_files(tmp_path / "other.yaml")
        expect(drawer.locator(".ways .warn")).to_contain_text(fault)
        expect(drawer.locator(".way-answer")).to_have_count(0)
    assert (tmp_path / "chat.yaml").read_text() == RULES
    page.keyboard.press("Escape")
    expect(drawer).to_be_hidden()
    page.goto(f"{ruled.url}/#rules")
    page.get_by_label("Text of chat.yaml").fill(DRAFT)
    page.go_back()
    page.locator(".answer").last.get_by_role("button", name="Why").click()
    drawer.get_by_role("button", name="By your draft of the rules").click()
    expect(drawer.get_by_role("article", name="By your draft of the rules")).to_contain_text("Ask Ana.")
    (kept,) = ruled.get("/api/conversations").json["conversations"]
    assert len(ruled.get(f"/api/conversations/{kept['id']}").json["messages"]) == 1


def test_an_answer_by_rules_without_them_by_keyboard_on_a_phone(visit, ruled):
    page = visit(ruled, size="phone")
    page.get_by_role("button", name="By your rules").click()
    drawer = drawer_of(page, "How do I count the lines of a file?")
    way = drawer.get_by_role("button", name="Without rules")
    way.focus()
    page.keyboard.press("Enter")
    other = drawer.get_by_role("article", name="Without rules")
    expect(other.locator("code").first).to_contain_text("wc")
    expect(drawer.get_by_role("article", name="This answer")).to_contain_text("Welcome aboard.")
    expect(drawer.locator(".ways > div > .origin")).to_contain_text(
        "1 of its sentences is only in this answer"
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize(
    ("size", "dark"),
    [
        ("phone", False),
        *(
            pytest.param(size, dark, marks=pytest.mark.nightly)
            for size, dark in (("desk", False), ("desk", True), ("phone", True))
        ),
    ],
)
def test_everybody_can_use_it(visit, ruled, violations, size, dark):
    page = visit(ruled, size=size, dark=dark)
    drawer = drawer_of(page, QUESTION)
    drawer.get_by_role("button", name="By your rules").click()
    expect(drawer.locator(".way-answer")).to_have_count(2)
    assert violations(page) == []


def test_a_server_that_goes_away_meanwhile(visit, ruled):
    page = visit(ruled)
    drawer = drawer_of(page, QUESTION)
    page.route("**/api/chat", lambda route: route.abort())
    drawer.get_by_role("button", name="By your rules").click()
    expect(drawer.locator(".ways .warn")).to_have_text("The server does not answer.")
    page.unroute("**/api/chat")
    drawer.get_by_role("button", name="By your rules").click()
    expect(drawer.get_by_role("article", name="By your rules")).to_contain_text("seven seconds")
