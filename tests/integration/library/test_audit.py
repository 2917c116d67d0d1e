"""The audit log: a line for each thing done, whatever is in it, whoever writes at the same time."""

import json
import os
import re
import stat
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from vademecum.core.errors import SourceError
from vademecum.files.places import Places
from vademecum.files.write import LONGEST, append_line, last_lines
from vademecum.library.audit import audited, recent, record

FIELDS = ["timestamp", "action", "target", "status", "trace_id"]


@pytest.fixture
def places(tmp_path):
    return Places(tmp_path / "data", tmp_path / "config")


def lines(places):
    return [json.loads(line) for line in places.audit_log.read_text(encoding="ascii").splitlines()]


# --- what is written ----------------------------------------------------------------------------------------------


def test_a_line_has_these_fields(places):
    assert record(places, "init", places.data, "succeeded")
    (line,) = lines(places)
    assert list(line) == FIELDS
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", line["timestamp"])
    assert (line["action"], line["target"], line["status"]) == ("init", str(places.data), "succeeded")
    assert re.fullmatch(r"[0-9a-f]{32}", line["trace_id"])


def test_message_and_error_code_are_there_when_there_is_something_to_say(places):
    record(
        places, "add", "python", "failed", message="It is gone.", error_code="SOURCE_UNUSABLE", trace_id="7"
    )
    (line,) = lines(places)
    assert list(line) == [*FIELDS, "message", "error_code"]
    assert (line["message"], line["error_code"], line["trace_id"]) == ("It is gone.", "SOURCE_UNUSABLE", "7")


def test_what_ends_well(places):
    with audited(places, "reindex", "all", announced=True) as going_on:
        assert [line["status"] for line in lines(places)] == ["started"]
        going_on.message = "4 documents"
    started, ended = lines(places)
    assert (ended["status"], ended["message"]) == ("succeeded", "4 documents")
    assert started["trace_id"] == ended["trace_id"] == going_on.trace_id
    assert [line["status"] for line in recent(places)] == ["started", "succeeded"]


def test_what_is_short_is_logged_when_it_is_done(places):
    with audited(places, "add", "/srv/python.zim") as going_on:
        assert not places.audit_log.exists()
        going_on.target = "python"
    (line,) = lines(places)
    assert (line["target"], line["status"]) == ("python", "succeeded")


@pytest.mark.parametrize(
    ("fault", "status", "code", "message"),
    [
        (SourceError("It is gone.", hint="Mount it."), "failed", "SOURCE_UNUSABLE", "It is gone."),
        (ValueError("odd"), "failed", "ERROR", "ValueError: odd"),
        (KeyboardInterrupt(), "cancelled", None, None),
        (SystemExit(1), "cancelled", None, None),
    ],
)
def test_what_ends_otherwise_is_logged_and_goes_on(places, fault, status, code, message):
    with pytest.raises(type(fault)) as caught, audited(places, "remove", "python"):
        raise fault
    assert caught.value is fault
    (line,) = lines(places)
    assert (line["status"], line.get("error_code"), line.get("message")) == (status, code, message)


# --- what cannot get in ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "target",
    [
        'x"}\n{"action": "remove", "target": "all", "status": "succeeded"}',
        "a\r\nb\0c\x1b[2J\x07\x7f\x85",
        "\u202egnp.exe\u2066\u200f\u2028\u2029\ufeff",
        "\ud800 alone \udfff",
        "日本語 🙂 é",
        "",
    ],
)
def test_nothing_in_a_target_leaves_its_line(places, target):
    with audited(places, "add", target):
        pass
    record(places, "add", "after", "failed", message=target)
    data = places.audit_log.read_bytes()
    assert data.count(b"\n") == 2
    assert all(0x20 <= byte < 0x7F for byte in data.replace(b"\n", b""))
    first, second = lines(places)
    assert first["target"] == target
    assert second.get("message", "") == target


def test_a_target_of_ten_megabytes_is_cut(places):
    record(places, "add", "\0" * 10_000_000, "failed", message="y" * 10_000_000)
    assert places.audit_log.stat().st_size < 10_000
    (line,) = lines(places)
    assert line["target"] == "\0" * LONGEST + "… (10,000,000 characters)"


def test_its_owner_alone_may_read_it(places):
    before = os.umask(0)
    try:
        record(places, "init", "", "succeeded")
    finally:
        os.umask(before)
    assert stat.S_IMODE(places.audit_log.stat().st_mode) == 0o600
    assert stat.S_IMODE(places.data.stat().st_mode) == 0o700


# --- who else writes ----------------------------------------------------------------------------------------------

WRITER = """
import sys
from pathlib import Path
from vademecum.library.audit import record
from vademecum.files.places import Places
places = Places(Path(sys.argv[1]), Path(sys.argv[1]))
for number in range(int(sys.argv[3])):
    assert record(places, "add", f"{sys.argv[2]}-{number}", "succeeded", message=sys.argv[2] * 900)
"""


