"""Take the pictures of the page that the documents show.

    vademecum serve &
    scripts/page_screens.py [URL]

The server should have the machine's manual pages, and `examples/notes` as a book: `vademecum book add examples/notes --name notes`.
"""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

FOLDER = Path(__file__).parents[1] / "docs" / "images"
DESK = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 760}
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]

TASK = "How do I follow a log file as it grows?"
NOTE = "On which day do we ship?"
UNKNOWN = "What is our parental leave policy?"


def main() -> None:
    """Take all of them."""
    url = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8765"
    FOLDER.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=ARGUMENTS)
        for theme in ("light", "dark"):
            page = _opened(browser, url, DESK, theme)
            _ask(page, TASK)
            page.locator(".sentence .chip").nth(3).click()
            _take(page, f"page-proof-{theme}")
            page = _opened(browser, url, DESK, theme)
            _ask(page, NOTE)
            page.locator(".chip").first.focus()
            _take(page, f"page-answer-{theme}")
            page = _opened(browser, url, DESK, theme)
            _read(page)
            _take(page, f"page-book-{theme}")
        page = _opened(browser, url, DESK, "light")
        _ask(page, UNKNOWN)
        _take(page, "page-refusal-light")
        page = _opened(browser, url, DESK, "light")
        _ask(page, TASK)
        page.get_by_role("button", name="Why this answer?").click()
        _take(page, "page-why-light")
        page = _opened(browser, url, PHONE, "dark")
        _ask(page, TASK)
        page.locator(".sentence .chip").nth(3).click()
        _take(page, "page-phone-dark")
        browser.close()


def _opened(browser: Browser, url: str, size: dict[str, int], theme: str) -> Page:
    page = browser.new_context(viewport=size, color_scheme=theme, reduced_motion="reduce").new_page()
    page.goto(url)
    page.wait_for_selector(".toggle")
    return page


def _ask(page: Page, question: str) -> None:
    page.fill("#question", question)
    page.press("#question", "Enter")
    page.wait_for_selector(".answer .scale")
    expect(page.locator(".checked.pending")).to_have_count(0)


def _read(page: Page) -> None:
    """An option of `tail(1)` selected by the keyboard, asked, and its quote marked."""
    page.get_by_role("link", name="Documents").click()
    page.get_by_role("searchbox", name="Find a document").fill("tail(1)")
    page.get_by_role("link", name="tail(1)", exact=True).click()
    page.wait_for_selector(".book .document > div")
    page.locator(".document > div", has_text="-f, --follow").first.click(click_count=3)
    for _ in range(2):
        page.keyboard.press("Shift+ArrowRight")
    _ask(page, "What happens when the file grows?")
    page.locator(".chip").first.click()
    page.wait_for_selector(".document mark")


def _take(page: Page, name: str) -> None:
    page.wait_for_timeout(500)
    page.screenshot(path=FOLDER / f"{name}.png")


if __name__ == "__main__":
    main()
