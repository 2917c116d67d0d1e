"""`ragadmin serve` and `ragadmin service`: the background service, its systemd units, and its status."""

import os
import sys
from pathlib import Path

from vademecum.cli._command import Options
from vademecum.core.errors import ConfigError
from vademecum.files.folders import socket_file, unit_folder
from vademecum.library.internal import InternalLibrary
from vademecum.library.service.client import SWITCH, Service

_IDLE_S = 1800
"""The time after which an idle installed service stops, in seconds. Its socket starts it again."""


def serve(library: InternalLibrary, asked: Options) -> int:
    """Run the background service."""
    from vademecum.server.local.run import run  # noqa: PLC0415 - other commands need no server

    def ready(where: str) -> None:
        print(f"Listening on {where}", flush=True)

    run(library.places, idle_timeout_s=asked.idle_timeout, on_ready=ready)
    print("Stopped", flush=True)
    return 0


def install(library: InternalLibrary, asked: Options) -> int:
    """Write or print the systemd units, and print how to enable them."""
    from vademecum.files.write import replace_file  # noqa: PLC0415 - other commands write no files
    from vademecum.index.catalog.changes import watched  # noqa: PLC0415 - the same
    from vademecum.server.listen.units import PATHS, SOCKET, reindex_units, units  # noqa: PLC0415 - the same

    folder = Path(unit_folder())
    written = units(library.places, sys.executable, socket_file(), _IDLE_S)
    if asked.reindex:
        folders = watched(library.sources())
        if not folders:
            raise ConfigError("There is no folder to watch.", hint="Add a source: ragadmin sources add PATH")
        written |= reindex_units(library.places, sys.executable, folders)
    for name, text in written.items():
        if asked.print:
            print(f"# {folder / name}\n{text}")
            continue
        try:
            replace_file(folder / name, text)
        except OSError as error:
            message = f"{folder / name} cannot be written: {error.strerror}."
            raise ConfigError(message, hint="Check the folder's owner and permissions.") from error
        print(f"wrote  {folder / name}")
    if not asked.print:
        print("Next: systemctl --user daemon-reload")
        print(f"      systemctl --user enable --now {SOCKET}{f' {PATHS}' if asked.reindex else ''}")
    return 0


def status(library: InternalLibrary, asked: Options) -> int:
    """Print the status of the background service; return 1 if it is not running."""
    del asked
    service = Service(str(library.places.data), str(library.places.config), socket_file())
    health = service.health()
    if health is None:
        print(f"No service is running on {socket_file()}" + (f": {service.why}" if service.why else ""))
        print("Start it with: ragadmin serve, or: ragadmin service install")
        return 1
    generation = health["generation"]
    print(f"A service is running on {socket_file()}")
    print(f"version     {health['version']}")
    print(f"generation  {'none yet: ragadmin reindex' if generation is None else generation}")
    print(f"memory      {health['memory_bytes'] / 1e6:.1f} MB private")
    print(f"up          {health['uptime_s']:.0f} s, process {health['pid']}")
    print(f"data        {health['data']}")
    if health["reindexing"]:
        print("It is reindexing.")
    if health["data"] != str(library.places.data) or health["config"] != str(library.places.config):
        print("It serves other folders, so commands do not use it.")
    if os.environ.get(SWITCH, ""):
        print(f"{SWITCH}={os.environ[SWITCH]} is set.")
    return 0
