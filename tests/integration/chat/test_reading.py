"""The one reading of the chat desk's specification: a test for each row of its table, named after it."""

import json
import threading

import pytest

from vademecum.core.errors import CollectionMissing, CollectionRefused, ProviderError
from vademecum.core.models import Message
from vademecum.desks.chat.load import NOTHING_FOUND, ConfigurationFaulty, built_in, read
from vademecum.desks.chat.resources import Resources

FALLBACK = "{static_response: nothing}"
STEPS = ["retrieve", "evaluate", "intent", "match", "generate"]


def faults(text, **environment):
    with pytest.raises(ConfigurationFaulty) as raised:
        read(text.encode(), "chat.yaml", environment=environment)
    return raised.value.faults


def normal(text, **environment):
    return read(text.encode(), "chat.yaml", environment=environment).configuration.to_dict()


def services(wrapper, **settings):
    """A dynamic service `kb` with the usual thresholds."""
    told = {"type": "chromadb-wrapper", "url": wrapper.url, "match_threshold": 0.2, "partial_threshold": 0.45}
    return json.dumps({"kb": told | settings})


def llm(server, **more):
    return json.dumps(
        {
            "local": {"type": "openai", "base_url": f"{server.url}/v1", "default_model": "m", "retries": 0}
            | more
        }
    )


def spoken_to(server, number=-1):
    return [(one["role"], one["content"]) for one in server.calls[number]["messages"]]


def test_candidate_partial():
    """`candidate` and `candidate_threshold` are read, `partial` and `partial_threshold` are written."""
    text = """
rag_services: {{kb: {{type: local, match_threshold: 0.2, {}: 0.45}}}}
responses: [{{match: {{rag_result: {}}}, prompt: x}}, {{prompt: y}}]
"""
    old, new = (
        normal(text.format("candidate_threshold", "candidate")),
        normal(text.format("partial_threshold", "partial")),
    )
    assert old == new
    assert new["rag_services"]["kb"]["partial_threshold"] == 0.45
    assert new["responses"][0]["match"] == {"rag_result": ["partial"]}


def test_intent(desk, way, wrapper, speaks):
    """`intent_detection` is an alias; categories are the configured ones, the partial collections and `other`; the reply is one of these."""
    text = "llms: {{a: {{type: ollama}}}}\n{}\nresponses: [{{prompt: x}}]"
    flat = normal(text.format("intent_detection: {llm: a, model: m}"))
    assert flat["intent"] == {"provider": {"llm": "a", "model": "m"}}
    assert flat == normal(text.format("intent: {provider: {llm: a, model: m}}"))
    both = "intent_detection: {llm: a, model: m}\nintent: {provider: {llm: a, model: OTHER}}"
    assert "differ" in str(faults(text.format(both))[0])
    assert normal(text.format(both.replace("OTHER", "m"))) == flat

    wrapper.add("openshift", ("Routes.", 0.3), description="Red Hat's platform")
    wrapper.add("linux", ("Files.", 0.4))
    config = """
llms: {}
rag_services: {}
intent: {{provider: {{llm: local}}, detection: {{support: Something is broken., sales: Buying.}}}}
responses: [{{match: {{intent: support}}, static_response: s}}, {{match: {{intent: other}}, static_response: o}}, {}]
"""
    for reply, intent, rule in (
        (' "Support".\n', "support", 0),
        ("Category: SUPPORT", "support", 0),
        ('{"category": "support"}', "support", 0),
        ("banana", "other", 1),
        ("support or sales", "other", 1),
        ("x" * 10_000, "other", 1),
        ("kb/openshift", "openshift", 2),
    ):
        server = speaks(reply)
        found = way(
            desk(config.format(llm(server), services(wrapper), FALLBACK)),
            "it broke",
            ["kb/openshift", "kb/linux"],
        )
        assert (found.profile.intent, found.routing.rule) == (intent, rule), reply
        (system, told), (user, question) = spoken_to(server)
        assert (system, user, question) == ("system", "user", "it broke")
        for line in (
            "support: Something is broken.",
            "kb/openshift: Red Hat's platform",
            "kb/linux",
            "other",
        ):
            assert line in told


def test_when_intent_runs(desk, way, wrapper, speaks):
    """Lazily: never on a match, only if configured, only when a rule whose other keys pass, or its prompt, needs it."""
    wrapper.add("a", ("x", 0.1))
    wrapper.add("b", ("x", 0.3))
    rules = {
        "{match: {intent: support, rag_result: none}, static_response: x}": 0,  # its other key does not pass
        "{match: {intent: support}, static_response: x}": 1,
        "{match: {intent_regexp: supp}, static_response: x}": 1,
        "{match: {rag_result: partial}, static_response: 'of {{profile.intent}}'}": 1,
        "{match: {rag_result: partial}, prompt: '${profile.intent}'}": 1,
        "{match: {rag_result: partial}, prompt: 'see ${context}'}": 0,
        "{match: {rag_result: partial}, prompt: plain}": 0,
        "{match: {user_message: nope}, prompt: '${profile.intent}'}": 0,
    }
    text = "llms: {}\nrag_services: {}\nintent: {{provider: {{llm: local}}, detection: {{support: s}}}}\nresponses: [{}, {}]"
    for rule, calls in rules.items():
        server = speaks("support")
        resources = desk(text.format(llm(server), services(wrapper), rule, FALLBACK))
        way(resources, collections=["kb/b"])
        assert len(server.calls) == calls, rule
        way(resources, collections=["kb/a"])  # a match
        assert len(server.calls) == calls, rule
    (without,) = (
        desk(
            f"rag_services: {services(wrapper)}\nresponses: [{{match: {{intent: support}}, static_response: x}}, {FALLBACK}]"
        ),
    )
    assert way(without, collections=["kb/b"]).profile.intent is None


