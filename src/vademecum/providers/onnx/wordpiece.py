"""The WordPiece tokenizer of BERT's uncased models (Wu et al. 2016; Devlin et al. 2019).

A text becomes words (lower case, without accents, marks and Chinese characters apart), a word the longest pieces
of it that the vocabulary has. The vocabulary, in `vocabulary.z`, is that of `bert-base-uncased`, which Google
publishes under the Apache License 2.0, as it is used by all-MiniLM-L6-v2.
"""

import re
import unicodedata
import zlib
from functools import lru_cache
from pathlib import Path

from vademecum.core.errors import ProviderError

VOCABULARY = Path(__file__).with_name("vocabulary.z")
"""One piece a line, in the order of their numbers; those that go on a word begin with `##`."""

REINSTALL = "Install the package again."

_LONGEST_WORD = 100
"""Characters; a longer word is unknown."""

_CHINESE = re.compile(
    "[\u4e00-\u9fff\u3400-\u4dbf\U00020000-\U0002a6df\U0002a700-\U0002b73f"
    "\U0002b740-\U0002b81f\U0002b920-\U0002ceaf\uf900-\ufaff\U0002f800-\U0002fa1f]"
)
_ASCII_MARKS = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_DROPPED = frozenset({"Cc", "Cf", "Co", "Cs"})


class WordPiece:
    """Turns text into numbers of pieces."""

    def __init__(self, path: Path = VOCABULARY) -> None:
        try:
            pieces = zlib.decompress(path.read_bytes()).decode().splitlines()
            numbers = {piece: number for number, piece in enumerate(pieces)}
            self._start, self._end, self._unknown = (numbers[one] for one in ("[CLS]", "[SEP]", "[UNK]"))
        except (OSError, zlib.error, UnicodeDecodeError, KeyError) as error:
            raise ProviderError(f"The vocabulary {path} cannot be read: {error}", hint=REINSTALL) from error
        self._numbers = numbers

    def encode(self, text: str, longest: int) -> list[int]:
        """The numbers of a text's pieces between a start and an end mark, at most `longest` with these."""
        found: list[int] = []
        for word in words(text):
            found += self._pieces(word)
            if len(found) >= longest - 2:
                break
        return [self._start, *found[: longest - 2], self._end]

    @lru_cache(maxsize=50_000)  # noqa: B019 - a vocabulary lives as long as its process
    def _pieces(self, word: str) -> tuple[int, ...]:
        """The longest pieces from the left on; a word that cannot be made of pieces is unknown as a whole."""
        if len(word) > _LONGEST_WORD:
            return (self._unknown,)
        found: list[int] = []
        start = 0
        while start < len(word):
            prefix = "##" if start else ""
            for end in range(len(word), start, -1):
                number = self._numbers.get(prefix + word[start:end])
                if number is not None:
                    found.append(number)
                    start = end
                    break
            else:
                return (self._unknown,)
        return tuple(found)


def words(text: str) -> list[str]:
    """The words and marks of a text, in lower case and without accents."""
    if not text.isascii():
        text = _CHINESE.sub(lambda found: f" {found[0]} ", "".join(map(_cleaned, text)))
        split = unicodedata.normalize("NFD", text)
        text = "".join(one.lower() for one in split if unicodedata.category(one) != "Mn")
    elif not text.isprintable():
        text = "".join(map(_cleaned, text)).lower()
    else:
        text = text.lower()
    return [word for part in text.split() for word in _parted(part)]


def _cleaned(character: str) -> str:
    """White space as a blank; nothing for what cannot be seen."""
    if character in "\t\n\r" or unicodedata.category(character) == "Zs":
        return " "
    return "" if character == "\ufffd" or unicodedata.category(character) in _DROPPED else character


def _parted(part: str) -> list[str]:
    """A part between blanks, at its marks; each mark is a word."""
    found: list[str] = []
    start = 0
    for position, character in enumerate(part):
        if character in _ASCII_MARKS or (character > "\x7f" and unicodedata.category(character)[0] == "P"):
            if start < position:
                found.append(part[start:position])
            found.append(character)
            start = position + 1
    if start < len(part):
        found.append(part[start:])
    return found
