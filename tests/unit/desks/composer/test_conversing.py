"""A conversation: the four ways of the specification, taking back, beginning again, and never losing what was said."""

import pytest

from vademecum.core.errors import AnswerError
from vademecum.desks.composer.agent import Agent
from vademecum.desks.composer.draft import Around
from vademecum.desks.composer.editing import geometry
from vademecum.desks.composer.editing.document import Document
from vademecum.desks.composer.request.words.intents import correction, meant
from vademecum.desks.composer.session.conversation import Conversation
from vademecum.desks.composer.session.sessions import Sessions


@pytest.fixture
def begin(ours, settings, tmp_path):

    def start(**more):
        rules = settings._replace(provider="none", **more)
        agent = Agent(Around(library=ours, settings=rules))
        return Conversation(agent, Sessions(tmp_path / "sessions", rules).new())

    return start


def data(said):
    return Document.read(said.text).data


def packages(said):
    return data(said)["systemConfig"].get("packages", [])


# --- The four ways ------------------------------------------------------------------------------------------------


def test_a_first_template(begin):
    said = begin().say("Create a minimal edge image for eLxr with networking support")
    assert said.kind == "new"
    assert data(said)["target"]["os"] == "wind-river-elxr"
    assert said.summary == "It is made of the defaults of eLxr (elxr13)."


def test_refining_it_again_and_again(begin):
    talk = begin()
    talk.say("Create a minimal edge image for eLxr")
    said = talk.say("Add docker and monitoring packages")
    assert said.kind == "refinement"
    assert {"docker.io", "prometheus-node-exporter"} <= set(packages(said))
    assert "+    - docker.io" in said.diff
    assert "-    -" not in said.diff


def test_changing_this_and_that(begin):
    talk = begin()
    talk.say("debian 13 server")
    said = talk.say("Change the disk size to 8GiB and add a separate /data partition")
    assert data(said)["disk"]["size"] == "8GiB"
    assert [one["mountPoint"] for one in data(said)["disk"]["partitions"]][-1] == "/data"
    assert "8GiB (was 4GiB)" in said.summary
    before, after = Document.read(said.before).data, data(said)
    assert before.get("disk") != after.pop("disk")
    assert before == after


def test_asking_about_it(begin):
    talk = begin()
    before = talk.say("start from debian13-x86_64-database-raw with htop").text
    said = talk.say("What packages are included? Summarize the template.")
    assert said.kind == "question"
    assert said.text == before
    assert "postgresql-17" in said.summary
    assert "24GiB with 3 partitions" in said.summary


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("does it have procps?", "Yes, it has procps"),
        ("is docker in it?", "No, it has no docker"),
        ("how big is the disk?", "4GiB"),
        ("which distribution is it?", "Debian"),
        ("is it valid?", "valid"),
        ("what is the hostname?", "not set"),
        ("why this template?", "defaults of Debian"),
        ("what changed?", "Nothing has been changed"),
    ],
)
def test_questions_are_answered_from_the_template(begin, question, part):
    talk = begin()
    talk.say("debian 13 server")
    said = talk.say(question)
    assert said.kind == "question"
    assert part in said.summary


# --- Taking back --------------------------------------------------------------------------------------------------


def test_any_change_can_be_taken_back(begin):
    talk = begin()
    first = talk.say("debian 13 server").text
    second = talk.say("add nginx").text
    third = talk.say("disk size 16GiB").text
    assert talk.say("undo").text == second
    assert talk.say("redo").text == third
    assert talk.say("undo the last two changes").text == first
    assert "nothing to undo" in talk.say("undo").summary.lower()
    assert talk.say("add htop").text != first
    assert talk.say("back to turn 1").text == first


def test_one_change_among_many_can_be_taken_back(begin):
    talk = begin()
    talk.say("debian 13 server")
    talk.say("add nginx")
    talk.say("set the hostname to web01")
    said = talk.say("undo the nginx thing")
    assert "nginx" not in packages(said)
    assert data(said)["systemConfig"]["hostname"] == "web01"


