"""What a request is taken for: its type, what it names, and what it rules out."""

import pytest

from vademecum.desks.composer.classification import PROFILES, USUAL, classify, is_change
from vademecum.desks.composer.constraints import named
from vademecum.desks.composer.exclusions import exclusions, is_called
from vademecum.desks.composer.negation import negated
from vademecum.desks.composer.package_names import known_packages, packages_in
from vademecum.desks.composer.sizes import size_in

NAMES = [
    "nginx",
    "docker-ce",
    "docker-ce-cli",
    "docker.io",
    "podman",
    "openvino",
    "librealsense2-dkms",
    "screen",
    "socat",
    "git",
    "tree",
    "jq",
    "file",
    "curl",
    "htop",
    "cloud-init",
    "qemu-kvm",
    "ros-jazzy-desktop",
    "grub-efi-amd64",
    "ubuntu-minimal",
    "prometheus-node-exporter",
    "snapd",
    "libvirt-daemon-system",
]
KNOWN = known_packages(NAMES)


def of(query, **more):
    return classify(query, known=KNOWN, topics={"edge", "minimal", "cloud"}, **more)


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
        ("an image not only with docker but with podman", "keyword_heavy", False),
        ("what packages are included?", "refinement", True),
        ("please add a swap partition", "refinement", True),
        ("remove nginx and docker-ce", "refinement", True),
    ],
)
def test_types(query, type_, in_session):
    found = of(query, in_session=in_session)
    assert found.type == type_, found.reasons
    assert found.reasons[0]


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


@pytest.mark.parametrize(
    ("query", "things"),
    [
        ("without docker and nginx", ["docker", "nginx"]),
        ("without docker, podman and nginx, with ssh", ["docker", "podman", "nginx"]),
        ("raw without docker, for the edge", ["docker"]),
        ("no graphical desktop", ["graphical desktop"]),
        ("Debian with no graphical desktop that installs from a stick", ["graphical desktop"]),
        ("neither Ubuntu nor Debian", ["ubuntu", "debian"]),
        ("starts from the network, but not Debian or Ubuntu", ["debian", "ubuntu"]),
        ("anything except Ubuntu", ["ubuntu"]),
        ("software like docker is not for me, no podman", ["me", "podman"]),
        ("nothing like docker", ["docker"]),
        ("it must not be a desktop", ["desktop"]),
        ("I don't want snapd", ["snapd"]),
        ("I don’t want snapd", ["snapd"]),
        ("a docker-free image", ["docker"]),
        ("robots yes, docker no", ["docker"]),
        ("no docker and a swap partition", ["docker"]),
        ("without docker on ubuntu", ["docker"]),
        ("no boxes like docker or podman please", ["boxes", "docker", "podman"]),
        ("excluding anything with grub", ["grub"]),
        ("docker not wanted, debian", ["docker"]),
        ("docker is not wanted", ["docker"]),
        # nothing is ruled out
        ("not only docker", []),
        ("not just nginx but more", []),
        ("nothing else on it", []),
        ("nothing fancy", []),
        ("no need for docker", []),
        ("my computer does not boot", []),
        ("users can not break it", []),
        ("no screen needed", []),
        ("starts PCs without UEFI too", []),
        ("a system that must never change", []),
        ("the files cannot be changed", []),
        ("nobody sits in front of it", []),
        ("node monitoring", []),
        ("notebook", []),
        ("", []),
    ],
)
def test_scope_of_negation(query, things):
    assert [one.words for one in negated(query)] == things


@pytest.mark.parametrize(
    ("query", "packages", "capabilities", "targets"),
    [
        ("without docker", ("docker",), ("docker",), []),
        ("without containers", (), ("containers",), []),
        ("no graphical desktop", (), ("desktop",), []),
        ("nothing with windows and icons", (), ("desktop",), []),
        ("without the robot stuff", (), ("robotics",), []),
        ("without robotics packages", (), ("robotics",), []),
        ("without real-time requirements", (), ("real-time",), []),
        ("without the intel kernel", (), ("intel-kernel",), []),
        ("without cloud-init", ("cloud-init",), (), []),
        ("the system must not be locked", (), ("read-only-root",), []),
        ("not ubuntu", (), (), ["ubuntu"]),
        ("no ARM", (), (), ["aarch64"]),
        ("without a full rebuild", (), (), []),
        ("without unicorns", (), (), []),
    ],
)
def test_what_is_ruled_out(query, packages, capabilities, targets):
    (found,) = exclusions(query, KNOWN)
    assert (found.packages, found.capabilities, [one.value for one in found.targets]) == (
        packages,
        capabilities,
        targets,
    )


