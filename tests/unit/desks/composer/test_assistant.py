"""A language model that reads a request as well, over a server that follows the wire format. It decides nothing."""

import json

import pytest

from vademecum.core.models import ModelSettings
from vademecum.desks.composer import models as models_of
from vademecum.desks.composer.agent import Agent
from vademecum.desks.composer.assistant import Assistant, assistant_for
from vademecum.desks.composer.draft import Around
from vademecum.desks.composer.editing.document import Document
from vademecum.providers.registry import open_model
from vademecum.testing import ScriptedServer
from vademecum.testing.scripted import answer


def said(text):
    message = {"role": "assistant", "content": text}
    done = {"done": True, "done_reason": "stop", "prompt_eval_count": 5, "eval_count": 1}
    return answer({"model": "m", "message": message} | done)


def row(kind, quote, value="", key="", wanted=True):
    return {"quote": quote, "kind": kind, "key": key, "value": value, "wanted": wanted}


def reading(*rows, base=""):
    return said(json.dumps({"wishes": rows, "base": base}))


@pytest.fixture
def helped(ours, settings):
    """Asks an agent with a scripted model; gives the draft, the warnings, and what the model was asked."""

    def ask(request, *script, there=None, attempts=2):
        with ScriptedServer(*script) as server:
            rules = settings._replace(
                provider="none", agent=settings.agent._replace(max_fix_attempts=attempts)
            )
            assistant = Assistant(open_model(ModelSettings("ollama", "m", server.url, retries=0)), rules)
            agent = Agent(Around(library=ours, settings=rules), assistant)
            read = agent.read(request, there=there)
            made = agent.change(read, there, "") if there else agent.draft(read)
            return made, assistant.warnings, [asked.json for asked in server.requests]

    return ask


@pytest.fixture
def alone(ours, settings):
    agent = Agent(Around(library=ours, settings=settings._replace(provider="none")))
    return lambda request: agent.draft(agent.read(request))


def outcome(made, value):
    return next(found for found in made.outcomes if found.wish.value == value)


def packages(made):
    return made.document.get("systemConfig", "packages") or []


@pytest.mark.parametrize(
    ("request_", "found", "path", "value"),
    [
        ("debian 13 box with the thing that zorbles readings on", row("package", "the thing that zorbles readings on", "mosquitto"), ("systemConfig", "packages", -1), "mosquitto"),
        ("debian 13, baptize it gate-7", row("hostname", "baptize it gate-7", "gate-7"), ("systemConfig", "hostname"), "gate-7"),
        ("debian 13, hours as in Europe/Vienna zorbled", row("nothing", "zorbled"), ("target", "dist"), "debian13"),
    ],
)  # fmt: skip
def test_the_model_reads_what_the_rules_missed(helped, request_, found, path, value):
    made, warnings, _ = helped(request_, reading(found))
    assert not warnings
    assert made.document.get(*path) == value
    assert made.is_complete


def test_plain_words_that_the_model_finds_nothing_in_are_background(helped, alone):
    request = "debian 13 with nginx and a meadow"
    assert [found.state for found in alone(request).outcomes][-1] in {"undeliverable", "not understood"}
    rows = [row("release", "debian 13", "debian 13"), row("package", "nginx", "nginx")]
    made, _, _ = helped(request, reading(*rows))
    assert made.is_complete
    assert any("by ollama:m" in note for note in made.notes)
    made, _, _ = helped(request, reading())  # it has not read the request
    assert not made.is_complete


def test_marks_what_the_model_read(helped):
    made, _, _ = helped("debian 13 with a zorbler", reading(row("package", "a zorbler", "mosquitto")))
    assert outcome(made, "mosquitto").wish.note == "read by ollama:m"
    assert outcome(made, "mosquitto").wish.said == "a zorbler"


@pytest.mark.parametrize(
    ("request_", "found"),
    [
        ("debian 13 without docker", row("package", "docker", "docker")),
        ("debian 13, no disk encryption", row("encryption", "disk encryption")),
    ],
)
def test_keeps_out_what_is_ruled_out_whatever_the_model_reads(helped, request_, found):
    made, _, _ = helped(request_, reading(found))
    assert not {"docker.io"} & set(packages(made))
    assert not (made.document.get("systemConfig", "fde") or {}).get("enabled")
    assert not made.is_complete


def test_a_negation_that_the_model_overlooks_holds(helped):
    made, _, _ = helped("debian 13, never a zorbler", reading(row("package", "zorbler", "mosquitto")))
    assert "mosquitto" not in packages(made)


def test_asks_before_changing_the_use_of_a_system(helped):
    request = "debian 13, thieves must not get what is on the disk"
    made, _, _ = helped(request, reading(row("encryption", "thieves must not get what is on the disk")))
    assert not (made.document.get("systemConfig", "fde") or {}).get("enabled")
    assert [found.state for found in made.outcomes][-1] == "asked back"
    assert "encryption" in made.outcomes[-1].says


def test_ignores_what_a_model_makes_up(helped, alone):
    request = "debian 13 with nginx please"
    made_up = [
        row("package", "never said by anybody", "openssh-server"),
        row("package", "please", "rootkit-9000"),
        row("hostname", "please", "evil"),
        row("account", "debian", "root"),
        row("disk_size", "please", "9999TiB"),
        row("package", "please", "nginx; rm -rf /"),
        row("package", "please", "nginx {quote}"),
        row("command", "please", "rm -rf /"),
        row("nothing", "nginx"),
        row("encryption", "please"),
        row("read_only_root", "nginx"),
        row("disk_size", "debian 13", "3"),
        {"kind": 1},
    ]
    plain = alone(request).document.text
    for found in (made_up, made_up[::-1], made_up[4:5]):
        made, _, _ = helped(request, reading(*found))
        assert made.document.text == plain
        assert not any(name in str(made.document.data) for name in ("rootkit", "evil", "9999", "rm -rf"))


