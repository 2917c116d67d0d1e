"""Every setting of the desk, by the file, the environment and the command line; and all that may be wrong with each."""

import json
import time
from operator import attrgetter
from pathlib import Path

import pytest
import yaml

from vademecum.cli import os_image_composer
from vademecum.config.reader import write_new
from vademecum.core.errors import ConfigError
from vademecum.desks.composer.settings import ComposerSettings, composer_folder, config_folder
from vademecum.desks.composer.settings_table import SCHEMA, TABLE, default_file, default_text, load

BY_KEY = SCHEMA.by_key
KEYS = list(BY_KEY)
OTHERS = {
    "ai.provider": "openai",
    "ai.templates_dir": "/srv/templates",
    "ai.os_defaults_dir": "/srv/defaults",
    "ai.ollama.base_url": "http://models.example:8000",
    "ai.ollama.model": "gemma3:1b",
    "ai.openai.base_url": "http://localhost:8000/v1",
    "ai.openai.timeout": "12.5",
    "ai.cache.enabled": "false",
    "ai.cache.ttl": "30d",
    "ai.cache.max_size": "10MiB",
    "ai.conversation.max_history": "7",
    "ai.conversation.session_timeout": "1h30m",
    "ai.scoring.semantic": "0.5",
    "ai.agent.max_fix_attempts": "1",
}
"""For one setting of each kind a value that is not its default; a setting's field and variable are made from its key."""


def attribute(settings, setting):
    return attrgetter(".".join(setting.field))(settings)


def yaml_of(key, text):
    *groups, name = key.split(".")
    lines = [f"{'  ' * depth}{group}:" for depth, group in enumerate(groups)]
    return "\n".join([*lines, f"{'  ' * len(groups)}{name}: {text}", ""])


@pytest.fixture
def file(tmp_path):
    return tmp_path / "config.yaml"


def complaint(file=None, flags=None, environ=None):
    with pytest.raises(ConfigError) as caught:
        load(flags, environ or {}, file)
    assert caught.value.hint
    return caught.value.message


def test_the_table_and_the_defaults_say_the_same():
    assert {BY_KEY[key].kind for key in OTHERS} == {setting.kind for setting in TABLE}
    assert len({setting.field for setting in TABLE}) == len(TABLE) == len(KEYS)
    for setting in TABLE:
        default = setting.kind.read(setting.default)
        assert attribute(ComposerSettings(), setting) == default, setting.key
        if setting.default:
            assert setting.kind.read(setting.kind.written(default)) == default
    loaded = load({}, {})
    assert loaded.settings == ComposerSettings()
    assert {loaded.values.origin(key) for key in KEYS} == {"default"}
    assert loaded.settings.sessions_folder == config_folder() / "sessions"


@pytest.mark.parametrize("key", OTHERS)
def test_a_flag_wins_over_the_environment_and_that_over_the_file(key, file):
    setting = BY_KEY[key]
    variable, other = setting.variables[-1], setting.kind.read(OTHERS[key])
    file.write_text(yaml_of(key, OTHERS[key]))
    for text in filter(None, (OTHERS[key], setting.default)):  # a blank variable is one that is not set
        value = setting.kind.read(text)
        of_environment = load({}, {variable: text}, file).values
        assert (of_environment.value(key), of_environment.origin(key)) == (value, f"environment {variable}")
        of_flag = load({key: text}, {variable: OTHERS[key]}, file).values
        assert (of_flag.value(key), of_flag.origin(key)) == (value, "--set")
    of_file = load({}, {}, file).values
    assert (of_file.value(key), of_file.origin(key)) == (other, f"{file}, line {key.count('.') + 1}")
    assert {name for name in KEYS if of_file.origin(name) != "default"} == {key}
    assert load({key.removeprefix("ai."): OTHERS[key]}, {}).values.value(key) == other


def test_the_variables_that_are_named():
    loaded = load(
        {}, {"OIC_AI_PROVIDER": "ollama", "OLLAMA_HOST": "0.0.0.0:9999", "OPENAI_API_KEY": "sk-secret"}
    )
    assert loaded.settings.provider == "ollama"
    assert loaded.settings.ollama.base_url == "http://127.0.0.1:9999"
    assert loaded.values.origin("ai.ollama.base_url") == "environment OLLAMA_HOST"
    assert "sk-secret" not in repr(loaded)
    loaded = load({}, {"OLLAMA_HOST": "a.example", "OIC_AI_OLLAMA_BASE_URL": "http://b.example"})
    assert loaded.settings.ollama.base_url == "http://b.example"
    assert load({}, {"OLLAMA_HOST": "  "}).settings.ollama.base_url == "http://localhost:11434"


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("localhost", "http://localhost:11434"),
        ("https://models.example", "https://models.example"),
        ("http://a.example:80/", "http://a.example:80"),
        ("[::1]:8080", "http://[::1]:8080"),
        ("::1", "http://[::1]:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),  # noqa: S104 - what Ollama listens on
    ],
)
def test_addresses_as_ollama_takes_them(host, address):
    assert load({}, {"OLLAMA_HOST": host}).settings.ollama.base_url == address


