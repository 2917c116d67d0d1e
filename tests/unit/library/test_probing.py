"""Asking what may not answer: how often, how long, and when not at all."""

import errno
import threading
import time

import pytest

from vademecum.core.errors import ProviderError
from vademecum.library.health.probing import NoAnswerError, Patience, persist, why, within

QUICK = Patience((0.01, 0.02, 0.04, 0.08, 0.16), 0.2)


def test_the_specified_patience():
    assert Patience() == ((0.5, 1, 2, 4, 8), 3)


def test_asks_once_if_there_is_an_answer():
    asked = []
    assert persist(lambda: asked.append(1) or "well", QUICK) == "well"
    assert len(asked) == 1


def test_waits_with_growing_pauses():
    asked, waited = [], []

    def ask():
        asked.append(time.monotonic())
        if len(asked) < 5:
            raise ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused")
        return "well"

    assert persist(ask, QUICK, on_wait=lambda fault, pause_s: waited.append((why(fault), pause_s))) == "well"
    assert waited == [("Connection refused", pause_s) for pause_s in QUICK.pauses_s[:4]]
    assert all(b - a >= pause_s for a, b, pause_s in zip(asked, asked[1:], QUICK.pauses_s, strict=False))


def test_after_five_more_tries_it_is_given_up():
    asked = []

    def ask():
        asked.append(1)
        raise ConnectionResetError(errno.ECONNRESET, "Connection reset by peer")

    with pytest.raises(ConnectionResetError):
        persist(ask, QUICK)
    assert len(asked) == 6


@pytest.mark.parametrize(
    "fault",
    [
        FileNotFoundError(errno.ENOENT, "gone"),
        PermissionError(errno.EACCES, "no"),
        ValueError("odd"),
        ProviderError("no such model"),
    ],
)
def test_does_not_wait_after_a_lasting_fault(fault):
    asked = []

    def ask():
        asked.append(1)
        raise fault

    with pytest.raises(type(fault)) as caught:
        persist(ask, Patience((1000.0,)))
    assert caught.value is fault
    assert len(asked) == 1


def test_silence_is_cut_off_and_tried_again():
    asked, end = [], threading.Event()

    def ask():
        asked.append(1)
        end.wait(1000)

    with pytest.raises(NoAnswerError, match=r"0\.05 s"):
        persist(ask, Patience((0.01, 0.01), 0.05))
    end.set()
    assert len(asked) == 3


def test_a_hanging_thread_does_not_hold_up_the_end():
    end = threading.Event()
    with pytest.raises(NoAnswerError):
        within(0.01, lambda: end.wait(30))
    assert all(thread.daemon for thread in threading.enumerate() if thread is not threading.main_thread())
    end.set()


def test_an_answer_of_nothing_is_an_answer():
    assert within(1, lambda: None) is None
