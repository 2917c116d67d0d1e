"""What a request is taken for: its type, what it names, and what it rules out."""

import json
from pathlib import Path

import pytest

from vademecum.desks.composer.image_template import Facts
from vademecum.desks.composer.request.words.intents import is_change
from vademecum.desks.composer.search.classification import PROFILES, USUAL, broken, classify
from vademecum.desks.composer.wishes import read_wishes

CASES = Path(__file__).with_name("negations.jsonl").read_text("utf-8").splitlines()
KNOWN = frozenset(
    """nginx docker-ce docker-ce-cli docker.io podman openvino librealsense2-dkms screen socat git tree jq file curl htop cloud-init qemu-kvm
    ros-jazzy-desktop grub-efi-amd64 ubuntu-minimal prometheus-node-exporter snapd libvirt-daemon-system""".split()  # noqa: SIM905 - one list reads best
)


def of(query, **more):
    return classify(read_wishes(query, KNOWN), topics={"edge", "minimal", "cloud"}, **more)


def told(query):
    """Each wish as `kind:value`, with `not ` before what is ruled out."""
    return [
        f"{'' if wish.wanted else 'not '}{wish.kind}:{wish.value}"
        for wish in read_wishes(query, KNOWN).wishes
    ]


@pytest.mark.parametrize(
    ("query", "type_", "in_session"),
    [
        # the six of the specification
        ("cloud elxr raw image", "semantic", False),
        ("image with nginx and docker-ce", "package_explicit", False),
        ("edge IoT minimal raw", "keyword_heavy", False),
        ("minimal without docker", "negation", False),
        ("add monitoring packages", "refinement", True),
        ("change disk size to 8GiB", "refinement", True),
        # its other examples
        ("I need a cloud image for AWS", "semantic", False),
        ("minimal edge image without docker", "negation", False),
        # without a session nothing is a refinement
        ("add monitoring packages", "semantic", False),
        # in one, what is new is none
        ("make me a new one for Debian", "semantic", True),
        ("start over", "semantic", True),
        ("create an edge image for eLxr", "semantic", True),
        ("image without nginx and docker-ce", "negation", False),
        ("what packages are included?", "refinement", True),
        ("please add a swap partition", "refinement", True),
        ("remove nginx and docker-ce", "refinement", True),
    ],
)
def test_types(query, type_, in_session):
    found = of(query, in_session=in_session)
    assert found.type == type_, found.reason
    assert found.reason


def test_profiles():
    assert of("image with nginx and docker-ce").weights == PROFILES["package_explicit"] == (0.4, 0.2, 0.4)
    assert of("edge IoT minimal raw").weights == PROFILES["keyword_heavy"] == (0.5, 0.4, 0.1)
    assert of("cloud elxr raw image").weights == USUAL == (0.7, 0.2, 0.1)
    own = USUAL._replace(semantic=0.1)
    assert of("cloud elxr raw image", usual=own).weights == own


def test_thresholds_take_effect():
    assert of("image with nginx", package_threshold=1).type == "package_explicit"
    assert of("image with nginx and docker-ce", package_threshold=3).type == "semantic"
    assert of("edge IoT minimal raw", keyword_density=0.75).type == "semantic"  # strictly above
    assert of("cloud elxr raw image", keyword_density=0.2).type == "keyword_heavy"


@pytest.mark.parametrize(("query", "ruled_out"), [*map(json.loads, CASES)])
def test_scope_of_negation(query, ruled_out):
    assert [wish.removeprefix("not ") for wish in told(query) if wish.startswith("not ")] == ruled_out


def test_names_unknown_words():
    assert of("edge image with a zorblatt").not_understood == ("zorblatt",)
    assert of("edge image that users cannot break").not_understood == ("break",)


@pytest.mark.parametrize(
    ("query", "values"),
    [
        ("Ubuntu 24.04 for amd64", ["ubuntu24", "x86_64"]),
        ("ubuntu noble iso", ["ubuntu24", "iso"]),
        ("Debian 13 trixie on ARM64", ["debian13", "aarch64"]),
        ("the newest Ubuntu", ["ubuntu26"]),
        ("Microsoft's own Linux", ["azure-linux"]),
        ("Wind River version thirteen", ["elxr13"]),
        ("CentOS Stream 10", ["el10"]),
        ("the microvisor", ["edge-microvisor-toolkit"]),
        ("wsl2", ["wsl2"]),
        ("a depth camera on a robot arm", []),
        ("an isolated network", []),
        ("a custom dracut module in the initrd", []),
        ("in Azure", []),
        # what no template can be made for is known all the same
        ("Ubuntu 22.04", ["ubuntu22"]),
        ("Fedora on RISC-V", ["fedora", "riscv64"]),
        ("Arch Linux", ["arch-linux"]),
        ("RHEL 9", ["el9"]),
    ],
)
def test_names_of_targets(query, values):
    assert [wish.value for wish in of(query).constraints] == values


def test_the_more_exact_name_counts():
    found = of("Ubuntu image, noble please, with ubuntu-minimal")
    assert [wish.value for wish in found.constraints] == ["ubuntu24"]
    assert found.packages == ("ubuntu-minimal",)


def test_an_exclusion_is_no_constraint():
    found = of("ARM picture, no Ubuntu")
    assert [wish.value for wish in found.constraints] == ["aarch64"]
    assert [wish.value for wish in found.exclusions] == ["ubuntu"]


@pytest.mark.parametrize(
    ("query", "packages"),
    [
        ("image with nginx and docker-ce", ("nginx", "docker-ce")),
        ("NGINX", ("nginx",)),
        ("digital legit things", ()),  # no `git` in them
        ("git.", ("git",)),
        ("screen with windows and a mouse", ()),
        ("screen and socat for poking at serial lines", ("screen", "socat")),
        ("tree and jq", ("tree", "jq")),
        ("a file on a tree", ()),
        ("install file", ("file",)),
        ("the tree package", ("tree",)),
        ("needs librealsense2", ("librealsense2",)),
        ("ubuntu for me", ()),
        ("jq and jq and jq", ("jq",)),
    ],
)
def test_names_of_packages(query, packages):
    assert of(query).packages == packages


@pytest.mark.parametrize(
    ("query", "facts", "capabilities", "because"),
    [
        ("without docker", Facts(packages=("docker-ce",)), (), "docker-ce"),
        ("without docker", Facts(packages=("dockerfile-lint",)), (), ""),
        ("without git", Facts(packages=("libgit2",)), (), ""),
        ("not ubuntu", Facts(distribution="ubuntu"), (), "ubuntu"),
        ("not ubuntu", Facts(distribution="debian"), (), ""),
        ("nothing with windows and icons", Facts(), ("desktop",), "desktop"),
        ("nothing with windows and icons", Facts(), ("kiosk",), ""),
    ],
)
def test_an_exclusion_is_looked_for_in_facts_and_capabilities(query, facts, capabilities, because):
    (ruled_out,) = of(query).exclusions
    found = broken(ruled_out, facts, capabilities)
    assert because in found
    assert bool(found) is bool(because)


@pytest.mark.parametrize(
    ("query", "change"),
    [
        ("add nginx", True),
        ("Could you remove docker, please", True),
        ("make it 8 GiB", True),
        ("rename it to gate", True),
        ("undo", True),
        ("how many packages are in it?", True),
        ("create a user named ada", True),
        ("start over with Debian", False),
        ("make me a new one", False),
        ("give me another image", False),
        ("a router for the office", False),
        ("show me an image for robots", False),
    ],
)
def test_changes_and_new_requests(query, change):
    assert is_change(query) == change
