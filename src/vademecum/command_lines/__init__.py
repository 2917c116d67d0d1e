"""Command lines: explain one part by part, find the line that does a task, and prove it, with the manual pages of its commands."""
