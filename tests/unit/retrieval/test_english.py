"""What comes with the package about English: how rare words are, what is near in meaning, what values are asked for."""

import pytest

from vademecum.core.errors import ProviderError
from vademecum.retrieval.english import English, english
from vademecum.retrieval.question.wanted import QUANTITIES, asked_by
from vademecum.text.words import number, stem


def of(word):
    return number(stem(word))


def near(word, other):
    return dict(english().similar(of(word))).get(of(other), 0.0)


@pytest.mark.parametrize("word", ["find", "see", "get", "need", "new", "time", "want"])
def test_words_that_only_ask_are_common(word):
    assert english().share(of(word)) > 10 * english().share(of("stopcock"))


@pytest.mark.parametrize(
    ("word", "other"),
    [("car", "vehicle"), ("buy", "purchase"), ("teacher", "instructor"), ("rubbish", "garbage")],
)
def test_words_that_mean_nearly_the_same_are_near(word, other):
    assert max(near(word, other), near(other, word)) >= 0.5


def test_unrelated_text_is_not_near():
    assert near("car", "violin") == near("violin", "car") == 0.0


def test_an_unknown_word_is_near_nothing_and_has_no_share():
    assert english().similar(number("qqqxqq")) == []
    assert english().share(number("qqqxqq")) == 0.0


def test_shares_are_shares_and_neighbours_come_nearest_first():
    table = english()
    for word in ("house", "garden", "release", "boiler"):
        assert 0 < table.share(of(word)) < 1
        cosines = [cosine for _, cosine in table.similar(of(word))]
        assert cosines == sorted(cosines, reverse=True)
        assert all(0.3 < one <= 1 for one in cosines)


@pytest.mark.parametrize("data", [b"", b"VADEENG1", b"x" * 4000])
def test_a_damaged_table_is_named(tmp_path, data):
    (tmp_path / "english.bin").write_bytes(data)
    with pytest.raises(ProviderError) as caught:
        English(tmp_path / "english.bin")
    assert caught.value.hint
    with pytest.raises(ProviderError):
        English(tmp_path / "missing.bin")


@pytest.mark.parametrize(
    ("asked", "text", "meets"),
    [
        ("warm", "Wool runs at 30 °C.", True),
        ("cost", "Garden waste is £48 a year", True),
        ("phone", "Dermot Hale, 01632 960 114", True),
        ("code", "key box by the gate, code 3908", True),
        ("open", "Tuesday from half past nine", True),
        ("loud", "Master to -16 LUFS.", True),
        ("pressure", "between 1.2 and 1.5 bar", True),
        ("cost", "The resin is stored at the back.", False),
    ],
)
def test_a_value_meets_only_the_word_that_asks_for_it(asked, text, meets):
    assert any(pattern.search(text) for pattern in asked_by(stem(asked)).values()) is meets


def test_most_words_ask_for_no_value():
    assert asked_by(stem("gardener")) == {}
    assert all(quantity.asked for quantity in QUANTITIES.values())


@pytest.mark.parametrize(
    ("kind", "text", "states"),
    [
        ("duration", "Let it cool for forty minutes.", True),
        ("duration", "within twenty-one days", True),
        ("duration", "one by one", False),
        ("money", "It costs forty euros.", True),
        ("length", "two m", False),
        ("temperature", "thirty degrees", True),
    ],
)
def test_values_in_words_are_values(kind, text, states):
    assert bool(QUANTITIES[kind].stated.search(text)) == states
