"""The one HTTP client: host allow-list, deadline, retries, event streams, redaction. Nothing else opens a connection."""
