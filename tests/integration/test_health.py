"""`ragadmin health`: each simulated failure is found, named by its component, and comes with a remedy."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import pytest

from commands import run_command
from shared import copy_home, process_of, run_process, wait_until
from vademecum import CatalogEntry, Places
from vademecum.core.errors import StoreError
from vademecum.index.catalog.catalog import Catalog
from vademecum.index.generations import Generations
from vademecum.library.audit import recent, record
from vademecum.library.health.health import check, disk_capacity
from vademecum.library.health.index import index_freshness, index_integrity
from vademecum.library.health.probing import Patience
from vademecum.library.internal import InternalLibrary

pytestmark = pytest.mark.needs("mandoc")

MANUAL = Path(__file__).parents[1] / "data" / "manual"
PAGE = ".TH NEW 1\n.SH NAME\nnew \\- a page\n.SH DESCRIPTION\nIt is new.\n"
COMPONENTS = [
    "index_freshness",
    "source_access",
    "disk_capacity",
    "index_integrity",
    "configuration",
    "permissions",
    "service",
]
EXIT_CODES = {"pass": 0, "warn": 3, "fail": 1}
QUICK = Patience((0.01, 0.02), 0.5)


class Home(NamedTuple):
    """A home with a manual that is indexed, and all that `ragadmin` is to know of its surroundings."""

    folder: Path
    environment: dict[str, str]

    @property
    def places(self):
        return Places(self.folder / "data/ragcli", self.folder / "config/ragcli")

    @property
    def manual(self):
        return self.folder / "manual"

    @property
    def generations(self):
        return Generations(self.places.index_folder)

    @property
    def socket(self):
        return self.folder / "run/ragcli/ragcli.sock"

    def run(self, *arguments):
        run = run_process if self.socket.exists() else run_command  # `conftest.py` refuses its sort of socket
        return run("ragadmin", *arguments, env=self.environment)

    def largest(self, pattern):
        return max(self.places.index_folder.glob(pattern), key=lambda path: path.stat().st_size)

    def set_manifest(self, change):
        """Change what the manifest says, as if it had been published so."""
        current = self.places.index_folder / "CURRENT"
        name = current.read_text().split()[0]
        path = self.places.index_folder / "generations" / name / "manifest.json"
        data = json.loads(path.read_text())
        change(data)
        path.write_text(json.dumps(data))
        current.write_text(f"{name} {crc32(path.read_bytes()):08x}\n")

    def set_source(self, **fields):
        with Catalog(self.places.catalog_file).changing() as entries:
            entries[0] = entries[0]._replace(**fields)


def at(folder):
    bases = {"XDG_DATA_HOME": "data", "XDG_CONFIG_HOME": "config", "XDG_RUNTIME_DIR": "run"}
    for name in bases.values():
        (folder / name).mkdir(mode=0o700, parents=True, exist_ok=True)
    return Home(folder, {**os.environ, **{name: str(folder / place) for name, place in bases.items()}})


@pytest.fixture(scope="module")
def settled(tmp_path_factory):
    home = at(tmp_path_factory.mktemp("settled") / "home")
    shutil.copytree(MANUAL, home.manual)
    with Catalog(home.places.catalog_file).changing() as entries:
        entries[:] = [CatalogEntry("manual", "man", str(home.manual))]
    for command in ("init", "reindex"):
        done = home.run(command)
        assert done.returncode == 0, done.stderr
    return home


@pytest.fixture(scope="module")
def a_copy(settled, tmp_path_factory):
    """Makes a home of one's own."""
    return lambda folder=None: at(
        copy_home(settled.folder, (folder or tmp_path_factory.mktemp("copy")) / "home")
    )


@pytest.fixture
def home(a_copy):
    return a_copy()


# --- simulated failures -------------------------------------------------------------------------------------------


class Failure(NamedTuple):
    """A failure that is brought about, and what is to be found."""

    name: str
    component: str
    severity: str
    code: str
    exit_code: int


SIMULATED = {}


def simulated(name, component, severity, code="", exit_code=None):
    """Mark a function that brings a failure about in a home, until the end of the context if it gives one."""

    def keep(function):
        SIMULATED[name] = (
            Failure(name, component, severity, code, exit_code or EXIT_CODES[severity]),
            function,
        )
        return function

    return keep


@simulated("no index", "index_freshness", "fail", "INDEX_MISSING", 4)
def no_index(home):
    shutil.rmtree(home.places.index_folder)


