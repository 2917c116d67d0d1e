"""What a template may hold, and whether one is valid."""
