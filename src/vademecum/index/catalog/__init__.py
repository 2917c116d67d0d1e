"""The catalog of sources: which there are, of what type, what changed of them, and changing them."""
