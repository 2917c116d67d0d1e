"""Sources: each type reads one format and yields `Document`s."""
