"""One pass over a request: what each word is under, and that every word ends in a wish, a question, or what is passed over by name."""

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from vademecum.desks.composer.image_template.capabilities import capabilities
from vademecum.desks.composer.request.frames import Context
from vademecum.desks.composer.request.reading import read
from vademecum.desks.composer.request.words.lexer import tokens_of
from vademecum.desks.composer.request.words.vocabulary import Vocabulary, _own

CASES = Path(__file__).with_name("requests.jsonl").read_text("utf-8").splitlines()
PACKAGES = frozenset(["nginx", "telnet"])


def short(text):
    """Each wish as `kind value`, with `not` before what is ruled out."""
    return [
        f"{'' if wish.wanted else 'not '}{wish.kind} {wish.value}".strip()
        for wish in read(text, PACKAGES).wishes
    ]


@pytest.mark.parametrize(("text", "expected"), [*map(json.loads, CASES)])
def test_reads_wishes_and_exclusions(text, expected):
    assert short(text) == expected


def test_ignores_what_is_only_reported():
    found = read(
        "The old boxes had 16 GB and that was too small, so take 128 GB. It was CentOS 7 before. Now Debian 13."
    )
    assert short("We had 16 GB before and it was too small, so take 128") == ["disk_size 128GB"]
    version, unclear = short("debian 13. The card was 16 GB.")
    assert (version, unclear.partition(" ")[0]) == ("version debian13", "unclear")
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
def test_asks_back_what_is_not_wholly_understood(text, kind):
    found = read(f"debian 13, {text}").wishes
    assert kind in {wish.kind for wish in found}
    assert not {wish.kind for wish in found} & {"package", "encryption", "disk_size"}


@pytest.mark.parametrize(
    ("text", "background", "open_"),
    [
        ("debian 13 with nginx for our chess club", ("chess",), []),
        ("we sell honey. debian 13 with nginx", ("honey",), []),
        ("debian 13 with nginx and a meadow", (), ["unknown meadow"]),
        ("debian 13 with nginx and a juggling program", (), ["unknown juggling"]),
        ("debian 13 with zorblex", (), ["unknown zorblex"]),
    ],
)
def test_plain_words_are_background_where_nothing_is_asked_for(text, background, open_):
    found = read(text, PACKAGES)
    assert found.background == background
    assert [wish for wish in short(text) if wish.startswith("unknown")] == open_


def test_tells_conditions_from_descriptions():
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
@example("runner's home")
@example("docker-free")
def test_tokens_cover_all_but_blanks(text):
    tokens = tokens_of(text)
    assert all(first.end <= second.start for first, second in pairwise(tokens))
    left = list(text)
    for token in tokens:
        left[token.start : token.end] = " " * (token.end - token.start)
    assert not any(letter.isalnum() for letter in re.sub(r"['’]s", "", "".join(left), flags=re.IGNORECASE))


def test_no_phrase_of_the_grammar_is_a_package_too():
    vocabulary = Vocabulary()
    for phrase in ("not", "without", "no wait", "must be off", "instead of"):
        assert not any(sense.kind == "package" for sense in vocabulary.senses_of(phrase))


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("debian 13, /hmoe 10 GB", "Is /hmoe to be /home?"),
        ("elxr 13, drop the spool partition", "Which partition is spool?"),
        ("debian 13, no console at boot", "kernel options"),
        ("debian 13 with everything striped over two cards", "RAID"),
        ("debian 13, and the disk is bigger than usual", "How large is the disk to be?"),
        ("debian 13 that joins our Wi-Fi Gartenhaus, password Rosen-2024", "wireless networks"),
        ("ubuntu 24.04, encrypted with password Sesam-123", "A passphrase is not taken from a request"),
        ("ubuntu 24.04, encrypted; the TPM chip ought to unlock it", "TPM"),
        ("debian 13, two disks: 40 GB for the system", "one disk"),
        ("debian 13, 64 GB disk, /home takes 20%", "20%"),
        ("debian 13, user ops who may use sudo without a password", "sudo without a password"),
    ],
)
def test_does_not_guess_at_half_understood_words(text, asks):
    assert any(
        asks in wish.value
        for wish in read(text, PACKAGES).wishes
        if wish.kind in {"unclear", "impossible", "unknown"}
    )