def test_rejects_an_undo_of_a_change_that_never_was(begin):
    talk = begin()
    before = talk.say("debian 13 server").text
    talk.say("add nginx")
    with pytest.raises(AnswerError, match="elephant"):
        talk.say("undo the elephant")
    assert talk.text != before


def test_starting_over_brings_back_the_first_template_and_a_clean_slate(begin):
    talk = begin()
    first = talk.say("debian 13 server").text
    talk.say("add nginx")
    said = talk.say("start over")
    assert said.kind == "start-over"
    assert said.text == first
    said = talk.say("ubuntu 24.04 container host")
    assert said.kind == "new"
    assert data(said)["target"]["os"] == "ubuntu"


@pytest.mark.parametrize(
    "words",
    ["make me a new one", "start over with an ubuntu kiosk", "create an image for a web server on el10"],
)
def test_something_new_is_no_refinement(begin, words):
    talk = begin()
    talk.say("debian 13 server")
    assert talk.say(words).kind in {"new", "start-over"}


def test_another_distribution_is_another_template_with_the_same_wishes(begin):
    talk = begin()
    talk.say("debian 13 server with nginx")
    talk.say("set the hostname to web01")
    said = talk.say("switch to azure linux")
    assert data(said)["target"]["os"] == "azure-linux"
    assert data(said)["systemConfig"]["hostname"] == "web01"
    assert "nginx" in packages(said)


@pytest.mark.parametrize(
    ("turns", "path", "value"),
    [
        (["hostname www", "www2, please"], ("systemConfig", "hostname"), "www2"),
        (["disk 16GiB", "hmm, 24 rather"], ("disk", "size"), "24GiB"),
        (["disk 20GiB", "make the disk double as large"], ("disk", "size"), "40GiB"),
        (["rename it to ros-edge", "ros-edge-v2 is better"], ("image", "name"), "ros-edge-v2"),
        (["add user alice", "no wait, alicia"], ("systemConfig", "users"), "[{'name': 'alicia'}]"),
        (["add redis and a user alice with sudo", "actually call her alicia"], ("systemConfig", "users"), "[{'name': 'alicia', 'sudo': True}]"),
        (["add user dev", "make him a sudoer"], ("systemConfig", "users"), "[{'name': 'dev', 'sudo': True}]"),
        (["hostname hv1", "hv3, not hv1"], ("systemConfig", "hostname"), "hv3"),
        (["hostname hv1", "hv1 is a silly name, take hv3"], ("systemConfig", "hostname"), "hv3"),
        (["the disk should have 10 GB", "the disk is too small, make it twice as big"], ("disk", "size"), "20GB"),
        (["kernel options panic=30", "panic=10 in place of 30"], ("systemConfig", "kernel", "cmdline"), "panic=10"),
        (["192.168.3.8/24 on enp1s0", "the address ends in 18, not 8"], ("systemConfig", "network", "interfaces", 0, "addresses", 0), "192.168.3.18/24"),
        (["192.168.3.20/24 on enp1s0", "The boiler has already taken the 20. Use 21."], ("systemConfig", "network", "interfaces", 0, "addresses", 0), "192.168.3.21/24"),
        (["we are moving to Madrid... so set the clock for there"], ("systemConfig", "configurations"), "Europe/Madrid"),
        (["192.168.7.4/24 on enp1s0, router 192.168.7.1", "The router has moved to 192.168.7.254."], ("systemConfig", "network", "interfaces", 0, "routes"), "192.168.7.254"),
        (["image name pump-ctl, version 0.1.0", "Version 0.2.0. Name valve-ctl."], ("image", "name"), "valve-ctl"),
        (["add user anna", "change her name to anne"], ("systemConfig", "users", 0, "name"), "anne"),
        (["add user tomas", "He spells it tomasz."], ("systemConfig", "users", 0, "name"), "tomasz"),
        (["write it as qcow2 compressed with gz", "and a vmdk, not compressed"], ("disk", "artifacts"), "{'type': 'vmdk'}"),
    ],
)  # fmt: skip
def test_new_values_take_the_place_of_old_ones(begin, turns, path, value):
    talk = begin()
    talk.say("debian 13 server")
    for turn in turns:
        said = talk.say(turn)
        assert said.draft.is_complete, said.summary
    assert value in str(Document.read(talk.text).get(*path))


