"""The kernel and the start: options, modules, version, flavour, boot loader."""

import re
from collections.abc import Iterator

from vademecum.desks.composer.patterns import Pattern
from vademecum.desks.composer.reading.request import LIST_JOIN, TAKEN, Request, Span
from vademecum.desks.composer.wish import Wish

_OPTION = r"[A-Za-z][\w.-]*=[\w.,:/@%+*=-]*[\w*]|[A-Za-z][\w.-]*="
_BARE = r"quiet|splash|nomodeset|nosmt|nokaslr|noapic|nolapic|noacpi|nohz|debug|ro|rw|nosplash|verbose|single|noefi|nousb|threadirqs|nowatchdog|nopti|noibrs|norandmaps|rootwait|rhgb|text|emergency|nomce"
_NAMES = (
    r"console|loglevel|isolcpus|nohz_full|nohz|rcu_nocbs|irqaffinity|intel_iommu|amd_iommu|iommu|mitigations|hugepages|hugepagesz|default_hugepagesz|"
    r"transparent_hugepage|systemd\.\w+|net\.ifnames|biosdevname|ipv6\.disable|selinux|enforcing|audit|audit_backlog_limit|apparmor|security|panic|"
    r"processor\.max_cstate|intel_idle\.max_cstate|intel_pstate|idle|tsc|cgroup\w*|init|video|lockdown|lsm|psi|crashkernel|pci|pcie_aspm|"
    r"usbcore\.\w+|i915\.\w+|xe\.\w+|amdgpu\.\w+|nvme_core\.\w+|modprobe\.blacklist|rootdelay|rootflags|elevator|maxcpus|nr_cpus|mem|"
    r"printk\.\w+|swapaccount|vsyscall|slab_nomerge|page_poison|zswap\.\w+|module\.sig_enforce|acpi\w*|clocksource|hpet|nmi_watchdog|softlockup_panic"
)
_KERNEL = Pattern(
    r"\bkernel\b|\bcmdline\b|\bcommand\s?-?line\b|\bboot\s+(?:option|parameter|argument|flag)|\bparameters?\b|\bboot\s+with\b|\bkernel\s+opt"
)
_KNOWN = Pattern(rf"(?<![\w.,-])(?P<token>(?:{_NAMES})=[\w.,:/@%+*=-]*[\w*])")
_ANY = Pattern(
    rf"(?<![\w.,/-])[`\"']?(?P<token>{_OPTION}|(?:{_BARE})(?![\w=/-])|(?:[a-z]\w*\.[a-z]\w+|nohz|isolcpus|mitigations|panic|loglevel|selinux)(?![\w=/-])(?=.{{0,40}}\b(?:kernel|cmdline|command|must|can|go|out)\b))[`\"']?"
)
_CHANGE = Pattern(
    rf"\b(?:change|set|replace|switch)\s+(?:the\s+)?(?:kernel\s+)?(?:(?:parameter|option|argument)\s+)?[`\"']?(?P<key>(?:{_NAMES})|[\w.]+)[`\"']?(?:\s+(?:parameter|option|argument))?(?:\s+from\s+\S+)?\s+(?:to|with|by|=)\s+[`\"']?(?P<value>[\w.,:/@%+=-]*\w)[`\"']?(?P<tail>\s+(?:in|on)\s+the\s+(?:kernel|cmdline|boot)[^.;,\n]*)?"
)
_PHRASES: tuple[tuple[str, str], ...] = (
    (r"(?:the\s+|a\s+)?(?:serial\s+)?console\s+(?:(?:has\s+to|should|must|shall)\s+(?:be|go|come)\s+)?(?:is\s+|goes\s+)?(?:on|at|to|through|over)\s+(?:/dev/)?(?P<tty>tty(?:S|AMA|USB)?\d{1,2})(?:\s+(?:at|with)\s+(?P<baud2>\d{4,6})(?:\s*(?:baud|bps))?)?", "console"),
    (r"(?:a\s+|the\s+)?serial\s+console(?:\s+(?:at|with|on)\s+(?P<baud>\d{4,6})(?:\s*(?:baud|bps))?)?(?!\s*(?:off|tools?|client))", "console"),
    (r"(?:blacklist|do\s+not\s+load)\s+(?:the\s+)?(?:module\s+|driver\s+)?(?P<blacklisted>[a-z][\w-]*)(?:\s+(?:module|driver))?", "modprobe.blacklist"),
    (r"(?:after\s+a\s+(?:kernel\s+)?panic\b\D{0,30}|panic\s+timeout\s+(?:of\s+|to\s+)?|reboots?\s+)(?P<panic>\d{1,4})\s*s(?:ec(?:ond)?s?)?(?:\s+after\s+a\s+(?:kernel\s+)?panic)?", "panic"),
    (r"(?:quiet|silent)\s+boot(?:ing)?|boot(?:s|ing)?\s+(?:quietly|silently)", "quiet"),
    (r"(?:cpu\s+)?mitigations\s+(?:off|disabled)|(?:disable|turn\s+off|without|no)\s+(?:the\s+|all\s+)?(?:cpu\s+|spectre\s+)?mitigations", "mitigations=off"),
    (r"(?:disable|turn\s+off|without|no)\s+ipv6|ipv6\s+(?:disabled|off)", "ipv6.disable=1"),
    (r"(?:(?:enable|with|turn\s+on|enabled)\s+)?(?:intel\s+)?(?:iommu|vt-d)(?:\s+(?:enabled|on|switched\s+on|support))?", "intel_iommu=on"),
    (r"(?:(?:classic|traditional|old(?:-style)?|legacy)\s+(?:network\s+)?interface\s+names?|(?:network\s+)?interfaces?\s+(?:called|named)\s+eth0|eth0\s+(?:style\s+)?(?:interface\s+)?nam(?:es|ing))", "net.ifnames=0"),
    (r"isolate(?:d)?\s+(?:cpu\s+)?(?:cores?|cpus?)\s+(?P<cpus>\d+(?:\s*(?:-|to)\s*\d+)?(?:(?:\s*,\s*|\s+and\s+|\s*&\s*)\d+(?:-\d+)?(?!\s*[gmkt]i?b|\s*gig|[.\d]))*)", "isolcpus"),
    (r"(?P<pages>\d+)\s+huge\s?pages|huge\s?pages\s*(?:of|:|=)?\s*(?P<pages2>\d+)", "hugepages"),
    (r"(?:disable|turn\s+off|without)\s+(?:hyper-?threading|smt)", "nosmt"),
    (r"(?:kernel\s+)?log\s?level\s+(?:of\s+|to\s+)?(?P<level>[0-7])", "loglevel"),
    (r"(?:disable|without|turn\s+off)\s+transparent\s+huge\s?pages", "transparent_hugepage=never"),
)  # fmt: skip
_SAID = tuple((Pattern(rf"\b(?:{pattern})\b"), token) for pattern, token in _PHRASES)
_MODULES = Pattern(
    rf"\b(?:(?:also\s+|extra\s+|additional\s+)?(?:load|loads|loading|enable|include|add|with|insert|remove|unload|drop|delete|and)\s+)?(?:the\s+|an?\s+)?(?:(?:extra|additional)\s+)?(?:(?:kernel\s+)modules?\s*(?::|called|named|like)?\s+(?P<after>[a-z0-9][\w-]*(?:{LIST_JOIN}[a-z0-9][\w-]*)*)|(?P<before>[a-z][\w-]*(?:{LIST_JOIN}(?:the\s+)?[a-z][\w-]*)*)\s+(?:kernel\s+)?(?:driver\s+)?modules?\b)(?:\s+(?:at|on)\s+boot)?"
)
_NO_MODULES = frozenset(
    """the a an and or kernel security python perl extra additional with for from to of in at on be are is out-of-tree signed loadable hardware my our
    all any these those named called load loaded loading no without into more other new following wireless pluggable authentication tpm platform
    puppet apache php nginx external built-in needed necessary custom some i2c""".split()  # noqa: SIM905 - one list reads best
)
_VERSION = Pattern(
    r"\b(?:(?:linux\s+)?kernel\s*(?:version)?\s*(?:of|to|is|:|=|v)?\s*|linux\s+)(?P<version>[3-9]\.\d{1,2}(?:\.\d{1,3})?[\w.-]*)"
)
_RT = Pattern(
    r"\b(?:an?\s+|the\s+)?(?:preempt[_-]?rt|(?:hard\s+|soft\s+)?real-?\s?time|rt|low-?\s?latency)(?:\s+(?:patched\s+)?(?:linux\s+)?kernel)?\b"
)
_LISTED = Pattern(r"(?:[,;+&]|\b(?:with|plus))\s*(?:and\s+)?$")
_LIST_GOES_ON = Pattern(r"\s*(?:$|[.,;+&]|and\b)")
_FLAVOUR = Pattern(r"\b(?P<flavour>hwe|hardware\s+enablement|virtual|cloud|oem|generic)\s+kernel\b")
_LOADER = Pattern(
    r"\b(?:(?P<grub>grub2?)|(?P<systemd>systemd-?\s?boot|sd-boot|gummiboot))(?:\s+(?:as\s+)?(?:the\s+|its\s+)?boot\s?loader|\s+bootloader)?\b|\bboot\s?loader\s*(?:is|to|:|=|should\s+be)?\s*(?:(?P<grub2>grub2?)|(?P<systemd2>systemd-?\s?boot)|(?P<other>lilo|syslinux|refind|u-?boot|limine|extlinux))|\b(?P<other2>lilo|syslinux|refind|u-boot|limine)\b"
)
_UKI = Pattern(r"\b(?:uki|unified\s+kernel\s+image)s?\b")
_LEGACY = Pattern(
    r"\b(?:legacy\s+(?:bios\s+)?boot(?:ing)?|bios\s+boot(?:ing)?|legacy\s+bios|boot(?:s|ing)?\s+(?:by|with|from|via|in)\s+(?:legacy\s+)?bios|legacy\s+mode|(?:old\s+)?(?:pcs?|computers?)\s+without\s+u?efi|non-u?efi)\b"
)
_EFI = Pattern(r"\b(?:u?efi)\s+boot(?:ing)?\b|\bboot(?:s|ing)?\s+(?:by|with|from|via|in)\s+(?:u?efi)\b|\bu?efi\s+only\b")  # fmt: skip


