"""Errors on their way through HTTP: every class has a status, and comes out as it went in."""

import json
import re
from pathlib import Path

import pytest

from vademecum.core.errors import DiskFull, VademecumError, all_errors
from vademecum.library.service.client import error_of
from vademecum.library.service.unix_http import Useless
from vademecum.server.errors import HttpError, problem

ROOT = Path(__file__).parents[3]


def test_every_error_has_a_status():
    statuses = {error.status for error in all_errors()}
    assert len(statuses) > 5
    assert all(400 <= status < 600 for status in statuses)


def test_codes_tell_the_classes_apart():
    codes = [error.code for error in all_errors()]
    assert len(set(codes)) == len(codes) > 10


@pytest.mark.parametrize("error", list(all_errors()), ids=lambda error: error.__name__)
def test_an_error_comes_out_as_it_went_in(error):
    sent = error("what \udcff happened", hint="what to do")
    data = json.loads(json.dumps(problem(sent)))
    assert data["status"] == error.status
    found = error_of(data)
    assert (type(found), found.message, found.hint) == (error, sent.message, sent.hint)


def test_an_error_of_a_guest_has_the_status_of_its_family():
    class Fuller(DiskFull):
        pass

    assert problem(Fuller("x"))["status"] == DiskFull.status


def test_a_refusal_of_the_service_is_no_library_error():
    with pytest.raises(Useless, match="too slow"):
        error_of(problem(HttpError(408, "TOO_SLOW", "It is too slow.")))


def test_the_reference_names_every_code():
    text = (ROOT / "docs/reference/service.md").read_text()
    said = {
        (code, int(status))
        for row in re.findall(r"^\| ([\d, ]+) \| (`[A-Z].*`) \|$", text, re.MULTILINE)
        for status in row[0].split(", ")[:1]
        for code in re.findall(r"`([A-Z_]+)`", row[1])
        if ", " not in row[0]
    }
    ours = {(error.code, error.status) for error in all_errors()}
    assert ours <= said
    server = ROOT / "src/vademecum/server"
    source = "".join(path.read_text() for path in [*server.glob("local/*.py"), server / "guard/bodies.py"])
    refusals = set(re.findall(r'HttpError\(\s*\d+, "([A-Z_]+)"', source))
    assert len(refusals) > 10
    assert all(f"`{code}`" in text for code in refusals)
    assert VademecumError.code in dict(ours)
