"""Asking over the Unix socket of a library that another process holds open."""
