"""What programs print for `--help`, kept as files: one document per program."""

from vademecum.sources.help.source import HelpSource

__all__ = ["HelpSource"]
