"""Ordinary English words, from the built-in word table."""

from functools import cache

from vademecum.text.words import STOP_WORDS, terms


@cache
def is_english(word: str) -> bool:
    """Return whether a word, in whatever form, is one of everyday English."""
    if word in STOP_WORDS:
        return True
    from vademecum.providers.builtin import english_table  # noqa: PLC0415 - few requests have a word that nobody knows

    if not (word.isalpha() and word.isascii()):
        return False
    stem = word.removesuffix("able")
    forms = [word] if stem == word else [word, stem, f"{stem}e"]
    return any(all(map(english_table().knows, terms(form))) for form in forms)
