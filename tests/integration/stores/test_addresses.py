"""Addresses of stores, and servers that are not there, or not what they should be."""

import re
import subprocess
import sys

import pytest

from vademecum.core.errors import ConfigError, StoreError
from vademecum.stores import open_engine

HTTP = ["opensearch", "qdrant", "weaviate"]


@pytest.mark.parametrize("kind", HTTP)
def test_no_key_is_shown(kind, monkeypatch):
    for url in (f"{kind}://hunter2@127.0.0.1:9/notes", f"{kind}://:hunter2@127.0.0.1:9/notes"):
        store = open_engine(url)
        assert store.name == f"{kind}://127.0.0.1:9/notes"
        with pytest.raises(StoreError) as caught:
            store.check()
        store.close()
        assert "hunter2" not in f"{caught.value.message} {caught.value.hint}"
        assert "127.0.0.1:9" in caught.value.message
        assert caught.value.hint
    monkeypatch.setenv(f"{kind.upper()}_API_KEY", "hunter2")
    store = open_engine(f"{kind}+https://127.0.0.1:9")
    assert store.name == f"{kind}+https://127.0.0.1:9/vademecum"
    store.close()


@pytest.mark.parametrize("kind", HTTP)
@pytest.mark.parametrize(
    "rest",
    [
        "://hunter2@",
        "://hunter2@h:port/x",
        "://hunter2@[::1/x",
        "://hunter2@h/a/b",
        "://hunter2@h/-x",
        "://hunter2@h/x?foo=1",
        "://hunter2@h/x?foo",
        "://hunter 2@h\n/x",
        "+https://hunter2@h/" + "x" * 200,
    ],
)
def test_an_address_that_cannot_be_read_is_an_error_without_its_key(kind, rest):
    with pytest.raises(StoreError, match="address of the store") as caught:
        open_engine(kind + rest)
    assert "hunter" not in f"{caught.value.message} {caught.value.hint}"


@pytest.mark.parametrize(
    "url", ["mongodb://u:hunter2@h/d", "hunter2", "", "qdrant+http://h", "postgresql:hunter2"]
)
def test_an_unknown_store_is_an_error_without_its_address(url):
    with pytest.raises(ConfigError, match="cannot be read") as caught:
        open_engine(url)
    assert "hunter" not in f"{caught.value.message} {caught.value.hint}"
    assert "weaviate://" in caught.value.hint


@pytest.mark.parametrize("option", ["replication_factor=0", "replication_factor=x", "replication_factor=²"])
@pytest.mark.parametrize("kind", ["qdrant", "weaviate"])
def test_an_option_that_is_not_a_number(kind, option):
    with pytest.raises(StoreError, match="whole number"):
        open_engine(f"{kind}://h/x?{option}")


@pytest.mark.parametrize("scheme", ["postgresql", "opensearch", "qdrant", "weaviate", "chroma"])
def test_a_server_whose_extra_is_not_installed_is_refused_with_its_name(scheme):
    others = ["httpcore2", "httpx", "httpx2", "opensearchpy", "psycopg", "qdrant_client", "weaviate"]
    hidden = f"import sys; sys.modules.update(dict.fromkeys({others}))"
    code = f"{hidden}; from vademecum.stores import open_records; open_records('{scheme}://localhost/x')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert re.search(r"StoreError: \w+ needs the extra (\w+) ", done.stderr)[1] in {scheme, "postgres"}
