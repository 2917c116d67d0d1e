"""Every source through one door: a machine's manual pages and notes, books, collections; and the documents behind the answers."""

import json
import subprocess
from dataclasses import replace

import pytest

from shared import machine_with
from vademecum.files.places import Places
from vademecum.library.collections import Collections
from vademecum.library.library import Library

PAGES = {
    "knot": ("tie and untie knots", "-b", "Tie a bowline, which does not slip."),
    "splice": ("join two ropes", "-e", "Make an eye splice at the end of the rope."),
    "caulk": ("make seams of planks tight", "-o", "Use oakum instead of cotton."),
    "reef": ("take in part of a sail", "-s", "Take in the second reef, too."),
}
NOTES = {
    "moorings.md": "# Moorings\n\nOur berth is number 41, on the east pier.\n\nThe harbour master answers on channel 12.\n",
    "paint.md": "# Paint\n\nThe hull gets two coats of red lead every spring.\n",
}
BOOK_QUESTION = "How long must I hold the calibration button of the fingers?"


def page(name, summary, option, meaning):
    return (
        f".TH {name.upper()} 1\n.SH NAME\n{name} \\- {summary}\n.SH SYNOPSIS\n{name} [OPTION]... ROPE\n"
        f".SH DESCRIPTION\nThe program {name} can {summary} on deck.\n.TP\n{option}\n{meaning}\n"
    )


@pytest.fixture(scope="module")
def machine(tmp_path_factory):
    """The folders of a machine's library: manual pages, and notes that somebody added."""
    pages = {name: page(name, *rest) for name, rest in PAGES.items()}
    return machine_with(tmp_path_factory.mktemp("machine") / "library", pages, NOTES)


@pytest.fixture
def aboard(settings, machine, run_server):
    with run_server(replace(settings, places=machine)) as server:
        yield server


@pytest.fixture
def names(aboard):
    """The names of the machine's own sources by what they are."""
    return {one["kind"]: one["name"] for one in aboard.get("/api/sources").json["sources"]}


def ask(server, query, **more):
    reply = server.post("/ask", {"query": query, **more})
    assert reply.status == 200, reply.body
    return reply.json


def test_everything_is_listed(aboard, machine):
    sources = aboard.get("/api/sources").json["sources"]
    assert [one["kind"] for one in sources] == ["man", "docs", "book", "book", "book"]
    assert [one["documents"] for one in sources][:2] == [len(PAGES), len(NOTES)]
    assert all(one["size_bytes"] > 0 and one["updated"] and not one["problem"] for one in sources)
    assert str(machine.data.parent) not in aboard.get("/api/sources").body.decode()


def test_each_question_finds_the_source_that_answers_it(aboard, names):
    page = ask(aboard, "What does knot do?")
    assert (page["status"], page["sources"][0]["book"]) == ("success", names["man"])
    assert page["steps"][0]["command"]
    assert page["references"][0]["document_ref"] == "knot(1)"
    note = ask(aboard, "Which channel does the harbour master answer on?")
    assert note["citations"][0]["source"] == names["docs"]
    assert "channel 12" in note["summary"][0]["text"]
    book = ask(aboard, BOOK_QUESTION)
    assert book["citations"][0]["source"] == "handbook"
    assert "seven seconds" in book["answer"]


def test_every_citation_leads_to_its_words(aboard):
    cited = 0
    for query in ("What does knot do?", "What number is our berth?", BOOK_QUESTION):
        for citation in ask(aboard, query)["citations"]:
            path = f"/api/sources/{citation['source']}/documents/{citation['document']}"
            start, end = citation["start"], citation["end"]
            whole = aboard.get(path).json
            window = aboard.get(f"{path}?start={start}&end={end}").json
            assert whole["text"][start:end] == citation["quote"]
            assert window["text"][start - window["start"] : end - window["start"]] == citation["quote"]
            assert len(window["text"]) <= len(whole["text"]) == whole["length"]
            assert whole["reference"] == citation["document_ref"]
            cited += 1
    assert cited >= 6


def test_a_document_is_made_of_blocks(aboard, names):
    citation = ask(aboard, "What does knot do?")["citations"][0]
    found = aboard.get(f"/api/sources/{citation['source']}/documents/{citation['document']}").json
    shown = [(kind, found["text"][start:end]) for kind, start, end in found["blocks"]]
    assert ("heading", "DESCRIPTION") in shown
    assert ("term", "-b") in shown
    assert ("meaning", "Tie a bowline, which does not slip.") in shown
    assert [one["title"] for one in found["sections"]] == ["NAME", "SYNOPSIS", "DESCRIPTION"]
    assert (found["source"], found["kind"], found["read_on"]) == (names["man"], "man", "man 1 knot")