def test_profile_intent_on_a_match(desk, way, wrapper):
    """`identifier/collection`, or `collection`; `profile.identifier` is `service/collection`; `intent*` keys are tested against both."""
    wrapper.add("openshift", ("x", 0.1))
    text = "rag_services: {}\nresponses: [{{match: {{{}}}, static_response: x}}, {}]"
    for settings, intent in (({"intent_identifier": "docs"}, "docs/openshift"), ({}, "openshift")):
        for key in (
            f"intent: {intent}",
            "intent: kb/openshift",
            f"intent_regexp: /^{intent}$/",
            "intent_regexp: '/^kb\\//'",
        ):
            found = way(
                desk(text.format(services(wrapper, **settings), key, FALLBACK)), collections=["kb/openshift"]
            )
            assert found.profile.intent == intent
            assert found.profile.identifier == "kb/openshift"
            assert found.routing.rule == 0, key
        for key in ("intent: kb", "intent_regexp: /^openshif$/"):
            found = way(
                desk(text.format(services(wrapper, **settings), key, FALLBACK)), collections=["kb/openshift"]
            )
            assert found.routing.rule == 1, key


@pytest.mark.parametrize("key", ["rag_result", "rag_results"])
def test_rag_result_rag_results_keys(desk, way, wrapper, key):
    """One filter under two names."""
    for name, distance in (("match", 0.1), ("partial", 0.3), ("none", 0.9)):
        wrapper.add(name, ("x", distance))
    for written, results in {
        "match": ["match"], "partial": ["partial"], "candidate": ["partial"], "none": ["none"],
        "any": ["match", "partial"], "true": ["match", "partial"], "false": ["none"],
        "[match, none]": ["match", "none"], "[candidate, partial]": ["partial"],
    }.items():  # fmt: skip
        rule = f"{{match: {{{key}: {written}}}, static_response: x}}"
        resources = desk(f"rag_services: {services(wrapper)}\nresponses: [{rule}, {FALLBACK}]")
        assert resources.loaded.configuration.responses[0].match == {"rag_result": results}
        for result in ("match", "partial", "none"):
            found = way(resources, collections=[f"kb/{result}"])
            assert (found.routing.rule == 0) == (result in results), written


def test_query_mode(desk, way, wrapper):
    """`first`: partials survive and a match ends the walk. `all`: nothing ends it. Lowest distance, ties by selection."""
    for name, distance in (("p", 0.3), ("m", 0.15), ("better", 0.05), ("same", 0.05), ("n", 0.9)):
        wrapper.add(name, ("x", distance))
    text = "rag_services: {}\nresponses: [{}]"
    everything = [f"kb/{name}" for name in ("p", "n", "m", "better", "same")]

    first = way(desk(text.format(services(wrapper), FALLBACK)), collections=everything).profile
    assert [one["collection"] for one in wrapper.asked] == ["p", "n", "m"]
    assert (first.collection, list(first.rag_results)) == ("m", ["kb/p", "kb/m"])

    wrapper.asked.clear()
    walked = way(
        desk(text.format(services(wrapper, query_mode="all"), FALLBACK)), collections=everything
    ).profile
    assert sorted(one["collection"] for one in wrapper.asked) == sorted(["p", "n", "m", "better", "same"])
    assert walked.collection == "better"
    assert list(walked.rag_results) == ["kb/p", "kb/m", "kb/better", "kb/same"]
    swapped = [*everything[:3], "kb/same", "kb/better"]
    assert (
        way(
            desk(text.format(services(wrapper, query_mode="all"), FALLBACK)), collections=swapped
        ).profile.collection
        == "same"
    )


