"""From questions to the whole report, over a very small library that truly searches."""

import dataclasses
import json
import math
import time

import pytest

from vademecum.core.answers import Answer, Citation, Statement
from vademecum.core.errors import StoreError
from vademecum.desks.linux.evaluate import explained_of, judge, lead_of, ranking_of, run, section
from vademecum.desks.linux.questions import Question
from vademecum.desks.linux.report import summarise
from vademecum.evaluation.figures import worst_of

QUESTIONS = [
    Question(
        question="recursively change directories",
        gold=("chmod(1)",),
        must_contain=("chmod", "-R|--recursive"),
        explains=(("chmod", "permissions"),),
        kind="how",
    ),
    Question(question="change the owner", gold=("chown(1)",), must_contain=("chown", "-R")),
    Question(question="extract an archive", gold=("bsdtar(1)", "tar(1)")),
    Question(question="create a file with openat", gold=("openat(2)",), must_contain=("O_EXCL",)),
    Question(question="default layers", gold=("open(3perl)",)),
    Question(question="daemon for scheduled commands", gold=("chmod(1)",)),
    Question(question="scheduled rain tomorrow evening", gold=("cron(8)",)),
    Question(question="layers"),
    Question(question="knit a jumper", answerable=False, kind="off topic"),
    Question(question="perl pragma", answerable=False, kind="near"),
]

PAGE = {"page_at_1", "page_at_3", "page_at_10", "mrr"}
FIGURES = PAGE | {
    "answer_contains",
    "lead_answers",
    "any_line",
    "explained",
    "lines_per_answer",
    "words_median",
    "false_answer_rate",
    "false_refusal_rate",
    "auroc",
    "ece",
    "citation_exact",
    "sentences_cited",
}


@pytest.fixture
def results(manuals, plain):
    return run(manuals, plain, QUESTIONS)


@pytest.fixture
def report(results):
    return summarise(results, resamples=100, worst=3)


def named(results, question):
    (result,) = [result for result in results if result.case.question == question]
    return result


def test_every_part_of_the_report_has_its_figures(report):
    assert set(report) >= FIGURES
    assert set(report["intervals"]) == FIGURES
    assert set(report["baseline"]["intervals"]) == set(report["difference"]) == PAGE
    assert all(set(gain) == {"value", "interval"} for gain in report["difference"].values())
    for latency in (report["latency_ms"], report["search_latency_ms"], report["baseline"]["latency_ms"]):
        assert 0 < latency["p50"] <= latency["p95"]
    assert set(report["by_section"]) == set(report["baseline"]["by_section"]) == {"1", "2", "3", "8"}
    assert all(set(group) == PAGE | {"n", "baseline"} for group in report["by_section"].values())
    assert set(report["by_kind"]) == {"how", "off topic", "near"}
    assert len(report["worst"]) == 3
    assert report["worst"][0]["question"] == "daemon for scheduled commands"
    assert report["worst"][0]["why"]


def test_the_figures(report):
    assert report["n"] == 10
    assert report["counts"] == {
        "answerable": 8,
        "unanswerable": 2,
        "with_gold": 7,
        "with_must_contain": 3,
        "citations": 8,
        "sentences": 8,
    }
    assert report["page_at_1"] == pytest.approx(6 / 7)
    assert report["page_at_3"] == report["page_at_10"] == report["mrr"] == pytest.approx(6 / 7)
    assert report["answer_contains"] == pytest.approx(1 / 3)
    assert report["false_answer_rate"] == 0.5
    assert report["false_refusal_rate"] == 1 / 8
    assert (report["citation_exact"], report["sentences_cited"]) == (1.0, 1.0)
    assert report["answers_without_citation"] == 0
    assert report["by_section"]["1"]["n"] == 4
    assert report["by_section"]["1"]["page_at_1"] == 0.75
    assert report["by_kind"]["near"] == {"n": 1, "answered": 1.0, "page_at_1": None}
    assert report["difference"]["page_at_1"]["value"] == pytest.approx(
        report["page_at_1"] - report["baseline"]["page_at_1"]
    )
    assert sum(made[0] for made in report["reliability"]) == 9  # one has no gold
    assert report["risk_coverage"]["points"][-1][0] == 1


