"""Streams: lines and events, however the network cuts them."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.core.errors import ProviderTimeout, ReplyInvalid
from vademecum.net import json_lines, server_events
from vademecum.net.events import lines
from vademecum.net.sockets import Limits
from vademecum.testing.scripted import answer, stream

LINES = "application/x-ndjson"


class Pieces:
    """An exchange that has come already."""

    limits = Limits(line_bytes=50)
    content_type = "text/event-stream"
    whom = "a server"

    def __init__(self, pieces):
        self.pieces = pieces

    def __iter__(self):
        return iter(self.pieces)

    def close(self):
        pass


TEXT = b"one\n\ntwo \xf0\x9f\x98\x80\r\nthree\rfour\r\r\nlast"
WHOLE = [b"one", b"", b"two \xf0\x9f\x98\x80", b"three", b"four", b"", b"last"]


@given(st.lists(st.integers(0, len(TEXT))))
def test_lines_are_the_same_wherever_they_are_cut(cuts):
    borders = sorted({0, *cuts, len(TEXT)})
    pieces = [TEXT[start:end] for start, end in pairwise(borders)]
    assert list(lines(Pieces(pieces))) == WHOLE


def test_half_characters_become_whole(serve, call):
    said = json.dumps({"text": "grüße 😀"}, ensure_ascii=False).encode() + b"\n"
    server = serve(stream([said[at : at + 1] for at in range(len(said))], kind=LINES))
    assert list(json_lines(call(server))) == [{"text": "grüße 😀"}]


def test_events(serve, call):
    server = serve(
        stream(
            [
                b"\xef\xbb\xbf: a comment\r\n\r\ndata: one\r\nid: 7\r\n\r\n",
                b"event: error\ndata:two\ndata:  three\n\n\n\nretry: 5\n\ndata\n\n",
                b"data: cut off",
            ]
        )
    )
    found = [(event.name, event.data) for event in server_events(call(server))]
    assert found == [("", b"one"), ("error", b"two\n three"), ("", b""), ("", b"cut off")]


def test_rejects_an_endless_line(serve, call):
    sent = []

    def much():
        for _ in range(160):
            sent.append(1)
            yield b"x" * 65536

    server = serve(stream(much(), kind=LINES))
    with pytest.raises(ReplyInvalid, match="1,048,576 bytes"):
        list(json_lines(call(server)))
    assert len(sent) < 160


def test_an_event_of_many_lines_without_end(serve, call):
    with pytest.raises(ReplyInvalid, match="1,000 bytes"):
        list(server_events(call(serve(stream([b"data: 0123456789\n"] * 1000)), line_bytes=1000)))


def test_a_stream_without_end(serve, call):
    def forever():
        while True:
            yield b"data: x\n\n" * 1000

    with pytest.raises(ReplyInvalid, match="500,000 bytes"):
        for _ in server_events(call(serve(stream(forever())), stream_bytes=500_000)):
            pass


@pytest.mark.parametrize("kind", ["text/html; charset=utf-8", "application/json", "image/png"])
def test_rejects_other_types_than_an_event_stream(serve, call, kind):
    with pytest.raises(ReplyInvalid, match="events"):
        list(server_events(call(serve(answer("data: x\n\n", kind=kind)))))


def test_a_stream_that_stalls_gives_what_came_and_says_so(serve, call):
    server = serve(stream([b"data: one\n\n"], then=lambda visit, _request: visit.wait_for_end()))
    found = []
    with pytest.raises(ProviderTimeout, match="said nothing"):
        found.extend(event.data for event in server_events(call(server, stall_s=0.3)))
    assert server.requests
