"""Command lines: explain one part by part, or compose one for a task, using the manual pages of its commands."""
