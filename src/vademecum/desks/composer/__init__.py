"""The composer desk: plain words to a valid template of an operating system's image, refined in conversation."""
