"""The reference says all that there is, and nothing else."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from vademecum import Places
from vademecum.config.library import DEFAULT_TEXT
from vademecum.core import errors
from vademecum.core.settings import Settings
from vademecum.files.write import last_lines
from vademecum.library.audit import recent
from vademecum.library.health.diagnosis import HealthResult
from vademecum.sources._problems import HINTS

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs/reference"
OTHER_FAULTS = {"not-text", "source-mistake", "source-unreadable"}


def rows(name, heading):
    """The cells of the table under a heading, without the table's own head, code signs left out."""
    section = re.search(
        rf"^## {heading}\n(.*?)(?=^## |\Z)", (REFERENCE / name).read_text(), re.MULTILINE | re.DOTALL
    )[1]
    table = [line.replace("`", "") for line in section.splitlines() if line.startswith("|")][2:]
    assert table
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table]


def said(*command):
    program = Path(sys.executable).parent / command[0]
    return subprocess.run([program, *command[1:]], capture_output=True, text=True, check=False).stdout


def flags(text):
    return set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", text))


def family(root):
    return {root}.union(*(family(child) for child in root.__subclasses__()))


def test_errors():
    ours = [e for e in family(errors.VademecumError) if e.__module__ == errors.__name__]
    expected = {(e.__name__, e.code, str(e.exit_code), e.__doc__.split("\n")[0]) for e in ours}
    assert {tuple(row) for row in rows("errors.md", "Errors")} == expected


def test_faults_of_any_source():
    assert {row[0] for row in rows("errors.md", "Problems")} == OTHER_FAULTS
    sources = [path.read_text() for path in (ROOT / "src").rglob("*.py")]
    assert all(any(f'"{fault}"' in text for text in sources) for fault in OTHER_FAULTS)


@pytest.mark.parametrize(
    ("heading", "hints"),
    [
        ("Faults of manual pages", HINTS["man"]),
        ("Faults of info manuals", HINTS["info"]),
        ("Faults of archives", HINTS["zim"]),
        ("Faults of help texts", HINTS["help"]),
        ("Faults of tldr pages", HINTS["tldr"]),
        ("Faults of documents", HINTS["docs"]),
    ],
)
def test_faults(heading, hints):
    found = {fault: hint for fault, _, hint in rows("errors.md", heading)}
    assert found == {fault: hint.replace("`", "") for fault, hint in hints.items()}


def test_exit_codes():
    codes = {int(row[0]): row[1] for row in rows("exit-codes.md", "Exit codes")}
    assert set(codes) == {0, 3, 130, *(error.exit_code for error in errors.all_errors())}
    for error in errors.all_errors():
        if error is not errors.VademecumError:
            assert error.__name__ in codes[error.exit_code]


@pytest.mark.parametrize(
    ("name", "heading", "command"),
    [
        ("ragman.md", "Flags", ["ragman"]),
        ("ragadmin.md", "ragadmin init", ["ragadmin", "init"]),
        ("ragadmin.md", "ragadmin reindex", ["ragadmin", "reindex"]),
        ("ragadmin.md", "ragadmin health", ["ragadmin", "health"]),
        *(
            ("ragadmin.md", f"ragadmin sources {name}", ["ragadmin", "sources", name])
            for name in ("list", "add", "update", "remove", "show")
        ),
        *(
            ("ragadmin.md", f"ragadmin models {name}", ["ragadmin", "models", name])
            for name in ("list", "test")
        ),
        ("ragadmin.md", "ragadmin serve", ["ragadmin", "serve"]),
        ("ragadmin.md", "ragadmin service install", ["ragadmin", "service", "install"]),
        ("ragadmin.md", "ragadmin service status", ["ragadmin", "service", "status"]),
        ("ragadmin.md", "ragadmin completion", ["ragadmin", "completion"]),
        ("vademecum-eval.md", "Flags", ["vademecum", "eval"]),
    ],
)
def test_flags(name, heading, command):
    text = said(*command, "--help")
    options = re.split(r"^Flags:", text, flags=re.MULTILINE)[1].split("Examples:")[0]
    shown = re.findall(r"^  (-.*?)(?:  |$)", options, re.MULTILINE)
    assert shown
    assert set().union(*map(flags, shown)) == set().union(*(flags(row[0]) for row in rows(name, heading)))


def test_commands_of_ragadmin():
    headings = re.findall(r"^## ragadmin (\w+)", (REFERENCE / "ragadmin.md").read_text(), re.MULTILINE)
    assert set(headings) == set(re.findall(r"^  (\w+)  ", said("ragadmin", "--help"), re.MULTILINE))


def test_configuration():
    assert f"```yaml\n{DEFAULT_TEXT}```" in (REFERENCE / "configuration.md").read_text()
    settings = rows("configuration.md", "Settings")
    assert {row[0].split(".")[1] for row in settings} | {"models"} == set(Settings._fields)
    defaults = {name: str(value) for name, value in Settings._field_defaults.items()}
    defaults |= {
        name: text.lower() for name, text in defaults.items() if text in {"True", "False"}
    }  # as in YAML
    assert all(row[2] == defaults[row[0].split(".")[1]] for row in settings)


@pytest.mark.needs("mandoc")
def test_components_of_health(person):
    _, printed = person.run("ragadmin", "health", "--json")
    report = json.loads(printed)
    assert [row[0] for row in rows("health.md", "Components")] == [
        one["component"] for one in report["components"]
    ]
    named = {row[0] for row in rows("health.md", "JSON")}
    assert named == {*HealthResult._fields}


@pytest.mark.needs("mandoc")
def test_fields_of_the_logs(person):
    places = Places(person.home / ".local/share/ragcli", person.home / ".config/ragcli")
    person.run("ragadmin", "sources", "remove", "nothing")
    (line,) = recent(places)
    assert [row[0] for row in rows("audit.md", "Audit log")] == list(line)
    person.run(
        "bash",
        "-c",
        "mkdir -p .config/ragcli && echo 'ragman: {query_log: true}' > .config/ragcli/config.yaml",
    )
    person.run("ragman", "How do I change file permissions?")
    (line,) = last_lines(places.query_log)
    assert [row[0] for row in rows("audit.md", "Query log")] == list(line)


@pytest.mark.needs("mandoc")
def test_figures_of_eval(person):
    (person.home / "q.jsonl").write_text('{"question": "change file permissions", "gold": ["chmod(1)"]}\n')
    code, printed = person.run(
        "vademecum", "eval", "linux", "--questions", "q.jsonl", "--json", "--worst", "1"
    )
    assert code == 0
    named = {name.strip() for row in rows("vademecum-eval.md", "Figures") for name in row[0].split(",")}
    assert named == set(json.loads(printed))


@pytest.mark.needs("mandoc")
def test_fields_of_an_answer(person):
    _, printed = person.run("ragman", "--json", "--explain", "How do I change file permissions?")
    named = {name.strip() for row in rows("ragman.md", "JSON") for name in row[0].split(",")}
    assert named == set(json.loads(printed))
