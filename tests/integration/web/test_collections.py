"""Collections over HTTP: made, filled, indexed in jobs, tried out, exported; each their owner's alone."""

import io
import json
import re
import shlex
import subprocess
import threading
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from shared import wait_until, zipped
from vademecum.desks.book.books import add_book
from vademecum.library.collections import Collections
from vademecum.server.guard.keys import Keys

WHALES = "# Whales\n\nThe blue whale sings in a voice of fourteen hertz. It eats krill in summer.\n"
QUESTION = "In what voice does the blue whale sing?"


def form(name, data, **fields):
    border = "xxborderxx"
    parts = [
        f'--{border}\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n'
        for key, value in fields.items()
    ]
    head = f'--{border}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
    body = "".join(parts).encode() + head.encode() + (data if isinstance(data, bytes) else data.encode())
    return body + f"\r\n--{border}--\r\n".encode(), {
        "Content-Type": f"multipart/form-data; boundary={border}"
    }


def hand_over(server, collection, name, data, key="", **fields):
    body, headers = form(name, data, **fields)
    return server.post(f"/api/collections/{collection}/documents", body, headers=headers, key=key)


def ended(server, job, key=""):
    def look():
        return server.get(f"/api/jobs/{job}", key=key).json

    wait_until(lambda: look()["state"] not in {"queued", "running"})
    return look()


@pytest.fixture
def own(settings, run_server, tmp_path):
    """A server whose collections are nobody else's, with one collection."""
    own = replace(settings, collections_folder=tmp_path / "collections", upload_bytes=8 << 20)
    with run_server(own) as running:
        assert running.post("/api/collections", {"name": "shelf", "description": "On whales."}).status == 201
        yield running


def test_answers_come_from_uploaded_files(own):
    reply = hand_over(own, "shelf", "whales.md", WHALES)
    assert reply.status == 202
    assert reply.json["document"]["name"] == "whales.md"
    job = ended(own, reply.json["job"]["id"])
    assert (job["state"], job["percent_complete"], job["documents"]) == ("succeeded", 100, 1)
    said = own.post("/ask", {"query": QUESTION, "book": "shelf"}).json
    assert "fourteen hertz" in said["answer"]
    assert own.get("/api/collections/shelf").json["documents"] == 1
    (told,) = own.get("/api/collections/shelf/documents").json["documents"]
    assert told == reply.json["document"]
    removed = own.call("DELETE", f"/api/collections/shelf/documents/{told['id']}")
    assert removed.status == 202
    assert ended(own, removed.json["id"])["state"] == "succeeded"
    assert own.get("/api/collections/shelf/documents").json["documents"] == []
    assert "hertz" not in own.post("/ask", {"query": QUESTION, "book": "shelf"}).body.decode()


def test_records_are_documents_by_a_mapping(own):
    rows = [{"heading": "Blue whale", "words": "The blue whale sings in a voice of fourteen hertz."}]
    mapping = json.dumps({"text": "words", "title": "heading"})
    reply = hand_over(own, "shelf", "rows.json", json.dumps(rows), mapping=mapping)
    assert reply.status == 202
    assert ended(own, reply.json["job"]["id"])["documents"] == 1
    said = own.post("/ask", {"query": QUESTION, "book": "shelf"}).json
    assert said["sources"][0]["title"] == "Blue whale"


@pytest.mark.parametrize(
    ("name", "data", "mapping", "status"),
    [
        ("virus.exe", b"MZ", "", 422),
        ("rows.json", b"\x80\x04\x95", "", 422),
        ("whales.md", b"", "", 422),
        ("whales.md", WHALES.encode(), "[1]", 400),
        ("rows.json", b'[{"text": "x"}]', '{"colour": "red"}', 422),
        ("", WHALES.encode(), "", 422),
    ],
)
def test_rejects_invalid_uploads(own, name, data, mapping, status):
    reply = hand_over(own, "shelf", name, data, mapping=mapping)
    assert reply.status == status, reply.body
    assert reply.json["hint"]
    assert own.get("/api/collections/shelf/documents").json["documents"] == []


def names(own):
    return sorted(one["name"] for one in own.get("/api/collections/shelf/documents").json["documents"])


