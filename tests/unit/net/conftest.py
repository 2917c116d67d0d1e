"""What tests of the client share: a client, and a short way to call a scripted server."""

import pytest

from vademecum.net import Client, Limits, place_of

QUICK = Limits(timeout_s=10, connect_s=2, stall_s=5, first_pause_s=0.01)


@pytest.fixture
def client():
    with Client() as client:
        yield client
    assert client.calls == client.connections == 0


@pytest.fixture
def call(client):
    """Prepares a call to a server: `call(server, body=..., timeout_s=...)`."""

    def prepare(server, path="/", *, body=None, method="POST", headers=None, deadline=None, **limits):
        place = place_of(server.url)
        client.allow(place)
        return client.exchange(
            place,
            path,
            method=method,
            body=body,
            headers=headers,
            deadline=deadline,
            limits=QUICK._replace(**limits),
        )

    return prepare
