"""What those who look after documents do over HTTP: rename a document, follow a job, and see what needs them."""

import json
import shutil
import time
from dataclasses import replace

import pytest

from shared import library_of
from vademecum.files.places import Places

WHALES = "The blue whale sings in a voice of fourteen hertz. It eats krill in summer.\n"


def hand_over(server, name, text):
    head = f'--x\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
    body = f"{head}{text}\r\n--x--\r\n".encode()
    reply = server.post(
        "/api/collections/shelf/documents", body, headers={"Content-Type": "multipart/form-data; boundary=x"}
    )
    assert reply.status == 202
    return reply.json["document"], reply.json["job"]["id"]


@pytest.fixture
def machine_with_notes(tmp_path):
    """The folders of a machine's library with a source, and the folder of that."""
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "moorings.md").write_text("# Moorings\n\nOur berth is number 41, on the east pier.\n")
    places = Places(tmp_path / "own" / "data", tmp_path / "own" / "config")
    library_of(places, notes)
    return places, notes


def events_of(reply):
    blocks = [block for block in reply.body.decode().split("\n\n") if block.startswith("event")]
    return [json.loads(block.partition("data: ")[2]) for block in blocks]


@pytest.fixture
def own(settings, run_server, tmp_path):
    with run_server(replace(settings, collections_folder=tmp_path / "collections")) as running:
        assert running.post("/api/collections", {"name": "shelf"}).status == 201
        yield running


def test_a_document_has_another_name_from_now_on(own):
    document, job = hand_over(own, "whales.md", WHALES)
    own.get(f"/api/jobs/{job}/events")
    url = f"/api/collections/shelf/documents/{document['id']}"
    reply = own.call("PATCH", url, {"name": "../Sea mammals.md"})
    assert (reply.status, reply.json["document"]) == (202, document | {"name": "Sea mammals.md"})
    assert events_of(own.get(f"/api/jobs/{reply.json['job']['id']}/events"))[-1]["state"] == "succeeded"
    assert [one["name"] for one in own.get("/api/collections/shelf/documents").json["documents"]] == [
        "Sea mammals.md"
    ]
    found = own.post("/ask", {"query": "In what voice does the blue whale sing?", "book": "shelf"}).json
    assert "fourteen hertz" in found["answer"]
    assert "sea-mammals" in json.dumps(found["sources"]).lower()
    assert "whales.md" not in json.dumps(found["sources"])
    again, _ = hand_over(own, "Sea mammals.md", WHALES.replace("fourteen", "nine"))
    assert [one["id"] for one in own.get("/api/collections/shelf/documents").json["documents"]] == [
        again["id"]
    ]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("whales.pdf", "type markdown"),
        ("whales", "type markdown"),
        ("other.md", "Another document"),
        ("\u202e...", "not a valid name"),
        ("a" * 300 + ".md", "not a valid name"),
    ],
)
@pytest.mark.sampled(2)
def test_names_that_a_document_cannot_have(own, name, words):
    document, _ = hand_over(own, "whales.md", WHALES)
    hand_over(own, "other.md", WHALES)
    reply = own.call("PATCH", f"/api/collections/shelf/documents/{document['id']}", {"name": name})
    assert 400 <= reply.status < 500
    assert words in reply.json["detail"]
    names = {one["name"] for one in own.get("/api/collections/shelf/documents").json["documents"]}
    assert names == {"whales.md", "other.md"}
    missing = own.call("PATCH", "/api/collections/shelf/documents/0123456789abcdef", {"name": "x.md"})
    assert (missing.status, missing.json["code"]) == (404, "DOCUMENT_MISSING")


def test_a_job_is_followed_to_its_end(own):
    _, job = hand_over(own, "whales.md", WHALES)
    reply = own.get(f"/api/jobs/{job}/events")
    assert reply.headers["content-type"].startswith("text/event-stream")
    found = events_of(reply)
    assert {one["id"] for one in found} == {job}
    assert found[-1]["state"] == "succeeded"
    assert [one["percent_complete"] for one in found] == sorted(one["percent_complete"] for one in found)
    began_s = time.monotonic()
    assert events_of(own.get(f"/api/jobs/{job}/events")) == found[-1:]
    assert time.monotonic() - began_s < 5
    assert own.get(f"/api/jobs/{'0' * 32}/events").status == 404


def test_health_with_remedies(settings, run_server, tmp_path):
    places = Places(tmp_path / "data", tmp_path / "config")
    with run_server(replace(settings, places=places)) as running:
        found = running.get("/api/health").json
    components = {one["component"]: one for one in found["components"]}
    assert components.keys() >= {
        "index_freshness",
        "source_access",
        "disk_capacity",
        "configuration",
        "permissions",
    }
    worst = {one["severity"] for one in found["components"]}
    assert found["severity"] == ("fail" if "fail" in worst else "warn" if "warn" in worst else "pass")
    assert all(one["remedy"] for one in found["components"] if one["severity"] != "pass")


