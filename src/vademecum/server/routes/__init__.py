"""The routes of the web server. Each parses a request, calls the library or a desk, and returns the result."""
