"""The agent's four tools, and a language model beside them that decides nothing."""

import json

import pytest

from vademecum.core.models import ModelSettings
from vademecum.desks.composer import models as models_of
from vademecum.desks.composer.agent import Agent
from vademecum.desks.composer.drafting import Around
from vademecum.desks.composer.helping import Helper, helper_for
from vademecum.desks.composer.library import OUR_DEFAULTS
from vademecum.desks.composer.packages.reading import Package
from vademecum.desks.composer.packages.repositories import Repository
from vademecum.desks.composer.packages.states import PackageIndex
from vademecum.desks.composer.packages.store import PackageStore
from vademecum.desks.composer.surgery import Document
from vademecum.providers.registry import open_model
from vademecum.testing import ScriptedServer
from vademecum.testing.scripted import answer

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
def test_what_an_image_is_for_is_there_or_asked_back(agent, said, state):
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


def test_a_name_that_only_the_repository_knows_is_taken(agent):
    made = agent.draft(agent.read("debian 13 with mycorp-agent"))
    assert "mycorp-agent" in made.document.get("systemConfig", "packages")


def test_a_name_that_a_package_provides_is_that_package(agent):
    made = agent.draft(agent.read("debian 13 with htop and awk"))
    (one,) = [one for one in made.outcomes if one.wish.said == "awk"]
    assert (one.state, one.says) == ("delivered", "Added gawk (awk is given by gawk).")
    assert "gawk" in made.document.get("systemConfig", "packages")
    assert [one.state for one in made.packages if one.name == "gawk"] == ["verified"]
    more = agent.change(agent.read("add awk", there=made.document, file=made.file), made.document, made.file)
    (one,) = more.outcomes
    assert (one.state, one.says) == ("already", "gawk is there already (awk is given by gawk).")


def test_a_name_that_a_repository_alone_knows_is_a_known_name(agent):
    made = agent.draft(agent.read("debian 13 with htop and mycorp-agent"))
    (one,) = [one for one in made.outcomes if one.wish.value == "mycorp-agent"]
    assert (one.state, one.says) == ("delivered", "Added mycorp-agent.")


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


# --- A model ------------------------------------------------------------------------------------------------------


def said(text):
    message = {"role": "assistant", "content": text}
    return answer(
        {
            "model": "m",
            "message": message,
            "done": True,
            "done_reason": "stop",
            "prompt_eval_count": 5,
            "eval_count": 1,
        }
    )


def wishes(*found):
    return said(
        json.dumps(
            {"wishes": [dict(zip(("kind", "value", "wanted", "quote"), one, strict=True)) for one in found]}
        )
    )


def helped(ours, settings, server):
    rules = settings._replace(provider="none")
    helper = Helper(open_model(ModelSettings("ollama", "m", server.url, retries=0)), rules)
    return Agent(Around(library=ours, settings=rules), helper)


def test_a_model_may_find_what_the_rules_missed(ours, settings):
    with ScriptedServer(
        wishes(("package", "mosquitto", True, "the thing that passes readings on"))
    ) as server:
        agent = helped(ours, settings, server)
        made = agent.draft(agent.read("debian 13 box with the thing that passes readings on"))
    assert "mosquitto" in made.document.get("systemConfig", "packages")
    (one,) = [one for one in made.outcomes if one.wish.value == "mosquitto"]
    assert one.wish.note == "read by the model"


@pytest.mark.parametrize(
    "found",
    [
        ("package", "openssh-server", True, "never said by anybody"),
        ("package", "rootkit-9000", True, "with nginx"),
        ("hostname", "evil", True, "with nginx"),
        ("user", "root", True, "debian"),
        ("disk_size", "9999TiB", True, "debian"),
        ("command", "rm -rf /", True, "debian"),
    ],
)
def test_what_a_model_makes_up_counts_for_nothing(ours, settings, found):
    with ScriptedServer(wishes(found)) as server:
        agent = helped(ours, settings, server)
        read = agent.read("debian 13 with nginx please")
    assert [one.note for one in read.wishes] == ["", ""]


@pytest.mark.parametrize(
    "reply", ["no JSON", "{}", '{"wishes": 3}', '{"wishes": ["x", null, {"kind": 1}]}', ""]
)
def test_a_model_that_talks_nonsense_changes_nothing(ours, settings, reply):
    with ScriptedServer(said(reply)) as server:
        agent = helped(ours, settings, server)
        made = agent.draft(agent.read("debian 13 with nginx"))
    assert made.is_valid
    assert "nginx" in made.document.get("systemConfig", "packages")


def test_a_model_that_is_down_is_a_warning(ours, settings):
    with ScriptedServer(answer({"error": "gone"}, 500)) as server:
        agent = helped(ours, settings, server)
        read = agent.read("debian 13 with nginx")
    assert [one.value for one in read.wishes] == ["debian13", "nginx"]
    assert "by rules alone" in agent.helper.warnings[0]


BROKEN = """image: {name: "not a name!", version: "1.0"}
target: {os: debian, dist: debian13, arch: x86_64, imageType: raw}
systemConfig: {name: x, packages: [nginx]}
"""


