"""The files that a build writes, how they are packed, and what else is said of the disk: its table, whether it grows, how it is picked."""

import re
from collections.abc import Iterator

from vademecum.desks.composer.patterns import Pattern
from vademecum.desks.composer.reading.request import Request
from vademecum.desks.composer.wish import Wish

_FORMAT = r"(?:qcow2?|vhdx?|vmdk|vdi)"
_HOSTS = {
    "virtualbox": "vdi", "virtual box": "vdi", "vmware": "vmdk", "esxi": "vmdk", "vsphere": "vmdk", "hyper-v": "vhdx", "hyperv": "vhdx",
    "qemu": "qcow2", "kvm": "qcow2", "proxmox": "qcow2", "openstack": "qcow2", "azure": "vhd",
}  # fmt: skip
_ARTIFACT = Pattern(
    rf"\b(?P<type>{_FORMAT})\b(?:\s+(?:disk\s+|virtual\s+|output\s+)?(?:images?|format|files?|artifacts?|output|disk))?(?:\s*(?:,?\s*(?:compressed|packed)\s+(?:with|by|using|as)|with|\+)\s*(?P<compression>zstd|gzip|gz|xz|bzip2|bz2|lzma|lz4)\b(?:\s+compression)?)?"
    rf"|\b(?P<first>zstd|gzip|gz|xz|bzip2|bz2)[ -]compressed\s+(?P<type2>{_FORMAT})\b"
)
_FOR_HOST = Pattern(
    r"\b(?:for|in|on|under|to\s+run\s+(?:in|on|under)|runs?\s+(?:in|on|under)|import\s+into|use\s+(?:in|with))\s+(?:my\s+|our\s+|an?\s+|the\s+)?(?P<host>virtual\s?box|vmware|esxi|vsphere|hyper-?v|proxmox)\b"
)
_COMPRESSION = Pattern(
    r"\b(?:compress(?:ed|ion)?|packed)\s*(?:it|the\s+\w+)?\s*(?:with|by|using|as|to|=|:|should\s+be|is|of|set\s+to)?\s*(?P<after>zstd|gzip|gz|xz|bzip2|bz2|lzma|lz4)\b|\b(?P<before>zstd|gzip|gz|xz|bzip2|bz2|lzma|lz4)[ -]compress(?:ed|ion)\b|\b(?:use\s+)(?P<use>zstd|gzip|xz|bzip2)\s+(?:for|instead|to\s+compress)|\b(?P<none>uncompressed|not\s+compressed|(?:no|without)\s+compression|un-compressed)\b"
)
_TABLE = Pattern(
    r"\b(?P<table>gpt|mbr|dos|msdos)\s+(?:partition\s+table|partition(?:ing)?(?:\s+scheme)?|label|disk\s+label|table)\b|\bpartition\s+table\s*(?:type)?\s*(?:is|to|of|=|:|should\s+be|type)?\s*(?P<table2>gpt|mbr|msdos)\b|\b(?P<table3>gpt|mbr)\b"
)
_GROW = Pattern(
    r"\b(?:(?:root|last|data|it|which|that|the)\s+)?(?:(?:file\s?system|partition|disk)\s+)?(?:should\s+|shall\s+|must\s+|can\s+|to\s+)?(?:grows?|expands?|extends?|fills?|stretche?s?|growing|expanding|filling)\s+(?:itself\s+)?(?:the\s+(?:last|root|data)\s+partition\s+)?(?:to\s+)?(?:fill\s+|use\s+|take\s+)?(?:up\s+)?(?:to\s+)?(?:all\s+(?:of\s+)?)?(?:the\s+)?(?:whole|entire|rest|full|remaining|available|target|real|size\s+of|disk)\b[^.,;\n]{0,30}"
    r"|\b(?:auto(?:matically)?[ -]?(?:grow|expand|resize)(?:s|ing)?|growing\s+root(?:\s+partition)?|grows?\s+(?:at|on)\s+(?:the\s+)?first\s+boot|expand(?:s|ing)?\s+(?:at|on)\s+(?:the\s+)?first\s+boot)\b(?:\s+(?:root|last)?\s*(?:partition|file\s?system))?"
)
_SELECTION = Pattern(r"\b(?:install(?:s|ing)?\s+(?:it\s+)?(?:on|onto|to)|pick(?:s|ing)?|choos(?:e|es|ing)|select(?:s|ing)?|use|uses|take|takes|target|onto)\s+(?:by\s+itself\s+)?the\s+(?P<which>largest|biggest|fastest|quickest|first)\s+(?:empty\s+|internal\s+|available\s+|free\s+)*(?:disk|drive|ssd)\b|\b(?P<which2>largest|fastest|first)\s+disk\s+(?:selection|wins|is\s+(?:used|chosen))")  # fmt: skip


