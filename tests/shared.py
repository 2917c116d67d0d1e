"""What many tests share: the folders of a person, and waiting for something."""

import gzip
import io
import json
import os
import re
import select
import shutil
import subprocess
import sys
import time
import zipfile
from contextlib import suppress
from pathlib import Path

from vademecum import Library, Places

DATA = Path(__file__).parent / "data"


def process_of(program):
    """The command line of one of our commands as a process of its own."""
    return [sys.executable, "-m", f"vademecum.cli.{program.replace('-', '_')}"]


def environment(folder, **more):
    """The environment of a person whose folders are in this one."""
    return {**os.environ, "XDG_DATA_HOME": f"{folder}/data", "XDG_CONFIG_HOME": f"{folder}/config", **more}


def places_in(folder):
    return Places(folder / "data/ragcli", folder / "config/ragcli")


def library_in(folder):
    return Library.open(places_in(folder))


def places_of_every_kind(folder):
    """What there is a source of each type of, by the type."""
    shutil.copytree(DATA / "manual", folder / "manual")
    (folder / "info").mkdir()
    (folder / "info/sample.info.gz").write_bytes(gzip.compress((DATA / "info/sample.info").read_bytes()))
    shutil.copy(DATA / "zim/handbook.zim", folder)
    (folder / "pages/common").mkdir(parents=True)
    (folder / "pages/common/tar.md").write_text(
        "# tar\n\n> Archiving utility.\n\n- Extract an archive:\n\n`tar xf {{path/to/archive.tar}}`\n"
    )
    (folder / "notes").mkdir()
    (folder / "notes/seal.md").write_text("# Sealing\n\nAn envelope is sealed with a walrus.\n")
    names = {"man": "manual", "info": "info", "kiwix": "handbook.zim", "tldr": "pages", "docs": "notes"}
    return {kind: folder / name for kind, name in names.items()}


def library_of(places, *locations):
    """Index these sources, and none of the machine's own."""
    library = Library(places)
    for entry in library.sources():
        library.remove_source(entry.alias)
    for location in locations:
        library.add_source(location)
    library.reindex()
    return library


def machine_with(folder, pages, notes):
    """Index manual pages and notes, and return the places of their library.

    Args:
        folder: A new folder.
        pages: The roff of pages of section 1, by name.
        notes: The texts of notes, by the names of their files.
    """
    for place, files in (("man/man1", {f"{name}.1": text for name, text in pages.items()}), ("notes", notes)):
        (folder / place).mkdir(parents=True)
        for name, text in files.items():
            (folder / place / name).write_text(text)
    places = Places(folder / "data", folder / "config")
    library_of(places, folder / "man", folder / "notes")
    return places


def configure(folder, text):
    file = places_in(folder).settings_file
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def zipped(**files):
    place = io.BytesIO()
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return place.getvalue()


def check_blocks(document):
    """Blocks of a manual page follow one another, and each is words with a tag and an anchor of its own."""
    assert document.blocks
    end = 0
    for block in document.blocks:
        assert block.start >= end
        end = block.end
        text = document.text[block.start : block.end]
        assert text
        assert text == text.strip()
        assert block.start <= block.tag_end <= block.end
        assert (block.tag_end > block.start) == (block.kind == "item")
    assert end <= len(document.text)
    anchors = [block.anchor for block in document.blocks if block.anchor]
    assert len(anchors) == len(set(anchors))


def ask_on(page, question, *, inside="", shown=".scale"):
    page.fill("#question", question)
    page.press("#question", "Enter")
    page.wait_for_selector(f"{inside}.answer:last-child {shown}")
    return page.locator(f"{inside}.answer").last


def alive(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def objects_of(text):
    return [json.loads(line) for line in text.splitlines()]


def wait_until(holds, seconds=60):
    ends_s = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < ends_s, "it did not happen in time"
        time.sleep(0.01)


def copy_home(folder, target):
    """Copy the folder of a person with a library. Most bytes of an index are holes, which only `cp` leaves out."""
    subprocess.run(["cp", "--archive", "--sparse=always", folder, target], check=True)
    catalog = places_in(target).catalog_file
    catalog.write_text(catalog.read_text().replace(str(folder), str(target)))
    return target


def open_sockets(pid="self"):
    found = 0
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(OSError):  # it was closed meanwhile
            found += str(entry.readlink()).startswith("socket:")
    return found


def imported(code, *arguments, env, flags=()):
    """What a process imports, by the interpreter's own account."""
    done = subprocess.run(
        [sys.executable, *flags, "-X", "importtime", "-c", code, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={name: value for name, value in env.items() if not name.startswith("COV")},
    )
    assert done.returncode == 0, done.stderr[-500:]
    found = set(re.findall(r"\| +([\w.]+)$", done.stderr, re.MULTILINE))
    return {name for name in found if name.partition(".")[0] != "org"}  # `copy` looks for Jython


def run_process(program, *words, env, given=None, text=True):
    """Run a command as a process of its own, for what one process cannot show: several at once, or how it starts."""
    command = [*process_of(program), *map(os.fspath, words)]
    return subprocess.run(
        command, capture_output=True, text=text, check=False, timeout=100, env=env, input=given
    )


def read_until(terminal, mark):
    """What a terminal shows until a mark, or until its other side is closed."""
    found = b""
    waiting = select.poll()  # `select.select` takes no file number above 1,023
    waiting.register(terminal, select.POLLIN)
    while mark is None or mark not in found:
        assert waiting.poll(60_000), f"nothing came after {found!r}"
        try:
            found += os.read(terminal, 4096)
        except OSError:  # the other side is closed
            return found
    return found
