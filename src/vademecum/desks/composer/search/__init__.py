"""Finding templates for a request: what templates can do, and how near each is."""
