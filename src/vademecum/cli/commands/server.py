"""`vademecum serve`, `vademecum mcp` and `vademecum keys`: the web server, the MCP server, and API keys."""

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from vademecum.cli._command import Options
from vademecum.cli._output import print_result
from vademecum.core.errors import ConfigError
from vademecum.text.printable import printable

if TYPE_CHECKING:
    from vademecum.server.guard.keys import Key, Keys


def serve(arguments: Options) -> int:
    """Run the web server: the web page, /ask, chat, collections, and the protocols of OpenAI and MCP; return the exit code."""
    from vademecum.server.settings import ServerSettings  # noqa: PLC0415 - other commands need no server

    try:
        from vademecum.server.run import run  # noqa: PLC0415 - the same
    except ModuleNotFoundError as error:
        raise _not_installed(error, "server") from error
    given: dict[str, Any] = {
        field.name: tuple(value) if isinstance(value, list) else value
        for field in fields(ServerSettings)
        if (value := getattr(arguments, field.name, None)) is not None
    }
    settings = ServerSettings(**given)

    def ready(where: str) -> None:
        print(f"Listening on {where} (API documentation: {where}/docs)", flush=True)

    run(settings, ready)
    print("Stopped", flush=True)
    return 0


def mcp(_arguments: Options) -> int:
    """Run an MCP server on standard input and output; return the exit code."""
    import asyncio  # noqa: PLC0415 - other commands need none of it

    try:
        from vademecum.server.mcp import here, serve_stdio  # noqa: PLC0415 - the same
    except ModuleNotFoundError as error:
        raise _not_installed(error, "mcp") from error
    asyncio.run(serve_stdio(here()))
    return 0


def add_key(arguments: Options) -> int:
    """Create an API key, and print it once; return the exit code."""
    key, token = _keys().add(
        arguments.name,
        role="admin" if arguments.admin else "widget" if arguments.widget else "user",
        per_minute=arguments.per_minute,
        origins=arguments.widget,
        per_day=arguments.per_day,
    )
    said = f"This is the key of {key.name} ({key.role}). It is shown only once and not stored."
    print_result({"key": token, **_shown(key)}, [token, said], as_json=arguments.json)
    return 0


def list_keys(arguments: Options) -> int:
    """List the API keys; secrets are never shown; return the exit code."""
    keys = _keys().list()
    lines = [
        f"{key.id}  {key.role:6}  {key.per_minute:>7,} a minute  {key.created}  {printable(key.name)}"
        for key in keys
    ]
    nothing = "No API keys. The server accepts requests only from this machine."
    print_result({"keys": [_shown(key) for key in keys]}, lines or nothing, as_json=arguments.json)
    return 0


def remove_key(arguments: Options) -> int:
    """Remove an API key, which is rejected immediately; return the exit code."""
    key = _keys().remove(arguments.key)
    print(f"Removed the key of {printable(key.name)} ({key.id})")
    return 0


def _shown(key: "Key") -> dict[str, object]:
    hidden = {"hash"} if key.origins else {"hash", "origins", "per_day"}
    return {name: value for name, value in key._asdict().items() if name not in hidden}


def _keys() -> "Keys":
    from vademecum.server.guard.keys import Keys  # noqa: PLC0415 - other commands need none
    from vademecum.server.settings import server_folder  # noqa: PLC0415 - the same

    return Keys(server_folder() / "keys.json")


def _not_installed(error: ModuleNotFoundError, extra: str) -> ConfigError:
    message = f"This needs {error.name}, which is not installed."
    return ConfigError(message, hint=f"Install it with: pip install 'vademecum[{extra}]'")
