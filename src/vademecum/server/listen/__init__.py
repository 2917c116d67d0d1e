"""Listening: sockets, connections, worker processes, and running the server."""