def test_a_flag_with_a_name_of_its_own():
    loaded = load({"--provider=ai.provider": "none"}, {})
    assert (loaded.settings.provider, loaded.values.origin("ai.provider")) == ("none", "--provider")


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("ai.provider", "olama"),
        ("ai.provider", "none:x"),
        ("ai.provider", "gemini:"),
        ("ai.ollama.base_url", "localhost:11434"),
        ("ai.ollama.base_url", "http://user:pass@a.example"),
        ("ai.ollama.timeout", "0"),
        ("ai.ollama.timeout", "nan"),
        ("ai.ollama.model", ""),
        ("ai.cache.enabled", "maybe"),
        ("ai.cache.ttl", "30x"),
        ("ai.cache.ttl", "999999999d"),
        ("ai.cache.max_size", "10 parsecs"),
        ("ai.cache.max_size", "0"),
        ("ai.cache.dir", ""),
        ("ai.conversation.max_history", "1e3"),
        ("ai.conversation.max_history", "٣"),
        ("ai.scoring.semantic", "1.5"),
        ("ai.agent.max_fix_attempts", "3"),
    ],
)
def test_rejects_a_wrong_value_from_every_source(key, text, file):
    wanted = BY_KEY[key].kind.wanted
    assert wanted in complaint(flags={key: text})
    if text.strip():
        assert wanted in complaint(environ={BY_KEY[key].variables[-1]: text})
        file.write_text(yaml_of(key, json.dumps(text, ensure_ascii=False)))
        of_file = complaint(file)
        assert f"{file}, line " in of_file
        assert wanted in of_file


def test_times_sizes_and_providers():
    read = {key: BY_KEY[key].kind.read for key in KEYS}
    assert read["ai.conversation.session_timeout"]("1h30m") == 5400
    assert read["ai.conversation.session_timeout"]("90") == 90
    assert read["ai.cache.max_size"]("1.5 GiB") == 3 << 29
    assert read["ai.cache.max_size"]("10kb") == 10_000
    assert read["ai.provider"]("gemini:gemini-3-flash") == "gemini:gemini-3-flash"
    assert read["ai.provider"]("ollama:gemma3:1b") == "ollama:gemma3:1b"


def test_rejects_weights_that_are_all_zero():
    message = complaint(flags={f"ai.scoring.{name}": "0" for name in ("semantic", "keyword", "package")})
    assert "all 0" in message


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("ai:\n  provder: ollama\n", ["line 2", "ai.provder", "ai.provider?"]),
        ("ai:\n  chache:\n    dir: x\n", ["ai.chache"]),
        ("ai:\n  cache:\n    directory: x\n", ["ai.cache.dir?"]),
        ("ai:\n  session_timeout: 1h\n", ["ai.conversation.session_timeout?"]),
        ("provider: ollama\n", ["provider", "ai:"]),
        ("cache:\n  dir: x\n", ["cache", "ai:"]),
        ("AI:\n  provider: ollama\n", ["AI", "ai:"]),
        ("ai:\n  provider: ollama\n  provider: none\n", ["line 3", "ai.provider", "line 2"]),
        ("ai: ollama\n", ["ai", "provider, templates_dir"]),
        ("- ai\n", ["keys: ai"]),
        ("ai:\n  cache: 7\n", ["ai.cache", "enabled, dir, ttl, max_size"]),
        ("ai:\n  provider: [ollama]\n", ["list"]),
        ("ai:\n  ollama:\n    model: {a: b}\n", ["mapping"]),
        ("ai:\n  cache:\n    dir:\n", ["folder"]),
        ("ai: {\n", ["YAML"]),
    ],
)
def test_names_what_is_wrong_with_a_file(file, text, named):
    file.write_text(text)
    message = complaint(file)
    assert [part for part in named if part not in message] == []


