"""Short neighbouring sections become one passage; long ones, and those of other headings, stay apart."""

from itertools import pairwise

from vademecum.core.passages import ITEM, SECTION, Passage
from vademecum.retrieval.passages.joining import joined


def passages(*sections):
    """A text of sections, each given by its path of headings and its number of words, and its passages."""
    text, found = "", []
    for heading, words in sections:
        name = heading.rpartition(" > ")[2]
        text += f"{name}\n"
        start = len(text)
        text += "word " * words
        found.append(Passage(SECTION, start, len(text) - 1, start, heading, name.lower()))
        text += "\n"
    return text, found


def paths(most_words, *sections):
    return [one.heading for one in joined(*passages(*sections), most_words)]


def test_neighbours_under_one_heading_are_joined():
    text, found = passages(("Log > Use", 20), ("Log > Setting", 20), ("Log > Setting > Card", 20))
    (one,) = joined(text, found, 100)
    assert (one.heading, one.anchor) == ("Log > Use; Setting; Card", "use")
    assert text[one.start : one.end].startswith("word")
    assert "Setting\nword" in text[one.start : one.end]


def test_entries_of_lists_are_left_out():
    text, found = passages(("Log", 20))
    entry = Passage(ITEM, found[0].start, found[0].start + 4, found[0].start + 2, "Log", "")
    assert joined(text, [*found, entry], 100) == tuple(found)


def test_every_word_is_in_one_passage_only():
    text, found = passages(*((f"Log > S{n}", n % 40) for n in range(1, 60)))
    kept = joined(text, found, 100)
    assert all(one.end <= other.start for one, other in pairwise(kept))
    assert all(any(one.start <= old.start and old.end <= one.end for one in kept) for old in found)
    assert max(len(text[one.start : one.end].split()) for one in kept) <= 100


def test_long_sections_and_those_without_a_common_heading_stay_apart():
    assert paths(100, ("Log", 20), ("Log > Use", 20)) == ["Log > Use"]
    assert paths(100, ("Log > Use", 60), ("Log > Setting", 60)) == ["Log > Use", "Log > Setting"]
    assert paths(100, ("Log > Use", 20), ("Map > Use", 20)) == ["Log > Use", "Map > Use"]
    assert paths(100, ("", 20), ("Map", 20)) == ["", "Map"]
