"""A process that copies an index is killed at moments of chance: readers keep what they have, and the next run finishes."""

import os
import random
import signal
import subprocess
import sys
import time

import pytest

from vademecum.index.generations import Generations
from vademecum.index.stored import copy as store_copy
from vademecum.stores import open_store

KILLS = 20

pytestmark = [pytest.mark.cluster, pytest.mark.servers, pytest.mark.timeout(280)]


@pytest.fixture(params=["address", "chroma_address", "weaviate_address"])
def address_of_each(request):
    return request.getfixturevalue(request.param)


def test_nothing_is_lost_and_nothing_stays(library, address_of_each, moved, said, tmp_path):
    address = address_of_each
    stored = moved(library, address)
    stored.reindex()
    expected = said(stored, "how do we release")
    home = tmp_path / "home"
    (home / "ragcli").mkdir(parents=True)
    (home / "ragcli/config.yaml").write_text(f"ragadmin:\n  store: {address}\n")
    environment = os.environ | {
        "XDG_DATA_HOME": str(library.places.data.parent), "XDG_CONFIG_HOME": str(home)
    }  # fmt: skip
    command = [sys.executable, "-m", "vademecum.cli.ragadmin", "reindex", "--full"]
    chance = random.Random(7)  # noqa: S311 - so that a failure comes again
    began_s = time.monotonic()
    subprocess.run(command, env=environment, check=True, capture_output=True, timeout=120)
    whole_s = time.monotonic() - began_s
    killed = 0
    while killed < KILLS:
        process = subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            process.wait(chance.uniform(0.3, 1.0) * whole_s)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            killed += 1
        assert said(moved(library, address), "how do we release") == expected
    for _ in range(2):  # the second sweeps what only the last killed one had named
        subprocess.run(command, env=environment, check=True, capture_output=True, timeout=120)
    store = open_store(address)
    manifest = store_copy.check(store)
    current = {info.name for info in manifest.segments}
    files = Generations(library.places.index_folder).current()
    assert current == {info.name for info in files.segments}
    extra = store.segments() - current
    assert len([name for name in extra if name.startswith("generation-")]) == 2
    assert len(extra) == 2 + len(current)  # of the generation before, for those who have not noticed yet
    store.close()
    assert said(moved(library, address), "how do we release") == expected
