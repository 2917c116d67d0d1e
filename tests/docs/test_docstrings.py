"""The examples in docstrings are run, in a folder with two notes and a library of them; every public name has one."""

import doctest
import importlib
import inspect
import pkgutil
import shutil

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
    for module in pkgutil.walk_packages(vademecum.__path__, "vademecum."):
        if not module.name.endswith("__main__"):
            yield importlib.import_module(module.name)


def examples():
    finder = doctest.DocTestFinder(exclude_empty=True)
    for module in (vademecum, *modules()):
        for found in finder.find(module, module.__name__):
            if found.examples:
                yield found


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
    """The folder as it was prepared, as the working directory; and a model that answers."""
    folder, copy = prepared
    shutil.rmtree(folder)
    shutil.copytree(copy, folder)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("OPENAI_BASE_URL", f"{model.server.url}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("HOME", str(folder / "home"))


@pytest.mark.parametrize("example", list(examples()), ids=lambda example: example.name)
@pytest.mark.usefixtures("desk")
def test_an_example_is_what_comes(example):
    said = []
    if PUBLIC.keys() & {*example.name.split(".")[-2:]}:
        example.globs.update(PUBLIC, library=Library.open("library"))
    doctest.DocTestRunner(optionflags=OPTIONS).run(example, out=said.append)
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
