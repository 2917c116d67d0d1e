"""Contract tests and in-memory implementations for people who write a store, provider or source."""

from vademecum.testing.memory import MemorySource, document
from vademecum.testing.scripted import ScriptedServer, answer, stream
from vademecum.testing.sources import broken_promises

__all__ = ["MemorySource", "ScriptedServer", "answer", "broken_promises", "document", "stream"]
