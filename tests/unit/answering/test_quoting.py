"""An answer that quotes running text: the unit that answers first, then at most two more, each as it stands."""

import pytest

from vademecum.answering.quote import best_units, quote
from vademecum.answering.blocks import as_pairs
from vademecum.answering.verify import verify
from vademecum.core.evidence import Draft, DraftStatement, Evidence, ScoredPassage, Span
from vademecum.core.passages import SECTION


def evidence(*texts, scores=(), title="Page {}", heading=""):
    return [
        Evidence(
            "book", "0" * 64, f"{n}.md", title.format(n), "", text,
            (ScoredPassage(SECTION, 0, len(text), 0, heading, "top", score, score),),
        )
        for n, (text, score) in enumerate(zip(texts, scores or range(len(texts), 0, -1), strict=True))
    ]  # fmt: skip


def wanting(*words):
    """Ranks units by how many of some words they have."""

    def rank(units):
        scored = [(unit, 2.0 * sum(word in unit.text for word in words)) for unit in units]
        return sorted(scored, key=lambda pair: (-pair[1], pair[0].passage, pair[0].start))

    return rank


def said(draft):
    return [one.text for one in draft.summary]


def texts(*documents):
    return [unit.text for unit in best_units(evidence(*documents))]


def test_quotes_the_best_unit_first_and_at_most_three_more():
    text = "A key is green. A key sticks. The key hangs by the stove. A key is blue. A key is red. There is a cat."
    draft = quote(evidence(text), wanting("key", "stove"))
    assert said(draft)[0] == "The key hangs by the stove."
    assert len(draft.summary) == 4
    (span,) = draft.summary[0].spans
    assert text[span.start : span.end] == "The key hangs by the stove."


def test_leaves_out_what_is_far_behind():
    text = "The shed is green. The key hangs by the stove."
    draft = quote(evidence(text), wanting("key", "hangs", "stove", "by"))
    assert said(draft) == ["The key hangs by the stove."]


def test_two_notes_that_contradict_each_other_are_both_shown():
    draft = quote(
        evidence("The bins go out on Monday.", "The bins go out on Friday."), wanting("bins", "go out")
    )
    assert said(draft) == ["The bins go out on Monday.", "The bins go out on Friday."]
    assert [one.spans[0].evidence for one in draft.summary] == [0, 1]


def test_the_same_words_are_said_once():
    assert said(quote(evidence("Bins go out.", "Bins go out."), wanting("Bins"))) == ["Bins go out."]


def test_a_row_is_said_with_the_names_of_its_columns():
    table = "Month | Job | Where\nMay | plant out tomatoes | greenhouse\nJuly | cut lavender | –"
    documents = evidence(table)
    draft = quote(documents, wanting("lavender", "cut", "July"))
    assert said(draft) == ["Month: July; Job: cut lavender"]
    assert texts(table) == [
        "Month: May; Job: plant out tomatoes; Where: greenhouse",
        "Month: July; Job: cut lavender",
    ]
    verified = verify(draft, documents)
    assert [one.quote for one in verified.citations] == ["Month | Job | Where", "July | cut lavender | –"]
    assert verified.dropped == 0


@pytest.mark.parametrize(
    "text", ["Month: July; Job: cut roses", "Month: July", "Job: cut lavender; Month: July"]
)
def test_a_changed_row_does_not_hold(text):
    table = "Month | Job\nJuly | cut lavender"
    spans = (Span(0, 0, 11, ""), Span(0, 12, len(table), ""))
    assert verify(Draft((DraftStatement(text, "", spans),), ()), evidence(table)).dropped == 1


def test_a_row_with_more_cells_than_columns_keeps_them():
    assert as_pairs("Name", "Ada | 12") == "Name: Ada; 12"


LIST = "To open the lock:\n1. Turn the key to the left.\n2. Push the door with your foot.\n3. Take the key out.\nThe lock is old."


def test_an_item_comes_with_what_introduces_its_list():
    text = "The boat has these for the crew:\n• a stove that burns wood\n• a lamp for the night\nIt is blue."
    documents = evidence(text)
    verified = verify(quote(documents, wanting("lamp", "night", "a")), documents)
    (statement,) = verified.summary
    assert statement.text == "The boat has these for the crew: a lamp for the night"
    assert [verified.citations[at].quote for at in statement.citations] == [
        "The boat has these for the crew:",
        "a lamp for the night",
    ]
    assert [unit.before for unit in best_units(documents)[1:]] == ["The boat has these for the crew:"] * 2 + [
        ""
    ]


