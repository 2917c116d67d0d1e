"""Choose the packages that provide the requested software in a distribution, and check whether a template has them.

Names never cross from one distribution to another: what is said in one's words is translated by the concept, or it is not to be had.
"""

import re
from typing import NamedTuple

from vademecum.desks.composer.image_template import Facts
from vademecum.desks.composer.packages.concepts import concept_of
from vademecum.desks.composer.packages.distributions import FAMILIES
from vademecum.desks.composer.packages.names import releases_of

LABELS = {
    "ubuntu": "Ubuntu",
    "debian": "Debian",
    "wind-river-elxr": "eLxr",
    "azure-linux": "Azure Linux",
    "edge-microvisor-toolkit": "Edge Microvisor Toolkit",
    "redhat-compatible-distro": "Enterprise Linux",
}
"""What people call the distributions."""

_ANY_OF = {
    "dhcp-server": r"kea.*|dnsmasq|isc-dhcp-server|dhcp-server", "web-server": r"nginx.*|apache2|httpd|caddy|lighttpd",
    "container-runtime": r"docker|docker\.io|docker-ce|moby-engine|podman|containerd(?:\.io|2)?|cri-o", "ntp": r"chrony|ntp(?:sec)?|systemd-timesyncd|openntpd",
    "monitoring": r"prometheus(?:-.*)?|.*node-?exporter|telegraf|collectd(?:-core)?|netdata|zabbix-agent2?|monit|platform-observability-agent",
    "firewall": r"nftables|iptables(?:-.+)?|ufw|firewalld",
    "desktop": r"(?:ubuntu|kubuntu|xubuntu)-desktop.*|gnome-(?:shell|core|session)|task-.*desktop|xfce4|kde-plasma-desktop|lxqt",
    "build-tools": r"build-essential|gcc(?:-\d+)?", "kvm": r"qemu-(?:kvm|system-.*)|libvirt-daemon.*|libvirt",
    "security-hardening": r"fail2ban|apparmor.*|aide|audit(?:d)?|fapolicyd|usbguard|openscap-scanner|selinux-policy.*",
    "auto-updates": r"unattended-upgrades|dnf-automatic|os-update", "log-shipping": r"rsyslog(?:-.*)?|syslog-ng.*|fluent-bit",
    "wireguard": r"wireguard(?:-tools)?|openvpn|strongswan", "reverse-proxy": r"nginx.*|haproxy|traefik|caddy", "backup": r"borgbackup|restic|rsync|bacula.*",
    "nano": r"nano|vim.*|emacs.*|micro|neovim", "http-tools": r"curl|wget", "firefox": r"firefox.*|chromium.*|epiphany-browser",
    "wayland-compositor": r"weston|cage|sway|mutter", "kiosk": r"cage|gnome-kiosk.*|ubuntu-frame", "mqtt-broker": r"mosquitto|emqx|vernemq",
}  # fmt: skip
"""Concepts that several programs fulfil, and their packages."""

