"""The configuration file: what it may say, what it says, and how it is written."""
