"""From a request to templates: what must hold filters or is shown as given up, and the right one comes first."""

import pytest

from vademecum.core.errors import AnswerError
from vademecum.desks.composer.search.scoring import SIGNALS
from vademecum.desks.composer.search.search import search
from vademecum.desks.composer.settings import ClassificationSettings, ScoringSettings


@pytest.fixture
def find(ours, settings):
    return lambda query, **more: search(
        query, more.pop("library", ours), more.pop("settings", settings), **more
    )


def stems(found, count=3):
    return [one.entry.stem for one in found.ranked[:count]]


# --- the specification's test cases -----------------------------------------------------------------------------------


def test_cloud_elxr_raw_image(find, real):
    found = find("cloud elxr raw image", library=real)
    assert found.classification.type == "semantic"
    assert found.ranked[0].entry.stem == "elxr-cloud-amd64"
    assert all(one.entry.facts.distribution == "wind-river-elxr" for one in found.ranked)
    assert all(one.entry.facts.image_type == "raw" for one in found.ranked)


def test_image_with_nginx_and_docker_ce(find):
    found = find("image with nginx and docker-ce")
    assert found.classification.type == "package_explicit"
    assert found.classification.weights.package > find("image for the web").classification.weights.package
    assert found.classification.packages == ("nginx", "docker-ce")
    assert found.ranked[0].package > 0


def test_edge_iot_minimal_raw(find, real):
    found = find("edge IoT minimal raw", library=real)
    assert found.classification.type == "keyword_heavy"
    assert found.classification.weights.keyword == 0.4
    assert "edge" in found.ranked[0].file


def test_minimal_without_docker(find, real):
    found = find("minimal without docker", library=real)
    assert found.classification.type == "negation"
    left_out = {one.file for one in found.excluded}
    with_docker = {
        one.file
        for one in real.templates
        if any("docker" in name or name.startswith("moby") for name in one.facts.packages)
    }
    assert with_docker
    assert with_docker == left_out
    assert not with_docker & {one.file for one in found.ranked}
    assert "minimal" in found.ranked[0].file


@pytest.mark.parametrize("query", ["add monitoring packages", "change disk size to 8GiB"])
def test_refinements(query, find):
    assert find(query, in_session=True).classification.type == "refinement"
    assert find(query).classification.type != "refinement"


# --- constraints ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "stem"),
    [
        ("our laptops get stolen, nobody may read what is on them", "debian13-x86_64-encrypted-raw"),
        ("a robot that finds its way", "ubuntu24-x86_64-robotics-raw"),
        ("web server", "el10-x86_64-web-server-raw"),
        ("Linux inside Windows", "ubuntu24-x86_64-devbox-wsl2"),
        ("the control loop must never miss a deadline", "debian13-x86_64-realtime-raw"),
        ("my computer does not boot, I want my files back", "debian13-x86_64-rescue-iso"),
        ("PostgreSQL database", "debian13-x86_64-database-raw"),
    ],
)
def test_the_best_template_comes_first(query, stem, find):
    assert stem in stems(find(query))


def test_constraints_are_filters(find):
    found = find("ARM picture, no Ubuntu")
    assert found.ranked
    assert {one.entry.facts.architecture for one in found.ranked} == {"aarch64"}
    assert "ubuntu" not in {one.entry.facts.distribution for one in found.ranked}
    assert found.relaxed == ()
    assert "ARM" in {one.constraint.said for one in found.excluded}
    assert all(one.because for one in found.excluded)


def test_takes_the_first_available_alternative(find):
    assert {one.entry.facts.version for one in find("container host on azl3 or ubuntu24").ranked} == {"azl3"}
    assert {one.entry.facts.version for one in find("container host on Fedora or ubuntu24").ranked} == {
        "ubuntu24"
    }


def test_the_newest_release(find, real):
    assert stems(find("newest release of Ubuntu", library=real)) == ["ubuntu26-x86_64-minimal-raw"]
    versions = {one.entry.facts.version for one in find("newest hardware on Ubuntu", library=real).ranked}
    assert versions == {"ubuntu24", "ubuntu26"}


@pytest.mark.parametrize(
    ("query", "said", "still"),
    [
        ("fedora server", "fedora", lambda facts: facts.version),
        ("Ubuntu 22.04 container host", "Ubuntu 22.04", lambda facts: facts.version),
        ("debian wsl2", "wsl2", lambda facts: facts.distribution == "debian"),
        ("RISC-V board with Debian", "RISC-V", lambda facts: facts.distribution == "debian"),
        ("emt3 iso on ARM", "iso", lambda facts: facts.version == "emt3"),
    ],
)
def test_relaxes_what_no_template_has_and_says_so(query, said, still, find):
    found = find(query)
    assert said in [one.constraint.said for one in found.relaxed]
    assert all(one.message for one in found.relaxed)
    assert found.ranked
    assert all(still(one.entry.facts) for one in found.ranked)


def test_exclusions_that_leave_nothing_cost_score_and_are_shown(find, folder_of):
    text = "image: {{name: {0}, version: '1'}}\ntarget: {{os: debian, dist: debian13, arch: x86_64, imageType: raw}}\nsystemConfig: {{packages: [docker.io, {0}]}}\n"
    library = folder_of({f"{name}.yml": text.format(name) for name in ("nginx", "postgresql")})
    plain = find("web server with nginx", library=library).ranked[0]
    found = find("web server with nginx but without docker", library=library)
    assert found.ranked[0].entry.stem == "nginx"
    assert found.relaxed[0].constraint.kind == "package"
    assert "lose score" in found.relaxed[0].message
    assert found.ranked[0].penalty == pytest.approx(found.ranked[0].score)  # half is taken off
    assert found.ranked[0].score < plain.score