def test_the_original_is_a_download(aboard, machine):
    citation = ask(aboard, "What number is our berth?")["citations"][0]
    path = f"/api/sources/{citation['source']}/documents/{citation['document']}"
    reply = aboard.get(f"{path}/original")
    assert (reply.status, reply.body.decode()) == (200, NOTES["moorings.md"])
    assert reply.headers["content-type"] == "application/octet-stream"
    assert reply.headers["content-disposition"] == "attachment; filename*=UTF-8''moorings.md"
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in reply.headers["content-security-policy"]
    assert aboard.get(path).json["has_original"] is True
    place = machine.data.parent / "notes" / "moorings.md"
    place.rename(place.with_suffix(".gone"))
    try:
        gone = aboard.get(f"{path}/original")
        assert (gone.status, gone.json["code"]) == (404, "DOCUMENT_MISSING")
        assert str(machine.data.parent) not in gone.body.decode()
    finally:
        place.with_suffix(".gone").rename(place)


def test_a_question_to_some_sources_is_answered_from_these(aboard, names):
    for source in (names["docs"], [names["docs"], names["man"]]):
        assert {
            one["source"] for one in ask(aboard, "What number is our berth?", source=source)["citations"]
        } == {names["docs"]}
    refused = ask(aboard, "What number is our berth?", source=names["man"])
    assert refused["status"] == "no_results"
    assert refused["citations"] == refused["summary"] == refused["steps"] == []
    assert refused["guidance"]


def test_a_refusal_names_the_nearest_documents(aboard, names):
    near = ask(aboard, "Which paint makes seams of planks shine at night?", source=names["man"])["see_also"]
    assert near[0]["document_ref"] == "caulk(1)"
    assert aboard.get(f"/api/sources/{near[0]['source']}/documents/{near[0]['document']}").status == 200


def test_a_stream_says_the_same(aboard):
    for query in ("What does knot do?", "What number is our berth?", BOOK_QUESTION, "Who is the king?"):
        whole = ask(aboard, query)
        body = aboard.post("/ask", {"query": query, "stream": True}).body.decode()
        events = [part.partition("\n") for part in body.split("\n\n") if part.startswith("event: ")]
        kinds = [head.removeprefix("event: ") for head, _, _ in events]
        assert kinds[0] == "retrieval"
        assert kinds[-1] == "final"
        assert kinds.count("citation") == len(whole["citations"])
        data = [json.loads(tail.removeprefix("data: ")) for _, _, tail in events]
        assert (
            "".join(one["text"] for kind, one in zip(kinds, data, strict=True) if kind == "token")
            == whole["answer"]
        )
        told = [one for kind, one in zip(kinds, data, strict=True) if kind == "token"]
        said = [*whole["summary"], *whole["steps"]]
        assert sorted(one["citations"] for one in told if one["citations"]) == [
            one["citations"] for one in said
        ]
        varying = {"latency_ms", "trace_id"}
        assert {name: value for name, value in data[-1].items() if name not in varying} == {
            name: value for name, value in whole.items() if name not in varying
        }


def test_what_a_key_may_ask_of_the_machine(shared_settings, machine, run_server, admin, anna):
    kinds = {}
    for share in ((), ("all",)):
        with run_server(replace(shared_settings, places=machine, shared=share)) as server:
            for key in (admin, anna):
                found = server.get("/api/sources", key=key).json["sources"]
                kinds[share, key] = [one["kind"] for one in found if one["kind"] in {"man", "docs"}]
            notes = next(
                one["name"]
                for one in server.get("/api/sources", key=admin).json["sources"]
                if one["kind"] == "docs"
            )
            answer = server.post("/ask", {"query": "What number is our berth?"}, key=admin).json
            citation = answer["citations"][0]
            path = f"/api/sources/{notes}/documents/{citation['document']}"
            asked = server.post("/ask", {"query": "What number is our berth?", "source": notes}, key=anna)
            read = server.get(path, key=anna)
            anyhow = server.post("/ask", {"query": "What number is our berth?"}, key=anna).json
            if share:
                assert (asked.status, read.status) == (200, 200)
            else:
                assert (asked.status, asked.json["code"]) == (422, "SOURCE_UNUSABLE")
                assert read.status == 422
                assert notes not in {one["source"] for one in anyhow["citations"]}
                assert "moorings" not in str(anyhow)
    assert kinds == {
        ((), admin): ["man", "docs"],
        ((), anna): ["man"],
        (("all",), admin): ["man", "docs"],
        (("all",), anna): ["man", "docs"],
    }


