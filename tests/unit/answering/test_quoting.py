"""An answer that quotes passages: whole sentences as they stand, the best first, none too long."""

import pytest

from vademecum.answering.quoting import quote
from vademecum.answering.verify import verify
from vademecum.core.evidence import Evidence, ScoredPassage
from vademecum.core.passages import SECTION


def evidence(*texts, scores=()):
    """A document for each text, which is one passage."""
    return [
        Evidence(
            "book", "0" * 64, f"{n}.md", f"Page {n}", "", text,
            (ScoredPassage(SECTION, 0, len(text), 0, "", "top", score, score),),
        )
        for n, (text, score) in enumerate(zip(texts, scores or range(len(texts), 0, -1), strict=True))
    ]  # fmt: skip


def wanting(*words):
    return lambda text: float(sum(word in text for word in words))


def nothing(_text):
    return 0.0


def test_a_short_passage_is_quoted_as_it_stands():
    text = "The key is red. It turns twice:\nturn --left\nturn --right"
    (statement,) = quote(evidence(text), wanting("key"), nothing).summary
    assert statement.text == text
    assert statement.spans[0][1:] == (0, len(text), "top")


def test_the_best_passage_comes_first():
    draft = quote(evidence("Low here.", "High here.", scores=(1.0, 2.0)), nothing, nothing)
    assert [one.text for one in draft.summary] == ["High here.", "Low here."]


def test_of_a_long_passage_the_sentences_that_fit_are_quoted_in_order():
    filler = [f"Filler number {n} says nothing of any use to anybody at all here." for n in range(60)]
    filler[10] = "The red key starts the engine."
    filler[40] = "The red key is kept in the drawer."
    text = " ".join(filler)
    draft = quote(evidence(text), wanting("red", "key"), nothing)
    said = [one.text for one in draft.summary]
    assert any("starts the engine." in one for one in said)
    assert any("in the drawer." in one for one in said)
    assert sum(map(len, said)) < 1400
    places = [one.spans[0].start for one in draft.summary]
    assert places == sorted(places)


def test_a_heading_is_said_only_with_what_it_stands_over():
    filler = [f"Filler number {n} says nothing of any use to anybody at all here." for n in range(60)]
    filler[10] = "Red keys"
    filler[11] = "They start the engine."
    draft = quote(evidence("\n".join(filler)), wanting("Red keys"), nothing)
    (said,) = [one.text for one in draft.summary if "Red keys" in one.text]
    assert "Red keys\nThey start the engine." in said


def test_meaning_parts_what_words_do_not():
    text = " ".join(
        f"Sentence {n} is of some length so that not all of them fit into one quote." for n in range(40)
    )
    draft = quote(evidence(text), lambda _text: 1.0, lambda text: float("Sentence 3 " in text))
    assert any("Sentence 3 " in one.text for one in draft.summary)


@pytest.mark.parametrize(
    "text", ["x" * 5000, "word " * 2000, "\n".join(["- a"] * 3000), "a. " * 2000, "é" * 3000]
)
def test_whatever_the_passage_a_quote_is_exact_and_not_too_long(text):
    documents = evidence(text)
    draft = quote(documents, wanting("x"), nothing)
    verified = verify(draft, documents)
    assert verified.dropped == 0
    assert verified.summary
    assert sum(len(one.text) for one in verified.summary) <= 1300


def test_no_evidence_is_no_statement():
    assert quote([], nothing, nothing).summary == ()


def test_code_is_quoted_whole_and_with_what_introduces_it():
    filler = [f"Filler number {n} says nothing of any use to anybody at all here." for n in range(30)]
    code = "Set the queue in the constructor:\nMine::Mine() :\n    Params(nullptr),\n    Scheduled(NAME, queues::rate)\n{\n}"
    text = "\n".join([*filler, code, *filler])
    draft = quote(evidence(text), wanting("queue"), nothing)
    (said,) = (one.text for one in draft.summary if "Set the queue" in one.text)
    assert code in said
    assert all(sum(map(str.isalnum, one.text)) >= 3 for one in draft.summary)
