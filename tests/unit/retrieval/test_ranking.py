"""From a question to ranked candidates and a judgement, over a small library behind the real engine."""

import math
from functools import partial
from types import SimpleNamespace

import pytest

from vademecum.core.candidates import Candidate, DocumentId, Page
from vademecum.retrieval.documents import answerability
from vademecum.retrieval.documents.answerability import SIGNALS, missing, signals_of
from vademecum.retrieval.documents.features import FEATURES, measure
from vademecum.retrieval.documents.ranking import POOL, collect
from vademecum.retrieval.documents.ranking import rank as rank_by
from vademecum.retrieval.lexical import family
from vademecum.retrieval.question.question import analyse
from vademecum.retrieval.weights import fitted_numbers, manual_weights
from vademecum.testing import document

QUESTIONS = (
    "How do I change file permissions?",
    "chmod -R recursively",
    "what is in open(2)",
    "kill a walrus",
    "permissions",
    "zebra crossing quokka",
)
SHARES = [
    name for name in FEATURES if name.endswith(("_share", "_rank")) or name.startswith(("cover_", "pairs_"))
]
NEARNESS = ("line",)

WEIGHTS = manual_weights("builtin")
rank = partial(rank_by, weights=WEIGHTS)
judge = partial(answerability.judge, weights=WEIGHTS)


def measured(text, index):
    question = analyse(text, index)
    return question, measure(question, collect(question, index), index)


def of(candidates, reference):
    (found,) = (one for one in candidates if one.page.reference == reference)
    return dict(zip(FEATURES, found.features, strict=True)) if found.features else found


# --- collect ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", QUESTIONS)
def test_candidates_come_once_and_best_first(index, text):
    found = collect(analyse(text, index), index)
    assert len(found) > 3
    assert len({one.place for one in found}) == len(found)
    order = [(-one.score, one.page.reference) for one in found]
    assert order == sorted(order)


def test_nothing_to_look_for_finds_nothing(index):
    assert collect(analyse("how is it that the of", index), index) == []


def test_a_named_page_is_found_whatever_else_fits(index_of):
    """Five hundred pages that fit better do not push it out."""
    pages = [
        document(f"walrus{at}(1)", ("", ["a walrus of the aquarium"]), summary="a walrus")
        for at in range(300)
    ]
    index = index_of(*pages, document("seal(1)", ("", ["Nothing."])))
    found = collect(analyse("walrus of the aquarium seal", index), index)
    assert len(found) == POOL
    assert "seal(1)" in [one.page.reference for one in found]
    named = collect(analyse("a walrus like walrus299(1)", index), index)
    assert len(named) == POOL
    assert "walrus299(1)" in [one.page.reference for one in named]


def test_a_page_of_the_same_meaning_is_found_without_a_common_word(index):
    question = analyse("authorization", index)
    assert not question.terms[0].known
    found = collect(question, index)
    assert found
    assert all(one.page_score == 0 for one in found)


# --- features ---------------------------------------------------------------------------------------------------------


def test_the_weights_are_of_these_features():
    """Else every number of the second stage would be taken for another."""
    for name in ("manual", "manual_onnx"):
        fitted = fitted_numbers(name)
        assert tuple(fitted["features"]) == FEATURES
        assert tuple(fitted["signals"]) == SIGNALS
    assert len(set(FEATURES)) == len(FEATURES)
    assert len(set(SIGNALS)) == len(SIGNALS)


@pytest.mark.parametrize("text", QUESTIONS)
def test_features_are_in_their_ranges(index, text):
    question, found = measured(text, index)
    assert [one.place for one in found] == [one.place for one in collect(question, index)]
    for one in found:
        assert len(one.features) == len(FEATURES)
        assert all(math.isfinite(value) for value in one.features)
        by_name = dict(zip(FEATURES, one.features, strict=True))
        for name in SHARES:
            assert by_name[name] <= 1, name
            assert by_name[name] >= 0 or name.startswith(NEARNESS), name
        assert all(-1.001 <= by_name[name] <= 1.001 for name in NEARNESS)


def test_distant_pages_have_no_share(index):
    """Of negative cosines the worst would else have the largest share."""
    far = SimpleNamespace(
        **{name: getattr(index, name) for name in ("vectors", "page_terms")},
        frequency=index.frequency,
        nearness=lambda _name, _vector, places: [-0.01 - at / 100 for at in range(len(places))],
    )
    question = analyse("change file permissions", index)
    found = measure(question, collect(question, index), far)
    assert len(found) > 3
    for one in found:
        by_name = dict(zip(FEATURES, one.features, strict=True))
        assert [by_name[f"{name}_share"] for name in NEARNESS] == [0]


