"""Flags of `vademecum serve` from environment variables."""

import pytest

from vademecum.cli._command import find, options_of, split
from vademecum.cli._environment import variable_of, words_of
from vademecum.cli._programs import VADEMECUM
from vademecum.core.errors import ConfigError

SERVE, _ = find(VADEMECUM, ["serve"])


def options(environ, *words):
    return options_of(SERVE, *split(SERVE, [*words_of(SERVE, words, environ), *words]))


def test_every_flag_has_a_variable():
    found = options(
        {
            "VADEMECUM_SERVE_PORT": "80",
            "VADEMECUM_SERVE_ALLOW_HOST": "a.example.org, b.example.org",
            "VADEMECUM_SERVE_UNIX_SOCKET": "yes",
            "VADEMECUM_SERVE_ANSWER_TIMEOUT": "7.5",
            "VADEMECUM_SERVE_CHAT": "",
            "VADEMECUM_EMBEDDING": "off",
            "PORT": "1",
        }
    )
    assert (found.port, found.allowed_hosts, found.unix_socket, found.answer_s, found.chat_file) == (
        80,
        ["a.example.org", "b.example.org"],
        True,
        7.5,
        None,
    )


def test_the_command_line_comes_first():
    environ = {"VADEMECUM_SERVE_PORT": "80", "VADEMECUM_SERVE_SHARE": "a,b"}
    found = options(environ, "--port", "81", "--share=c")
    assert (found.port, found.shared) == (81, ["c"])
    assert not options({"VADEMECUM_SERVE_UNIX_SOCKET": "0"}).unix_socket


@pytest.mark.parametrize(
    ("name", "value", "named"),
    [
        ("VADEMECUM_SERVE_PROT", "80", "VADEMECUM_SERVE_PROT"),
        ("VADEMECUM_SERVE_UNIX_SOCKET", "maybe", "VADEMECUM_SERVE_UNIX_SOCKET"),
        ("VADEMECUM_SERVE_PORT", "x", "--port"),
        ("VADEMECUM_SERVE_HELP", "1", "VADEMECUM_SERVE_HELP"),
    ],
)
def test_names_a_variable_that_cannot_be_used(name, value, named):
    with pytest.raises(ConfigError) as caught:
        options({name: value})
    assert named in caught.value.message


def test_the_name_of_a_variable():
    flag = next(flag for flag in SERVE.flags if "--traces-time" in flag.names)
    assert variable_of(SERVE, flag) == "VADEMECUM_SERVE_TRACES_TIME"
