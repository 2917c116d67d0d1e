import pytest


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("How do I change file permissions?", ["change", "permissions"]),
        ("ask before overwriting when moving files", ["overwriting", "moving"]),
        ("-x?", ["manual"]),
        ("what is it", ["what", "is"]),
    ],
)
def test_apropos_is_asked_for_the_longest_words(question, wanted):
    from speed import keywords

    assert keywords(question) == wanted


def test_median_and_95th_percentile():
    from speed import spread

    assert spread([float(value) for value in range(101)]) == {"p50": 50.0, "p95": 95.0}
    assert spread([7.0]) == {"p50": 7.0, "p95": 7.0}


def test_evicting_leaves_files_as_they_are(tmp_path):
    from places import Home
    from speed import evict

    index = tmp_path / "data" / "ragcli" / "index"
    (index / "segments").mkdir(parents=True)
    (index / "segments" / "file").write_bytes(b"x" * 10_000)
    evict(Home(tmp_path, {}))
    assert (index / "segments" / "file").read_bytes() == b"x" * 10_000