@pytest.mark.parametrize(
    ("text", "passwords"),
    [
        ("accounts: mia (password Komma,Punkt) and jonas (password Strich-7)", ["Komma,Punkt", "Strich-7"]),
        ("disable the root password (passwd -l style)", []),
        ("user nadia:Kupfer-64, sudo", ["Kupfer-64"]),
        ("somebody called nadia signs in with Kupfer-64", ["Kupfer-64"]),
        ("user 'root:x:0:0'", []),
        ("LUKS, passphrase read from keys/edge.pass", []),
    ],
)
def test_passwords_are_taken_whole(text, passwords):
    assert [secret.reveal() for secret in read(f"debian 13, {text}", PACKAGES).secrets.values()] == passwords


def test_another_release_of_the_same_distribution_is_named_by_its_number():
    context = Context(distribution="wind-river-elxr")
    assert [wish.value for wish in read("Use the 12 release instead", PACKAGES, context).wishes] == ["elxr12"]


def test_the_name_of_a_wireless_network_is_not_an_account():
    wishes = read("debian 13. It should join our wireless network Gartenhaus, password Rosen-2024.").wishes
    assert {"version", "impossible"} <= {wish.kind for wish in wishes} <= {"version", "impossible", "unclear"}
    assert not any(wish.secret for wish in wishes)


def test_details_behind_a_partition_and_an_address_are_theirs():
    partition = next(
        wish
        for wish in read("el10, /var/log 8GiB xfs, mounted nodev,nosuid; swap 4GiB").wishes
        if wish.kind == "partition"
    )
    assert partition.details == {"size": "8GiB", "fs": "xfs", "options": "nodev,nosuid"}
    network = read(
        "debian 13, 10.0.0.9/24 on eth0, router 10.0.0.1, and the name server is the router, too"
    ).wishes[-1]
    assert network.details == {"address": "10.0.0.9/24", "gateway": "10.0.0.1", "dns": "10.0.0.1"}


def accounts(text):
    """Each account with its password, and whether it is locked, has sudo, or a shell."""
    found = read(text, PACKAGES)
    return {
        wish.value: (
            wish.secret.reveal() if wish.secret else "",
            *(name for name in ("lock", "sudo", "shell") if wish.detail(name) not in {"", "no"}),
        )
        for wish in found.wishes
        if wish.kind == "user"
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("user tom, user harry, password of tom is Tom11111", {"tom": ("Tom11111",), "harry": ("",)}),
        ("users tom and harry, harry's password is Harry333, tom's is Tom11111", {"tom": ("Tom11111",), "harry": ("Harry333",)}),
        ("user anna with sudo but her password stays empty, user ben with password Ben12345", {"anna": ("", "sudo"), "ben": ("Ben12345",)}),
        ("users anna and ben, both with password Passw0rd!", {"anna": ("Passw0rd!",), "ben": ("Passw0rd!",)}),
        ("users tom, dick and harry, tom gets sudo, passwords Tom111, Dick222, Harry333 respectively", {"tom": ("Tom111", "sudo"), "dick": ("Dick222",), "harry": ("Harry333",)}),
        ("user bob, password secret123, and lock the root account", {"bob": ("secret123",), "root": ("", "lock")}),
        ("user bob password secret123, root locked", {"bob": ("secret123",), "root": ("", "lock")}),
        ("user bob password secret123; make sure nobody can log in as root", {"bob": ("secret123",), "root": ("", "lock")}),
        ("user anna password disabled", {"anna": ("", "lock")}),
        ("admin user ops in wheel, no password for root", {"ops": ("", "sudo"), "root": ("", "lock")}),
        ("user backup locked", {"backup": ("", "lock")}),
        ("the guest account is disabled", {"guest": ("", "lock")}),
        ("service account svc with no login shell", {"svc": ("", "shell")}),
    ],
)  # fmt: skip
def test_passwords_and_locks_are_of_the_account_that_they_are_said_of(text, expected):
    assert accounts(f"debian 13, {text}") == expected


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("everything encrypted, passphrase in /etc/luks.key", "all"),
        ("encrypt /home but not the root", "/home"),
        ("LUKS on the data partition", "/data"),
        ("the disk is encrypted", ""),
        ("encrypted root, /home 20 GB", ""),
    ],
)
def test_reads_the_extent_of_encryption(text, what):
    found = [
        wish
        for wish in read(f"debian 13, {text}", PACKAGES).wishes
        if wish.kind == "encryption" and wish.wanted
    ]
    assert what in {wish.detail("what") for wish in found}
    assert len({wish.detail("what") for wish in found} - {"", what}) == 0
