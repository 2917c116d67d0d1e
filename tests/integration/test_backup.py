"""Backups: everything comes back, also while somebody writes; and what is damaged, newer or too large changes nothing."""

import errno
import hashlib
import json
import os
import shutil
import sqlite3
import threading
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from commands import run_command
from vademecum import Collections, DiskFull, IndexLocked, Library, Places, StoreError
from vademecum.files.locks import locked
from vademecum.library import backup as module
from vademecum.library.backup import back_up, check, restore

NOTE = "# Shed\n\nThe shed key hangs behind the door.\n"


@pytest.fixture
def folders(tmp_path):
    """The folders of somebody with a library, a collection, keys and a database."""
    home = tmp_path / "home"
    found = {name: home / name for name in module.roots()}
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "shed.md").write_text(NOTE)
    with Library.open(Places(found["data-ragcli"], found["config-ragcli"])) as library:
        for source in library.sources():
            library.remove_source(source.alias)
        library.add(notes)
    team = Collections(found["data-vademecum"] / "collections").create("team")
    team.library.add(notes)
    keys = found["data-vademecum"] / "server/keys.json"
    keys.parent.mkdir(parents=True)
    keys.write_text("{}")
    keys.chmod(0o600)
    (found["data-ragcli"] / "kiwix").mkdir()
    (found["data-ragcli"] / "kiwix/big.zim").write_bytes(bytes(1000))
    with closing(sqlite3.connect(found["data-vademecum"] / "server/state.db")) as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("CREATE TABLE said (words TEXT)")
        database.execute("INSERT INTO said VALUES ('hello')")
        database.commit()
    return found


def moved(folders, tmp_path):
    return {name: tmp_path / "elsewhere" / name for name in folders}


def test_everything_comes_back(folders, tmp_path):
    made = back_up(tmp_path / "all.zip", folders)
    assert made.files > 10
    assert made.left_out == ()
    assert (tmp_path / "all.zip").stat().st_mode & 0o777 == 0o600
    assert check(made.file).files == made.files
    there = moved(folders, tmp_path)
    assert restore(made.file, there).files == made.files
    with Library.open(Places(there["data-ragcli"], there["config-ragcli"])) as library:
        assert library.ask("Where is the shed key?").summary[0].text == "The shed key hangs behind the door."
    team = Collections(there["data-vademecum"] / "collections").get("team")
    assert not team.library.ask("Where is the shed key?").no_answer
    assert (there["data-vademecum"] / "server/keys.json").stat().st_mode & 0o777 == 0o600
    with closing(sqlite3.connect(there["data-vademecum"] / "server/state.db")) as database:
        assert database.execute("SELECT words FROM said").fetchall() == [("hello",)]
    assert not (there["data-ragcli"] / "kiwix").exists()
    assert [path.name for path in (tmp_path / "elsewhere").iterdir() if path.name.startswith(".")] == []


def test_without_indexes(folders, tmp_path):
    whole, small = (
        back_up(tmp_path / name, folders, indexes=indexes) for name, indexes in (("a", True), ("b", False))
    )
    assert small.files < whole.files
    there = moved(folders, tmp_path)
    restore(small.file, there)
    with Library.open(Places(there["data-ragcli"], there["config-ragcli"])) as library:
        assert library.reindex().documents == 1
        assert not library.ask("Where is the shed key?").no_answer


def test_links_and_odd_names_are_named(folders, tmp_path):
    server = folders["data-vademecum"] / "server"
    (server / "link").symlink_to("/etc/hostname")
    (server / "linked").symlink_to("/etc")
    Path(os.fsdecode(os.fsencode(server) + b"/odd\xff")).write_text("x")
    made = back_up(tmp_path / "all.zip", folders)
    assert sorted(Path(path).name for path in made.left_out) == ["link", "linked", "odd\\udcff"]
    with zipfile.ZipFile(made.file) as archive:
        assert not [name for name in archive.namelist() if name.endswith("/link") or "/linked" in name]


def test_never_overwrites_existing_data(folders, tmp_path):
    made = back_up(tmp_path / "all.zip", folders)
    with pytest.raises(StoreError, match="already exists"):
        back_up(made.file, folders)
    (folders["data-vademecum"] / "server/keys.json").write_text('{"new": true}')
    with pytest.raises(StoreError, match="already contains data"):
        restore(made.file, folders)
    kept = restore(made.file, folders, replace=True).kept
    assert (folders["data-vademecum"] / "server/keys.json").read_text() == "{}"
    (before,) = [folder for folder in kept if folder.name.startswith("data-vademecum.before-")]
    assert (before / "server/keys.json").read_text() == '{"new": true}'


def test_a_backup_is_not_part_of_itself(folders):
    for folder in folders.values():
        for place in (folder / "all.zip", folder / "sub/../all.zip"):
            with pytest.raises(StoreError, match="which is one of the folders being backed up"):
                back_up(place, folders)
        assert not list(folder.glob("*all.zip*"))


def test_a_backup_beside_a_writer_is_of_one_moment(folders, tmp_path):
    stop = threading.Event()

    def write():
        with closing(sqlite3.connect(folders["data-vademecum"] / "server/state.db")) as database:
            while not stop.is_set():
                database.execute("INSERT INTO said VALUES ('more')")
                database.execute("INSERT INTO said VALUES ('more')")
                database.commit()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        made = back_up(tmp_path / "all.zip", folders)
    finally:
        stop.set()
        writer.join()
    there = moved(folders, tmp_path)
    restore(made.file, there)
    with closing(sqlite3.connect(there["data-vademecum"] / "server/state.db")) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert database.execute("SELECT count(*) FROM said").fetchone()[0] % 2 == 1


