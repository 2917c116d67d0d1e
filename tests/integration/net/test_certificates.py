"""TLS: a certificate that nobody vouches for is refused, unless the configuration does."""

import socket
import ssl
import subprocess
import threading

import pytest

from vademecum.core.errors import ConfigError, ProviderUnreachable
from vademecum.net import Client, Limits, place_of
from vademecum.testing.scripted import answer


@pytest.fixture
def secure(tmp_path):
    """A scripted server behind TLS, and the certificate that it signed itself."""
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    names = ["-subj", "/CN=here", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run(
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-keyout",
            key,
            "-out",
            certificate,
            *names,
        ],
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    listener = socket.create_server(("127.0.0.1", 0))

    def listen():
        while True:
            try:
                connection, _ = listener.accept()
                with context.wrap_socket(connection, server_side=True) as line:
                    received = b""
                    while not received.endswith(b"{}"):  # the head and the body may come apart
                        received += line.recv(10_000)
                    line.sendall(answer({"fine": 1}))
            except OSError:
                if listener.fileno() < 0:
                    return

    thread = threading.Thread(target=listen, daemon=True)
    thread.start()
    yield place_of(f"https://127.0.0.1:{listener.getsockname()[1]}"), certificate
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()


@pytest.mark.needs("openssl")
def test_a_certificate_of_nobody_is_refused(secure):
    place, certificate = secure
    with Client() as client:
        client.allow(place)
        with pytest.raises(ProviderUnreachable, match="not trusted") as caught:
            client.exchange(place, "/", body={}).read()
        assert "ca_file" in caught.value.hint
    with Client(ca_file=str(certificate)) as client:
        client.allow(place)
        assert client.exchange(place, "/", body={}, limits=Limits(timeout_s=10)).read_json() == {"fine": 1}
    with pytest.raises(ConfigError, match="cannot be read"):
        Client(ca_file="/nowhere.pem")
