"""Fetch the indexes of a repository, as listed in its `Release` or `repomd.xml`."""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from xml.parsers import expat

from vademecum.core.errors import ConfigError, ModelMissing, ProviderError, VademecumError
from vademecum.desks.composer.packages.distributions import DEBIAN_ARCHITECTURES
from vademecum.desks.composer.packages.inflating import IndexUnusable
from vademecum.desks.composer.packages.reading import safe_parser
from vademecum.desks.composer.packages.repositories import Repository

if TYPE_CHECKING:
    from vademecum.net import Client

_LIST_BYTES = 16 << 20
_INDEX_BYTES = 512 << 20
_ENDINGS = (".xz", ".zst", ".gz", "")
"""How a Debian index may be compressed, the smallest first."""

_REPO = "{http://linux.duke.edu/metadata/repo}"
_HASHES = {"sha256": "sha256", "sha512": "sha512", "sha384": "sha384", "sha1": "sha1", "sha": "sha1"}
_SUM = re.compile(r" ([0-9a-f]{64}) +[0-9]{1,12} +(\S+)")
_INSIDE = re.compile(r"[A-Za-z0-9._~+-][A-Za-z0-9._~+/-]{0,300}")


class Index(NamedTuple):
    """A file that lists packages.

    Attributes:
        paths: Below the repository's address; the first that is there counts.
        hash: How its checksum is made (`sha256`), or "" if none is told.
    """

    paths: tuple[str, ...]
    hash: str = ""
    checksum: str = ""


class Unreachable(Exception):
    """A repository that cannot be asked, or does not have what it should. It becomes its state.

    Args:
        fault: `unreachable` or `missing`.
        message: What happened, in a sentence.
    """

    def __init__(self, fault: str, message: str) -> None:
        super().__init__(message)
        self.fault, self.message = fault, message


class Fetcher:
    """Reads from the repositories that it is given, and from nowhere else."""

    def __init__(self, client: "Client", timeout_s: float) -> None:
        self._client = client
        self._timeout_s = timeout_s

    def indexes(self, repository: Repository) -> list[Index]:
        """The indexes that a repository offers for its architecture."""
        return self._of_debian(repository) if repository.family == "deb" else [self._of_rpm(repository)]

    def download(self, repository: Repository, index: Index, path: Path) -> None:
        """Fetch an index into a file."""
        for place in index.paths:
            made = hashlib.new(index.hash or "sha256", usedforsecurity=False)
            try:
                with path.open("wb") as file:
                    for piece in self._pieces(repository, place, _INDEX_BYTES):
                        file.write(piece)
                        made.update(piece)
            except Unreachable as error:
                if error.fault == "missing" and place != index.paths[-1]:
                    continue
                raise
            if index.checksum and made.hexdigest() != index.checksum:
                raise IndexUnusable("checksum", f"{place} is not what the repository's own list says it is.")
            return

    def _of_debian(self, repository: Repository) -> list[Index]:
        flat = repository.suite.endswith("/")
        base = f"/{repository.suite}" if flat else f"/dists/{repository.suite}/"
        architecture = DEBIAN_ARCHITECTURES.get(repository.architecture, repository.architecture)
        folders = (
            [""] if flat else [f"{component}/binary-{architecture}/" for component in repository.components]
        )
        told = self._release(repository, base)
        found: list[Index] = []
        missing: list[str] = []
        for folder in folders:
            names = [f"{folder}Packages{ending}" for ending in _ENDINGS]
            if not told:
                found.append(Index(tuple(base + one for one in names)))
            elif name := next((one for one in names if one in told), ""):
                found.append(Index((base + name,), "sha256", told[name]))
            else:
                missing.append(folder.rstrip("/") or "its packages")
        if missing:
            raise Unreachable("missing", f"It lists no packages for {', '.join(missing)}.")
        return found

    def _release(self, repository: Repository, base: str) -> dict[str, str]:
        """The checksums in `Release` by path; nothing if there is no such file, or none in it."""
        for name in ("Release", "InRelease"):
            try:
                text = b"".join(self._pieces(repository, f"{base}{name}", _LIST_BYTES)).decode(
                    "utf-8", "replace"
                )
            except Unreachable as error:
                if error.fault != "missing":
                    raise
            else:
                return {
                    found[2]: found[1]
                    for line in text.split("\n")
                    if (found := _SUM.fullmatch(line.rstrip()))
                }
        return {}

    def _of_rpm(self, repository: Repository) -> Index:
        index = primary_of(b"".join(self._pieces(repository, "/repodata/repomd.xml", _LIST_BYTES)))
        if index is None:
            raise Unreachable("missing", "Its repomd.xml names no primary list of packages.")
        return index

    def _pieces(self, repository: Repository, path: str, limit_bytes: int) -> Iterator[bytes]:
        """A file of the repository in pieces."""
        from vademecum.net import Limits, place_of  # noqa: PLC0415 - it comes with the client

        limits = Limits(
            timeout_s=self._timeout_s, stall_s=30.0, retries=1, first_pause_s=0.5, stream_bytes=limit_bytes
        )
        size = 0
        try:
            place = place_of(repository.url)
            self._client.allow(place)
            with self._client.exchange(
                place, path, method="GET", limits=limits._replace(stream_bytes=limit_bytes + 1)
            ) as asked:
                for piece in asked:
                    size += len(piece)
                    if size > limit_bytes:
                        break
                    yield piece
        except ModelMissing:
            raise Unreachable("missing", f"{repository.url} has no {path}.") from None
        except (ProviderError, ConfigError) as error:
            raise Unreachable("unreachable", _why(error)) from error
        if size > limit_bytes:
            raise IndexUnusable("too-large", f"{path} has more than {limit_bytes:,} bytes.")


def _why(error: VademecumError) -> str:
    return error.message if error.message.endswith(".") else f"{error.message}."


def primary_of(text: bytes) -> Index | None:
    """The list of packages that a `repomd.xml` names; None if it names none."""
    found: dict[str, str] = {}
    path: list[str] = []
    primary: list[bool] = []
    parser = safe_parser()

    def start(tag: str, attributes: dict[str, str]) -> None:
        path.append(f"{{{tag}")
        if len(path) > 20:
            raise IndexUnusable("not-an-index", "Its repomd.xml is nested too deeply.")
        if path[1:] == [f"{_REPO}data"]:
            primary[:] = [attributes.get("type") == "primary"]
        elif primary == [True] and path[2:] == [f"{_REPO}location"]:
            found["path"] = attributes.get("href", "")
        elif primary == [True] and path[2:] == [f"{_REPO}checksum"]:
            found["hash"], found["sum"] = _HASHES.get(attributes.get("type", ""), ""), ""

    def end(_tag: str) -> None:
        path.pop()

    def said(data: str) -> None:
        if primary == [True] and path[2:] == [f"{_REPO}checksum"]:
            found["sum"] = (found["sum"] + data)[:200]

    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, said
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        message = f"Its repomd.xml cannot be read: {expat.errors.messages.get(error.code, 'a fault')} (line {error.lineno})."
        raise IndexUnusable("not-an-index", message) from error
    if "path" not in found:
        return None
    if not _INSIDE.fullmatch(found["path"]) or ".." in found["path"].split("/"):
        raise IndexUnusable("not-an-index", "Its repomd.xml names a list outside of the repository.")
    known = found.get("hash", "")
    return Index((f"/{found['path']}",), known, found.get("sum", "").strip().lower() if known else "")
