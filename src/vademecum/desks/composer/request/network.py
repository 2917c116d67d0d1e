"""Read the network of a request: interfaces, addresses, gateways, name servers, DHCP."""

from collections.abc import Sequence
from ipaddress import ip_address, ip_interface, ip_network

from vademecum.desks.composer.request.frames import Frame, is_open
from vademecum.desks.composer.request.words.word import Word


class Interface:
    """An interface that a request speaks of."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.words: list[Word] = []
        self.addresses: list[str] = []
        self.gateways: list[str] = []
        self.servers: list[str] = []
        self.routes: list[str] = []
        self.dhcp: dict[str, bool] = {}
        self.wanted = True


def read_network(frame: Frame) -> None:
    """Make wishes of all that is said of the network."""
    faces: dict[str, Interface] = {}
    for sentence in frame.sentences():
        if any(
            (is_open(word) and word.term.token.kind in {"address", "interface"})
            or word.term.means("field", "dhcp", "dhcp6")
            for word in sentence
        ):
            _sentence(frame, sentence, faces)
    named = [
        word.term.token.norm
        for word in frame.words
        if word.term.token.kind == "interface"
        and not word.term.senses
        and word.wanted
        and word.mood == "wish"
    ]
    if "" in faces and len(faces) == 1 and len({*named}) == 1:  # it is named in a sentence of its own
        faces[""].name = named[0]
    _join_unnamed(faces)
    for face in faces.values():
        if face.words:
            _emit(frame, face)


def _join_unnamed(faces: dict[str, Interface]) -> None:
    """Addresses without an interface are those of the only one that is named and has none."""
    unnamed = faces.get("")
    bare = [
        face for face in faces.values() if face.name and not face.addresses and not any(face.dhcp.values())
    ]
    if unnamed is None or len(bare) != 1:
        return
    face = bare[0]
    face.addresses, face.gateways, face.servers = unnamed.addresses, unnamed.gateways, unnamed.servers
    face.routes = unnamed.routes
    if not any(unnamed.dhcp.values()):
        face.dhcp |= unnamed.dhcp
    face.words += unnamed.words
    del faces[""]


def _sentence(frame: Frame, sentence: list[Word], faces: dict[str, Interface]) -> None:
    blocked = _blocked(frame, sentence)
    role = ""
    route_to = ""
    for at, word in enumerate(sentence):
        if word.mood != "wish" or word in blocked:
            continue
        term = word.term
        if term.means("field", "gateway", "nameserver", "netmask", "address", "via", "route"):
            field = term.sense("field")
            role = field.value if field else ""
            if route_to and role in {"via", "gateway"}:
                role = "via"
        if word.norm == "router" and _leads_to_address(sentence, at):
            role = "gateway"
        if word.used:
            continue
        if term.token.kind == "interface" and not term.senses:
            face = faces.setdefault(term.token.norm, Interface(term.token.norm))
            face.wanted = word.wanted
            face.words.append(word)
            word.used = True
            role = ""
        elif term.token.kind == "address":
            face = _face_for(sentence, at, faces, blocked)
            if not word.wanted or word.mood != "wish":
                word.used = True
                continue
            if not term.token.norm:
                frame.unclear(f"{term.text} is not an address. Which one is it?", [word])
                continue
            role, route_to = _address(word, face, role, route_to)
        elif term.means("field", "dhcp", "dhcp6"):
            plural = any(other.term.has("plural") for other in sentence if other.segment == word.segment)
            targets = list(faces.values()) if plural and faces else [_face_for(sentence, at, faces, blocked)]
            for face in targets:
                face.dhcp["6" if term.means("field", "dhcp6") else "4"] = word.wanted
                face.words.append(word)
            word.used = True
    named = next(
        (place for place, word in enumerate(sentence) if word.term.means("field", "nameserver")), None
    )
    routers = [
        word for word in sentence[(named or 0) + 1 : (named or 0) + 6] if word.norm in {"router", "gateway"}
    ]
    if named is not None and routers and not any(face.servers for face in faces.values()):
        for face in faces.values():  # "the name server is the router, too"
            face.servers += face.gateways
    for word in sentence:
        if (
            not word.used
            and word.mood == "wish"
            and faces
            and word.term.means(
                "field", "gateway", "nameserver", "netmask", "address", "via", "route", "interface"
            )
        ):
            word.used = any(
                other.used and other.term.token.kind in {"address", "interface"} for other in sentence
            )


_LEADING = frozenset(["is", "has", "moved", "to", "at", "has moved", "now", "the", "on", "becomes"])


def _leads_to_address(sentence: Sequence[Word], at: int) -> bool:
    """Return whether a word comes right before an address: "router 10.0.0.1", "the router has moved to 10.0.0.254"."""
    for word in sentence[at + 1 : at + 6]:
        if word.term.token.kind == "address":
            return True
        if word.norm not in _LEADING:
            return False
    return False


def _blocked(frame: Frame, sentence: list[Word]) -> set[int] | list[Word]:
    """The words of interfaces that a template cannot set up as asked: all that is said of them is asked back."""
    found: list[Word] = []
    for word in sentence:
        if word.used or word.mood != "wish" or not word.wanted:
            continue
        sense = word.term.sense("unavailable")
        blocks = sense is not None and any(name in sense.value for name in ("VLAN", "bonded", "bridges"))
        if not blocks and not (word.term.token.kind == "interface" and "." in word.term.token.norm):
            continue
        clause = [
            other
            for other in sentence
            if other.clause == word.clause
            and not other.used
            and (
                other.term.token.kind in {"interface", "address"}
                or (other.term.token.kind == "number" and other.segment == word.segment)
                or other.term.means("field", "address", "gateway", "nameserver", "via")
            )
            and (other.segment >= word.segment - 1)
        ]
        reason = sense.value if sense else "A template has no field for VLANs."
        frame.wish("impossible", reason, [word, *clause], wanted=True)
        found += [word, *clause]
    return found


def _face_for(
    sentence: Sequence[Word], at: int, faces: dict[str, Interface], blocked: Sequence[Word] | set[int]
) -> Interface:
    """The interface that a word is about: the one of its segment, else the last one before it, else the next one."""

    def usable(word: Word) -> bool:
        return (
            word.term.token.kind == "interface"
            and not word.term.senses
            and word not in blocked
            and word.wanted
        )

    own = [word for word in sentence if word.segment == sentence[at].segment and usable(word)]
    before = [word for word in sentence[:at] if usable(word)]
    after = [word for word in sentence[at:] if usable(word)]
    chosen = own[-1] if own else before[-1] if before else after[0] if after else None
    if chosen is None:
        return next(reversed(faces.values()), None) or faces.setdefault("", Interface(""))
    return faces.setdefault(chosen.term.token.norm, Interface(chosen.term.token.norm))


def _address(word: Word, face: Interface, role: str, route_to: str) -> tuple[str, str]:
    """Put an address where it belongs, and return the role of the next one."""
    text = word.term.token.text
    face.words.append(word)
    word.used = True
    if role == "netmask":
        _with_mask(face, text)
        return "", ""
    if role == "route":
        return "route-to", text
    if route_to and role == "via":
        face.routes.append(f"{route_to}>{text}")
        return "", ""
    if role in {"gateway", "via"}:
        face.gateways.append(text)
        return role, ""
    if role == "nameserver":
        face.servers.append(text)
        return role, ""
    face.addresses.append(text)
    return "", ""


def _with_mask(face: Interface, mask: str) -> None:
    for at, address in enumerate(face.addresses):
        if "/" not in address:
            face.addresses[at] = f"{address}/{ip_network(f'0.0.0.0/{mask}').prefixlen}"


def _emit(frame: Frame, face: Interface) -> None:
    bare = [address for address in face.addresses if "/" not in address]
    if bare and not frame.in_session:
        frame.unclear(f"How long is the prefix of {bare[0]}? Say it as in {bare[0]}/24.", face.words)
        return
    if face.addresses and not face.name and not frame.in_session:
        frame.unclear(
            f"Which interface has the address {face.addresses[0]}? Name it, such as enp1s0.", face.words
        )
        return
    outside = [
        gateway
        for gateway in face.gateways
        if face.addresses and not any(_is_in(gateway, address) for address in face.addresses)
    ]
    if outside:
        words = [word for word in face.words if word.term.token.text == outside[0]]
        frame.unclear(
            f"The gateway {outside[0]} is not in the network of {', '.join(face.addresses)}. Which one is right?",
            words,
        )
        face.gateways = [gateway for gateway in face.gateways if gateway not in outside]
    static = bool(face.addresses or face.gateways or face.servers or face.routes)
    if static:
        dhcp_off = ",".join(version for version, on in face.dhcp.items() if not on)
        on = [version for version, is_on in face.dhcp.items() if is_on]
        if on and face.addresses:
            frame.unclear("Should the interface have a static address or DHCP?", face.words)
            return
        frame.wish(
            "network", face.name, face.words, wanted=True, address=",".join(face.addresses), gateway=",".join(face.gateways), dns=",".join(face.servers),
            routes=",".join(face.routes), dhcp_off=dhcp_off,
        )  # fmt: skip
        for version in on if not face.addresses else ():
            frame.wish("network", face.name, face.words, wanted=True, dhcp=version)
        return
    for version, is_wanted in face.dhcp.items():
        frame.wish("network", face.name, face.words, wanted=is_wanted, dhcp=version)
    if not face.dhcp and not face.wanted:
        frame.wish("network", face.name, face.words, wanted=False)
    elif not face.dhcp:
        for word in face.words:
            word.used = False


def _is_in(gateway: str, address: str) -> bool:
    try:
        return ip_address(gateway) in ip_interface(address).network
    except ValueError:
        return False