def test_features_measure_what_the_question_says(index):
    question, found = measured("change permissions recursively with -R --zap in chmod(1) quokka", index)
    chmod, chown, crontab = (of(found, reference) for reference in ("chmod(1)", "chown(1)", "open(2)"))
    assert chmod["named_word"] == chmod["named_reference"] == 1
    assert chown["named_word"] == chown["named_reference"] == 0
    assert chmod["verb_in_summary"] == chown["verb_in_summary"] == 1
    assert crontab["verb_in_summary"] == 0
    assert chmod["options_asked"] == 2
    assert (chmod["options_missing"], crontab["options_missing"]) == (1, 2)
    assert chmod["cover_page"] > chown["cover_page"] > crontab["cover_page"]
    assert 0 < chmod["unknown_share"] < 1
    assert chmod["question_terms"] == sum(term.known for term in question.terms)
    assert (chmod["section_1"], chmod["section_2"], crontab["section_2"]) == (1, 0, 1)


def test_pages_that_others_point_to_are_measured(index):
    _, found = measured("change file permissions mask", index)
    assert of(found, "chmod(1)")["pointed_to"] > 0
    assert of(found, "chmod(1)")["points_to"] > 0
    assert of(found, "chmod(1)")["linked"] == pytest.approx(math.log1p(2))
    assert of(found, "chown(1)")["linked"] == pytest.approx(math.log1p(1))


def test_words_that_stand_together_are_measured(index):
    _, found = measured("file owner", index)
    assert of(found, "chown(1)")["pairs_in_summary"] == 1
    assert of(found, "chmod(1)")["pairs_in_summary"] == 0


def test_families_are_measured(index):
    _, found = measured("kill a walrus", index)
    one = of(found, "acme-kill(1)")
    count = sum(family(other.page.reference) == "acme" for other in found)
    assert count == 15
    assert one["family_size"] == pytest.approx(math.log1p(count))
    assert (one["depth"], one["family_named"]) == (1, 0)
    assert of(measured("acme walrus", index)[1], "acme-kill(1)")["family_named"] == 1


@pytest.mark.parametrize("text", QUESTIONS)
def test_kinds_are_among_the_features(index, text):
    question, found = measured(text, index)
    by_name = dict(zip(FEATURES, found[0].features, strict=True))
    assert {
        name[5:] for name, value in by_name.items() if name.startswith("kind_") and value
    } == question.kinds


# --- rank -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", QUESTIONS)
def test_ranking_keeps_every_candidate(index, text):
    question, found = measured(text, index)
    ranked = rank(question, found)
    assert sorted(one.place for one in ranked) == sorted(one.place for one in found)
    assert ranked == rank(question, found[::-1]), "whatever order they come in"


def test_a_large_family_is_held_down(index):
    question, found = measured("edit or move or kill a walrus of the aquarium", index)
    families = [family(one.page.reference) for one in rank(question, found)]
    assert families.count("acme") == 15
    first = len(families) - (15 - 3)
    assert families[:first].count("acme") == 3
    assert set(families[first:]) == {"acme"}
    others = [one for one in families if one != "acme"]
    assert len(others) > 3


def test_a_family_that_is_named_is_not_held_down(index):
    question, found = measured("acme walrus", index)
    ranked = rank(question, found)
    scores = [one.score for one in ranked]
    assert scores == sorted(scores, reverse=True)
    assert sum(family(one.page.reference) == "acme" for one in ranked) == 15


def test_a_small_family_is_not_held_down(index):
    question, found = measured("walrus", index)
    eleven = [one for one in found if family(one.page.reference) == "acme"][:11]
    others = [one for one in found if family(one.page.reference) != "acme"]
    assert others
    scores = [one.score for one in rank(question, eleven + others)]
    assert scores == sorted(scores, reverse=True)


def test_the_named_of_two_equal_pages_comes_first(index):
    question, found = measured("chmod", index)
    chmod = next(one for one in found if one.page.reference == "chmod(1)")
    not_named = list(chmod.features)
    not_named[FEATURES.index("named_word")] = 0.0
    other = chmod._replace(page=chmod.page._replace(reference="a(1)"), features=tuple(not_named))
    assert [one.page.reference for one in rank(question, [other, chmod])] == ["chmod(1)", "a(1)"]


