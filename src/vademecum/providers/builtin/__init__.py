"""The built-in embedder: a static table of word vectors; no tokenizer, no model to run, nothing to download."""

from vademecum.providers.builtin.embedder import WordTable, english_table, word_table, words_near

__all__ = ["WordTable", "english_table", "word_table", "words_near"]