@simulated("index of other rules", "index_freshness", "fail", "INDEX_STALE", 4)
def other_rules(home):
    home.set_manifest(lambda data: data["segments"][0].update(recipe="mandoc words-0"))


@simulated("sources changed", "index_freshness", "warn", "INDEX_STALE")
def changed(home):
    (home.manual / "man1/new.1").write_text(PAGE)


@simulated("source not indexed yet", "index_freshness", "warn", "INDEX_STALE")
def pending(home):
    shutil.copytree(home.manual, home.folder / "other")
    assert home.run("sources", "add", str(home.folder / "other")).returncode == 0


@simulated("index 30 days old", "index_freshness", "warn", "INDEX_STALE")
def old(home):
    built = (datetime.now(UTC) - timedelta(days=30, minutes=1)).isoformat(timespec="seconds")
    home.set_manifest(lambda data: data.update(built=built))


@simulated("index from the future", "index_freshness", "warn")
def from_the_future(home):
    home.set_manifest(lambda data: data.update(built="2999-01-01T00:00:00+00:00"))


@simulated("reindex failed", "index_freshness", "warn", "SOURCE_UNUSABLE")
def reindex_failed(home):
    home.manual.rename(home.folder / "aside")
    assert home.run("reindex").returncode == 1
    (home.folder / "aside").rename(home.manual)
    home.set_source(status="active", notes="")


@simulated("reindex killed", "index_freshness", "warn")
def reindex_killed(home):
    child = subprocess.Popen(
        [*process_of("ragadmin"), "reindex", "--full"], env=home.environment, stdout=subprocess.DEVNULL
    )
    wait_until(lambda: recent(home.places)[-1]["status"] == "started")
    child.send_signal(signal.SIGKILL)
    child.wait()


@simulated("source missing", "source_access", "fail", "SOURCE_UNUSABLE")
def missing(home):
    shutil.rmtree(home.manual)


@simulated("source empty (not mounted)", "source_access", "fail", "SOURCE_UNUSABLE")
def empty(home):
    shutil.rmtree(home.manual)
    home.manual.mkdir()


@simulated("source is a named pipe", "source_access", "fail", "SOURCE_UNUSABLE")
def pipe(home):
    shutil.rmtree(home.manual)
    os.mkfifo(home.manual)


@simulated("source of unknown type", "source_access", "fail", "SOURCE_UNUSABLE")
def unknown_type(home):
    home.set_source(type="papyrus")


@simulated("source quarantined", "source_access", "warn", "SOURCE_UNUSABLE")
def quarantined(home):
    home.set_source(status="error", notes="It was damaged.")


@simulated("no sources", "source_access", "warn")
def no_sources(home):
    with Catalog(home.places.catalog_file).changing() as entries:
        entries.clear()


@simulated("no renderer", "source_access", "fail", "RENDERER_MISSING")
def no_renderer(home):
    home.environment["PATH"] = "/nonexistent"


@simulated("byte flipped", "index_integrity", "fail", "INDEX_CORRUPT", 4)
def flipped(home):
    flip(home.largest("segments/*/flat/texts.bin"), 100)


@simulated("file missing", "index_integrity", "fail", "INDEX_CORRUPT", 4)
def file_missing(home):
    home.largest("segments/*/flat/passages.bin").unlink()


@simulated("file truncated", "index_integrity", "fail", "INDEX_CORRUPT", 4)
def truncated(home):
    path = home.largest("segments/*/flat/strings.bin")
    os.truncate(path, path.stat().st_size - 1)


@simulated("manifest damaged", "index_integrity", "fail", "INDEX_CORRUPT", 4)
def manifest_damaged(home):
    flip(home.largest("generations/*/manifest.json"), 100)


@simulated("nothing current", "index_integrity", "fail", "INDEX_CORRUPT", 4)
def nothing_current(home):
    (home.places.index_folder / "CURRENT").write_text("nonsense\n")


@simulated("setting wrong", "configuration", "fail", "CONFIG_INVALID")
def setting_wrong(home):
    home.places.settings_file.write_text("ragman: {confidence_threshold: .nan}\n")


@simulated("catalog damaged", "configuration", "fail", "CONFIG_INVALID")
def catalog_damaged(home):
    home.places.catalog_file.write_text("{")


@simulated("catalog lost", "configuration", "warn")
def catalog_lost(home):
    home.places.catalog_file.unlink()


