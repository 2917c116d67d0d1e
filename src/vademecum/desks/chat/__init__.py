"""The chat desk: a conversation over collections, routed by the rules of a configuration file."""
