"""What tests of the reasoning desk share: the package's library, read once, and a folder of six of its templates."""

import shutil

import pytest

from vademecum.desks.reasoning import ReasoningLibrary
from vademecum.desks.reasoning.library import OURS

SIX = [
    "chain-of-thought",
    "fermi-estimation",
    "mathematical-induction",
    "pre-mortem",
    "proof-by-contradiction",
    "trade-off-matrix",
]


@pytest.fixture(scope="session")
def ours():
    library = ReasoningLibrary()
    assert library.index_templates() == 31
    return library


@pytest.fixture(scope="session")
def six_of_ours(tmp_path_factory):
    """A folder of five templates and the fallback; it costs a sixth of all."""
    folder = tmp_path_factory.mktemp("six")
    for name in SIX:
        shutil.copy(OURS / f"{name}.md", folder)
    return folder