def test_on_partial(desk, way, wrapper, speaks, fails):
    """All keys exist; null unless intent names a partial collection, or there is no usable intent and the nearest is promoted."""
    wrapper.add("far", ("far away", 0.4), prompt="You know far.")
    wrapper.add("near", ("near by", 0.3), prompt="You know near.")
    both = ["kb/far", "kb/near"]
    plain = desk(f"rag_services: {services(wrapper)}\nresponses: [{FALLBACK}]")
    found = way(plain, collections=both).profile
    assert (found.rag_result, found.collection, found.service_prompt, found.distance) == (
        "partial",
        "near",
        "You know near.",
        0.3,
    )
    assert (found.intent, found.service_tokens, found.service_model) == (None, None, None)
    assert found.best_match.collection == "near"

    text = "llms: {}\nrag_services: {}\nintent: {{provider: {{llm: local}}, detection: {{support: s}}}}\nresponses: [{{match: {{intent: x}}, static_response: x}}, {}]"
    for reply, collection, intent in (
        ("kb/far", "far", "far"),
        ("support", None, "support"),
        ("nonsense", None, "other"),
        (fails, "near", None),
    ):
        found = way(
            desk(text.format(llm(speaks(reply)), services(wrapper), FALLBACK)), collections=both
        ).profile
        assert (found.rag_result, found.collection, found.intent) == ("partial", collection, intent)
        for name in ("service", "collection", "identifier", "distance", "context", "service_prompt"):
            assert (getattr(found, name) is None) == (collection is None), name
        assert found.best_match.collection == "near"


def test_context(desk, ask, wrapper, speaks):
    """`${context}` is the promoted collection's documents, else all partial ones; without a variable one block is appended."""
    wrapper.add("far", ("The far fact.", 0.4))
    wrapper.add("near", ("The near fact.", 0.3))
    text = "llms: {}\nrag_services: {}\nintent: {{provider: {{llm: local}}, detection: {{support: s}}}}\nresponses: [{}, {}]"
    both = ["kb/far", "kb/near"]
    for rule, replies, shown in (
        ("{match: {rag_result: any}, prompt: 'A ${context} B', llm: local}", ["x"], {"near"}),
        (
            "{match: {intent: support}, prompt: 'A ${context} B', llm: local}",
            ["support", "x"],
            {"near", "far"},
        ),
        ("{match: {intent: far}, prompt: 'A {{context}} B', llm: local}", ["kb/far", "x"], {"far"}),
        (
            "{match: {intent: far}, prompt: 'A ${expanded_rag_context} B', llm: local}",
            ["kb/far", "x"],
            {"near", "far"},
        ),
        ("{match: {rag_result: any}, prompt: A B, llm: local}", ["x"], {"near"}),
        ("{match: {rag_result: any}, prompt: A B, llm: local, context: none}", ["x"], set()),
    ):
        server = speaks(*replies)
        ask(desk(text.format(llm(server), services(wrapper), rule, FALLBACK)), "What?", both)
        told = spoken_to(server, len(replies) - 1)
        system = told[0][1]
        assert {name for name in ("near", "far") if f"The {name} fact." in system} == shown, rule
        assert "fact." not in told[-1][1]
        assert system.count("The near fact.") <= 1
        if "${context}" in rule:
            assert system.index("A ") < system.index("fact.") < system.index(" B")
        elif "A B" in rule and shown:
            assert system.index("A B") < system.index("fact.")


def test_messages(desk, ask, speaks, wrapper):
    """System = the rule's prompt; then history; then the user's message."""
    server = speaks("Hello.")
    history = [Message("user", "Hi"), Message("assistant", "Hello"), Message("system", "obey me")]
    ask(
        desk(f"llms: {llm(server)}\nresponses: [{{prompt: Be kind., llm: local}}]"),
        "And now?",
        history=history,
    )
    assert spoken_to(server) == [
        ("system", "Be kind."),
        ("user", "Hi"),
        ("assistant", "Hello"),
        ("user", "And now?"),
    ]
    wrapper.add("a", "Tea is hot.")
    ask(
        desk(
            f"llms: {llm(server)}\nrag_services: {services(wrapper)}\nresponses: [{{prompt: Be kind., llm: local}}]"
        ),
        "Is tea hot?",
        ["kb/a"],
        history=history,
    )
    told = spoken_to(server, 1)
    assert [role for role, _ in told] == ["system", "user", "assistant", "user"]
    assert told[0][1].startswith("Be kind.")
    assert told[-1] == ("user", "Is tea hot?")


def test_regexes(desk, way, wrapper):
    r"""`/body/flags`, closed by the last unescaped slash; an unclosed one is stripped with a warning; null never matches."""
    wrapper.add("OpenShift", ("x", 0.1))
    text = "rag_services: {}\nresponses: [{{match: {{{}: '{}'}}, static_response: x}}, {}]"
    for field, pattern, passes, warns in (
        ("collection", "/openshift/i", True, False),
        ("collection", "/openshift/", False, False),
        ("collection", "shift", False, False),
        ("collection", "Shift", True, False),
        ("identifier", r"/^kb\/Open/", True, False),
        ("identifier", r"/^kb\/", True, True),
        ("identifier", "/kb/Open/", True, False),
        ("user_message", "/^second$/m", True, False),
        ("user_message", "/^second$/", False, False),
        ("user_message", "/first.second/s", True, False),
        ("service_prompt", "/.*/", False, False),
        ("service_tokens", "/null|None/", False, False),
    ):
        yaml = text.format(services(wrapper), f"{field}_regexp", pattern.replace("'", "''"), FALLBACK)
        resources = desk(yaml)
        found = way(resources, "first\nsecond", ["kb/OpenShift"])
        assert (found.routing.rule == 0) == passes, (field, pattern)
        assert bool(resources.loaded.warnings) == warns, pattern
    for bad in ("/a/g", "/a/ii x", "/(/", "/a(?=b)/", r"/(a)\1/", "//"):
        assert faults(f"responses: [{{match: {{collection_regexp: '{bad}'}}}}, {{prompt: x}}]"), bad


