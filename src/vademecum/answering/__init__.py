"""From evidence to an answer: extract, verify, render."""
