"""The four states of a package, and how each is reached."""

import pytest

from vademecum.desks.composer.packages.reading import Package
from vademecum.desks.composer.packages.repositories import Repository
from vademecum.desks.composer.packages.states import PackageIndex
from vademecum.desks.composer.packages.store import PackageStore

DEBIAN = [
    Package("nginx", "1.24.0-2", ("httpd", "httpd-cgi")),
    Package("apache2", "2.4.58-1", ("httpd", "httpd-cgi")),
    Package("lighttpd", "1.4-1", ("httpd",)),
    Package("docker.io", "26.1-1"),
    Package("openssh-server", "1:9.6-3"),
    Package("prometheus-node-exporter", "1.7-1"),
    Package("mawk", "1.3-1", ("awk",)),
    Package("linux-image-generic", "6.8"),
    Package("linux-image-generic-hwe-24.04", "6.11"),
    Package("openvino", "2025.3.0.19807"),
    Package("openvino", "2026.0.0"),
    Package("mosquitto", "2.0"),
    Package("mosquitto-clients", "2.0"),
]
RPM = [
    Package("kernel", "6.6.57.1-6.azl3"),
    Package("kernel-64k", "6.6.57.1-6.azl3"),
    Package("httpd", "2.4-1"),
    Package("nginx", "1.26-1"),
]


def place(version="debian13", **more):
    family = "rpm" if version == "azl3" else "deb"
    os = "azure-linux" if version == "azl3" else "debian"
    values = {
        "name": "main",
        "url": f"http://{version}.example",
        "architecture": "x86_64",
        "role": "system",
    } | more
    return Repository(
        family=family, suite="s", components=("c",), distribution=os, version=version, file="f", **values
    )


@pytest.fixture
def kept(tmp_path):
    store = PackageStore(tmp_path / "kept")
    with store.writing() as writer:
        writer.keep(place(), DEBIAN, "")
        writer.keep(place("azl3"), RPM, "")
    return store


@pytest.fixture
def check(kept):
    def look(name, distribution="debian", version="debian13", **more):
        (found,) = PackageIndex(kept).check([name], distribution=distribution, version=version, **more)
        assert found.name == name
        assert found.reason.endswith((".", "sync", "--with-templates"))
        return found

    return look


def test_verified(check):
    found = check("nginx")
    assert (found.state, found.found, found.by, found.alternatives) == ("verified", "nginx", "", ())
    assert "main has it (1.24.0-2)" in found.reason
    assert check("nginx", "azure-linux", "azl3").state == "verified"
    assert check("nginx", "azl3", "").state == "verified"
    assert check("nginx", architecture="amd64").state == "verified"


@pytest.mark.parametrize(
    ("name", "found", "by"),
    [
        ("httpd", "apache2", "alias"),
        ("docker", "docker.io", "alias"),
        ("docker-ce", "docker.io", "alias"),
        ("sshd", "openssh-server", "alias"),
        ("node_exporter", "prometheus-node-exporter", "alias"),
        ("awk", "mawk", "provides"),
        ("httpd-cgi", "nginx", "provides"),
        ("openvino_2025.3.0.19807", "openvino", "version"),
        ("openvino_2025.3", "openvino", "version"),
        ("nginx=1.24*", "nginx", "version"),
        ("openssh-server=9.6", "openssh-server", "version"),
        ("nginx-1.24", "nginx", "version"),
        ("linux-image-generic*", "linux-image-generic", "glob"),
        ("mosquitto-?lients", "mosquitto-clients", "glob"),
    ],
)
def test_resolved(check, name, found, by):
    looked = check(name)
    assert (looked.state, looked.found, looked.by) == ("resolved", found, by)


def test_a_name_that_means_something_else(kept, check):
    with kept.writing() as writer:
        writer.keep(place(name="more"), [*DEBIAN, Package("docker", "1.5-2")], "")
    found = check("docker")
    assert (found.state, found.found, found.alternatives) == ("verified", "docker", ("docker.io",))
    assert "mostly docker.io" in found.reason


def test_resolved_in_an_rpm_distribution(check):
    for name in ("kernel-64k-6.6.57.1-6.azl3.aarch64.rpm", "kernel-64k-6.6.57.1-6.azl3", "kernel-64k-6.6"):
        looked = check(name, "azure-linux", "azl3")
        assert (looked.state, looked.found, looked.by) == ("resolved", "kernel-64k", "version")
    looked = check("apache2", "azure-linux", "azl3")
    assert (looked.state, looked.found, looked.by) == ("resolved", "httpd", "alias")


