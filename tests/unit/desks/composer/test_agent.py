"""The agent's four tools."""

import pytest

from vademecum.desks.composer.agent import Agent
from vademecum.desks.composer.draft import Around
from vademecum.desks.composer.packages.reading import Package
from vademecum.desks.composer.packages.repositories import Repository
from vademecum.desks.composer.packages.states import PackageIndex
from vademecum.desks.composer.packages.store import PackageStore

HAS = "nginx curl htop systemd-sysv systemd-boot systemd-resolved dracut-core cryptsetup-bin systemd-cryptsetup efibootmgr apt ca-certificates iproute2 iputils-ping kmod locales less openssh-server procps sudo udev vim-tiny linux-image-amd64 apache2 mycorp-agent".split()  # noqa: SIM905 - one list reads best


@pytest.fixture
def index(tmp_path):
    """What Debian's repository has, as it would be after `vademecum packages sync`."""
    store = PackageStore(tmp_path / "packages")
    place = Repository(
        family="deb", suite="trixie", components=("main",), distribution="debian", version="debian13", architecture="x86_64",
        file="f", name="main", url="http://debian.example", role="system",
    )  # fmt: skip
    with store.writing() as writer:
        given = [Package("mawk", "1.0-1", ("awk",)), Package("gawk", "1.0-1", ("awk",))]
        writer.keep(place, [*(Package(name, "1.0-1") for name in HAS), *given], "")
    return PackageIndex(store)


@pytest.fixture
def agent(ours, settings, index):
    return Agent(Around(library=ours, settings=settings._replace(provider="none"), index=index))


def steps(made, name):
    return [step.saw for step in made.trace.steps if step.name == name]


def test_packages_are_looked_up_and_their_states_told(agent):
    made = agent.draft(agent.read("plain debian 13 with nginx, 4GiB"))
    assert {one.state for one in made.packages if one.name == "nginx"} == {"verified"}
    (saw,) = steps(made, "verify_packages")
    assert saw["packages"] > 10
    assert "verified" in saw["states"]


@pytest.mark.parametrize(
    ("said", "state"), [("that shows one web page", "already"), ("that plays music", "asked back")]
)
def test_a_purpose_is_there_or_asked_back(agent, said, state):
    made = agent.draft(agent.read(f"debian 13 {said}"))
    (purpose,) = [one for one in made.outcomes if one.wish.kind == "capability"]
    assert purpose.state == state
    assert made.is_complete is (state == "already")


def test_a_package_that_nobody_has_is_taken_out_again_with_others_named(agent):
    made = agent.draft(agent.read("debian 13 with htop and python3-nginx-tools"))
    assert "python3-nginx-tools" not in (made.document.get("systemConfig", "packages") or [])
    (one,) = [one for one in made.outcomes if one.wish.value == "python3-nginx-tools"]
    assert one.state == "undeliverable"
    assert "No repository" in one.says
    assert steps(made, "suggest_packages")


def test_takes_a_name_that_only_the_repository_knows(agent):
    made = agent.draft(agent.read("debian 13 with htop and mycorp-agent"))
    assert "mycorp-agent" in made.document.get("systemConfig", "packages")
    (one,) = [one for one in made.outcomes if one.wish.value == "mycorp-agent"]
    assert one.state == "delivered"


def test_a_name_that_a_package_provides_is_that_package(agent):
    made = agent.draft(agent.read("debian 13 with htop and awk"))
    (one,) = [one for one in made.outcomes if one.wish.said == "awk"]
    assert (one.state, one.says) == ("delivered", "Added gawk (awk is given by gawk).")
    assert "gawk" in made.document.get("systemConfig", "packages")
    assert [one.state for one in made.packages if one.name == "gawk"] == ["verified"]
    more = agent.change(agent.read("add awk", there=made.document, file=made.file), made.document, made.file)
    (one,) = more.outcomes
    assert (one.state, one.says) == ("already", "gawk is there already (awk is given by gawk).")


def test_without_an_index_nothing_is_claimed(ours, settings):
    agent = Agent(Around(library=ours, settings=settings._replace(provider="none")))
    made = agent.draft(agent.read("debian 13 with nginx"))
    assert made.packages == []
    assert not steps(made, "verify_packages")


@pytest.mark.parametrize(
    ("switch", "absent"),
    [
        ("enabled", ["validate_template", "verify_packages"]),
        ("auto_validate", ["validate_template"]),
        ("verify_packages", ["verify_packages"]),
    ],
)
def test_each_switch_takes_effect(ours, settings, index, switch, absent):
    rules = settings._replace(provider="none", agent=settings.agent._replace(**{switch: False}))
    made = Agent(Around(library=ours, settings=rules, index=index))
    made = made.draft(made.read("debian 13 with nginx"))
    assert not [step.name for step in made.trace.steps if step.name in absent]
