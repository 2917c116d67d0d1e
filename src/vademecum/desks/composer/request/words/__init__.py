"""The words of a request: tokens, possible meanings, spelling, and polarity."""
