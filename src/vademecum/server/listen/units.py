"""The systemd units of the service: a socket, a service that starts on demand, and a reindex when sources change."""

import os
from collections.abc import Iterable

from vademecum.files.places import Places

SOCKET, SERVICE = "ragcli.socket", "ragcli.service"
PATHS, REINDEX = "ragcli-reindex.path", "ragcli-reindex.service"

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

_PATHS_TEXT = """\
# Written by: ragadmin service install --reindex
[Unit]
Description=Reindex when the folders of the sources change

[Path]
{paths}Unit={reindex_unit}

[Install]
WantedBy=default.target
"""

_REINDEX_TEXT = """\
# Written by: ragadmin service install --reindex
[Unit]
Description=Update the index of ragman

[Service]
Type=oneshot
# Package managers change folders many times in a row.
ExecStartPre=/bin/sleep 30
ExecStart={command}
# 3 is a success with warnings, for example about a page that cannot be read.
SuccessExitStatus=3
{environment}UMask=0077
Nice=19
IOSchedulingClass=idle
NoNewPrivileges=yes
"""


def reindex_units(places: Places, python: str, folders: Iterable[str]) -> dict[str, str]:
    """Return the units that reindex when folders change, by file name."""
    command = [python, "-m", "vademecum.cli.ragadmin", "reindex"]
    return {
        PATHS: _PATHS_TEXT.format(
            paths="".join(f"PathChanged={_escaped(folder)}\n" for folder in folders if _is_plain(folder)),
            reindex_unit=REINDEX,
        ),
        REINDEX: _REINDEX_TEXT.format(command=_command(command), environment=_environment(places)),
    }


def units(places: Places, python: str, socket: str, idle_timeout_s: int) -> dict[str, str]:
    """Return the units by file name."""
    command = [python, "-m", "vademecum.cli.ragadmin", "serve", "--idle-timeout", str(idle_timeout_s)]
    return {
        SOCKET: _SOCKET_TEXT.format(socket=_escaped(socket)),
        SERVICE: _SERVICE_TEXT.format(
            socket_unit=SOCKET,
            command=_command(command),
            environment=_environment(places),
            data=_quoted(f"-{places.data}"),
            config=_quoted(f"-{places.config}"),
        ),
    }


def _command(words: Iterable[str]) -> str:
    return " ".join(_quoted(word).replace("$", "$$") for word in words)


def _environment(places: Places) -> str:
    kept = {
        "XDG_DATA_HOME": os.fspath(places.data.parent),
        "XDG_CONFIG_HOME": os.fspath(places.config.parent),
    }
    return "".join(f"Environment={_quoted(f'{name}={value}')}\n" for name, value in kept.items())


def _is_plain(path: str) -> bool:
    """Return whether a path can be written into a unit: on one line, which a backslash at its end would continue."""
    return path.isprintable() and not path.endswith("\\")


def _escaped(text: str) -> str:
    """Return a value in which `%` has no special meaning."""
    return text.replace("%", "%%")


def _quoted(word: str) -> str:
    """Return a word of a list, quoted if necessary (systemd.syntax(7))."""
    escaped = _escaped(word)
    if all(character.isalnum() or character in "/._-=:+,@%" for character in escaped):
        return escaped
    return '"' + escaped.replace("\\", "\\\\").replace('"', '\\"') + '"'
