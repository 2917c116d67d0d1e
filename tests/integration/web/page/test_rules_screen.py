"""The rules of the chat on the page: read as a table, written, tried and saved; also by two people at once, or with an editor meanwhile."""

import re
from dataclasses import replace

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.xdist_group("screens")]

QUESTION = "How long must I hold the calibration button of the fingers?"
RULES = """\
# The rules of the workshop.
rag_services: {kb: {type: local, match_threshold: 0.75}}
responses:
  - comment: From the documents
    match: {rag_result: match}
  - static_response: "Nothing on that."
"""


@pytest.fixture
def ruled(settings, tokens, tmp_path, machine, run_server):
    """A server with rules and keys, and the file of the rules."""
    file = tmp_path / "chat.yaml"
    file.write_text(RULES)
    with run_server(replace(settings, places=machine, chat_file=file)) as server:
        yield server, tokens, file


def opened(visit, ruled, name="ana", **options):
    server, tokens, _ = ruled
    page = visit(server, path="/#rules", ready=".sign-in", **options)
    page.get_by_label("Key", exact=True).fill(tokens[name])
    page.keyboard.press("Enter")
    page.wait_for_selector(".rule-table" if name == "ana" else ".side-foot :text('bob')")
    return page


def field(page):
    return page.get_by_label("Text of chat.yaml")


def write(page, old, new):
    text = field(page).input_value()
    assert old in text
    field(page).fill(text.replace(old, new))


def test_thanks_are_answered_without_searching_from_the_page_alone(visit, ruled):
    server, tokens, file = ruled
    page = opened(visit, ruled)
    table = page.locator(".rule-table tbody tr")
    expect(table).to_have_count(2)
    expect(table.first).to_contain_text("From the documents")
    expect(table.first).to_contain_text("quote the documents")
    page.get_by_label("A new rule").select_option("Answer thanks, without searching")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(table).to_have_count(3)
    expect(page.locator(".tag.warn")).to_have_text("Draft, not in force")
    write(page, "You are welcome.", "Any time.")
    page.get_by_label("A message to try").fill("thank you!")
    page.keyboard.press("Enter")
    phases = page.locator(".phases > li")
    expect(phases).to_have_count(5)
    expect(phases.nth(0)).to_contain_text("No collection is searched for this message.")
    expect(phases.nth(3)).to_contain_text("every condition fits")
    expect(phases.nth(4)).to_contain_text("Any time.")
    expect(table.first).to_contain_text("Thanks")
    expect(page.locator("tr[aria-current]")).to_contain_text("Thanks")
    assert file.read_text() == RULES
    page.get_by_role("button", name="Save and use").click()
    expect(page.locator(".toast")).to_have_text("The rules are in force.")
    expect(page.locator(".tag.warn")).to_have_count(0)
    assert "Any time." in file.read_text()
    reply = server.post("/api/chat", {"message": "thanks"}, key=tokens["bob"]).json
    assert reply["response"] == "Any time."
    page.get_by_label("A message to try").fill(QUESTION)
    page.keyboard.press("Enter")
    expect(phases.nth(0)).to_contain_text(re.compile(r"kb/\w+: match, distance 0\.\d\d"))
    expect(phases.nth(4)).to_contain_text("The words of the documents are quoted")


def test_faults_lead_to_their_places_and_can_be_mended(visit, ruled):
    _, _, file = ruled
    page = opened(visit, ruled)
    write(page, "{rag_result: match}", "{rag_result: match, collection_regex: /x/}")
    fault = page.locator(".fault")
    expect(fault).to_contain_text("Line 5, column 32. collection_regex is not a key of match.")
    expect(page.locator(".editor-lines .faulty")).to_contain_text("collection_regex")
    save = page.get_by_role("button", name="Save and use")
    expect(save).to_be_disabled()
    expect(page.locator("#save-why")).to_have_text("The draft has a fault, so it cannot be saved.")
    page.get_by_label("A message to try").fill("hello")
    page.keyboard.press("Enter")
    expect(page.locator(".rules-side")).to_contain_text(
        "Runs the file in force, because the draft has a fault."
    )
    expect(page.locator(".phases")).to_be_visible()
    fault.get_by_role("button", name="Line 5").click()
    selected = "(field) => field.value.slice(field.selectionStart, field.selectionEnd)"
    assert field(page).evaluate(selected) == "collection_regex"
    fault.get_by_role("button", name="collection_regexp").click()
    expect(fault).to_have_count(0)
    expect(save).to_be_enabled()
    page.get_by_role("button", name="Go to the lines of From the documents").click()
    assert field(page).evaluate(selected).startswith("  - comment: From the documents\n    match:")
    page.get_by_role("button", name="Discard").click()
    assert field(page).input_value() == RULES == file.read_text()


