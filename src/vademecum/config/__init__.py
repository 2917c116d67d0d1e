"""The configuration file: its schema, its values, and how it is written."""
