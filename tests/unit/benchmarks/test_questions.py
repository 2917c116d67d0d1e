def test_no_held_question_was_fitted_on():
    from quality import held, own_questions, question_sets

    sets = question_sets()
    fitted = {data["question"] for data, part in own_questions() if part != "held"}
    pages = {min(data["gold"]) for data, part in own_questions() if part != "held" and data.get("gold")}
    assert len(fitted) > 500
    assert len(held(answerable=True)) >= 150
    assert len(held(answerable=False)) >= 50
    assert fitted.isdisjoint(one["question"] for one in sets["held"])
    pages.discard("bash(1)")  # answers all that is asked of shell builtins, which are split by question
    assert pages.isdisjoint(min(one["gold"]) for one in held(answerable=True) if one.get("gold"))
    assert len(sets["refusals"]) > len(sets["held"])
