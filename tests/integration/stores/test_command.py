"""`vademecum store`, as its own process."""

import json
import os
import subprocess
import sys

import pytest

from commands import run_command
from vademecum.stores import open_store


@pytest.fixture
def run(places):
    """Runs the command with the library's configuration and data, and of a second configuration if one is named."""

    def call(*arguments, store="files"):
        places.config.mkdir(parents=True, exist_ok=True)
        places.settings_file.write_text(f"ragadmin:\n  store: {store}\n")
        own = {"XDG_CONFIG_HOME": str(places.config.parent), "XDG_DATA_HOME": str(places.data.parent)}
        return run_command("vademecum", "store", *arguments, env=os.environ | own)

    return call


def test_moving_and_checking(library, run, address):
    assert library.passages_bm25("quartz")
    done = run("migrate", "--to", address)
    assert (done.returncode, done.stderr) == (0, "")
    assert "generation 1" in done.stdout
    done = run("check", address)
    assert (done.returncode, done.stderr) == (0, "")
    assert "is complete: generation 1" in done.stdout
    listed = json.loads(run("list", "--json", store=address).stdout)
    assert [place["used"] for place in listed["places"]] == [False, True]
    assert all(place["ok"] and "generation 1" in place["state"] for place in listed["places"])
    done = run("list", store=address)
    assert done.returncode == 0
    assert "* postgres:///" in done.stdout
    store = open_store(address)
    store.drop("generation-000001")
    store.close()
    done = run("check", store=address)
    assert done.returncode == 4
    assert "generation-000001" in done.stderr


@pytest.mark.nightly
def test_two_machines_share_the_work(library, run, address, tmp_path, places):
    def reindex(data, share):
        return subprocess.run(
            [sys.executable, "-m", "vademecum.cli.ragadmin", "reindex", "--partition", share],
            env=os.environ | {"XDG_CONFIG_HOME": str(places.config.parent), "XDG_DATA_HOME": str(data)},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    documents = sum(entry.documents for entry in library.sources())
    run("list", store=address)  # which writes the configuration
    catalog = places.catalog_file.read_text()
    for number in (1, 2):
        data = tmp_path / f"machine-{number}"
        (data / "ragcli").mkdir(parents=True)
        (data / "ragcli/catalog.json").write_text(catalog)
        done = reindex(data, f"{number}/2")
        assert (done.returncode, done.stderr) == (0, "")
        assert f"share {number}/2, not published" in done.stdout
    done = run("publish", "2", store=address)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"generation 1, {documents} documents of 2 shares" in done.stdout
    assert run("check", store=address).returncode == 0
    for share, said in (("3/2", "i/N"), ("x", "i/N")):
        done = reindex(tmp_path / "machine-1", share)
        assert done.returncode == 2
        assert said in done.stderr
    for count, code in (("3", 4), ("0", 2), ("x", 2)):
        done = run("publish", count, store=address)
        assert done.returncode == code


def test_files_are_checked_too(library, run):
    assert library.passages_bm25("quartz")
    done = run("check")
    assert done.returncode == 0
    assert done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("migrate", "--to", "postgresql://u:hunter2@127.0.0.1:9/d"), "refused"),
        (("migrate", "--to", "chroma://hunter2@127.0.0.1:9/d"), "127.0.0.1:9"),
        (("migrate", "--to", "mongodb://u:hunter2@h/d"), "cannot be read"),
        (("migrate", "--to", "files"), "only ragadmin reindex writes the local index"),
        (("check", "weaviate://hunter2@127.0.0.1:9"), "127.0.0.1:9"),
        (("migrate",), "--to"),
        ((), "COMMAND"),
    ],
)
def test_rejects_impossible_operations(run, arguments, said):
    done = run(*arguments)
    assert done.returncode in {1, 2}
    assert said in done.stderr
    assert "hunter2" not in done.stderr + done.stdout
