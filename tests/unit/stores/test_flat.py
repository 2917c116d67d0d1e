"""The flat files give back what they were given."""

from array import array
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.core.documents import Block
from vademecum.core.errors import IndexCorrupt
from vademecum.core.passages import Encoded, Entry, MetNeed, Passage, TermSteps
from vademecum.stores.flat import Counts, FlatReader, FlatWriter, Groups, link_hashes, name_hash
from vademecum.stores.flat.tables import Names

characters = st.one_of(
    st.sampled_from("ab -é漢😀\x00\x1c\x1d\x1e\x1f\n012"), st.characters(exclude_categories=["Cs"])
)
field = st.text(characters, max_size=12)
numbers = st.integers(0, (1 << 32) - 1)
needs = st.builds(MetNeed, field, st.lists(st.integers(0, 9), max_size=3).map(tuple), field)


of_block = st.builds(
    lambda kind, start, tag, length, level, anchor: Block(
        kind, start, start + tag + length, level, " ".join(anchor.split()), start + tag
    ),
    st.sampled_from(["heading", "paragraph", "item", "code", "table"]),
    st.integers(0, 99), st.integers(0, 9), st.integers(1, 99), st.integers(0, 9), field,
)  # fmt: skip


@st.composite
def entries(draw):
    text = draw(st.text(characters, max_size=60))
    passages = []
    for _ in range(draw(st.integers(0, 5)) if text else 0):
        start = draw(st.integers(0, len(text) - 1))
        end = draw(st.integers(start + 1, len(text)))
        tag_end = draw(st.integers(start, end))
        blocks = tuple(draw(st.lists(of_block, max_size=3)))
        passages.append(
            Passage(draw(st.integers(0, 2)), start, end, tag_end, draw(field), draw(field), blocks)
        )
    return Entry(
        key=draw(field),
        fingerprint=draw(field),
        digest=draw(st.binary(min_size=32, max_size=32)).hex(),
        reference=draw(field),
        title=draw(field),
        summary=draw(field),
        names=tuple(draw(st.lists(field, max_size=4))),
        links=tuple(draw(st.lists(field, max_size=4))),
        text=text,
        passages=tuple(passages),
        needs=tuple(draw(st.lists(needs, max_size=3))),
    )


def encoded(entry, windows=(), share=64):
    terms = set().union(*windows)
    page = TermSteps(sorted(terms), [1] * len(terms))
    passages = tuple(page for _ in entry.passages)
    return Encoded(
        page=page,
        passages=passages,
        needs=(),
        windows=windows,
        share=share,
        weight=share * max(1, len(windows)),
    )


def written(folder, found):
    writer = FlatWriter(Path(folder))
    for entry in found:
        writer.add(entry, encoded(entry))
    writer.commit()


@given(st.lists(entries(), max_size=5))
def test_entries_come_back(found):
    with TemporaryDirectory() as folder:
        written(folder, found)
        reader = FlatReader(Path(folder))
        assert len(reader) == len(found)
        assert [reader.entry(number) for number in range(len(found))] == found
        carried = 0
        for number, entry in enumerate(found):
            record = reader.document(number)
            for position, passage in enumerate(entry.passages):
                stored = reader.passage(record.first_passage + position)
                assert stored.document == number
                assert reader.words(record, stored) == entry.text[passage.start : passage.end]
                assert record.first_passage + position in list(reader.occurrences[stored.text])
                carried += 1
        assert sum(len(reader.occurrences[text]) for text in range(len(reader.occurrences))) == carried
        assert len(list(reader.keys())) == len(reader.occurrences)


def one(text="same words", **changes):
    passages = changes.pop("passages", (Passage(0, 0, len(text), 0, "H", ""),))
    plain = {
        "key": "k",
        "fingerprint": "f",
        "digest": "00" * 32,
        "reference": "r(1)",
        "title": "",
        "summary": "",
        "names": ("r(1)",),
        "links": (),
    }
    return Entry(**(plain | changes), text=text, passages=passages)


def test_a_text_that_documents_share_has_one_number(tmp_path):
    written(tmp_path, [one(), one(reference="s(1)"), one("other words")])
    reader = FlatReader(tmp_path)
    assert len(reader.occurrences) == 2
    assert [list(reader.occurrences[text]) for text in range(2)] == [[0, 1], [2]]
    assert list(reader.occurrences.shared()) == [0]


@pytest.mark.parametrize(
    "other", [Passage(1, 0, 10, 0, "H", ""), Passage(0, 0, 10, 0, "J", ""), Passage(1, 0, 10, 4, "H", "")]
)
def test_a_text_whose_vector_differs_is_another_text(tmp_path, other):
    passages = (Passage(0, 0, 10, 0, "H", ""), Passage(1, 0, 10, 2, "H", ""), other)
    written(tmp_path, [one(passages=passages)])
    assert len(FlatReader(tmp_path).occurrences) == 3


def test_keys_are_the_same_in_every_segment(tmp_path):
    for name, found in (("a", [one("alone"), one()]), ("b", [one()])):
        (tmp_path / name).mkdir()
        written(tmp_path / name, found)
    assert list(FlatReader(tmp_path / "a").keys())[1:] == list(FlatReader(tmp_path / "b").keys())


