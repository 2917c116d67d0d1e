"""The system around the packages: encryption, a read-only root, Secure Boot, network, services, time zone, repositories."""

import re
from collections.abc import Iterator

from vademecum.desks.composer.patterns import Pattern
from vademecum.desks.composer.reading.request import LIST_JOIN, Request
from vademecum.desks.composer.wish import Kind, Wish

_ENCRYPTION = Pattern(
    r"\b(?:(?:full[ -])?(?:disk|drive|root|storage|partition|data)[ -]encryption|fde|luks2?(?:[ -]encrypt(?:ed|ion))?|encrypt(?:ed|ing)?\s+(?:the\s+|its\s+|my\s+|whole\s+|entire\s+|all\s+)*(?:root|disk|drive|storage|image|file\s?system|system|partitions?|data)|(?:an?\s+)?encrypted\s+(?:root|disk|drive|image|installation|system)|(?:disk|drive|root|storage)\s+(?:is\s+|should\s+be\s+|must\s+be\s+|shall\s+be\s+)?encrypted|encrypt\s+(?:it|everything)|data\s+at\s+rest\s+encrypt\w*|encrypted(?!\s+(?:connections?|dns|mail|e-?mail|transport|vpn|tunnel|backups?|passwords?|communication|traffic|chat|with\s+tls)))\b(?:\s+(?:by|with|using)\s+luks2?)?(?:\s+(?:partition|file\s?system))?"
)
_MANUAL = Pattern(
    r"\b(?:asks?|asking|prompt(?:s|ed|ing)?|type|enter|typed|entered)\b[^.;\n]{0,40}\b(?:pass\w*(?:\s+(?:at|on|during|when)\s+(?:every\s+)?(?:boot\w*|start\w*))?|boot|start)\b|\bpass\s?(?:phrase|word)\s+prompt\w*|\bmanual(?:ly)?\s+unlock\w*|\bunlock(?:ed)?\s+(?:manually|by\s+hand)"
)
_AUTOMATIC = Pattern(
    r"\b(?:auto(?:matic(?:ally)?)?[ -]?unlock\w*|unlock(?:s|ed)?\s+(?:itself|automatically|by\s+itself)|without\s+(?:asking|a\s+prompt|typing|entering)[^.;\n]{0,20}|unattended\s+(?:unlock|boot))"
)
_AT_START = Pattern(r"\b(?:pass\s?phrase|unlock\w*|password\s+at\s+(?:boot|start))")
_FILE = Pattern(r"\b(?:pass\s?phrase|key)\s*file\s*(?:is|in|at|:|=|from)?\s*(?P<file>[\w./-]*[\w])")
_READ_ONLY = Pattern(
    r"\b(?:immutab(?:le|ility)|(?:with\s+|and\s+)?dm-?\s?verity|read-?\s?only(?:\s+(?:root(?:\s?(?:fs|file\s?system|file\s+system))?|system|image|file\s?system|operating\s+system|os))?|root\s+(?:file\s?system\s+|partition\s+|fs\s+)?(?:is\s+|should\s+be\s+|must\s+be\s+)?(?:read-?\s?only|immutable)|tamper-?\s?proof(?:\s+root)?|verity-protected|unchangeable(?:\s+root)?)\b(?:\s+(?:root(?:\s?(?:fs|file\s?system|file\s+system))?|image|system|os|protection|support))?"
)
_PARTLY = Pattern(
    r"\b(?:mount\w*|partitions?|shares?|access|replicas?|nfs|samba|exports?|users?|accounts?|mode|ro)\b|(?<![\w.])/\w"
)
"""What else may be read-only."""

_WRITABLE = Pattern(
    r"\b(?:writ(?:e)?able|read-?write|rw|mutable)\s+(?:root(?:\s?fs|\s+file\s?system)?|system)\b|\b(?:root|system|image|it)\s+(?:file\s?system\s+|partition\s+)?(?:is\s+|(?:should|must|may|shall|can)\s+(?P<not>not\s+|never\s+)?be\s+)?(?P<not2>not\s+)?(?:writ(?:e)?able|written\s+to|changed|modified|altered)\b"
)
_SECURE_BOOT = Pattern(
    r"\b(?:uefi\s+)?secure\s?-?boot(?:\s+(?:support|enabled|signing|signed|ready))?\b|\bsigned\s+(?:kernel|uki|boot)\b"
)

