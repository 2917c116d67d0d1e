"""What tests of the composer desk share: our own templates, and real ones where they are at hand."""

from pathlib import Path

import pytest

from vademecum.desks.composer.library import TemplateLibrary
from vademecum.desks.composer.settings import CacheSettings, ComposerSettings
from vademecum.providers import registry

REAL = Path(__file__).parents[5] / "shared/data/os-image-composer"


@pytest.fixture(autouse=True)
def closed():
    """Models of a process share their connections until it ends."""
    yield
    for client in registry._clients.values():
        client.close()
    registry._clients.clear()


@pytest.fixture(scope="session")
def kept_in(tmp_path_factory):
    return tmp_path_factory.mktemp("kept")


@pytest.fixture(scope="session")
def ours(kept_in):
    return TemplateLibrary.open(keep_in=kept_in)


@pytest.fixture(scope="session")
def real(kept_in):
    if not REAL.is_dir():
        pytest.skip("the real templates are not here")
    return TemplateLibrary.open(REAL / "image-templates", keep_in=kept_in)


@pytest.fixture
def settings(tmp_path):
    return ComposerSettings(cache=CacheSettings(dir=tmp_path / ".ai-cache"))


@pytest.fixture
def folder_of(tmp_path):

    def build(files, defaults=None):
        root = tmp_path / "image-templates"
        for folder, texts in ((root, files), (tmp_path / "os-defaults", defaults or {})):
            for name, text in texts.items():
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(text if isinstance(text, bytes) else text.encode())
        root.mkdir(exist_ok=True)
        return TemplateLibrary.open(root, keep_in=tmp_path / "kept")

    return build
