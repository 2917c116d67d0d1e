"""Names of pages that a model is asked for: those that can be names, three at most, and none if it fails."""

import json

import pytest

from vademecum.answering.naming import named_by
from vademecum.core.deadline import Closing, Deadline
from vademecum.core.errors import StreamClosed
from vademecum.providers.registry import open_model
from vademecum.testing import ScriptedServer, stream
from vademecum.testing.model import ScriptedModel, chunks
from vademecum.testing.scripted import answer


def named(names, **more):
    with ScriptedModel("", names=names) as model:
        return named_by(open_model(model.settings), "How do I sort a file?", Deadline(10), Closing(), **more)


def test_names_of_pages_are_read_from_the_reply():
    names, call = named(["sort", "git-log(1)", "sort"])
    assert names == ("sort", "git-log")
    assert json.loads(call.came) == {"names": ["sort", "git-log(1)", "sort"]}


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ([f"command{number}" for number in range(50)], ("command0", "command1", "command2")),
        (["/usr/bin/sort", "https://example.org", "rm -rf /", "", "sort"], ("sort",)),
        ([7, None, {"name": "sort"}], ()),
        ([], ()),
    ],
)
def test_paths_addresses_and_lines_are_no_names(said, names):
    assert named(said)[0] == names


@pytest.mark.parametrize(
    "reply",
    [
        answer({"error": {"message": "no"}}, 500),
        answer({"choices": [{"message": {"content": "I would use sort."}}]}),
        stream([b"data: nonsense\n\n"]),
    ],
)
def test_a_model_that_fails_names_nothing(reply):
    def give(visit, request):
        visit.send(reply) if isinstance(reply, bytes) else reply(visit, request)

    with ScriptedServer(give) as server, ScriptedModel("") as model:
        opened = open_model(model.settings._replace(base_url=f"{server.url}/v1"))
        assert named_by(opened, "How do I sort a file?", Deadline(10), Closing()) == ((), None)


def test_a_slow_model_takes_a_share_of_the_time():
    def slow(visit, request):
        stream(chunks('{"names": ["so'), then=lambda visit, _request: visit.wait_for_end())(visit, request)

    with ScriptedServer(slow) as server, ScriptedModel("") as model:
        opened = open_model(model.settings._replace(base_url=f"{server.url}/v1"))
        deadline = Deadline(2)
        assert named_by(opened, "How do I sort a file?", deadline, Closing()) == ((), None)
        assert deadline.remaining_s > 0.5


def test_a_closed_answer_asks_for_no_names():
    closing = Closing()
    closing.close()
    with ScriptedModel("") as model, pytest.raises(StreamClosed):
        named_by(open_model(model.settings), "How do I sort a file?", Deadline(10), closing)
