"""Decide whether a text supports a sentence, from the words of both, their similarity, and features of support."""
