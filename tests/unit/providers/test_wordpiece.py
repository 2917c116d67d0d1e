"""WordPiece, against the library that its makers use."""

import unicodedata
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from vademecum.core.errors import ProviderError
from vademecum.providers.onnx.wordpiece import VOCABULARY, WordPiece

PIECES = zlib.decompress(VOCABULARY.read_bytes()).decode().splitlines()
NUMBERS = {piece: number for number, piece in enumerate(PIECES)}
START, END, UNKNOWN = NUMBERS["[CLS]"], NUMBERS["[SEP]"], NUMBERS["[UNK]"]
LONGEST = 128

# The library's own tables are of an old Unicode: newer characters count for it as nothing in particular.
KNOWN = st.characters(exclude_categories=["Cs"]).filter(
    lambda one: unicodedata.ucd_3_2_0.category(one) == unicodedata.category(one)
)
LATIN = st.characters(max_codepoint=0x24F)


@pytest.fixture(scope="module")
def wordpiece():
    return WordPiece()


@pytest.fixture(scope="module")
def oracle():
    made = Tokenizer(models.WordPiece(NUMBERS, unk_token=PIECES[UNKNOWN], max_input_chars_per_word=100))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return made


def same(wordpiece, oracle, text):
    expected = oracle.encode(text, add_special_tokens=False).ids[: LONGEST - 2]
    assert wordpiece.encode(text, LONGEST) == [START, *expected, END]


def test_the_vocabulary_is_whole():
    assert len(PIECES) == len(NUMBERS) == 30_522
    assert (NUMBERS["[PAD]"], UNKNOWN, START, END, NUMBERS["the"]) == (0, 100, 101, 102, 1996)


@pytest.mark.oracle
@pytest.mark.parametrize(
    "text",
    [
        "How do I make a file read-only?",
        "chmod(1): change file mode bits",
        "tar --exclude='*.o' -czf /tmp/a.tgz .",
        "ÀÉÎÕÜ naïve Ça",
        "ΟΔΟΣ Σ ὀδούς",
        "İstanbul ßtraße",
        "日本語 のテスト",
        "한국어",
        "a\tb\nc\rd\x0be\x0cf\x1cg\x85h\u2028i\u00a0j\u3000k",
        "soft\u00adhyphen zero\u200bwidth bom\ufeff \ufffd \x00",
        "“quotes” — dashes… ‘single’ ¿qué? $5 + 3 = 8 ^ `x`",
        "[CLS] [SEP] [UNK] ##ing",
        "",
        "   ",
        "x" * 100,
        "x" * 101,
        "word " * 300,
        "unbelievable" * 20,
    ],
)
def test_it_reads_as_the_library_does(wordpiece, oracle, text):
    same(wordpiece, oracle, text)


@pytest.mark.oracle
@given(st.text(KNOWN, max_size=60))
def test_it_reads_any_characters_as_the_library_does(wordpiece, oracle, text):
    same(wordpiece, oracle, text)


@pytest.mark.oracle
@given(st.text(LATIN, max_size=200))
def test_it_reads_latin_text_as_the_library_does(wordpiece, oracle, text):
    same(wordpiece, oracle, text)


@given(st.text(max_size=300), st.integers(3, 40))
def test_it_is_never_longer_than_asked(wordpiece, text, longest):
    found = wordpiece.encode(text, longest)
    assert (found[0], found[-1]) == (START, END)
    assert len(found) <= longest
    assert found[:-1] == wordpiece.encode(text, 10_000)[: len(found) - 1]


def test_leaves_out_half_characters(wordpiece):
    assert wordpiece.encode("file\ud800 mode", LONGEST) == wordpiece.encode("file mode", LONGEST)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no zlib",
        zlib.compress(b"\xff\xfe"),
        zlib.compress(b"the\nof\n"),
        VOCABULARY.read_bytes()[:5000],
        None,
    ],
)
def test_names_a_damaged_or_missing_vocabulary(tmp_path, content):
    path = tmp_path / "vocabulary.z"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ProviderError, match=r"vocabulary\.z") as caught:
        WordPiece(path)
    assert caught.value.hint