_SUBJECTS = (
    "kernel", "cmdline", "command line", "command-line", "boot", "console", "mitigations", "ipv6", "iommu", "vt-d", "eth0", "interface", "core", "cpu", "huge",
    "threading", "smt", "log level", "loglevel", "module", "linux", "time", "rt", "latency", "grub", "systemd-boot", "bios", "efi", "parameter", "quiet", "option", "blacklist", "panic", "nomodeset", "splash", "uki",
)  # fmt: skip


def read(request: Request) -> Iterator[Wish]:
    """The wishes about the kernel and the start."""
    if not (request.speaks_of(*_SUBJECTS) or "=" in request.left):
        return
    yield from _changed(request)
    for found in request.find(_MALFORMED):
        yield request.wish(
            "impossible",
            f"{found[0].strip()[:60]!r} is no kernel option: it holds quotes or semicolons.",
            found,
        )
    for found in request.find(_QUIET):
        for word in (found["token"] or found["token2"]).split():
            yield request.wish("kernel_option", word.lower(), Span(found.start(), found.start()))._replace(
                said=word
            )
        request.take(*found.span())
    yield from _options(request)
    for pattern, option in _SAID:
        for found in request.find(pattern):
            if option == "intel_iommu=on" and not re.search(
                r"enable|with|turn|on\b|support|\bvt-d|iommu", found[0], re.IGNORECASE
            ):
                continue
            wanted = (
                request.is_wanted(found.start())
                if "=" not in option and option != "nosmt"
                else not request.is_removed(found.start())
            )
            if option == "modprobe.blacklist" and re.search(
                r"(?:\bnot|n't|\bno\s+longer|\bstop)\s*$", request.text[: found.start()], re.IGNORECASE
            ):
                wanted = False
            yield request.wish("kernel_option", _made(option, found), found, wanted=wanted)
    yield from _modules(request)
    for found in request.find(_RT):
        word = found[0].lower()
        bare = word in {"rt", "real time", "real-time", "realtime"}
        listed = _LISTED.search(request.text[: found.start()]) and _LIST_GOES_ON.match(
            request.text, found.end()
        )
        if bare and not listed and request.is_wanted(found.start()):  # what it is for, and not which kernel
            continue
        flavour = "lowlatency" if "latency" in word else "rt"
        yield request.wish("kernel_flavour", flavour, found, wanted=request.is_wanted(found.start()))
    for found in request.find(_FLAVOUR):
        flavour = "hwe" if "hardware" in found["flavour"].lower() else found["flavour"].lower()
        yield request.wish("kernel_flavour", flavour, found, wanted=request.is_wanted(found.start()))
    for found in request.find(_VERSION):
        yield request.wish(
            "kernel_version",
            found["version"].rstrip("."),
            found,
            wanted=request.is_wanted(found.start("version")),
        )
    yield from _start(request)