def test_an_exact_structural_match_is_never_dropped(find, settings):
    strict = settings._replace(scoring=ScoringSettings(min_score_threshold=0.99))
    assert find("aarch64", settings=strict).ranked
    assert find("disk size 40GiB", settings=strict).ranked[0].entry.facts.disk_size_bytes == 40 << 30
    assert find("something for the garden", settings=strict).ranked == ()


def test_drops_what_is_not_near(find):
    assert find("who won the world cup in 1998").ranked == ()


# --- settings ---------------------------------------------------------------------------------------------------------


def test_weights_take_effect(find, settings):
    query = "container host with nginx and docker-ce"
    for semantic, keyword, package in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, 0.0)):
        scoring = ScoringSettings(
            semantic=semantic, keyword=keyword, package=package, min_score_threshold=0.0
        )
        rules = ClassificationSettings(package_threshold=9, keyword_density=1.0)
        found = find(query, settings=settings._replace(scoring=scoring, classification=rules))
        best = found.ranked[0]
        total = (semantic + keyword + package) or 1.0
        expected = semantic * best.semantic + keyword * best.keyword + package * best.package
        assert best.score == pytest.approx(expected / total)


def test_the_penalty_takes_effect(find, settings, folder_of):
    text = "image: {name: n, version: '1'}\ntarget: {os: debian, dist: debian13, arch: x86_64, imageType: raw}\nsystemConfig: {packages: [docker.io]}\n"
    library = folder_of({"n.yml": text})
    scores = {}
    for penalty in (0.0, 0.25, 1.0):
        rules = ClassificationSettings(negation_penalty=penalty)
        low = ScoringSettings(min_score_threshold=0.0)
        found = find(
            "debian without docker",
            library=library,
            settings=settings._replace(classification=rules, scoring=low),
        )
        scores[penalty] = found.ranked[0].score
    assert scores[0.0] == 0
    assert scores[0.25] == pytest.approx(scores[1.0] / 4)


def test_the_floor_takes_effect(find, settings):
    query = "a lean system for people who count sheep"
    low, high = (
        find(query, settings=settings._replace(scoring=ScoringSettings(min_score_threshold=floor))).ranked
        for floor in (0.0, 0.6)
    )
    assert len(low) > len(high)
    assert all(one.score >= 0.6 for one in high)


# --- trace and order --------------------------------------------------------------------------------------------------


def test_the_trace_says_everything(find):
    found = find("debian database without docker")
    steps = {step.name: step.saw for step in found.trace.steps}
    assert list(steps) == ["classify", "filter", "vectors", "score", "decide"]
    assert steps["classify"]["type"] == "negation"
    assert steps["classify"]["exclusions"][0]["said"] == "docker"
    assert steps["filter"]["excluded"]
    assert steps["vectors"]["hits"] + steps["vectors"]["misses"] > 20
    first = steps["score"]["scores"][0]
    assert first["file"] == found.ranked[0].file
    assert set(first["parts"]) == set(SIGNALS)


def test_scores_fall_and_lie_between_0_and_1(find):
    for query in ("cloud", "aarch64 container host with podman", "robot without a screen"):
        scores = [one.score for one in find(query).ranked]
        assert scores
        assert scores == sorted(scores, reverse=True)
        assert all(0 <= score <= 1 for score in scores)


def test_equal_requests_give_equal_results(find):
    first, second = (find("edge gateway with MQTT") for _ in range(2))
    assert [(one.file, one.score, one.why) for one in first.ranked] == [
        (one.file, one.score, one.why) for one in second.ranked
    ]


# --- bad input --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("query", ["", "   ", "...", "?!", "\n\t", "\0", "🤖"])
def test_nothing_to_look_for_is_an_error(query, find):
    with pytest.raises(AnswerError):
        find(query)


@pytest.mark.parametrize(
    "query",
    [
        "$(rm -rf /) `id` ; cat /etc/passwd",
        "packages: [nginx]\nsystemConfig: !!python/object:os.system {}",
        "azure linux with apt",
        "debian ubuntu fedora arm x86 iso raw wsl2 without debian ubuntu fedora arm x86 iso raw wsl2",
        "without without without docker no no not",
        "\ud800 edge",
        "(" * 500 + "edge",
        "edge " * 700,
        "x" * 3_999,
    ],
    ids=range(9),
)
def test_odd_requests_end_well(query, find):
    found = find(query)
    assert found.trace.steps


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("ein kleines Bild für einen Rechner mit Docker", "in German"),
        ("小型边缘镜像 docker", "in Chinese or Japanese"),
        ("edge " * 30_000, "at most 4,000"),
    ],
    ids=range(3),
)
def test_rejects_unreadable_requests(query, says, find):
    with pytest.raises(AnswerError, match=says):
        find(query)


def test_an_empty_library_gives_nothing(find, folder_of):
    found = find("edge", library=folder_of({}))
    assert (found.ranked, found.relaxed) == ((), ())