@pytest.mark.parametrize("long", ["h" * 65_536, "é" * 65_535, "漢" * 100_000])
def test_a_huge_heading_or_anchor_comes_back(tmp_path, long):
    entry = one(passages=(Passage(0, 0, 4, 0, long, long[1:]), Passage(0, 0, 4, 0, long[:-1] + "x", "")))
    written(tmp_path, [entry])
    assert FlatReader(tmp_path).entry(0) == entry


def test_a_key_that_is_no_unicode_comes_back(tmp_path):
    entry = one(key=b"man1/caf\xe9.1".decode("utf-8", "surrogateescape"))
    written(tmp_path, [entry])
    assert FlatReader(tmp_path).entry(0) == entry


def test_documents_are_looked_up_by_name_whatever_its_case(tmp_path):
    written(tmp_path, [one(names=("Open(2)", "creat(2)")), one(names=("open(3perl)",))])
    names = FlatReader(tmp_path).names
    assert names.get(name_hash("open")) == [0, 1]
    assert names.get(name_hash("OPEN(2)")) == [0]
    assert names.get(name_hash("creat")) == [0]
    assert names.get(name_hash("close")) == []


def test_a_document_of_more_windows_than_16_bits_count_keeps_its_weight(tmp_path):
    """A whole manual in one page: its weight is windows times 64."""
    heaviest = (1 << 32) - 1
    writer = FlatWriter(tmp_path)
    writer.add(one(), encoded(one(), ({3},), share=heaviest))
    writer.commit()
    reader = FlatReader(tmp_path)
    assert reader.document(0).weight == heaviest
    assert dict(reader.terms().items()) == {3: heaviest}


def test_names_with_one_hash_are_all_found(tmp_path):
    assert name_hash("plumless") == name_hash("buckeroo"), "the best-known collision of CRC-32"
    written(tmp_path, [one(names=("plumless(1)",)), one(names=("buckeroo(1)",))])
    assert FlatReader(tmp_path).names.get(name_hash("plumless")) == [0, 1]


def test_terms_and_links_are_summed(tmp_path):
    writer = FlatWriter(tmp_path)
    writer.add(one(links=("a(1)", "b(1)", "A(1)")), encoded(one(), ({3, 7}, {7}, set(), set(), {7})))
    writer.add(one(links=("a(1)",)), encoded(one(), ({7},), share=32))
    writer.commit()
    reader = FlatReader(tmp_path)
    assert dict(reader.terms().items()) == {3: 64, 7: 3 * 64 + 32}
    assert [reader.document(number).weight for number in range(2)] == [5 * 64, 32]
    assert dict(reader.links().items()) == {name_hash("a(1)"): 2, name_hash("b(1)"): 1}
    assert len(link_hashes(["a(1)", "A(1)"])) == 1


@given(st.dictionaries(numbers, numbers), st.lists(numbers))
def test_counts(found, others):
    with TemporaryDirectory() as folder:
        Counts.write(Path(folder, "t"), found)
        table = Counts(Path(folder, "t"))
        assert list(table.items()) == sorted(found.items())
        for key in (*found, *others):
            assert table.get(key) == found.get(key, 0)


@given(st.lists(st.lists(numbers, max_size=5)))
def test_groups(found):
    with TemporaryDirectory() as folder:
        Groups.write(Path(folder, "t"), [array("I", group) for group in found])
        table = Groups(Path(folder, "t"))
        assert [list(table[key]) for key in range(len(table))] == found
        assert list(table.shared()) == [key for key, group in enumerate(found) if len(group) > 1]


@given(st.lists(st.tuples(st.integers(0, 3), numbers)))
def test_names(pairs):
    with TemporaryDirectory() as folder:
        Names.write(Path(folder, "t"), pairs)
        table = Names(Path(folder, "t"))
        for name in range(5):
            assert table.get(name) == sorted(document for one_name, document in pairs if one_name == name)


@pytest.mark.parametrize("table", [Counts, Groups, Names])
def test_an_empty_table_has_nothing(tmp_path, table):
    (tmp_path / "t").touch()
    if table is Groups:
        assert len(Groups(tmp_path / "t")) == 0
    elif table is Counts:
        assert Counts(tmp_path / "t").get(1) == 0
    else:
        assert Names(tmp_path / "t").get(1) == []


@pytest.mark.parametrize("name", ["texts", "strings", "labels", "documents", "passages"])
def test_a_file_that_ends_early_is_said_to_be_damaged(tmp_path, name):
    written(tmp_path, [one()])
    file = tmp_path / f"{name}.bin"
    file.write_bytes(file.read_bytes()[:1])
    with pytest.raises(IndexCorrupt) as caught:
        FlatReader(tmp_path).entry(0)
    assert "--full" in caught.value.hint


@pytest.mark.parametrize("name", ["texts", "strings", "labels"])
def test_bytes_that_are_no_text_are_said_to_be_damage(tmp_path, name):
    written(tmp_path, [one()])
    file = tmp_path / f"{name}.bin"
    file.write_bytes(file.read_bytes()[:-1] + b"\xff")
    with pytest.raises(IndexCorrupt):
        FlatReader(tmp_path).entry(0)


def test_a_document_is_found_by_its_digest(tmp_path):
    written(tmp_path, [one(digest="ab" * 32), one(digest="cd" * 32, text="other words")])
    names = FlatReader(tmp_path).names
    assert names.get(name_hash("cd" * 32)) == [1]
    assert names.get(name_hash("ef" * 32)) == []
