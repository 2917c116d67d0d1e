"""Collections on the page: created, filled, shared, their thresholds calibrated, deleted; by mouse, by keyboard, and on a phone."""

import re
import shutil
from dataclasses import replace

import pytest
from playwright.sync_api import expect

from shared import zipped
from vademecum.library.collections import Collections
from vademecum.library.uploads.uploads import Uploads

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.xdist_group("screens")]

WHALES = "# Whales\n\nThe blue whale sings in a voice of fourteen hertz. It eats krill in summer.\n"
CALL = "# On call\n\nThe person on call this week is Ana. Restart the queue with queuectl restart.\n"
QUESTIONS = ("In what voice does the blue whale sing?", "Who is on call this week?", "Which laptop do I get?")


@pytest.fixture
def own(settings, tmp_path, machine, run_server):
    with run_server(
        replace(settings, places=machine, collections_folder=tmp_path / "collections")
    ) as running:
        yield running


@pytest.fixture
def guarded(tokens, own):
    """A server with keys."""
    return own, tokens


def opened(visit, server, name="", **options):
    if name:
        assert server.post("/api/collections", {"name": name}).status == 201
    path = f"/#collections/{name}" if name else "/#collections"
    return visit(server, path=path, ready=".drop" if name else ".collection-list", **options)


def choose(page, *files):
    page.locator("input[type=file]").first.set_input_files(
        [
            {"name": name, "mimeType": "", "buffer": data.encode() if isinstance(data, str) else data}
            for name, data in files
        ]
    )


def row(page, name):
    return page.locator(".panel .rows").last.locator(".file-row", has_text=name)


def indexed(page, documents):
    expect(page.locator(".manage-main")).to_contain_text(f"Indexed: {documents} document")


def stored(server, name):
    return [upload["name"] for upload in server.get(f"/api/collections/{name}/documents").json["documents"]]


def test_from_nothing_to_an_answer(visit, own):
    page = opened(visit, own)
    page.get_by_role("button", name="New", exact=True).click()
    dialog = page.get_by_role("dialog", name="New collection")
    dialog.get_by_label("Name").fill("shelf")
    dialog.get_by_label("Description").fill("On whales.")
    dialog.get_by_label("Prompt").fill("Answer like a sailor: ${context}")
    dialog.get_by_label("tokens").fill("200")
    dialog.get_by_role("button", name="Create").click()
    expect(page.locator(".drop")).to_contain_text("Drop files")
    made = own.get("/api/collections/shelf").json
    assert made["metadata"] == {"prompt": "Answer like a sailor: ${context}", "max_tokens": 200}
    choose(
        page,
        ("whales.md", WHALES),
        ("virus.exe", "MZ"),
        ("more.zip", zipped(**{"call.md": CALL, "empty.md": ""})),
    )
    expect(page.locator(".on-their-way")).to_contain_text("3 of 3 files, 2 faults")
    refused = page.locator(".on-their-way .file-row.refused")
    expect(refused.filter(has_text="virus.exe")).to_contain_text("unsupported file type")
    expect(refused.filter(has_text="empty.md")).to_have_count(1)
    indexed(page, 2)
    expect(row(page, "whales.md")).to_have_count(1)
    expect(row(page, "call.md")).to_have_count(1)
    page.keyboard.press("n")
    page.fill("#question", QUESTIONS[0])
    page.press("#question", "Enter")
    expect(page.locator(".answer .lead")).to_contain_text("fourteen hertz")
    expect(page.locator(".answer .checked")).to_contain_text("checked")
    expect(page.locator(".answer .chip").first).to_have_attribute(
        "aria-label", re.compile("^Citation 1: whales.md,")
    )


def test_a_folder_keeps_its_folders_in_the_names_of_its_files(visit, own, tmp_path):
    folder = tmp_path / "notes"
    for name, text in {"a/readme.md": WHALES, "b/readme.md": CALL, ".git/readme.md": CALL}.items():
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text(text)
    page = opened(visit, own, "shelf")
    page.locator("input[type=file]").last.set_input_files(folder)
    indexed(page, 2)
    assert sorted(stored(own, "shelf")) == ["notes-a-readme.md", "notes-b-readme.md"]