@pytest.fixture
def broken(ours, settings):
    """Drafts from a template that rules can not mend, with a model at hand; gives the draft and what the model was asked."""

    def run(*script, attempts=2):
        with ScriptedServer(*script) as server:
            rules = settings._replace(
                agent=settings.agent._replace(max_fix_attempts=attempts), provider="none"
            )
            agent = helped(ours, rules, server)
            agent.around = Around(library=ours, settings=rules)
            document = Document.read(BROKEN)
            made = agent.change(agent.read("add htop", there=document), document, "")
            return made, [request.json for request in server.requests]

    return run


def test_self_correction_by_the_model_is_checked(broken):
    mended = BROKEN.replace("not a name!", "a-name").replace("[nginx]", "[nginx, htop]")
    made, asked = broken(wishes(), said(f"```yaml\n{mended}```"))
    old = made.findings
    assert len(asked) in {1, 2}  # the first is the reading of the request
    assert made.document.get("systemConfig", "packages") == ["nginx", "htop"]
    assert old is not None


def test_faults_that_were_there_before_do_not_undo_a_change(broken):
    made, _ = broken(wishes())
    assert made.document.get("systemConfig", "packages") == ["nginx", "htop"]
    assert [one.state for one in made.outcomes] == ["delivered"]
    assert not made.is_valid


def draft_with_fault(ours, settings, server, monkeypatch, attempts=2):
    """A draft whose base is at fault in a way that neither rules nor leaving wishes out can mend."""
    from vademecum.desks.composer import agent as module

    rules = settings._replace(agent=settings.agent._replace(max_fix_attempts=attempts), provider="none")
    helper = Helper(open_model(ModelSettings("ollama", "m", server.url, retries=0)), rules)
    agent = Agent(Around(library=ours, settings=rules), helper)
    real = module.draft

    def faulty(read, around, trace):
        made = real(read, around, trace)
        made.document = made.document.set(("image", "name"), "not a name!")
        return made

    monkeypatch.setattr(module, "draft", faulty)
    return agent


def test_the_model_mends_what_rules_can_not(ours, settings, monkeypatch):
    replies = [wishes()]
    with ScriptedServer(*replies, said("placeholder")) as server:
        agent = draft_with_fault(ours, settings, server, monkeypatch)
        read = agent.read("debian 13 with nginx")
        text = Agent(agent.around).draft(read).document.text.replace("not a name!", "a-name")
        server.script[:] = [said(text)]
        made = agent.draft(read)
    assert made.is_valid
    (saw,) = [one for one in steps(made, "fix_errors") if str(one["by"]).startswith("ollama")]
    assert saw["changed"] is True


@pytest.mark.parametrize(
    "reply",
    [
        "not yaml: [",
        "image: {name: x}",
        BROKEN.replace("debian13", "ubuntu24").replace("debian", "ubuntu"),
        "I can not do that.",
        BROKEN.replace("[nginx]", "[nginx, evil-package]"),
    ],
)
def test_a_worse_answer_of_the_model_is_not_taken_and_it_is_asked_twice_at_most(
    ours, settings, monkeypatch, reply
):
    with ScriptedServer(wishes(), said(reply)) as server:
        agent = draft_with_fault(ours, settings, server, monkeypatch)
        made = agent.draft(agent.read("debian 13 with nginx"))
        asked = len(server.requests)
    assert not made.is_valid
    assert asked == 3
    assert "evil-package" not in made.document.text
    assert len([one for one in steps(made, "fix_errors") if "attempt" in one]) == 2


def test_no_password_is_sent_to_a_model(ours, settings):
    with ScriptedServer(wishes()) as server:
        agent = helped(ours, settings, server)
        agent.draft(agent.read("debian 13, user bob with password hunter2x"))
        sent = b"".join(request.body for request in server.requests)
    assert sent
    assert b"hunter2x" not in sent


def test_without_a_server_auto_goes_without_a_model_at_once(settings):
    rules = settings._replace(provider="auto", ollama=settings.ollama._replace(base_url="http://127.0.0.1:9"))
    helper, told = helper_for(rules)
    assert helper is None
    assert "there is no Ollama here" in told


@pytest.mark.parametrize(
    ("provider", "section"), [("ollama:gemma3:1b", "ollama"), ("openai:own-model", "openai")]
)
def test_a_model_that_is_named_with_its_provider_is_asked_where_the_settings_say(
    settings, provider, section, monkeypatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    names = {"models": [{"name": "gemma3:1b"}], "data": [{"id": "own-model"}]}
    with ScriptedServer(answer(names)) as server:
        own = getattr(settings, section)._replace(base_url=server.url, timeout_s=7.0)
        rules = settings._replace(provider=provider, **{section: own})
        helper, told = helper_for(rules)
        assert server.requests
    assert helper.name == provider
    assert provider in told
    assert models_of.timeout_s(rules) == 7.0
    assert models_of.embedder(rules).base_url == server.url
    assert models_of.embedder(rules).model == own.embedding_model


def test_no_model_when_none_is_wanted(settings):
    assert helper_for(settings._replace(provider="none")) == (None, "No model helps: ai.provider is none.")


def test_the_defaults_are_at_hand(ours):
    assert ours.os_defaults_dir == OUR_DEFAULTS
