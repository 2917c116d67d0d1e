"""Conformance suites and honest fakes for people who write their own store, provider or source."""

from vademecum.testing.memory import MemorySource, document
from vademecum.testing.scripted import ScriptedServer, answer, stream
from vademecum.testing.sources import broken_promises

__all__ = ["MemorySource", "ScriptedServer", "answer", "broken_promises", "document", "stream"]