def test_a_file_takes_the_place_of_the_one_of_its_name(own):
    first = hand_over(own, "shelf", "whales.md", WHALES).json
    assert (first["replaced"], first["refused"]) == ([], [])
    hand_over(own, "shelf", "seals.md", "# Seals\n\nA seal eats fish.\n")
    unreadable = hand_over(own, "shelf", "whales.md", "")
    assert unreadable.status == 422
    assert names(own) == ["seals.md", "whales.md"], "the old one stays until the new one was read"
    second = hand_over(
        own, "shelf", "whales.md", "# Whales\n\nThe blue whale eats seven tons of krill a day.\n"
    ).json
    assert second["replaced"] == [first["document"]]
    assert ended(own, second["job"]["id"])["state"] == "succeeded"
    assert names(own) == ["seals.md", "whales.md"]
    answer = own.post("/ask", {"query": "How much krill does the blue whale eat?", "book": "shelf"}).json[
        "answer"
    ]
    assert "seven tons" in answer
    assert "four" not in answer


def test_the_files_of_a_zip_are_taken(own):
    files = {
        "sea/whales.md": WHALES,
        "sea/cold/seals.md": "# Seals\n\nA seal eats nine fish a day.\n",
        "sea/virus.exe": b"MZ",
        "sea/": "",
        "__MACOSX/sea/._whales.md": "x",
        "sea/.hidden.md": "# Hidden\n\nNothing.\n",
        "../../etc/passwd.md": "# Up\n\nIt stays within.\n",
    }
    reply = hand_over(own, "shelf", "sea.zip", zipped(**files))
    assert reply.status == 202, reply.body
    assert [one["name"] for one in reply.json["refused"]] == ["sea-virus.exe"]
    assert names(own) == ["sea-cold-seals.md", "sea-whales.md"]
    assert ended(own, reply.json["job"]["id"])["state"] == "succeeded"
    said = own.post("/ask", {"query": "How many fish does a seal eat?", "book": "shelf"}).json
    assert "nine fish" in said["answer"]
    again = hand_over(own, "shelf", "sea.zip", zipped(**files)).json
    assert len(again["replaced"]) == 2


def test_the_transformer_reads_what_was_handed_over(own, monkeypatch):
    monkeypatch.delenv("VADEMECUM_EMBEDDING")
    assert own.get("/api/collections/shelf").json["embedded"] is None
    assert ended(own, hand_over(own, "shelf", "whales.md", WHALES).json["job"]["id"])["state"] == "succeeded"
    asked = {"query": QUESTION, "book": "shelf", "explain": True}
    assert "fourteen" in own.post("/ask", asked).json["answer"], "nobody waits for it"
    wait_until(lambda: own.get("/api/collections/shelf").json["embedded"] == {"passages": 1, "total": 1})
    wait_until(lambda: '"by_transformer":true' in own.post("/ask", asked).body.decode().replace(" ", ""))
    assert "fourteen" in own.post("/ask", asked).json["answer"]


def test_a_server_has_it_go_on_reading_when_it_starts(settings, run_server, tmp_path, monkeypatch):
    own = replace(settings, collections_folder=tmp_path / "collections")
    with run_server(own) as server:
        assert server.post("/api/collections", {"name": "shelf", "description": "On whales."}).status == 201
        ended(server, hand_over(server, "shelf", "whales.md", WHALES).json["job"]["id"])
        assert server.get("/api/collections/shelf").json["embedded"] == {"passages": 0, "total": 1}
    monkeypatch.delenv("VADEMECUM_EMBEDDING")
    with run_server(own) as server:
        wait_until(lambda: server.get("/api/collections/shelf").json["embedded"]["passages"] == 1)


