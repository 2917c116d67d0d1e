"""A process that writes an index is killed at moments of chance: readers keep what they have, and the next run finishes."""

import os
import random
import signal
import subprocess
import sys
import time

import pytest

from vademecum.index.generations import Generations
from vademecum.index.shared import writer
from vademecum.stores import open_engine

KILLS = 20

pytestmark = [pytest.mark.cluster, pytest.mark.servers, pytest.mark.timeout(280)]


@pytest.fixture(params=["address", "opensearch_address", "weaviate_address"])
def address_of_each(request):
    return request.getfixturevalue(request.param)


@pytest.mark.usefixtures("by_words")
def test_nothing_is_lost(library, address_of_each, moved, tmp_path, notes):
    address = address_of_each
    stored = moved(library, address)
    stored.reindex()
    expected = stored.ask("how do we release").summary
    home = tmp_path / "home"
    (home / "ragcli").mkdir(parents=True)
    (home / "ragcli/config.yaml").write_text(f"ragadmin:\n  store: {address}\n")
    environment = os.environ | {
        "XDG_DATA_HOME": str(library.places.data.parent), "XDG_CONFIG_HOME": str(home)
    }  # fmt: skip
    command = [sys.executable, "-m", "vademecum.cli.ragadmin", "reindex"]
    chance = random.Random(7)  # noqa: S311 - so that a failure comes again
    note = notes / "changing.md"

    def change(number):
        """Write more and other notes, so that there is something to write and to remove."""
        note.write_text(f"# Changing {number}\n\nThe trombone has number {number}.\n")
        for at in range(40):
            (notes / f"many{at}.md").write_text(f"# Many {at}\n\nIn round {number} this was {at * number}.\n")

    change(1)
    began_s = time.monotonic()
    subprocess.run(command, env=environment, check=True, capture_output=True, timeout=120)
    whole_s = time.monotonic() - began_s
    killed = number = 1
    while killed <= KILLS:
        change(number := number + 1)
        process = subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            process.wait(chance.uniform(0.4, 1.0) * whole_s)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            killed += 1
        assert moved(library, address).ask("how do we release").summary == expected
    for _ in range(2):
        subprocess.run(command, env=environment, check=True, capture_output=True, timeout=120)
    engine = open_engine(address)
    manifest = writer.check(engine)
    files = Generations(library.places.index_folder).current()
    assert manifest.documents == files.documents
    engine.close()
    asking = moved(library, address)
    assert f"number {number}" in asking.ask("which number has the trombone").summary[0].text
    for file in (note, *notes.glob("many*.md")):
        file.unlink()