def _changed(request: Request) -> Iterator[Wish]:
    """`set loglevel to 3`, in a clause about the kernel or of a name that only kernels have."""
    for found in request.find(_CHANGE):
        key = found["key"]
        clause = request.clause(found.start())
        speaks = _KERNEL.search(request.text, clause.start, clause.end)
        if not re.fullmatch(_NAMES, key, re.IGNORECASE) and not (
            speaks and "=" not in found["value"] and key.lower() not in _NO_KEYS
        ):
            continue
        if key.lower() in {"security", "audit", "init", "video", "mem", "idle", "selinux"} and not speaks:
            continue
        if "=" in found["value"] and found["value"].startswith(f"{key}="):
            value = found["value"]
        else:
            value = f"{key}={found['value']}"
        yield request.wish("kernel_option", value, found, details={"op": "set"})


_NO_KEYS = frozenset(
    """kernel cmdline it version parameter parameters option options command line the name hostname size disk""".split()  # noqa: SIM905 - one list reads best
)


def _options(request: Request) -> Iterator[Wish]:
    at = 0
    while at < len(request.text):
        clause = request.clause(at)
        at = max(clause.end + 1, at + 1)
        speaks = _KERNEL.search(request.left, clause.start, clause.end)
        pattern = _ANY if speaks else _KNOWN
        found_at = clause.start
        last: Span | None = None
        while found := pattern.search(request.left, found_at, clause.end):
            found_at = found.end()
            token = found["token"].rstrip("=") if found["token"].endswith("=") else found["token"]
            if token.lower() in {
                "text",
                "single",
                "debug",
                "ro",
                "rw",
                "verbose",
                "emergency",
            } and not _is_option(request, found, last):
                continue
            wanted = request.is_wanted(found.start())
            last = Span(found.start(), found.end())
            yield request.wish("kernel_option", token, found, wanted=wanted)
        if last and speaks:
            for one in re.finditer(
                r"\b(?:the\s+)?(?:linux\s+)?(?:kernel|boot)\s+(?:command\s?-?line|cmdline|parameters?|options?|arguments?|boot\s+parameters?|flags?)\b|\bcommand\s?-?line\b|\bcmdline\b",
                request.left[clause.start : clause.end],
                re.IGNORECASE,
            ):
                request.take(clause.start + one.start(), clause.start + one.end())


