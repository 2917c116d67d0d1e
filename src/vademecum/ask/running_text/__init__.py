"""Running text (notes, books, archives): rating by passage, locating, quoting."""
