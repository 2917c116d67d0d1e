"""A model's server: its address, its key and its limits, from settings and environment."""

import os
import re
from collections.abc import Callable
from typing import NamedTuple

from vademecum.core.deadline import Deadline
from vademecum.core.errors import ConfigError
from vademecum.core.models import ModelSettings
from vademecum.net import Client, Exchange, Limits, Place, Secret, place_of
from vademecum.text.printable import printable

_NAMED = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(:-([^{}]*))?\}")


class Vendor(NamedTuple):
    """Where a provider's models are, unless the settings say.

    Attributes:
        url: Its own server.
        url_from: The environment variable that names another; "" for none.
        keys_from: The environment variables that may hold its key, the first one set counts.
        header: The header that carries the key.
        form: What is put before the key there.
        key_needed: Whether its own server wants one.
        read_url: How the variable's value is made an address.
    """

    url: str
    url_from: str = ""
    keys_from: tuple[str, ...] = ()
    header: str = "Authorization"
    form: str = "Bearer "
    key_needed: bool = False
    read_url: Callable[[str], str] = str


class Server(NamedTuple):
    """A server that can be called."""

    client: Client
    place: Place
    headers: dict[str, Secret | str]
    limits: Limits

    def call(
        self, path: str, body: object = None, deadline: Deadline | None = None, *, once: bool = False
    ) -> Exchange:
        """Prepare a call: POST with a body, GET without.

        Args:
            path: Below the server's own.
            body: What is sent, as JSON.
            deadline: None for what the settings say.
            once: Whether it is not tried again.
        """
        return self.client.exchange(
            self.place,
            path,
            method="GET" if body is None else "POST",
            body=body,
            headers=self.headers,
            deadline=deadline,
            limits=self.limits._replace(retries=0) if once else self.limits,
        )


def server_of(settings: ModelSettings, client: Client, vendor: Vendor) -> Server:
    """The server that settings name, allowed to the client.

    A key that the environment holds for a vendor goes to that vendor, or to the server that the environment names
    beside it. To the server of a section it goes only if the section says so.

    Raises:
        ConfigError: Address or key cannot be used.
    """
    from_environment = os.environ.get(vendor.url_from, "").strip() if vendor.url_from else ""
    url = settings.base_url or (vendor.read_url(from_environment) if from_environment else vendor.url)
    place = place_of(url)
    is_usual = place.origin == place_of(vendor.url).origin
    keys_from = vendor.keys_from if is_usual or not settings.base_url else ()
    key = _key(settings, vendor._replace(keys_from=keys_from, key_needed=vendor.key_needed and is_usual))
    client.allow(place)
    headers: dict[str, Secret | str] = {} if key is None else {vendor.header: key}
    limits = Limits(timeout_s=settings.timeout_s, stall_s=settings.stall_s, retries=settings.retries)
    return Server(client, place, headers, limits)


def _key(settings: ModelSettings, vendor: Vendor) -> Secret | None:
    named = None
    if settings.api_key:
        named = _NAMED.fullmatch(settings.api_key.strip())
        if named is None:
            message = (
                f"api_key of {printable(settings.provider, 40)} is not the name of an environment variable."
            )
            raise ConfigError(message, hint="Put the key into the environment, and write api_key: ${NAME}.")
        names: tuple[str, ...] = (named[1],)
    else:
        names = vendor.keys_from
    for name in names:
        if os.environ.get(name, "").strip():
            return Secret(os.environ[name], origin=name, form=vendor.form)
    if settings.api_key and named and named[2]:  # what a server that wants any key is sent, or none
        return Secret(named[3], origin=names[0], form=vendor.form) if named[3].strip() else None
    if settings.api_key or vendor.key_needed:
        message = f"{' or '.join(names)} is not set in the environment."
        raise ConfigError(message, hint=f"Set it to the key of {printable(settings.provider, 40)}.")
    return None
