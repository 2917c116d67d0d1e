"""Version numbers of the rules that indexes are built by. Increase one when its rule changes; every index is then rebuilt."""

from vademecum.text.words import WORDS_VERSION

PASSAGES = 3
"""How documents are cut: `passages.py`."""

MEANING = 5
"""What of a document is embedded: `meaning.py`."""

NEEDS = 1
"""How a need finds the passages that meet it: `needs.py`."""

DOCUMENTS = 5
"""How running text is weighed, and which passages define a thing, as well as these: `methods.py`, `definitions.py`."""

NAME = f"passages-{PASSAGES} words-{WORDS_VERSION} meaning-{MEANING} needs-{NEEDS}"
"""What an index of any kind is made by, as it remembers it."""
