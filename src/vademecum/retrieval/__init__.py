"""The method: passages, analysis, words and meaning, the second stage, answerability. Pure functions."""
