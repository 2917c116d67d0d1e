"""The parts of the current template that a request may refer to: target, names, values, accounts, partitions, kernel options, modules."""

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from vademecum.desks.composer.image_template import Data
from vademecum.desks.composer.image_template.template import mapping, mappings, text
from vademecum.desks.composer.wish import Kind


class Context(NamedTuple):
    """Names in a template.

    Attributes:
        options: Of the options on the kernel's command line, without their values.
        values: Values by which a field is known, in lower case, and what they are the value of: host name, image name, accounts.
        addresses: Names of interfaces, and one address of each with its prefix.
        unit: Of its disk's size: `GB` or `GiB`; "" if that is not known.
        numbers: Every number that it has, with and without its unit.
    """

    accounts: tuple[str, ...] = ()
    partitions: frozenset[str] = frozenset()
    options: frozenset[str] = frozenset()
    modules: frozenset[str] = frozenset()
    distribution: str = ""
    values: Mapping[str, Kind] = MappingProxyType({})
    addresses: tuple[tuple[str, str], ...] = ()
    unit: str = ""
    numbers: frozenset[str] = frozenset()


def context_of(data: Data) -> Context:
    """The names in a template with all that it inherits."""
    system, disk = mapping(data.get("systemConfig")), mapping(data.get("disk"))
    kernel, image, network = (
        mapping(system.get("kernel")),
        mapping(data.get("image")),
        mapping(system.get("network")),
    )
    parts = [
        text(row.get(key)) for row in mappings(disk.get("partitions")) for key in ("id", "name", "mountPoint")
    ]
    accounts = [text(row.get("name")) for row in mappings(system.get("users"))]
    values: dict[str, Kind] = dict.fromkeys(map(str.lower, accounts), "user")
    values |= {
        text(image.get("name")).lower(): "image_name",
        text(system.get("hostname")).lower(): "hostname",
    }
    values.pop("", None)
    values.pop("root", None)
    return Context(
        distribution=text(mapping(data.get("target")).get("os")),
        values=values,
        addresses=tuple(
            (text(face.get("name")), str(address))
            for face in mappings(network.get("interfaces"))
            for address in face.get("addresses") or ()
            if isinstance(address, str)
        ),
        unit=text(disk.get("size")).lstrip("0123456789. "),
        numbers=frozenset(_numbers(data)),
        accounts=tuple(accounts),
        partitions=frozenset(name for name in parts if name not in {"", "none"}),
        options=frozenset(word.partition("=")[0] for word in text(kernel.get("cmdline")).split()),
        modules=frozenset(text(kernel.get("enableExtraModules")).split()),
    )


_NUMBER = re.compile(r"(?<![\w.])(\d+(?:\.\d+)*)\s?([KMGT]i?B)?(?![\w.])")


def _numbers(data: Data) -> Iterator[str]:
    """The numbers in the values of a template: "20GiB" is both "20gib" and "20"."""
    rows: list[object] = [data]
    while rows:
        row = rows.pop()
        if isinstance(row, dict):
            rows += row.values()
        elif isinstance(row, list):
            rows += row
        elif isinstance(row, str | int) and not isinstance(row, bool):
            for number, unit in _NUMBER.findall(str(row)):
                yield number
                if unit:
                    yield f"{number}{unit}".lower()
