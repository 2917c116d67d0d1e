"""What things are called in each distribution."""

import pytest

from vademecum.desks.composer import lay_words
from vademecum.desks.composer.packages.aliases import (
    all_concepts,
    concept_of_package,
    concepts,
    meant,
    named_for,
    siblings,
)
from vademecum.desks.composer.packages.distributions import DISTRIBUTIONS, distribution_of
from vademecum.desks.composer.packages.near import distance, nearest
from vademecum.desks.composer.packages.reading import is_name

SYSTEMS = [one.name for one in DISTRIBUTIONS]


def test_the_table():
    assert len(concepts()) == len(all_concepts()) >= 80
    for concept in all_concepts().values():
        assert concept.phrases[0] == concept.name.replace("-", " ")
        assert all(phrase == phrase.lower().strip() for phrase in concept.phrases)
        for system in SYSTEMS:
            names = named_for(concept.name, system)
            assert all(map(is_name, names)), concept
            assert len(set(names)) == len(names)
        known = {*SYSTEMS, "deb", "rpm"} | {version for one in DISTRIBUTIONS for version in one.versions}
        assert set(concept.packages) <= known
        assert {
            one.family for one in DISTRIBUTIONS if not {one.name, one.family} & set(concept.packages)
        } == set(), concept


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_distribution_has_what_everybody_asks_for(system):
    for concept in ("nginx", "web-server", "docker", "container-runtime", "ssh-server", "time-sync", "firewall", "editor", "python",
                    "git", "curl", "monitoring", "wifi", "bluetooth", "database", "gpu-drivers", "vim", "logging", "tpm", "cloud-init"):  # fmt: skip
        assert named_for(concept, system), concept


@pytest.mark.parametrize(
    ("said", "concept"),
    [
        ("an SSH server", "ssh-server"),
        ("ssh", "ssh-server"),
        ("SSH client", "ssh-client"),
        ("the docker engine", "docker"),
        ("web server", "web-server"),
        ("Nginx", "nginx"),
        ("time synchronisation", "time-sync"),
        ("NTP", "time-sync"),
        ("kubernetes", "kubernetes"),
        ("monitoring packages", "monitoring"),
        ("Prometheus node exporter", "monitoring"),
        ("hardware watchdog", "watchdog"),
        ("Wi-Fi", "wifi"),
        ("postgres", "database"),
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
    assert named_for(said, "debian") == ()


def test_phrases_are_of_one_concept():
    for concept in all_concepts().values():
        for phrase in (concept.name, *concept.phrases):
            assert meant(phrase).name == concept.name, phrase


def test_names_by_distribution():
    assert named_for("docker", "ubuntu") == ("docker.io",)
    assert named_for("docker", "azl3") == ("moby-engine", "docker-cli")
    assert named_for("docker", "purple") == ()
    assert named_for("purple", "ubuntu") == ()
    assert siblings("httpd", "debian") == ("apache2",)
    assert siblings("apache2", "el10") == ("httpd",)
    assert siblings("openssh-server", "debian") == ()
    assert concept_of_package("docker-cli") is None
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


def test_what_the_alias_table_says_is_said_nowhere_else():
    linked = [one for one in lay_words.concepts().values() if one.alias]
    assert len(linked) > 150
    for one in linked:
        for distribution, family in lay_words.FAMILIES.items():
            if {distribution, family} & all_concepts()[one.alias].packages.keys():
                told = named_for(one.alias, distribution)
                assert one.names(distribution) == told, one
                assert one._own(distribution) != told, f"{one.name}: the line repeats the alias table"
