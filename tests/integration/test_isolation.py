"""The promises every other test leans on."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

DOCUMENTATION_ADDRESS = ("192.0.2.1", 80)  # RFC 5737: never routed


@pytest.mark.parametrize("kind", [socket.SOCK_STREAM, socket.SOCK_DGRAM])
def test_a_connection_fails_the_test(kind):
    with (
        socket.socket(socket.AF_INET, kind) as connection,
        pytest.raises(pytest.fail.Exception, match="no network"),
    ):
        connection.connect(DOCUMENTATION_ADDRESS)


def test_a_name_lookup_fails_the_test():
    with pytest.raises(pytest.fail.Exception, match="no network"):
        socket.getaddrinfo("example.org", 443)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may cut child processes off")
def test_a_child_process_sees_no_network():
    program = f"import socket; socket.create_connection({DOCUMENTATION_ADDRESS}, timeout=1)"
    child = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "Network is unreachable" in child.stderr


def test_unix_sockets_work(tmp_path):
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
        server.bind(str(tmp_path / "s"))
        server.listen()
        client.connect(str(tmp_path / "s"))


def test_folders_are_the_tests_own(tmp_path):
    for variable in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        assert Path(os.environ[variable]).is_relative_to(tmp_path)