@pytest.fixture(scope="module")
def twins(index_of):
    """A command, a builtin's page and an interface that do the same."""
    rm = document("rm(1)", ("", ["Removes each named file."]), summary="remove files")
    unlink = document(
        "unlink(2)", ("", ["Removes a file: it deletes a name."]), summary="delete a name and the file"
    )
    passwd = [
        document(name, ("", [f"All about it, of {name}."]), summary=summary)
        for name, summary in (("passwd(1)", "change user password"), ("passwd(5)", "the file of users"))
    ]
    others = [document(f"other{at}(1)", ("", [f"The page {at} has prose."])) for at in range(20)]
    return index_of(rm, unlink, *passwd, *others)


def scored(question, found, **scores):
    """The ranking of two candidates by these scores alone."""

    def score(features):
        return next(scores[name] for name, candidate in kept.items() if candidate.features == tuple(features))

    kept = {one.page.reference.partition("(")[0]: one for one in found}
    kept = {name: one for name, one in kept.items() if name in scores}
    return [
        one.page.reference
        for one in rank(question, list(kept.values()), weights=WEIGHTS._replace(rank=score))
    ]


@pytest.mark.parametrize(
    ("text", "rm", "unlink", "first"),
    [
        ("delete a file", 1.0, 3.5, "rm(1)"),
        ("delete a file", 1.0, 4.5, "unlink(2)"),
        ("delete a file in C", 2.5, 1.0, "unlink(2)"),
        ("delete a file in C", 3.5, 1.0, "rm(1)"),
        ("delete the name of each file that prose has", 1.0, 1.5, "unlink(2)"),
        ("what is unlink of a file", 1.0, 1.5, "unlink(2)"),
        ("what is rm of a file", -2.0, 1.5, "rm(1)"),
    ],
)
def test_a_command_or_an_interface_goes_first_as_is_asked(twins, text, rm, unlink, first):
    question, found = measured(text, twins)
    assert scored(question, found, rm=rm, unlink=unlink)[0] == first


@pytest.mark.parametrize("name", ["passwd(1)", "passwd(5)"])
@pytest.mark.parametrize("text", ["{}", "what does {} say of prose", "rm(1) or {}"])
def test_a_page_whose_reference_is_asked_for_goes_before_all_others(twins, name, text):
    question, found = measured(text.format(name), twins)
    ranked = rank(question, found)
    named = {"rm(1)", name} if "rm" in text else {name}
    assert {one.page.reference for one in ranked[: len(named)]} == named
    assert ranked[0].score == max(one.score for one in ranked)
    unnamed = text.replace("rm(1)", "rm").format("passwd")
    assert judge(question, ranked).answerability > judge(*measured_of(unnamed, twins)).answerability


def test_a_page_that_is_not_there_is_said_and_lowers_the_confidence(twins):
    question, ranked = measured_of("what is in passwd(7)", twins)
    assert missing(question, ranked) == ("passwd(7)",)
    judgement = judge(question, ranked)
    assert judgement.reasons[0].startswith("There is no page passwd(7); the nearest is passwd(")
    assert judgement.right < judge(*measured_of("what is in passwd", twins)).right
    assert missing(*measured_of("what is in passwd(5)", twins)) == ()


def measured_of(text, index):
    question, found = measured(text, index)
    return question, rank(question, found)


def test_ties_go_by_reference():
    page = Page("b(1)", ("b(1)",), "", (), 0, 1, 0, 0)
    same = [
        Candidate(DocumentId(0, at), page._replace(reference=name), 0.0, (), (0.0,) * len(FEATURES), 0.0)
        for at, name in enumerate(("b(1)", "c(1)", "a(1)"))
    ]
    ranked = rank(SimpleNamespace(words=(), kinds=frozenset(), terms=()), same)
    assert [one.page.reference for one in ranked] == ["a(1)", "b(1)", "c(1)"]


# --- needs ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def needed(index_of):
    """Pages that say what they do in words of their own, and what people want of them."""
    find = document(
        "find(1)",
        ("DESCRIPTION", ["Evaluate an expression for each entry of a hierarchy."]),
        ("TESTS", [("-size n", "It uses n units of space."), ("-name pattern", "Its base name matches.")]),
        summary="evaluate expressions in a hierarchy",
        needs=[("locate huge files that eat the disk", "-size"), "look for something in a tree"],
    )
    others = [
        document(f"other{at}(1)", ("DESCRIPTION", [f"The page number {at} has prose."])) for at in range(20)
    ]
    return index_of(find, *others)


