"""A call ends at once when it is ended, from any thread, and leaves nothing behind."""

import gc
import threading
import time

import pytest

from shared import open_sockets
from vademecum.core.errors import ProviderTimeout, StreamClosed
from vademecum.net import Client, Limits, place_of
from vademecum.testing.scripted import answer, stream


def wait(visit, _request):
    visit.wait_for_end()


def settled(measure, wanted, seconds=60):
    """Wait until a measure has come down to what is wanted."""
    ends = time.monotonic() + seconds
    while measure() > wanted and time.monotonic() < ends:
        time.sleep(0.01)
    return measure()


def read_elsewhere(exchange):
    outcome = []

    def read():
        try:
            for piece in exchange:
                outcome.append(piece)  # noqa: PERF402 - as they come
            outcome.append("whole")
        except (StreamClosed, ProviderTimeout) as error:
            outcome.append(error)

    thread = threading.Thread(target=read)
    thread.start()
    return thread, outcome


@pytest.mark.parametrize(
    ("script", "pieces"),
    [
        pytest.param(wait, 0, id="before the answer"),
        pytest.param(stream([b"one"], then=wait), 1, id="in the answer"),
        pytest.param(answer("", 503, headers={"Retry-After": "8"}), 0, id="between two tries"),
    ],
)
def test_a_reader_that_waits_is_woken(serve, call, client, script, pieces):
    server = serve(script)
    exchange = call(server)
    thread, outcome = read_elsewhere(exchange)
    assert settled(lambda: not server.requests or len(outcome) < pieces, 0) == 0
    time.sleep(0.1)
    exchange.close()
    thread.join(60)
    assert len(outcome) == pieces + 1
    assert isinstance(outcome[-1], StreamClosed)
    assert settled(lambda: server.open_connections, 1 - (pieces or script is wait)) <= 1
    assert client.calls == 0


def test_a_closed_call_stays_closed(serve, call):
    server = serve(stream([b"one", b"two"]))
    exchange = call(server)
    assert next(exchange) == b"one"
    exchange.close()
    exchange.close()
    for _ in range(2):
        with pytest.raises(StreamClosed):
            next(exchange)
    unread = call(server)
    unread.close()
    with pytest.raises(StreamClosed):
        next(unread)
    assert len(server.requests) == 1


def test_a_finished_call_stays_whole(serve, call):
    exchange = call(serve(stream([b"one"])))
    assert list(exchange) == [b"one"]
    exchange.close()
    assert list(exchange) == []


def test_a_forgotten_call_is_closed(serve, call, client):
    server = serve(stream([b"one"], then=wait))
    exchange = call(server)
    assert next(exchange) == b"one"
    assert (client.calls, settled(lambda: -server.open_connections, -1)) == (1, -1)
    del exchange
    gc.collect()
    assert (client.calls, client.connections) == (0, 0)
    assert settled(lambda: server.open_connections, 0) == 0


def test_closing_the_client_ends_every_call(serve):
    server = serve(stream([b"one"], then=wait))
    client = Client()
    place = place_of(server.url)
    client.allow(place)
    readers = [read_elsewhere(client.exchange(place, "/", body={})) for _ in range(5)]
    assert settled(lambda: 5 - sum(len(outcome) for _, outcome in readers), 0) == 0
    client.close()
    for thread, outcome in readers:
        thread.join(60)
        assert isinstance(outcome[-1], StreamClosed)
    assert client.calls == client.connections == 0


def test_a_call_that_ended_does_not_end_the_next_one_on_its_connection(serve, call):
    server = serve(stream([b"one"]))
    for _ in range(10):
        first, second = call(server), call(server)
        assert list(first) == [b"one"]
        assert next(second) == b"one"  # on the same connection
        first.close()
        assert list(second) == []
    assert server.connections == 1


@pytest.mark.parametrize("how", ["same thread", "other thread"])
def test_a_hundred_streams_that_are_cancelled_leave_nothing(serve, call, client, how):
    server = serve(stream([b"one"], then=wait))
    call(serve(answer({}))).read()  # what is loaded once is loaded
    threads, files = threading.active_count(), open_sockets()
    for _ in range(4):
        exchanges = [call(server) for _ in range(25)]
        if how == "same thread":
            for exchange in exchanges:
                assert next(exchange) == b"one"
                exchange.close()
        else:
            readers = [read_elsewhere(exchange) for exchange in exchanges]
            assert settled(lambda: 25 - sum(len(outcome) for _, outcome in readers), 0) == 0  # noqa: B023 - now
            for exchange in exchanges:
                exchange.close()
            for thread, outcome in readers:
                thread.join(60)
                assert isinstance(outcome[-1], StreamClosed)
    assert len(server.requests) == 100
    assert client.calls == 0
    assert client.connections <= 1  # the one to the other server, kept
    assert settled(lambda: server.open_connections, 0) == 0
    assert settled(threading.active_count, threads) <= threads
    assert settled(open_sockets, files) <= files


def test_slots_come_back(serve):
    server = serve(stream([b"one"], then=wait))
    place = place_of(server.url)
    limits = Limits(timeout_s=0.3)
    with Client(connections=2) as client:
        client.allow(place)
        held = [client.exchange(place, "/", body={}) for _ in range(2)]
        assert [next(exchange) for exchange in held] == [b"one", b"one"]
        with pytest.raises(ProviderTimeout):
            next(client.exchange(place, "/", body={}, limits=limits))
        for exchange in held:
            exchange.close()
        for _ in range(10):
            with client.exchange(place, "/", body={}) as exchange:
                assert next(exchange) == b"one"
