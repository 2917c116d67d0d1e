"""Version numbers of the rules that indexes are built by. Increase one when its rule changes; every index is then rebuilt."""

from vademecum.text.words import WORDS_VERSION

PASSAGES = 3
"""How documents are divided: `passages.py`."""

MEANING = 5
"""Which texts of a document are embedded: `meaning.py`."""

NEEDS = 1
"""How needs are matched with passages: `needs.py`."""

DOCUMENTS = 5
"""How running text is weighted, and which passages define a thing: `methods.py`, `definitions.py`."""

NAME = f"passages-{PASSAGES} words-{WORDS_VERSION} meaning-{MEANING} needs-{NEEDS}"
"""The identifier of all rules, which is stored in every index."""
