"""Documents read on the page: found, selected from by mouse, by keyboard and on a phone, and asked for the selection alone."""

import re
from functools import partial

import pytest
from playwright.sync_api import expect

from shared import ask_on

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.xdist_group("page")]

BERTH = "Our berth is number 41, on the east pier 😀."
MASTER = "The harbour master answers on channel 12."
DRAG = """([first, last]) => {
    const places = [];
    for (const words of [first, last]) {
        const walker = document.createTreeWalker(document.querySelector('.book .document'), NodeFilter.SHOW_TEXT);
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
            const at = node.data.indexOf(words);
            if (at >= 0) { places.push([node, at, at + words.length]); break; }
        }
    }
    const [[start, from], [end, , to]] = places;
    const corner = (node, one, other) => {
        const range = document.createRange();
        range.setStart(node, one);
        range.setEnd(node, other);
        return range.getBoundingClientRect();
    };
    const a = corner(start, from, from + 1), z = corner(end, to - 1, to);
    return [a.left + 1, a.top + a.height / 2, z.right, z.top + z.height / 2];
}"""


def read(visit, title, *, source="notes", **options):
    page = visit(path=f"/#d/{source}", ready=".documents-list a", **options)
    page.get_by_role("link", name=title, exact=True).click()
    page.wait_for_selector(".book .document > div")
    return page


def drag(page, first, last):
    """Select from some words to others with the mouse."""
    left, top, right, bottom = page.evaluate(DRAG, [first, last])
    page.mouse.move(left, top)
    page.mouse.down()
    page.mouse.move((left + right) / 2, (top + bottom) / 2)
    page.mouse.move(right, bottom)
    page.mouse.up()


def chosen(page):
    return page.evaluate(
        "() => [...CSS.highlights.get('vademecum-selection')].map((one) => one.toString()).join('')"
    )


ask = partial(ask_on, inside=".book ")


def test_only_what_was_selected_is_asked(visit):
    page = read(visit, "Moorings 😀")
    expect(page.locator(".book-scope")).to_contain_text("Asking all of notes")
    drag(page, "Our berth", "east pier 😀.")
    assert chosen(page) == BERTH
    expect(page.locator(".book-scope")).to_contain_text("Only your selection")
    expect(page.locator(".book-scope")).to_contain_text("1 sentence, 9 words")
    page.get_by_role("toolbar").get_by_role("button", name="Ask only this").click()
    expect(page.locator("#question")).to_be_focused()
    answer = ask(page, "What number is our berth?")
    expect(page.get_by_role("toolbar")).to_have_count(0)
    expect(answer.locator(".inside")).to_contain_text("It lies inside your selection: moorings.md")
    expect(answer.locator(".checked")).to_have_text(re.compile("Quote checked"))
    answer.locator(".chip").first.click()
    expect(page.locator(".book .document mark")).to_have_text(BERTH)
    assert chosen(page) == ""  # all of it is the quote, and that is yellow
    refused = ask(page, "What colour of lead does the hull get?")
    expect(refused.locator(".refusal h3")).to_have_text("Your selection does not answer this.")
    expect(refused.locator(".chip")).to_have_count(0)
    refused.get_by_role("button", name="Ask all of notes").click()
    expect(page.locator(".book .answer").last.locator(".lead")).to_contain_text("red lead")
    page.get_by_role("button", name="Drop the selection").click()
    expect(page.locator(".book-scope")).to_contain_text("Asking all of notes")


def test_a_selection_answers_what_everything_would_answer_otherwise(visit, running):
    """Asked of everything, another document is nearer."""
    page = read(visit, "Ballast")
    page.keyboard.press("s")
    answer = ask(page, "What was laid in 1987?")
    expect(answer.locator(".lead")).to_contain_text("nine tons")
    sent = running.get("/api/conversations").json["conversations"][0]["id"]
    reply = running.get(f"/api/conversations/{sent}").json["messages"][-1]["told"]["reply"]
    stretch, citation = reply["selection"], reply["citations"][0]
    assert stretch["document"] == citation["document"]
    assert stretch["start"] <= citation["start"] < citation["end"] <= stretch["end"]