def test_what_was_not_understood_is_said():
    found = of("edge image without unicorns")
    assert any("unicorns" in one for one in found.reasons)
    assert found.exclusions[0].value == ""
    assert found.type == "semantic"


@pytest.mark.parametrize(
    ("query", "values"),
    [
        ("Ubuntu 24.04 for amd64", ["ubuntu24", "x86_64"]),
        ("ubuntu noble iso", ["ubuntu", "ubuntu24", "iso"]),
        ("Debian 13 trixie on ARM64", ["debian13", "debian13", "aarch64"]),
        ("azl3 or el10 raw", ["azl3", "el10", "raw"]),
        ("Microsoft's own Linux", ["azure-linux"]),
        ("Wind River version thirteen", ["elxr13"]),
        ("CentOS Stream 10", ["el10"]),
        ("Intel's microvisor", ["edge-microvisor-toolkit"]),
        ("wsl2", ["wsl2"]),
        ("depth camera on a robot arm", []),
        ("armed forces", []),
        ("an isolated network", []),
        ("drawing program", []),
        ("in Azure", []),
        # what no template can be made for is known all the same
        ("Ubuntu 22.04", ["ubuntu22"]),
        ("Fedora on RISC-V", ["fedora", "riscv64"]),
        ("Arch Linux", ["arch-linux"]),
        ("RHEL 9", ["el9"]),
    ],
)
def test_names_of_targets(query, values):
    assert [one.value for one in named(query)] == values


def test_what_is_more_exact_counts():
    found = of("Ubuntu image, noble please, with ubuntu-minimal")
    assert [one.value for one in found.constraints] == ["ubuntu24"]
    assert found.packages == ("ubuntu-minimal",)


def test_what_is_ruled_out_is_no_constraint():
    found = of("ARM picture, no Ubuntu")
    assert [one.value for one in found.constraints] == ["aarch64"]
    assert [one.value for one in found.exclusions] == ["ubuntu"]


@pytest.mark.parametrize(
    ("query", "packages"),
    [
        ("image with nginx and docker-ce", ["nginx", "docker-ce"]),
        ("NGINX", ["nginx"]),
        ("digital legit things", []),  # no `git` in them
        ("git.", ["git"]),
        ("screen with windows and a mouse", []),
        ("screen and socat for poking at serial lines", ["screen", "socat"]),
        ("tree and jq", ["tree", "jq"]),
        ("a file on a tree", []),
        ("install file", ["file"]),
        ("the tree package", ["tree"]),
        ("needs librealsense2", ["librealsense2"]),
        ("ubuntu for me", []),
        ("jq and jq and jq", ["jq"]),
        ("", []),
    ],
)
def test_names_of_packages(query, packages):
    assert [one.name for one in packages_in(query, KNOWN)] == packages


@pytest.mark.parametrize(
    ("package", "word", "called"),
    [
        ("docker-ce", "docker", True),
        ("docker.io", "docker", True),
        ("podman-docker", "docker", True),
        ("intel-dlstreamer_2025.2.0", "dlstreamer", True),
        ("openvino-2025.3.0", "openvino", True),
        ("grub2-common", "grub", True),
        ("dockerfile-lint", "docker", False),
        ("libgit2", "git", False),
    ],
)
def test_names_of_what_is_ruled_out(package, word, called):
    assert is_called(package, word) == called


@pytest.mark.parametrize(
    ("query", "size_gib", "fits"),
    [
        ("disk size 32GiB", 32, True),
        ("disk size 32GiB", 31, False),
        ("a 32 GB disk", 32, True),
        ("more than twenty gigabytes", 20, False),
        ("more than twenty gigabytes", 24, True),
        ("at least 20 GiB", 20, True),
        ("fits into less than four gigabytes", 4, False),
        ("fits into less than four gigabytes", 3, True),
        ("up to 4G", 4, True),
        ("fifty gigabytes disk", 50, True),
    ],
)
def test_sizes(query, size_gib, fits):
    assert size_in(query).fits(size_gib << 30) == fits


@pytest.mark.parametrize("query", ["five robots", "version 24.04", "12 nodes", "gigabit", ""])
def test_no_sizes(query):
    assert size_in(query) is None


@pytest.mark.parametrize(
    "query", ["", " ", "\0", "🤖", "…", "a" * 100_000, "no " * 20_000, "without " * 5_000 + "docker"]
)
def test_odd_requests_are_classified_at_once(query):
    found = of(query)
    assert 0 <= found.density <= 1


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