def test_some_documents_alone_are_asked(own):
    files = {
        "2024/prices.md": "# Prices 2024\n\nA day ticket to the whale museum costs 12 euros.\n",
        "2025/prices.md": "# Prices 2025\n\nA day ticket to the whale museum costs 15 euros.\n",
        "seals.md": "# Seals\n\nA seal eats nine fish a day.\n",
    }
    assert (
        ended(own, hand_over(own, "shelf", "all.zip", zipped(**files)).json["job"]["id"])["state"]
        == "succeeded"
    )
    question = "How much does a day ticket to the whale museum cost?"

    def asked(where, query=question):
        book = own.post("/ask", {"query": query, "book": "shelf", "where": where})
        source = own.post("/ask", {"query": query, "source": "shelf", "where": where})
        chat = own.post("/api/chat", {"message": query, "collections": ["local/shelf"], "where": where})
        return [reply.json.get("answer") or reply.json["response"] for reply in (book, source, chat)]

    for where, price in (
        ({"document": "*2024*"}, "12 euros"),
        ({"document": "Prices 2025"}, "15 euros"),
        ({"document": ["nothing of that name", "2025-prices.md"]}, "15 euros"),
    ):
        for answer in asked(where):
            assert price in answer
            assert ("12" in answer) != ("15" in answer)
    for answer in asked({"document": "*2024*"}, "How many fish does a seal eat?"):
        assert answer == "No relevant information found for your query."
    refused = own.post(
        "/ask", {"query": "How many fish does a seal eat?", "book": "shelf", "where": {"document": "*2024*"}}
    )
    assert "Only document *2024* was asked; without that limit more may be found." in refused.json["reasons"]
    for answer in asked({"document": "nothing of that name"}):
        assert answer == "No relevant information found for your query."
    for wrong in ({}, {"document": ""}, {"document": []}, {"colour": "red"}, "x", {"document": 3}):
        assert own.post("/ask", {"query": question, "where": wrong}).status == 400, wrong


def test_several_files_are_taken_at_once(own):
    border = "b0rder"
    parts = [
        f'--{border}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n{text}\r\n'
        for name, text in (
            ("whales.md", WHALES),
            ("seals.md", "# Seals\n\nA seal eats fish.\n"),
            ("x.exe", "MZ"),
        )
    ]
    reply = own.post(
        "/api/collections/shelf/documents",
        f"{''.join(parts)}--{border}--\r\n".encode(),
        headers={"Content-Type": f"multipart/form-data; boundary={border}"},
    )
    assert reply.status == 202, reply.body
    assert [one["name"] for one in reply.json["documents"]] == ["whales.md", "seals.md"]
    assert [one["name"] for one in reply.json["refused"]] == ["x.exe"]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: b"PK\x03\x04 and then nothing", "not a zip archive"),
        (zipped, "holds no file"),
        (lambda: zipped(**{f"{number}.md": "x" for number in range(1001)}), "at most 1,000"),
        (lambda: zipped(**{"bomb.md": bytes((1 << 29) + 1)}), "unpacks to more than 512 MB"),
        (lambda: zipped(**{"a.exe": "MZ", "b.exe": "MZ"}), "unsupported file type"),
    ],
    ids=["damaged", "empty", "many", "bomb", "strange"],
)
def test_archives_that_cannot_be_taken(own, make, words):
    reply = hand_over(own, "shelf", "all.zip", make())
    assert reply.status == 422, reply.body
    assert words in reply.json["detail"]
    assert names(own) == []
    assert list((own.settings.collections_folder / "shelf").glob(".*")) == []


def test_an_archive_that_lies_about_its_size_is_not_believed(own, monkeypatch):
    from vademecum.library.uploads import zip_files

    monkeypatch.setattr(zip_files, "MOST_BYTES", 5000)
    honest = zipped(**{"big.md": "# Big\n\n" + "word " * 4000})
    assert hand_over(own, "shelf", "all.zip", honest).status == 422
    central = honest.rindex(b"PK\x01\x02")
    lying = bytearray(honest)
    for at in (22, central + 24):  # the size after unpacking, in the file's head and in the list at the end
        lying[at : at + 4] = (100).to_bytes(4, "little")
    assert hand_over(own, "shelf", "all.zip", bytes(lying)).status == 422
    assert names(own) == []


def test_a_body_past_the_limit_is_refused(own):
    reply = hand_over(own, "shelf", "whales.md", bytes(own.settings.upload_bytes))
    assert reply.status == 413


