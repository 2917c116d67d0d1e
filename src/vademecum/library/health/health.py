"""The health of a library: check every component, and say how to fix problems.

Components are checked independently, so that a problem in one does not prevent the check of another. Their order is
`index_freshness`, `source_access`, `disk_capacity`, `index_integrity`, one for each configured backend,
`configuration`, `permissions` and `service`.
"""

import os
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from vademecum.config.library import load_settings, read_settings
from vademecum.core.errors import ConfigError, VademecumError
from vademecum.files.folders import socket_file
from vademecum.files.places import Places
from vademecum.index.catalog.catalog import Catalog
from vademecum.index.generations import Generations
from vademecum.index.recovery import catalog_of, standing
from vademecum.library.health.backends import probes as configured_probes
from vademecum.library.health.diagnosis import Finding, HealthResult, Severity, summed_up
from vademecum.library.health.files import permissions
from vademecum.library.health.index import index_freshness, index_integrity
from vademecum.library.health.probing import Patience, Probe, persist, why
from vademecum.library.health.source_access import source_access

LOW_PERCENT, TOO_LOW_PERCENT = 10, 8
"""The percentages of free disk space at or below which there is a warning, and a failure."""


def check(
    places: Places,
    *,
    probes: Sequence[Probe] | None = None,
    patience: Patience | None = None,
    on_wait: Callable[[str], None] = lambda _said: None,
) -> list[HealthResult]:
    """Check every component.

    Args:
        probes: The probes of backends; by default, those of the configuration.
        patience: The timeouts and pauses for mounts and services that do not respond.
        on_wait: Called with a message before each pause.
    """
    patient = patience or Patience()
    generations = Generations(places.index_folder)
    catalog = catalog_of(places, generations)
    asked = configured_probes(places) if probes is None else probes
    looks: list[tuple[str, Callable[[], HealthResult]]] = [
        (
            "index_freshness",
            lambda: index_freshness(generations, catalog, places, timeout_s=patient.timeout_s),
        ),
        ("source_access", lambda: source_access(catalog, patient, on_wait)),
        ("disk_capacity", lambda: disk_capacity(places)),
        ("index_integrity", lambda: index_integrity(generations)),
    ]
    if _is_only_in_store(places):
        looks = [(name, look) for name, look in looks if not name.startswith("index_")]
    looks += [
        *((one.name, partial(backend, one, patient, on_wait)) for one in asked),
        ("configuration", lambda: configuration(places, catalog, generations)),
        ("permissions", lambda: permissions(places)),
        ("service", lambda: service(places, Path(socket_file()), patient)),
    ]
    return [_guarded(component, look) for component, look in looks]


def _is_only_in_store(places: Places) -> bool:
    """Return whether the index is searched in a store, and there is none on this machine."""
    try:
        stored = load_settings(places.settings_file, places.settings_copy).store != "files"
    except ConfigError:
        return False
    return stored and not places.index_folder.exists()


def disk_capacity(places: Places, statvfs: Callable[[Path], os.statvfs_result] = os.statvfs) -> HealthResult:
    """Check the free space on the disk that contains the data, and on that of the index if it is a different one.

    Free space and free inodes are both checked. Space that is reserved for the superuser is not free.

    Args:
        places: The folders. If one does not exist yet, the disk of its nearest parent is checked.
        statvfs: Returns the statistics of a file system.
    """
    findings, well, seen = [], "", set[int]()
    for folder in (places.data, places.index_folder):
        place = next(one for one in (folder, *folder.parents) if one.exists())
        if (device := place.stat().st_dev) in seen:
            continue
        seen.add(device)
        disk = statvfs(place)
        free = disk.f_bavail * disk.f_frsize / 1e9
        shares = [(disk.f_bavail, disk.f_blocks, f"{free:,.1f} GB")]
        shares.append((disk.f_favail, disk.f_files, f"{disk.f_favail:,} entries for files"))
        for left, total, amount in shares:
            if total <= 0:
                continue  # not reported
            said = f"{100 * left / total:.1f} % ({amount}) of the disk holding {place} is free"
            well = well or f"{said}."
            if 100 * left <= LOW_PERCENT * total:
                severity: Severity = "fail" if 100 * left <= TOO_LOW_PERCENT * total else "warn"
                limit = TOO_LOW_PERCENT if severity == "fail" else LOW_PERCENT
                findings.append(
                    Finding(
                        severity,
                        f"{said}, {limit} % or less.",
                        f"Free some space; what is large: du -xh {place} | sort -h | tail",
                        "DISK_FULL" if severity == "fail" else "",
                    )
                )
    return summed_up(
        "disk_capacity", findings, well or f"The disk holding {places.data} does not say its size."
    )