_IFACE = r"(?P<iface>(?:en|eth|wl|ww|ib|br|bond|wlan|eno|ens|enp|lan|wan)[a-z0-9.]{0,13}\d|eth\d)"
_ADDRESS = (
    r"(?P<address>(?:\d{1,3}\.){3}\d{1,3}(?:/\d{1,2})?|[0-9a-f]{0,4}:[0-9a-f:]*:[0-9a-f]{0,4}(?:/\d{1,3})?)"
)
_IP = r"(?:(?:\d{1,3}\.){3}\d{1,3}|[0-9a-fA-F]{1,4}:[0-9a-fA-F:]*:[0-9a-fA-F]{0,4})"
_STATIC = Pattern(
    rf"(?:\b(?:an?\s+|the\s+)?(?:static|fixed)\s+(?:ip(?:v[46])?\s*)?(?:address(?:es)?)?\s*(?:of|is|:|=|to)?\s*|\b(?:ip|address)(?:\s+address)?\s*(?:of|is|:|=|to|should\s+be)?\s*){_ADDRESS}"
)
_BARE_CIDR = Pattern(r"(?<![\w.:/])(?P<address>(?:\d{1,3}\.){3}\d{1,3}/\d{1,2})(?![\w/])", flags=0)
_ON_IFACE = Pattern(
    rf"\b(?:on|for|to|interface|nic|card|via|with)\s+(?:the\s+)?(?:network\s+)?(?:interface|nic|card|port)?\s*[\"'`]?{_IFACE}\b|\b(?P<iface2>(?:en[opsx]|eth|wl)[a-z0-9]*\d)\b"
)
_GATEWAY = Pattern(
    rf"\b(?:default\s+)?(?:gateway|gw|router|route)\s*(?:(?:should|shall|must)\s+be|is|of|via|:|=|to|at|address)?\s*(?P<gateway>{_IP})|\bvia\s+(?P<via>{_IP})"
)
_DNS = Pattern(
    rf"\b(?:dns|name\s?servers?|resolvers?)(?:\s+servers?)?\s*(?:(?:should|shall|must)\s+be|is|are|of|:|=|to|at|address(?:es)?)?\s*(?P<servers>{_IP}(?:{LIST_JOIN}{_IP})*)|(?P<servers2>{_IP}(?:{LIST_JOIN}{_IP})*)\s+(?:as|for)\s+(?:the\s+)?(?:dns|name\s?server)s?"
)
_DHCP = Pattern(
    r"\bdhcp(?P<which>v?[46])?(?!\s*(?:server|range|d\b))(?:\s+(?:client|address(?:es|ing)?|configuration|network(?:ing)?))?\b"
)
_BACKEND = Pattern(
    r"\b(?:use\s+|using\s+|by\s+|with\s+|via\s+|through\s+)?(?P<backend>netplan|systemd-networkd|networkd)(?:\s+(?:as\s+(?:the\s+)?(?:network\s+)?backend|for\s+(?:the\s+)?network(?:ing)?|backend))?\b"
)

