"""The examples in docstrings are run, in a folder with two notes and a library of them; every public name has one."""

import doctest
import importlib
import inspect
import os
import shutil
from pathlib import Path

import pytest

import vademecum
from vademecum import Library, VademecumError
from vademecum.testing.model import ScriptedModel

NOTES = {
    "office.md": "# The office\n\nThe office is open from nine to five on working days.\n\nThe kitchen is on the second floor.\n",
    "travel.md": "# Travel\n\nBook trains with the travel desk, at least two days before.\n",
}
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL
PUBLIC = {name: found for name in dir(vademecum) if inspect.isclass(found := getattr(vademecum, name))}


def modules():
    """Names of the modules with examples; none is imported to find them, since every worker would do so."""
    source = Path(vademecum.__path__[0])
    for path in sorted(source.rglob("*.py")):
        if ">>> " in path.read_text("utf-8"):
            yield ".".join(("vademecum", *path.relative_to(source).with_suffix("").parts)).removesuffix(
                ".__init__"
            )


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """A folder with notes and a library of them, and a copy of it."""
    folder = tmp_path_factory.mktemp("desk") / "here"
    for name in ("notes", "runbooks"):
        (folder / name).mkdir(parents=True)
        for file, text in NOTES.items():
            (folder / name / file).write_text(text)
    with Library.open(folder / "library") as library:
        library.add(folder / "notes")
    return folder, shutil.copytree(folder, folder.with_name("copy"))


@pytest.fixture(scope="module")
def model():
    """A server with a model that chooses the first line."""
    with ScriptedModel('{"lines": [1]}') as scripted:
        yield scripted


@pytest.fixture
def desk(prepared, model, monkeypatch):
    """Makes the folder as it was prepared the working directory; a model answers."""
    folder, copy = prepared
    monkeypatch.chdir(folder.parent)
    monkeypatch.setenv("OPENAI_BASE_URL", f"{model.server.url}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("HOME", str(folder / "home"))

    def renew():
        shutil.rmtree(folder)
        shutil.copytree(copy, folder)
        os.chdir(folder)

    return renew


@pytest.mark.parametrize("name", list(modules()))
def test_examples_print_what_they_show(name, desk):
    module = importlib.import_module(name)
    said, tried = [], 0
    for example in doctest.DocTestFinder(exclude_empty=True).find(module, name):
        if (PUBLIC.keys() | {"vademecum"}) & {*example.name.split(".")[-2:]}:
            desk()
            example.globs.update(PUBLIC, library=Library.open("library"))
        tried += doctest.DocTestRunner(optionflags=OPTIONS).run(example, out=said.append).attempted
    assert tried
    assert not said, "".join(said)


def documented():
    """The public classes but errors, which explain themselves, and their methods."""
    for name, found in PUBLIC.items():
        if issubclass(found, VademecumError):
            continue
        is_protocol = getattr(found, "_is_protocol", False)  # what others implement
        yield name, found
        for method, value in vars(found).items():
            is_own = inspect.isfunction(value) or isinstance(value, classmethod)
            if is_own and not is_protocol and not method.startswith("_"):
                yield f"{name}.{method}", getattr(value, "__func__", value)


@pytest.mark.parametrize(
    ("name", "found"), list(documented()), ids=lambda part: part if isinstance(part, str) else ""
)
def test_what_is_public_has_an_example(name, found):
    assert ">>>" in (inspect.getdoc(found) or ""), name
