"""A model has only so many calls at once; further ones wait, and then fail in words."""

import threading
import time

import pytest

from shared import wait_until
from vademecum.core.deadline import Deadline
from vademecum.core.errors import ConfigError, ProviderBusy, ProviderTimeout, StreamClosed
from vademecum.core.models import Message, ModelSettings
from vademecum.providers import call_limit
from vademecum.providers.call_limit import CallDefaults, limited, set_defaults
from vademecum.providers.registry import open_model, settings_of
from vademecum.testing.model import ScriptedModel, said
from vademecum.testing.scripted import stream

ASKED = [Message("user", "Hello?")]


@pytest.fixture
def slow():
    """A model that answers when it may, and counts its calls."""
    may, busy, most = threading.Event(), [0, 0], threading.Lock()

    def give(visit, request):
        with most:
            busy[0] += 1
            busy[1] = max(busy)
        may.wait(20)
        with most:
            busy[0] -= 1
        said("yes")(visit, request)

    with ScriptedModel(give) as model:
        yield model, may, busy
        may.set()


def waiting(busy, count):
    wait_until(lambda: busy[0] >= count)


def test_calls_beyond_the_limit_wait_for_a_place(slow):
    model, may, busy = slow
    opened = open_model(model.settings._replace(calls=2, wait_s=20))
    replies = []
    threads = [threading.Thread(target=lambda: replies.append(opened.reply(ASKED).text)) for _ in range(6)]
    for thread in threads:
        thread.start()
    waiting(busy, 2)
    may.set()
    for thread in threads:
        thread.join(20)
    assert replies == ["yes"] * 6
    assert busy[1] == 2


def test_a_call_that_waits_too_long_fails_in_words(slow):
    model, may, busy = slow
    opened = open_model(model.settings._replace(calls=1, wait_s=0.05))
    first = threading.Thread(target=lambda: opened.reply(ASKED))
    first.start()
    waiting(busy, 1)
    for call in (opened.reply, lambda asked: list(opened.stream(asked))):
        with pytest.raises(ProviderBusy, match="openai:scripted") as caught:
            call(ASKED)
        assert "calls" in caught.value.hint
    with pytest.raises(ProviderBusy):
        open_model(model.settings._replace(calls=1, wait_s=30)).reply(ASKED, deadline=Deadline(0.05))
    may.set()
    first.join(20)
    assert opened.reply(ASKED).text == "yes"


def test_a_stream_gives_its_place_back_however_it_ends(slow):
    model, may, _ = slow
    may.set()
    opened = open_model(model.settings._replace(calls=1, wait_s=1))
    assert "".join(opened.stream(ASKED)) == "yes"
    with opened.stream(ASKED) as begun:
        assert next(begun) == "yes"
    abandoned = opened.stream(ASKED)
    next(abandoned)
    abandoned.close()
    never_read = opened.stream(ASKED)
    never_read.close()
    assert opened.stream(ASKED).reply().text == "yes"


def test_a_stream_that_waits_ends_when_it_is_closed(slow):
    model, may, busy = slow
    opened = open_model(model.settings._replace(calls=1, wait_s=30))
    first = threading.Thread(target=lambda: opened.reply(ASKED))
    first.start()
    waiting(busy, 1)
    second, ended = opened.stream(ASKED), []

    def read():
        with pytest.raises(StreamClosed):
            next(second)
        ended.append(time.monotonic())

    reader = threading.Thread(target=read)
    reader.start()
    time.sleep(0.1)
    closed_s = time.monotonic()
    second.close()
    reader.join(20)
    assert ended
    assert ended[0] - closed_s < 5
    may.set()
    first.join(20)


def test_a_failing_call_gives_its_place_back():
    with ScriptedModel(stream([], then=lambda visit, _: visit.wait_for_end()), "yes") as model:
        opened = open_model(model.settings._replace(calls=1, wait_s=1, timeout_s=0.2))
        with pytest.raises(ProviderTimeout):
            opened.reply(ASKED)
        assert opened.reply(ASKED).text == "yes"


@pytest.mark.parametrize(
    ("settings", "is_here", "calls"),
    [
        (ModelSettings("llamacpp", "/m.gguf"), False, 1),
        (ModelSettings("ollama", "m"), True, 2),
        (ModelSettings("openai", "m"), False, 32),
        (ModelSettings("openai", "m", calls=7), False, 7),
    ],
)
def test_the_default_depends_on_the_place_of_the_model(monkeypatch, settings, is_here, calls):
    monkeypatch.setattr(call_limit, "_places", {})

    class Model:
        name = "m"

    limited(Model(), settings, is_here=is_here)
    assert [key[3] for key in call_limit._places] == [calls]


def test_defaults_of_a_process(slow):
    model, may, busy = slow
    set_defaults(CallDefaults(1, 0.05))
    try:
        opened = open_model(model.settings)
    finally:
        set_defaults(CallDefaults())
    first = threading.Thread(target=lambda: opened.reply(ASKED))
    first.start()
    waiting(busy, 1)
    with pytest.raises(ProviderBusy):
        opened.reply(ASKED)
    may.set()
    first.join(20)


@pytest.mark.parametrize("change", [{"calls": 0}, {"calls": True}, {"wait_s": -1}, {"wait_s": "5"}])
def test_limits_that_are_none_are_refused(change):
    with pytest.raises(ConfigError, match=next(iter(change))):
        settings_of(ModelSettings("openai", "m", **change))