def test_replace_rename_and_delete_with_a_way_back(visit, own):
    page = opened(visit, own, "shelf")
    choose(page, ("whales.md", WHALES), ("call.md", CALL))
    indexed(page, 2)
    choose(page, ("whales.md", WHALES.replace("fourteen", "fifteen")))
    expect(page.locator(".on-their-way")).to_contain_text("replaces the old one")
    expect(row(page, "whales.md")).to_have_count(1)
    row(page, "whales.md").get_by_role("button", name="Rename").click()
    page.get_by_label("New name").fill("songs.md")
    page.keyboard.press("Enter")
    expect(row(page, "songs.md")).to_have_count(1)
    row(page, "songs.md").get_by_role("button", name="Rename").click()
    page.get_by_label("New name").fill("call.md")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Another document is named call.md.")
    row(page, "call.md").get_by_role("button", name="Delete").click()
    expect(row(page, "call.md")).to_have_count(0)
    page.locator(".toast").get_by_role("button", name="Undo").click()
    expect(row(page, "call.md")).to_have_count(1)
    assert sorted(stored(own, "shelf")) == ["call.md", "songs.md"]
    row(page, "call.md").get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Delete collection").click()  # which makes the first one final
    expect(page.locator(".collection-list li")).to_have_count(0)
    page.locator(".toast").get_by_role("button", name="Undo").click()
    page.locator(".collection-list a").click()
    expect(row(page, "songs.md")).to_have_count(1)
    expect(row(page, "call.md")).to_have_count(0)
    page.get_by_role("button", name="Delete collection").click()
    page.goto("about:blank")  # leaving makes it final, too
    page.wait_for_timeout(500)
    assert own.get("/api/collections").json["collections"] == []


def sign_in(page, key):
    page.get_by_label("Key", exact=True).fill(key)
    page.keyboard.press("Enter")


def test_shared_with_bob_who_may_ask_and_not_change(visit, guarded):
    server, tokens = guarded
    assert server.post("/api/collections", {"name": "shelf"}, key=tokens["ana"]).status == 201
    page = visit(server, path="/#collections/shelf", ready=".sign-in")
    sign_in(page, tokens["ana"])
    page.wait_for_selector(".drop")
    choose(page, ("whales.md", WHALES))
    indexed(page, 1)
    page.get_by_role("button", name="Share", exact=True).click()
    dialog = page.get_by_role("dialog", name="Who may ask shelf?")
    expect(dialog).to_contain_text("Keys of this server: ana, bob.")
    dialog.get_by_label("Names of keys").fill("rob")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_role("alert")).to_contain_text("Key rob not found.")
    dialog.get_by_label("Names of keys").fill("bob")
    dialog.get_by_role("button", name="Save").click()
    expect(page.get_by_role("button", name="Shared with bob")).to_be_visible()
    his = visit(server, path="/#collections/shelf", ready=".sign-in")
    sign_in(his, tokens["bob"])
    expect(his.locator(".manage-main")).to_contain_text("You may ask this collection, but not change it")
    for name in ("Share", "Settings", "Reindex", "Delete collection"):
        expect(his.get_by_role("button", name=name, exact=True)).to_be_disabled()
    expect(his.locator(".drop")).to_have_count(0)
    expect(row(his, "whales.md").get_by_role("button")).to_have_count(0)
    his.keyboard.press("n")
    his.fill("#question", QUESTIONS[0])
    his.press("#question", "Enter")
    expect(his.locator(".answer .lead")).to_contain_text("fourteen hertz")


def test_a_key_that_is_revoked_meanwhile(visit, guarded):
    server, tokens = guarded
    assert server.post("/api/collections", {"name": "shelf"}, key=tokens["bob"]).status == 201
    page = visit(server, path="/#collections/shelf", ready=".sign-in")
    sign_in(page, tokens["bob"])
    page.wait_for_selector(".drop")
    server.state.keys.remove("bob")
    choose(page, ("whales.md", WHALES))
    expect(page.locator(".file-row.refused")).to_contain_text("An API key is required.")
    page.get_by_role("button", name="Reindex").click()
    expect(page.get_by_role("alert").first).to_contain_text("An API key is required.")


