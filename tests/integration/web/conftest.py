"""What tests of the web server share: a server that really runs, and people with keys who call it."""

import asyncio
import json
import logging
import shutil
import socket
import threading
from contextlib import contextmanager
from http.client import HTTPConnection
from typing import NamedTuple

import pytest
import uvicorn

from shared import wait_until
from vademecum.desks.reasoning.library import OURS
from vademecum.files.places import Places
from vademecum.library.collections import Collections
from vademecum.server.guard.keys import Keys
from vademecum.server.run import configured, listen
from vademecum.server.settings import ServerSettings

BOOK = {
    "intro.md": """# Introduction

A *gripper drive* moves the robot's fingers. It needs 48 volts and two fuses of 10 amperes.

## Calibration

Hold the calibration button for seven seconds, until the lamp turns blue. The drive then measures each finger.
""",
    "safety.md": """# Safety

Never open the battery hatch while the drive is running. Wait until the lamp is dark, then wait two minutes more.
""",
}

THINGS = """anchor basket candle drum easel fiddle goblet hammer inkwell jigsaw kettle lantern mirror needle organ
pillow quilt ribbon saddle teapot umbrella violin wagon xylophone yarn zither""".split()  # noqa: SIM905 - a word list reads best
BOOK |= {
    f"{thing}.md": f"# The {thing}\n\nA {thing} is kept in the attic beside the {other}. Nobody has used it for years.\n"
    for thing, other in zip(THINGS, THINGS[5:], strict=False)
}
QUESTION = "How long must I hold the calibration button of the fingers?"


class Answer(NamedTuple):
    """A reply."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)


class Running(NamedTuple):
    """A server that runs in a thread of this process."""

    port: int
    settings: ServerSettings
    app: object

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def state(self):
        return self.app.state.vademecum

    def call(self, method, path, body=None, *, key="", headers=None, timeout_s=60):
        sent = dict(headers or {})
        if key:
            sent["Authorization"] = f"Bearer {key}"
        if body is not None and not isinstance(body, (bytes, str)):
            body = json.dumps(body)
            sent.setdefault("Content-Type", "application/json")
        connection = HTTPConnection("127.0.0.1", self.port, timeout=timeout_s)
        try:
            connection.request(method, path, body, sent)
            reply = connection.getresponse()
            names = {name.lower(): value for name, value in reply.getheaders()}
            return Answer(reply.status, names, reply.read())
        finally:
            connection.close()

    def post(self, path, body, **options):
        return self.call("POST", path, body, **options)

    def put(self, path, body, **options):
        return self.call("PUT", path, body, **options)

    def get(self, path, **options):
        return self.call("GET", path, **options)

    def raw(self, data, *, timeout_s=60, until=b""):
        """Send bytes as they are; what comes back until the other side closes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=timeout_s) as connection:
            for piece in [data] if isinstance(data, bytes) else data:
                try:
                    connection.sendall(piece)
                except OSError:
                    break
            received = b""
            try:
                while piece := connection.recv(1 << 16):
                    received += piece
                    if until and until in received:
                        break
            except ConnectionResetError:
                pass
            return received


@contextmanager
def serving(settings):
    listener = listen(settings)
    config = configured(settings)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listener])), daemon=True)
    thread.start()
    wait_until(lambda: server.started or not thread.is_alive())  # which also sets logging up
    assert thread.is_alive()
    logging.getLogger("vademecum.server").setLevel(logging.WARNING)
    try:
        yield Running(listener.getsockname()[1], settings, config.loaded_app)
    finally:
        server.should_exit = True
        thread.join(60)
        assert not thread.is_alive()


@pytest.fixture(scope="session")
def collections_folder(tmp_path_factory):
    """A book of everybody's, and two more, of two people; indexed once."""
    folder = tmp_path_factory.mktemp("web")
    collections = Collections(folder / "collections")
    for name in ("handbook", "annas", "bobs"):
        pages = folder / name
        pages.mkdir()
        for file, text in BOOK.items():
            (pages / file).write_text(text if name == "handbook" else text.replace("gripper", name))
        collections.create(name, kind="book", description=f"All of {name}.").library.add(pages)
    return folder / "collections"


def places_in(folder):
    """The folders of a library that nobody has indexed anything in yet."""
    return Places(folder / "machine" / "data", folder / "machine" / "config")


class People(NamedTuple):
    """Keys: of an admin, and of two people, whose the books `annas` and `bobs` are."""

    admin: str
    anna: str
    bob: str
    owners: dict[str, str]


@pytest.fixture(scope="session")
def people(tmp_path_factory, collections_folder):
    keys = Keys(tmp_path_factory.mktemp("keys") / "keys.json")
    names = ("admin", "anna", "bob")
    made = {
        name: keys.add(name, role="admin" if name == "admin" else "user", per_minute=100_000)
        for name in names
    }
    collections = Collections(collections_folder)
    for name in ("anna", "bob"):
        collections.get(f"{name}s").describe(owner=made[name][0].id)
    people = People(*(token for _, token in made.values()), {name: key.id for name, (key, _) in made.items()})
    return people, keys.path


@pytest.fixture
def settings(tmp_path, collections_folder):
    templates = tmp_path / "templates"  # few, so that the server starts at once
    templates.mkdir()
    shutil.copy(OURS / "pre-mortem.md", templates)
    return ServerSettings(
        port=0,
        folder=tmp_path / "server",
        places=places_in(tmp_path),
        collections_folder=collections_folder,
        template_folders=(templates,),
    )


@pytest.fixture
def shared_settings(settings, people):
    """Settings of a server of one's own that wants keys."""
    settings.folder.mkdir()
    shutil.copy(people[1], settings.folder / "keys.json")
    return settings


@pytest.fixture(scope="session")
def server(tmp_path_factory, collections_folder, people):  # noqa: ARG001 - whose the books are is settled first
    folder = tmp_path_factory.mktemp("server")
    settings = ServerSettings(
        port=0, folder=folder, places=places_in(folder), collections_folder=collections_folder
    )
    with serving(settings) as running:
        yield running


@pytest.fixture(scope="session")
def shared(tmp_path_factory, collections_folder, people):
    folder = tmp_path_factory.mktemp("shared")
    shutil.copy(people[1], folder / "keys.json")
    settings = ServerSettings(
        port=0,
        folder=folder,
        places=places_in(folder),
        collections_folder=collections_folder,
        wrong_keys=1_000_000,
    )
    with serving(settings) as running:
        yield running


@pytest.fixture
def admin(people):
    return people[0].admin


@pytest.fixture
def anna(people):
    return people[0].anna


@pytest.fixture
def bob(people):
    return people[0].bob


@pytest.fixture(scope="session")
def run_server():
    return serving
