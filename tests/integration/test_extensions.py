"""What other packages add: a worked source, built and installed as a package of its own; and packages that are broken."""

import json
import mailbox
import os
import shutil
import subprocess
import sys
from contextlib import closing
from email.message import EmailMessage
from importlib.util import find_spec
from pathlib import Path

import pytest

from commands import run_command
from vademecum import ConfigError, Library, SourceError
from vademecum.extensions import KINDS, find, installed
from vademecum.providers.registry import open_model
from vademecum.stores import is_address, open_engine

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples/mbox-source"
BIN = Path(sys.executable).parent


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder that the example is installed in, built without the network."""
    folder = tmp_path_factory.mktemp("site")
    source = shutil.copytree(EXAMPLE, tmp_path_factory.mktemp("example") / "source")
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--target", folder]
    uv = ["uv", "pip", "install", "--no-cache", "--python", sys.executable]
    pip = [sys.executable, "-m", "pip", "install"] if find_spec("pip") else uv
    subprocess.run([*pip, "-q", *options, source], check=True)
    return folder


@pytest.fixture
def machine(tmp_path):
    """Runs commands of somebody who has one source of notes and no manual, with packages from a folder."""
    home = tmp_path / "home"
    notes = tmp_path / "notes"
    notes.mkdir(parents=True)
    (notes / "gate.md").write_text("# The gate\n\nThe gate is locked at nine in the evening.\n")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}

    def run(*command, site="", code=0):
        done = subprocess.run(
            [BIN / command[0], *command[1:]],
            env={**environment, "HOME": str(home), "PYTHONPATH": str(site), "COLUMNS": "100"},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, (done.stdout, done.stderr)
        assert "Traceback" not in done.stderr
        return done.stdout + done.stderr

    removed = [["sources", "remove", alias] for alias in ("man-pages", "info-pages")]
    for words in (["init"], *removed, ["sources", "add", "notes"]):
        made = run_command("ragadmin", *words, env={**environment, "HOME": str(home)}, cwd=tmp_path)
        assert made.returncode == 0, made.stderr
    return run


def mail_of(folder):
    with closing(mailbox.mbox(folder / "team.mbox")) as box:
        message = EmailMessage()
        message["From"] = "Ana <ana@example.org>"
        message["Subject"] = "On call in May"
        message["Date"] = "Mon, 1 May 2023 10:00:00 +0000"
        message.set_content("Ana is on call in May, and Bob in June.\n")
        box.add(message)


def package(folder, name, module, **entries):
    """A package as pip would leave it; without a module, it is half installed."""
    if module is not None:
        (folder / f"{name}.py").write_text(module)
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    sections = [f"[vademecum.{kind}]\n{entry}\n" for kind, entry in entries.items()]
    (info / "entry_points.txt").write_text("\n".join(sections))


# --- the worked example -----------------------------------------------------------------------------------------------


def test_a_source_of_another_package_is_added_asked_and_cited(site, machine, tmp_path):
    mail_of(tmp_path)
    listed = json.loads(machine("vademecum", "extensions", "--json", site=site))["extensions"]
    assert [(one["kind"], one["name"], one["package"], one["fault"]) for one in listed] == [
        ("sources", "mbox", "vademecum-mbox 0.1.0", ""),
        ("commands", "mail", "vademecum-mbox 0.1.0", ""),
    ]
    assert "mbox" in machine("ragadmin", "sources", "add", "team.mbox", site=site)
    machine("ragadmin", "reindex", site=site)
    answer = json.loads(machine("ragman", "--json", "Who is on call in May?", site=site))
    assert answer["summary"] == "Ana is on call in May, and Bob in June."
    assert answer["citations"][0]["document_ref"].startswith("On call in May")
    assert machine("vademecum", "mail", "team.mbox", site=site) == "   1  Ana <ana@example.org>\n"
    assert "Usage: vademecum mail FILE" in machine("vademecum", "mail", site=site, code=2)


def test_its_own_tests_pass(site):
    environment = {**os.environ, "PYTHONPATH": str(site)}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", EXAMPLE / "tests"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "3 passed" in done.stdout


def test_a_package_that_is_removed_leaves_what_was_indexed(site, machine, tmp_path):
    mail_of(tmp_path)
    machine("ragadmin", "sources", "add", "team.mbox", site=site)
    machine("ragadmin", "reindex", site=site)
    with closing(mailbox.mbox(tmp_path / "team.mbox")) as box:
        box.add(b"From: bob@example.org\nSubject: More\n\nNew.\n")
    said = machine("ragadmin", "reindex", "--full", code=3)
    assert "no installed package reads sources of type mbox" in said
    assert "Ana is on call in May" in machine("ragman", "Who is on call in May?")
    assert "locked at nine" in machine("ragman", "When is the gate locked?")
    machine("ragadmin", "reindex", "--source", "team", site=site)
    assert "changed" not in machine("ragman", "Who is on call in May?", site=site)


# --- broken packages --------------------------------------------------------------------------------------------------

BROKEN = {
    "raises on import": ("raise RuntimeError('no')", "broken:Source", "(vademecum.sources) failed: no"),
    "half installed": (None, "broken:Source", "No module named 'broken'"),
    "without the class": ("x = 1", "broken:Source", "has no attribute 'Source'"),
}


@pytest.mark.parametrize("fault", BROKEN)
@pytest.mark.sampled(1)
def test_a_package_that_cannot_be_imported_is_named(fault, machine, tmp_path):
    module, entry, why = BROKEN[fault]
    site = tmp_path / "site"
    site.mkdir()
    package(site, "broken", module, sources=f"odd = {entry}", commands=f"odd = {entry}")
    (tmp_path / "x.odd").write_text("odd")
    said = machine("vademecum", "extensions", site=site, code=1)
    assert said.count("broken 1.0 cannot be used") == 2
    assert why in said
    assert "pip uninstall broken" in machine("vademecum", "odd", site=site, code=2)
    # it is in nobody's way
    machine("ragadmin", "reindex", site=site)
    assert "locked at nine" in machine("ragman", "When is the gate locked?", site=site)
    # and a source of its type is kept aside
    added = machine("ragadmin", "sources", "add", "x.odd", "--type", "odd", site=site, code=3)
    assert "broken 1.0 cannot be used" in added
    assert "broken 1.0" in machine("ragadmin", "reindex", "--source", "x-odd", site=site, code=1)
    assert "locked at nine" in machine("ragman", "When is the gate locked?", site=site)


SOURCE = """
class Source:
    suffixes = (".odd",)
    parser = "odd-1"
    def __init__(self, location, alias):
        self.location, self.alias = location, alias
        {made}
    def scan(self):
        {scanned}
    def read(self, refs):
        {read}