def test_an_index_that_is_written_is_waited_for(folders, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_PATIENCE_S", 0.1)
    with locked(folders["data-ragcli"] / "index/lock"), pytest.raises(IndexLocked, match="is being written"):
        back_up(tmp_path / "all.zip", folders)
    assert not list(tmp_path.glob("*all.zip*"))


# --- what cannot be used ------------------------------------------------------------------------------------------------


def changed(file, to, manifest=None, **parts):
    """A copy of a backup with another manifest, or other parts."""
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(to, "w") as new:
        said = json.loads(old.read("backup.json"))
        for name in old.namelist():
            if name != "backup.json":
                new.writestr(name, parts.get("content", old.read(name)))
        new.writestr("backup.json", json.dumps(manifest(said) if manifest else said))
    return to


def listed(said, name):
    entry = {"size": 1, "sha256": hashlib.sha256(b"x").hexdigest(), "mode": 384}
    return {**said, "files": {**said["files"], name: entry}}


ODD = {
    "newer": (lambda said: {**said, "format": 99, "version": "9.0"}, r"newer version \(9.0\)"),
    "without a format": (lambda _said: {"files": {}}, "not a backup"),
    "a list": (lambda _said: [], "not a backup"),
    "out of its folder": (
        lambda said: listed(said, "data-ragcli/../../../etc/passwd"),
        "outside Vademecum.s folders",
    ),
    "an absolute path": (lambda said: listed(said, "/etc/passwd"), "outside Vademecum.s folders"),
    "another folder": (lambda said: listed(said, "elsewhere/x"), "outside Vademecum.s folders"),
    "without a part": (lambda said: listed(said, "data-ragcli/missing"), "damaged"),
}


@pytest.mark.parametrize("name", ODD)
def test_a_backup_of_something_else_changes_nothing(folders, tmp_path, name):
    manifest, said = ODD[name]
    made = back_up(tmp_path / "all.zip", folders)
    there = moved(folders, tmp_path)
    odd = changed(made.file, tmp_path / "odd.zip", manifest)
    for use in (check, lambda file: restore(file, there)):
        with pytest.raises(StoreError, match=said) as caught:
            use(odd)
        assert caught.value.hint
    assert not any(folder.exists() for folder in there.values())


def test_a_damaged_backup_changes_nothing(folders, tmp_path):
    made = back_up(tmp_path / "all.zip", folders)
    there = moved(folders, tmp_path)
    whole = made.file.read_bytes()
    for number, size in enumerate((0, 10, len(whole) // 2, len(whole) - 5)):
        cut = tmp_path / f"cut{number}.zip"
        cut.write_bytes(whole[:size])
        with pytest.raises(StoreError):
            restore(cut, there)
    with pytest.raises(StoreError, match="does not match its checksum"):
        restore(changed(made.file, tmp_path / "other.zip", content=b"other"), there)
    assert not any(folder.exists() for folder in there.values())
    assert list((tmp_path / "elsewhere").glob(".*")) == []
    for place, said in ((tmp_path / "none.zip", "no file"), (tmp_path, "is a folder")):
        with pytest.raises(StoreError, match=said):
            restore(place, there)


def test_a_full_disk_leaves_nothing(folders, tmp_path, monkeypatch):
    made = back_up(tmp_path / "all.zip", folders)
    there = moved(folders, tmp_path)

    def full(*_arguments, **_options):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DiskFull):
        back_up(tmp_path / "more.zip", folders)
    assert not list(tmp_path.glob("*more*"))
    monkeypatch.setattr(module, "_copy", full)
    with pytest.raises(DiskFull):
        restore(made.file, there)
    assert not any(folder.exists() for folder in there.values())


def test_an_exchange_that_fails_is_undone(folders, tmp_path, monkeypatch):
    made = back_up(tmp_path / "all.zip", folders)
    (folders["data-vademecum"] / "server/keys.json").write_text('{"new": true}')
    real = Path.rename

    def rename(self, to):
        if "restore" in self.name and "data-vademecum" in self.name:
            raise PermissionError(errno.EACCES, "Permission denied")
        return real(self, to)

    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(StoreError, match="was not restored: Permission denied"):
        restore(made.file, folders, replace=True)
    assert (folders["data-vademecum"] / "server/keys.json").read_text() == '{"new": true}'
    assert not list(folders["data-vademecum"].parent.glob("*before*"))
    assert not list(folders["data-vademecum"].parent.glob(".restore*"))


def test_the_commands(folders, tmp_path):
    home = tmp_path / "person"
    for name, place in {
        "data-ragcli": ".local/share/ragcli",
        "data-vademecum": ".local/share/vademecum",
    }.items():
        shutil.copytree(folders[name], home / place)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}

    def run(*words, at=home, code=0):
        done = run_command("vademecum", *words, env={**environment, "HOME": str(at)}, cwd=tmp_path)
        assert done.returncode == code, done.stderr
        return done.stdout + done.stderr

    assert run("backup", "b.zip").startswith("Wrote b.zip: ")
    assert "b.zip already exists." in run("backup", "b.zip", code=1)
    assert run("restore", "--check", "b.zip").startswith("The backup is valid: ")
    assert "--replace" in run("restore", "b.zip", code=1)
    assert "the previous data is in" in run("restore", "b.zip", "--replace")
    assert json.loads(run("restore", "b.zip", "--json", at=tmp_path / "new"))["files"] > 10