def test_a_need_finds_the_page_that_shares_no_word_with_the_question(needed):
    question = analyse("which huge files eat my disk", needed)
    first = rank(question, measure(question, collect(question, needed), needed))[0]
    assert first.page.reference == "find(1)"
    features = dict(zip(FEATURES, first.features, strict=True))
    assert features["need"] > 0.6
    assert features["need_cover"] > 0.9
    assert features["found_needs"] > 0


def words(index, place, number):
    flat = index.segments[place.segment].flat
    return flat.words(flat.document(place.document), flat.passage(number))


def test_a_need_knows_the_passage_that_meets_it(needed):
    question = analyse("which huge files eat my disk", needed)
    (found,) = (one for one in collect(question, needed) if one.page.reference == "find(1)")
    best = found.needs[0]
    assert best.text == "locate huge files that eat the disk"
    assert [words(needed, found.place, number)[:5] for number in best.passages] == ["-size"]


def test_the_needs_of_a_dead_document_are_not_found(tmp_path):
    from vademecum.index.generations import Generations
    from vademecum.index.reader.current import open_index
    from vademecum.index.update import index_sources
    from vademecum.testing import MemorySource, document

    pages = [
        document(f"page{at}(1)", ("", [f"Prose {at}."]), needs=[f"want quokka {at}"]) for at in range(40)
    ]
    generations = Generations(tmp_path / "index")
    index_sources(generations, [MemorySource("manual", pages)])
    index_sources(generations, [MemorySource("manual", pages[1:])])
    index = open_index(generations)
    question = analyse("want quokka 0", index)
    found = index.needs(question.vector(unknown=True), index.embed(["quokka"]), 60)
    assert sorted(need.text for need in found) == sorted(f"want quokka {at}" for at in range(1, 40))


# --- judge ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", QUESTIONS)
def test_a_judgement_is_two_probabilities(index, text):
    question, found = measured(text, index)
    judgement = judge(question, rank(question, found))
    assert 0 < judgement.right < 1
    assert 0 < judgement.answerability < 1


def test_no_candidates_are_no_answer(index):
    judgement = judge(analyse("how is it that", index), [])
    assert judgement == (0.0, 0.0, ("No document shares a word with the question.",))
    assert signals_of([], [], []) == [0.0] * len(SIGNALS)


def test_unknown_words_are_named_as_they_were_asked(index):
    question, found = measured("change Zyzzyva --zap owner", index)
    ranked = rank(question, found)
    (reason,) = judge(question, ranked).reasons
    assert reason.startswith("No document mentions “Zyzzyva”, “--zap”; the nearest is ")
    assert ranked[0].page.reference in reason
    assert ranked[0].page.summary in reason
    assert judge(*ranked_of("change owner", index)).reasons == ()


def test_names_three_of_many_unknown_words(index):
    (reason,) = judge(*ranked_of("owner quokka wombat dingo numbat", index)).reasons
    assert "“quokka”, “wombat”, “dingo”;" in reason


def test_a_slip_that_was_read_is_not_unknown(index):
    assert judge(*ranked_of("change permisions", index)).reasons == ()


def ranked_of(text, index):
    question, found = measured(text, index)
    return question, rank(question, found)


def test_signals_are_of_the_first_candidates(index):
    _, ranked = ranked_of(QUESTIONS[0], index)
    features = [dict(zip(FEATURES, one.features, strict=True)) for one in ranked[:10]]
    scores = [one.score for one in ranked[:10]]

    def signals(count, names):
        return dict(zip(SIGNALS, signals_of(features[:count], scores[:count], names), strict=True))

    found = signals(10, list("abcdefghij"))
    assert found["score"] == scores[0]
    assert found["margin"] == found["margin_to_other_name"] == scores[0] - scores[1]
    assert found["page_score"] == features[0]["page_score"] > 0
    assert found["best_line"] == max(one["line"] for one in features)
    assert signals(10, list("aaabbbbbbb"))["margin_to_other_name"] == scores[0] - scores[3]
    assert signals(2, ["a", "a"])["margin_to_other_name"] == scores[0] - scores[1]
    alone = signals(1, ["a"])
    assert alone["margin"] == alone["margin_to_third"] == alone["margin_to_other_name"] == 0