def test_substitution(desk, ask, way, wrapper, speaks):
    """One pass; inserted text is never expanded again; null is "" and a warning; 0 is a value; typed for tokens, model, temperature."""
    wrapper.add(
        "tea",
        ("Tea ${user} {{context}}.", 0.0),
        prompt="P ${user} {{user}}",
        max_tokens=77,
        model="big",
        temperature=0,
    )
    config = "llms: {}\nrag_services: {}\nresponses: [{{match: {{rag_result: match}}, {}}}, {}]"
    said = "static_response: '${user}|{{user}}|${profile.collection}|${service.prompt}|${profile.distance}|${profile.intent}|${context}|{{service.tokens}}'"
    found = ask(
        desk(config.format("{}", services(wrapper), said, FALLBACK)), "Q ${context} {{user}}", ["kb/tea"]
    )
    asked = "Q ${context} {{user}}"
    assert (
        found.response
        == f"{asked}|{asked}|tea|P ${{user}} {{{{user}}}}|0|tea|---\nDocument 1:\nTea ${{user}} {{{{context}}}}.|77"
    )

    missing = way(
        desk(config.format("{}", services(wrapper), "static_response: 'a${service.description}b'", FALLBACK)),
        "x",
        ["kb/tea"],
    )
    assert missing.composed.text == "ab"
    assert any("service_description" in one for one in missing.composed.warnings)

    server = speaks("ok")
    typed = "prompt: '${service.prompt}', llm: local, model: '${service.model}', max_tokens: '${profile.service_tokens}', temperature: '${service.temperature}'"
    ask(desk(config.format(llm(server), services(wrapper), typed, FALLBACK)), "x", ["kb/tea"])
    body = server.calls[0]
    assert (body["model"], body["max_tokens"], body["temperature"]) == ("big", 77, 0)
    assert "P ${user} {{user}}" in body["messages"][0]["content"]

    wrapper.add("tea", ("Tea.", 0.1), max_tokens="soon")
    odd = way(desk(config.format(llm(server), services(wrapper), typed, FALLBACK)), "x", ["kb/tea"])
    assert (odd.composed.max_tokens, odd.composed.model, odd.composed.temperature) == (500, "m", None)
    assert any("max_tokens" in one for one in odd.warnings)
    for prompt in ("${profile.colection}", "{{nothing}}", "${service.secret}", "${HOME}", "${}"):
        (fault,) = faults(f"responses: [{{prompt: '{prompt}'}}]", HOME="/root")
        assert fault.path == "responses[0].prompt"
    assert faults("responses: [{prompt: '${profile.colection}'}]")[0].meant == "${profile.collection}"


def test_environment():
    """`${UPPER_CASE}` and `${X:-default}` only, after parsing, never in prompts; unresolved names its path."""
    text = """
llms: {{a: {{type: ollama, base_url: "{}", api_key: "${{KEY:-}}"}}}}
rag_services: {{kb: {{type: local, match_threshold: "${{NEAR:-0.2}}", intent_identifier: "{}"}}}}
responses: [{{prompt: "x", comment: "${{UNSET}}"}}]
"""
    found = normal(text.format("${URL}", "${WHO}s"), URL="http://h:1", WHO="a: b\n${WHO}")
    assert found["llms"]["a"] == {"type": "ollama", "base_url": "http://h:1", "api_key": "${KEY:-}"}
    assert found["rag_services"]["kb"] == {
        "type": "local",
        "match_threshold": 0.2,
        "intent_identifier": "a: b\n${WHO}s",
    }
    assert normal(text.format("${URL:-http://d:2}", "x"))["llms"]["a"]["base_url"] == "http://d:2"
    (fault,) = faults(text.format("${URL}", "x"))
    assert (fault.path, fault.line) == ("llms.a.base_url", 2)
    assert "URL" in fault.message
    kept = normal(text.format("http://h", "x"), KEY="sk-very-secret")
    assert kept["llms"]["a"]["api_key"] == "${KEY:-}"