def test_who_is_asking(server, shared, admin, anna):
    assert server.get("/api/me").json == {
        "name": "",
        "role": "admin",
        "signed_in": False,
        "has_rules": False,
        "has_model": False,
    }
    assert shared.get("/api/me", key=anna).json == {
        "name": "anna",
        "role": "user",
        "signed_in": True,
        "has_rules": False,
        "has_model": False,
    }
    assert shared.get("/api/me", key=admin).json["role"] == "admin"


def test_answers_use_what_another_process_has_just_indexed(settings, tmp_path, run_server):
    places = Places(tmp_path / "data", tmp_path / "config")
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text(NOTES["moorings.md"])
    with run_server(replace(settings, places=places, collections_folder=tmp_path / "none")) as server:
        reply = server.post("/ask", {"query": "What number is our berth?"})
        assert (reply.status, reply.json["code"]) == (503, "INDEX_MISSING")
        Library(places).add(notes)
        assert "41" in ask(server, "What number is our berth?")["answer"]
        (notes / "a.md").write_text("# Moorings\n\nOur berth is number 57, on the west pier.\n")
        Library(places).reindex(sources=["notes"])  # not the manual of this machine
        assert "57" in ask(server, "What number is our berth?")["answer"]


def test_a_source_that_fails_does_not_keep_others_from_answering(settings, tmp_path, machine, run_server):
    collections = Collections(tmp_path / "own")
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "a.md").write_text("# Anchor\n\nThe anchor weighs 80 kilos.\n")
    collections.create("bosun", kind="book").library.add(tmp_path / "pages")
    damaged = [path for path in (collections.folder / "bosun" / "index").rglob("*") if path.is_file()]
    for path in damaged:
        path.write_bytes(b"damaged")
    with run_server(replace(settings, places=machine, collections_folder=tmp_path / "own")) as server:
        found = ask(server, "What does knot do?")
    assert found["references"][0]["document_ref"] == "knot(1)"
    assert any(one.startswith("Not asked: ") for one in found["warnings"])


@pytest.mark.parametrize(
    ("body", "status", "detail"),
    [
        ({"source": "nothing"}, 422, "Source nothing not found."),
        ({"source": ["handbook", "nothing"]}, 422, "Source nothing not found."),
        ({"source": []}, 400, "body: source must contain 1 to 100 sources"),
        ({"source": "handbook", "book": "handbook"}, 400, "body: book and source cannot be used together"),
        ({"source": 3}, 400, "body.source"),
    ],
)  # fmt: skip
def test_names_that_name_nothing(server, body, status, detail):
    reply = server.post("/ask", {"query": "x", **body})
    assert reply.status == status
    assert detail in reply.json["detail"]


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        (f"nothing/documents/a:{'0' * 64}", 422, "SOURCE_UNUSABLE"),
        (f"handbook/documents/a:{'0' * 64}", 404, "DOCUMENT_MISSING"),
        ("handbook/documents/a:0", 400, "REQUEST_INVALID"),
        (f"handbook/documents/a:{'0' * 64}?start=-1", 400, "REQUEST_INVALID"),
        (f"handbook/documents/a:{'0' * 64}?start=x", 400, "REQUEST_INVALID"),
    ],
)
def test_documents_that_are_not_there(server, path, status, code):
    reply = server.get(f"/api/sources/{path}")
    assert (reply.status, reply.json["code"]) == (status, code)


def test_offsets_past_the_end_give_the_end(server):
    citation = server.post("/ask", {"query": BOOK_QUESTION, "book": "handbook"}).json["citations"][0]
    path = f"/api/sources/handbook/documents/{citation['document']}"
    found = server.get(f"{path}?start=999999&end=5").json
    assert found["end"] == found["length"]
    assert len(found["text"]) == found["end"] - found["start"]


def test_another_ones_documents_are_as_good_as_not_there(shared, anna, bob):
    citation = shared.post("/ask", {"query": BOOK_QUESTION, "book": "annas"}, key=anna).json["citations"][0]
    path = f"/api/sources/annas/documents/{citation['document']}"
    assert shared.get(path, key=anna).status == 200
    assert shared.get(path, key=bob).status == 422
    assert shared.get(path).status == 401