@pytest.mark.parametrize(
    ("name", "alternative"),
    [
        ("ngnix", "nginx"),
        ("openssh-sever", "openssh-server"),
        ("mosqitto", "mosquitto"),
        ("hginx", "nginx"),
        ("linux-image", "linux-image-generic"),
        ("openvino_2024.1", "openvino"),
    ],
)
def test_not_available(check, name, alternative):
    found = check(name)
    assert (found.state, found.found, found.by) == ("not_available", "", "")
    assert found.alternatives[0] == alternative
    assert len(found.alternatives) <= 5


def test_a_version_that_is_not_there_tells_those_that_are(check):
    assert "openvino_2026.0.0" in check("openvino_2024.1").alternatives
    found = check("kernel-5.15", "azure-linux", "azl3")
    assert (found.state, found.alternatives) == ("not_available", ("kernel", "kernel-6.6.57.1-6.azl3"))
    assert "6.6.57.1" in found.reason


def test_alternatives_are_of_the_same_distribution(check):
    assert "httpd" not in check("httpdd").alternatives
    assert check("httpdd", "azure-linux", "azl3").alternatives == ("httpd",)


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        "a b",
        "$(reboot)",
        "x;y",
        "../etc/passwd",
        "a" * 300,
        "nginx\n",
        "é",
        "'; DROP TABLE package; --",
        "*",
        "?",
    ],
)
def test_what_is_no_name(check, name):
    found = check(name)
    assert found.state == "not_available"
    assert found.alternatives == ()


def test_a_pattern_without_end(check):
    assert check("*a*b*c*d*e*f*").state == "not_available"
    assert check("[a-z]*").state == "not_available"


def test_unverified_without_an_index(tmp_path, check):
    (found,) = PackageIndex.open(tmp_path / "nothing").check(
        ["nginx"], distribution="debian", version="debian13"
    )
    assert found.state == "unverified"
    assert "no package index for debian13 x86_64; run: vademecum packages sync" in found.reason
    assert check("nginx", architecture="aarch64").state == "unverified"
    assert check("nginx", "ubuntu", "ubuntu24").state == "unverified"
    assert check("nginx", "plan9", "").state == "unverified"


def test_unverified_while_a_repository_is_down(kept, check):
    with kept.writing() as writer:
        writer.note(
            place(name="security", url="http://b.example"),
            "unreachable",
            "http://b.example: connection refused.",
        )
    assert check("nginx").state == "verified"
    assert check("httpd").state == "resolved"
    found = check("ngnix")
    assert (found.state, found.alternatives) == ("unverified", ("nginx",))
    assert (
        "security (debian13 x86_64) has not been read: http://b.example: connection refused." in found.reason
    )


def test_what_is_kept_serves_while_a_repository_is_down(kept, check):
    with kept.writing() as writer:
        writer.note(place(), "unreachable", "down.")
    assert check("nginx").state == "verified"
    assert check("purple").state == "not_available"


def test_further_repositories_count_for_those_who_name_them(kept, check):
    docker = place(name="docker", url="http://docker.example/linux", role="template")
    with kept.writing() as writer:
        writer.keep(docker, [Package("docker-ce", "26-1")], "")
    assert check("docker-ce").by == "alias"
    assert check("docker-ce", repositories=["http://docker.example/linux/"]).state == "verified"
    found = check("containerd.io", repositories=["http://other.example"])
    assert found.state == "unverified"
    assert "http://other.example, which the template names, has not been read" in found.reason
    assert check("purple", repositories=["<URL>"]).state == "not_available"


def test_names(kept):
    index = PackageIndex(kept)
    assert index.names("azl3") == ("httpd", "kernel", "kernel-64k", "nginx")
    assert index.names("debian", "debian13", "aarch64") == ()
    assert index.among(["nginx", "digital", "git", ""], "debian") == {"nginx"}
    assert index.covers("debian13")
    assert not index.covers("ubuntu24")


def test_order_and_repeats(kept):
    names = ["purple", "nginx", "purple"]
    assert [one.name for one in PackageIndex(kept).check(names, distribution="debian13")] == names
    assert PackageIndex(kept).check([], distribution="debian13") == []
