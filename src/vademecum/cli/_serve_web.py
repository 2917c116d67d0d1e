"""`vademecum serve`, `vademecum mcp` and `vademecum keys`: the web server, the MCP server, and API keys."""

import argparse
import json
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vademecum.core.errors import ConfigError
from vademecum.text.printable import printable

if TYPE_CHECKING:
    from vademecum.server.guard.keys import Key, Keys
    from vademecum.server.settings import ServerSettings


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the commands."""
    about = "answer over HTTP: /ask, chat, collections, and OpenAI's and MCP's protocols"
    serve = commands.add_parser("serve", help=about, description=f"{about[0].upper()}{about[1:]}.")
    serve.add_argument(
        "--host", default="127.0.0.1", metavar="ADDRESS", help="another than %(default)s needs API keys"
    )
    serve.add_argument("--port", type=int, default=8765, metavar="N", help="0 for a free one (%(default)s)")
    serve.add_argument(
        "--workers", type=int, default=1, metavar="N", help="processes that answer (%(default)s)"
    )
    serve.add_argument(
        "--unix-socket",
        action="store_true",
        help="also answer ragman and ragadmin on their Unix socket, as ragadmin serve does",
    )
    serve.add_argument(
        "--allow-host",
        action="append",
        default=[],
        dest="allowed_hosts",
        metavar="NAME",
        help="a name by which browsers may call the server; may be given again",
    )
    serve.add_argument(
        "--allow-origin",
        action="append",
        default=[],
        dest="allowed_origins",
        metavar="URL",
        help="a web site whose pages may ask; may be given again",
    )
    serve.add_argument(
        "--share",
        action="append",
        default=[],
        dest="shared",
        metavar="ALIAS",
        help="a source on this machine that every key may ask, besides its manuals; may be given again",
    )
    serve.add_argument("--chat", type=Path, dest="chat_file", metavar="FILE", help="the chat desk's rules")
    serve.set_defaults(run=_serve)

    about = "offer search, ask and the like to the program that starts this one (MCP over standard input and output)"
    mcp = commands.add_parser("mcp", help=about, description=f"{about[0].upper()}{about[1:]}.")
    mcp.set_defaults(run=_mcp)

    keys = commands.add_parser("keys", help="who may call the server", description="Who may call the server.")
    own = keys.add_subparsers(required=True, metavar="COMMAND")
    add = own.add_parser("add", help="make a key, and print it this once")
    add.add_argument("name", metavar="NAME", help="whose it is, or what it is for")
    add.add_argument("--admin", action="store_true", help="one that sees and changes everything")
    add.add_argument(
        "--per-minute", type=int, default=600, metavar="N", help="requests a minute (%(default)s)"
    )
    add.add_argument("--json", action="store_true", help="one JSON object instead of text")
    add.set_defaults(run=_add)
    shown = own.add_parser("list", help="list the keys, without what opens")
    shown.add_argument("--json", action="store_true", help="one JSON object instead of text")
    shown.set_defaults(run=_list)
    remove = own.add_parser("remove", help="take a key away; it is refused at once")
    remove.add_argument("key", metavar="KEY", help="its name or its id")
    remove.set_defaults(run=_remove)


def _serve(arguments: argparse.Namespace) -> int:
    from vademecum.server.settings import ServerSettings  # noqa: PLC0415 - other commands need no server

    try:
        from vademecum.server.listen.run import run  # noqa: PLC0415 - the same
    except ModuleNotFoundError as error:
        raise _not_installed(error, "server") from error
    settings = _settings(ServerSettings, arguments)

    def ready(where: str) -> None:
        print(f"Listening on {where}, its API is described at {where}/docs", flush=True)

    run(settings, ready)
    print("Stopped", flush=True)
    return 0


def _settings(kind: "type[ServerSettings]", arguments: argparse.Namespace) -> "ServerSettings":
    said: dict[str, Any] = {}
    for field in fields(kind):
        if hasattr(arguments, field.name):
            value = getattr(arguments, field.name)
            said[field.name] = tuple(value) if isinstance(value, list) else value
    return kind(**said)


def _mcp(_arguments: argparse.Namespace) -> int:
    import asyncio  # noqa: PLC0415 - other commands need none of it

    try:
        from vademecum.server.mcp import here, serve_stdio  # noqa: PLC0415 - the same
    except ModuleNotFoundError as error:
        raise _not_installed(error, "mcp") from error
    asyncio.run(serve_stdio(here()))
    return 0


def _add(arguments: argparse.Namespace) -> int:
    key, token = _keys().add(
        arguments.name, role="admin" if arguments.admin else "user", per_minute=arguments.per_minute
    )
    if arguments.json:
        print(json.dumps({"key": token, **_shown(key)}))
    else:
        print(token)
        print(f"This is the key of {key.name} ({key.role}). It is shown this once, and kept nowhere.")
    return 0


def _list(arguments: argparse.Namespace) -> int:
    keys = _keys().list()
    if arguments.json:
        print(json.dumps({"keys": [_shown(key) for key in keys]}))
    elif not keys:
        print("There are no keys: the server answers this machine alone.")
    else:
        for key in keys:
            print(
                f"{key.id}  {key.role:5}  {key.per_minute:>7,} a minute  {key.created}  {printable(key.name)}"
            )
    return 0


def _remove(arguments: argparse.Namespace) -> int:
    key = _keys().remove(arguments.key)
    print(f"Removed the key of {printable(key.name)} ({key.id})")
    return 0


def _shown(key: "Key") -> dict[str, str | int]:
    return {name: value for name, value in key._asdict().items() if name != "hash"}


def _keys() -> "Keys":
    from vademecum.server.guard.keys import Keys  # noqa: PLC0415 - other commands need none
    from vademecum.server.settings import server_folder  # noqa: PLC0415 - the same

    return Keys(server_folder() / "keys.json")


def _not_installed(error: ModuleNotFoundError, extra: str) -> ConfigError:
    message = f"This needs {error.name}, which is not installed."
    return ConfigError(message, hint=f"Install it with: pip install 'vademecum[{extra}]'")
