"""Conversations about a template: turns, corrections, undo, questions and suggestions."""