def test_by_keyboard_alone(visit):
    page = visit()
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    page.keyboard.press("b")
    page.wait_for_selector(".documents-list a")
    page.get_by_role("searchbox", name="Find a document").focus()
    page.keyboard.type("caulk")
    expect(page.locator(".documents-list a")).to_have_text(["caulk(1)"])
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector(".book .document > div")
    page.keyboard.press("s")
    assert chosen(page) == "caulk - make seams of planks tight"
    for _ in range(3):
        page.keyboard.press("s")
    assert chosen(page) == "-o"
    page.keyboard.press("Shift+ArrowRight")
    assert chosen(page) == "-o\nUse oakum instead of cotton.".replace("\n", "")
    page.keyboard.press("Shift+ArrowLeft")
    assert chosen(page) == "-o"
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("a")
    expect(page.locator("#question")).to_be_focused()
    page.keyboard.type("What is used instead of cotton?")
    page.keyboard.press("Enter")
    page.wait_for_selector(".answer .scale")
    expect(page.locator(".answer")).to_contain_text("oakum")
    page.keyboard.press("Escape")
    expect(page.locator("#book-text")).to_be_focused()
    page.keyboard.press("]")
    expect(page.locator(".document mark").first).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".book-scope")).to_contain_text("Asking all of Manual pages")
    page.keyboard.press("n")
    expect(page.locator("h1")).to_have_text("Ask your documents.")


def test_documents_are_found_by_name_title_and_line(visit):
    page = visit(path="/#d", ready=".documents-list a")
    expect(page.locator(".documents-count")).to_have_text("5 documents")
    page.get_by_role("link", name="notes 6").click()
    expect(page.locator(".documents-count")).to_have_text("6 documents")
    page.get_by_role("searchbox", name="Find a document").fill("ballast")
    expect(page.locator(".documents-list a")).to_have_text(["Ballast"])
    page.get_by_role("searchbox", name="Find a document").fill("zork")
    expect(page.locator(".documents-count")).to_have_text("0 documents found")
    page.go_back()
    expect(page.locator(".toggle[aria-current]")).to_contain_text("Manual pages")


def test_from_an_answer_to_its_document_and_back(visit):
    page = visit()
    page.fill("#question", "What number is our berth?")
    page.press("#question", "Enter")
    page.locator(".chip").first.click()
    expect(page.locator(".proof.checked")).to_be_visible()
    page.get_by_role("link", name="Open whole page").click()
    expect(page.locator(".book .document mark")).to_have_text(BERTH)
    expect(page.locator(".book .answer h2")).to_have_text("What number is our berth?")
    expect(page.locator(".contents [aria-current=page]")).to_have_text("Moorings 😀")
    page.locator(".contents").get_by_role("link", name="Paint").click()
    expect(page.locator(".book .document")).to_contain_text("red lead")
    expect(page.locator(".book .answer")).to_have_count(0)
    page.go_back()
    expect(page.locator(".book .document mark")).to_have_text(BERTH)
    page.get_by_role("link", name="Questions").click()
    expect(page.locator(".answer h2")).to_have_text("What number is our berth?")
    expect(page.locator(".pane .document mark")).to_have_text(BERTH)


def test_a_quote_of_another_document_opens_that(visit):
    page = read(visit, "Paint")
    answer = ask(page, "What number is our berth?")
    answer.locator(".chip").first.click()
    expect(page.locator(".book .document mark")).to_have_text(BERTH)
    expect(page.locator(".contents [aria-current=page]")).to_have_text("Moorings 😀")
    expect(page.locator(".book .answer h2")).to_have_text("What number is our berth?")


def test_a_selection_has_an_address(visit):
    page = read(visit, "Moorings 😀")
    page.keyboard.press("s")
    page.keyboard.press("s")
    assert chosen(page) == MASTER
    ask(page, "Which channel does the harbour master answer on?")
    page.get_by_role("link", name="Questions").click()
    page.locator(".inside a").click()
    page.wait_for_selector(".book .document > div")
    assert chosen(page) == MASTER
    assert re.search(r"#d/notes/notes:[0-9a-f]{64}/\d+-\d+$", page.url)
    page.reload()
    page.wait_for_selector(".book .document > div")
    assert chosen(page) == MASTER
    page.go_back()
    page.reload()
    expect(page.locator(".answer")).to_contain_text("It lies inside your selection")


def test_a_selection_is_copied_with_its_place(visit):
    page = read(visit, "Moorings 😀")
    drag(page, "The harbour", "channel 12.")
    page.get_by_role("button", name="Copy with citation", exact=True).click()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith(f"> {MASTER}\n")
    assert re.search(r"— moorings\.md \(notes\), characters \d+ to \d+", copied)