def _is_option(request: Request, found: re.Match[str], last: Span | None) -> bool:
    """Whether a common word is meant as an option: it stands beside one, in quotes, or next to the word for it."""
    around = request.text[max(0, found.start() - 24) : found.end() + 24].lower()
    beside = last is not None and found.start() - last.end < 6
    quoted = request.text[max(0, found.start()) : found.end()][:1] in "`\"'"
    return (
        beside
        or quoted
        or bool(re.search(r"\b(?:parameter|option|argument|cmdline|command\s?line|flag)", around))
    )


def _made(option: str, found: re.Match[str]) -> str:
    parts = found.groupdict()
    if option == "console":
        if parts.get("tty"):
            baud = parts.get("baud2") or (
                "" if re.fullmatch(r"tty\d+", parts["tty"], re.IGNORECASE) else "115200"
            )
            return f"console={parts['tty'].replace('TTY', 'tty')}" + (f",{baud}" if baud else "")
        return f"console=ttyS0,{parts.get('baud') or '115200'}"
    if option == "modprobe.blacklist":
        return f"modprobe.blacklist={parts['blacklisted']}"
    if option == "panic":
        return f"panic={parts['panic']}"
    if option == "isolcpus":
        spans = re.sub(r"\s*(?:-|to)\s*", "-", found["cpus"])
        return "isolcpus=" + re.sub(r"\s*(?:,|and|&)\s*", ",", spans)
    if option == "hugepages":
        return f"hugepages={found['pages'] or found['pages2']}"
    return f"loglevel={found['level']}" if option == "loglevel" else option


