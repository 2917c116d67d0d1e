"""Real repositories, made small: `Packages` and `primary.xml` files in a folder, served over HTTP on this machine."""

import gzip
import hashlib
import lzma
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from xml.sax.saxutils import escape, quoteattr

import pytest

from vademecum.core.zstd import compress

PACKERS = {"": lambda data: data, ".gz": gzip.compress, ".xz": lzma.compress, ".zst": compress}


def debian_text(packages):
    """A `Packages` file; each package is a name, a version, and fields."""
    paragraphs = []
    for name, version, *more in packages:
        fields = {"Package": name, "Version": version, "Architecture": "amd64", **(more[0] if more else {})}
        fields.setdefault("Description", f"the package {name}\n and a second line: with a colon")
        paragraphs.append("".join(f"{key}: {value}\n" for key, value in fields.items()))
    return "\n".join(paragraphs).encode()


def rpm_text(packages):
    """A `primary.xml`; each package is a name, a version with its release, and what it provides."""
    entries = []
    for name, version, *more in packages:
        ver, _, rel = version.partition("-")
        provides = "".join(f"<rpm:entry name={quoteattr(one)}/>" for one in (more[0] if more else []))
        entries.append(
            f'<package type="rpm"><name>{escape(name)}</name><arch>x86_64</arch>'
            f'<version epoch="0" ver="{ver}" rel="{rel}"/><summary>of {escape(name)}</summary>'
            f"<format><rpm:license>MIT</rpm:license><rpm:provides>{provides}</rpm:provides>"
            '<rpm:requires><rpm:entry name="bash"/></rpm:requires></format></package>'
        )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<metadata xmlns="http://linux.duke.edu/metadata/common" '
        f'xmlns:rpm="http://linux.duke.edu/metadata/rpm" packages="{len(entries)}">{"".join(entries)}</metadata>'
    ).encode()


def put(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


class Site:
    """A folder that is served. `down` lets every request fail, `asked` are the paths that were asked for."""

    def __init__(self, root):
        self.root = root
        self.url = ""
        self.down = False
        self.asked = []

    def debian(
        self,
        packages,
        *,
        at="debian",
        suite="trixie",
        component="main",
        arch="amd64",
        ending=".xz",
        release=True,
    ):
        """Put a Debian repository there; `packages` may be the bytes of an index. Further components add to its `Release`."""
        data = packages if isinstance(packages, bytes) else PACKERS[ending](debian_text(packages))
        base = self.root / at / "dists" / suite
        name = f"{component}/binary-{arch}/Packages{ending}"
        put(base / name, data)
        if release:
            file = base / "Release"
            head = (
                file.read_text()
                if file.exists()
                else f"Suite: {suite}\nMD5Sum:\n {'0' * 32} 1 {name}\nSHA256:\n"
            )
            lines = [
                line for line in head.split("\n") if (line and not line.endswith(f" {name}")) or "MD5" in line
            ]
            put(
                file,
                "\n".join([*lines, f" {hashlib.sha256(data).hexdigest()} {len(data)} {name}", ""]).encode(),
            )
        return f"{self.url}/{at}"

    def rpm(self, packages, *, at="rpm/x86_64", ending=".gz", checksum=None):
        """Put an RPM repository there; `packages` may be the bytes of an index."""
        data = packages if isinstance(packages, bytes) else PACKERS[ending](rpm_text(packages))
        name = f"repodata/primary.xml{ending}"
        put(self.root / at / name, data)
        said = checksum or hashlib.sha256(data).hexdigest()
        repomd = (
            '<?xml version="1.0"?><repomd xmlns="http://linux.duke.edu/metadata/repo"><data type="filelists">'
            '<checksum type="sha256">00</checksum><location href="repodata/filelists.xml.gz"/></data><data type="primary">'
            f'<checksum type="sha256">{said}</checksum><location href="{name}"/></data></repomd>'
        )
        put(self.root / at / "repodata/repomd.xml", repomd.encode())
        return f"{self.url}/{at}"


class Handler(SimpleHTTPRequestHandler):
    def __init__(self, *arguments, site, **more):
        self.site = site
        super().__init__(*arguments, directory=str(site.root), **more)

    def do_GET(self):
        self.site.asked.append(self.path)
        if self.site.down:
            self.send_error(503)
        else:
            super().do_GET()

    def log_message(self, *_):
        pass


@pytest.fixture
def made():
    return SimpleNamespace(debian=debian_text, rpm=rpm_text, pack=lambda data, ending: PACKERS[ending](data))


@pytest.fixture
def site(tmp_path):
    site = Site(tmp_path / "site")
    site.root.mkdir()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, site=site))
    site.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield site
    server.shutdown()
    server.server_close()
    thread.join()


class Defaults:
    """A folder of defaults as the tool has them, with provider configurations."""

    def __init__(self, root):
        self.root = root

    def debian(
        self,
        url,
        *,
        os="debian",
        dist="debian13",
        suites=("trixie",),
        component="main",
        name="amd64_repo.yml",
    ):
        entries = "".join(
            f"  - name: {suite}\n    type: deb\n    baseURL: {url}\n    pkgPrefix: {url}\n"
            f"    releaseFile: {url}/dists/{suite}/Release\n    enabled: true\n    component: {component}\n"
            for suite in suites
        )
        return put(self.root / os / dist / "providerconfigs" / name, f"repositories:\n{entries}".encode())

    def rpm(self, url, *, os="azure-linux", dist="azl3", name="x86_64_repo.yml"):
        text = f"name: Base\ntype: rpm\nbaseURL: {url}\ncomponent: base\nenabled: true\n"
        return put(self.root / os / dist / "providerconfigs" / name, text.encode())


@pytest.fixture
def defaults(tmp_path):
    return Defaults(tmp_path / "os-defaults")


@pytest.fixture
def synced(defaults, tmp_path):
    """Reads what the defaults name, and gives what came and the index."""
    from vademecum.desks.composer.packages.repositories import repositories_in
    from vademecum.desks.composer.packages.states import PackageIndex
    from vademecum.desks.composer.packages.store import PackageStore
    from vademecum.desks.composer.packages.syncing import sync

    def read(templates_dir=None, **more):
        store = PackageStore(Path(tmp_path, "kept"))
        named = repositories_in(defaults.root, templates_dir)
        return sync(named.repositories, store, **more), PackageIndex(store)

    return read
