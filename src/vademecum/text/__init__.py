"""Text as words, terms and places; knows nothing of documents."""
