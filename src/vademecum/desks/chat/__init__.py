"""The chat desk: conversations with collections, routed by the rules of a configuration file."""
