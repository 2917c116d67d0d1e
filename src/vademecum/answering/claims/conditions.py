"""Detect claims that hold in more cases than the text says: `whether or not` where the text has a condition."""

import re
from collections.abc import Iterable, Sequence

from vademecum.answering.claims.lexicon import WIDENING
from vademecum.answering.claims.words import Word

_WIDENING = re.compile(rf"\b(?:{'|'.join(map(re.escape, WIDENING))})\b")


def is_widened(claim: Sequence[Word], said: Iterable[Sequence[Word]]) -> bool:
    """Return whether a claim says that something holds in any case, and the text does not.

    Args:
        claim: The words of the claim.
        said: The words of each sentence that supports it.
    """
    return _widens(claim) and not any(map(_widens, said))


def _widens(words: Sequence[Word]) -> bool:
    return _WIDENING.search(" ".join(word.text.lower() for word in words)) is not None
