"""What many tests share: the folders of a person, and waiting for something."""

import io
import json
import os
import select
import subprocess
import sys
import time
import zipfile
from pathlib import Path

from vademecum import Library, Places


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
    library = Library(places)
    for entry in library.sources():
        library.remove_source(entry.alias)
    library.add_source(folder / "man", type="man")
    library.add_source(folder / "notes")
    library.reindex()
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
