"""`ragadmin`: what it makes, what it says, and what is left when it is stopped."""

import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from zlib import crc32

import pytest

from commands import run_command
from shared import environment, library_in, process_of, read_until, wait_until
from vademecum.index.generations import Generations

MANUAL = Path(__file__).parents[1] / "data" / "manual"
QUESTION = "How do I change file permissions?"
COMMAND = process_of("ragadmin")


@pytest.fixture
def home(tmp_path):
    """A home whose catalog holds a copy of the small manual alone; nothing is indexed yet."""
    folder = tmp_path / "own"
    shutil.copytree(MANUAL, folder / "manual")
    catalog(folder, folder / "manual")
    return folder


def catalog(folder, *locations):
    path = folder / "data/ragcli/catalog.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    sources = [{"alias": place.name, "type": "man", "location": str(place)} for place in locations]
    path.write_text(json.dumps({"format": 1, "sources": sources}))


def ragadmin(folder, *arguments, **more):
    return run_command("ragadmin", *arguments, env=environment(folder, **more))


# --- init -------------------------------------------------------------------------------------------------------------


def test_init_makes_what_is_missing(tmp_path):
    done = ragadmin(tmp_path, "init")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("made ") == 5
    assert "source  man-pages: /usr/share/man (pending)" in done.stdout
    assert "source  info-pages: /usr/share/info (pending)" in done.stdout
    assert "Next: ragadmin reindex" in done.stdout
    assert (tmp_path / "data/ragcli/kiwix").is_dir()
    assert (tmp_path / "data/ragcli").stat().st_mode & 0o777 == 0o700
    assert "confidence_threshold: 0.35" in (tmp_path / "config/ragcli/config.yaml").read_text()
    assert [entry.alias for entry in library_in(tmp_path).sources()] == ["man-pages", "info-pages"]


def test_init_changes_nothing_that_exists(tmp_path):
    ragadmin(tmp_path, "init")
    file = tmp_path / "config/ragcli/config.yaml"
    file.write_text("ragadmin: {output_default: json}\n")
    done = ragadmin(tmp_path, "init")
    assert done.returncode == 0
    assert done.stdout.count("kept ") == 5
    assert file.read_text() == "ragadmin: {output_default: json}\n"


@pytest.mark.parametrize("name", ["config/ragcli/config.yaml", "data/ragcli/catalog.json"])
def test_init_names_what_is_damaged(tmp_path, name):
    ragadmin(tmp_path, "init")
    (tmp_path / name).write_text("{")
    done = ragadmin(tmp_path, "init")
    assert done.returncode == 2
    assert name in done.stderr
    assert (tmp_path / name).read_text() == "{"


def test_init_names_a_folder_it_can_not_make(tmp_path):
    (tmp_path / "data").touch()
    done = ragadmin(tmp_path, "init")
    assert done.returncode == 2
    assert "cannot be made" in done.stderr


# --- reindex ----------------------------------------------------------------------------------------------------------


@pytest.mark.needs("mandoc")
def test_reindex(home):
    done = ragadmin(home, "reindex")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.match(r"4 documents, \d+ passages, 0 problems, in [\d.]+ s\n  4 added, 0 changed", done.stdout)
    assert library_in(home).ask(QUESTION).references
    done = ragadmin(home, "reindex")
    assert (done.returncode, done.stderr) == (0, "")
    assert "nothing has changed" in done.stdout


@pytest.mark.needs("mandoc")
def test_reindex_as_json(home):
    *snapshots, end = map(json.loads, ragadmin(home, "reindex", "--full", "--json").stdout.splitlines())
    assert {one["state"] for one in snapshots} == {"running"}
    stages = list(dict.fromkeys((one["stage"], one["source"]) for one in snapshots))
    assert stages == [("scan", "manual"), ("build", "manual"), ("publish", "")]
    last = [one for one in snapshots if one["stage"] == "build"][-1]
    assert (last["documents"], last["total"], last["percent_complete"]) == (4, 4, 100.0)
    assert last["rate_mb_s"] > 0
    assert snapshots[0]["percent_complete"] is None
    assert end["state"] == "succeeded"
    report = end["report"]
    assert [one["outcome"] for one in report["sources"]] == ["updated"]
    assert report["documents"] == report["added"] == 4
    assert report["passages"] > 4
    assert report["problems"] == []
    assert report["published"] is True


