"""What tags of manual pages declare."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.command_lines.options import (
    NONE,
    NUMBER,
    OPTIONAL,
    REQUIRED,
    OptionEntry,
    OptionTable,
    forms_of,
)


@pytest.mark.parametrize(
    ("tag", "forms"),
    [
        ("-A, --catenate, --concatenate", [("-A", NONE), ("--catenate", NONE), ("--concatenate", NONE)]),
        ("-n, --lines=[+]NUM", [("-n", REQUIRED), ("--lines", REQUIRED)]),
        ("--occurrence[=N]", [("--occurrence", OPTIONAL)]),
        ("-i[SUFFIX], --in-place[=SUFFIX]", [("-i", OPTIONAL), ("--in-place", OPTIONAL)]),
        ("--[no-]mailmap", [("--no-mailmap", NONE), ("--mailmap", NONE)]),
        ("-<number>, -n <number>", [(NUMBER, NONE), ("-n", REQUIRED)]),
        ("-NUM", [(NUMBER, NONE)]),
        ("if=FILE", [("if=", REQUIRED)]),
        ("start PATTERN...", [("start", REQUIRED)]),
        (
            "install, reinstall, remove, purge (apt-get(8))",
            [(one, NONE) for one in ("install", "reinstall", "remove", "purge")],
        ),
        ("-exec command ;", [("-exec", REQUIRED)]),
        ("! expr", [("!", NONE)]),
        ("-D [bind_address:]port", [("-D", REQUIRED)]),
        ("-a --all", [("-a", NONE), ("--all", NONE)]),
        ("-F/--full", [("-F", NONE), ("--full", NONE)]),
        ("-0, --null", [("-0", NONE), ("--null", NONE)]),
        ("%Y", [("%Y", NONE)]),
        ("p pidlist", [("p", REQUIRED)]),
        ("--root=", [("--root", REQUIRED)]),
        ("-s or --silent", [("-s", NONE), ("--silent", NONE)]),
        ("-l library\n-llibrary", [("-l", REQUIRED), ("-llibrary", NONE)]),
    ],
)
def test_forms(tag, forms):
    assert [(form.name, form.argument) for form in forms_of(tag)] == forms


@given(st.text(alphabet=st.sampled_from(list("-+aN=[]<>{}(),| \n.x%#")), max_size=40))
def test_any_tag_is_read(tag):
    assert all(form.name for form in forms_of(tag))


def table(*tags):
    return OptionTable(
        OptionEntry(at * 100, at * 100 + len(tag), at * 100 + 90, "OPTIONS", "", tag, forms_of(tag))
        for at, tag in enumerate(tags)
    )


def test_long_options_may_be_shortened_where_that_is_unambiguous():
    options = table("--verbose", "--version", "--list, --listing")
    assert options.long("--verb").form.name == "--verbose"
    assert options.long("--ver") is None
    assert options.long("--lis").entry.tag == "--list, --listing", "two names of one entry are not ambiguous"
    assert options.long("--nothing") is None


def test_arguments_that_tags_write_without_a_space():
    options = table("-Olevel", "-agentlib:libname[=options]", "-name pattern")
    assert options.attached("-O3").form.name == "-Olevel"
    assert options.attached("-agentlib:jdwp=x").entry.tag.startswith("-agentlib")
    assert options.attached("-n5") is None


def test_an_argument_is_of_the_form_that_has_it():
    forms = forms_of("-u, -U NUM, --unified[=NUM]")
    assert [(form.name, form.argument) for form in forms] == [
        ("-u", NONE),
        ("-U", REQUIRED),
        ("--unified", OPTIONAL),
    ]
    assert forms_of("-e expr")[0].argument == REQUIRED
    assert forms_of("-not expr")[0].argument == NONE
