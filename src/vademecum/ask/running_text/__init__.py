"""Running text, of notes, books and archives: rated by passage, located, quoted."""
