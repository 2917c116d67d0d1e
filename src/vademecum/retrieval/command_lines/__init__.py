"""What a shell command line is made of: its words, the options that a page declares, questions about one, and the line to type."""