def test_an_introduction_of_a_list_is_quoted_once():
    text = "The boat has these for the crew:\n• a red lamp for the bow\n• a green lamp for the stern"
    assert said(quote(evidence(text), wanting("lamp"))) == [
        "The boat has these for the crew: a red lamp for the bow",
        "a green lamp for the stern",
    ]


def test_quotes_all_steps_of_a_procedure_in_order():
    assert said(quote(evidence(LIST), wanting("Take"), procedure="How is it done?")) == [
        "To open the lock: 1. Turn the key to the left.",
        "2. Push the door with your foot.",
        "3. Take the key out.",
    ]
    assert said(quote(evidence(LIST), wanting("open"), procedure="How is it done?")) == [
        "To open the lock:",
        "1. Turn the key to the left.",
        "2. Push the door with your foot.",
        "3. Take the key out.",
    ]
    assert said(quote(evidence(LIST), wanting("old", "lock", "is"), procedure="How is it done?")) == [
        "The lock is old."
    ]


def test_an_introduction_is_followed_by_its_list():
    text = "The crew has these on board:\n• a stove that burns wood\n• a lamp for the night\nIt is blue."
    assert said(quote(evidence(text), wanting("crew", "board"))) == [
        "The crew has these on board:",
        "a stove that burns wood",
        "a lamp for the night",
    ]


def test_a_procedure_that_goes_on_in_another_passage_is_not_said_as_if_it_were_whole():
    text = f"{LIST}\n4. Close the door behind you."
    (document,) = evidence(text)
    end = text.index("\nThe lock")
    documents = [document._replace(passages=(document.passages[0]._replace(end=end),))]
    assert len(said(quote(documents, wanting("Take", "out"), procedure="How is it done?"))) == 1
    whole = f"{LIST}\nTo close it:\n1. Push.\n2. Turn.\n3. Wait.\n4. Go."
    documents = [document._replace(text=whole, passages=(document.passages[0]._replace(end=end),))]
    assert len(said(quote(documents, wanting("Take", "out"), procedure="How is it done?"))) == 3


def test_quotes_one_step_unless_a_procedure_is_asked_for():
    assert said(quote(evidence(LIST), wanting("Take", "out"))) == ["To open the lock: 3. Take the key out."]


def test_a_procedure_that_is_cut_or_too_long_is_not_said_as_if_it_were_whole():
    cut_off = LIST.replace("1. Turn", "4. Turn")
    assert said(quote(evidence(cut_off), wanting("foot", "Push"), procedure="How is it done?")) == [
        "2. Push the door with your foot."
    ]
    long = LIST.replace("the door", "the door " + "and the gate " * 100)
    assert len(said(quote(evidence(long), wanting("Take", "out"), procedure="How is it done?"))) == 1


def test_steps_go_on_after_the_bullets_of_one_of_them():
    text = "To cook it:\n1. Take these:\n• the salt and the oil\n• the bread of the day\n2. Heat the oil."
    assert [(unit.number, unit.before) for unit in best_units(evidence(text))] == [
        (0, ""), (1, "To cook it:"), (0, "1. Take these:"), (0, "1. Take these:"), (2, "To cook it:"),
    ]  # fmt: skip


@pytest.mark.parametrize("mark", ["Note ", "Note: ", "Tip ", "• Warning: "])
def test_leaves_out_the_label_of_a_remark(mark):
    assert texts(f"{mark}The lock is old.") == ["The lock is old."]
    assert texts("Note that the lock is old.") == ["Note that the lock is old."]


