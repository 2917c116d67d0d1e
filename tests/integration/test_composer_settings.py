"""Every setting of os-image-composer does something: with it, the command behaves otherwise than without.

That a setting has the same value whichever source it comes from is shown for all of them in the unit tests; here the sources take turns.
"""

import json
import shutil
import time
from pathlib import Path

import pytest

from vademecum.cli import os_image_composer
from vademecum.core.errors import VademecumError
from vademecum.desks.composer.library import OURS
from vademecum.desks.composer.session.sessions import Sessions
from vademecum.desks.composer.settings import ComposerSettings
from vademecum.desks.composer.settings_table import SCHEMA, TABLE, default_file
from vademecum.providers import registry
from vademecum.testing import ScriptedServer
from vademecum.testing.scripted import answer

SERVER = "a minimal debian 13 server"
EDGE = "a small debian 13 image for an edge gateway with ssh"
SOURCES = ("file", "environment", "flag")
NOTHING = {
    "model": "m",
    "choices": [
        {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": '{"wishes": []}'}}
    ],
}
BROKEN = """image:
  name: broken
  version: "1"
target:
  os: debian
  dist: debian13
  arch: x86_64
  imageType: raw
disk:
  name: broken
  size: 4GiB
  partitionTableType: gpt
  partitions:
    - id: root
      type: linux-root-amd64
      fsType: ext4
      start: 1MiB
      end: 9GiB
      mountPoint: /
    - id: esp
      type: esp
      fsType: vfat
      start: 10GiB
      end: 12GiB
      mountPoint: /boot/efi
systemConfig:
  name: broken
  packages: [curl, curl, nginx]
"""


class Person:
    """Someone who runs the command in a folder of their own.

    What a scene sets comes from the source that is being tried: the file, the environment or a flag; "" is nobody.
    """

    def __init__(self, folder, server, monkeypatch, capsys, *, key, source):
        self.folder, self.server, self.capsys = folder, server, capsys
        self._monkeypatch, self._key, self._source = monkeypatch, key, source
        self.flags = []
        folder.mkdir()
        monkeypatch.chdir(folder)
        for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
            monkeypatch.setenv(name, str(folder / name.lower()))
        for name in ("OLLAMA_HOST", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
            monkeypatch.delenv(name, raising=False)
        server.script[:] = [answer({"error": "not here"}, 404)]
        server.requests.clear()

    def set(self, value):
        if self._source == "environment":
            self._monkeypatch.setenv(SCHEMA.by_key[self._key].variables[-1], str(value))
        elif self._source == "flag":
            self.flags += ["--set", f"{self._key}={value}"]
        elif self._source:
            *groups, name = self._key.split(".")
            lines = [f"{'  ' * depth}{group}:" for depth, group in enumerate(groups)]
            default_file().parent.mkdir(parents=True, exist_ok=True)
            default_file().write_text("\n".join([*lines, f"{'  ' * len(groups)}{name}: {value}", ""]))
        return bool(self._source)

    def run(self, *words):
        """Standard output, standard error (or the complaint), and the exit code."""
        code, complaint = 0, ""
        try:
            code = os_image_composer.run(["ai", *words, *self.flags])
        except VademecumError as error:
            code, complaint = 2, error.message
        out, err = self.capsys.readouterr()
        return out, err + complaint, code

    def search(self, request):
        return json.loads(self.run(request, "--search-only", "--json", "--explain")[0])

    def make(self, request, *words):
        return json.loads(self.run(request, "--json", "--explain", *words)[0])

    def steps(self, request=SERVER):
        return [one["name"] for one in self.make(request, "--dry-run")["trace"]["steps"]]


@pytest.fixture
def person(tmp_path, monkeypatch, capsys):
    with ScriptedServer(b"") as server:

        def make(name, key, source=""):
            return Person(tmp_path / name, server, monkeypatch, capsys, key=key, source=source)

        yield make
        for client in registry._clients.values():
            client.close()
        registry._clients.clear()


def top(found):
    return [(one["file"], one["score"]) for one in found["results"][:5]]


def own_folder(person, text=""):
    folder = person.folder / "mine"
    folder.mkdir(exist_ok=True)
    if text:
        (folder / "broken.yml").write_text(text)
    else:
        shutil.copy(OURS / "debian13/debian13-x86_64-server-raw.yml", folder)
    return str(folder)


def kept_sessions():
    return len(Sessions(Path(default_file().parent) / "sessions", ComposerSettings()).ids())


def two_turns(person, pause_s=0.0):
    person.run(SERVER)
    time.sleep(pause_s)
    return "Continuing session" in person.run("add git")[1]


def serve(visit, request):
    """A server of models that has nothing to say, in both protocols."""
    names = ("gpt-4o-mini", "another", "llama3.1:8b", "nomic-embed-text", "embeddinggemma")
    if request.path.endswith("/models"):
        visit.send(answer({"data": [{"id": one} for one in names]}))
    elif request.path.endswith("/api/tags"):
        visit.send(answer({"models": [{"name": one, "model": one} for one in names]}))
    elif request.path.endswith("/chat/completions"):
        visit.send(answer(NOTHING))
    elif request.path.endswith("/embeddings"):
        found = [[1.0 + len(text) % 7, 2.0, len(text) % 5] for text in request.json["input"]]
        data = [{"index": place, "embedding": one, "object": "embedding"} for place, one in enumerate(found)]
        visit.send(answer({"data": data, "model": request.json["model"], "object": "list"}))
    else:
        visit.send(answer({"error": "not here"}, 404))


def with_model(person):
    person.server.script[:] = [serve]
    own = {"ai.provider": "openai", "ai.openai.base_url": person.server.url, "ai.cache.enabled": "false"}
    person.flags += [word for key, value in own.items() for word in ("--set", f"{key}={value}")]
    return person


def at(provider, person):
    """Let a provider of models be the scripted server."""
    person.flags += ["--provider", provider, "--set", f"ai.{provider}.base_url={person.server.url}"]


def asked_of(person, path, key="model"):
    return [one.json[key] for one in person.server.requests if path in one.path and one.body]


def provider(person):
    person.set("openai")
    person.flags += ["--set", f"ai.openai.base_url={person.server.url}"]
    person.run(SERVER)
    return len(person.server.requests) > 0


def templates_dir(person):
    person.set(own_folder(person))
    return len(person.search("debian server")["results"])


def os_defaults_dir(person):
    person.set("nowhere")
    return person.run(SERVER)[1]


def base_url(provider):
    def is_asked(person):
        person.flags += ["--provider", provider]
        person.set(person.server.url)
        person.run(SERVER)
        return len(person.server.requests) > 0

    return is_asked


def ollama_model(person):
    at("ollama", person)
    person.server.script[:] = [answer({"models": [{"name": "somebody:1b", "model": "somebody:1b"}]})]
    person.set("gemma3:1b")
    return person.run(SERVER)[1]


def embedding_model(provider, model):
    def sent(person):
        at(provider, person)
        person.set(model)
        person.server.script[:] = [serve]
        person.run(SERVER, "--search-only")
        return asked_of(person, "/")

    return sent


def timeout(provider):
    def complaint(person):
        at(provider, person)
        if not person.set(0.3):
            return ""
        person.server.script[:] = [lambda visit, _: visit.wait_for_end()]
        return person.run(SERVER)[1]

    return complaint


def openai_model(person):
    person.set("another")
    with_model(person).run(SERVER)
    return asked_of(person, "chat/completions")


def cache_enabled(person):
    person.set("false")
    person.search(SERVER)
    return (person.folder / ".ai-cache").exists()


def cache_dir(person):
    person.set(person.folder / "elsewhere")
    person.search(SERVER)
    return (person.folder / "elsewhere").exists()


def cache_ttl(person):
    person.set("0.1s")
    person.search(SERVER)
    time.sleep(0.2)
    person.search(SERVER)
    return json.loads(person.run("--metrics")[0])["cache"]["hit_rate"]


def cache_max_size(person):
    person.set("4KiB")
    person.search(SERVER)
    return len(list((person.folder / ".ai-cache").rglob("*.bin")))


def max_history(person):
    person.set(1)
    with_model(person)
    for said in (SERVER, "add git", "add curl"):
        person.run(said)
    return [len(one) for one in asked_of(person, "chat/completions", "messages")]


def session_timeout(person):
    person.set("0.1s")
    return two_turns(person, 0.2)


def session_persist(person):
    person.set("false")
    person.run(SERVER)
    return kept_sessions()


def session_storage(person):
    person.set(person.folder / "sessions")
    person.run(SERVER)
    return (person.folder / "sessions").exists()


def session_max_age(person):
    person.set("0.1s")
    person.run(SERVER)
    time.sleep(0.2)
    return person.run("--continue", "add git")[2]


def session_max_sessions(person):
    person.set(1)
    person.run(SERVER)
    person.run("a minimal ubuntu 24.04 server")
    return kept_sessions()


def session_max_size(person):
    person.set("1KiB")
    person.run(SERVER)
    return "cannot be undone any more" in person.run("add git")[1]


def scoring(name):
    def look(person):
        person.set("0.95" if name != "min_score_threshold" else "0.99")
        return top(person.search("a machine that serves web pages to many people, with nginx"))

    return look


def type_of(request):
    def found(person):
        person.set(1)
        return person.search(request)["type"]

    return found


def choosing_from_own_folder(person, text=""):
    folder = own_folder(person, text)
    person.flags += ["--set", f"ai.templates_dir={folder}", "--set", "ai.scoring.min_score_threshold=0"]
    return person


def negation_penalty(person):
    person.set("0.1")
    return top(choosing_from_own_folder(person).search("debian server without nftables"))


def takes(step, template=""):
    def is_taken(person):
        person.set("false")
        return step in (choosing_from_own_folder(person, template) if template else person).steps()

    return is_taken


def max_fix_attempts(person):
    person.set(0)
    with_model(choosing_from_own_folder(person, BROKEN))
    person.run(SERVER)
    return len(asked_of(person, "chat/completions"))


def require_valid_output(person):
    person.set("false")
    return choosing_from_own_folder(person, BROKEN).run(SERVER)[2]


def suggestions_enabled(person):
    person.set("true")
    return "suggestions" in person.make(EDGE)


def suggested(person):
    person.flags += ["--set", "ai.agent.suggestions.enabled=true"]
    person.set("false")
    return json.dumps(person.make(EDGE)["suggestions"])


SCENES = {
    "ai.provider": provider,
    "ai.templates_dir": templates_dir,
    "ai.os_defaults_dir": os_defaults_dir,
    "ai.ollama.base_url": base_url("ollama"),
    "ai.ollama.model": ollama_model,
    "ai.ollama.embedding_model": embedding_model("ollama", "embeddinggemma"),
    "ai.ollama.timeout": timeout("ollama"),
    "ai.openai.base_url": base_url("openai"),
    "ai.openai.model": openai_model,
    "ai.openai.embedding_model": embedding_model("openai", "text-embedding-3-large"),
    "ai.openai.timeout": timeout("openai"),
    "ai.cache.enabled": cache_enabled,
    "ai.cache.dir": cache_dir,
    "ai.cache.ttl": cache_ttl,
    "ai.cache.max_size": cache_max_size,
    "ai.conversation.max_history": max_history,
    "ai.conversation.session_timeout": session_timeout,
    "ai.session.persist": session_persist,
    "ai.session.storage": session_storage,
    "ai.session.max_age": session_max_age,
    "ai.session.max_sessions": session_max_sessions,
    "ai.session.max_size": session_max_size,
    **{
        f"ai.scoring.{name}": scoring(name)
        for name in ("semantic", "keyword", "package", "min_score_threshold")
    },
    "ai.classification.package_threshold": type_of("something with nginx"),
    "ai.classification.keyword_density": type_of("edge IoT minimal raw"),
    "ai.classification.negation_penalty": negation_penalty,
    "ai.agent.enabled": takes("validate_template"),
    "ai.agent.auto_validate": takes("validate_template"),
    "ai.agent.auto_fix": takes("fix_errors", BROKEN),
    "ai.agent.max_fix_attempts": max_fix_attempts,
    "ai.agent.verify_packages": takes("verify_packages"),
    "ai.agent.require_valid_output": require_valid_output,
    "ai.agent.suggestions.enabled": suggestions_enabled,
    "ai.agent.suggestions.security_packages": suggested,
    "ai.agent.suggestions.monitoring_packages": suggested,
}


def test_there_is_a_scene_for_each():
    assert set(SCENES) == set(SCHEMA.by_key)


@pytest.mark.parametrize("key", SCENES)
def test_it_takes_effect(key, person):
    source = SOURCES[[one.key for one in TABLE].index(key) % len(SOURCES)]
    usual = SCENES[key](person("usual", key))
    assert SCENES[key](person("set", key, source)) != usual, f"by {source}"
