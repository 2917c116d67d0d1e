"""Questions put to the rules of the chat desk on the page."""

import re
from dataclasses import replace

import pytest
from playwright.sync_api import expect

from shared import ask_on

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.xdist_group("page")]

QUESTION = "How long must I hold the calibration button of the fingers?"
RULES = """
rag_services: {kb: {type: local, match_threshold: 0.75}}
responses:
  - {match: {user_message_regexp: "^hello"}, static_response: "Welcome aboard."}
  - {match: {rag_result: match}}
  - {static_response: "Nothing on that."}
"""


@pytest.fixture
def ruled(settings, tmp_path, machine, run_server):
    (tmp_path / "chat.yaml").write_text(RULES)
    with run_server(replace(settings, places=machine, chat_file=tmp_path / "chat.yaml")) as server:
        yield server


def test_which_rule_answered(visit, ruled):
    page = visit(ruled)
    page.get_by_role("button", name="By your rules").click()
    answer = ask_on(page, QUESTION, shown=".rule")
    expect(answer.locator(".lead")).to_contain_text("seven seconds")
    expect(answer.locator(".rule")).to_have_text(re.compile(r"^By rule 1: \w+ is near$"))
    expect(answer.locator(".checked")).to_contain_text("checked")
    expect(answer.locator(".checked.pending")).to_have_count(0)
    answer.locator(".chip").first.click()
    expect(page.locator(".document mark", has_text="seven seconds")).to_be_visible()
    page.keyboard.press("Escape")
    greeting = ask_on(page, "hello there", shown=".rule")
    expect(greeting.locator(".lead")).to_have_text("Welcome aboard.")
    expect(greeting.locator(".notes")).to_contain_text("not from your documents: the rule says them")
    expect(greeting.locator(".copied")).to_have_count(0)
    expect(greeting.locator(".scale")).to_have_count(0)
    page.locator(".answer").first.get_by_role("button", name="Why this answer?").click()
    drawer = page.locator("dialog.drawer")
    expect(drawer).to_contain_text("It is the first rule whose conditions all hold.")
    expect(drawer.locator("tr", has_text="Rule 0")).to_contain_text("failed: user_message_regexp")
    expect(drawer.locator("tr", has_text="Rule 1")).to_contain_text("answers")
    expect(drawer).to_contain_text(re.compile(r"kb/\w+.*match.*distance \d\.\d\d"))
    page.keyboard.press("Escape")
    page.reload()
    expect(page.locator(".answer .rule")).to_have_text([re.compile("^By rule 1"), re.compile("^By rule 0")])
    expect(page.locator(".answer").first.locator(".lead")).to_contain_text("seven seconds")
    expect(page.locator(".top .picker")).to_contain_text("By your rules")


def test_without_rules_there_is_nothing_to_choose(visit):
    page = visit()
    expect(page.get_by_role("button", name="By your rules")).to_have_count(0)
