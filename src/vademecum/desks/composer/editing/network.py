"""The network of an image."""

import ipaddress

from vademecum.desks.composer.editing.document import Document, Path
from vademecum.desks.composer.editing.outcome import Done, Scene, already, delivered, undeliverable
from vademecum.desks.composer.image_template import Data
from vademecum.desks.composer.packages.distributions import FAMILIES
from vademecum.desks.composer.wish import Wish


def change_network(document: Document, wish: Wish, scene: Scene) -> Done:
    """The network's backend, or an interface of it."""
    where = ("systemConfig", "network")
    network = scene.section(document, *where)
    if wish.kind == "network_backend":
        if network.get("backend") == wish.value and wish.wanted:
            return already(document, wish, f"The network is set up by {wish.value} already.")
        value = wish.value if wish.wanted else ("systemd-networkd" if wish.value == "netplan" else "netplan")
        done = document.set((*where, "backend"), value)
        return delivered(_with_netplan(done, scene), wish, f"The network is set up by {value}.")
    found = network.get("interfaces")
    faces = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    static = [face for face in faces if face.get("addresses")]
    only = static if len(static) == 1 and wish.detail("address") else faces
    name = wish.value or (str(only[0].get("name", "")) if len(only) == 1 else "")
    now = next((face.get("addresses") for face in faces if face.get("name") == name), None) or []
    if wish.detail("address") and "/" not in wish.detail("address") and len(now) == 1:
        prefix = str(now[0]).partition("/")[2]
        wish = wish._replace(details={**wish.details, "address": f"{wish.detail('address')}/{prefix}"})
    if not name and wish.detail("dhcp") and not faces:
        files = scene.section(document, "systemConfig").get("additionalFiles")
        if isinstance(files, list) and any("dhcp" in str(file) for file in files):
            return already(document, wish, "Wired interfaces ask for an address (DHCP) by the defaults.")
    if not name:
        return undeliverable(
            document,
            wish,
            "the network interface is not named; say it, as in: static IP 192.0.2.10/24 on enp1s0.",
        )
    try:
        fields = _interface(wish)
    except ValueError as reason:
        return undeliverable(document, wish, f"{reason}.")
    return _put_interface(document, wish, scene, name, fields)


def _with_netplan(document: Document, scene: Scene) -> Document:
    if document.get("systemConfig", "network", "backend") == "netplan" and not any(
        package.startswith("netplan") for package in scene.packages(document)
    ):
        family = FAMILIES.get(str(document.get("target", "os")), "deb")
        return document.append(("systemConfig", "packages"), "netplan.io" if family == "deb" else "netplan")
    return document


def _interface(wish: Wish) -> Data:
    """The fields of an interface."""
    made: Data = {}
    if wish.detail("dhcp"):
        return {f"dhcp{wish.detail('dhcp')}": wish.wanted}
    if address := wish.detail("address"):
        made["addresses"] = [_network(one) for one in address.split(",")]
    if gateway := wish.detail("gateway"):
        made["routes"] = [{"to": "default", "via": str(_address(one))} for one in gateway.split(",")]
    for route in filter(None, wish.detail("routes").split(",")):
        to, _, via = route.partition(">")
        made.setdefault("routes", []).append({"to": to, "via": str(_address(via))})
    if servers := wish.detail("dns"):
        made["nameservers"] = [str(_address(one)) for one in servers.split(",")]
    return made


def _network(text: str) -> str:
    try:
        ipaddress.ip_interface(text)
    except ValueError as error:
        raise ValueError(f"{text} is not an address") from error
    if "/" not in text:
        raise ValueError(f"{text} lacks the length of its prefix")
    return text


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    try:
        return ipaddress.ip_address(text)
    except ValueError as error:
        raise ValueError(f"{text} is not an address") from error


def _put_interface(document: Document, wish: Wish, scene: Scene, name: str, fields: Data) -> Done:
    where: Path = ("systemConfig", "network")
    found = document.get(*where, "interfaces")
    faces = found if isinstance(found, list) else []
    at = next(
        (place for place, face in enumerate(faces) if isinstance(face, dict) and face.get("name") == name),
        None,
    )
    if not wish.wanted and not wish.detail("dhcp"):
        if at is None:
            return already(document, wish, f"{name} is not set up.")
        return delivered(document.remove((*where, "interfaces", at)), wish, f"{name} is no longer set up.")
    backend = scene.section(document, *where).get("backend")
    done = document if backend else document.set((*where, "backend"), "systemd-networkd")
    if at is None:
        done = done.append((*where, "interfaces"), {"name": name, **fields})
        return delivered(_with_netplan(done, scene), wish, f"Set up {name}: {_told(fields)}.")
    for key, value in fields.items():
        if done.get(*where, "interfaces", at, key) != value:
            done = done.set((*where, "interfaces", at, key), value)
    if "addresses" in fields:
        for key in ("dhcp4", "dhcp6"):
            if done.get(*where, "interfaces", at, key) is True:
                done = done.set((*where, "interfaces", at, key), False)
    elif any(value is True for value in fields.values()) and done.get(*where, "interfaces", at, "addresses"):
        done = done.remove((*where, "interfaces", at, "addresses"))
    if done.text == document.text:
        return already(document, wish, f"{name} is set up so already.")
    return delivered(done, wish, f"Set up {name}: {_told(fields)}.")


def _told(fields: Data) -> str:
    said = []
    for key, value in fields.items():
        if key == "addresses":
            said.append(", ".join(value))
        elif key == "routes":
            said.append(f"gateway {value[0]['via']}")
        elif key == "nameservers":
            said.append(f"name servers {', '.join(value)}")
        else:
            said.append(f"DHCP {'on' if value else 'off'}")
    return "; ".join(said)
