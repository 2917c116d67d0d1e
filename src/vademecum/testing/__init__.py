"""Conformance suites and honest fakes for people who write their own store, provider or source."""

from vademecum.testing.memory import MemorySource, document
from vademecum.testing.sources import broken_promises

__all__ = ["MemorySource", "broken_promises", "document"]
