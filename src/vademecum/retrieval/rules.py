"""The rules that an index is made by. A changed rule gets a new number, and makes every index build anew."""

PASSAGES = 2
"""How documents are cut: `passages.py`."""

WORDS = 4
"""What counts as a term, and how fields are weighed: `words.py`, `lexical.py`."""

MEANING = 3
"""What of a document is embedded: `meaning.py`."""

NAME = f"passages-{PASSAGES} words-{WORDS} meaning-{MEANING}"
"""All of them, as an index remembers them."""