def test_a_row_has_the_names_of_its_columns_also_where_its_table_begins_in_another_passage():
    text = "The parts.\nPart | Weight\nbolt | 3 g\nNUTS\nnut | 2 g\nring | 1 g\nThat is all."
    (document,) = evidence(text)
    for words in ("nut |", "ring |"):
        start = text.index(words)
        passage = document.passages[0]._replace(start=start, end=len(text))
        documents = [document._replace(passages=(passage,))]
        units = [unit.text for unit in best_units(documents)]
        assert units == [
            f"Part: {name}; Weight: {weight}"
            for name, weight in (("nut", "2 g"), ("ring", "1 g"))
            if text.index(name) >= start
        ] + ["That is all."]
        assert verify(quote(documents, wanting("ring")), documents).dropped == 0


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("No. 3 trips when the kettle runs.", ["No. 3 trips when the kettle runs."]),
        ("Ask Dr. Aurich in the morning.", ["Ask Dr. Aurich in the morning."]),
        ("Call Mr. A. Smith at noon.", ["Call Mr. A. Smith at noon."]),
        ("2. Turn the key twice.", ["2. Turn the key twice."]),
        ("Quote contract no. 4471.", ["Quote contract no. 4471."]),
        ("Monday | closed all day\nAs always.", ["Monday | closed all day", "As always."]),
        (
            "You buy:\n• the milk and the bread\n• two lemons",
            ["You buy:", "the milk and the bread", "two lemons"],
        ),
        (
            "We load these:\n• YAML\n• GeoJSON\nThe rest not.",
            ["We load these:\n• YAML\n• GeoJSON", "The rest not."],
        ),
        (
            "Manager: Ada Kaplan, 0171\nMusic library: Ms Olander\nOpening hours\nWe open at nine.",
            ["Manager: Ada Kaplan, 0171", "Music library: Ms Olander", "Opening hours\nWe open at nine."],
        ),
        (
            "Action | Key\nMODE\nPause | Space\nMODELS\nSnap | Ctrl + drag\nThe rest is as always.",
            ["Action: Pause; Key: Space", "Action: Snap; Key: Ctrl + drag", "The rest is as always."],
        ),
    ],
)
def test_cuts_text_into_units(text, units):
    assert texts(text) == units


def test_code_stays_together():
    code = "Mine::Mine() :\n    Params(nullptr),\n    Scheduled(NAME, queues::rate)\n{\n}"
    (unit,) = [
        one for one in texts(f"Words say what it is for.\n{code}\nAnd more words follow it.") if "Mine" in one
    ]
    assert "Params(nullptr)" in unit
    assert "queues::rate" in unit


def test_a_unit_knows_its_headings_and_the_sentence_before():
    document = Evidence(
        "book", "0" * 64, "a.md", "Boat", "", "Oil is black. It is changed in May.",
        (ScoredPassage(SECTION, 0, 35, 0, "Engine > Oil", "oil", 1.0, 1.0),),
    )  # fmt: skip
    first, second = best_units([document])
    assert first.heading == second.heading == "Boat > Engine > Oil"
    assert (first.before, second.before) == ("", "Oil is black.")
    assert second.anchor == "oil"


@pytest.mark.parametrize(
    "text",
    [
        "x" * 5000,
        "word " * 2000,
        "\n".join(["- a"] * 3000),
        "a. " * 2000,
        "é" * 3000,
        " | \n" * 500,
        "a | b\n" * 900,
    ],
)
def test_whatever_the_passage_a_quote_is_exact_and_not_too_long(text):
    documents = evidence(text)
    verified = verify(quote(documents, wanting("x")), documents)
    assert verified.dropped == 0
    assert sum(len(one.text) for one in verified.summary) <= 2000


def test_no_evidence_is_no_statement():
    assert quote([], wanting("x")).summary == ()


def test_a_heading_is_not_part_of_a_unit_unless_there_is_nothing_else():
    text = "Paint\nThe hull gets two coats."
    (document,) = evidence(text)
    (passage,) = document.passages
    for of, found in ((text, ["The hull gets two coats."]), ("Paint", ["Paint"])):
        under = passage._replace(end=len(of), heading="Boat > Paint; Sails")
        assert [unit.text for unit in best_units([document._replace(passages=(under,))])] == found


def test_at_most_six_hundred_characters_are_said():
    rows = [f"Key {number} hangs by {'the stove and ' * 20}the door." for number in range(4)]
    draft = quote(evidence("\n\n".join([*rows, "Key 9 is green."])), wanting("Key"))
    assert said(draft) == [rows[0], "Key 9 is green."]


SECTIONS = """\
VPN
Connect
Start the client and choose heron. Never connect from public computers.
Reset the password
Write to it@heron.example. A reset password is valid for one day."""


@pytest.mark.parametrize(
    ("question", "found", "first"),
    [
        ("How do I connect to the VPN?", "Never", "Start the client and choose heron."),
        ("How do I reset the VPN password?", "valid", "Write to it@heron.example."),
        (
            "How do I reset the VPN password of the printer?",
            "valid",
            "A reset password is valid for one day.",
        ),
        ("How do I connect without the client?", "Never", "Never connect from public computers."),
        ("", "Never", "Never connect from public computers."),
    ],
    ids=["a denial", "a property", "not all that is asked", "a denial that is asked for", "no procedure"],
)
def test_the_instruction_below_the_heading_that_names_what_is_asked_leads(question, found, first):
    documents = evidence(SECTIONS, title="VPN", heading="VPN > Connect; Reset the password")
    assert said(quote(documents, wanting(found), procedure=question))[0] == first