def test_a_click_drops_the_selection(visit):
    page = read(visit, "Moorings 😀")
    drag(page, "The harbour", "channel 12.")
    expect(page.get_by_role("toolbar")).to_be_visible()
    page.locator(".book .document > div", has_text="Our berth").click()
    expect(page.get_by_role("toolbar")).to_have_count(0)
    assert chosen(page) == ""
    page.locator(".book .document > div", has_text="The harbour").click()
    page.keyboard.press("s")
    assert chosen(page) == MASTER


def test_a_long_document_is_read_in_stretches(visit):
    page = read(visit, "Log book")
    expect(page.locator(".document")).to_contain_text("Day 100:")
    answer = ask(page, "Who scratched its back at the rudder?")
    answer.locator(".chip").first.click()
    expect(page.locator(".document mark")).to_contain_text("a whale scratched its back")
    drag(page, "On the last day", "at the rudder.")
    assert chosen(page) == ""  # it is the quote
    expect(page.locator(".book-scope")).to_contain_text("1 sentence, 12 words")
    again = ask(page, "What happened on the last day?")
    expect(again.locator(".inside")).to_contain_text("It lies inside your selection")
    first = page.locator(".document > div").first.inner_text()
    page.get_by_role("button", name="Show more of the document").click()
    expect(page.locator(".document > div").first).not_to_have_text(first)


def test_a_document_that_changed_while_it_was_read(visit):
    page = read(visit, "Moorings 😀")
    page.keyboard.press("s")
    page.route(
        "**/ask",
        lambda route: route.fulfill(
            status=404,
            json={
                "code": "DOCUMENT_MISSING",
                "detail": "notes no longer has this document.",
                "hint": "The document may have changed. Ask the question again.",
            },
        ),
    )
    page.fill("#question", "What number is our berth?")
    page.press("#question", "Enter")
    expect(page.locator(".answer")).to_contain_text("notes no longer has this document.")
    expect(page.locator(".document")).to_contain_text("Our berth")


@pytest.mark.parametrize(
    "address", ["#d/nothing", "#d/nothing/notes:" + "0" * 64, "#d/notes/notes:" + "0" * 64 + "/5-1"]
)
def test_addresses_of_nothing(visit, address):
    page = visit(path=f"/{address}", ready="")
    expect(page.locator("[role=alert]")).to_contain_text(re.compile("not found|no longer has"))


def test_from_a_document_that_is_gone_there_is_a_way_on(visit):
    page = visit(path="/#d/notes/notes:" + "0" * 64, ready="[role=alert]")
    page.locator(".book-page").get_by_role("link", name="All documents").click()
    expect(page.locator(".documents-count")).to_have_text("6 documents")


def test_what_a_document_says_never_runs(visit):
    page = read(visit, re.compile("The hatch"))
    expect(page.locator(".document")).to_contain_text("<svg onload=boom()>")
    drag(page, "The hatch is", "<svg onload=boom()>")
    answer = ask(page, "How many bolts is the hatch locked with?")
    expect(answer.locator(".lead")).to_contain_text("seven bolts")
    assert page.locator(".book script, .book .document svg, .book img").count() == 0


@pytest.mark.parametrize("size", ["phone", "narrow"])
def test_on_a_phone(visit, size):
    page = read(visit, "Moorings 😀", size=size)

    def fits():
        return page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]

    assert fits()
    expect(page.locator(".book-answers")).to_be_hidden()
    page.locator("body").press("s")
    expect(page.locator(".book-scope")).to_contain_text("Only your selection")
    page.get_by_role("button", name="Ask only this").click()
    expect(page.locator("#question")).to_be_focused()
    answer = ask(page, "What number is our berth?")
    assert fits()
    expect(answer.locator(".lead")).to_contain_text("number 41")
    answer.locator(".chip").first.click()
    expect(page.locator(".book-answers")).to_be_hidden()
    expect(page.locator(".document mark")).to_be_in_viewport()
    page.get_by_role("button", name="Contents").click()
    page.locator(".contents").get_by_role("link", name="Paint").click()
    expect(page.locator(".document")).to_contain_text("red lead")
    assert fits()
    small = page.evaluate(
        """() => [...document.querySelectorAll('button, a')].filter((one) => one.offsetParent)
            .map((one) => [one.className, one.getBoundingClientRect()])
            .filter(([, box]) => box.width < 24 || box.height < 24).map(([name]) => name)"""
    )
    assert small == []