_LOAD = Pattern(
    r"\b(?:load|loads|loading|insert|modprobe)\s+(?:the\s+)?(?P<name>[a-z0-9][\w-]*)(?=\s+(?:at|on|during)\s+(?:every\s+)?(?:boot|start)|\s*(?:$|[.,;]))|\b(?:the\s+)?module\s+(?P<name2>[a-z0-9][\w-]*)(?=\s*(?:$|[.,;]|and\b|too\b|please\b|at\b|as\b))"
)
_QUIET = Pattern(
    r"(?:^|[,;+]|\bwith|\bboot\s+with)\s*(?P<token>quiet(?:\s+splash)?|nomodeset|nosmt)(?=\s*(?:$|[,;.]|and\b))|\b(?P<token2>quiet\s+splash)\b"
)
_MALFORMED = Pattern(
    rf"(?<![\w.,/-])(?P<token>(?:{_BARE}|(?:{_NAMES})=[\w.,:/-]*))(?P<rest>[\"'`]\s*[;&|][^\n]*|[;&|$`][^\s][^\n]*)"
)


def _modules(request: Request) -> Iterator[Wish]:
    for found in request.find(_LOAD):
        name = found["name"] or found["name2"]
        if name.lower() not in _NO_MODULES and name.lower() not in {
            "it",
            "them",
            "faster",
            "balancer",
            "test",
        }:
            yield request.wish("kernel_module", name, found, wanted=request.is_wanted(found.start()))
    for found in request.find(_MODULES):
        text = found["after"] or found["before"] or ""
        names = [one.strip() for one in re.split(LIST_JOIN, text) if one.strip()]
        names = [re.sub(r"^the\s+", "", one) for one in names]
        if (
            found["before"]
            and "kernel" not in found[0].lower()
            and not re.search(r"\b(?:load|insert|unload)", found[0], re.IGNORECASE)
        ):
            continue
        names = [one for one in names if one.lower() not in _NO_MODULES and TAKEN not in one]
        if not names:
            continue
        wanted = request.is_wanted(
            found.start("after") if found["after"] else found.start("before")
        ) and not re.search(r"\b(?:remove|unload|drop|delete)\b", found[0], re.IGNORECASE)
        for number, name in enumerate(names):
            place = found if not number else Span(found.start(), found.start())
            wish = request.wish("kernel_module", name, place, wanted=wanted)
            yield wish if not number else wish._replace(said=name)


def _start(request: Request) -> Iterator[Wish]:
    for found in request.find(_UKI):
        yield request.wish(
            "boot_loader",
            "systemd-boot",
            found,
            wanted=request.is_wanted(found.start()),
            details={"uki": "yes"},
        )
    for found in request.find(_LEGACY):
        yield request.wish(
            "boot_type",
            "legacy",
            found,
            wanted=request.is_wanted(found.start()) or "without" in found[0].lower(),
        )
    for found in request.find(_EFI):
        yield request.wish("boot_type", "efi", found, wanted=request.is_wanted(found.start()))
    for found in request.find(_LOADER):
        parts = found.groupdict()
        other = parts["other"] or parts["other2"]
        if other:
            yield request.wish(
                "impossible",
                f"There is no {other} among the boot loaders: a template takes grub or systemd-boot.",
                found,
            )
            continue
        value = "grub" if parts["grub"] or parts["grub2"] else "systemd-boot"
        yield request.wish("boot_loader", value, found, wanted=request.is_wanted(found.start()))