def test_lines_of_many_processes_never_mix(places):
    places.data.mkdir()
    log = os.open(places.audit_log, os.O_WRONLY | os.O_CREAT, 0o600)
    os.write(log, b'{"half": "a li')
    os.close(log)
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, places.data, chr(ord("a") + number), "40"])
        for number in range(8)
    ]
    assert [writer.wait(60) for writer in writers] == [0] * 8
    half, *rest = places.audit_log.read_text().splitlines()
    assert half == '{"half": "a li'
    found = [json.loads(line) for line in rest]
    assert sorted(line["target"] for line in found) == sorted(
        f"{a}-{n}" for a in "abcdefgh" for n in range(40)
    )
    assert all(set(line["message"]) == {line["target"][0]} for line in found)
    assert len({line["trace_id"] for line in found}) == 320


def test_a_lock_that_is_held_for_long_does_not_stop_anybody(places, monkeypatch):
    import fcntl

    monkeypatch.setattr("vademecum.files.write._PATIENCE_S", 0.1)
    record(places, "init", "one", "succeeded")
    with places.audit_log.open("a") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert record(places, "init", "two", "succeeded")
    assert [line["target"] for line in lines(places)] == ["one", "two"]


# --- what is damaged ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", [b'{"timestamp": "2025-', b"\0\0\0\0", b"\n\xff"])
def test_a_last_line_cut_in_half_does_not_swallow_the_next(places, end):
    record(places, "init", "one", "succeeded")
    with places.audit_log.open("ab") as log:
        log.write(end)
    record(places, "reindex", "two", "succeeded")
    record(places, "reindex", "three", "succeeded")
    assert [line["target"] for line in recent(places)] == ["one", "two", "three"]


def test_only_the_end_of_a_long_log_is_read(places):
    for number in range(3):
        record(places, "add", str(number), "succeeded")
    data = places.audit_log.read_bytes()
    places.audit_log.write_bytes(b'["' + b"x" * (1 << 20) + b'"]\n' + b"[" * 5000 + b"\n" + data)
    assert [line["target"] for line in recent(places)] == ["0", "1", "2"]
    assert last_lines(places.data / "none") == []


# --- what cannot be written --------------------------------------------------------------------------------------


def test_a_folder_in_its_place_stops_nobody(places, capsys):
    places.audit_log.mkdir(parents=True)
    done = False
    with audited(places, "init", "x"):
        done = True
    assert done
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert f"The audit log {places.audit_log} cannot be written: Is a directory." in said


def test_a_file_in_its_folders_place_stops_nobody(places, capsys):
    places.data.touch()
    assert not record(places, "init", "x", "succeeded")
    assert "cannot be written" in capsys.readouterr().err


def test_a_named_pipe_in_its_place_is_not_waited_for(places, capsys):
    places.data.mkdir()
    os.mkfifo(places.audit_log)
    assert not record(places, "init", "x", "succeeded")
    assert "not a regular file" in capsys.readouterr().err


def test_its_error_does_not_hide_the_action_s_own(places, capsys):
    places.audit_log.mkdir(parents=True)
    with pytest.raises(SourceError, match="gone"), audited(places, "add", "x"):
        raise SourceError("gone")
    assert "cannot be written" in capsys.readouterr().err


LIMITED = """
import resource, sys
from pathlib import Path
from vademecum.library.audit import record
from vademecum.files.places import Places
places = Places(Path(sys.argv[1]), Path(sys.argv[1]))
record(places, "init", "x", "succeeded")
size = places.audit_log.stat().st_size
resource.setrlimit(resource.RLIMIT_FSIZE, (size + 300, size + 300))
written = [record(places, "add", letter * 400, "succeeded") for letter in "ab"]
print(written, places.audit_log.stat().st_size == size)
"""


def test_of_a_line_that_finds_no_room_nothing_stays(places):
    """The system takes as much of the line as there is room for."""
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, places.data], capture_output=True, text=True, check=False
    )
    assert done.stdout == "[False, False] True\n", done.stderr
    assert done.stderr.count("cannot be written: No space left on device.") == 2
    record(places, "add", "z", "succeeded")
    assert [line["target"] for line in lines(places)] == ["x", "z"]


def test_on_a_full_disk_the_log_is_whole(small_disk, capsys):
    full = Places(small_disk, small_disk)
    record(full, "init", "x", "succeeded")
    with suppress(OSError), (small_disk / "filler").open("wb", 0) as file:
        while True:
            file.write(bytes(4096))
    for _ in range(20):  # the file's last block has some room
        record(full, "add", "y" * 900, "succeeded")
    assert "No space left on device" in capsys.readouterr().err
    assert {line["action"] for line in lines(full)} <= {"init", "add"}
    (small_disk / "filler").unlink()
    assert record(full, "add", "z", "succeeded")
    assert lines(full)[-1]["target"] == "z"


@pytest.fixture
def small_disk(tmp_path):
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", place]
    mounted = os.geteuid() == 0 and subprocess.run(mount, capture_output=True, check=False).returncode == 0
    if not mounted:
        pytest.skip("only root may mount a file system")
    yield place
    subprocess.run(["umount", "--lazy", place], check=True)


def test_what_is_written_is_on_the_disk_before_the_call_returns(places, tmp_path):
    """Of the audit log; questions are not worth waiting for."""
    append_line(places.audit_log, {"a": 1}, durable=True)
    append_line(Path(tmp_path / "other"), {"a": ["x", None, 1.5, {"b": True}]}, durable=False)
    assert (tmp_path / "other").read_text() == '{"a": ["x", null, 1.5, {"b": true}]}\n'
