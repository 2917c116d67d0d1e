"""How requests and refinements of the image composer are counted: what is missing, silent or changed beside must show."""

import pytest

from vademecum.desks.composer.agent import Agent
from vademecum.desks.composer.draft import Around
from vademecum.desks.composer.library import TemplateLibrary
from vademecum.desks.composer.settings import CacheSettings, ComposerSettings, SessionSettings

SETTINGS = ComposerSettings(
    provider="none", cache=CacheSettings(enabled=False), session=SessionSettings(persist=False)
)
SERVER = "debian13/debian13-x86_64-server-raw.yml"


@pytest.fixture(scope="module")
def agent(tmp_path_factory):
    library = TemplateLibrary.open(keep_in=tmp_path_factory.mktemp("kept"))
    return Agent(Around(library=library, settings=SETTINGS))


def request(asked, expect, undeliverable=()):
    return {"id": "r", "request": asked, "expect": expect, "undeliverable": list(undeliverable)}


def test_a_request_that_holds_in_all_things_is_right(agent):
    from composer_requests import requests

    asked = "debian 13 server with nginx, 16 GiB disk, hostname web01, user bob with sudo, and frobnicator"
    expect = {
        "distribution": "debian",
        "packages_include": ["nginx"],
        "disk_size": ["16GiB"],
        "hostname": "web01",
        "user": {"name": "bob", "sudo": True},
    }
    counted = requests(agent, [request(asked, expect, ["frobnicator"])])
    assert counted["right"] == 1.0
    assert counted["items"] == 5
    assert counted["undeliverable_named"] == 1.0


@pytest.mark.parametrize(
    ("expect", "undeliverable"),
    [
        ({"distribution": "ubuntu"}, []),
        ({"packages_include": ["apache2"]}, []),
        ({"packages_exclude": ["nginx"]}, []),
        ({"packages_exclude_pattern": ["ngin*"]}, []),
        ({"disk_size": ["32GiB"]}, []),
        ({"hostname": "web02"}, []),
        ({"user": {"name": "alice"}}, []),
        ({"partitions": [{"mountPoint": "/data", "size": "2GiB"}]}, []),
        ({"kernel_cmdline_include": ["quiet-as-a-mouse"]}, []),
        ({"text_absent": ["nginx"]}, []),
        ({}, ["a pony"]),
    ],
)
def test_a_missing_or_silently_skipped_item_is_wrong(agent, expect, undeliverable):
    from composer_requests import requests

    asked = "debian 13 server with nginx, 16 GiB disk, hostname web01"
    assert requests(agent, [request(asked, expect, undeliverable)])["right"] == 0.0


def refinement(turns, expect, kind="add"):
    return {"id": "f", "kind": kind, "start": SERVER, "turns": turns, "expect": expect}


@pytest.mark.parametrize(
    ("turns", "expect"),
    [
        (["add nginx"], {"changed": {"systemConfig.packages": {"add": ["nginx"]}}}),
        (["set the hostname to web01"], {"changed": {"systemConfig.hostname": "web01"}}),
        (["add nginx", "undo"], {"same_as": "start"}),
        (["add nginx", "add htop", "undo"], {"same_as": "turn-1"}),
        (["is nginx in it?"], {"same_as": "start", "answer_contains": ["nginx"]}),
        (["remove the root partition"], {"refused": True}),
    ],
)
def test_a_refinement_that_changes_what_was_asked_and_nothing_else_is_right(agent, turns, expect):
    from composer_refinements import refinements

    counted = refinements(agent, agent, SETTINGS, [refinement(turns, expect)])
    assert counted["right"] == 1.0
    assert counted["by_kind"] == {"add": "1/1"}


@pytest.mark.parametrize(
    ("turns", "expect"),
    [
        (["add nginx and htop"], {"changed": {"systemConfig.packages": {"add": ["nginx"]}}}),
        (["add nginx, hostname web01"], {"changed": {"systemConfig.packages": {"add": ["nginx"]}}}),
        (["add htop"], {"changed": {"systemConfig.packages": {"add": ["nginx"]}}}),
        (["set the hostname to web01"], {"changed": {"systemConfig.hostname": "web02"}}),
        (["change the disk size to 16 GiB"], {"changed": {"disk.size": "8GiB"}}),
        (["add nginx"], {"same_as": "start"}),
        (["add nginx"], {"refused": True}),
        (["is nginx in it?"], {"same_as": "start", "answer_contains": ["marmalade"]}),
    ],
)
def test_a_refinement_that_changes_too_much_too_little_or_something_else_is_wrong(agent, turns, expect):
    from composer_refinements import refinements

    assert refinements(agent, agent, SETTINGS, [refinement(turns, expect)])["right"] == 0.0


def test_a_template_that_is_not_there_is_wrong(agent):
    from composer_refinements import refinements

    line = refinement(["add nginx"], {}) | {"start": "nowhere.yml"}
    assert refinements(agent, agent, SETTINGS, [line])["right"] == 0.0