def test_every_interval_holds_its_figure(report):
    for name in FIGURES:
        low, high = report["intervals"][name]
        assert low <= report[name] <= high, name
    for name in PAGE:
        low, high = report["baseline"]["intervals"][name]
        assert low <= report["baseline"][name] <= high, name


def test_page_figures_look_past_a_refusal(results):
    refused = named(results, "scheduled rain tomorrow evening")
    assert (refused.answered, refused.ranking.rank, refused.shortfall) == (False, 1, 0.5)
    assert "refused" in refused.complaints()


@pytest.mark.parametrize(
    ("steps", "must_contain", "lead"),
    [
        ([("chmod -R MODE FILE", "")], ("-R",), (True, True, 1, 6)),
        ([("chmod -a -b -c -R FILE", "")], ("-R",), (False, True, 1, 8)),
        ([("chmod FILE", ""), ("chmod -R FILE", "")], ("-R",), (False, True, 2, 7)),
        ([("-R", "recursively")], ("-R",), (False, False, 0, 4)),
        ([], ("mode bits",), (True, False, 0, 2)),
        ([], (), (False, False, 0, 2)),
    ],
)
def test_the_lead_is_the_first_line_or_the_first_sentences(steps, must_contain, lead):
    summary = [Statement(text="mode bits")]
    typed = [Statement(text=text, command=command) for command, text in steps]
    assert tuple(lead_of(summary, typed, [must_contain] if must_contain else [])) == lead
    assert lead_of(summary, typed, [("nowhere",), must_contain]).answers == (lead[0] or not must_contain)


def test_a_refusal_contains_nothing(manuals, plain):
    manuals.threshold = 2
    question = dataclasses.replace(QUESTIONS[0], must_contain=("chmod",))
    assert judge(manuals, plain, question).lacking == ("chmod",)
    figures = summarise([judge(manuals, plain, question)])
    assert figures["answer_contains"] == 0
    assert figures["page_at_1"] == 1
    assert figures["citation_exact"] is None


def test_a_page_answers_to_all_its_names_to_the_letter(manuals):
    hits = manuals.search("create openat")
    assert ranking_of(hits, ["openat(2)"]).rank == ranking_of(hits, ["open(2)", "x(1)"]).rank == 1
    assert ranking_of(hits, ["OPEN(2)"]).rank is None
    assert ranking_of(hits, []).rank is None


def test_only_ten_pages_count(manuals):
    (hit,) = manuals.search("cron")
    other = dataclasses.replace(hit, reference="at(1)", names=("at(1)",))
    assert ranking_of([other] * 9 + [hit], ["cron(8)"]).rank == 10
    assert ranking_of([other] * 10 + [hit], ["cron(8)"]).rank is None


@pytest.mark.parametrize(
    ("gold", "given", "name"),
    [
        (["chmod(1)", "chmod(2)"], "", "1"),
        (["open(3perl)"], "", "3"),
        (["after(n)"], "", "n"),
        (["systemd.unit(5)"], "", "5"),
        (["f(x)(3)"], "", "3"),
        (["Bash manual"], "", "other"),
        (["()"], "", "other"),
        (["chmod(1)"], "3perl", "3"),
        ([], "", ""),
        ([], "7", "7"),
    ],
)
def test_section(gold, given, name):
    assert section(Question(question="q", gold=tuple(gold), section=given)) == name


def test_the_worst_come_first_and_say_why(results):
    cases = worst_of(results, 10, lambda result: result)["worst"]
    assert [case.case.question for case in cases] == [
        "daemon for scheduled commands",
        "perl pragma",
        "scheduled rain tomorrow evening",
        "change the owner",
        "create a file with openat",
    ]
    assert cases[0].complaints() == ("no right page was found",)
    assert cases[0].found[0] == "cron(8)"
    assert cases[1].complaints() == ("answered, though nothing answers it",)
    assert cases[3].complaints() == ("the answer lacks -R",)
    assert worst_of(results, 0, str) == {"worst": []}


def test_citations_are_held_against_the_text(manuals, plain):
    answer = manuals.ask("cron daemon")
    (cited,) = answer.citations
    moved = [
        cited,
        dataclasses.replace(cited, start=cited.start + 1),
        dataclasses.replace(cited, start=0, end=0, quote=""),
        dataclasses.replace(cited, start=-3, end=-1, quote=manuals.text(cited.document)[-3:-1]),
        dataclasses.replace(cited, document="man:gone"),
    ]
    manuals.ask = lambda question: dataclasses.replace(answer, citations=tuple(moved), question=question)
    result = judge(manuals, plain, QUESTIONS[5])
    assert result.citations == (1, 5)
    assert len(result.faults) == 4
    assert "man:gone is not in the index" in result.faults[-1]
    assert summarise([result])["citation_exact"] == 0.2