@pytest.mark.needs("mandoc")
def test_problems_are_named_and_the_rest_is_indexed(home):
    for number in range(12):
        (home / f"manual/man1/broken{number}.1.gz").write_bytes(b"\x1f\x8bnot gzip at all")
    done = ragadmin(home, "reindex")
    assert done.returncode == 3
    assert "4 documents" in done.stdout
    assert "12 problems" in done.stdout
    assert len(re.findall(r"broken\d+\.1\.gz: ", done.stdout)) == 10
    assert "and 2 more; use --verbose to list all" in done.stdout
    done = ragadmin(home, "reindex", "--verbose")
    assert done.returncode == 3
    assert len(re.findall(r"broken\d+\.1\.gz: ", done.stdout)) == 12
    *_, end = map(json.loads, ragadmin(home, "reindex", "--json").stdout.splitlines())
    assert len(end["report"]["problems"]) == 12
    assert library_in(home).ask(QUESTION).references


@pytest.mark.needs("mandoc")
def test_a_source_that_is_gone_is_a_problem_of_the_report(home, tmp_path):
    catalog(home, home / "manual", tmp_path / "gone")
    done = ragadmin(home, "reindex")
    assert done.returncode == 3
    assert "gone: there is no folder" in done.stdout
    assert [entry.status for entry in library_in(home).sources()] == ["active", "error"]
    assert "there is no folder" in ragadmin(home, "sources", "list").stdout


@pytest.mark.needs("mandoc")
def test_without_any_page_it_says_what_to_install(home):
    shutil.rmtree(home / "manual")
    (home / "manual/man1").mkdir(parents=True)
    done = ragadmin(home, "reindex")
    assert done.returncode == 1
    assert "No documents were found" in done.stderr
    assert "apt install" in done.stderr
    assert "unminimize" in done.stderr


def test_without_the_folder_it_says_what_to_do(home):
    shutil.rmtree(home / "manual")
    done = ragadmin(home, "reindex")
    assert done.returncode == 1
    assert "manual: there is no folder" in done.stderr


def test_without_a_renderer_it_says_what_to_install(home, tmp_path):
    (tmp_path / "empty").mkdir()
    done = ragadmin(home, "reindex", PATH=str(tmp_path / "empty"))
    assert done.returncode == 1
    assert "mandoc" in done.stderr
    assert "install" in done.stderr


@pytest.mark.needs("groff")
def test_without_mandoc_it_says_what_that_would_save(home, tmp_path):
    path = tmp_path / "bin"
    path.mkdir()
    for folder in reversed(os.get_exec_path()):
        for program in Path(folder).glob("*"):
            if program.name not in {"mandoc", "demandoc"}:
                (path / program.name).unlink(missing_ok=True)
                (path / program.name).symlink_to(program)
    done = ragadmin(home, "reindex", PATH=str(path))
    assert done.returncode == 0
    assert "4 documents" in done.stdout
    assert "apt install mandoc" in done.stderr
    assert library_in(home).ask(QUESTION).references


@pytest.mark.needs("mandoc")
def test_some_sources_only(home):
    done = ragadmin(home, "reindex", "--source", "manual", "--source", "manual")
    assert done.returncode == 0
    done = ragadmin(home, "reindex", "--source", "manual", "--source", "else")
    assert done.returncode == 1
    assert "Source else not found" in done.stderr


@pytest.mark.needs("mandoc")
def test_a_damaged_index_is_replaced_when_asked(home):
    ragadmin(home, "reindex")
    (home / "data/ragcli/index/CURRENT").write_text("nonsense\n")
    done = ragadmin(home, "reindex")
    assert done.returncode == 4
    assert "reindex --full" in done.stderr
    assert ragadmin(home, "reindex", "--full").returncode == 0
    assert library_in(home).ask(QUESTION).references


@pytest.mark.needs("mandoc")
def test_a_failed_run_ends_its_stream_with_the_error(home):
    shutil.rmtree(home / "manual")
    done = ragadmin(home, "reindex", "--json")
    assert done.returncode == 1
    end = json.loads(done.stdout.splitlines()[-1])
    assert (end["state"], end["error"]["code"]) == ("failed", "SOURCE_UNUSABLE")
    assert end["error"]["detail"] in done.stderr