def test_thresholds_are_checked(own):
    change = lambda **fields: own.call("PATCH", "/api/collections/shelf", fields)  # noqa: E731 - one line says it
    assert change(match_threshold=0.4, partial_threshold=0.6).json["metadata"] == {
        "match_threshold": 0.4,
        "partial_threshold": 0.6,
    }
    assert change(match_threshold=0.7).status == 400
    assert change(match_threshold=2.5).status == 400
    assert change(colour="red").status == 400
    nan = own.call(
        "PATCH",
        "/api/collections/shelf",
        '{"match_threshold": NaN}',
        headers={"Content-Type": "application/json"},
    )
    assert nan.status == 400
    assert change(description="On whales and dolphins.", partial_threshold=None).json["metadata"] == {
        "match_threshold": 0.4
    }


def test_thresholds_can_be_tried(own):
    own.call("PATCH", "/api/collections/shelf", {"match_threshold": 0.001})
    ended(own, hand_over(own, "shelf", "whales.md", WHALES).json["job"]["id"])
    asked = {"questions": [QUESTION, "Who won the chess championship?"], "expected": [True, False]}
    said = own.post("/api/collections/shelf/calibrate", asked).json
    near, far = said["questions"]
    assert near["distance"] < far["distance"]
    assert "hertz" in near["passages"][0]["text"]
    assert near["result"] == "none"
    assert said["fits"]
    own.call("PATCH", "/api/collections/shelf", {"match_threshold": 0.002})
    assert own.get("/api/collections/shelf").json["metadata"]["threshold_scale"] == "words"
    assert near["distance"] < said["suggested"]["match_threshold"] <= far["distance"]
    assert own.post("/api/collections/shelf/calibrate", {"questions": []}).status == 400
    assert own.post("/api/collections/shelf/calibrate", {"questions": ["x"], "expected": []}).status == 400


def test_an_export_holds_everything(own):
    taken = hand_over(own, "shelf", "whales.md", WHALES).json
    ended(own, taken["job"]["id"])
    reply = own.get("/api/collections/shelf/export")
    with zipfile.ZipFile(io.BytesIO(reply.body)) as archive:
        told = json.loads(archive.read("collection.json"))
        assert archive.read(f"files/{taken['document']['id']}/whales.md").decode() == WHALES
    assert told["name"] == "shelf"
    assert told["uploads"] == [taken["document"]]


def test_a_job_can_be_cancelled(own):
    lines = "\n".join(
        json.dumps({"title": f"Whale {n}", "text": f"Whale {n} sings of {n * 7} things. " * 30})
        for n in range(3000)
    )
    job = hand_over(own, "shelf", "many.jsonl", lines).json["job"]
    assert own.post(f"/api/jobs/{job['id']}/cancel", {}).status == 202
    found = ended(own, job["id"])
    assert found["state"] == "cancelled"
    assert own.get("/api/jobs").json["jobs"][0] == found


def test_a_collection_may_go_while_it_is_asked(own):
    ended(own, hand_over(own, "shelf", "whales.md", WHALES).json["job"]["id"])
    statuses, stop = [], threading.Event()

    def ask():
        while not stop.is_set():
            statuses.append(own.post("/ask", {"query": QUESTION, "book": "shelf"}).status)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    wait_until(lambda: 200 in statuses)
    assert own.call("DELETE", "/api/collections/shelf").status == 204
    wait_until(lambda: 422 in statuses)
    stop.set()
    for thread in threads:
        thread.join()
    assert {200, 422} <= set(statuses) <= {200, 422, 503}, "503 at most where it goes while it is being read"
    assert own.get("/api/collections/shelf").status == 404


