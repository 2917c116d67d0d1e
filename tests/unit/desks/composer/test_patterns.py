"""Expressions that are kept compiled match what freshly compiled ones do, and whatever is wrong with the file, nothing is lost."""

import json
import re
from zlib import crc32

import pytest

from vademecum.desks.composer import patterns
from vademecum.desks.composer.patterns import Pattern

TEXT = "Add nginx, a user called Änne and 20 GB; remove docker (not podman) — size=16GiB"
SOURCES = [
    (r"\b(?P<verb>add|remove)\s+(?P<what>[\w.-]+)", re.IGNORECASE),
    (r"(?<![\w.])(\d{1,4})\s?(gi?b)(?!\w)", re.IGNORECASE),
    (r"[^\W\d_]+", 0),
    (r"[a-z]+", re.ASCII),
    (r"(?P<one>n)(?P<two>g)|(?P<three>Ä)", 0),
]


@pytest.fixture
def fresh(monkeypatch):
    """A process that has read nothing yet."""

    def begin():
        monkeypatch.setattr(patterns, "_kept", None)
        monkeypatch.setattr(patterns, "_new", {})

    begin()
    return begin


def found(source, flags):
    return [(one.span(), one.groups(), one.groupdict()) for one in Pattern(source, flags).finditer(TEXT)]


def signed(body):
    return f"{crc32(body.encode())}\n{body}"


def kept():
    return next(patterns._file().parent.glob("patterns-*"))


def test_what_is_kept_matches_as_what_is_compiled_does(fresh):
    first = [found(*one) for one in SOURCES]
    assert first == [
        [(one.span(), one.groups(), one.groupdict()) for one in re.compile(*each).finditer(TEXT)]
        for each in SOURCES
    ]
    patterns.keep()
    fresh()
    assert [found(*one) for one in SOURCES] == first
    assert not patterns._new, "all were kept"


def test_what_is_kept_grows_and_is_written_only_for_something_new(fresh):
    found(*SOURCES[0])
    patterns.keep()
    written = kept().stat().st_mtime_ns
    fresh()
    found(*SOURCES[0])
    patterns.keep()
    assert kept().stat().st_mtime_ns == written
    found(*SOURCES[1])
    patterns.keep()
    fresh()
    assert found(*SOURCES[0])
    assert found(*SOURCES[1])
    assert not patterns._new


DAMAGE = {
    "empty": lambda _: "",
    "cut in half": lambda text: text[: len(text) // 2],
    "three digits short": lambda text: text[:-3],
    "no numbers": lambda _: signed("[1,{}]\n"),
    "no mapping": lambda _: signed("[1,[]]\n00"),
    "another format": lambda text: signed(text.partition("\n")[2].replace("[1,", "[9,", 1)),
    "other numbers": lambda text: signed(
        text.partition("\n")[2].partition("\n")[0] + "\n" + "ffffffff" * (len(text) // 8)
    ),
    "half a number": lambda text: signed(text.partition("\n")[2][:-3]),
    "a word in it changed": lambda text: text.replace("add|remove", "add|rename"),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_file_is_done_without(fresh, damage):
    expected = [found(*one) for one in SOURCES]
    patterns.keep()
    kept().write_text(damage(kept().read_text()))
    fresh()
    assert [found(*one) for one in SOURCES] == expected


def test_a_head_that_lies_is_compiled_again(fresh):
    expected = found(*SOURCES[0])
    patterns.keep()
    head, _, numbers = kept().read_text().partition("\n")[2].partition("\n")
    format_, heads = json.loads(head)
    for one in heads.values():
        one[1], one[4] = 1, one[4] - 1
    kept().write_text(signed(json.dumps([format_, heads]) + "\n" + numbers))
    fresh()
    assert found(*SOURCES[0]) == expected


@pytest.mark.usefixtures("fresh")
def test_a_bad_expression_is_refused_as_it_always_is():
    with pytest.raises(re.error):
        Pattern("(").search("x")


@pytest.mark.usefixtures("fresh")
def test_where_nothing_can_be_written_it_works_all_the_same(monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", "/proc/nowhere")
    assert found(*SOURCES[0])
    patterns.keep()
