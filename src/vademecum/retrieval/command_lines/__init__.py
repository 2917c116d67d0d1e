"""The parts of shell command lines: words, the options that a page documents, questions about them, and lines to type."""
