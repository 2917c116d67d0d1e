"""Which words are ordinary English: those of the built-in table of everyday words."""

from functools import cache

from vademecum.text.words import STOP_WORDS, terms


@cache
def is_english(word: str) -> bool:
    """Whether a word, in whatever form, is one of everyday English."""
    if word in STOP_WORDS:
        return True
    from vademecum.providers.builtin import english_table  # noqa: PLC0415 - few requests have a word that nobody knows

    return word.isalpha() and word.isascii() and all(map(english_table().knows, terms(word)))
