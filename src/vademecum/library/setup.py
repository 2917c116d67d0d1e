"""Set up a library: its folders, its configuration file, and its catalog."""

from pathlib import Path

from vademecum.config.library import write_default
from vademecum.core.errors import ConfigError
from vademecum.files.places import Places
from vademecum.index.catalog.catalog import DEFAULT, Catalog, CatalogEntry


def prepare(places: Places, catalog: Catalog) -> dict[Path, bool]:
    """See `Library.prepare`."""
    made = {}
    for folder in (places.data, places.config, places.archives):
        made[folder] = not folder.is_dir()
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            message = f"The folder {folder} cannot be made: {error.strerror}."
            hint = "Check the owner and permissions of the folder above, and the free space on the disk."
            raise ConfigError(message, hint=hint) from error
    made[places.settings_file] = write_default(places.settings_file)
    made[places.catalog_file] = not places.catalog_file.exists()
    with catalog.changing() as entries:  # also checks what is there
        if made[places.catalog_file] and entries == list(DEFAULT):
            entries[:] = [_seed(entry) for entry in DEFAULT]
    return made


def _seed(entry: CatalogEntry) -> CatalogEntry:
    """Return a default source, with a note if it does not exist on this machine."""
    if Path(entry.location).is_dir():
        return entry
    return entry.with_fault(f"There is no folder {entry.location}; it is read once there is one.")
