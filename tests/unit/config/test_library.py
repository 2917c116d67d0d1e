"""The configuration file: what it may say, what is said of mistakes, and the copy that is fast to read."""

import os

import pytest

from vademecum.config.library import DEFAULT_TEXT, load_settings, read_settings, write_default
from vademecum.core.errors import ConfigError
from vademecum.core.settings import Settings


def test_without_a_file_there_are_the_defaults(file, copy):
    assert load_settings(file, copy) == Settings(0.35, "markdown", "table")
    assert not copy.exists()


def test_the_file_that_init_writes_says_the_defaults(file):
    assert write_default(file)
    assert file.read_text() == DEFAULT_TEXT
    assert read_settings(file) == Settings()


def test_an_existing_file_is_not_overwritten(file):
    file.write_text("ragman: {confidence_threshold: 1}\n")
    assert not write_default(file)
    assert read_settings(file) == Settings(confidence_threshold=1.0)


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ("", Settings()),
        ("# nothing yet\n", Settings()),
        ("ragman:\n", Settings()),
        ("ragman: {confidence_threshold: 0}", Settings(confidence_threshold=0.0)),
        ("ragman:\n  presenter_default: plain\n", Settings(presenter_default="plain")),
        ("ragadmin: {output_default: json}", Settings(output_default="json")),
        ("\ufeffragadmin: {output_default: json}\r\n", Settings(output_default="json")),
    ],
)
def test_reads_settings_in_any_form(file, text, settings):
    file.write_text(text)
    assert read_settings(file) == settings


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("ragman: [\n", 2, "not YAML"),
        ("\n- ragman\n", 2, "must hold keys: ragman, ragadmin"),
        ("ragmann: {}\n", 1, "did you mean ragman?"),
        ("ragman:\n  confidence_treshold: 0.5\n", 2, "did you mean ragman.confidence_threshold?"),
        ("ragman:\n  colour: red\n", 2, "known: confidence_threshold, presenter_default"),
        ("ragman: yes\n", 1, "ragman must hold keys"),
        ("ragman:\n  confidence_threshold: high\n", 2, "a number from 0 to 1, not 'high'"),
        ("ragman:\n  confidence_threshold: 1.5\n", 2, "a number from 0 to 1, not 1.5"),
        ("ragman:\n  confidence_threshold: -1\n", 2, "a number from 0 to 1"),
        ("ragman:\n\n  presenter_default: html\n", 3, "one of markdown, plain, json, not 'html'"),
        ("ragadmin:\n  output_default: [table]\n", 2, "one of table, json"),
        ("? [a]\n: 1\n", 1, "key"),
    ],
)
def test_mistakes_are_named_with_file_key_and_line(file, copy, text, line, said):
    file.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_settings(file, copy)
    assert f"{file}, line {line}: " in caught.value.message
    assert said in caught.value.message
    assert caught.value.hint
    assert not copy.exists()


def test_a_changed_file_is_read_again(file, copy):
    file.write_text("ragman: {confidence_threshold: 0.5}\n")
    assert load_settings(file, copy).confidence_threshold == 0.5
    assert load_settings(file, copy).confidence_threshold == 0.5
    file.write_text("ragman: {confidence_threshold: 0.6}\n")
    os.utime(file, ns=(1, 1))
    assert load_settings(file, copy).confidence_threshold == 0.6


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"of": [], "says": {}}', "\0"])
def test_ignores_a_damaged_copy(file, copy, damage):
    file.write_text("ragman: {confidence_threshold: 0.5}\n")
    load_settings(file, copy)
    copy.write_text(damage)
    assert load_settings(file, copy).confidence_threshold == 0.5


def test_works_without_a_copy(file, tmp_path):
    file.write_text("ragman: {confidence_threshold: 0.5}\n")
    (tmp_path / "data").touch()
    assert load_settings(file, tmp_path / "data" / "settings.json").confidence_threshold == 0.5