_VARIANTS = {
    "docker": r"docker|docker\.io|docker-ce|moby-engine", "docker-ce": r"docker-ce", "postgresql": r"postgresql(?:-\d+|\d+)?(?:-server)?",
    "python": r"python3(?:\.\d+)?", "nodejs": r"nodejs\d*", "java": r"(?:default-jre|openjdk-\d+-jre|java-\d+-openjdk|msopenjdk-\d+)(?:-headless)?",
    "jdk": r"(?:default-jdk|openjdk-\d+-jdk|java-\d+-openjdk-devel|msopenjdk-\d+)(?:-headless)?", "golang": r"golang(?:-go|-\d.*)?",
    "ssh-server": r"openssh-server|dropbear.*", "redis": r"redis(?:-server)?|valkey(?:-server)?", "mysql": r"(?:default-)?mysql(?:-server|\d.*-server)?.*",
    "dlstreamer": r"intel-dlstreamer.*", "openvino": r"openvino.*", "gstreamer": r"gstreamer(?:1(?:\.0)?)?(?:-tools|-plugins-base)?",
    "netplan": r"netplan(?:\.io)?", "docker-compose": r"docker-compose(?:-v2|-plugin)?", "docker-buildx": r"docker-buildx(?:-plugin)?",
    "ros2": r"ros-[a-z]+-(?:ros-base|desktop.*|ros-core)", "vim": r"vim(?:-(?:tiny|nox|enhanced|minimal))?", "firmware": r"linux-firmware.*|firmware-linux.*",
    "qemu": r"qemu-(?:kvm|system-.*)", "containerd": r"containerd(?:\.io|2)?", "kubernetes": r"kubelet|kubeadm|kubernetes.*|k3s",
    "growpart": r"cloud-guest-utils|cloud-utils-growpart|growpart", "wifi": r"wpa_?supplicant|iwd", "nfs-server": r"nfs-kernel-server|nfs-utils",
    "selinux": r"selinux-(?:policy.*|basics)",
}  # fmt: skip
"""Packages that are a concept by another name. Of several programs that do the same, see `_ANY_OF`."""

_GOES_WITH = {
    "docker": r"docker(?:\.io|-.*)?|moby-.*|python3-docker",
    "docker.io": r"docker(?:\.io|-.*)",
    "git": r"git-lfs",
    "kubernetes": r"kube.*|cri-tools|k3s",
    "desktop": r"(?:ubuntu|kubuntu|xubuntu)-desktop.*|gnome-.*|gdm3?|task-.*desktop|xfce4.*|lightdm|sddm|kde-.*|plasma-.*|lxqt.*",
    "openvino": r".*openvino.*",
    "virt-manager": r"virt-viewer",
}  # fmt: skip
"""What is of no use without a package, and goes when that goes."""


class Chosen(NamedTuple):
    """The packages that a wish comes to.

    Attributes:
        present: Those of them, or what does the same, that a template has already.
        note: How the words were taken, in a sentence; "" if as said.
        why_not: Why there are none, in a sentence; "" if there are.
    """

    names: tuple[str, ...]
    present: tuple[str, ...] = ()
    note: str = ""
    why_not: str = ""


def is_general(term: str) -> bool:
    """Return whether a term says what software does, which several programs do, and names none of them."""
    concept = concept_of(term)
    return (
        concept is not None
        and concept.name in _ANY_OF
        and term.lower() not in {one.lower() for one in concept.every_name()}
    )


def choose(
    term: str,
    distribution: str,
    have: tuple[str, ...],
    known: frozenset[str],
    elsewhere: frozenset[str],
    *,
    release: str = "",
    anyway: bool = False,
    vendored: bool = False,
) -> Chosen:
    """The packages for a wish."""
    label = LABELS.get(distribution, distribution)
    if term in have:
        return Chosen((term,), (term,))
    if foreign := _foreign(term, distribution):
        return Chosen(
            (), why_not=f"{term} is a package of {foreign}, and packages of two distributions are not mixed."
        )
    concept = concept_of(term)
    is_name = concept is not None and term.lower() in {one.lower() for one in concept.every_name()}
    if (term in known or release in releases_of(term)) and (concept is None or is_name):
        return Chosen((term,))
    if concept is None:
        if anyway:
            return Chosen((term,), note="no package of this name is known; it is taken as you said")
        if term in elsewhere or releases_of(term):
            return Chosen(
                (),
                why_not=f"{term} is a package of other distributions; none of this name is known for {label}.",
            )
        return Chosen((), why_not=f"No package {term} is known for {label}.")
    rpms = [system for system, family in FAMILIES.items() if family == "rpm"]
    is_other = term.lower() in {
        *concept.others,
        *(name for system in rpms for name in concept.names(system) or ()),
    }
    names = concept.names(distribution, release)
    present = present_of(term, have, distribution)
    if present:
        note = "" if not names or set(present) >= set(names) else f"that is what it has of {_said(term)}"
        return Chosen(present, present, note)
    if not names and concept.vendor and vendored:
        return Chosen(concept.vendor, note="from its maker's repository")
    if (
        not names and is_other and FAMILIES.get(distribution) == "rpm"
    ):  # whether it has none of that name nobody here knows
        return Chosen(
            (term.lower(),), note=f"no package of this name is known for {label}; it is taken as you said"
        )
    if names is None or not names:
        if concept.vendor:
            why = f"{label} has no package for {_said(term)}: it comes from its maker's repository. Name that repository, or start from a template that has it."
            return Chosen((), why_not=why)
        instead = _INSTEAD.get(concept.name, {}).get(distribution) or _INSTEAD.get(concept.name, {}).get(
            "", ""
        )
        return Chosen(
            (), why_not=f"{label} has no package for {_said(term)}{f'; {instead}' if instead else ''}."
        )
    own = tuple(one for one in names if one not in have)
    said = term.lower()
    note = (
        ""
        if [said] == list(names) or said in {one.lower() for one in names}
        else f"{_said(term)} is {', '.join(names)} in {label}"
    )
    return Chosen(own or names, tuple(one for one in names if one in have), note)