@pytest.mark.parametrize(
    ("turns", "left"),
    [
        (["Drop the latter."], {"git"}),
        (["Take the first one out."], {"mosh"}),
        (["Take the second one out.", "No, undo that. Take the first one out instead."], {"mosh"}),
    ],
)
def test_the_former_and_the_latter(begin, turns, left):
    talk = begin()
    talk.say("debian 13 server")
    talk.say("add git and mosh")
    for turn in turns:
        made = talk.say(turn)
    assert {"git", "mosh"} & {*packages(made)} == left


@pytest.mark.parametrize("said", ["I meant podman, not docker", "not docker but podman"])
def test_software_takes_the_place_of_software_even_where_the_machine_is_called_so(begin, said):
    talk = begin()
    talk.say("ubuntu 24.04 with docker, host name docker")
    made = talk.say(said)
    assert data(made)["systemConfig"].get("hostname") == "docker"
    assert "podman" in packages(made)
    assert "docker.io" not in packages(made)


def test_two_turns_in_one_are_both_taken_or_none(begin):
    talk = begin()
    talk.say("debian 13 server")
    before = talk.say("add git and mosh").text
    with pytest.raises(AnswerError):
        talk.say("undo that. Ich möchte bitte noch nginx und Docker dazu haben.")
    assert talk.text == before
    assert {"git", "mosh"} <= {*packages(talk.say("undo that. Add git, mosh and htop."))}


@pytest.mark.parametrize(
    "said",
    ["Bob has left us, remove his account.", "Forget the second account, please!", "remove the account bob"],
)
def test_an_account_goes_by_its_name_or_its_place(begin, said):
    talk = begin()
    talk.say("debian 13 server, accounts ada and bob")
    made = talk.say(said)
    assert made.draft.is_complete
    assert [user["name"] for user in data(made)["systemConfig"]["users"]] == ["ada"]


def test_a_size_of_something_that_is_not_named_is_asked_back(begin):
    talk = begin()
    text = talk.say("debian 13 server, 40 GB disk, swap 2 GB").text
    made = talk.say("4 GiB of it, even.")
    assert made.text == text
    assert not made.draft.is_complete


@pytest.mark.parametrize(
    ("said", "sizes"),
    [("double the swap", {"none": 4}), ("make /srv 6", {"/srv": 6}), ("/srv 20 of it", {"/srv": 20})],
)
def test_sizes_lean_on_those_that_are_there(begin, said, sizes):
    talk = begin()
    talk.say("debian 13 server, 40 GB disk, /srv 4 GB, swap 2 GB")
    made = talk.say(said)
    assert made.draft.is_complete
    disk = data(made)["disk"]
    found = {
        part["mountPoint"]: round((geometry.end_of(part, disk) - geometry.start_of(part)) / 10**9)
        for part in geometry.partitions_of(disk)
    }
    assert {mount: found[mount] for mount in sizes} == sizes


# --- Suggestions --------------------------------------------------------------------------------------------------


def test_nothing_is_suggested_unless_that_is_wanted(begin):
    assert begin().say("edge gateway for industrial IoT on debian").suggestions == ()


def test_a_suggestion_can_be_accepted(begin, settings):
    talk = begin(agent=settings.agent._replace(suggestions=settings.agent.suggestions._replace(enabled=True)))
    said = talk.say("debian 13 server for IoT")
    assert {"watchdog", "prometheus-node-exporter", "fail2ban"} >= {
        name for one in said.suggestions for name in one.packages
    }
    assert said.suggestions
    said = talk.say("yes, add them")
    assert said.kind == "suggestion"
    assert {"watchdog", "fail2ban"} & set(packages(said))
    assert talk.say("undo").kind == "undo"


def test_each_kind_of_suggestion_can_be_switched_off(begin, settings):
    rules = settings.agent.suggestions._replace(
        enabled=True, security_packages=False, monitoring_packages=False
    )
    said = begin(agent=settings.agent._replace(suggestions=rules)).say("debian 13 server for IoT")
    assert [one.kind for one in said.suggestions] == ["watchdog"]


# --- Not losing anything ------------------------------------------------------------------------------------------


