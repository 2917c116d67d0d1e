"""The catalog of sources: entries, types, change detection."""
