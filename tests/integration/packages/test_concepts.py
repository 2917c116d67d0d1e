"""What things are called in each distribution."""

from pathlib import Path

import pytest

from vademecum.desks.composer.packages.concepts import concept_of, concepts, meant, phrases, siblings
from vademecum.desks.composer.packages.distributions import DISTRIBUTIONS, distribution_of
from vademecum.desks.composer.packages.near import distance, nearest
from vademecum.desks.composer.packages.reading import is_name

SYSTEMS = [one.name for one in DISTRIBUTIONS]


def test_the_table():
    assert len(concepts()) > 400
    keys = {*SYSTEMS, "deb", "rpm", "*"} | {version for known in DISTRIBUTIONS for version in known.versions}
    for concept in concepts().values():
        assert set(concept.packages) <= keys, concept
        assert all(phrase == phrase.lower().strip() for phrase in concept.phrases), concept
        for names in (*concept.packages.values(), concept.vendor, concept.others):
            assert all(map(is_name, names)), concept
            assert len(set(names)) == len(names), concept


def test_every_phrase_is_of_one_concept():
    said = [phrase for concept in concepts().values() for phrase in concept.phrases]
    assert sorted(said) == sorted({*said})
    assert all(
        phrases()[phrase] == concept.name for concept in concepts().values() for phrase in concept.phrases
    )


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_distribution_has_what_everybody_asks_for(system):
    for said in ("nginx", "web server", "docker", "containers", "ssh server", "time sync", "firewall", "text editor", "python",
                 "git", "curl", "monitoring", "wifi", "bluetooth", "database", "gpu drivers", "vim", "syslog", "tpm", "cloud-init"):  # fmt: skip
        assert concept_of(said).names(system), said


@pytest.mark.parametrize(
    ("said", "concept"),
    [
        ("an SSH server", "ssh-server"),
        ("ssh", "ssh-server"),
        ("SSH client", "ssh-client"),
        ("the docker engine", "docker"),
        ("web server", "web-server"),
        ("Nginx", "nginx"),
        ("time synchronisation", "ntp"),
        ("NTP", "ntp"),
        ("kubernetes", "kubernetes"),
        ("monitoring packages", "monitoring"),
        ("Prometheus node exporter", "node-exporter"),
        ("hardware watchdog", "watchdog"),
        ("Wi-Fi", "wifi"),
        ("postgres", "postgresql"),
        ("vi", "vim"),
        ("python 3", "python"),
        ("moby-engine", "docker"),
        ("httpd", "apache"),
        ("openssh-server", "ssh-server"),
        ("wpa_supplicant", "wifi"),
    ],
)
def test_how_people_say_it(said, concept):
    assert meant(said).name == concept


@pytest.mark.parametrize("said", ["", "the", "purple", "a server", "package", "digital", "x" * 5000])
def test_what_names_nothing(said):
    found = meant(said)
    assert found is None
    assert siblings(said, "debian") == ()


def test_names_by_distribution():
    docker = concept_of("docker")
    assert docker.names("ubuntu") == docker.names("ubuntu24") == ("docker.io",)
    assert docker.names("azure-linux", "azl3") == ("moby-engine", "docker-cli")
    assert docker.names("purple") is None
    assert concept_of("purple") is None
    assert concept_of("p7zip").names("ubuntu", "ubuntu26") != concept_of("p7zip").names("ubuntu", "ubuntu24")
    assert siblings("httpd", "debian") == ("apache2",)
    assert siblings("apache2", "el10") == ("httpd",)
    assert siblings("openssh-server", "debian") == ()
    assert distribution_of("EMT").name == distribution_of("emt3").name == "edge-microvisor-toolkit"


@pytest.mark.parametrize(
    ("one", "other", "away"),
    [
        ("", "", 0),
        ("a", "", 1),
        ("nginx", "ngnix", 1),
        ("kitten", "sitting", 3),
        ("abc", "abc", 0),
        ("ab", "ba", 1),
        ("curl", "docker", 4),
    ],
)
def test_distance(one, other, away):
    assert distance(one, other, 3) == min(away, 4)
    assert distance(other, one, 3) == min(away, 4)


def test_nearest():
    names = ["nginx", "nginx-full", "unix", "docker.io", "jq", "curl"]
    assert nearest("ngnix", names, 3) == ["nginx", "unix"]
    assert nearest("nginz", names, 3) == ["nginx"]
    assert nearest("qj", names, 3) == ["jq"]
    assert nearest("xxxxxxxx", names, 3) == []


@pytest.mark.parametrize(
    "line",
    Path(__file__).with_name("in_indexes.txt").read_text("utf-8").splitlines(),
    ids=lambda line: line[:8],
)
def test_every_name_is_in_the_index_of_its_release(line):
    """The lines are written by `scripts/package_names.py` from the indexes of the releases: run it after a change of the table."""
    release, _, names = line.partition(": ")
    known = {*names.split()}
    system = distribution_of(release).name
    missing = {
        concept.name: gone
        for concept in concepts().values()
        if (gone := {*(concept.names(system, release) or ())} - known)
    }
    assert len(known) > 300
    assert not missing
