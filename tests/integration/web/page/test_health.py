"""Health on the page: what needs somebody and the way out, sources, and the answers of the last days."""

import re
import shutil
from dataclasses import replace

import pytest
from playwright.sync_api import expect

from shared import library_of
from vademecum.files.places import Places
from vademecum.server.guard.keys import Keys

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.xdist_group("screens")]


@pytest.fixture
def own(settings, tmp_path, run_server, texts):
    """A server over a machine of its own, with notes; and their folder."""
    notes = tmp_path / "notes"
    notes.mkdir()
    for name in ("moorings.md", "paint.md"):
        (notes / name).write_text(texts[name])
    places = Places(tmp_path / "own" / "data", tmp_path / "own" / "config")
    library_of(places, notes)
    with run_server(replace(settings, places=places, collections_folder=tmp_path / "collections")) as server:
        yield server, notes


def row(page, name):
    return page.locator(".source-table tbody tr", has_text=name)


def test_which_source_is_stale_and_mending_it(visit, own):
    server, notes = own
    page = visit(server, path="/#health", ready=".source-table")
    expect(row(page, "notes").locator(".tag")).to_have_text(re.compile("current"))
    (notes / "anchor.md").write_text("# Anchor\n\nThe new anchor weighs nine tons.\n")
    page.get_by_role("button", name="Check again").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("need")
    problem = page.locator(".problems li", has_text="notes has changed since the index was built.")
    expect(problem).to_contain_text("ragadmin reindex")
    expect(row(page, "notes").locator(".tag")).to_have_text(re.compile("changed since"))
    page.get_by_role("button", name="Reindex notes").click()
    expect(row(page, "notes").locator(".tag")).to_have_text(re.compile("current"), timeout=30_000)
    expect(problem).to_have_count(0)
    page.keyboard.press("n")
    page.fill("#question", "What weighs nine tons?")
    page.press("#question", "Enter")
    expect(page.locator(".answer .lead")).to_contain_text("new anchor")
    (notes / "oars.md").write_text("# Oars\n\nThere are six oars.\n")
    page.locator("body").press("Escape")
    page.locator(".way", has_text="Health").click()
    page.get_by_role("button", name="Reindex now").click()
    expect(row(page, "notes")).to_contain_text("4", timeout=30_000)


def test_how_questions_ended_is_shown_in_words(visit, own):
    server, _ = own
    page = visit(server)
    for question in ("What number is our berth?", "How many zorkmids are in the vault?"):
        page.fill("#question", question)
        page.press("#question", "Enter")
        page.wait_for_selector(".answer:last-child .scale")
    page.keyboard.press("Escape")
    page.locator("body").press("g")
    page.locator("body").press("h")
    tiles = page.locator(".tile")
    expect(tiles.first).to_contain_text(re.compile(r"\d+ ms|\d\.\d s"))
    expect(tiles.last).to_contain_text("How 2 questions ended, 7 days")
    expect(tiles.last).to_contain_text("50 % answered")
    expect(tiles.last).to_contain_text("1 answered, 1 refused")
    page.get_by_text("What was checked").click()
    expect(page.locator(".checked-list")).to_contain_text("Disk")


def test_a_source_that_is_gone_has_a_way_out(visit, own):
    server, notes = own
    shutil.move(notes, notes.with_name("elsewhere"))
    page = visit(server, path="/#health", ready=".source-table")
    problem = page.locator(".problems li", has_text="is not there")
    expect(problem).to_contain_text("ragadmin sources remove notes")
    page.get_by_role("button", name="Reindex notes").click()
    expect(page.locator(".problems")).to_contain_text("Indexing notes did not end well.", timeout=30_000)
    shutil.move(notes.with_name("elsewhere"), notes)
    page.get_by_role("button", name="Go on").click()
    expect(page.locator(".problems", has_text="did not end well")).to_have_count(0, timeout=30_000)


def test_bob_is_told_that_health_is_for_admins(visit, settings, machine, run_server):
    token = Keys(settings.folder / "keys.json").add("bob", per_minute=100_000)[1]
    with run_server(replace(settings, places=machine)) as server:
        page = visit(server, path="/#health", ready=".sign-in")
        page.get_by_label("Key", exact=True).fill(token)
        page.keyboard.press("Enter")
        expect(page.locator(".side-foot")).to_contain_text("Signed in as bob")
        expect(page.locator(".manage")).to_contain_text(
            "Only administrators of this server may see how it is."
        )
        expect(page.locator(".source-table")).to_have_count(0)