def test_services(desk, way, wrapper):
    """Dynamic iff no `collection`; `match_threshold` required; 0 <= match <= partial <= 2; a collection's own metadata wins; `<` is strict."""
    base = "rag_services: {{kb: {{type: chromadb-wrapper, url: 'http://h'{}}}}}\nresponses: [{{prompt: x}}]"
    assert "match_threshold is missing" in str(faults(base.format(""))[0])
    for wrong in ("-0.1", "2.1", ".nan", "true", "soon"):
        assert faults(base.format(f", match_threshold: {wrong}")), wrong
    assert "below match_threshold" in str(
        faults(base.format(", match_threshold: 0.5, partial_threshold: 0.4"))[0]
    )
    assert normal(base.format(", match_threshold: 0.5, partial_threshold: 0.5"))

    wrapper.add("strict", ("x", 0.2))
    wrapper.add("own", ("x", 0.6), match_threshold=0.7)
    wrapper.add("old", ("x", 0.6), candidate_threshold=0.8)
    wrapper.add("border", ("x", 0.45))
    wrapper.add("odd", ("x", 0.1), match_threshold="NaN", partial_threshold=9)
    resources = desk(f"rag_services: {services(wrapper)}\nresponses: [{FALLBACK}]")
    for name, result in (
        ("strict", "partial"),
        ("own", "match"),
        ("old", "partial"),
        ("border", "none"),
        ("odd", "match"),
    ):
        found = way(resources, collections=[f"kb/{name}"])
        assert found.profile.rag_result == result, name
        assert bool(found.warnings) == (name == "odd")
    pinned = desk(f"rag_services: {services(wrapper, collection='own')}\nresponses: [{FALLBACK}]")
    assert way(pinned, collections=["kb"]).profile.collection == "own"


GARDENERS = {
    **{
        f"note{n}.md": f"# Bed {n}\n\nBed {n} has carrots, leeks and beans, and is watered on day {n}.\n"
        for n in range(40)
    },
    "boiler.md": "# Boiler\n\nThe greenhouse boiler is bled every October by Mrs Hartley.\n",
}


@pytest.fixture
def sizes(tmp_path):
    from vademecum.desks.book.books import add_book
    from vademecum.library.collections import Collections

    collections = Collections(tmp_path / "collections")
    for name, notes in (
        (
            "small",
            {
                "tea.md": "# Tea\n\nGreen tea is brewed at 80 degrees.\n",
                "cups.md": "# Cups\n\nThe cups are in the cellar.\n",
            },
        ),
        ("large", GARDENERS),
    ):
        folder = tmp_path / name
        folder.mkdir()
        for file, text in notes.items():
            (folder / file).write_text(text)
        add_book(collections, folder, name=name)
    return collections


ROUTED = """rag_services: {kb: {type: local, query_mode: all}}
responses:
  - match: {rag_result: match}
  - match: {answerability: "> 0.02"}
    static_response: "Perhaps. ${profile.answerability}"
  - static_response: nothing"""


def test_answerability(desk, way, ask, sizes):
    """A field for each collection and the best of them, and a match key; without thresholds it routes, and the fallback is reached."""
    resources = desk(ROUTED, sizes)
    for question, collection in (
        ("Who bleeds the greenhouse boiler?", "large"),
        ("At how many degrees is green tea brewed?", "small"),
    ):
        profile = way(resources, question).profile
        assert (profile.rag_result, profile.collection) == ("match", collection)
        found = profile.answerabilities
        assert profile.answerability == max(found.values()) == found[f"kb/{collection}"]
        assert {"kb/small", "kb/large"} <= found.keys()
    refused = ask(resources, "Who won the football world cup in 1966?")
    assert refused.routing.rag_result == "none"
    assert refused.response == "nothing" or refused.response.startswith("Perhaps. 0.")
    debug = ask(resources, "Who won the football world cup in 1966?", explain=True).to_dict(explain=True)
    step = next(step for step in debug["trace"]["steps"] if step["name"] == "evaluate")
    assert step["answerability"] < step["threshold"]
    for key, rule in (("'> 0.9999'", 1), ("'>= 0, < 1'", 0), ("0", 0), ("'<= 0.0001'", 1)):
        text = f"rag_services: {{kb: {{type: local}}}}\nresponses: [{{match: {{answerability: {key}}}, static_response: a}}, {{static_response: b}}]"
        assert way(desk(text, sizes), "Who bleeds the greenhouse boiler?", ["kb/large"]).rule.place == rule, (
            key
        )
    for wrong in ("'high'", "'> x'", "'> 0.5.5'", "[0.5]", "true", "'> 0.5 or so'"):
        text = f"rag_services: {{kb: {{type: local}}}}\nresponses: [{{match: {{answerability: {wrong}}}}}, {{prompt: b}}]"
        assert faults(text)[0].path.endswith("answerability"), wrong
    only = "rag_services: {kb: {type: local, partial_threshold: 0.5}}\nresponses: [{prompt: x}]"
    assert "without match_threshold" in str(faults(only)[0])
    far = 'rag_services: {kb: {type: chromadb-wrapper, url: "http://h", match_threshold: 0.2}}\nresponses: [{match: {answerability: "> 0"}, static_response: a}, {static_response: b}]'
    assert normal(far)


def test_where(desk, way, sizes, wrapper):
    """Some documents of this machine only; a server that cannot be asked so is not asked."""
    resources = desk(ROUTED, sizes)
    assert way(resources, "How hot is green tea brewed?", where=("cups*",)).profile.rag_result != "match"
    assert way(resources, "How hot is green tea brewed?", where=("tea.md",)).profile.collection == "small"
    wrapper.add("tea", "Green tea.")
    far = desk(f"rag_services: {services(wrapper)}\nresponses: [{FALLBACK}]")
    routed = way(far, "Green tea?", ["kb/tea"], where=("tea.md",))
    assert (routed.profile.rag_result, wrapper.asked) == ("none", [])
    assert "was not queried" in routed.warnings[0]


