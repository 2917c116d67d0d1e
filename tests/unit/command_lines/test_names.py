"""What a question names that may have no page."""

import pytest

from vademecum.command_lines.names import absent_format, commands_named, well_known


@pytest.mark.parametrize(
    "question",
    [
        "how do I search in nano",
        "open a file with nano",
        "nano options",
        "is there a nano command to undo",
        "what is nano",
        "which option of nano shows line numbers",
        "which flags in nano turn off wrapping",
        "man nano",
        "nano: how to undo",
        "how do I make nano wrap lines",
        "run nano without colours",
        "open a file with nano -w",
        "how do I list files with nano ls",
        "difference between vim and nano",
        "difference between nano and vim?",
    ],
)
def test_a_command_used_as_one(question):
    assert "nano" in [name.lower() for name, _ in commands_named(question)]


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("show the folders with tree", "tree"),
        ("reattach to a screen session", "screen"),
        ("install a snap package", "snap"),
    ],
)
def test_an_english_word_that_is_used_as_a_name(question, name):
    assert (name, True) in commands_named(question)


@pytest.mark.parametrize("question", ["how do I screen applicants", "which cat food is best"])
def test_words_that_are_not_used_as_commands(question):
    assert not {name for name, may_be_english in commands_named(question) if may_be_english}


def test_formats():
    known = {"fstab", "sshd_config"}.__contains__
    assert absent_format("format of /etc/frobnicate.conf", known) == "/etc/frobnicate.conf"
    assert absent_format("which fields does sparkle.toml have", known) == "sparkle.toml"
    assert absent_format("format of /etc/fstab", known) == ""
    assert absent_format("copy /etc/frobnicate.conf to a safe place", known) == ""


def test_the_list_of_commands_has_names_alone():
    assert {"nano", "docker", "rclone"} <= well_known()
    assert all(name == name.lower() and name.isascii() for name in well_known())
