"""`vademecum store`, as its own process."""

# ruff: noqa: S608 - names of schemas that the tests made

import json
import os

import psycopg
import pytest

from commands import run_command
from vademecum.core.engines import Query
from vademecum.stores import open_engine


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
    engine = open_engine(address)
    engine.remove(1, "words", [item.key for item in engine.find(Query(0, kind="words"))])
    engine.close()
    done = run("check", store=address)
    assert done.returncode == 4
    assert ":words:1:0" in done.stderr


@pytest.mark.usefixtures("library")
def test_rows_of_an_older_version_are_refused_and_replaced(run, address, postgres):
    schema = address.rpartition("=")[2]
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {schema}")
        connection.execute(f"CREATE TABLE {schema}.version AS SELECT 2 AS number")
        connection.execute(f"CREATE TABLE {schema}.current (number bigint, manifest text)")
        connection.execute(
            f"CREATE TABLE {schema}.document (segment text, key bigint, fields jsonb, data bytea)"
        )
        connection.execute(f"CREATE TABLE {schema}.theirs (kept text)")
    done = run("check", store=address)
    assert done.returncode != 0
    assert "vademecum store migrate" in done.stderr
    assert "--replace" in done.stderr
    done = run("migrate", "--to", address, "--replace")
    assert (done.returncode, done.stderr) == (0, "")
    assert run("check", store=address).returncode == 0
    with psycopg.connect(postgres) as connection:
        assert connection.execute(f"SELECT count(*) FROM {schema}.theirs").fetchone() == (0,)


def test_files_are_checked_too(library, run):
    assert library.passages_bm25("quartz")
    done = run("check")
    assert done.returncode == 0
    assert done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("migrate", "--to", "postgresql://u:hunter2@127.0.0.1:9/d"), "refused"),
        (("migrate", "--to", "opensearch://u:hunter2@127.0.0.1:9/d"), "127.0.0.1:9"),
        (("migrate", "--to", "chroma://hunter2@127.0.0.1:9/d"), "Chroma"),
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
