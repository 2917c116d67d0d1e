"""An index of running text in an engine: what is written there, and how it is searched."""
