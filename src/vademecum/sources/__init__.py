"""Places documents come from: each reads one format and hands over `Document`s."""
