"""Does a text say what a sentence claims? Words, their likeness, and the signs that tell support from a fault."""
