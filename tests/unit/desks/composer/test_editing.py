"""One wish changes what was asked for and nothing else, on our own templates; what cannot be is said, and changes nothing."""

import pytest

from vademecum.desks.composer.editing.applying import apply_all, diff
from vademecum.desks.composer.editing.document import Document
from vademecum.desks.composer.editing.outcome import Scene
from vademecum.desks.composer.request.frames import context_of
from vademecum.desks.composer.wishes import read_wishes


@pytest.fixture
def edit(ours):
    """Applies a request to a template, and gives what came of it with the lines that changed."""

    def change(stem, text):
        entry = ours.entry(stem)
        own = ours.packages(entry.facts.distribution)
        scene = Scene(library=ours, file=entry.file, known=own, elsewhere=ours.packages() - own)
        before = Document.read(entry.template.text)
        context = context_of(scene.resolved(before))
        after, outcomes = apply_all(before, read_wishes(text, ours.packages(), context).wishes, scene)
        lines = [
            line
            for line in diff(before.text, after.text).splitlines()
            if line[:1] in "+-" and line[:3] not in {"+++", "---"}
        ]
        return after, outcomes, lines

    return change


DOCKER, ROUTER, SERVER, KIOSK = (
    "ubuntu24-x86_64-docker-raw",
    "debian13-x86_64-router-raw",
    "debian13-x86_64-server-raw",
    "debian13-x86_64-kiosk-raw",
)


@pytest.mark.parametrize(
    ("stem", "text", "lines"),
    [
        (DOCKER, "add nginx", ["+    - nginx"]),
        (DOCKER, "remove nftables", ["-    - nftables"]),
        (DOCKER, "replace nftables with ufw", ["-    - nftables", "+    - ufw"]),
        (DOCKER, "change disk size to 32GiB", ["-  size: 20GiB", "+  size: 32GiB"]),
        (DOCKER, "grow the disk by 4 GB", ["-  size: 20GiB", "+  size: 24GiB"]),
        (DOCKER, "make the disk twice as large", ["-  size: 20GiB", "+  size: 40GiB"]),
        (DOCKER, "set the hostname to web01", ["-  hostname: docker", "+  hostname: web01"]),
        (DOCKER, "rename the image to web-host", ["-  name: ubuntu24-x86_64-docker", "+  name: web-host"]),
        (DOCKER, "bump the version to 2.0.1", ['-  version: "24.04"', '+  version: "2.0.1"']),
        (DOCKER, "change output format to vmdk", ["-    - type: raw", "-      compression: gz", "+    - type: vmdk"]),
        (DOCKER, "compress it with xz", ["-      compression: gz", "+      compression: xz"]),
        (DOCKER, "also write a qcow2", ["+    - type: qcow2"]),
        (DOCKER, "use ext4 for /var/lib/docker", ["-      fsType: xfs", "+      fsType: ext4"]),
        (SERVER, "the last partition shall not grow to fill the disk", ["-  extendLastPartitionToFillDisk: true", "+  extendLastPartitionToFillDisk: false"]),
        (DOCKER, "enable nftables at boot", ["+    - cmd: systemctl enable nftables"]),
        (SERVER, "add a user called bob with sudo", ["+  users:", "+    - name: bob", "+      sudo: true"]),
        (KIOSK, "rename user kiosk to stand", ["-    - name: kiosk", "+    - name: stand"]),
        (KIOSK, "add kiosk to the audio group", ["+        - audio"]),
        (KIOSK, "take kiosk out of the input group", ["-        - input"]),
        (KIOSK, "kiosk's shell should be /bin/sh", ["-      shell: /bin/bash", "+      shell: /bin/sh"]),
        (ROUTER, "change the hostname from router to edge-1", ["-  hostname: router", "+  hostname: edge-1"]),
        ("debian13-x86_64-realtime-raw", "remove tsc=reliable from the kernel command line", None),
        ("el10-x86_64-k8s-node-raw", "also load the kernel module ip_vs", ["-    enableExtraModules: overlay br_netfilter", "+    enableExtraModules: overlay br_netfilter ip_vs"]),
        ("ubuntu24-x86_64-server-install-iso", "take the fastest disk", ["-    strategy: largest", "+    strategy: fastest"]),
        ("debian13-x86_64-encrypted-raw", "encrypted disk that unlocks automatically", ["-    unlock: manual", "+    unlock: auto"]),
    ],
)  # fmt: skip
def test_only_what_was_asked_for_changes(edit, stem, text, lines):
    _, outcomes, changed = edit(stem, text)
    assert outcomes
    assert all(one.is_met for one in outcomes), [one.says for one in outcomes]
    if lines is None:
        assert len(changed) == 2
        assert "tsc=reliable" not in changed[1]
    else:
        assert sorted(changed) == sorted(lines)


def test_a_kernel_option_keeps_those_that_are_inherited(edit):
    after, _, changed = edit(DOCKER, "add quiet to the kernel command line")
    assert after.get("systemConfig", "kernel") == {"cmdline": "console=tty0 console=ttyS0,115200n8 quiet"}
    assert len(changed) == 2