def test_sentences_must_point_to_citations(manuals, plain):
    answer = manuals.ask("cron daemon")
    (statement,) = answer.summary
    loose = [dataclasses.replace(statement, citations=places) for places in [(), (1,), (0, 1), (-1,)]]
    manuals.ask = lambda question: dataclasses.replace(answer, steps=tuple(loose), question=question)
    assert judge(manuals, plain, QUESTIONS[5]).sentences == (1, 5)
    bare = dataclasses.replace(answer, citations=(), question="cron")
    manuals.ask = lambda _: bare
    assert summarise(run(manuals, plain, QUESTIONS))["answers_without_citation"] == len(QUESTIONS)


def test_a_question_that_is_not_accepted_is_a_refusal_with_its_fault(manuals, plain):
    report = summarise(run(manuals, plain, [Question(question="how do I", gold=("chmod(1)",))]), worst=1)
    assert [fault.partition(": ")[0] for fault in report["faults"]] == ["how do I"]
    assert report["page_at_1"] == 0
    assert report["false_refusal_rate"] == 1
    assert "question" in report["worst"][0]["why"][-1]


def test_an_unusable_index_ends_the_run(manuals, plain):
    def fail(question):
        raise StoreError(f"the disk is gone, and with it the answer to {question}")

    manuals.ask = fail
    with pytest.raises(StoreError):
        run(manuals, plain, QUESTIONS)


def test_times_are_of_the_call_alone(manuals, plain):
    search = manuals.search

    def slow_search(question, limit=10):
        time.sleep(0.02)
        return search(question, limit)

    manuals.search_passages_bm25 = slow_search
    result = judge(manuals, plain, QUESTIONS[0])
    assert result.baseline_ms >= 20 > max(result.duration_ms, result.search_ms)


def test_progress_is_told(manuals, plain):
    told = []
    run(manuals, plain, QUESTIONS, progress=lambda done, total: told.append((done, total)))
    assert told == [(done, 10) for done in range(1, 11)]


def test_every_figure_of_nothing_is_null():
    report = summarise([])
    assert "worst" not in report
    assert all(report[name] is None for name in FIGURES)
    assert all(bounds is None for bounds in report["intervals"].values())
    assert report["latency_ms"] == {"p50": None, "p95": None}
    assert report["difference"]["mrr"] == {"value": None, "interval": None}
    assert "NaN" not in json.dumps(report, allow_nan=False)


def test_one_class_alone_has_no_auroc(manuals, plain):
    report = summarise(run(manuals, plain, QUESTIONS[:7]))
    assert report["auroc"] is None
    assert report["intervals"]["auroc"] is None
    assert report["false_answer_rate"] is None
    report = summarise(run(manuals, plain, QUESTIONS[8:]))
    assert report["page_at_1"] is report["false_refusal_rate"] is None
    assert report["by_section"] == {}
    assert report["ece"] is not None


def test_long_curves_are_thinned(results):
    many = [dataclasses.replace(results[0], confidence=place / 2000) for place in range(1, 1001)]
    curve = summarise(many, resamples=0)["risk_coverage"]
    assert len(curve["points"]) == 100
    assert curve["points"][-1] == [1.0, 0.0, 1 / 2000]
    assert math.isclose(curve["area"], 0)


def test_counts_what_is_explained():
    citation = Citation(
        number=1,
        alias="m",
        document="m:0",
        document_ref="tar(1)",
        location="tar(1)",
        start=0,
        end=7,
        quote="Extract",
    )
    answer = Answer(
        question="x",
        outcome="answered",
        confidence=0.9,
        answerability=0.9,
        steps=(
            Statement(text="files", command="-x", citations=(0,)),
            Statement(text="by gzip", command="-z"),
        ),
        citations=(citation,),
    )
    assert explained_of(answer, [("-x", "extract"), ("-z", "gzip"), ("-v", "verbose"), ("-z", "xz")]) == (
        2,
        4,
    )
    assert explained_of(answer, []) == (0, 0)
