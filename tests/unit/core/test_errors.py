"""Errors say what to do next, wherever they come from."""

import copy
import pickle

import pytest

from vademecum.core.errors import all_errors


@pytest.mark.parametrize("kind", list(all_errors()))
def test_an_error_survives_copying(kind):
    error = kind("it happened", hint="do this")
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):  # noqa: S301 - made here
        assert (type(again), again.message, again.hint, str(again)) == (
            kind,
            "it happened",
            "do this",
            "it happened",
        )
        assert again.code == kind.code
