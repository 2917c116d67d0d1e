"""A configuration file may hold anything: the mistake is named, at once, and in little memory."""

import json
import os
import time

import pytest

from vademecum.config.library import load_settings, read_settings
from vademecum.config.yaml_file import MOST_BYTES
from vademecum.core.errors import ConfigError
from vademecum.core.settings import Settings

BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


def fault(file, copy):
    began_s = time.process_time()
    with pytest.raises(ConfigError) as caught:
        load_settings(file, copy)
    assert time.process_time() - began_s < 5
    assert caught.value.hint
    assert len(caught.value.message) < 600
    assert caught.value.message.isprintable()
    assert not copy.exists()
    return caught.value.message.removeprefix(str(file))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        # types
        ("ragman:\n  query_log: 1\n", ", line 2: ragman.query_log must be true or false, not 1."),
        ("ragman:\n  query_log: maybe\n", ", line 2: ragman.query_log must be true or false, not 'maybe'."),
        ("ragman:\n  query_log:\n", ", line 2: ragman.query_log must be true or false, not empty."),
        ("ragman:\n  confidence_threshold: {a: 1}\n", ", line 2: ragman.confidence_threshold must be a number from 0 to 1, not a mapping."),
        ("ragman:\n  confidence_threshold: [1]\n", ", line 2: ragman.confidence_threshold must be a number from 0 to 1, not a list."),
        ("ragman:\n  confidence_threshold: 2025-01-01\n", "not '2025-01-01'."),
        ("ragman:\n  confidence_threshold: .inf\n", "not .inf."),
        ("ragman:\n  confidence_threshold: !!float nan\n", "not 'nan'."),
        ("ragman:\n  confidence_threshold: 1e400\n", "a number from 0 to 1, not '1e400'."),
        (f"ragman:\n  confidence_threshold: {'9' * 9000}\n", ", line 2: ragman.confidence_threshold: a number has too many digits."),
        ("ragman:\n  confidence_threshold: !!int ''\n", "not ''."),
        ("ragman:\n  confidence_threshold: !!int x\n", "not 'x'."),
        ("ragman:\n  query_log: !!bool x\n", "not 'x'."),
        ("ragman:\n  presenter_default: !!binary aGk=\n", ", line 2: ragman.presenter_default has the tag tag:yaml.org,2002:binary, which is not supported."),
        # programs
        ("ragman:\n  query_log: !!python/object/apply:os.system [touch x]\n", ", line 2: ragman.query_log has the tag tag:yaml.org,2002:python/object/apply:os.system, which is not supported."),
        ("ragman:\n  query_log: !!python/name:os.system ''\n", "has the tag tag:yaml.org,2002:python/name:os.system, which is not supported."),
        ("!!python/object:os.system {}\n", ", line 1: it has the tag tag:yaml.org,2002:python/object:os.system, which is not supported."),
        # keys
        ("ragman: {}\nRagman: {}\n", ", line 2: Ragman is not a setting; did you mean ragman?"),
        ("ragman:\n  query_log: on\n  query_log: off\n", ", line 3: ragman.query_log is duplicated; it is first in line 2."),
        ("ragman: &x {query_log: on}\nragadmin:\n  <<: *x\n", ", line 3: ragadmin: merging with << is not supported; write out the keys."),
        ('"a\\e[31m\\u202e": 1\n', "a\\x1b[31m\\u202e is not a setting"),
        ('"\\ud800": 1\n', ", line 1: this is not YAML: found invalid Unicode character escape code."),
        (f"{'k' * 900}: 1\n", "kk… is not a setting (known: ragman, ragadmin, models)."),
        # not YAML
        ("ragman:\n\tquery_log: on\n", ", line 2: this is not YAML: it is indented with a tab; use spaces."),
        ("ragman:\n  query_log: on\n\tpresenter_default: plain\n", "line 3: this is not YAML"),
        ("ragman: *nothing\n", ", line 1: this is not YAML: found undefined alias."),
        ("ragman: {}\n---\nragman: {}\n", ", line 2: this is not YAML: but found another document."),
        ("ragman:\n  query_log: on\0\n", ", line 2: this is not YAML: control characters are not allowed."),
        ("ragman: \x1b[2J\n", ", line 1: this is not YAML: control characters are not allowed."),
        ("[" * 30_000, ": it is nested too deeply."),
        ("? " * 30_000, ": it is nested too deeply."),
        ("{a: " * 10_000, ": it is nested too deeply."),
        # bombs
        (f"{BOMB}ragman: *i\n", ", line 1: it has more than 100,000 values."),
        (f"ragman:\n  query_log:\n{BOMB.replace('a: &a', '    a: &a', 1).replace(chr(10), chr(10) + '    ')}", ", line 3: it has more than 100,000 values."),
        ("ragman: &r\n  query_log: [*r, *r]\n", ", line 1: it is nested too deeply, or contains itself."),
    ],
)  # fmt: skip
def test_mistakes_are_named_with_line_and_key(file, copy, text, said):
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    assert said in fault(file, copy)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"ragman:\n  query_log: \xff\n", ", line 2: it is not UTF-8 text (byte 0xff)."),
        ("ragman: {}\n".encode("utf-16"), ", line 1: it is not UTF-8 text (byte 0xff)."),
        (b"\x80", ", line 1: it is not UTF-8 text (byte 0x80)."),
    ],
)
def test_names_the_line_of_what_is_not_text(file, copy, data, said):
    file.write_bytes(data)
    assert said in fault(file, copy)


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda file: file.mkdir(), "folder"),
        (os.mkfifo, "regular file"),
        (lambda file: file.symlink_to("/dev/zero"), "regular file"),
        (lambda file: file.symlink_to(file), "links"),
    ],
    ids=["folder", "pipe", "device", "loop"],
)
def test_rejects_folders_pipes_devices_and_loops_at_once(file, copy, make, named):
    make(file)
    assert named in fault(file, copy)