@simulated("data readable by others", "permissions", "warn")
def data_readable(home):
    home.places.data.chmod(0o755)


@simulated("key readable by others", "permissions", "warn")
def key_readable(home):
    home.places.settings_file.write_text("# api_key: sk-1234\n")
    home.places.settings_file.chmod(0o644)


@simulated("settings writable by others", "permissions", "warn")
def settings_writable(home):
    home.places.settings_file.chmod(0o666)


@simulated("data writable by others", "permissions", "warn")
def data_writable(home):
    home.places.data.chmod(0o777)


@simulated("audit log readable by others", "permissions", "warn")
def audit_readable(home):
    home.places.audit_log.chmod(0o640)


@simulated("data folder is a file", "permissions", "fail", "STORE_FAILED", 4)
def data_is_a_file(home):
    shutil.rmtree(home.places.data)
    home.places.data.touch()


@simulated("service dead", "service", "warn")
def service_dead(home):
    with listening(home):
        pass
    assert home.socket.is_socket()


@simulated("service silent", "service", "warn")
def service_silent(home):
    return listening(home)


@simulated("service talks nonsense", "service", "warn")
@contextmanager
def service_talks_nonsense(home):
    with listening(home) as listener:
        threading.Thread(target=babble, args=[listener], daemon=True).start()
        yield


@simulated("no socket in its place", "service", "warn")
def no_socket(home):
    home.socket.parent.mkdir()
    home.socket.touch()


@contextmanager
def listening(home):
    home.socket.parent.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(home.socket))
        listener.listen()
        yield listener


def babble(listener):
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with connection:
            connection.recv(1000)
            connection.sendall(b"220 mail.example.org ESMTP\r\n\r\n")


def flip(path, at):
    with path.open("r+b", buffering=0) as file:
        byte = os.pread(file.fileno(), 1, at)
        os.pwrite(file.fileno(), bytes([byte[0] ^ 4]), at)


@pytest.mark.parametrize("name", SIMULATED)
def test_it_is_found(a_copy, tmp_path_factory, name):
    failure, simulate = SIMULATED[name]
    home = a_copy(Path(tempfile.mkdtemp(prefix="h", dir=tmp_path_factory.getbasetemp())))
    with simulate(home) or nullcontext():
        done = home.run("health", "--json")
    assert "Traceback" not in done.stderr
    report = json.loads(done.stdout)
    assert done.returncode == failure.exit_code, report
    assert [one["component"] for one in report["components"]] == COMPONENTS
    (component,) = (one for one in report["components"] if one["component"] == failure.component)
    assert component["severity"] == failure.severity
    assert component.get("error_code", "") == failure.code
    assert len(component["message"]) > 20
    assert len(component["remedy"]) > 10
    assert "\n" not in component["remedy"]
    assert report["status"] in {failure.severity, "fail"}
    subprocess.run(["rm", "-rf", home.folder], check=True)


# --- well ---------------------------------------------------------------------------------------------------------


def test_all_is_well(home):
    done = home.run("health")
    assert (done.returncode, done.stderr) == (0, "")
    heads = [line.split()[:3] for line in done.stdout.splitlines() if not line.startswith(" ")]
    assert heads == [["✓", "pass", component] for component in COMPONENTS]
    report = json.loads(home.run("health", "--json").stdout)
    assert report["status"] == "pass"
    assert [one["component"] for one in report["components"]] == COMPONENTS
    assert {one["severity"] for one in report["components"]} == {"pass"}
    assert {one["remedy"] for one in report["components"]} == {""}


def test_questions_do_not_change_the_index(home):
    library = InternalLibrary.open(home.places)
    assert library.ask("How do I change file permissions?").references
    assert index_integrity(home.generations).severity == "pass"


def test_the_table_says_what_to_do(home):
    shutil.rmtree(home.manual)
    home.places.audit_log.chmod(0o644)
    done = home.run("health")
    assert done.returncode == 1
    assert re.search(r"^✗ fail  source_access +manual:", done.stdout, re.MULTILINE)
    assert re.search(r"^! warn  permissions ", done.stdout, re.MULTILINE)
    assert f"permissions      chmod go-rwx {home.places.audit_log}" in done.stdout.split("What to do:\n")[1]
    assert "\x1b" not in done.stdout


def test_a_terminal_without_utf8_gets_its_words(home):
    home.environment.update(PYTHONIOENCODING="ascii")
    done = home.run("health")
    assert done.returncode == 0
    assert "? pass  index_freshness" in done.stdout


