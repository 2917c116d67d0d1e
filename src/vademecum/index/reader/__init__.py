"""An open index: search, scope, documents and originals."""