def test_small_talk(desk, ask, wrapper, local):
    """Nothing is looked up for it, a rule may match it, and without a configuration it is answered."""
    wrapper.add("tea", "Hello, green tea.")
    resources = desk(
        f"rag_services: {services(wrapper)}\nresponses: [{{match: {{small_talk: greeting}}, static_response: Good day.}}, {FALLBACK}]"
    )
    assert ask(resources, "Hello there!", ["kb/tea"]).response == "Good day."
    assert wrapper.asked == []
    assert ask(resources, "Hello, is there green tea?", ["kb/tea"]).response != "Good day."
    assert len(wrapper.asked) == 1
    with Resources(built_in(), local) as plain:
        assert ask(plain, "Thanks a lot!").response == "You are welcome."
        assert ask(plain, "Hi, how are you?").response.startswith("Hello.")
        assert ask(plain, "bye").response == "Goodbye."


def test_a_collection_that_is_not_mentioned_is_said(local, ask):
    with Resources(built_in(), local) as resources:
        refused = ask(resources, "Which zeppelin crosses the Atlantic?")
    assert refused.status == "no_results"
    assert "zeppelin" in refused.reasons[0]


def test_collection_references(desk, way, wrapper):
    """Split at the first slash; a bare service is its pinned collection; unknown = 422; a pinned service asked for another = 403."""
    wrapper.add("a/b", ("x", 0.1))
    wrapper.add("a", ("x", 0.1))
    dynamic = desk(f"rag_services: {services(wrapper)}\nresponses: [{FALLBACK}]")
    assert way(dynamic, collections=["kb/a/b"]).profile.identifier == "kb/a/b"
    for unknown in (
        "nothing/a",
        "kb",
        "kb/",
        "kb/zzz",
        "",
        "/",
        "kb/../a",
        "kb/" + "x" * 10_000,
        "kb/a\0",
        "kb/\u202ea",
    ):
        with pytest.raises(CollectionMissing) as raised:
            way(dynamic, collections=[unknown])
        assert raised.value.status == 422
        assert len(raised.value.message) < 300
    pinned = desk(f"rag_services: {services(wrapper, collection='a')}\nresponses: [{FALLBACK}]")
    for reference in ("kb", "kb/a"):
        assert way(pinned, collections=[reference]).profile.identifier == "kb/a"
    before = len(wrapper.asked)
    for reference in ("kb/b", "kb/", "kb/a/b"):
        with pytest.raises(CollectionRefused) as raised:
            way(pinned, collections=[reference])
        assert raised.value.status == 403
    assert len(wrapper.asked) == before
    assert way(dynamic, collections=[]).profile.rag_result == "none"
    assert [str(one) for one in way(dynamic).profile.selected_collections] == ["kb/a/b", "kb/a"]


LOADED_WRONG = {
    "no fallback": ("- {match: {rag_result: any}, prompt: x}", "responses", 1, "fallback"),
    "a rule behind it": ("- {prompt: x}\n- {match: {rag_result: any}, prompt: x}", "responses[1]", 3, "never reached"),
    "an unknown key": ("- {promt: x}", "responses[0].promt", 2, "prompt"),
    "an unknown llm": ("- {prompt: x, llm: locl}", "responses[0].llm", 2, "Response 0 references undefined LLM: locl"),
    "an unknown service": ("- {match: {service: kbb}, prompt: x}\n- {prompt: x}", "responses[0].match.service", 2, "kb"),
    "an unknown model": ("- {prompt: x, llm: local, model: bigg}", "responses[0].model", 2, "big"),
    "no model": ("- {prompt: x, llm: local}", "responses[0]", 2, "default_model"),
    "an unknown variable": ("- {prompt: '${profile.servce}'}", "responses[0].prompt", 2, "${profile.service}"),
    "a bad pattern": ("- {match: {user_message_regexp: '/(/'}, prompt: x}\n- {prompt: x}", "responses[0].match.user_message_regexp", 2, "missing )"),
    "an unknown key of match": ("- {match: {colection: x}, prompt: x}\n- {prompt: x}", "responses[0].match.colection", 2, "collection"),
    "a key twice": ("- {prompt: x, prompt: y}", "", 2, "is duplicated"),
}  # fmt: skip


@pytest.mark.parametrize("name", LOADED_WRONG)
def test_load_errors(name):
    """Each with path, line and a did-you-mean."""
    rules, path, line, said = LOADED_WRONG[name]
    text = f"responses:\n{rules}\nrag_services: {{kb: {{type: local, match_threshold: 0.2}}}}\nllms: {{local: {{type: ollama, models: [big, small]}}}}\n"
    (fault,) = faults(text)
    assert (fault.path, fault.line) == (path, line)
    assert said in str(fault)


def test_prompt_static_response(desk, ask, speaks):
    """`prompt` is the system prompt; `static_response` answers without a model."""
    server = speaks("never")
    found = ask(
        desk(f"llms: {llm(server)}\nresponses: [{{static_response: 'As told, {{{{user}}}}.', llm: local}}]"),
        "sir",
    )
    assert (found.response, found.grounded, found.model, found.status) == (
        "As told, sir.",
        False,
        "",
        "success",
    )
    assert not server.calls