def test_nothing_in_a_name_steers_the_terminal(home):
    home.set_source(location="/nowhere/\x1b[2J\n✓ pass  source_access \u202e")
    done = home.run("health")
    assert done.returncode == 1
    assert "\x1b" not in done.stdout
    assert "\u202e" not in done.stdout
    assert not re.search(r"^✓ pass  source_access", done.stdout, re.MULTILINE)


def test_the_configuration_says_how_it_is_shown(home):
    home.places.settings_file.write_text("ragadmin: {output_default: json}\n")
    assert json.loads(home.run("health").stdout)["status"] == "pass"


def test_a_seeded_source_that_this_machine_lacks_is_a_warning(home, monkeypatch):
    lacking = CatalogEntry("info-pages", "info", str(home.folder / "none"))
    monkeypatch.setattr("vademecum.library.health.source_access.DEFAULT", (lacking,))
    with Catalog(home.places.catalog_file).changing() as entries:
        entries.append(lacking)
    by_name = {one.component: one for one in check(home.places, patience=QUICK)}
    assert by_name["source_access"].severity == "warn"
    assert by_name["source_access"].remedy == "ragadmin sources remove info-pages"
    assert by_name["index_freshness"].severity == "pass"


# --- the index ----------------------------------------------------------------------------------------------------


def kinds_of_files(home):
    manifest = home.generations.current()
    yield home.places.index_folder / "CURRENT"
    yield home.generations.generation(manifest.number) / "manifest.json"
    for name in manifest.files:
        yield home.generations.generation(manifest.number) / name
    for segment in manifest.segments:
        for name in segment.files:
            yield home.generations.segment(segment.name) / name


def is_found(home):
    try:
        return index_integrity(home.generations).error_code == "INDEX_CORRUPT"
    except Exception as error:  # noqa: BLE001 - its code is looked at
        return getattr(error, "code", "") in {"INDEX_CORRUPT", "INDEX_MISSING"}


