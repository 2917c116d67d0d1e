"""Update the package indexes. Each repository is fetched separately, so one that is down does not affect the others."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from vademecum.core.errors import ConfigError
from vademecum.desks.composer.packages.fetching import Fetcher, Index, Unreachable
from vademecum.desks.composer.packages.inflating import IndexUnusable, inflated
from vademecum.desks.composer.packages.reading import Package, debian_packages, rpm_packages
from vademecum.desks.composer.packages.repositories import Repository, Role
from vademecum.desks.composer.packages.store import Known, PackageStore, Writer

if TYPE_CHECKING:
    from vademecum.net import Client

State = Literal["synced", "unchanged", "empty", "stale", "failed"]
TIMEOUT_S = 600.0


class Synced(NamedTuple):
    """What came of one repository.

    Attributes:
        known: What is known of it now.
        state: `synced`, `unchanged` (what it offers is what is kept), `empty`, `stale` (it failed, and what was kept before
            serves on), or `failed` (and nothing is kept).
    """

    known: Known
    state: State

    @property
    def is_fine(self) -> bool:
        """Return whether nothing is to be said of it."""
        return self.state in {"synced", "unchanged"}


def sync(
    repositories: Sequence[Repository],
    store: PackageStore,
    *,
    timeout_s: float = TIMEOUT_S,
    tell: Callable[[Repository], None] = lambda _: None,
    whole: Collection[Role] = ("system", "template"),
) -> list[Synced]:
    """Read repositories again, in their order. One that offers what is kept already is not read."""
    found: list[Synced] = []
    with store.writing() as writer, _client() as client:
        fetcher = Fetcher(client, timeout_s)
        for repository in repositories:
            tell(repository)
            found.append(_synced(repository, fetcher, store, writer))
        writer.forget_all_but(repositories, {one.version for one in repositories}, whole)
    return found


def _synced(repository: Repository, fetcher: Fetcher, store: PackageStore, writer: Writer) -> Synced:
    old = writer.known.get(repository.id)
    try:
        indexes = fetcher.indexes(repository)
        fingerprint = _fingerprint(indexes)
        if old and fingerprint and old.fingerprint == fingerprint and store.is_sound(old):
            return Synced(writer.note(repository), "unchanged" if old.packages else "empty")
        known = writer.keep(
            repository, _packages(repository, indexes, fetcher, writer.scratch("download")), fingerprint
        )
    except (Unreachable, IndexUnusable) as error:
        known = writer.note(repository, error.fault, error.message)
    if known.fault:
        return Synced(known, "stale" if known.read_s else "failed")
    return Synced(known, "synced" if known.packages else "empty")


def _packages(
    repository: Repository, indexes: Iterable[Index], fetcher: Fetcher, path: Path
) -> Iterator[Package]:
    read = debian_packages if repository.family == "deb" else rpm_packages
    for index in indexes:
        try:
            fetcher.download(repository, index, path)
            with path.open("rb") as file:
                yield from read(inflated(file))
        finally:
            path.unlink(missing_ok=True)


def _fingerprint(indexes: Iterable[Index]) -> str:
    """Of what the repository says of its indexes; "" if it does not say it of all."""
    told = [(index.paths[0], index.checksum) for index in indexes]
    return sha256(repr(told).encode()).hexdigest() if told and all(checksum for _, checksum in told) else ""


def _client() -> "Client":
    try:
        from vademecum.net import Client  # noqa: PLC0415 - some 0.2 s that nothing else here needs
    except ModuleNotFoundError as error:
        message = f"Reading repositories needs {error.name}, which is not installed."
        raise ConfigError(message, hint="Install it with: pip install 'vademecum[models]'") from error
    return Client()
