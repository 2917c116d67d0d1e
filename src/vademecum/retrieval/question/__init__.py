"""Question analysis: terms, kind, follow-ups, spelling."""