_INSTEAD: dict[str, dict[str, str]] = {
    "apt": {"azure-linux": "its package manager is tdnf", "edge-microvisor-toolkit": "its package manager is tdnf", "redhat-compatible-distro": "its package manager is dnf"},
    "dnf": {"": "its package manager is apt"},
    "yum": {"": "its package manager is apt", "azure-linux": "its package manager is tdnf", "edge-microvisor-toolkit": "its package manager is tdnf"},
    "tdnf": {"": "its package manager is apt", "redhat-compatible-distro": "its package manager is dnf"},
    "zypper": {"": "its package manager is apt", "azure-linux": "its package manager is tdnf", "edge-microvisor-toolkit": "its package manager is tdnf", "redhat-compatible-distro": "its package manager is dnf"},
    "docker-ce": {"redhat-compatible-distro": "Docker's own repository would have it; podman does the same there"},
    "docker": {"redhat-compatible-distro": "podman does the same there"},
    "container-runtime": {"redhat-compatible-distro": "podman does the same there"},
    "docker-compose": {"redhat-compatible-distro": "podman-compose does the same there"},
    "ufw": {"": "firewalld or iptables does the same there"},
    "apparmor": {"": "SELinux does the same there"},
    "ros2": {"": "ROS 2 Jazzy is made for Ubuntu 24.04"},
}  # fmt: skip


def _foreign(term: str, distribution: str) -> str:
    """The other distribution that a package's name bears; "" if none."""
    first = term.lower().split("-")[0]
    owner = {
        "ubuntu": "ubuntu",
        "kubuntu": "ubuntu",
        "xubuntu": "ubuntu",
        "debian": "debian",
        "azurelinux": "azure-linux",
        "centos": "redhat-compatible-distro",
    }.get(first, "")
    return LABELS[owner] if owner and owner != distribution and "-" in term else ""


def present_of(term: str, have: tuple[str, ...], distribution: str = "") -> tuple[str, ...]:
    """The packages of a template that fulfil a term already."""
    concept = concept_of(term)
    if concept is None:
        return (term,) if term in have else ()
    own = concept.names(distribution) if distribution else None
    given = (own,) if own else (*concept.packages.values(), concept.vendor)
    every = [names for names in given if names and all(name in have for name in names)]
    if every:
        return tuple(every[0])
    pattern = _ANY_OF.get(concept.name) or _VARIANTS.get(concept.name)
    if concept.name in _ANY_OF and term.lower() in {one.lower() for one in concept.every_name()}:
        pattern = _VARIANTS.get(concept.name)  # a program was named, and not what it does
    if pattern is None:
        return ()
    return tuple(one for one in have if re.fullmatch(f"(?:{pattern})", one))[:2]


