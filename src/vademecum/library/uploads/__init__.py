"""Uploads: files, zip archives and records become documents of a collection."""
