"""File locations, following the XDG base directory specification."""

from pathlib import Path
from typing import NamedTuple

from vademecum.files.folders import config_folder, data_folder


class Places(NamedTuple):
    """The folders of one library. Nothing is created by naming them.

    Attributes:
        data: Catalog, index, archives.
        config: The configuration file's folder.
    """

    data: Path
    config: Path

    @property
    def index_folder(self) -> Path:
        """Generations and segments."""
        return self.data / "index"

    @property
    def archives(self) -> Path:
        """Where Kiwix archives are put."""
        return self.data / "kiwix"

    @property
    def catalog_file(self) -> Path:
        """The list of sources."""
        return self.data / "catalog.json"

    @property
    def owner_file(self) -> Path:
        """What names this library to those who share its index."""
        return self.data / "owner"

    @property
    def settings_file(self) -> Path:
        """The configuration file."""
        return self.config / "config.yaml"

    @property
    def settings_copy(self) -> Path:
        """What the configuration file said when it was last read."""
        return self.data / "settings.json"

    @property
    def audit_log(self) -> Path:
        """What was done to the library."""
        return self.data / "audit.ndjson"

    @property
    def query_log(self) -> Path:
        """What was asked, where that is wanted."""
        return self.data / "queries.ndjson"


def default_places() -> Places:
    """The linux desk's folders: `${XDG_DATA_HOME}/ragcli` and `${XDG_CONFIG_HOME}/ragcli`."""
    return Places(Path(data_folder()), Path(config_folder()))