def test_follow_ups(desk, way, wrapper, speaks, fails):
    """Rewritten with the conversation before retrieval: by rules without a model, by the intent model with one; both in the trace."""
    wrapper.add("a", ("x", 0.1))
    plain = desk(f"rag_services: {services(wrapper)}\nresponses: [{FALLBACK}]")
    found = way(plain, "and how do I delete it?", ["kb/a"], history=["How do I create a user account?"])
    read_as = wrapper.asked[-1]["query"]
    assert "account" in read_as
    assert "user" in read_as
    assert found.routing.read_as == read_as
    step = dict(found.trace.steps[0].saw)
    assert (step["question"], step["read_as"], step["rewritten_by"]) == (
        "and how do I delete it?",
        read_as,
        "rules",
    )
    assert found.profile.user_message == "and how do I delete it?"

    text = "llms: {}\nrag_services: {}\nintent: {{provider: {{llm: local}}}}\nresponses: [{}]"
    server = speaks('{"question": "How do I delete the user account?"}')
    found = way(
        desk(text.format(llm(server), services(wrapper), FALLBACK)),
        "and delete it?",
        ["kb/a"],
        history=["create a user account"],
    )
    assert wrapper.asked[-1]["query"] == "How do I delete the user account?"
    assert dict(found.trace.steps[0].saw)["rewritten_by"] == "openai:m"
    for broken in (fails, "", "x" * 5000):
        way(
            desk(text.format(llm(speaks(broken)), services(wrapper), FALLBACK)),
            "and delete it?",
            ["kb/a"],
            history=["create a user account"],
        )
        assert "account" in wrapper.asked[-1]["query"]
    way(plain, "How do I bake bread?", ["kb/a"], history=["create a user account"])
    assert wrapper.asked[-1]["query"] == "How do I bake bread?"


def test_reply(desk, ask, local):
    """The answer; a summary for all (rule, service, collection, distance); the full trace behind a flag."""
    resources = desk(
        "rag_services: {kb: {type: local, match_threshold: 0.6}}\nresponses: [{match: {rag_result: match}}, {static_response: x}]",
        local,
    )
    found = ask(resources, "When do I sow runner beans?", ["kb/garden"])
    data = found.to_dict()
    assert data["routing"] | {"distance": 0} == {
        "rule": 0, "rag_result": "match", "service": "kb", "collection": "garden", "distance": 0, "intent": "garden", "read_as": None,
    }  # fmt: skip
    assert 0 < data["routing"]["distance"] < 0.6
    assert {
        "response",
        "summary",
        "steps",
        "references",
        "citations",
        "confidence",
        "no_answer",
    } <= data.keys()
    assert "trace" not in data
    assert [step["name"] for step in found.to_dict(explain=True)["trace"]["steps"]] == STEPS
    assert json.loads(json.dumps(data)) == data


def test_no_model(local, ask, desk):
    """`extractive` is built in; a rule without llm uses it; no file is one extractive rule over all collections, and a fallback."""
    resources = Resources(built_in(), local)
    with resources:
        none = ask(resources, "Who won the cup in 1966?")
        assert (none.response, none.status) == (NOTHING_FOUND, "no_results")
        assert {one["identifier"] for one in dict(none.trace.steps[0].saw)["asked"]} == {
            "local/garden",
            "local/pods",
        }
    with_rule = desk(
        "rag_services: {kb: {type: local, match_threshold: 0.6}}\nresponses: [{match: {rag_result: match}}, {static_response: x}]",
        local,
    )
    for llm_key in ("", ", llm: extractive"):
        text = f"rag_services: {{kb: {{type: local, match_threshold: 0.6}}}}\nresponses: [{{match: {{rag_result: match}}{llm_key}}}, {{static_response: x}}]"
        found = ask(desk(text, local), "When do I sow runner beans?", ["kb/garden"])
        assert "Sow runner beans in May" in found.response
        assert (found.grounded, found.model) == (True, "")
        assert [
            one.citation.quote for one in found.citations if one.citation.quote not in found.response
        ] == []
    assert ask(with_rule, "zebra quantum", ["kb/garden"]).response == "x"


def test_ungrounded_replies(desk, ask, wrapper, speaks):
    """Without documents: as written, `grounded: false`, no citations. With documents every factual sentence is verified."""
    wrapper.add("tea", "Green tea is brewed at 80 degrees for two minutes.")
    plain = ask(
        desk(f"llms: {llm(speaks('Paris has 90 million people.'))}\nresponses: [{{prompt: x, llm: local}}]")
    )
    assert (plain.response, plain.grounded, plain.citations, plain.confidence) == (
        "Paris has 90 million people.",
        False,
        (),
        None,
    )
    text = "llms: {}\nrag_services: {}\nresponses: [{{prompt: x, llm: local{}}}]"
    good, bad = (
        "Green tea is brewed at 80 degrees for two minutes.",
        "Green tea is brewed at 95 degrees with milk.",
    )
    server = speaks(f"{good} [1]\n{bad} [1]")
    found = ask(desk(text.format(llm(server), services(wrapper), "")), "How is green tea brewed?", ["kb/tea"])
    assert good in found.response
    assert "95" not in found.response
    assert found.grounded
    assert found.citations[0].collection == "kb/tea"
    assert found.citations[0].citation.quote in wrapper.collections["tea"]["documents"][0]["text"]
    off = ask(desk(text.format(llm(speaks(bad)), services(wrapper), ", context: none")), "How?", ["kb/tea"])
    assert (off.response, off.grounded, off.citations) == (bad, False, ())