@pytest.mark.parametrize("line", ["# nothing\n", "[", "a: b\n"])
def test_a_megabyte_is_refused_at_once(file, copy, line):
    file.write_text(line * (1_000_000 // len(line)))
    assert f"{MOST_BYTES:,}" in fault(file, copy)


@pytest.mark.parametrize(
    "text",
    [
        "ragman: {}\n" + "# words\n" * 8000,
        "ragman: {query_log: on}\n" + " " * 65_000,
        "ragman: {}" + "\n" * 65_000,
    ],
)
def test_the_largest_file_is_read_quickly(file, text):
    file.write_text(text)
    began_s = time.process_time()
    assert read_settings(file).confidence_threshold == 0.35
    assert time.process_time() - began_s < 5


@pytest.mark.parametrize(
    "lines",
    [
        [[["ragman", "confidence_threshold"], 1, "str", "high"]],
        [[["ragman", "confidence_threshold"], 1, "float", ".nan"]],
        [[["ragman", "confidence_threshold"], 1, "bool", "true"]],
        [[["ragman", "presenter_default"], 1, "str", ["plain"]]],
        [[["ragman", "query_log"], 1, "int", "1"]],
        [[["ragman", "of_a_later_version"], 1, "int", "1"]],
        [[["ragman"], 1, "int", "1"]],
        [[[], 1, "int", "1"]],
        [[["models", "x"], 1, "map", ""]],
        [[["models", "x", "provider"], 1, "str", "ollama"]],
        [7],
        7,
        None,
        "before",
    ],
)
def test_a_copy_that_says_what_cannot_be_is_ignored(file, copy, lines):
    file.write_text("ragman: {confidence_threshold: 0.5}\n")
    load_settings(file, copy)
    kept = json.loads(copy.read_text())
    of_before = {"of": kept["of"], "says": {"confidence_threshold": 0.5, "models": {}}}
    copy.write_text(json.dumps({**kept, "lines": lines} if lines != "before" else of_before))
    assert load_settings(file, copy) == Settings(confidence_threshold=0.5)
    assert load_settings(file, copy) == Settings(confidence_threshold=0.5)


@pytest.mark.parametrize(
    ("word", "on"), [("true", True), ("yes", True), ("on", True), ("false", False), ("no", False)]
)
def test_the_query_log_is_off_unless_it_is_asked_for(file, copy, word, on):
    assert Settings().query_log is False
    file.write_text(f"ragman: {{query_log: {word}}}\n")
    assert load_settings(file, copy).query_log is on
    assert load_settings(file, copy).query_log is on