def meant_to_go(term: str, have: tuple[str, ...]) -> tuple[str, ...]:
    """The packages of a template that go with a term: those it names, and those of no use without them."""
    found: list[str] = []
    concept = concept_of(term)
    if term in have:
        found.append(term)
    elif concept is not None:
        names = concept.every_name()
        pattern = _VARIANTS.get(concept.name)
        if term.lower() not in {name.lower() for name in names}:  # what it does was named, and not a program
            pattern = _ANY_OF.get(concept.name) or pattern
        found += [one for one in have if one in names or (pattern and re.fullmatch(f"(?:{pattern})", one))]
    if not found:
        found += [one for one in have if re.match(rf"{re.escape(term.lower())}(?:$|[-_.:\d*])", one.lower())]
    if not found and len(term) > 3:
        found += [
            one
            for one in have
            if re.search(rf"(?:^|[-_.]){re.escape(term.lower())}(?:$|[-_.\d])", one.lower())
        ]
    words = {*term.lower().split()}
    if not found and len(words) > 1:  # "prometheus exporter" is prometheus-postgres-exporter, too
        found += [one for one in have if words <= {*re.split(r"[-_.]", one.lower())}]
    more = _GOES_WITH.get(term) or (_GOES_WITH.get(concept.name) if concept else None)
    if more:
        found += [one for one in have if re.fullmatch(more, one)]
    return tuple(dict.fromkeys(found))


def kernel_package(flavour: str, version: str, architecture: str) -> tuple[str, str]:
    """The package of a kernel's flavour, and "" ; or "" and why there is none."""
    arch = "arm64" if architecture == "aarch64" else "amd64"
    names = {
        "debian13": {"rt": f"linux-image-rt-{arch}", "cloud": f"linux-image-cloud-{arch}", "generic": f"linux-image-{arch}", "virtual": f"linux-image-cloud-{arch}"},
        "elxr12": {"rt": f"linux-image-rt-{arch}", "generic": f"linux-image-{arch}", "cloud": f"linux-image-cloud-{arch}"},
        "elxr13": {"rt": f"linux-image-rt-{arch}", "generic": f"linux-image-{arch}", "cloud": f"linux-image-cloud-{arch}"},
        "ubuntu24": {"lowlatency": "linux-image-lowlatency", "hwe": "linux-image-generic-hwe-24.04", "generic": "linux-image-generic", "virtual": "linux-image-virtual", "cloud": "linux-image-virtual", "oem": "linux-image-oem-24.04"},
        "ubuntu26": {"rt": "linux-image-realtime", "lowlatency": "linux-image-lowlatency", "hwe": "linux-image-generic-hwe-26.04", "generic": "linux-image-generic", "virtual": "linux-image-virtual", "cloud": "linux-image-virtual"},
        "azl3": {"generic": "kernel"},
        "emt3": {"rt": "kernel-rt", "generic": "kernel"},
        "el10": {"rt": "kernel-rt", "generic": "kernel"},
    }.get(version, {})  # fmt: skip
    if flavour in names:
        return names[flavour], ""
    said = {"rt": "real-time", "lowlatency": "low-latency", "hwe": "hardware enablement"}.get(
        flavour, flavour
    )
    more = (
        " It comes only with Ubuntu Pro; the low-latency kernel is the nearest."
        if (flavour, version) == ("rt", "ubuntu24")
        else ""
    )
    return "", f"No {said} kernel is known for {version}.{more}"


def has_capability(name: str, packages: tuple[str, ...]) -> tuple[str, ...]:
    """The packages that give an image a capability, each by itself."""
    from vademecum.desks.composer.image_template.capabilities import capabilities  # noqa: PLC0415 - few requests need them

    test = next((capability.test for capability in capabilities() if capability.name == name), None)
    if test is None or test(Facts()):  # an image without any package has it, so that no package gives it
        return ()
    return tuple(package for package in packages if test(Facts(packages=(package,))))


def _said(term: str) -> str:
    return term if len(term) < 40 else f"{term[:39]}…"
