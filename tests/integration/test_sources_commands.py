"""`ragadmin sources`: what it takes, what it refuses, and what it says of names that are odd."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from commands import run_command
from shared import environment, library_in, places_of_every_kind, process_of

DATA = Path(__file__).parents[1] / "data"

pytestmark = pytest.mark.needs("mandoc")


@pytest.fixture
def home(tmp_path):
    """A home with an empty catalog, and places to add."""
    folder = tmp_path / "own"
    (folder / "data/ragcli").mkdir(parents=True)
    (folder / "data/ragcli/catalog.json").write_text('{"format": 2, "generation": 0, "sources": []}')
    places_of_every_kind(folder)
    return folder


def ragadmin(folder, *arguments):
    return run_command("ragadmin", *arguments, env=environment(folder))


def sources(folder, *arguments):
    return ragadmin(folder, "sources", *arguments)


def catalog(folder):
    return (folder / "data/ragcli/catalog.json").read_bytes()


# --- what is meant to be ----------------------------------------------------------------------------------------------


def test_sources_of_every_type_are_guessed_read_and_found(home):
    places = {"manual": "man", "info": "info", "handbook.zim": "kiwix", "pages": "tldr", "notes": "docs"}
    for name, kind in places.items():
        done = sources(home, "add", home / name)
        assert (done.returncode, done.stderr) == (0, "")
        assert f"({kind}, en, " in done.stdout
        assert "Next: ragadmin reindex" in done.stdout
    done = ragadmin(home, "reindex")
    assert done.returncode in {0, 3}
    entries = library_in(home).sources()
    assert [(entry.alias, entry.type) for entry in entries] == [
        (name.removesuffix(".zim"), kind) for name, kind in places.items()
    ]
    for entry in entries:
        assert entry.status == "active", entry
        assert entry.documents > 0, entry
        assert len(entry.checksum) == 64
        assert entry.size_bytes > 0
    assert library_in(home).stale() == ()
    assert {hit.alias for hit in library_in(home).search("walrus envelope")} >= {"notes"}
    again = ragadmin(home, "reindex", "--json").stdout.splitlines()
    report = json.loads(again[-1])["report"]
    assert {one["outcome"] for one in report["sources"]} == {"unchanged"}
    assert not report["published"]
    assert len(again) == 1


def test_a_type_can_be_named(home):
    done = sources(home, "add", home / "manual", "--type", "docs", "--notes", "as text", "--json")
    assert done.returncode == 0
    said = json.loads(done.stdout)
    assert (said["alias"], said["type"], said["notes"], said["status"]) == (
        "manual",
        "docs",
        "as text",
        "pending",
    )
    assert sources(home, "add", home / "manual").returncode == 0
    assert [entry.alias for entry in library_in(home).sources()] == ["manual", "manual-2"]


def test_the_same_place_twice_is_refused(home):
    sources(home, "add", home / "manual")
    before = catalog(home)
    done = sources(home, "add", f"{home}/manual/../manual/")
    assert done.returncode == 1
    assert "is a source already: manual" in done.stderr
    assert catalog(home) == before


@pytest.mark.parametrize("is_first", [True, False])
def test_the_same_place_by_another_name_is_refused(home, is_first):
    sources(home, "add", home / "notes")
    if is_first:
        (home / "linked").symlink_to(home / "notes")
        again = home / "linked"
    else:  # what was added is a link by now
        (home / "notes").rename(home / "moved")
        (home / "notes").symlink_to(home / "moved")
        again = home / "moved"
    before = catalog(home)
    done = sources(home, "add", again)
    assert (done.returncode, done.stdout) == (1, "")
    assert "is a source already: notes." in done.stderr
    assert "ragadmin reindex --source notes" in done.stderr
    assert catalog(home) == before
    assert sources(home, "add", again, "--type", "tldr").returncode in {0, 3}


@pytest.mark.parametrize("place", ["/", "{home}", "{home}/data/ragcli", "{home}/linked"])
def test_a_folder_that_holds_the_library_is_refused(home, place):
    (home / "linked").symlink_to(home)
    sources(home, "add", home / "notes")
    before = catalog(home)
    done = sources(home, "add", place.format(home=home), "--type", "docs")
    assert (done.returncode, done.stdout) == (1, "")
    assert f"holds this library's own data, {home}/data/ragcli." in done.stderr
    done = sources(home, "update", "notes", "--location", place.format(home=home))
    assert done.returncode == 1
    assert "own data" in done.stderr
    assert catalog(home) == before


def test_a_note_is_not_glued_to_what_is_wrong(home):
    done = sources(home, "add", home / "notes", "--type", "man", "--notes", "hi")
    assert done.returncode == 3
    wrong = f"{home}/notes is not a folder of manual pages: it holds no man1, man2, ..."
    assert done.stderr == f"ragadmin: notes is quarantined: {wrong}\nSee what to do with: ragadmin health\n"
    listed = sources(home, "list").stdout.splitlines()
    assert listed[2:] == [f"notes: {wrong}", "notes: hi"]
    sources(home, "add", home / "manual")
    said = ragadmin(home, "reindex").stdout
    assert f"  notes: {wrong} Give another --type" in said
    components = json.loads(ragadmin(home, "health", "--json").stdout)["components"]
    assert f"notes is quarantined: {wrong}" in {one["message"] for one in components}
    assert library_in(home).source("notes").notes == f"notes: {wrong} hi"


def test_show_says_all(home):
    sources(home, "add", home / "manual", "--notes", "mine")
    done = sources(home, "show", "manual")
    assert done.returncode == 0
    for said in ("alias", "checksum", "pending", "mine", str(home / "manual")):
        assert said in done.stdout
    said = json.loads(sources(home, "show", "manual", "--json").stdout)
    assert said["warnings"] == []
    assert said["location"] == str(home / "manual")


def test_update_is_taken_in_by_the_next_reindex(home):
    sources(home, "add", home / "manual")
    ragadmin(home, "reindex")
    old = library_in(home).source("manual")
    done = sources(
        home, "update", "manual", "--location", home / "notes", "--type", "docs", "--notes", "moved"
    )
    assert done.returncode == 0
    entry = library_in(home).source("manual")
    assert (entry.status, entry.type, entry.location) == ("pending", "docs", str(home / "notes"))
    assert entry.checksum != old.checksum
    assert library_in(home).stale() == ("manual was updated and has not been read since.",)
    assert library_in(home).search("change file permissions")[0].reference == "chmod(1)"
    assert "1 added, 0 changed, 4 removed" in ragadmin(home, "reindex").stdout
    assert library_in(home).stale() == ()
    assert [hit.alias for hit in library_in(home).search("chmod walrus")] == ["manual"]
    assert library_in(home).source("manual").notes == "moved"


def test_a_place_of_the_same_names_sizes_and_times_is_read_all_the_same(home):
    other = home / "other"
    shutil.copytree(home / "notes", other)
    text = (other / "seal.md").read_text()
    (other / "seal.md").write_text(text.replace("walrus", "gander"))
    state = (home / "notes/seal.md").stat()
    os.utime(other / "seal.md", ns=(state.st_atime_ns, state.st_mtime_ns))
    sources(home, "add", home / "notes")
    ragadmin(home, "reindex")
    sources(home, "update", "notes", "--location", other)
    assert "0 added, 1 changed, 0 removed" in ragadmin(home, "reindex").stdout
    (hit,) = library_in(home).search("gander")
    assert "gander" in hit.text


def test_an_alias_can_not_be_changed(home):
    sources(home, "add", home / "manual")
    before = catalog(home)
    done = sources(home, "update", "manual", "--alias", "other")
    assert done.returncode == 1
    assert "remove and add" in done.stderr
    assert catalog(home) == before
    assert sources(home, "update", "manual", "--alias", "manual").returncode == 0


def test_what_is_removed_is_never_cited_again(home):
    for name in ("manual", "notes"):
        sources(home, "add", home / name)
    ragadmin(home, "reindex")
    assert library_in(home).search("walrus")[0].alias == "notes"
    done = sources(home, "remove", "notes")
    assert done.returncode == 0
    assert "Its 1 documents will no longer be cited" in done.stdout
    assert {hit.alias for hit in library_in(home).search("walrus")} == {"manual"}
    assert library_in(home).search("change file permissions")[0].alias == "manual"
    assert len(list((home / "data/ragcli/index/segments").iterdir())) == 1
    assert (home / "notes/seal.md").exists()
    assert sources(home, "remove", "manual").returncode == 0
    assert library_in(home).sources() == []
    assert sources(home, "remove", "manual").returncode == 1
    assert ragadmin(home, "reindex").returncode == 1
    assert sources(home, "add", home / "notes").returncode == 0
    assert ragadmin(home, "reindex").returncode == 0
    assert library_in(home).search("walrus")[0].alias == "notes"


def test_a_source_can_be_removed_from_under_a_damaged_index(home):
    sources(home, "add", home / "manual")
    ragadmin(home, "reindex")
    (home / "data/ragcli/index/CURRENT").write_text("nonsense\n")
    assert sources(home, "remove", "manual").returncode == 0
    assert library_in(home).sources() == []


@pytest.mark.parametrize(
    ("language", "kept", "code"), [("de", "de", 3), ("eng", "en", 0), ("pt-br", "pt-BR", 3)]
)
def test_another_language_is_warned_of_and_kept(home, language, kept, code):
    done = sources(home, "add", home / "notes", "--language", language)
    assert done.returncode == code
    assert ("not in English" in done.stderr) == (code == 3)
    assert library_in(home).source("notes").language == kept
    assert ("notes: in" in sources(home, "list").stdout) == (code == 3)


def test_a_web_address_is_not_fetched(home):
    done = sources(home, "add", "https://127.0.0.1:9/page.html")
    assert (done.returncode, "is a web address" in done.stderr, "MHTML" in done.stderr) == (1, True, True)


# --- what is broken ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("harm", ["cut", "flip", "empty", "text"])
def test_a_broken_archive_is_quarantined(home, harm):
    archive = home / "handbook.zim"
    data = archive.read_bytes()
    flipped = bytearray(data)
    flipped[len(data) // 2] ^= 1
    archive.write_bytes({"cut": data[:-99], "flip": flipped, "empty": b"", "text": b"no archive"}[harm])
    sources(home, "add", home / "notes")
    done = sources(home, "add", archive)
    assert done.returncode == 3
    assert "quarantined" in done.stderr
    entry = library_in(home).source("handbook")
    assert (entry.status, entry.documents) == ("error", 0)
    assert len(entry.notes) > 20
    done = ragadmin(home, "reindex")
    assert done.returncode == 3
    assert "quarantined" in done.stdout
    assert [entry.status for entry in library_in(home).sources()] == ["active", "error"]
    assert library_in(home).search("walrus")
    archive.write_bytes(data)  # put right, so it is tried again
    ragadmin(home, "reindex")
    entry = library_in(home).source("handbook")
    assert (entry.status, entry.notes) == ("active", "")
    assert entry.documents > 0


def test_an_archive_that_breaks_later_answers_as_it_was(home):
    sources(home, "add", home / "handbook.zim")
    ragadmin(home, "reindex")
    held = library_in(home).source("handbook").documents
    (home / "handbook.zim").write_bytes(b"no archive any more")
    sources(home, "add", home / "notes")
    done = ragadmin(home, "reindex")
    assert done.returncode == 3
    entry = library_in(home).source("handbook")
    assert (entry.status, entry.documents) == ("error", held)
    assert library_in(home).stale() == ("handbook cannot be read now; the index has it as it was.",)
    assert {hit.alias for hit in library_in(home).search("handbook command file")} & {"handbook"}


@pytest.mark.parametrize("kind", ["kiwix", "tldr", "info", "man"])
def test_a_place_of_another_kind_is_quarantined(home, kind):
    done = sources(home, "add", home / "data", "--type", kind)
    entry = library_in(home).sources()[0]
    if kind == "info":
        assert done.returncode in {0, 3}
        return
    assert done.returncode == 3
    assert entry.status == "error"
    assert str(home / "data") in entry.notes


def test_a_quarantine_by_hand_holds(home):
    sources(home, "add", home / "notes")
    sources(home, "add", home / "manual")
    done = sources(home, "update", "notes", "--status", "error", "--notes", "not now")
    assert done.returncode == 3
    done = ragadmin(home, "reindex")
    assert done.returncode == 3
    assert "notes: It is quarantined" in done.stdout
    assert library_in(home).source("notes").notes == "It was quarantined by hand. not now"
    assert sources(home, "update", "notes", "--status", "active").returncode == 0
    assert ragadmin(home, "reindex").returncode == 0
    entry = library_in(home).source("notes")
    assert (entry.status, entry.notes) == ("active", "not now")


def test_a_sparse_archive_of_ten_gigabytes_is_refused_at_once(home):
    with (home / "huge.zim").open("wb") as file:
        file.truncate(10 << 30)
    done = sources(home, "add", home / "huge.zim")
    assert done.returncode == 3
    entry = library_in(home).source("huge")
    assert (entry.status, entry.size_bytes) == ("error", 10 << 30)
    (home / "notes/huge.md").touch()
    os.truncate(home / "notes/huge.md", 10 << 30)
    sources(home, "add", home / "notes")
    done = ragadmin(home, "reindex")
    assert done.returncode == 3
    assert "huge.md" in done.stdout
    assert library_in(home).source("notes").documents == 1


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/null", "{home}/pipe", "{home}/socket.zim"])
def test_a_device_or_pipe_does_not_hang(home, path):
    os.mkfifo(home / "pipe")
    os.mkfifo(home / "socket.zim")
    done = sources(home, "add", path.format(home=home))
    assert done.returncode in {1, 3}
    assert not [entry for entry in library_in(home).sources() if entry.status != "error"]


def test_every_broken_archive_gets_a_remedy_that_can_help(home):
    sources(home, "add", home / "notes")
    for name in ("one", "two"):
        (home / f"{name}.zim").write_bytes((home / "handbook.zim").read_bytes()[:-99])
        assert sources(home, "add", home / f"{name}.zim").returncode == 3

    def remedy():
        components = json.loads(ragadmin(home, "health", "--json").stdout)["components"]
        (found,) = (one for one in components if one["component"] == "source_access")
        assert found["severity"] == "warn"
        return found["remedy"]

    for _ in range(2):
        assert remedy() == "; ".join(
            f"Download {home}/{name}.zim again, or: ragadmin sources remove {name}" for name in ("one", "two")
        )
        ragadmin(home, "reindex")
    shutil.copy(home / "handbook.zim", home / "one.zim")
    assert remedy().startswith("ragadmin reindex --source one; Download ")
    ragadmin(home, "reindex", "--source", "one")
    sources(home, "update", "one", "--status", "error")
    assert "ragadmin reindex --source one" in remedy()


# --- what is odd ------------------------------------------------------------------------------------------------------

ALIASES = [
    "../x",
    "../../etc/passwd",
    "",
    "a" * 300,
    "a\x1b[2Jb",
    "a\nb",
    "\u202eman",
    "--",
    "manual ",
    "%s",
    "Manual",
]


@pytest.mark.parametrize("alias", ALIASES)
def test_an_alias_that_is_none_is_refused_in_every_command(home, alias):
    sources(home, "add", home / "manual")
    before = catalog(home)
    for arguments in (
        ["sources", "show"],
        ["sources", "remove"],
        ["sources", "update", "--notes", "x"],
        ["reindex", "--source"],
        ["reindex", "--dry-run", "--source"],
    ):
        done = ragadmin(home, *arguments, alias)
        assert done.returncode in ({1, 2} if alias == "--" else {1})
        assert done.stdout == ""
        assert " not found" in done.stderr or alias == "--"
        assert not {"\x1b", "\u202e"} & set(done.stderr)
        assert max(map(len, done.stderr.splitlines())) < 300
    assert catalog(home) == before
    assert not (home / "data/ragcli/index").exists()


@pytest.mark.parametrize("path", ["", "nowhere", "{home}/nowhere.zim", "x" * 300, "x/" * 5000, "~nobody/x"])
def test_a_path_that_is_not_there_is_an_error(home, path):
    before = catalog(home)
    done = sources(home, "add", path.format(home=home))
    assert done.returncode == 1
    assert done.stderr.startswith("ragadmin: ")
    sources(home, "add", home / "manual")
    before = catalog(home)
    assert sources(home, "update", "manual", "--location", path.format(home=home)).returncode == 1
    assert catalog(home) == before


@pytest.mark.parametrize(
    "flags",
    [
        ["--type", "wiki"],
        ["--type", ""],
        ["--language", "english!"],
        ["--language", "\x1b[2J"],
        ["--language", "x" * 300],
        ["--notes", "n" * 3000],
    ],
)
def test_a_flag_of_no_use_is_refused(home, flags):
    before = catalog(home)
    done = sources(home, "add", home / "manual", *flags)
    assert done.returncode == 1
    assert "\x1b" not in done.stderr
    assert catalog(home) == before
    sources(home, "add", home / "manual")
    before = catalog(home)
    assert sources(home, "update", "manual", *flags).returncode == 1
    assert sources(home, "update", "manual", "--status", flags[1]).returncode == 1
    assert catalog(home) == before


NAMES = [
    "a\nb",
    "quo'te\"s",
    "100%s",
    "\u202eright to left",
    "\x1b[2J",
    "n" * 255,
    b"\xff\xfe bytes",
    "-rf",
    "a b ",
]


def test_odd_names_are_taken_and_printed_safely(home):
    places = [Path(os.fsdecode(os.fsencode(home) + b"/" + os.fsencode(name))) for name in NAMES]
    for place in places:
        shutil.copytree(home / "notes", place)
        assert sources(home, "add", place).returncode == 0
    entries = library_in(home).sources()
    assert [entry.location for entry in entries] == list(map(str, places))
    assert all(set(entry.alias) <= set("abcdefghijklmnopqrstuvwxyz0123456789-") for entry in entries)
    done = ragadmin(home, "reindex")
    assert (done.returncode, f"{len(NAMES)} added" in done.stdout) == (0, True)
    assert [one["location"] for one in json.loads(sources(home, "list", "--json").stdout)] == list(
        map(str, places)
    )
    shown = [sources(home, "list").stdout]
    assert len(shown[0].splitlines()) == len(NAMES) + 1
    shown += [sources(home, "show", entry.alias).stdout for entry in entries]
    for place in places:
        shutil.rmtree(place)
    done = ragadmin(home, "reindex")
    assert done.returncode == 1
    shown += [
        done.stderr,
        done.stdout,
        sources(home, "list").stdout,
        sources(home, "remove", entries[0].alias).stdout,
    ]
    assert all(shown[: len(entries) + 2])
    assert not any({"\x1b", "\u202e", "\udcff"} & set(text) for text in shown)


def test_aliases_are_numbered(home):
    for number in range(3):
        (home / f"{number}").mkdir()
        shutil.copy(home / "handbook.zim", home / f"{number}/Hand Book.zim")
        sources(home, "add", home / f"{number}/Hand Book.zim")
    assert [entry.alias for entry in library_in(home).sources()] == [
        "hand-book",
        "hand-book-2",
        "hand-book-3",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [("{", "cannot be read"), ('{"format": 99, "sources": []}', "newer version"), ("\0", "cannot be read")],
)
def test_a_catalog_that_can_not_be_read_is_named_and_left(home, text, said):
    place = home / "data/ragcli/catalog.json"
    place.write_text(text)
    for arguments in (
        ["sources", "list"],
        ["sources", "add", home / "notes"],
        ["sources", "remove", "x"],
        ["sources", "update", "x"],
        ["sources", "show", "x"],
        ["reindex"],
        ["reindex", "--dry-run"],
        ["init"],
    ):
        done = ragadmin(home, *arguments)
        assert done.returncode == 2
        assert said in done.stderr
        assert place.read_text() == text


def test_a_type_of_a_newer_version_is_named_and_the_rest_goes_on(home):
    place = home / "data/ragcli/catalog.json"
    odd = {"alias": "odd", "type": "wi\x1bki", "location": str(home)}
    place.write_text(json.dumps({"format": 2, "sources": [odd]}))
    sources(home, "add", home / "notes")
    done = ragadmin(home, "reindex")
    assert done.returncode == 3
    assert "odd: no installed package reads sources of type" in done.stdout
    assert "\x1b" not in done.stdout
    assert "\x1b" not in sources(home, "list").stdout
    assert [entry.status for entry in library_in(home).sources()] == ["error", "active"]


def test_two_that_add_at_once_lose_nothing(home):
    for number in range(6):
        shutil.copytree(home / "notes", home / f"{number}/notes")
    adding = [
        subprocess.Popen(
            [*process_of("ragadmin"), "sources", "add", home / f"{number}/notes"],
            env=environment(home),
            stdout=subprocess.DEVNULL,
        )
        for number in range(6)
    ]
    assert [one.wait(60) for one in adding] == [0] * 6
    assert {entry.alias for entry in library_in(home).sources()} == {
        "notes",
        *(f"notes-{n}" for n in range(2, 7)),
    }