_SERVICE = Pattern(
    r"\b(?P<verb>enable|disable|auto-?start|start|activate)\s+(?:the\s+)?(?:service\s+)?(?P<unit>[a-z][\w@.-]*(?:\.(?:service|timer|socket))?)(?:\s+(?:service|daemon|unit|timer))?\s+(?:at|on|during)\s+(?:every\s+)?(?:boot|start-?up|start)\b"
    r"|\b(?P<verb2>enable|disable|mask)\s+(?:the\s+)?(?P<unit2>[a-z][\w@.-]*)\s+(?:systemd\s+)?(?:service|daemon|unit|timer)\b"
    r"|\b(?P<unit3>[a-z][\w@.-]*)\s+(?:service\s+)?(?:should|must|shall)\s+(?P<not>not\s+)?(?:be\s+)?(?:start(?:ed)?|enabled|run)\s+(?:automatically\s+)?(?:at|on)\s+(?:boot|start-?up)\b"
    r"|\b(?P<unit4>[a-z][\w@.-]*)\s+(?:enabled|started)\s+(?:at|on)\s+boot\b"
)
_NO_UNITS = frozenset(
    """the a it all any service services them this that everything secure network image system which""".split()  # noqa: SIM905 - one list reads best
)
_TIMEZONE = Pattern(
    r"\b(?:time\s?-?zone|tz)\s*(?:should\s+be|is|to|of|=|:|set\s+to|for)?\s*[\"'`]?(?P<zone>(?:Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific|Etc|US)/[A-Za-z_]+(?:[/_+-][A-Za-z0-9_+-]+)*|UTC|GMT)\b|\b(?P<zone2>(?:Africa|America|Antarctica|Asia|Atlantic|Australia|Europe|Indian|Pacific)/[A-Z][A-Za-z_]+(?:/[A-Z][A-Za-z_]+)?)(?:\s+(?:as\s+)?(?:the\s+)?time\s?-?zone)?|\b(?P<zone3>UTC)\s+(?:as\s+)?(?:the\s+)?(?:time\s?-?zone|clock)\b|(?:^|[,;]\s*|\b(?:in|on|and)\s+)(?P<zone4>UTC)(?=\s*(?:$|[.,;]|and\b))"
)
_REPOSITORY = Pattern(
    r"\b(?:(?:add|use|with|from|include|enable|and)\s+)?(?:an?\s+|the\s+|our\s+)?(?:extra\s+|additional\s+|package\s+|apt\s+|rpm\s+|dnf\s+|custom\s+|third[- ]party\s+)*(?:repositor(?:y|ies)|repo)\b(?:\s+(?:at|from|of|url|:|=|called|named\s+[\w-]+(?:\s+at)?|on))*\s*[\"'`<]?(?P<url>https?://[^\s\"'`<>,;]+[^\s\"'`<>,;.)])"
)
_KEY = Pattern(
    r"\b(?:(?:gpg|signing|public|signed|pgp)\s*-?)*key\s*(?:is|at|of|from|:|=|in|url|by)?\s*[\"'`<]?(?P<key>(?:https?|file)://[^\s\"'`<>,;]+[^\s\"'`<>,;.)]|/[\w./-]+\w)"
)
_CODENAME = Pattern(r"\b(?:codename|called|named|suite)\s+[\"'`]?(?P<codename>[A-Za-z][\w.-]*)")
_COMPONENT = Pattern(r"\bcomponents?\s*[:=]?\s*[\"'`]?(?P<component>[a-z][a-z -]*[a-z])\b")
_DROP_REPOSITORY = Pattern(r"\b(?:the\s+)?(?P<name>[A-Za-z][\w.-]*)\s+(?:package\s+|apt\s+|rpm\s+)?repositor(?:y|ies)\b")  # fmt: skip


def read(request: Request) -> Iterator[Wish]:
    """The wishes about the system."""
    if request.speaks_of("repo"):
        yield from _repositories(request)
    if request.speaks_of(
        "encrypt",
        "luks",
        "fde",
        "immut",
        "verity",
        "read",
        "tamper",
        "unchang",
        "writ",
        "mutable",
        "rw",
        "secure",
        "signed",
        "unlock",
        "phrase",
    ):
        yield from _protection(request)
    if request.speaks_of("ip", "address", "dhcp", "dns", "name", "gateway", "netplan", "networkd", "."):
        yield from _network(request)
    if request.speaks_of("enable", "disable", "start", "activate", "mask", "boot"):
        yield from _services(request)
    if request.speaks_of("zone", "tz", "utc", "/"):
        yield from _timezone(request)


def _protection(request: Request) -> Iterator[Wish]:
    for found in request.find(_ENCRYPTION):
        clause = request.text
        details: dict[str, str] = {}
        for unlock, pattern in (("manual", _MANUAL), ("auto", _AUTOMATIC)):
            if how := pattern.search(request.left):
                details.setdefault("unlock", unlock)
                request.take(*how.span())
        if file := _FILE.search(clause):
            details["file"] = file["file"]
        off = request.is_off(found.start()) or request.is_off(found.end() - 1)
        yield request.wish("encryption", "", found, wanted=not off, details=details)
    if request.in_session:
        for unlock, pattern in (("manual", _MANUAL), ("auto", _AUTOMATIC)):
            for found in request.find(pattern):
                if _AT_START.search(request.text):
                    yield request.wish("encryption", "", found, details={"unlock": unlock})
    for kind, pattern in (("secure_boot", _SECURE_BOOT), ("read_only_root", _READ_ONLY)):
        for found in request.find(pattern):
            if (
                kind == "read_only_root"
                and re.fullmatch(r"read-?\s?only", found[0], re.IGNORECASE)
                and not request.in_session
                and _PARTLY.search(request.text)
            ):
                continue
            name: Kind = "secure_boot" if kind == "secure_boot" else "read_only_root"
            yield request.wish(
                name,
                "",
                found,
                wanted=not request.is_off(found.start())
                and not request.is_off(found.end() - 1)
                and not request.is_negated(found.end() - 1),
            )
    for found in request.find(_WRITABLE):
        against = bool(found["not"] or found["not2"]) or request.is_negated(found.start())
        if re.search(r"changed|modified|altered|written", found[0], re.IGNORECASE) and not against:
            continue
        yield request.wish("read_only_root", "", found, wanted=against)


