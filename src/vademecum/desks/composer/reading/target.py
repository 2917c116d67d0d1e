"""What an image is for: distribution, release, architecture, type, in proper names, lay words and with slips of the pen."""

from collections.abc import Iterator
from difflib import get_close_matches

from vademecum.desks.composer.constraints import OS_OF, named
from vademecum.desks.composer.patterns import Pattern
from vademecum.desks.composer.reading.request import Request, Span
from vademecum.desks.composer.wish import Wish

_TYPES: tuple[tuple[str, str], ...] = (
    (
        "iso",
        r"(?:bootable\s+)?(?:install(?:er|ation)|setup)\s+(?:iso|image|medium|media|disc|dvd|cd|usb\s+stick|stick)|(?:an?\s+)?(?:bootable\s+)?(?:usb\s+)?installer|live\s+(?:cd|dvd|usb|iso|medium)|bootable\s+(?:usb(?:\s+stick)?|stick|cd|dvd|medium|disc)|iso\s+(?:image|file|installer)|(?:burn|put)\s+(?:it\s+)?(?:on|onto)\s+a\s+(?:dvd|cd|usb\s+stick)|(?:usb\s+stick|dvd|cd)\s+(?:that|which|to)\s+installs?",
    ),
    ("wsl2", r"windows\s+subsystem\s+for\s+linux|wsl\s?2?\s+(?:image|distribution|distro|root\s?fs|root\s+file\s?system|tarball)|under\s+windows|inside\s+windows"),
    ("img", r"(?:network|pxe|net)[ -]?boot(?:ed|ing|able)?|pxe|diskless|initrd(?:\s+image)?|initramfs\s+image|runs?\s+(?:entirely\s+|completely\s+)?(?:from|in)\s+(?:ram|memory)|ram\s?disk(?:\s+image)?"),
)  # fmt: skip
_LAY = tuple((value, Pattern(rf"\b(?:{pattern})\b")) for value, pattern in _TYPES)
_SPELLED = {
    "ubuntu": "ubuntu", "debian": "debian", "elxr": "wind-river-elxr", "centos": "redhat-compatible-distro", "almalinux": "redhat-compatible-distro",
    "rockylinux": "redhat-compatible-distro", "azurelinux": "azure-linux", "fedora": "fedora", "microvisor": "edge-microvisor-toolkit",
    "raspbian": "raspberry-pi-os", "opensuse": "suse", "aarch64": "aarch64", "x86_64": "x86_64",
}  # fmt: skip
_WORD = Pattern(r"(?<![\w.+/@-])[A-Za-z][A-Za-z0-9_]{3,12}(?![\w+@/]|[.-]\w)", flags=0)
_RIGHT_WORDS = frozenset(
    """debate debit debug debugging fedoras center centre centres centers cents union untouched median lesbian hypervisor supervisor openssh openssl
    clients client""".split()  # noqa: SIM905 - one list reads best
)
_LONGER_NAME = Pattern(r"-[a-z]{2,}")
_COMPOUND = Pattern(r"-(?:based|like|compatible|style|image|iso|server|desktop)(?![\w-])")
_RAW_DATA = Pattern(r"\braw\s+(?:data|sensor|disk\s+access|socket|video)")
_STANDARD = Pattern(r"\s+(?:9660|27001|\d{4,})", flags=0)
_NUMBER = Pattern(
    r"(?:[\s-]*|[\s,]*(?:and\s+)?(?:version|release)\s*[:=]?\s*)(?:v(?:ersion)?\s*)?(?P<number>\d\d?)(?:\.\d\d?)?(?!\d|\s?[gmt]i?b?\b|\s*(?:gig|meg|ter|giga|mega))"
)
_RELEASES = {
    ("ubuntu", "24"): "ubuntu24", ("ubuntu", "26"): "ubuntu26", ("debian", "13"): "debian13", ("azure-linux", "3"): "azl3",
    ("edge-microvisor-toolkit", "3"): "emt3", ("wind-river-elxr", "12"): "elxr12", ("wind-river-elxr", "13"): "elxr13",
    ("redhat-compatible-distro", "10"): "el10",
}  # fmt: skip


