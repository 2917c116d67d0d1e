"""The desks' folders as strings. Importing `pathlib` takes longer than an answer from the service."""

import os


def data_folder() -> str:
    """`${XDG_DATA_HOME}/ragcli`: catalog, index, archives."""
    return f"{_base('XDG_DATA_HOME', '.local/share')}/ragcli"


def desk_folder(desk: str) -> str:
    """`${XDG_DATA_HOME}/vademecum/DESK`: the data of another desk."""
    return f"{_base('XDG_DATA_HOME', '.local/share')}/vademecum/{desk}"


def config_folder() -> str:
    """`${XDG_CONFIG_HOME}/ragcli`: the configuration file."""
    return f"{_base('XDG_CONFIG_HOME', '.config')}/ragcli"


def desk_config_folder() -> str:
    """`${XDG_CONFIG_HOME}/vademecum`: the configuration of the other desks."""
    return f"{_base('XDG_CONFIG_HOME', '.config')}/vademecum"


def unit_folder() -> str:
    """`${XDG_CONFIG_HOME}/systemd/user`: the user's systemd units."""
    return f"{_base('XDG_CONFIG_HOME', '.config')}/systemd/user"


def socket_file() -> str:
    """The socket of the background service: `${XDG_RUNTIME_DIR}/ragcli/ragcli.sock`, or a file in the data folder if the variable is not set."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    folder = f"{runtime}/ragcli" if runtime.startswith("/") else f"{data_folder()}/run"
    return f"{folder}/ragcli.sock"


def _base(variable: str, default: str) -> str:
    """Return a base directory. Relative values are ignored, as the specification requires."""
    value = os.environ.get(variable, "")
    return value if value.startswith("/") else f"{os.path.expanduser('~')}/{default}"  # noqa: PTH111 - see above