def test_a_collection_and_its_jobs_are_their_owners_alone(shared, people):
    (keys, _), server = people, shared
    assert server.post("/api/collections", {"name": "annas-own"}, key=keys.anna).status == 201
    job = hand_over(server, "annas-own", "whales.md", WHALES, key=keys.anna).json["job"]["id"]
    try:
        for method, path in (
            ("GET", ""),
            ("DELETE", ""),
            ("GET", "/documents"),
            ("GET", "/export"),
            ("DELETE", f"/documents/{'0' * 16}"),
        ):
            assert server.call(method, f"/api/collections/annas-own{path}", key=keys.bob).status == 404, path
        assert (
            server.call("PATCH", "/api/collections/annas-own", {"description": "mine"}, key=keys.bob).status
            == 404
        )
        assert hand_over(server, "annas-own", "whales.md", WHALES, key=keys.bob).status == 404
        assert (
            server.post("/api/collections/annas-own/calibrate", {"questions": ["x"]}, key=keys.bob).status
            == 404
        )
        assert server.get(f"/api/jobs/{job}", key=keys.bob).status == 404
        assert server.post(f"/api/jobs/{job}/cancel", {}, key=keys.bob).status == 404
        assert server.get("/api/jobs", key=keys.bob).json["jobs"] == []
        assert "annas-own" not in server.get("/api/collections", key=keys.bob).body.decode()
        assert "annas-own" in server.get("/api/collections", key=keys.admin).body.decode()
        refused = server.call("DELETE", "/api/collections/handbook", key=keys.bob)
        assert (refused.status, refused.json["code"]) == (403, "COLLECTION_REFUSED"), (
            "everybody's to read only"
        )
        taken = server.post("/api/collections", {"name": "annas-own"}, key=keys.bob)
        assert (taken.status, "delete" in taken.json["hint"]) == (409, False)
    finally:
        ended(server, job, key=keys.anna)
        assert server.call("DELETE", "/api/collections/annas-own", key=keys.anna).status == 204


def test_an_export_of_a_book_holds_its_pages(settings, run_server, tmp_path):
    pages = tmp_path / "pages"
    (pages / "deep").mkdir(parents=True)
    (pages / "whales.md").write_text(WHALES)
    (pages / "deep" / "krill.md").write_text("# Krill\n\nKrill is small.\n")
    (pages / "secret.key").write_text("no document")
    (tmp_path / "outside.md").write_text("# Outside")
    (pages / "link.md").symlink_to(tmp_path / "outside.md")
    collections = Collections(tmp_path / "own")
    add_book(collections, pages, name="sea")
    with run_server(replace(settings, collections_folder=tmp_path / "own")) as server:
        reply = server.get("/api/collections/sea/export")
        assert reply.status == 200
        with zipfile.ZipFile(io.BytesIO(reply.body)) as archive:
            names = {name.partition("/")[2].partition("/")[2] for name in archive.namelist()} - {""}
            assert names == {"whales.md", "deep/krill.md"}
            (whales,) = [name for name in archive.namelist() if name.endswith("whales.md")]
            assert archive.read(whales).decode() == WHALES


def test_a_book_of_the_command_line_is_not_deleted_without_a_key(settings, run_server, tmp_path):
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "whales.md").write_text(WHALES)
    add_book(Collections(tmp_path / "own"), tmp_path / "pages", name="sea")
    own = replace(settings, collections_folder=tmp_path / "own")
    with run_server(own) as server:
        refused = server.call("DELETE", "/api/collections/sea")
        assert refused.status == 403
        assert "vademecum book remove sea" in refused.json["hint"]
        assert server.get("/api/collections/sea").status == 200
        token = Keys(own.folder / "keys.json").add("root", role="admin", per_minute=1000)[1]
        assert server.call("DELETE", "/api/collections/sea", key=token).status == 204


@pytest.mark.needs("curl")
def test_the_commands_of_its_page(settings, run_server, tmp_path):
    page = (Path(__file__).parents[3] / "docs/reference/collections.md").read_text()
    commands = re.findall(r"^curl .*$", page, re.MULTILINE)
    assert len(commands) >= 5
    (tmp_path / "whales.md").write_text(WHALES)
    (tmp_path / "rows.csv").write_text("name,body\nOrca,It hunts in groups.\n")
    with run_server(replace(settings, collections_folder=tmp_path / "collections")) as server:
        for command in commands:
            words = shlex.split(command.replace("http://127.0.0.1:8765", server.url))
            done = subprocess.run(
                [*words, "--silent", "--fail"],
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
                cwd=tmp_path,
            )
            assert done.returncode == 0, (command, done.stderr, done.stdout)
            for job in server.get("/api/jobs").json["jobs"]:
                assert ended(server, job["id"])["state"] == "succeeded"