def documents(server, source, **query):
    found = server.get(f"/api/sources/{source}/documents", **query)
    assert found.status == 200, found.body
    return found.json


def place_of(server, source, reference, words):
    """The place of some words in a document, as a selection, and the document's text."""
    id_ = next(one["id"] for one in documents(server, source)["documents"] if one["reference"] == reference)
    text = server.get(f"/api/sources/{source}/documents/{id_}").json["text"]
    start = text.index(words)
    return {"source": source, "document": id_, "start": start, "end": start + len(words)}, text


def test_the_documents_of_a_source_are_listed_and_found(aboard, names):
    pages = documents(aboard, names["man"])
    assert [one["reference"] for one in pages["documents"]] == ["caulk(1)", "knot(1)", "reef(1)", "splice(1)"]
    assert (pages["total"], pages["source"]["kind"]) == (4, "man")
    assert pages["documents"][1]["summary"] == "tie and untie knots"
    assert [one["title"] for one in documents(aboard, names["docs"])["documents"]] == ["Moorings", "Paint"]
    book = documents(aboard, "handbook")
    assert book["total"] == len(book["documents"]) > 20
    for path, found in (
        ("?q=TIE", ["knot(1)"]),
        ("?q=rope%20two", ["splice(1)"]),
        ("?q=r", ["reef(1)", "splice(1)"]),
        ("?q=zork", []),
        ("?skip=1&limit=2", ["knot(1)", "reef(1)"]),
        ("?skip=9", []),
    ):
        listed = aboard.get(f"/api/sources/{names['man']}/documents{path}").json["documents"]
        assert [one["reference"] for one in listed] == found, path


@pytest.mark.parametrize(
    ("path", "status"), [("nothing/documents", 422), ("handbook/documents?limit=0", 400), ("handbook/documents?skip=-1", 400)]
)  # fmt: skip
def test_lists_of_nothing(server, path, status):
    assert server.get(f"/api/sources/{path}").status == status


@pytest.mark.parametrize(
    ("where", "query", "said"),
    [
        (("man", "knot(1)", "-b\nTie a bowline, which does not slip."), "What does not slip?", "bowline"),
        (("docs", "moorings.md", "Our berth is number 41, on the east pier."), "What number is our berth?", "41"),
        (("book", "intro.md", "It needs 48 volts and two fuses of 10 amperes."), "Which voltage does it need?", "48"),
        (("docs", "paint.md", "Paint"), "What is this about?", "Paint"),
    ],
)  # fmt: skip
def test_a_selection_of_any_source_answers_by_itself(aboard, names, where, query, said):
    source = {**names, "book": "handbook"}[where[0]]
    place, text = place_of(aboard, source, *where[1:])
    reply = ask(aboard, query, selection=place)
    assert reply["status"] == "success"
    assert (reply["mode"], reply["selection"], reply["not_in_book"]) == ("selected-text", place, False)
    assert said in reply["answer"]
    assert reply["citations"]
    for citation in reply["citations"]:
        assert text[citation["start"] : citation["end"]] == citation["quote"]
        assert place["start"] <= citation["start"] < citation["end"] <= place["end"]
        assert (citation["source"], citation["document"]) == (source, place["document"])
    assert {one["book"] for one in reply["sources"]} == {source}


def test_a_selection_that_does_not_answer_says_what_it_lacks(aboard, names):
    place, _ = place_of(aboard, names["docs"], "moorings.md", "Our berth is number 41, on the east pier.")
    reply = ask(aboard, "Which channel does the harbour master answer on?", selection=place)
    assert (reply["status"], reply["no_answer"], reply["citations"]) == ("no_results", True, [])
    assert {"channel", "harbour"} & {*reply["unknown"]}
    again = ask(aboard, "How many ships are at the pier?", selection=place)
    assert again["no_answer"]


def test_a_selection_between_passages_is_one_too(aboard, names):
    place, _ = place_of(aboard, names["man"], "knot(1)", "DESCRIPTION")
    assert ask(aboard, "What does it tie?", selection=place)["no_answer"]
    summary = ask(aboard, "Summarize this", selection=place)
    assert all(citation["quote"] == "DESCRIPTION" for citation in summary["citations"])


def test_a_selection_in_a_stream(aboard, names):
    place, _ = place_of(aboard, names["docs"], "moorings.md", "Our berth is number 41, on the east pier.")
    body = {"query": "What number is our berth?", "selection": place, "stream": True}
    events = aboard.post("/ask", body).body.decode()
    final = json.loads(events.partition("event: final\ndata: ")[2].partition("\n")[0])
    assert final["selection"] == place
    assert "41" in final["answer"]