def _timezone(request: Request) -> Iterator[Wish]:
    for found in request.find(_TIMEZONE):
        zone = found["zone"] or found["zone2"] or found["zone3"] or found["zone4"]
        yield request.wish("timezone", zone.upper() if zone.upper() in {"UTC", "GMT"} else zone, found)


def _repositories(request: Request) -> Iterator[Wish]:
    for found in request.find(_REPOSITORY):
        clause = request.clause(found.start())
        details: dict[str, str] = {}
        for name, pattern in (("key", _KEY), ("codename", _CODENAME), ("component", _COMPONENT)):
            if one := pattern.search(request.left, found.end(), max(clause.end, found.end())):
                details[name] = one[name]
                request.take(*one.span())
        yield request.wish(
            "repository", found["url"], found, details=details, wanted=request.is_wanted(found.start())
        )
    for found in request.find(_DROP_REPOSITORY):
        if not request.is_wanted(found.start()):
            yield request.wish("repository", found["name"], found, wanted=False)


def _network(request: Request) -> Iterator[Wish]:
    for pattern in (_STATIC, _BARE_CIDR):
        for found in request.find(pattern):
            clause = request.clause(found.start())
            details = {"address": found["address"]}
            taken = []
            for name, other in (("gateway", _GATEWAY), ("dns", _DNS), ("iface", _ON_IFACE)):
                near = other.search(request.left, clause.start, clause.end) or other.search(request.left)
                if near:
                    parts = near.groupdict()
                    value = next(
                        (
                            parts[key]
                            for key in ("gateway", "via", "servers", "servers2", "iface", "iface2")
                            if parts.get(key)
                        ),
                        "",
                    )
                    details[name] = (
                        ",".join(one.strip() for one in re.split(LIST_JOIN, value))
                        if name == "dns"
                        else value
                    )
                    taken.append(near.span())
            wanted = request.is_wanted(found.start())
            wish = request.wish("network", details.get("iface", ""), found, details=details, wanted=wanted)
            for start, end in taken:
                request.take(start, end)
            yield wish
    for found in request.find(_DHCP):
        clause = request.clause(found.start())
        iface = _ON_IFACE.search(request.text, clause.start, clause.end)
        name = ""
        if iface:
            name = iface["iface"] or iface["iface2"] or ""
            request.take(*iface.span())
        which = (found["which"] or "").lower().lstrip("v")
        yield request.wish(
            "network", name, found, wanted=request.is_wanted(found.start()), details={"dhcp": which or "4"}
        )
    for found in request.find(_DNS):
        servers = found["servers"] or found["servers2"]
        value = ",".join(one.strip() for one in re.split(LIST_JOIN, servers))
        yield request.wish("network", "", found, details={"dns": value})
    for found in request.find(_GATEWAY) if request.in_session else ():
        yield request.wish("network", "", found, details={"gateway": found["gateway"] or found["via"]})
    for found in request.find(_BACKEND):
        backend = "netplan" if found["backend"].lower() == "netplan" else "systemd-networkd"
        yield request.wish("network_backend", backend, found, wanted=request.is_wanted(found.start()))


def _services(request: Request) -> Iterator[Wish]:
    for found in request.find(_SERVICE):
        parts = found.groupdict()
        unit = parts["unit"] or parts["unit2"] or parts["unit3"] or parts["unit4"] or ""
        verb = (parts["verb"] or parts["verb2"] or "enable").lower()
        if unit.lower() in _NO_UNITS or not re.fullmatch(r"[A-Za-z][\w@.-]{0,80}", unit, re.ASCII):
            continue
        yield request.wish("service", unit, found, wanted=not (verb in {"disable", "mask"} or parts["not"]))
