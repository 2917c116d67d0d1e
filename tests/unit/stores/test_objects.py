"""Objects of an engine: what servers accept, and the table of the frequencies of words."""

import pytest

from vademecum.core.engines import FIELDS, Item, Published, id_of
from vademecum.core.errors import IndexCorrupt
from vademecum.core.word_counts import buckets_for, counts_in, items_of, mark_token, number_of
from vademecum.retrieval.question.definitions import mark_of
from vademecum.stores.objects import Frequencies, batches, item_of, printable_fields, short_fields
from vademecum.text.words import number

MANIFEST = '{"owners": {"one": {"words": [3, %d]}}}'


def test_an_identifier_is_made_of_the_key_alone():
    assert id_of("notes:5f1c:3") == id_of("notes:5f1c:3") != id_of("notes:5f1c:4")


def test_fields_keep_their_length_without_what_servers_refuse():
    item = Item("passage", "a:0:0", {"chunk_text": "one\x00two\ud800three", "start": 3})
    fields = printable_fields(item, 7)
    assert fields["chunk_text"] == "one\ufffdtwo?three"
    assert (fields["added"], fields["removed"], fields["start"], fields["heading"]) == (7, 0, 3, "")
    assert fields.keys() == FIELDS["passage"].keys()


def test_an_object_is_read_as_it_was_written():
    item = Item("passage", "a:0:0", {"chunk_text": "text", "start": 3})
    found = item_of("passage", printable_fields(item, 7), "a server")
    assert (found.key, found.added, found.removed) == ("a:0:0", 7, 0)
    assert (found.text("chunk_text"), found.number("start"), found.text("heading")) == ("text", 3, "")


@pytest.mark.parametrize(
    "change", [{"start": "3"}, {"chunk_text": 3}, {"added": None}, {"key": None, "removed": "x"}]
)
def test_an_object_of_another_program_is_refused(change):
    fields = printable_fields(Item("passage", "a:0:0", {"start": 3}), 7) | change
    with pytest.raises(IndexCorrupt, match="a server"):
        item_of("passage", fields, "a server")


def test_listed_fields_are_short():
    assert "text" not in short_fields("document")
    assert {"key", "removed", "windows", "reference"} <= set(short_fields("document"))


def test_batches_are_limited_in_number_and_size():
    small = [Item("document", str(at), {"text": "x"}) for at in range(25)]
    assert [len(batch) for batch in batches(small, 10)] == [10, 10, 5]
    large = [Item("document", str(at), {"text": "x" * 5_000_000}) for at in range(3)]
    assert [len(batch) for batch in batches(large, 10)] == [2, 1]


def test_tokens_have_the_numbers_of_terms_and_marks():
    assert number_of("quartz") == number("quartz")
    assert number_of(mark_token(("quartz", "pump"))) == mark_of(("quartz", "pump"))


@pytest.mark.parametrize("size", [0, 1, 256, 257, 3000])
def test_frequencies_are_found_again(size):
    counts = {f"word{at}": at + 1 for at in range(size)}
    items = {item.key: item._replace(added=3) for item in items_of("one", 3, counts)}
    assert len(items) == buckets_for(size)
    asked = []

    def read(_kind, keys):
        asked.append(list(keys))
        return {key: items[key] for key in keys if key in items}

    frequencies = Frequencies(read)
    published = Published(3, 1, MANIFEST % buckets_for(size))
    expected = {number_of(token): (token, count) for token, count in counts.items()}
    assert frequencies.of(published) == expected
    some = [*list(expected)[:5], number_of("unknown")]
    assert frequencies.of(published, some) == {term: expected[term] for term in some if term in expected}
    asked.clear()
    frequencies.of(published, some)
    assert not asked  # they are cached


def test_a_missing_part_of_the_table_is_named():
    with pytest.raises(IndexCorrupt, match="one:words:3:0"):
        Frequencies(lambda _kind, _keys: {}).of(Published(3, 1, MANIFEST % 1))


def test_a_damaged_part_of_the_table_is_named():
    with pytest.raises(IndexCorrupt, match="one:words:3:0"):
        counts_in(Item("words", "one:words:3:0", {"counts": "word x"}))