def test_a_partition_leaves_the_others_where_they_are(edit):
    after, outcomes, _ = edit(
        SERVER, "change the disk size to 16GiB and add a separate /data partition of 4GiB"
    )
    parts = after.get("disk", "partitions")
    assert [one["mountPoint"] for one in parts] == ["/boot/efi", "/", "/data"]
    assert parts[1]["end"] == parts[2]["start"] == "12288MiB"
    assert parts[2]["end"] == "0"
    assert [one.state for one in outcomes] == ["delivered", "delivered"]


@pytest.mark.parametrize(
    ("stem", "text", "why"),
    [
        (SERVER, "remove openssh-server", "Debian"),
        (SERVER, "remove the root partition", "root file system"),
        (SERVER, "remove the EFI partition", "EFI"),
        (SERVER, "shrink the disk to 1 GiB", "would have less"),
        (SERVER, "set the hostname to -bad-", "cannot be the host name"),
        (SERVER, "rename the image to ../x", "cannot be the image's name"),
        (SERVER, "rename user bob to alice", "no account bob"),
        (SERVER, "install zzz-from-nowhere", "No package"),
        (SERVER, "add frobnicator", "frobnicator"),
        (SERVER, "add ubuntu-desktop-minimal", "a package of Ubuntu"),
        (SERVER, "disk size 900000 TiB", "larger than any disk"),
        ("ubuntu24-x86_64-sensor-immutable-raw", "remove the roothashmap partition", "hashes"),
        ("ubuntu24-x86_64-devbox-wsl2", "add quiet to the kernel command line", "WSL"),
        ("ubuntu24-x86_64-devbox-wsl2", "disk size 16GiB", "WSL"),
        ("ubuntu24-x86_64-node-exporter-overlay-qcow2", "add a 2 GiB /data partition", "overlay"),
        ("elxr12-x86_64-netboot-img", "disk size 16GiB", "RAM disk"),
        (SERVER, "add the repository https://example.org/debian", "signs the packages"),
        (SERVER, "static IP 192.168.1.300/24 on eth0", "is not an address"),
        (SERVER, "static IP 192.168.1.3/24", "not named"),
        ("azl3-aarch64-container-raw", "legacy BIOS boot", "x86_64"),
    ],
)
def test_an_impossible_wish_changes_nothing_and_says_why(edit, stem, text, why):
    _, outcomes, changed = edit(stem, text)
    assert changed == []
    assert why in " ".join(one.says for one in outcomes if not one.is_met)


@pytest.mark.parametrize(
    ("stem", "text"),
    [(DOCKER, "add docker"), (DOCKER, "add docker.io"), (SERVER, "add an ssh server"), (DOCKER, "disk size 20 GB"), (DOCKER, "hostname docker"), (SERVER, "remove nginx"), (KIOSK, "add a user kiosk")],
)  # fmt: skip
def test_a_wish_that_is_met_already_changes_nothing(edit, stem, text):
    _, outcomes, changed = edit(stem, text)
    assert changed == []
    assert [one.state for one in outcomes] == ["already"]


@pytest.mark.parametrize(
    ("stem", "said", "names"),
    [
        (SERVER, "docker", ["docker.io"]),
        ("azl3-x86_64-secure-boot-raw", "docker", ["moby-engine", "docker-cli"]),
        (SERVER, "httpd", ["apache2"]),
        ("el10-x86_64-k8s-node-raw", "apache", ["httpd"]),
        (SERVER, "a web server", ["nginx"]),
        (SERVER, "redis", ["redis-server"]),
    ],
)
def test_software_has_the_names_of_its_distribution(edit, stem, said, names):
    after, _, _ = edit(stem, f"add {said}")
    assert set(names) <= set(after.get("systemConfig", "packages"))


def test_a_password_is_kept_as_a_hash_only(edit):
    after, outcomes, _ = edit(SERVER, "add user bob with password hunter2x")
    (user,) = after.get("systemConfig", "users")
    assert user["password"].startswith("$6$")
    assert "hunter2x" not in after.text + " ".join(one.says for one in outcomes)


def test_a_root_is_made_read_only_with_all_that_it_needs(edit, ours):
    after, outcomes, _ = edit(SERVER, "make the root read-only")
    assert outcomes[0].is_met
    assert [one["id"] for one in after.get("disk", "partitions")] == [
        "esp",
        "rootfs",
        "roothashmap",
        "userdata",
    ]
    from vademecum.desks.composer.template.check import check

    assert check(after.data, library=ours) == []


def test_dhcp_and_a_fixed_address_exclude_each_other(edit):
    after, outcomes, _ = edit(SERVER, "enp1s0 with dhcp and also the static address 10.0.0.5/24")
    assert [one.state for one in outcomes if not one.is_met] == ["asked back"]
    assert after.get("systemConfig", "network", "interfaces") is None


@pytest.mark.parametrize(
    "said", ["a hostname of x; reboot", 'a user named "a: b"', "kernel option quiet`id`"]
)
def test_nothing_that_is_said_breaks_out_of_its_value(edit, said):
    after, _, _ = edit(SERVER, f"set {said}")
    assert Document.read(after.text).data == after.data
    assert "reboot" not in after.text
    assert "`" not in after.text