def test_two_people_at_once_are_told(visit, ruled):
    server, tokens, file = ruled
    page = opened(visit, ruled)
    write(page, "Nothing on that.", "I do not know.")
    theirs = RULES.replace("Nothing on that.", "Ask somebody else.")
    saved = server.put("/api/chat/rules", {"text": theirs, "before": RULES}, key=tokens["ana"])
    assert saved.status == 200
    save = page.get_by_role("button", name="Save and use")
    expect(save).to_be_enabled()
    save.click()
    expect(page.locator(".note.warn")).to_contain_text("This file was changed meanwhile. Your draft is kept.")
    assert file.read_text() == theirs
    page.get_by_role("button", name="Compare").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator("pre").first).to_contain_text("Ask somebody else.")
    expect(dialog.locator("pre").last).to_contain_text("I do not know.")
    dialog.get_by_role("button", name="Go on with the draft").click()
    save.click()
    expect(page.locator(".tag.warn")).to_have_count(0)
    assert "I do not know." in file.read_text()


@pytest.mark.nightly
def test_a_file_that_is_changed_with_an_editor_meanwhile(visit, ruled):
    _, _, file = ruled
    page = opened(visit, ruled)
    by_hand = RULES.replace("Nothing on that.", "By hand.")
    file.write_text(by_hand)
    expect(field(page)).to_have_value(by_hand, timeout=30_000)  # without a draft, it is just shown
    write(page, "By hand.", "By page.")
    file.write_text(RULES)
    expect(page.locator(".note.warn")).to_contain_text("Your draft is kept.", timeout=30_000)
    assert "By page." in field(page).input_value()
    page.get_by_role("button", name="Compare").click()
    page.get_by_role("button", name="Take the file, drop the draft").click()
    expect(field(page)).to_have_value(RULES)
    file.write_text("responses: [\n")
    expect(page.locator(".note.warn")).to_contain_text("rules before it are still in force", timeout=30_000)
    expect(page.locator(".rule-table")).to_contain_text("quote the documents")
    field(page).fill(RULES)
    page.get_by_role("button", name="Save and use").click()
    expect(page.locator(".toast")).to_have_text("The rules are in force.")
    expect(page.locator(".note.warn")).to_have_count(0)
    assert file.read_text() == RULES


def test_probes_are_saved_run_and_edited(visit, ruled):
    _, _, file = ruled
    page = opened(visit, ruled)
    page.get_by_label("A message to try").fill(QUESTION)
    page.keyboard.press("Enter")
    page.wait_for_selector(".phases")
    page.get_by_role("button", name="Save as probe").click()
    expect(page.locator(".outcomes li.right")).to_contain_text(QUESTION)
    assert QUESTION in (file.parent / "chat.probes.yaml").read_text()
    write(page, "rag_result: match", "rag_result: none")
    expect(page.locator(".rule-table")).to_contain_text("none")
    page.get_by_role("button", name="Run all").click()
    expect(page.locator(".outcomes li.wrong")).to_contain_text("rule: 1 came, 0 was expected")
    expect(page.locator(".probes")).to_contain_text("0 as expected, 1 not of the draft")
    page.get_by_role("button", name="Edit", exact=True).click()
    dialog = page.get_by_role("dialog", name="Probes")
    dialog.get_by_label("Probes").fill("- question: hello\n")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_role("alert")).to_contain_text("expect is missing")
    dialog.get_by_label("Probes").fill("")
    dialog.get_by_role("button", name="Save").click()
    expect(page.locator(".probes")).to_contain_text("No probes yet.")


def test_bob_is_told_that_rules_are_for_admins(visit, ruled):
    page = opened(visit, ruled, "bob")
    expect(page.locator(".manage")).to_contain_text("Only administrators of this server may see the rules.")
    expect(page.locator(".rule-table")).to_have_count(0)


def test_without_keys_rules_are_read_and_not_saved(visit, settings, tmp_path, machine, run_server):
    (tmp_path / "chat.yaml").write_text(RULES)
    with run_server(replace(settings, places=machine, chat_file=tmp_path / "chat.yaml")) as server:
        page = visit(server, path="/#rules", ready=".rule-table")
        write(page, "Nothing on that.", "I do not know.")
        expect(page.locator("#save-why")).to_contain_text("vademecum keys add NAME --admin")
        expect(page.get_by_role("button", name="Save and use")).to_be_disabled()
    with run_server(replace(settings, places=machine, port=0)) as server:
        page = visit(server, path="/#rules", ready=".rule-table")
        expect(page.locator(".manage")).to_contain_text("the rules that are built in")
        expect(page.locator("#rules-text")).to_have_js_property("readOnly", value=True)


def test_by_keyboard_alone_on_a_phone(visit, ruled):
    page = opened(visit, ruled, size="phone")
    page.locator("body").press("g")
    page.locator("body").press("r")
    page.get_by_role("button", name="Go to the lines of From the documents").focus()
    page.keyboard.press("Enter")
    expect(field(page)).to_be_focused()
    page.keyboard.press("Control+End")
    page.keyboard.type("# the end")
    expect(page.get_by_role("button", name="Save and use")).to_be_enabled()
    page.keyboard.press("Tab")  # does not stay in the text
    expect(field(page)).not_to_be_focused()
    page.get_by_role("button", name="Save and use").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".tag.warn")).to_have_count(0)
    assert ruled[2].read_text().endswith("# the end")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
