"""Requests that a trusted proxy passes on: whose they are, and how they came to it."""

from collections.abc import Mapping
from functools import lru_cache
from ipaddress import ip_address, ip_network

from starlette.types import Scope

SCHEMES = {"http", "https"}


def unwrap(scope: Scope, headers: Mapping[str, str], trusted: tuple[str, ...]) -> None:
    """Set the client and the scheme of a request to those in `X-Forwarded-For` and `X-Forwarded-Proto`.

    The client is the last address in the list that is not itself a trusted proxy. Anything before it may have been made up
    by the client. Without a trusted proxy, the headers are ignored.
    """
    client = scope.get("client")
    if not trusted or not client or not _is_in(client[0], trusted):
        return
    for hop in reversed(headers.get("x-forwarded-for", "").split(",")):
        address = hop.strip()
        if not _is_address(address):
            break
        scope["client"] = (address, 0)
        if not _is_in(address, trusted):
            break
    scheme = headers.get("x-forwarded-proto", "").rpartition(",")[2].strip().lower()
    if scheme in SCHEMES:
        scope["scheme"] = scheme


@lru_cache(maxsize=1024)
def _is_in(address: str, networks: tuple[str, ...]) -> bool:
    """Return whether an address is in one of some networks. What is not an address, such as a Unix socket, is in none."""
    if not _is_address(address):
        return False
    found = ip_address(address)
    return any(
        found.version == network.version and found in network
        for network in (ip_network(text, strict=False) for text in networks)
    )


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