def read(request: Request) -> Iterator[Wish]:
    """The wishes about the target. Where several values of a kind are wanted, each is a wish of its own."""
    for found in request.find(_RED_HATTISH):
        yield request.wish(
            "distribution", "redhat-compatible-distro", found, wanted=request.is_wanted(found.start())
        )
    for found in request.find(_FOREIGN):
        word = found[0].split()[0].lower()
        yield request.wish("distribution", word, found, wanted=request.is_wanted(found.start()))
    for found in request.find(_ARM_32):
        yield request.wish("architecture", "armv7hl", found, wanted=request.is_wanted(found.start()))
    for found in request.find(_INTEL):
        yield request.wish(
            "distribution", "edge-microvisor-toolkit", found, wanted=request.is_wanted(found.start())
        )
    yield from _nearly_azure(request)
    for one in named(request.left):
        if (
            _LONGER_NAME.match(request.text, one.end)
            and one.kind in {"distribution", "version"}
            and not _COMPOUND.match(request.text, one.end)
        ):
            continue  # the name of a package
        if one.value == "raw" and _RAW_DATA.search(request.text[one.start : one.end + 12]):
            continue
        if one.value in {"raw", "img", "iso"} and _STANDARD.match(request.text, one.end):
            continue
        wanted = request.is_wanted(one.start)
        yield request.wish(one.kind, one.value, Span(one.start, one.end), wanted=wanted)
        if one.kind == "distribution" and (number := _NUMBER.match(request.left, one.end)):
            release = _RELEASES.get((one.value, number["number"]), f"{_stem(one.value)}{number['number']}")
            yield request.wish("version", release, number, wanted=wanted)
    for value, pattern in _LAY:
        for found in request.find(pattern):
            yield request.wish("image_type", value, found, wanted=request.is_wanted(found.start()))
    yield from _misspelt(request)


def _stem(distribution: str) -> str:
    return next(
        (release.rstrip("0123456789") for release, name in OS_OF.items() if name == distribution),
        distribution,
    )


_RED_HATTISH = Pattern(
    r"\bred[\s-]?hat(?:tish|-?ish|-?like|-?compatible|-?based|ty|-?style)\b|\b(?:rhel|centos|fedora|rpm)[- ](?:like|style|compatible)\b"
)
_FOREIGN = Pattern(
    r"\bwindows\s+(?:server(?:\s+(?:core|\d{4}))*|\d{1,2}|core|image|desktop|iot|pc)\b|\b(?:macos|freebsd|openbsd|netbsd|android\s+(?:image|phone|tablet|tv))\b"
)
_ARM_32 = Pattern(r"\b32[ -]?bit\s+arm\b|\barm\s+32[ -]?bit\b|\b(?:armhf|arm32|armv7(?:hl|l|-a)?)\b")
_INTEL = Pattern(
    r"\bintel(?:'s)?\s+(?:own\s+)?edge\s+(?:system|os|linux|distribution|distro|platform|operating\s+system)\b"
)
_AZURE = Pattern(
    r"\b(?:azur|azrue|auzre|azuree|azzure|azuer|asure|azue|azurre)[\s-]?(?:linux|lunix|linus)(?:[\s-]*(?P<release>3)(?:\.0)?\b)?|\bazure[\s-]?(?:lunix|linus|linx|liunx|linu)\b(?:[\s-]*(?P<release2>3)(?:\.0)?\b)?"
)


def _nearly_azure(request: Request) -> Iterator[Wish]:
    for found in request.find(_AZURE):
        release = found["release"] or found["release2"]
        note = f"{found[0]} is taken for Azure Linux"
        wanted = request.is_wanted(found.start())
        yield request.wish(
            "version" if release else "distribution",
            "azl3" if release else "azure-linux",
            found,
            wanted=wanted,
            note=note,
        )


def _misspelt(request: Request) -> Iterator[Wish]:
    """Names of distributions with a slip of the pen."""
    for found in request.find(_WORD):
        word = found[0].lower()
        if word in _RIGHT_WORDS or word in _SPELLED:
            continue
        if len(word) == 4:
            close = ["elxr"] if sorted(word) == sorted("elxr") and word != "elxr" else []
        else:
            close = get_close_matches(word, _SPELLED, n=1, cutoff=0.72)
        if not close or word[0] != close[0][0] or abs(len(word) - len(close[0])) > 2:
            continue
        value = _SPELLED[close[0]]
        wanted = request.is_wanted(found.start())
        note = f"{found[0]} is taken for {close[0]}"
        if value in {"aarch64", "x86_64"}:
            yield request.wish("architecture", value, found, wanted=wanted, note=note)
            continue
        number = _NUMBER.match(request.left, found.end())
        yield request.wish("distribution", value, found, wanted=wanted, note=note)
        if number:
            release = _RELEASES.get((value, number["number"]), f"{_stem(value)}{number['number']}")
            yield request.wish("version", release, number, wanted=wanted, note=note)