"""


@pytest.mark.parametrize(
    "faults",
    [
        {"made": "raise ValueError('made')"},
        {"made": "del self.alias"},
        {"made": "self.alias = 'other'"},
        {"scanned": "raise ValueError('scanned')"},
        {"scanned": "raise KeyError('scanned')"},
        {"scanned": "return [3]"},
        {"read": "raise ValueError('read')"},
        {"read": "return []"},
        {"read": "return [3 for ref in refs]"},
    ],
    ids=str,
)
@pytest.mark.sampled(2)
def test_a_source_that_breaks_its_promises_is_kept_aside(faults, machine, tmp_path):
    site = tmp_path / "site"
    site.mkdir()
    listed = "from vademecum import DocumentRef; return [DocumentRef(key='a', names=('a',), fingerprint='1')]"
    module = SOURCE.format(**{"made": "pass", "scanned": listed, "read": "return []"} | faults)
    package(site, "odd", module, sources="odd = odd:Source")
    (tmp_path / "x.odd").write_text("odd")
    machine("ragadmin", "reindex", site=site)
    is_seen = "made" in faults or "raise" in faults.get("scanned", "")
    said = machine("ragadmin", "sources", "add", "x.odd", site=site, code=3 if is_seen else 0)
    said += machine("ragadmin", "reindex", "--source", "x-odd", site=site, code=1)
    assert "x-odd" in said
    assert "locked at nine" in machine("ragman", "When is the gate locked?", site=site)


@pytest.mark.parametrize(
    ("blocks", "key", "said"),
    [
        ("[Block('paragraph', 0, 90)]", "a", "A block ends at 90, and the text has 27 characters."),
        ("[Block('paragraph', 0, 9), Block('paragraph', 5, 27)]", "a", "overlaps the one before it"),
        ("[Block('paragraph', 3, 27)]", "a", "begins or ends with white space"),
        ("[Block('item', 4, 27, tag_end=2)]", "a", "The tag of the item from 4 to 27 ends at 2."),
        ("[Block('paragraph', 0, 27)]", "b", "The source gave 'b' for it."),
    ],
    ids=["behind the end", "overlapping", "shifted", "a tag before its item", "another document"],
)
@pytest.mark.sampled(2)
def test_a_document_with_wrong_offsets_is_named_and_left_out(machine, tmp_path, blocks, key, said):
    site = tmp_path / "site"
    site.mkdir()
    module = SOURCE.format(
        made="pass",
        scanned="from vademecum import DocumentRef; return [DocumentRef(key='a', names=('a',), fingerprint='1')]",
        read=(
            "from vademecum import Block, Document; return [Document(key='"
            + key
            + "', reference='a', title='a', summary='', "
            "names=('a',), text='The odd gate opens at noon.', blocks=tuple(" + blocks + "))]"
        ),
    )
    package(site, "odd", module, sources="odd = odd:Source")
    (tmp_path / "x.odd").write_text("odd")
    machine("ragadmin", "sources", "add", "x.odd", site=site)
    reported = machine("ragadmin", "reindex", site=site, code=3)
    assert said in " ".join(reported.split())
    assert "This is a mistake in the source's program" in " ".join(reported.split())
    assert "locked at nine" in machine("ragman", "When is the gate locked?", site=site)


def test_a_mistake_in_a_source_is_named_with_its_line(machine, tmp_path):
    site = tmp_path / "site"
    site.mkdir()
    listed = "from vademecum import DocumentRef; return [DocumentRef(key='a', names=('a',), fingerprint='1')]"
    module = SOURCE.format(made="pass", scanned=listed, read="return {}['missing']")
    package(site, "odd", module, sources="odd = odd:Source")
    (tmp_path / "x.odd").write_text("odd")
    machine("ragadmin", "sources", "add", "x.odd", site=site)
    reported = machine("ragadmin", "reindex", site=site, code=3)
    assert "KeyError: 'missing' (odd.py, line 11)" in " ".join(reported.split())


def test_stores_and_providers_are_found_by_their_names(tmp_path, monkeypatch):
    module = (
        "class Store:\n    def __init__(self, url): self.name = url\n"
        "def open_chat(settings, client): raise ValueError(settings.model)\n"
    )
    package(tmp_path, "toybox", module, stores="toy = toybox:Store", providers="toy = toybox")
    monkeypatch.syspath_prepend(tmp_path)
    assert [find(kind, "toy") is not None for kind in KINDS] == [False, True, True, False]
    assert installed("stores")["toy"].package == "toybox 1.0"
    assert is_address("toy://here")
    assert open_engine("toy://here").name == "toy://here"
    assert not is_address("toys://here")
    with pytest.raises(ConfigError, match="cannot be read"):
        open_engine("toys://here")
    with pytest.raises(ValueError, match="small"):
        open_model("toy:small")
    with pytest.raises(ConfigError, match="no provider named toys"):
        open_model("toys:small")


def test_what_is_built_in_cannot_be_replaced(tmp_path, monkeypatch):
    package(
        tmp_path,
        "rival",
        "def ask(words): raise ValueError",
        commands="ask = rival:ask",
        sources="docs = rival:ask",
    )
    monkeypatch.syspath_prepend(tmp_path)
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "gate.md").write_text("The gate is locked at nine.\n")
    with Library.open(tmp_path / "library") as library:
        assert library.add_source(notes).type == "docs"
        assert library.reindex().documents == 1
        with pytest.raises(SourceError, match="no type of source named 'rival'"):
            library.add_source(tmp_path, type="rival")
