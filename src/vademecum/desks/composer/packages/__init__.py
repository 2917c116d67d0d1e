"""Packages: offline lists of each distribution's repositories, and the names of software in each."""