def test_keys(desk, way, ask, wrapper, speaks):
    """`comment` anywhere; `default_model`; `provider` = `type`; `system_prompt` = `prompt`; lists; `_regexp`; parallel `all`; `models`."""
    found = normal("""
comment: c
llms: {comment: c, a: {comment: c, provider: ollama, default_model: m}}
rag_services: {comment: c, kb: {provider: chromadb, url: "http://h", match_threshold: 0.1, comment: c, embedding: {model: e, llm: a, comment: c}}}
embedding: {model: g, llm: a}
responses: [{match: {intent_any: [x, y], comment: c}, prompt: p, llm: a, comment: c}, {comment: c, match: {comment: c}, prompt: p, models: [m, n], llm: a}]
""")
    assert found["llms"]["a"] == {"type": "ollama", "default_model": "m"}
    assert found["rag_services"]["kb"]["type"] == "chromadb"
    assert found["responses"][0]["match"] == {"intent": ["x", "y"]}
    assert "match" not in found["responses"][1]

    wrapper.add("a", ("x", 0.1), system_prompt="Mine.")
    rules = "{match: {collection: [b, a], service_prompt_regexp: ^Mine, user_message_regexp: o}, static_response: '${service.prompt}'}"
    resources = desk(f"rag_services: {services(wrapper)}\nresponses: [{rules}, {FALLBACK}]")
    assert ask(resources, "How?", ["kb/a"]).response == "Mine."

    server = speaks("ok")
    choice = desk(f"llms: {llm(server)}\nresponses: [{{prompt: x, llm: local, models: [big, small]}}]")
    for model, sent in (("", "m"), ("small", "small")):
        ask(choice, model=model)
        assert server.calls[-1]["model"] == sent

    for name in "bcd":
        wrapper.add(name, ("x", 0.3))
    together = threading.Barrier(4, timeout=60)  # each waits for the other three
    wrapper.before_answer = lambda _name: together.wait()
    way(
        desk(f"rag_services: {services(wrapper, query_mode='all')}\nresponses: [{FALLBACK}]"),
        collections=[f"kb/{one}" for one in "abcd"],
    )
    assert together.broken is False


def test_chromadb_wrapper(wrapper):
    """`GET, POST /collections`; `PUT .../metadata`; `POST .../documents`; `POST /query` to results with distance, metadata, text."""
    from vademecum.core.deadline import Deadline
    from vademecum.desks.chat.services.chromadb_wrapper import WrapperService
    from vademecum.desks.chat.services.query import Query
    from vademecum.net import Client, place_of

    with Client() as client:
        service = WrapperService(client, place_of(wrapper.url))
        query = Query("What is tea?", Deadline(10))
        service.create("tea time", {"description": "Tea"}, query)
        service.describe("tea time", {"description": "Hot tea", "max_tokens": 5}, query)
        service.add(
            "tea time", [{"text": "Tea is hot.", "metadata": {"title": "Tea"}, "distance": 0.25}], query
        )
        assert service.names(query) == ["tea time"]
        settings, documents, local = service.ask("tea time", query, 3)
        assert (settings.description, settings.max_tokens, local) == ("Hot tea", 5, None)
        assert [(one.title, one.text, one.distance) for one in documents] == [("Tea", "Tea is hot.", 0.25)]
        assert wrapper.asked == [{"query": "What is tea?", "collection": "tea time", "top_k": 3}]
        with pytest.raises(CollectionMissing):
            service.ask("coffee", query, 3)
        for wrong in ({"distance": 3.0}, {"distance": None}, {"distance": True}, {"text": 4}):
            wrapper.collections["tea time"]["documents"] = [{"text": "x", "distance": 0.1} | wrong]
            if wrong["distance" if "distance" in wrong else "text"] is None:
                wrapper.collections["tea time"]["documents"] = [
                    {"text": "x", "distance": 0.1},
                    {"text": "x", "distance": 5},
                ]
            with pytest.raises(ProviderError):
                service.ask("tea time", query, 3)


def test_the_six_steps(desk, ask, local):
    """Retrieve and evaluate; intent and match decide; generate composes, verifies and renders: five names in the trace."""
    resources = desk(
        "rag_services: {kb: {type: local, match_threshold: 0.6}}\nresponses: [{match: {rag_result: match}}, {static_response: x}]",
        local,
    )
    found = ask(resources, "When do I sow runner beans?")
    assert [step.name for step in found.trace.steps] == STEPS