@pytest.mark.needs("mandoc")
def test_a_dry_run_changes_nothing(home):
    def files():
        return {path: path.stat().st_mtime_ns for path in (home / "data").rglob("*")}

    before = files()
    done = ragadmin(home, "reindex", "--dry-run")
    assert done.returncode == 0
    assert "manual: 4 added, 0 changed, 0 removed, 0 unchanged" in done.stdout
    assert {path for path in files() if path not in before} <= {home / "data/ragcli/settings.json"}
    ragadmin(home, "reindex")
    (home / "manual/man1/chmod.1").unlink()
    grow(home / "manual", 2)
    before = files()
    done = ragadmin(home, "reindex", "--dry-run")
    assert "manual: 2 added, 0 changed, 1 removed, 3 unchanged" in done.stdout
    end = json.loads(ragadmin(home, "reindex", "--dry-run", "--json").stdout.splitlines()[-1])
    assert (end["report"]["dry_run"], end["report"]["published"]) == (True, False)
    assert end["report"]["sources"][0]["removed"] == 1
    assert files() == before
    assert "2 added, 0 changed, 1 removed, 3 unchanged" in ragadmin(home, "reindex").stdout


@pytest.mark.needs("mandoc")
def test_after_a_power_cut_the_catalog_is_set_right(home):
    place = home / "data/ragcli/catalog.json"
    ragadmin(home, "reindex")
    before = place.read_bytes()
    grow(home / "manual", 2)
    ragadmin(home, "reindex")
    after = place.read_bytes()
    place.write_bytes(before)  # as it was when the power went between the two
    done = ragadmin(home, "reindex")
    assert done.returncode == 0
    assert "cut short" in done.stdout
    assert "manual was noted as active with 4 documents and is active with 6" in done.stdout
    assert "nothing has changed" in done.stdout
    assert json.loads(place.read_bytes()) == json.loads(after)
    place.write_bytes(before)
    end = json.loads(ragadmin(home, "reindex", "--json").stdout.splitlines()[-1])
    assert len(end["report"]["recovered"]) == 2
    assert "cut short" not in ragadmin(home, "reindex").stdout


@pytest.mark.needs("mandoc")
def test_a_catalog_that_is_lost_is_taken_from_the_index(home):
    ragadmin(home, "reindex")
    place = home / "data/ragcli/catalog.json"
    place.unlink()
    assert "manual" in ragadmin(home, "init").stdout
    place.unlink()
    done = ragadmin(home, "reindex")
    assert done.returncode == 0
    assert "taken from the index" in done.stdout
    assert [entry.alias for entry in library_in(home).sources()] == ["manual"]


@pytest.mark.needs("mandoc")
def test_an_index_of_an_older_version_is_rebuilt(home):
    ragadmin(home, "reindex")
    folder = home / "data/ragcli/index"
    (manifest,) = folder.glob("generations/*/manifest.json")
    data = json.loads(manifest.read_text())
    data["format"] = 1
    del data["sources"], data["version"]
    manifest.write_text(json.dumps(data))
    (folder / "CURRENT").write_text(f"{manifest.parent.name} {crc32(manifest.read_bytes()):08x}\n")
    done = run_command("ragman", QUESTION, env=environment(home))
    assert done.returncode == 4
    assert "older version" in done.stderr
    assert "ragadmin reindex" in done.stderr
    done = ragadmin(home, "reindex")
    assert (done.returncode, "4 added" in done.stdout) == (0, True)


@pytest.mark.needs("mandoc")
def test_default_sources_that_are_not_there_are_waited_for(home):
    path = home / "data/ragcli/catalog.json"
    missing = {"alias": "info-pages", "type": "info", "location": "/usr/share/info"}
    if Path("/usr/share/info").exists():
        pytest.skip("this machine has info manuals")
    data = json.loads(path.read_text())
    data["sources"].append(missing)
    path.write_text(json.dumps(data))
    done = ragadmin(home, "reindex")
    assert done.returncode == 3
    assert "there is no folder /usr/share/info" in done.stdout
    assert [entry.status for entry in library_in(home).sources()] == ["active", "pending"]