@pytest.mark.timeout(300)
def test_damage_to_any_file_of_the_index_is_found(home):
    files = list(kinds_of_files(home))
    assert len(files) > 20
    assert index_integrity(home.generations).severity == "pass"
    for path in files:
        size = path.stat().st_size
        for place in {0, size // 2, size - 1} if size else ():
            flip(path, place)
            assert is_found(home), f"{path}: byte {place} of {size}"
            flip(path, place)
        aside = home.folder / "aside"
        path.rename(aside)
        assert is_found(home), f"{path}: missing"
        if size:
            subprocess.run(["cp", "--sparse=always", aside, path], check=True)
            os.truncate(path, size // 2)
            assert is_found(home), f"{path}: truncated"
        aside.replace(path)
    assert index_integrity(home.generations).severity == "pass"


def test_an_index_without_checksums_is_a_warning(home):
    def forget(data):
        data["files"].pop("checksums.json")
        data["segments"][0]["files"].pop("checksums.json")

    home.set_manifest(forget)
    result = index_integrity(home.generations)
    assert (result.severity, result.remedy) == ("warn", "ragadmin reindex --full")


@pytest.mark.parametrize(("days", "severity"), [(0, "pass"), (29.99, "pass"), (30, "warn"), (400, "warn")])
def test_from_which_age_on_it_is_old(home, days, severity):
    built = datetime.fromisoformat(home.generations.current().built)
    result = index_freshness(
        home.generations, Catalog(home.places.catalog_file), home.places, now=built + timedelta(days=days)
    )
    assert result.severity == severity
    assert result.error_code == ("INDEX_STALE" if severity == "warn" else "")


def test_a_reindex_that_goes_on_was_not_cut_off(home):
    record(home.places, "reindex", "all", "started")
    catalog = Catalog(home.places.catalog_file)
    with home.generations.writing():
        assert index_freshness(home.generations, catalog, home.places).severity == "pass"
    assert "cut off" in index_freshness(home.generations, catalog, home.places).message


# --- the disk -----------------------------------------------------------------------------------------------------


def disk(free, total, files_free=900, files=1000):
    return os.statvfs_result((4096, 4096, total, free, free, files, files_free, files_free, 0, 255))


@pytest.mark.parametrize(
    ("free", "total", "severity"),
    [
        (1000, 1000, "pass"),
        (101, 1000, "pass"),
        (100, 1000, "warn"),
        (81, 1000, "warn"),
        (80, 1000, "fail"),
        (0, 1000, "fail"),
        (0, 0, "pass"),
        (10**15 // 10, 10**15, "warn"),
        (10**15 // 10 + 1, 10**15, "pass"),
    ],
)
def test_from_how_little_room_on_it_is_said(home, free, total, severity):
    result = disk_capacity(home.places, lambda _place: disk(free, total))
    assert result.severity == severity
    assert result.error_code == ("DISK_FULL" if severity == "fail" else "")


def test_entries_for_files_count_as_room_does(home):
    result = disk_capacity(home.places, lambda _place: disk(900, 1000, 50))
    assert result.severity == "fail"
    assert "50 entries for files" in result.message
    assert disk_capacity(home.places, lambda _place: disk(900, 1000, 0, 0)).severity == "pass"


@pytest.mark.parametrize(("percent", "severity"), [(12, "pass"), (9, "warn"), (7, "fail")])
def test_a_disk_that_fills_up(a_copy, small_disk, fill, percent, severity):
    home = a_copy(small_disk)
    fill(small_disk, shutil.disk_usage(small_disk).total * percent // 100)
    done = home.run("health", "--json")
    assert done.returncode == EXIT_CODES[severity], done.stdout
    by_name = {one["component"]: one for one in json.loads(done.stdout)["components"]}
    assert by_name["disk_capacity"]["severity"] == severity
    assert "% (" in by_name["disk_capacity"]["message"]


# --- folders that may not be written ------------------------------------------------------------------------------


@contextmanager
def somebody_else():
    """As root, be nobody for a while; as anybody else, be oneself."""
    if os.geteuid() == 0:
        os.setegid(65534)
        os.seteuid(65534)
    try:
        yield
    finally:
        if os.getuid() == 0:
            os.seteuid(0)
            os.setegid(0)


@pytest.fixture
def open_to_all():
    """A folder of nobody's in which nobody may do all."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture
def places(open_to_all):
    """The folders of a library there, which nobody else may read."""
    places = Places(open_to_all / "data", open_to_all / "config")
    for place in places:
        place.mkdir(mode=0o700)
    return places


def given_to_nobody(*places):
    if os.geteuid() == 0:
        subprocess.run(["chown", "-R", "65534:65534", *places], check=True)


def found_of(component, places):
    check(places, patience=QUICK)  # loads what nobody may read
    with somebody_else():
        return next(one for one in check(places, patience=QUICK) if one.component == component)


@pytest.mark.parametrize("mode", [0o755, 0o750, 0o711])
def test_warns_when_others_may_read_the_data(places, mode):
    given_to_nobody(*places)
    places.data.chmod(mode)
    result = found_of("permissions", places)
    assert (result.severity, result.remedy) == ("warn", f"chmod 700 {places.data}")
    assert f"may be read by others (mode {mode:04o})" in result.message
    places.data.chmod(0o700)
    assert found_of("permissions", places).severity == "pass"


def test_a_library_that_somebody_else_keeps_may_be_read(places):
    if os.geteuid() != 0:
        pytest.skip("only root is somebody else, too")
    for place in places:
        place.chmod(0o755)
    assert "may be read by others" not in found_of("permissions", places).message


@pytest.mark.parametrize("is_ours", [True, False])
def test_a_source_that_may_not_be_read(open_to_all, places, is_ours):
    notes = open_to_all / "my notes"
    notes.mkdir()
    (notes / "seal.md").write_text("# Sealing\n\nAn envelope is sealed with a walrus.\n")
    InternalLibrary.open(places).add_source(notes)
    with Catalog(places.catalog_file).changing() as entries:
        del entries[:2]  # the machine's own
    if not is_ours and os.geteuid() != 0:
        pytest.skip("only root is somebody else, too")
    given_to_nobody(*places, *([notes] if is_ours else []))
    notes.chmod(0)
    result = found_of("source_access", places)
    assert result.severity == "fail"
    assert "may not be read by this user" in result.message
    if is_ours:
        assert result.remedy == f"chmod -R u+rX '{notes}'"
    else:
        assert result.remedy == f"Ask the owner of {notes}, root, for the right to read it"
    notes.chmod(0o755)
    assert found_of("source_access", places).severity == "pass"


def test_an_index_that_may_not_be_read_is_not_called_damaged(open_to_all, places):
    (open_to_all / "notes").mkdir()
    (open_to_all / "notes/seal.md").write_text("# Sealing\n\nAn envelope is sealed with a walrus.\n")
    library = InternalLibrary.open(places)
    library.add(open_to_all / "notes")
    assert library.search("walrus")
    given_to_nobody(*places)
    places.index_folder.chmod(0)
    remedy = f"chmod -R u+rX {places.index_folder}"
    for component in ("index_freshness", "index_integrity"):
        result = found_of(component, places)
        assert (result.severity, result.error_code, result.remedy) == ("fail", "STORE_FAILED", remedy)
        assert "may not be read by this user" in result.message
    with somebody_else():
        for do in (
            lambda: InternalLibrary.open(places).ask("walrus"),
            lambda: InternalLibrary.open(places).reindex(),
        ):
            with pytest.raises(StoreError) as caught:
                do()
            assert type(caught.value) is StoreError
            assert "--full" not in caught.value.hint
        places.catalog_file.unlink()
        with pytest.raises(StoreError, match="may not be read"):
            InternalLibrary.open(places).add_source(open_to_all / "notes")
    places.index_folder.chmod(0o700)
    assert InternalLibrary.open(places).search("walrus")


def test_a_data_folder_that_may_not_be_read_is_not_called_damaged(places):
    InternalLibrary.open(places).prepare()
    given_to_nobody(*places)
    places.data.chmod(0)
    result = found_of("configuration", places)
    assert (result.severity, result.error_code) == ("fail", "CONFIG_INVALID")
    assert "may not be read by this user" in result.message
    assert result.remedy == f"chmod -R u+rX {places.data}"
    places.data.chmod(0o700)
    assert found_of("configuration", places).severity == "pass"


@pytest.mark.parametrize(("name", "severity"), [("data", "fail"), ("config", "warn")])
def test_a_folder_that_may_not_be_written(places, name, severity):
    given_to_nobody(*places)
    getattr(places, name).chmod(0o555)
    result = found_of("permissions", places)
    getattr(places, name).chmod(0o755)
    assert result.severity == severity
    assert f"{getattr(places, name)} cannot be written: Permission denied." in result.message
    assert result.remedy == f"chmod u+rwx {getattr(places, name)}"


def test_a_folder_on_a_disk_that_is_full(small_disk, fill):
    fill(small_disk)
    by_name = {one.component: one for one in check(Places(small_disk, small_disk), patience=QUICK)}
    assert (by_name["permissions"].severity, by_name["permissions"].error_code) == ("fail", "DISK_FULL")
    assert by_name["disk_capacity"].severity == "fail"


# --- backends ----------------------------------------------------------------------------------------------------

PROBED = """
import json, socket, sys
from pathlib import Path
from vademecum.core.errors import ProviderError
from vademecum.library.health.health import check
from vademecum.files.places import Places
from vademecum.library.health.probing import Patience, Probe

def closed(timeout_s):
    with socket.create_connection(("127.0.0.1", 9), timeout_s):
        return "It answers."

def lacking(timeout_s):
    raise ProviderError("Ollama has no model gemma3:1b.", hint="ollama pull gemma3:1b")

waited = []
probes = [
    Probe("weaviate", closed, "systemctl start weaviate"),
    Probe("ollama", lacking, "systemctl start ollama"),
    Probe("well", lambda timeout_s: f"It answers within {timeout_s:g} s.", "nothing"),
]
places = Places(Path(sys.argv[1]), Path(sys.argv[1]))
results = check(places, probes=probes, patience=Patience((0.01,) * 5, 5), on_wait=waited.append)
print(json.dumps([[one.to_dict() for one in results], waited]))
"""


def test_back_ends_come_after_the_index(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", PROBED, tmp_path], capture_output=True, text=True, check=True
    )
    results, waited = json.loads(done.stdout)
    assert [one["component"] for one in results] == [
        *COMPONENTS[:4], "weaviate", "ollama", "well", *COMPONENTS[4:]
    ]  # fmt: skip
    down, lacking, well = results[4:7]
    assert (down["severity"], down["error_code"]) == ("fail", "PROVIDER_FAILED")
    assert down["remedy"] == "systemctl start weaviate"
    assert len([said for said in waited if said.startswith("weaviate: ")]) == 5
    assert (lacking["message"], lacking["remedy"]) == (
        "Ollama has no model gemma3:1b.",
        "ollama pull gemma3:1b",
    )
    assert (well["severity"], well["message"]) == ("pass", "It answers within 5 s.")
    assert waited == [said for said in waited if said.startswith("weaviate: ")]