def test_thresholds_by_pasted_questions(visit, own):
    page = opened(visit, own, "shelf")
    choose(page, ("whales.md", WHALES), ("call.md", CALL))
    indexed(page, 2)
    page.get_by_role("button", name="Paste questions").click()
    dialog = page.get_by_role("dialog", name="Questions to try")
    dialog.get_by_label("Questions to try").fill("\n".join(QUESTIONS))
    dialog.get_by_role("button", name="Try them").click()
    chart = page.locator(".chart")
    expect(chart.locator(".chart-row")).to_have_count(3)
    far = chart.locator(".chart-row", has_text=QUESTIONS[2])
    far.get_by_role("checkbox").uncheck()
    page.get_by_role("button", name="Suggest from the ticks").click()
    expect(far.locator(".chart-outcome")).to_have_text(re.compile(r"\d\.\d\d refused"))
    expect(chart.locator(".chart-outcome", has_text="match")).to_have_count(2)
    page.get_by_role("button", name="Save thresholds").click()
    expect(page.get_by_role("button", name="Save thresholds")).to_be_disabled()
    expect(page.locator(".panel-head")).to_contain_text(re.compile(r"In force: a match below \d\.\d\d"))
    kept = own.get("/api/collections/shelf").json["metadata"]
    partial = page.get_by_role("slider", name="partial")
    match = page.get_by_role("slider", name="match")
    assert (
        float(partial.get_attribute("aria-valuenow")) == kept["partial_threshold"] > kept["match_threshold"]
    )
    match.focus()
    page.keyboard.press("Home")
    partial.focus()
    for _ in range(3):
        page.keyboard.press("PageDown")
    page.keyboard.press("ArrowLeft")
    assert float(partial.get_attribute("aria-valuenow")) == pytest.approx(
        kept["partial_threshold"] - 0.16, abs=0.006
    )
    page.keyboard.press("Home")
    expect(partial).to_have_attribute("aria-valuetext", "partial 0.00; 2 of 3 questions change")
    expect(page.locator(".panel-foot")).to_contain_text(
        "2 of 3 questions change. Nothing is in force until you save."
    )
    expect(chart.locator(".chart-row.flips")).to_have_count(2)
    expect(chart.locator(".chart-outcome", has_text="match → refused").first).to_be_visible()
    page.get_by_role("button", name="Put back").click()
    expect(chart.locator(".chart-row.flips")).to_have_count(0)
    # by mouse, to the end of the axis
    box, lines = (
        partial.locator(".threshold-label").bounding_box(),
        chart.locator(".chart-lines").bounding_box(),
    )
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(lines["x"] + lines["width"], box["y"] + 40, steps=5)
    page.mouse.up()
    expect(far.locator(".chart-outcome")).to_contain_text("refused → partial")
    page.get_by_role("button", name="Save thresholds").click()
    expect(far.locator(".chart-outcome")).to_contain_text("partial")
    assert own.get("/api/collections/shelf").json["metadata"]["partial_threshold"] >= 1.2


def test_by_keyboard_alone(visit, own):
    page = visit(own)
    choosers = []

    def note(chooser):
        choosers.append(chooser)

    page.on("filechooser", note)  # long before it opens: the browser has to hear of it first
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    page.keyboard.press("c")
    page.wait_for_selector(".collection-list")
    page.get_by_role("button", name="New", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_label("Name", exact=True)).to_be_focused()
    page.keyboard.type("shelf")
    page.keyboard.press("Enter")
    page.wait_for_selector(".drop")
    expect(page.locator("dialog[open]")).to_have_count(0)
    expect(page.get_by_role("heading", name="shelf")).to_be_visible()
    button = page.locator(".drop").get_by_role("button", name="files")
    button.focus()
    expect(button).to_be_focused()
    page.keyboard.press("Enter")
    for _ in range(100):
        if choosers:
            break
        page.wait_for_timeout(50)
    choosers[0].set_files([{"name": "whales.md", "mimeType": "", "buffer": WHALES.encode()}])
    indexed(page, 1)
    row(page, "whales.md").get_by_role("button", name="Delete").focus()
    page.keyboard.press("Enter")
    page.locator(".toast").get_by_role("button", name="Undo").focus()
    page.keyboard.press("Enter")
    expect(row(page, "whales.md")).to_have_count(1)
    page.get_by_role("button", name="Settings").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="Settings")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Settings")).to_be_focused()


