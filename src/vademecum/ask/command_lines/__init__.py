"""Command lines by the pages of their commands: explained part by part, or put together for a task."""
