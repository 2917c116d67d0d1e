"""Packages: what the repositories of each distribution have, kept for use without a network, and what things are called where."""
