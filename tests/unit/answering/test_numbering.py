"""Which passages a model is shown, in what order, and how much of them."""

from hypothesis import given
from hypothesis import strategies as st

from vademecum.answering.prompt import MOST_PASSAGES, number
from vademecum.core.evidence import Evidence, ScoredPassage
from vademecum.core.passages import OPTION, SECTION
from vademecum.testing import document


def words(text):
    return len(text.split())


def shown(passages, evidence):
    return [evidence[one.span.evidence].text[one.span.start : one.span.end] for one in passages]


def plain(*texts, scores=None, reference="d"):
    """A document whose paragraphs are passages with falling scores."""
    text = "\n".join(texts)
    passages, start = [], 0
    for place, one in enumerate(texts):
        score = scores[place] if scores else float(len(texts) - place)
        passages.append(ScoredPassage(SECTION, start, start + len(one), start, "", "", score, 0.0))
        start += len(one) + 1
    return Evidence("a", "0" * 64, reference, reference, "", text, tuple(passages))


def test_the_best_come_first_and_are_numbered(evidence_of, chmod):
    evidence = [evidence_of(chmod, {"recursively": 3.0, "tell": 2.0})]
    passages, left_out = number(evidence, 1000, words)
    assert [one.number for one in passages] == list(range(1, len(passages) + 1))
    assert left_out == 0
    assert shown(passages, evidence)[0] == "chmod - change file permissions"
    option = next(one for one in passages if one.heading == "OPTIONS")
    assert option.tags[0][0] == chmod.text.index("-R, --recursive")
    assert chmod.text[slice(*option.tags[0])] == "-R, --recursive"
    assert not any("chown(1)" in one for one in shown(passages, evidence))


def test_the_first_document_has_two_turns():
    evidence = [
        plain(*(f"First {n} of many." for n in range(6))),
        plain(*(f"Second {n} of many." for n in range(6))),
    ]
    passages, _ = number(evidence, 1000, words)
    assert [one.span.evidence for one in passages[:6]] == [0, 0, 1, 0, 0, 1]


def test_leaves_out_the_lowest_passages_that_do_not_fit():
    evidence = [plain(*(f"Passage {n} has six words here." for n in range(5)))]
    passages, left_out = number(evidence, 2 * 30, words)
    assert shown(passages, evidence) == ["Passage 0 has six words here.", "Passage 1 has six words here."]
    assert left_out == 3


def test_a_long_one_is_cut_at_a_sentence_and_the_best_is_never_lost():
    evidence = [plain(" ".join(f"Sentence {n} says it." for n in range(100)))]
    passages, _ = number(evidence, 24 + 9, words)
    assert shown(passages, evidence) == ["Sentence 0 says it. Sentence 1 says it."]
    passages, _ = number(evidence, 1, words)
    assert shown(passages, evidence) == ["Sentence 0 says it."]
    passages, _ = number(evidence, 10_000, words)
    assert shown(passages, evidence)[0].endswith("says it.")
    assert len(shown(passages, evidence)[0]) <= 1600


def test_shows_no_text_twice():
    page = document("x(1)", ("OPTIONS", [("-a", "does a thing"), ("-b", "does another")]))
    text = page.text
    start = text.index("-a")
    passages = (
        ScoredPassage(SECTION, start, len(text), start, "OPTIONS", "", 5.0, 0.0),
        ScoredPassage(OPTION, start, text.index("\n", start), start + 2, "OPTIONS", "a", 4.0, 0.0),
    )
    evidence = [Evidence("a", "0" * 64, "x(1)", "x(1)", "", text, passages)]
    numbered, _ = number(evidence, 1000, words)
    assert len(numbered) == 1
    assert [text[slice(*tag)] for tag in numbered[0].tags] == ["-a"]


def test_many_are_not_shown():
    evidence = [plain(*(f"Passage {n}." for n in range(50)))]
    assert len(number(evidence, 100_000, words)[0]) == MOST_PASSAGES


@given(st.lists(st.text(max_size=80).filter(str.strip), min_size=1, max_size=8), st.integers(1, 300))
def test_spans_lie_within_any_text(texts, tokens):
    evidence = [plain(*(one.replace("\n", " ") for one in texts))]
    passages, left_out = number(evidence, tokens, words)
    assert left_out >= 0
    for one in passages:
        assert 0 <= one.span.start < one.span.end <= len(evidence[0].text)
