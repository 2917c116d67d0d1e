"""The client of the background service, which keeps a library open."""
