"""One pass over a request: what each word is under, and that every word ends in a wish, a question, or what is passed over by name."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.desks.composer.request.lexer import tokens_of
from vademecum.desks.composer.request.reading import read
from vademecum.desks.composer.request.vocabulary import Vocabulary, _own
from vademecum.desks.composer.search.capabilities import capabilities

PACKAGES = frozenset(["nginx", "telnet"])


def short(text):
    """Each wish as `kind value`, with `not` before what is ruled out."""
    return [
        f"{'' if wish.wanted else 'not '}{wish.kind} {wish.value}".strip()
        for wish in read(text, PACKAGES).wishes
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ubuntu 24.04 server, do not use disk encryption", ["version ubuntu24", "not encryption"]),
        ("debian 13, LUKS must be off", ["version debian13", "not encryption"]),
        ("debian 13 with nginx, php not needed", ["version debian13", "package nginx", "not package php"]),
        ("debian 13 with nginx, never install telnet", ["version debian13", "package nginx", "not package telnet"]),
        ("it needs chrony and fail2ban. Docker is not required.", ["package chrony", "package fail2ban", "not package docker"]),
        ("neither docker nor nginx shall be installed", ["not package docker", "not package nginx"]),
        ("don't remove nginx, debian 13", ["version debian13"]),
        ("usbguard: no", ["not package usbguard"]),
        ("Needed packages: git, ccache\nNot needed: golang-go, php", ["package git", "package ccache", "not package golang-go", "not package php"]),
        ("Java is a must, Go is not.", ["package java", "not package go"]),
        ("not only docker but also podman", ["package docker", "package podman"]),
        ("without docker, nginx and php", ["not package docker", "not package nginx", "not package php"]),
        ("nginx, not apache, redis", ["package nginx", "not package apache", "package redis"]),
        ("grub not systemd-boot", ["boot_loader grub"]),
        ("azl3, +nano -cloud-init", ["version azl3", "package nano", "not package cloud-init"]),
        ("leave out strace and lsof, but not tcpdump", ["not package strace", "not package lsof"]),
        ("sudo for user bob? Never.", ["user bob"]),
        ("I changed my mind about firefox", ["not package firefox"]),
        ("azl3, systemctl enable sshd", ["version azl3", "service sshd"]),
        ("arm64. Scratch that: x86_64.", ["architecture x86_64"]),
        ("debian 13, cloud-init must not be in. nginx", ["version debian13", "not package cloud-init", "package nginx"]),
        ("debian 13, docker must not be in there", ["version debian13", "not package docker"]),
        ("debian 13, systemd-timesyncd has to go", ["version debian13", "not package systemd-timesyncd"]),
        ("debian 13, no desktop that gets nginx", ["version debian13", "not package desktop", "package nginx"]),
        ("deploy loses sudo as well", ["not package sudo"]),
        ("Debian 13 - scratch that, Ubuntu 24.04", ["version ubuntu24"]),
        ("I was told to take Edge Microvisor Toolkit, version 3", ["version emt3"]),
        ("ubuntu 24.04, load tcp_bbr and nf_conntrack", ["version ubuntu24", "kernel_module tcp_bbr", "kernel_module nf_conntrack"]),
        ("debian 13 with i2c-dev among the modules loaded at boot", ["version debian13", "kernel_module i2c-dev"]),
        ("host Ubuntu 26.04", ["version ubuntu26"]),
        ("elxr 13, modules can and vcan", ["version elxr13", "kernel_module can", "kernel_module vcan"]),
        ("debian 13, no modules are to be loaded at boot", ["version debian13"]),
        ("a box that measures the air quality, debian 13", ["capability sensors", "version debian13"]),
        ("debian 13 with OBS Studio", ["version debian13", "package obs-studio"]),
        ("debian 13, the clock in the office. We are in Helsinki.", ["version debian13", "timezone Europe/Helsinki"]),
        ("debian 13 that must survive power cuts", ["version debian13", "capability read-only-root"]),
        ("a debian for the office in the basement", ["distribution debian"]),
        ("debian 13 that plays music", ["version debian13", "capability sound"]),
        ("debian 13 for our choir, no music please", ["version debian13", "not capability sound"]),
        ("I never play games.", ["not capability handheld"]),
        ("debian 13 with mpv for the films", ["version debian13", "package mpv"]),
    ],
)  # fmt: skip
def test_what_is_wanted_and_what_is_ruled_out(text, expected):
    assert short(text) == expected


def test_what_is_only_reported_is_not_asked_for():
    found = read(
        "The old boxes had 16 GB and that was too small, so take 128 GB. It was CentOS 7 before. Now Debian 13."
    )
    assert short("We had 16 GB before and it was too small, so take 128") == ["disk_size 128GB"]
    assert [(wish.kind, wish.value) for wish in found.wishes] == [
        ("disk_size", "128GB"),
        ("version", "debian13"),
    ]
    assert found.background


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("64 GB disk, 20 GB for root and the rest for /data", {"disk": "64GB", "/": "20GB", "/data": "rest"}),
        ("512M EFI, 1G /boot, 20G /, 10G /home, rest for /var", {"/boot/efi": "512MiB", "/boot": "1GiB", "/": "20GiB", "/home": "10GiB", "/var": "rest"}),
        ("8 gig root, 2 GB swap", {"/": "8GiB", "swap": "2GB"}),
        ("/data: 4 GiB, disk 12 GiB", {"/data": "4GiB", "disk": "12GiB"}),
        ("root 6 GB, /data the rest of 20 GB", {"/": "6GB", "/data": "rest", "disk": "20GB"}),
        ("32 GB disk, no wait, make that 64", {"disk": "64GB"}),
        ("/var on a partition of its own, 3 GiB", {"/var": "3GiB"}),
        ("an extra 30GiB partition for postgres", {"/var/lib/postgresql": "30GiB"}),
    ],
)  # fmt: skip
def test_each_size_has_its_place(text, sizes):
    from vademecum.desks.composer.wishes import read_wishes

    found = {}
    for wish in read_wishes(text).wishes:
        if wish.kind == "disk_size":
            found["disk"] = wish.value
        elif wish.kind == "swap":
            found["swap"] = wish.value
        elif wish.kind == "partition":
            found[wish.value] = wish.detail("size")
    assert found == sizes


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("VLAN 40 on eth0, address 10.40.0.5/16", "impossible"),
        ("bond eth0 and eth1 with lacp", "impossible"),
        ("16 GB RAM", "impossible"),
        ("static ip 10.8.0.77 on ens18", "unclear"),
        ("172.20.0.9/24 as a fixed address", "unclear"),
        ("ip 10.0.0.300/24 on eth0", "unclear"),
        ("gateway 10.9.9.1, address 10.1.2.3/24 on eth0", "unclear"),
        ("the password is hunter2x", "unclear"),
        ("1 GB hugepages", "unclear"),
        ("LUKS only if it costs nothing", "unclear"),
        ("with frobnicator", "unknown"),
    ],
)
def test_what_is_not_taken_up_whole_is_said_or_asked_back(text, kind):
    found = read(f"debian 13, {text}").wishes
    assert kind in {wish.kind for wish in found}
    assert not {wish.kind for wish in found} & {"package", "encryption", "disk_size"}


@pytest.mark.parametrize(
    ("text", "background", "open_"),
    [
        ("debian 13 with nginx for our chess club", ("chess",), []),
        ("we sell honey. debian 13 with nginx", ("honey",), []),
        ("debian 13 with nginx and a meadow", (), ["unknown meadow"]),
        ("debian 13 with nginx and a painting program", (), ["unknown painting"]),
        ("debian 13 with zorblex", (), ["unknown zorblex"]),
    ],
)
def test_plain_words_are_background_where_nothing_is_asked_for(text, background, open_):
    found = read(text, PACKAGES)
    assert found.background == background
    assert [wish for wish in short(text) if wish.startswith("unknown")] == open_


def test_a_value_that_is_only_reported_is_asked_back():
    assert short("debian 13. The card was 16 GB.") == [
        "version debian13",
        "unclear 16 GB was read as what is only told. Say what is to have it.",
    ]
    assert short("We had 16 GB before and it was too small, so take 128") == ["disk_size 128GB"]


def test_what_hangs_on_a_condition_and_what_does_not():
    asked = short("debian 13, docker if there is room")
    assert "package docker" not in asked
    assert "version ubuntu24" in short("I want Ubuntu 24.04 where nobody can read the disk if it gets stolen")


def test_every_password_has_an_account_or_is_asked_back():
    text = "accounts: alice (pw Tulpe-5-Ober, sudo), bob (pw Farn-6-Unter, no sudo) and carl / Moos-7-Mitte"
    found = read(text)
    assert {wish.value: wish.secret.reveal() for wish in found.wishes if wish.secret} == {
        "alice": "Tulpe-5-Ober",
        "bob": "Farn-6-Unter",
        "carl": "Moos-7-Mitte",
    }
    assert "Ober" not in found.text
    assert any(wish.kind == "unclear" for wish in read("debian 13 and the password is Tulpe-5-Ober").wishes)


def test_every_ability_is_one_that_facts_are_tested_for():
    known = {capability.name for capability in capabilities()}
    values = [sense.value for _, sense in _own() if sense.kind == "ability"]
    assert len(values) > 100
    assert {*values} <= known


def test_several_accounts_and_a_locked_root():
    text = "Users anna (sudo) and ben (no sudo), both in group ops. root account locked. user 'maint' with password hunter2x"
    found = {wish.value: wish for wish in read(text).wishes if wish.kind == "user"}
    assert found["anna"].details == {"sudo": "yes", "groups": "ops"}
    assert found["ben"].details == {"sudo": "no", "groups": "ops"}
    assert found["root"].detail("lock") == "yes"
    assert found["root"].secret is None
    assert found["maint"].secret.reveal() == "hunter2x"


@pytest.mark.parametrize(
    "text", ["the password of root must be locked", "lock root", "root shouldn't be able to log in"]
)
def test_root_is_locked_in_any_wording(text):
    (wish,) = read(f"debian 13, {text}").wishes[1:]
    assert (wish.kind, wish.value, wish.detail("lock"), wish.secret) == ("user", "root", "yes", None)


def test_a_name_before_a_password_is_an_account():
    text = "two people can log in: greta with the password Alto-2291 and hannes with the password Bass-7714. She is called erna, password Kuchen_1950"
    found = {wish.value: wish.secret.reveal() for wish in read(text).wishes if wish.kind == "user"}
    assert found == {"greta": "Alto-2291", "hannes": "Bass-7714", "erna": "Kuchen_1950"}


def test_a_group_before_a_password_is_not_an_account():
    users = [
        wish
        for wish in read("debian 13 with user carla in wheel, password Linde.55").wishes
        if wish.kind == "user"
    ]
    assert [(user.value, user.secret.reveal(), user.details["groups"]) for user in users] == [
        ("carla", "Linde.55", "wheel")
    ]


def test_an_afterthought_with_a_condition_is_asked_back():
    wishes = read("debian 13 with nginx; if there is room, also grafana", PACKAGES).wishes
    assert any(wish.kind == "unclear" and "grafana" in wish.value for wish in wishes)


def test_several_interfaces_and_routes():
    text = "WAN enp1s0 203.0.113.10/29 via 203.0.113.9; LAN enp2s0 192.168.88.1/24 and 2001:db8:5::1/64; extra route 10.0.0.0/8 via 192.168.88.254"
    found = {wish.value: wish.details for wish in read(text).wishes if wish.kind == "network"}
    assert found["enp1s0"] == {"address": "203.0.113.10/29", "gateway": "203.0.113.9"}
    assert found["enp2s0"] == {
        "address": "192.168.88.1/24,2001:db8:5::1/64",
        "routes": "10.0.0.0/8>192.168.88.254",
    }


WORDS = [
    "nginx",
    "no",
    "without",
    "frobnicator",
    "debian 13",
    "20 GB",
    "disk",
    "/data",
    "user",
    "bob",
    ",",
    "and",
    "not needed",
    "encryption",
    ".",
]


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=14))
def test_every_unknown_word_is_accounted_for(words):
    """Whatever the order of the words: a word that nobody knows is never passed over in silence."""
    found = read(f"debian 13 {' '.join(words)}", PACKAGES)
    said = " ".join([*(wish.said for wish in found.wishes), *found.background])
    assert words.count("frobnicator") == 0 or "frobnicator" in said


@given(st.text(max_size=200))
def test_tokens_cover_all_but_blanks(text):
    tokens = tokens_of(text)
    assert all(first.end <= second.start for first, second in pairwise(tokens))
    left = list(text)
    for token in tokens:
        left[token.start : token.end] = " " * (token.end - token.start)
    assert not any(letter.isalnum() for letter in left)


def test_no_phrase_of_the_grammar_is_a_package_too():
    vocabulary = Vocabulary()
    for phrase in ("not", "without", "no wait", "must be off", "instead of"):
        assert not any(sense.kind == "package" for sense in vocabulary.senses_of(phrase))
