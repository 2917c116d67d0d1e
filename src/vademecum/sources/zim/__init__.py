"""ZIM archives (Kiwix): each article becomes one document."""

from vademecum.sources.zim.metadata import Metadata
from vademecum.sources.zim.source import ZimSource

__all__ = ["Metadata", "ZimSource"]