def backend(probe: Probe, patience: Patience, on_wait: Callable[[str], None]) -> HealthResult:
    """Check whether a configured backend responds, retrying as `patience` specifies."""

    def waited(fault: Exception, pause_s: float) -> None:
        on_wait(f"{probe.name}: {why(fault)}; trying again in {pause_s:g} s")

    try:
        said = persist(partial(probe.ask, patience.timeout_s), patience, on_wait=waited)
    except VademecumError as error:
        return HealthResult(probe.name, "fail", error.message, error.hint or probe.remedy, error.code)
    except (OSError, ValueError) as error:
        message = f"{probe.name} does not answer as it should: {why(error)}."
        return HealthResult(probe.name, "fail", message, probe.remedy, "PROVIDER_FAILED")
    return HealthResult(probe.name, "pass", said)


def configuration(places: Places, catalog: Catalog, generations: Generations) -> HealthResult:
    """Check whether the configuration file and the catalog are valid, and whether the catalog was lost."""
    findings = []
    try:
        if places.settings_file.exists():
            read_settings(places.settings_file)
    except ConfigError as error:
        findings.append(Finding("fail", error.message, error.hint, error.code))
    try:
        catalog.entries()
    except ConfigError as error:
        findings.append(Finding("fail", error.message, error.hint, error.code))
    else:
        known = standing(generations)
        if known and known.sources and not catalog.path.exists():
            message = f"The catalog of sources, {catalog.path}, is missing; the index knows its {len(known.sources)} sources."
            findings.append(Finding("warn", message, "ragadmin init"))
    return summed_up("configuration", findings, "The configuration and the catalog can be used.")


def service(places: Places, socket: Path, patience: Patience) -> HealthResult:
    """Check whether the background service, if there is one, responds.

    A problem is never a failure, because the commands work without the service. If no process listens, there is no
    retry; a service that does not respond, or reports an error, is tried once more.
    """
    from vademecum.library.service.client import Service  # noqa: PLC0415 - needed only if there may be a service

    if not socket.exists():
        return HealthResult("service", "pass", "It does not run; the commands do its work themselves.")
    if not socket.is_socket():
        return HealthResult("service", "warn", f"{socket} is not a socket.", f"rm {socket}")
    asked = Service(str(places.data), str(places.config), str(socket))
    fault = ""
    for pause_s in (*patience.pauses_s[:1], 0.0):
        try:
            if asked.health() is not None:
                return HealthResult("service", "pass", f"It answers at {socket}.")
            fault = asked.why
        except VademecumError as error:
            fault = error.message.rstrip(".")
        if not fault:
            message = f"The service behind {socket} is dead: nobody listens."
            return HealthResult(
                "service", "warn", message, f"rm {socket}  # then, if it is wanted: ragadmin serve"
            )
        time.sleep(pause_s)
    message = f"The service behind {socket} does not answer as it should: {fault}."
    return HealthResult("service", "warn", message, "Stop it and start it again: ragadmin serve")


def _guarded(component: str, look: Callable[[], HealthResult]) -> HealthResult:
    """Run a check. An exception becomes a failure of the component."""
    try:
        return look()
    except VademecumError as error:
        return HealthResult(component, "fail", error.message, error.hint, error.code)
    except (OSError, ValueError) as error:
        return HealthResult(
            component, "fail", f"It cannot be checked: {why(error)}.", "Check owner and permissions."
        )