def test_a_misunderstood_request_changes_nothing(begin):
    talk = begin()
    before = talk.say("debian 13 server").text
    said = talk.say("purple elephants dance")
    assert talk.text == before
    assert not any(one.is_met for one in said.draft.outcomes)
    assert not said.draft.is_complete


def test_no_password_is_kept_in_a_session(begin, tmp_path):
    talk = begin()
    talk.say("debian 13 server")
    said = talk.say("add user bob with password hunter2x")
    assert "hunter2x" not in said.summary + said.text + said.diff
    Sessions(tmp_path / "sessions", talk.agent.around.settings).save(talk.session)
    stored = b"".join(path.read_bytes() for path in (tmp_path / "sessions").glob("sessions.sqlite*"))
    assert b"add user bob with password" in stored
    assert b"hunter2x" not in stored


def accounts(said):
    return {one["name"]: one for one in data(said)["systemConfig"].get("users", [])}


def test_a_password_stays_when_something_else_changes(begin):
    talk = begin()
    talk.say("debian 13 server")
    talk.say("add nginx")
    before = accounts(talk.say("add user bob with password hunter2x"))["bob"]["password"]
    assert before.startswith("$6$")
    said = talk.say("undo the nginx change")
    assert "nginx" not in packages(said)
    assert accounts(said)["bob"]["password"] == before
    said = talk.say("make it ubuntu 24.04 instead")
    assert data(said)["target"]["os"] == "ubuntu"
    assert accounts(said)["bob"]["password"] == before


def test_a_session_that_was_changed_by_hand_is_read_as_far_as_it_goes(begin):
    talk = begin()
    talk.say("debian 13 server")
    talk.say("add nginx")
    for edits in (
        [{"stack": [0, 7, "x", None, -1, [1]]}],
        [{"stack": "all"}, {"stack": None}],
        [{"kind": "nothing", "state": "delivered"}, {"kind": ["x"]}, {"kind": "package", "details": "no"}],
        [{"suggested": [3, None]}, {"kind": "user", "value": "x", "secret": True, "state": "delivered"}],
    ):
        turns = talk.session.turns
        turns.append(turns[-1]._replace(kind="undo", edits=tuple(edits)))
        assert talk.say("what is in it?").summary
        assert "htop" in packages(talk.say("add htop"))
        assert talk.say("undo").kind in {"undo", "talk"}


def test_every_turn_leaves_a_valid_template(begin):
    talk = begin()
    for words in ["ubuntu 24.04 container host", "add nginx and htop", "remove nftables", "disk size 40GiB", "a 4 GiB /data partition", "user bob with sudo", "add quiet to the kernel options", "undo", "read-only root"]:  # fmt: skip
        said = talk.say(words)
        assert said.draft is None or said.draft.is_valid, words


@pytest.mark.parametrize(
    ("words", "intent"),
    [
        ("undo", "undo"), ("never mind, undo", "undo"), ("put it back the way it was", "undo"), ("redo", "redo"), ("forget all that and begin again", "start-over"),
        ("scrap my changes", "start-over"), ("what packages are included?", "question"), ("can you add nginx?", "refinement"), ("is it possible to add nginx?", "refinement"),
        ("validate", "validate"), ("show the diff", "diff"), ("show me the yaml", "show"), ("save it as x.yml", "save"), ("thanks!", "talk"), ("add a user bob", "refinement"),
        ("create a kiosk image", "new"), ("drop the swap partition", "refinement"), ("revert the last 3 changes", "undo"),
    ],
)  # fmt: skip
def test_recognises_the_intent(words, intent):
    assert meant(words, has_template=True).intent == intent


def test_a_correction_is_a_value_and_nothing_more():
    assert correction("www2, please") == ("www2", False)
    assert correction("and certbot") == ("certbot", True)
    assert correction("add nginx and htop") is None
    assert correction("undo") is None


def test_nothing_is_taken_out_that_is_not_named(begin):
    talk = begin()
    before = talk.say("debian 13 server with nginx")
    said = talk.say("make it as small as possible")
    assert said.text == before.text
    assert "Not delivered: as small as possible" in said.summary