def test_others_do_not_see_it(settings, people, run_server, anna, admin):
    settings.folder.mkdir(exist_ok=True)
    shutil.copy(people[1], settings.folder / "keys.json")
    with run_server(settings) as running:
        assert running.get("/api/health").status == 401
        assert running.get("/api/health", key=anna).status == 403
        assert running.get("/api/health", key=admin).status == 200


def test_reindexing_is_a_job_of_its_own(own, shared, bob):
    document, job = hand_over(own, "whales.md", WHALES)
    own.get(f"/api/jobs/{job}/events")
    reply = own.post("/api/collections/shelf/reindex", None)
    assert reply.status == 202
    assert events_of(own.get(f"/api/jobs/{reply.json['id']}/events"))[-1]["documents"] == 1
    assert own.get("/api/collections/shelf").json["may_change"] is True
    assert document["name"] == "whales.md"
    assert shared.post("/api/collections/handbook/reindex", None, key=bob).status == 403
    assert shared.get("/api/collections/handbook", key=bob).json["may_change"] is False


def test_the_names_of_keys_are_for_admins(shared, admin, bob):
    found = shared.get("/api/keys", key=admin)
    assert {"name": "bob", "role": "user"} in found.json["keys"]
    assert bob not in found.body.decode()
    assert shared.get("/api/keys", key=bob).json["code"] == "ADMIN_ONLY"


def test_each_rejected_file_has_its_reason_also_if_all_are(own):
    part = '--x\r\nContent-Disposition: form-data; name="file"; filename="{}"\r\n\r\n{}\r\n'
    body = part.format("a.exe", "MZ") + part.format("b.md", "") + "--x--\r\n"
    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    reply = own.post("/api/collections/shelf/documents", body.encode(), headers=headers)
    assert reply.status == 422
    assert [(fault["name"], bool(fault["message"])) for fault in reply.json["refused"]] == [
        ("a.exe", True),
        ("b.md", True),
    ]
    assert reply.json["detail"] == reply.json["refused"][0]["message"]


def test_sources_of_the_machine_are_reindexed_by_an_admin(settings, run_server, machine_with_notes, people):
    places, notes = machine_with_notes
    settings.folder.mkdir()
    shutil.copy(people[1], settings.folder / "keys.json")
    with run_server(replace(settings, places=places)) as server:
        admin, bob = people[0].admin, people[0].bob

        def notes_of():
            return next(
                source
                for source in server.get("/api/health", key=admin).json["sources"]
                if source["name"] == "notes"
            )

        assert (notes_of()["state"], notes_of()["documents"]) == ("current", 1)
        (notes / "new.md").write_text("# New\n\nThe new anchor weighs nine tons.\n")
        assert (notes_of()["state"], notes_of()["remedy"]) == ("changed", "ragadmin reindex")
        assert server.post("/api/jobs", {"source": "notes"}, key=bob).status == 403
        assert server.post("/api/jobs", {"source": "nope"}, key=admin).json["code"] == "SOURCE_UNUSABLE"
        job = server.post("/api/jobs", {"source": "notes"}, key=admin).json
        assert job["collection"] == "@notes"
        last = events_of(server.get(f"/api/jobs/{job['id']}/events", key=admin))[-1]
        assert last["state"] == "succeeded", last
        assert (notes_of()["state"], notes_of()["documents"]) == ("current", 2)
        said = server.post("/ask", {"query": "What weighs nine tons?"}, key=admin).json
        assert "new anchor" in said["answer"]
        everything = server.post("/api/jobs", {}, key=admin).json
        assert everything["collection"] == "@"
        assert (
            events_of(server.get(f"/api/jobs/{everything['id']}/events", key=admin))[-1]["state"]
            == "succeeded"
        )
        assert server.get(f"/api/jobs/{job['id']}", key=bob).status == 404


def test_the_history_counts_answers_and_refusals(own, shared, bob):
    hand_over(own, "whales.md", WHALES)
    job = own.post("/api/collections/shelf/reindex", None).json["id"]
    own.get(f"/api/jobs/{job}/events")
    for question in ("In what voice does the blue whale sing?", "How many zorkmids are in the vault?"):
        assert own.post("/ask", {"query": question, "book": "shelf"}).status == 200
    found = own.get("/api/health/history").json
    assert (found["outcomes"]["success"], found["outcomes"]["no_results"]) == (1, 1)
    assert 0 < found["median_ms"] <= found["p95_ms"]
    assert found["hours"][-1]["answers"] + found["hours"][-2]["answers"] == 2
    assert shared.get("/api/health/history", key=bob).status == 403


def test_a_server_of_collections_needs_no_index_of_the_machine(own):
    job = hand_over(own, "whales.md", WHALES)[1]
    own.get(f"/api/jobs/{job}/events")
    found = {one["component"]: one for one in own.get("/api/health").json["components"]}
    assert found["index_freshness"]["severity"] == "warn"
    assert found["index_freshness"]["remedy"]