def read(request: Request) -> Iterator[Wish]:
    """The wishes about the files and the rest of the disk."""
    if request.speaks_of(
        "qcow", "vhd", "vmdk", "vdi", "virtual", "vmware", "esxi", "vsphere", "hyper", "proxmox"
    ):
        yield from _artifacts(request)
    if request.in_session and request.speaks_of("raw"):
        for found in request.find(_RAW):
            yield request.wish("artifact", "raw", found, wanted=request.is_wanted(found.start()))
    if request.speaks_of("compress", "zstd", "gz", "xz", "bz", "lz", "packed"):
        for found in request.find(_COMPRESSION):
            value = found["after"] or found["before"] or found["use"] or ""
            yield request.wish("compression", _compression(value), found)
    if request.speaks_of("gpt", "mbr", "dos", "table"):
        for found in request.find(_TABLE):
            table = (found["table"] or found["table2"] or found["table3"]).lower()
            yield request.wish("partition_table", {"dos": "mbr", "msdos": "mbr"}.get(table, table), found)
    if request.speaks_of("grow", "expand", "extend", "fill", "stretch", "resize"):
        for found in request.find(_GROW):
            against = re.search(
                r"(?:\bnot|\bnever|n't|\bno\s+longer)\s+$", request.text[: found.start()], re.IGNORECASE
            )
            yield request.wish("grow", "", found, wanted=not against and not request.is_off(found.start()))
    if request.speaks_of("largest", "biggest", "fastest", "quickest", "first"):
        for found in request.find(_SELECTION):
            which = (found["which"] or found["which2"]).lower()
            yield request.wish(
                "disk_selection", {"biggest": "largest", "quickest": "fastest"}.get(which, which), found
            )


_RAW = Pattern(r"\b(?:the\s+)?raw\s+(?:output|files?|artifacts?|disk\s+image|version|one)\b")


def _artifacts(request: Request) -> Iterator[Wish]:
    for found in request.find(_ARTIFACT):
        kind = {"qcow": "qcow2"}.get(
            (found["type"] or found["type2"]).lower(), (found["type"] or found["type2"]).lower()
        )
        details = {"compression": _compression(found["compression"] or found["first"] or "")} | _manner(
            request, found
        )
        yield request.wish(
            "artifact",
            kind,
            found,
            wanted=request.is_wanted(found.start()),
            details={k: v for k, v in details.items() if v},
        )
    for found in request.find(_FOR_HOST):
        host = re.sub(r"\s+", "", found["host"].lower())
        yield request.wish("artifact", _HOSTS[host], found, note=f"{found['host']} takes it")


def _manner(request: Request, found: re.Match[str]) -> dict[str, str]:
    """Whether a file takes the place of the others, or comes beside them."""
    clause = request.clause(found.start())
    text = request.text[clause.start : clause.end]
    before, behind = text[: found.start() - clause.start].lower(), text[found.end() - clause.start :].lower()
    if re.search(
        r"\b(?:also|as\s+well|additional(?:ly)?|too|besides|beside|add|append|another|in\s+addition|plus|and\s+a)\b",
        before + behind[:40],
    ):
        return {"op": "add"}
    if re.search(
        r"\b(?:change|switch|only|instead|rather|convert|replace|make\s+it|turn|set|just|use)\b", before
    ) or re.search(r"\b(?:instead|only|rather)\b", behind):
        return {"op": "replace"}
    return {}


def _compression(word: str) -> str:
    return {"gzip": "gz", "bzip2": "bz2"}.get(word.lower(), word.lower())
