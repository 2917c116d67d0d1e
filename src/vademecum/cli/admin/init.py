"""`ragadmin init`: create the folders, configuration and catalog, and check what the configuration names."""

import sys

from vademecum.cli._command import Options
from vademecum.config import presets
from vademecum.core.errors import VademecumError
from vademecum.library.audit import audited
from vademecum.library.health.backends import probes
from vademecum.library.health.health import backend
from vademecum.library.health.probing import Patience
from vademecum.library.internal import InternalLibrary
from vademecum.text.printable import printable


def init(library: InternalLibrary, asked: Options) -> int:
    """Create missing files and folders, and check the configured backends. Files of the user are not changed.

    Returns:
        1 if a configured backend is unavailable; otherwise 0.
    """
    if asked.print:
        print(presets.text_of(asked.backend or "builtin", asked.store), end="")
        return 0
    wrote = False
    try:
        with audited(library.places, "init", library.places.data) as going_on:
            wrote = bool(asked.backend) and presets.write(
                library.places.settings_file, asked.backend, asked.store
            )
            if wrote:
                print(f"wrote  {library.places.settings_file}", flush=True)
            prepared = library.prepare()
            if wrote:
                del prepared[library.places.settings_file]
            going_on.message = f"{sum(prepared.values())} of {len(prepared)} made"
        for path, made in prepared.items():
            print(f"{'made' if made else 'kept'}  {path}")
        for entry in library.sources():
            print(f"source  {entry.alias}: {printable(entry.location)} ({entry.status})")
            if entry.notes:
                print(f"        {printable(entry.notes)}")
        missing = _missing(library)
    except VademecumError:
        if wrote:
            _put_back(library)
        raise
    if missing and wrote:
        _put_back(library)
    elif any(entry.status == "pending" for entry in library.sources()):
        print("Next: ragadmin reindex")
    return 1 if missing else 0


def _put_back(library: InternalLibrary) -> None:
    """Restore the previous configuration, if there was one, so that a working one is not replaced by one that fails."""
    file = library.places.settings_file
    if presets.put_back(file):
        print(f"ragadmin: {file} was restored.", file=sys.stderr)


def _missing(library: InternalLibrary) -> int:
    """Check all configured backends, and return the number of unavailable ones."""
    settings = library.settings
    if (
        not settings.model
        and not settings.models
        and settings.embedder == "builtin"
        and settings.store == "files"
    ):
        return 0

    def waiting(said: str) -> None:
        print(f"ragadmin: {printable(said)}", file=sys.stderr, flush=True)

    sys.stdout.flush()
    missing = 0
    for probe in probes(library.places):
        found = backend(probe, Patience(), waiting)
        if found.severity == "pass" or found.error_code == "INDEX_MISSING":  # the index is built next
            print(f"found  {found.component}: {printable(found.message)}")
        else:
            missing += 1
            print(f"ragadmin: {found.component}: {printable(found.message)}", file=sys.stderr)
            print(printable(found.remedy), file=sys.stderr)
    return missing