def test_rejects_a_file_that_is_not_there(file):
    assert str(file) in complaint(file)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# nothing\n",
        "ai:\n",
        "ai: {}\n",
        "workers: 8\ntemp_dir: /tmp\nlogging: {level: debug}\n",
        "---\n...\n",
        "base: &base {a: 1}\nworkers: {<<: *base, a: 1, a: 2}\nkey: !vault x\n",
    ],
)
def test_ignores_other_programs_settings(file, text):
    file.write_text(text)
    assert load({}, {}, file).settings == ComposerSettings()


def test_suggests_the_setting_for_an_unknown_variable_or_flag():
    assert "OIC_AI_CACHE_DIR?" in complaint(environ={"OIC_AI_CACHE_DIRS": "x"})
    assert "ai.cache.dir?" in complaint(flags={"ai.cach.dir": "x"})
    assert load({}, {"OIC_OTHER": "x"}).settings == ComposerSettings()


def test_a_read_file_is_cached_until_it_changes(file):
    file.write_text("ai:\n  provider: none\n")
    first = load({}, {}, file)
    assert first.settings.provider == "none"
    assert load({}, {}, file) == first
    time.sleep(0.01)
    file.write_text("ai:\n  provider: auto\n")
    assert load({}, {}, file).settings.provider == "auto"
    copy = composer_folder() / "settings.json"
    assert copy.exists()
    for broken in ("", "{", '{"of": 1}', json.dumps({"of": None, "says": 7})):
        copy.write_text(broken)
        assert load({}, {}, file).settings.provider == "auto"


def test_the_uncommented_default_file_sets_the_defaults(file):
    text = default_text()
    assert all(not line or line.startswith("#") for line in text.splitlines())
    file.write_text(text)
    assert load({}, {}, file) == load({}, {}, file)
    assert load({}, {}, file).values.given == {}
    body = text[text.index("# ai:") :]
    file.write_text("\n".join(line.removeprefix("# ") for line in body.splitlines()) + "\n")
    loaded = load({}, {}, file)
    assert loaded.settings == ComposerSettings()
    assert all(loaded.values.origin(key).startswith(str(file)) for key in KEYS)
    assert set(yaml.safe_load(file.read_text())) == {"ai"}


def test_a_file_is_written_once():
    path = default_file()
    assert path.name == "config.yaml"
    assert path.parent.name == "os-image-composer"
    assert write_new(path, default_text())
    path.write_text("ai: {provider: none}\n")
    assert not write_new(path, default_text())
    assert load({}, {}).settings.provider == "none"


def run(*words):
    return os_image_composer.run(["config", *map(str, words)])


def test_config_init(capsys, file):
    assert run("init") == 0
    assert capsys.readouterr().out == f"made  {default_file()}\n"
    assert run("init") == 0
    assert capsys.readouterr().out == f"kept  {default_file()}\n"
    assert run("init", "--config", file) == 0
    assert file.read_text() == default_text()


def test_config_show(capsys, file, monkeypatch):
    file.write_text("ai:\n  cache:\n    dir: /var/vectors\n")
    monkeypatch.setenv("OIC_AI_PROVIDER", "none")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    assert run("show", "--config", file, "--set", "ai.scoring.keyword=0.3", "--set", "ollama.timeout=5") == 0
    shown = capsys.readouterr().out
    assert "sk-secret" not in shown
    rows = {line.split()[0]: line.split(maxsplit=2)[1:] for line in shown.splitlines()[1:]}
    assert set(rows) == {*KEYS, "OPENAI_API_KEY"}
    assert rows["ai.cache.dir"] == ["/var/vectors", f"{file}, line 3"]
    assert rows["ai.provider"] == ["none", "environment OIC_AI_PROVIDER"]
    assert rows["ai.scoring.keyword"] == ["0.3", "--set"]
    assert rows["ai.ollama.timeout"] == ["5", "--set"]
    assert rows["ai.scoring.semantic"] == ["0.70", "default"]
    assert run("show", "--json") == 0
    data = json.loads(capsys.readouterr().out)
    assert data["settings"]["ai.provider"] == {"value": "none", "origin": "environment OIC_AI_PROVIDER"}
    assert data["secrets"] == {"OPENAI_API_KEY": True}


def test_set_without_a_value():
    with pytest.raises(ConfigError, match="KEY=VALUE"):
        run("show", "--set", "ai.provider")


def test_folders(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert ComposerSettings().templates_folder is None
    assert load({"templates_dir": "./elsewhere"}, {}).settings.templates_folder == Path("elsewhere")
    (tmp_path / "image-templates").mkdir()
    assert ComposerSettings().templates_folder == Path("image-templates")
    assert load({"session.storage": "~/kept"}, {}).settings.sessions_folder == Path.home() / "kept"
