"""The model of templates, and their validation."""
