"""The systemd units of the service: a socket, and a service that starts on demand."""

import os

from vademecum.files.places import Places

SOCKET, SERVICE = "ragcli.socket", "ragcli.service"

_SOCKET_TEXT = """\
# Written by: ragadmin service install
[Unit]
Description=Socket of the ragman background service

[Socket]
ListenStream={socket}
SocketMode=0600
DirectoryMode=0700

[Install]
WantedBy=sockets.target
"""

_SERVICE_TEXT = """\
# Written by: ragadmin service install
[Unit]
Description=ragman background service
Requires={socket_unit}
After={socket_unit}

[Service]
Type=exec
ExecStart={command}
{environment}UMask=0077
TimeoutStopSec=30

# What it may do: read, write its own folders, run mandoc and groff, speak on its socket.
NoNewPrivileges=yes
LockPersonality=yes
MemoryDenyWriteExecute=yes
RestrictAddressFamilies=AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM

# These need user namespaces. Where the kernel refuses them the service does not start (status 226): remove them.
ProtectSystem=strict
ReadWritePaths={data} {config} -%t
PrivateTmp=yes
PrivateDevices=no
ProtectKernelTunables=yes
ProtectControlGroups=yes

[Install]
Also={socket_unit}
"""


def units(places: Places, python: str, socket: str, idle_timeout_s: int) -> dict[str, str]:
    """Return the units by file name.

    Args:
        places: The folders of the library.
        python: The path of the Python interpreter.
        socket: The path of the socket.
        idle_timeout_s: The time without requests, in seconds, after which the service stops.
    """
    command = [python, "-m", "vademecum.cli.ragadmin", "serve", "--idle-timeout", str(idle_timeout_s)]
    kept = {
        "XDG_DATA_HOME": os.fspath(places.data.parent),
        "XDG_CONFIG_HOME": os.fspath(places.config.parent),
    }
    environment = "".join(f"Environment={_quoted(f'{name}={value}')}\n" for name, value in kept.items())
    return {
        SOCKET: _SOCKET_TEXT.format(socket=_escaped(socket)),
        SERVICE: _SERVICE_TEXT.format(
            socket_unit=SOCKET,
            command=" ".join(_quoted(word).replace("$", "$$") for word in command),
            environment=environment,
            data=_quoted(f"-{places.data}"),
            config=_quoted(f"-{places.config}"),
        ),
    }


def _escaped(text: str) -> str:
    """Return a value in which `%` has no special meaning."""
    return text.replace("%", "%%")


def _quoted(word: str) -> str:
    """Return a word of a list, quoted if necessary (systemd.syntax(7))."""
    escaped = _escaped(word)
    if all(character.isalnum() or character in "/._-=:+,@%" for character in escaped):
        return escaped
    return '"' + escaped.replace("\\", "\\\\").replace('"', '\\"') + '"'
