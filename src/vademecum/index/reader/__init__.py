"""An open index: what it holds, which of its documents may be found, and their originals."""
