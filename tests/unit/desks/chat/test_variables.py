"""Prompts with variables."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.desks.chat.variables import UnknownVariable, fill, known_variables, read_template


@pytest.mark.parametrize(
    ("written", "names"),
    [
        ("plain", ()),
        ("${user} and {{user}}", ("user_message", "user_message")),
        ("${ profile.collection }{{ context }}", ("collection", "context")),
        (
            "${service.prompt}${service.tokens}${service.max_tokens}",
            ("service_prompt", "service_tokens", "service_tokens"),
        ),
        ("a $ b { c } $} ${ {{ }} {x} { {user} } {{ a b }} {{1}}", ()),
        ("${profile.expanded_rag_context}${expanded_rag_context}", ("expanded_rag_context",) * 2),
    ],
)
def test_names(written, names):
    assert read_template(written).names == names


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("${profile.colection}", "profile.collection"),
        ("${usr}", "user"),
        ("{{contxt}}", "context"),
        ("${HOME}", ""),
        ("${}", ""),
        ("${1+1}", ""),
        ("${profile.__class__}", ""),
    ],
)
def test_unknown_names(written, meant):
    with pytest.raises(UnknownVariable) as raised:
        read_template(written)
    assert raised.value.meant == meant or not meant


def test_nothing_that_is_put_in_is_looked_at_again():
    template = read_template("${user}|{{context}}|${user}")
    said = {"user_message": "${context} {{user}} ${HOME}", "context": "{{user}}${user}"}
    assert (
        fill(template, said.get) == "${context} {{user}} ${HOME}|{{user}}${user}|${context} {{user}} ${HOME}"
    )


def test_an_unset_variable_is_reported_and_empty():
    told = []
    assert (
        fill(read_template("a${service.model}b${profile.distance}"), {"distance": "0"}.get, told.append)
        == "ab0"
    )
    assert told == ["service_model"]


@given(st.text(), st.text())
def test_any_text_goes_in_as_it_is(before, value):
    try:
        template = read_template(before + "${user}")
    except UnknownVariable:
        return
    assert fill(template, lambda _name: value).endswith(value)


def test_the_known_ones_are_all_readable():
    for name in known_variables():
        assert read_template(f"${{{name}}}").names == read_template(f"{{{{{name}}}}}").names
