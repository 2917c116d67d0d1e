"""What ranking reads of a passage, once for all questions."""

from vademecum.core.candidates import PassageFacts
from vademecum.text.sentences import SPACE_BETWEEN
from vademecum.text.words import WORD, numbers


def facts_of(title: str, heading: str, words: str, position: int, of: int) -> PassageFacts:
    """The facts of a passage.

    Args:
        title: Of its document.
        heading: The path of headings it stands under.
        words: Its text.
        position: Its place among its document's passages.
        of: How many these are.
    """
    named = frozenset(numbers(WORD.findall(heading)))
    sentences = [numbers(WORD.findall(one)) for one in SPACE_BETWEEN.split(words)]
    return PassageFacts(
        terms=named.union(*sentences),
        heading=named,
        title=frozenset(numbers(WORD.findall(title))),
        sentences=tuple(frozenset(one) for one in sentences if one),
        length=sum(map(len, sentences)),
        position=position,
        of=of,
    )
