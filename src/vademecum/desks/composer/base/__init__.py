"""The starting point of a draft: the target, and a template or the defaults."""