def test_ten_thousand_files(visit, own):
    """The list shows those that can be seen; each can be found by its name."""
    own.post("/api/collections", {"name": "shelf"})
    folder = Uploads(Collections(own.settings.collections_folder).get("shelf")).files.parent
    (folder / "uploads").mkdir()
    for number in range(10_000):
        id_ = f"{number:016x}"
        (folder / "uploads" / f"{id_}.json").write_text(
            f'{{"id": "{id_}", "name": "note-{number}.md", "media": "markdown", "size_bytes": 90, "documents": 1, '
            f'"created": "2026-01-01T00:00:00+00:00"}}'
        )
    page = visit(own, path="/#collections/shelf", ready=".rows.windowed")
    expect(page.locator(".panel")).to_contain_text(["10,000 files", ""])
    assert page.locator(".windowed .file-row").count() < 60
    page.locator(".windowed").evaluate("(list) => (list.scrollTop = list.scrollHeight)")
    expect(page.locator(".windowed .file-row").last).to_contain_text("note-9999.md")
    page.get_by_label("Find a file by its name").fill("note-4321.")
    expect(page.locator(".file-row")).to_have_count(1)
    expect(page.locator(".panel").first).to_contain_text("1 of 10,000 files")


def test_many_files_at_once_are_sent_in_parts(visit, own):
    page = opened(visit, own, "shelf")
    page.evaluate(
        """() => {
            const data = new DataTransfer();
            for (let at = 0; at < 450; at++)
                data.items.add(new File([`# Lamp ${at}\\n\\nLamp ${at} is kept in room ${at}.`], at % 100 ? `${at}.md` : `${at}.exe`));
            const event = new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true});
            document.querySelector(".drop").dispatchEvent(event);
        }"""
    )
    expect(page.locator(".on-their-way")).to_contain_text("450 of 450 files, 5 faults", timeout=60_000)
    expect(page.locator(".on-their-way .file-row")).to_have_count(5)
    expect(page.locator(".manage-main")).to_contain_text("Indexed: 445 documents", timeout=60_000)
    assert len(stored(own, "shelf")) == 445


def test_a_zip_that_unpacks_to_too_much(visit, own):
    page = opened(visit, own, "shelf")
    choose(page, ("bomb.zip", zipped(**{f"{part}.txt": b"0" * (60 << 20) for part in range(10)})))
    fault = page.locator(".file-row.refused").first
    expect(fault).to_contain_text("bomb.zip", timeout=60_000)
    expect(fault.locator(".file-state")).to_have_text(re.compile(r"\w+.*\."))
    assert stored(own, "shelf") == []


def test_a_job_that_a_restart_ended_goes_on(visit, own):
    page = opened(visit, own, "shelf")
    choose(page, ("whales.md", WHALES))
    indexed(page, 1)
    with own.state.tables.use() as connection:
        connection.execute("UPDATE jobs SET state = 'running', process = '999999 1 gone', message = ''")
    own.state.jobs.clear()  # as when the server starts
    page.reload()
    note = page.locator(".note.warn.job")
    expect(note).to_contain_text("The server stopped before the job was done. The documents are stored")
    note.get_by_role("button", name="Go on").click()
    expect(note).to_have_count(0)
    indexed(page, 1)


def test_a_file_that_is_replaced_while_it_is_indexed(visit, own):
    page = opened(visit, own, "shelf")
    for hertz in ("ten", "eleven", "twelve"):
        choose(page, ("whales.md", WHALES.replace("fourteen", hertz)))
    expect(page.locator(".on-their-way")).to_contain_text("3 of 3 files")
    while any(job["state"] in {"queued", "running"} for job in own.get("/api/jobs").json["jobs"]):
        page.wait_for_timeout(50)
    indexed(page, 1)
    assert stored(own, "shelf") == ["whales.md"]
    assert "twelve hertz" in own.post("/ask", {"query": QUESTIONS[0], "book": "shelf"}).json["answer"]


def test_a_server_that_goes_away_meanwhile(visit, settings, tmp_path, machine, run_server):
    own = replace(settings, places=machine, collections_folder=tmp_path / "collections")
    with run_server(own) as server:
        page = opened(visit, server, "shelf")
    choose(page, ("whales.md", WHALES))
    expect(page.locator(".file-row.refused")).to_contain_text("The server does not answer.")
    with run_server(replace(own, port=server.port)):
        choose(page, ("whales.md", WHALES))
        indexed(page, 1)
    shutil.rmtree(tmp_path / "collections")
