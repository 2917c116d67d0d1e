"""A configuration file, and the copy of its settings that is fast to read; neither exists at first."""

import pytest


@pytest.fixture
def file(tmp_path):
    return tmp_path / "config.yaml"


@pytest.fixture
def copy(tmp_path):
    return tmp_path / "data" / "settings.json"
