"""File locations, following the XDG base directory specification."""

from pathlib import Path
from typing import NamedTuple

from vademecum.files.folders import config_folder, data_folder


class Places(NamedTuple):
    """The folders of a library. They are not created.

    Attributes:
        data: The folder of the catalog, the index and archives.
        config: The configuration file's folder.

    Example:
        >>> places = Places(data=Path("data"), config=Path("config"))
        >>> places.settings_file
        PosixPath('config/config.yaml')
    """

    data: Path
    config: Path

    @property
    def index_folder(self) -> Path:
        """The folder of generations and segments."""
        return self.data / "index"

    @property
    def archives(self) -> Path:
        """The folder for Kiwix archives."""
        return self.data / "kiwix"

    @property
    def catalog_file(self) -> Path:
        """The catalog: the list of sources."""
        return self.data / "catalog.json"

    @property
    def owner_file(self) -> Path:
        """The file with the identifier of this library in a shared store."""
        return self.data / "owner"

    @property
    def settings_file(self) -> Path:
        """The configuration file."""
        return self.config / "config.yaml"

    @property
    def settings_copy(self) -> Path:
        """A copy of the settings from when the configuration file was last read."""
        return self.data / "settings.json"

    @property
    def audit_log(self) -> Path:
        """The audit log."""
        return self.data / "audit.ndjson"

    @property
    def query_log(self) -> Path:
        """The query log."""
        return self.data / "queries.ndjson"


def default_places() -> Places:
    """Return the folders of the linux desk: `${XDG_DATA_HOME}/ragcli` and `${XDG_CONFIG_HOME}/ragcli`."""
    return Places(Path(data_folder()), Path(config_folder()))
