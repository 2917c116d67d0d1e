"""What a person may have meant is said, and a flag is only what is written."""

import pytest

from vademecum.cli import ragadmin, vademecum

USAGE = 2


@pytest.mark.parametrize(
    ("program", "arguments", "meant"),
    [
        (ragadmin, ["sourcs"], "sources"),
        (ragadmin, ["sources", "lst"], "list"),
        (ragadmin, ["reindex", "--ful"], "--full"),
        (vademecum, ["evla"], "eval"),
    ],
)
def test_a_slip_is_answered_with_what_was_meant(program, arguments, meant, capsys):
    with pytest.raises(SystemExit) as ended:
        program.run(arguments)
    assert ended.value.code == USAGE
    assert f"Did you mean {meant}?" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["quokka"], ["sources", "add", "x", "--alias", "y"]])
def test_what_is_like_nothing_or_of_another_command_is_only_refused(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        ragadmin.run(arguments)
    assert ended.value.code == USAGE
    assert "Did you mean" not in capsys.readouterr().err