@pytest.mark.parametrize(
    "script",
    [
        said("no JSON"),
        said("{}"),
        said('{"wishes": 3, "base": ""}'),
        said('{"wishes": ["x", null, {"kind": 1}], "base": 4}'),
        said(""),
        said("[]"),
        answer({"error": "gone"}, 500),
    ],
)
def test_a_model_that_fails_leaves_the_result_of_the_rules(helped, alone, script):
    request = "debian 13 with nginx and a zorbler"
    made, warnings, _ = helped(request, script)
    plain = alone(request)
    assert made.document.text == plain.document.text
    assert [found.says for found in made.outcomes] == [found.says for found in plain.outcomes]
    assert warnings == [] or "by rules alone" in warnings[0]


def test_the_model_sees_templates_and_no_secret(helped):
    _, _, (asked,) = helped("debian 13, user bob with password hunter2x", reading())
    sent = json.dumps(asked)
    assert "hunter2x" not in sent
    assert "Templates: debian13-x86_64" in sent
    assert len(sent) < 12_000


def test_the_schema_is_strict(helped):
    _, _, (asked,) = helped("debian 13 with nginx", reading())

    def strict(node):
        if isinstance(node, dict):
            if node.get("type") == "object":
                assert node["additionalProperties"] is False
                assert node["required"] == list(node["properties"])
            for part in node.values():
                strict(part)

    assert asked["format"]["properties"]["wishes"]
    strict(asked["format"])


def test_the_model_may_name_the_template_to_start_from(folder_of, settings):
    text = "image: {{name: {0}, version: '1'}}\ntarget: {{os: debian, dist: debian13, arch: x86_64, imageType: raw}}\nsystemConfig: {{packages: [{1}]}}\n"
    library = folder_of({f"{name}.yml": text.format(name, "htop") for name in ("first", "second")})
    based = []
    for base in ("first", "second", "third"):
        with ScriptedServer(reading(base=base)) as server:
            rules = settings._replace(provider="none")
            assistant = Assistant(open_model(ModelSettings("ollama", "m", server.url, retries=0)), rules)
            agent = Agent(Around(library=library, settings=rules), assistant)
            based.append(agent.draft(agent.read("debian 13 with htop")).based_on)
    assert based == ["first", "second", "first"]


# --- Repair -----------------------------------------------------------------------------------------------------------

BROKEN = """image: {name: "not a name!", version: "1.0"}
target: {os: debian, dist: debian13, arch: x86_64, imageType: raw}
systemConfig: {name: x, packages: [nginx]}
"""


def changes(*rows):
    return said(json.dumps({"changes": [{"path": path, "value": value} for path, value in rows]}))


def test_faults_that_were_there_before_do_not_undo_a_change(helped):
    made, _, _ = helped("add htop", reading(), there=Document.read(BROKEN))
    assert packages(made) == ["nginx", "htop"]
    assert [found.state for found in made.outcomes] == ["delivered"]
    assert not made.is_valid


@pytest.fixture
def with_fault(ours, settings):
    """Has a draft repaired that has a fault which rules cannot mend."""

    def run(*script):
        with ScriptedServer(*script) as server:
            rules = settings._replace(provider="none", agent=settings.agent._replace(max_fix_attempts=2))
            assistant = Assistant(open_model(ModelSettings("ollama", "m", server.url, retries=0)), rules)
            agent = Agent(Around(library=ours, settings=rules), assistant)
            plain = Agent(agent.around)
            made = plain.draft(plain.read("debian 13 with nginx"))
            made.document = made.document.set(("image", "name"), "not a name!")
            agent.work(made)
            return made, len(server.requests)

    return run


def test_the_model_repairs_what_rules_cannot(with_fault):
    made, asked = with_fault(changes(("image.name", "a-name")))
    assert made.is_valid
    assert asked == 1
    assert made.document.get("image", "name") == "a-name"


@pytest.mark.parametrize(
    "script",
    [
        said("not JSON"),
        changes(),
        changes(("image.name", "still not a name!")),
        changes(("systemConfig.packages[0]", "evil-package")),
        changes(("target.os", "ubuntu")),
        changes(("image.name", "a: b: c: [")),
        changes(("image.name", "")),
    ],
)
def test_a_worse_answer_is_not_taken_and_the_model_is_asked_twice_at_most(with_fault, script):
    made, asked = with_fault(script)
    assert not made.is_valid
    assert asked == 2
    assert "evil-package" not in made.document.text


# --- Which model ------------------------------------------------------------------------------------------------------


def test_without_a_server_auto_goes_without_a_model_at_once(settings):
    rules = settings._replace(provider="auto", ollama=settings.ollama._replace(base_url="http://127.0.0.1:9"))
    assistant, told = assistant_for(rules)
    assert assistant is None
    assert "Ollama" in told


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
        assistant, told = assistant_for(rules)
        assert server.requests
    assert assistant.name == provider
    assert provider in told
    assert models_of.timeout_s(rules) == 7.0
    assert models_of.embedder(rules).base_url == server.url
    assert models_of.embedder(rules).model == own.embedding_model


def test_no_model_when_none_is_wanted(settings):
    assert assistant_for(settings._replace(provider="none")) == (None, "No model helps: ai.provider is none.")
