"""People's patterns: what they are, and that none of them takes long."""

import pytest

from vademecum.desks.chat.patterns import BadPattern, PatternSet, read_pattern


@pytest.mark.parametrize(
    ("written", "body", "flags", "warns"),
    [
        ("/openshift/i", "openshift", "i", False),
        ("/a/mi", "a", "im", False),
        (r"/^docs\//", r"^docs\/", "", False),
        (r"/^docs\/", r"^docs\/", "", True),
        (r"/a\\/", r"a\\", "", False),
        ("/a/b/s", "a/b", "s", False),
        ("/a", "a", "", True),
        ("a/b", "a/b", "", False),
        ("a/i", "a/i", "", False),
    ],
)
def test_reads_patterns_with_and_without_slashes(written, body, flags, warns):
    found = read_pattern(written)
    assert (found.body, found.flags, bool(found.warning)) == (body, flags, warns)


@pytest.mark.parametrize(
    "written",
    [
        "",
        "/",
        "//",
        "//i",
        "/a/g",
        "/a/x",
        "/a/i/u",
        "/(/",
        "/a)(b/",
        "/[/",
        "/a**/",
        "(?=a)",
        "(?!a)",
        "(?<=a)b",
        r"(a)\1",
        "a{1001}",
        r"\q",
        "(?P<n>a",
        "\ud800",
        "(((((a{30}){30}){30}){30}){30})",
    ],
)
def test_rejects_bad_patterns(written):
    with pytest.raises(BadPattern):
        read_pattern(written)


def test_flags():
    for written, text, hit in (
        ("/^b$/", "a\nb", False), ("/^b$/m", "a\nb", True), ("/a.b/", "a\nb", False), ("/a.b/s", "a\nb", True),
        ("/straße/i", "STRAßE", True), ("/a/", "A", False), ("/a/i", "A", True),
    ):  # fmt: skip
        assert (0 in PatternSet([read_pattern(written)]).matching([text])) == hit, written


def test_a_set_names_each_that_one_of_the_texts_has():
    patterns = PatternSet([read_pattern(one) for one in ("a", "b", "/C/i", "^d$", "a|b")])
    assert patterns.matching(["xa"]) == {0, 4}
    assert patterns.matching(["b", "c"]) == {1, 2, 4}
    assert patterns.matching(["xd"]) == frozenset()
    assert patterns.matching(["d"]) == {3}
    assert patterns.matching([""]) == frozenset()
    assert patterns.matching([]) == frozenset()
    assert PatternSet([]).matching(["a"]) == frozenset()
    assert patterns.matching(["\ud800a"]) == {0, 4}


def test_a_set_says_the_same_as_each_alone():
    words = [f"{a}{b}{c}" for a in "aeiou" for b in "rstl" for c in "xyz"]
    written = [rf"/\b{one}\b/i" for one in words[:30]] + [f"{one}.*{one[::-1]}" for one in words[30:]]
    patterns = [read_pattern(one) for one in written]
    text = " ".join(words[::3] + [one[::-1] for one in words[::2]] + [one.upper() for one in words[1:9]])
    alone = {place for place, one in enumerate(patterns) if PatternSet([one]).matching([text])}
    assert PatternSet(patterns).matching([text]) == alone
    assert 0 < len(alone) < len(patterns)


def test_when_the_set_runs_out_of_memory_each_is_searched_for():
    gaps = [read_pattern(rf"(?i)(?:x|y{n}).{{0,18}}z{n}\d") for n in range(150)]
    found = PatternSet([*gaps, read_pattern("plain")])
    assert found.matching(["xy" * 20_000 + " z7 z99 z8 plain y3 z31"]) >= {150, 3}


@pytest.mark.parametrize(
    "written", ["(a+)+$", "(a|aa)+$", "(a*)*b", "^(([a-z])+.)+[A-Z]([a-z])+$", "(x+x+)+y", "(.*)*=.*"]
)
def test_none_of_them_takes_long(written):
    patterns = PatternSet([read_pattern(written)] * 3)
    patterns.matching(["a" * 100_000 + "!", "x" * 100_000])