@pytest.mark.parametrize(
    ("change", "status", "detail"),
    [
        ({"source": "nothing"}, 422, "Source nothing not found."),
        ({"document": "book:" + "0" * 64}, 404, "handbook no longer has this document."),
        ({"document": "book"}, 400, "the id of a document"),
        ({"end": 99_999}, 400, "The selection is from 2 to 99,999, and the document has "),
        ({"start": 10}, 400, "selection must have 1 to 200,000 characters"),
        ({"end": 300_000}, 400, "selection must have 1 to 200,000 characters"),
        ({"start": -1}, 400, "body.selection.start"),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_selections_that_are_none(server, change, status, detail, stream):
    id_ = documents(server, "handbook")["documents"][0]["id"]
    place = {"source": "handbook", "document": id_, "start": 2, "end": 10, **change}
    reply = server.post("/ask", {"query": "x", "selection": place, "stream": stream})
    assert (reply.status, detail in reply.json["detail"]) == (status, True), reply.json


@pytest.mark.parametrize(
    "more", [{"mode": "full-book"}, {"book": "handbook"}, {"source": "handbook"}, {"selected_text": "x"}]
)
def test_a_selection_says_by_itself_what_is_asked(server, more):
    id_ = documents(server, "handbook")["documents"][0]["id"]
    place = {"source": "handbook", "document": id_, "start": 2, "end": 10}
    reply = server.post("/ask", {"query": "x", "selection": place, **more})
    assert (reply.status, "selection excludes" in reply.json["detail"]) == (400, True)


def test_another_ones_selection_is_as_good_as_not_there(shared, anna, bob):
    listed = shared.get("/api/sources/annas/documents", key=anna).json["documents"]
    place = {"source": "annas", "document": listed[0]["id"], "start": 0, "end": 20}
    body = {"query": "What is this about?", "selection": place}
    assert shared.post("/ask", body, key=anna).status == 200
    assert shared.post("/ask", body, key=bob).status == 422
    assert shared.get("/api/sources/annas/documents", key=bob).status == 422
    assert shared.get("/api/sources/annas/documents").status == 401


@pytest.mark.needs("groff")
def test_pages_of_what_is_printed(settings, tmp_path, run_server):
    """A text has none; a PDF has, wherever it is."""
    pages = subprocess.run(
        ["groff", "-Tpdf", "-man"],
        input=page("knot", *PAGES["knot"]).encode(),
        capture_output=True,
        check=True,
    )
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "knot.pdf").write_bytes(pages.stdout)
    (tmp_path / "docs" / "paint.md").write_text(NOTES["paint.md"])
    collections = Collections(tmp_path / "own")
    collections.create("bosun", kind="book").library.add(tmp_path / "docs")
    own = replace(settings, collections_folder=tmp_path / "own")
    with run_server(own) as server:
        text, printed = documents(server, "bosun")["documents"][::-1]
        assert (text["reference"], printed["reference"]) == ("paint.md", "knot.pdf")
        base = f"/api/sources/bosun/documents/{printed['id']}"
        found = server.get(base).json
        assert found["is_printed"]
        start = found["text"].index("Tie a bowline")
        placed = server.get(f"{base}/pages?start={start}&end={start + 35}").json
        assert (placed["page"], placed["pages"], placed["placed"]) == (1, 1, 1.0)
        ((left, top, right, bottom),) = placed["rectangles"]
        assert 0 < left < right < 1
        assert 0 < top < bottom < 1
        picture = server.get(f"{base}/pages/1?width=300")
        assert (picture.status, picture.headers["content-type"]) == (200, "image/png")
        assert picture.headers["x-content-type-options"] == "nosniff"
        assert picture.body.startswith(b"\x89PNG")
        for path, status in (
            ("/pages/2", 404),
            ("/pages/0", 400),
            ("/pages/1?width=99999", 400),
            ("/pages?start=5", 400),
            ("/pages?start=999999&end=9999999", 200),
        ):
            assert server.get(base + path).status == status, path
        other = f"/api/sources/bosun/documents/{text['id']}"
        assert not server.get(other).json["is_printed"]
        assert server.get(f"{other}/pages?start=0&end=5").json["code"] == "DOCUMENT_MISSING"
        assert server.get(f"{other}/pages/1").status == 404
