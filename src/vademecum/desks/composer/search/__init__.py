"""Find templates for a request by their capabilities and similarity."""