@pytest.mark.needs("mandoc")
def test_two_at_once(home):
    ragadmin(home, "reindex")
    before = (home / "data/ragcli/catalog.json").read_bytes()
    with Generations(home / "data/ragcli/index").writing():
        for arguments in (["reindex"], ["reindex", "--full"], ["sources", "remove", "manual"]):
            done = ragadmin(home, *arguments)
            assert done.returncode == 1
            assert "Another process is writing the index" in done.stderr
            assert "Wait" in done.stderr
        assert (home / "data/ragcli/catalog.json").read_bytes() == before
        assert ragadmin(home, "reindex", "--dry-run").returncode == 0
        (home / "notes").mkdir()
        assert ragadmin(home, "sources", "add", str(home / "notes")).returncode == 0
    assert len(library_in(home).sources()) == 2


@pytest.mark.needs("mandoc")
def test_progress_on_a_terminal(home):
    grow(home / "manual", 500)
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        [*COMMAND, "reindex"], stdout=subprocess.PIPE, stderr=theirs, env=environment(home, COLUMNS="100")
    )
    os.close(theirs)
    shown = read_until(ours, None)
    report, _ = child.communicate()
    assert child.returncode == 0
    assert b"504 documents" in report
    lines = shown.decode().split("\r\x1b[K")
    assert any("reading manual" in line and "█" in line and " of 504" in line for line in lines)
    assert lines[-1] == ""


@pytest.mark.needs("mandoc")
def test_interrupted_the_old_index_answers(home):
    ragadmin(home, "reindex")
    grow(home / "manual", 1000)
    child = subprocess.Popen(
        [*COMMAND, "reindex", "--full"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(home),
        start_new_session=True,
    )
    segments = home / "data/ragcli/index/segments"
    wait_until(lambda: len(list(segments.iterdir())) == 2)
    os.killpg(child.pid, signal.SIGINT)
    _, said = child.communicate(timeout=60)
    assert child.returncode == 130
    assert b"Traceback" not in said
    assert library_in(home).ask(QUESTION).references
    assert len(library_in(home).search("change", limit=10)) <= 4
    assert len(list(segments.iterdir())) == 1
    assert ragadmin(home, "reindex").returncode == 0
    assert len(library_in(home).search("page", limit=10)) == 10


INTERRUPTED = """
import os, signal, sys

module = sys.argv.pop(1)

class Interrupting:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == module:
            sys.meta_path.remove(Interrupting)
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupting)
from vademecum.cli.ragadmin import main
main()
"""


@pytest.mark.needs("mandoc")
@pytest.mark.parametrize(
    "module",
    [
        "vademecum.library.library",
        "vademecum.index.recovery",
        "vademecum.cli._ragadmin",
        "vademecum.cli._building",
        "vademecum.index.survey",
    ],
)
def test_interrupted_while_it_is_loaded_it_ends_quietly(home, module):
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, module, "reindex"],
        capture_output=True, text=True, check=False, env=environment(home), timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "ragadmin: interrupted\n")
    assert not (home / "data/ragcli/index/CURRENT").exists()


def grow(tree, count):
    for number in range(count):
        (tree / "man1" / f"grown{number}.1").write_text(
            f".TH GROWN{number} 1\n.SH NAME\ngrown{number} \\- a page\n.SH DESCRIPTION\nIt is page {number}.\n"
        )


# --- sources ----------------------------------------------------------------------------------------------------------


@pytest.mark.needs("mandoc")
def test_sources(home):
    ragadmin(home, "reindex")
    listed = ragadmin(home, "sources", "list")
    assert listed.returncode == 0
    heading, row = listed.stdout.splitlines()
    assert heading.split()[:4] == ["alias", "type", "status", "documents"]
    assert row.split()[:4] == ["manual", "man", "active", "4"]
    (source,) = json.loads(ragadmin(home, "sources", "list", "--json").stdout)
    assert (source["alias"], source["documents"], source["status"]) == ("manual", 4, "active")
    assert source["location"] == str(home / "manual")
    (home / "config/ragcli").mkdir(parents=True)
    (home / "config/ragcli/config.yaml").write_text("ragadmin: {output_default: json}\n")
    assert json.loads(ragadmin(home, "sources", "list").stdout) == [source]


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["sources"],
        ["reindx"],
        ["reindex", "--ful1"],
        ["reindex", "x"],
        ["sources", "list", "x"],
        ["sources", "add"],
    ],
)
def test_rejects_invalid_arguments(tmp_path, arguments):
    done = ragadmin(tmp_path, *arguments)
    assert done.returncode == 2
    assert "See: ragadmin" in done.stderr or done.stderr.startswith("Usage: ragadmin")
