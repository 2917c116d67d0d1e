"""The built-in embedder: a static table of word vectors, with no tokenizer, model or download."""

from vademecum.providers.builtin.embedder import WordTable, english_table, task_table, word_table, words_near

__all__ = ["WordTable", "english_table", "task_table", "word_table", "words_near"]
