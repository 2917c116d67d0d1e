"""Every setting of the desk, by the file, the environment and the command line; and all that may be wrong with each."""

import json
import os
import time
from operator import attrgetter
from pathlib import Path

import pytest
import yaml

from vademecum.cli import os_image_composer
from vademecum.config.reader import write_new
from vademecum.core.errors import ConfigError
from vademecum.desks.composer.settings import ComposerSettings, config_folder
from vademecum.desks.composer.settings_table import SCHEMA, TABLE, default_file, default_text, load

BY_KEY = SCHEMA.by_key
KEYS = list(BY_KEY)
OTHERS = {
    "ai.provider": "openai",
    "ai.templates_dir": "/srv/templates",
    "ai.os_defaults_dir": "/srv/defaults",
    "ai.ollama.base_url": "http://models.example:8000",
    "ai.ollama.model": "gemma3:1b",
    "ai.ollama.embedding_model": "embeddinggemma",
    "ai.ollama.timeout": "30",
    "ai.openai.base_url": "http://localhost:8000/v1",
    "ai.openai.model": "gpt-5",
    "ai.openai.embedding_model": "text-embedding-3-large",
    "ai.openai.timeout": "12.5",
    "ai.cache.enabled": "false",
    "ai.cache.dir": "/var/cache/os-image-composer/ai",
    "ai.cache.ttl": "30d",
    "ai.cache.max_size": "10MiB",
    "ai.conversation.max_history": "7",
    "ai.conversation.session_timeout": "1h30m",
    "ai.session.persist": "false",
    "ai.session.storage": "/srv/sessions",
    "ai.session.max_age": "48h",
    "ai.session.max_sessions": "3",
    "ai.session.max_size": "64KiB",
    "ai.scoring.semantic": "0.5",
    "ai.scoring.keyword": "0.3",
    "ai.scoring.package": "0.25",
    "ai.scoring.min_score_threshold": "0",
    "ai.classification.package_threshold": "4",
    "ai.classification.keyword_density": "0.75",
    "ai.classification.negation_penalty": "0.25",
    "ai.agent.enabled": "false",
    "ai.agent.auto_validate": "false",
    "ai.agent.auto_fix": "false",
    "ai.agent.max_fix_attempts": "1",
    "ai.agent.verify_packages": "false",
    "ai.agent.require_valid_output": "false",
    "ai.agent.suggestions.enabled": "true",
    "ai.agent.suggestions.security_packages": "false",
    "ai.agent.suggestions.monitoring_packages": "false",
}
"""For every setting a value that is not its default."""

REFERENCE = {
    "ai.templates_dir": "./image-templates",
    "ai.ollama.base_url": "http://localhost:11434",
    "ai.ollama.model": "llama3.1:8b",
    "ai.ollama.embedding_model": "nomic-embed-text",
    "ai.ollama.timeout": "120",
    "ai.openai.model": "gpt-4o-mini",
    "ai.openai.embedding_model": "text-embedding-3-small",
    "ai.openai.timeout": "60",
    "ai.cache.enabled": "true",
    "ai.cache.dir": "./.ai-cache",
    "ai.conversation.max_history": "20",
    "ai.conversation.session_timeout": "30m",
    "ai.scoring.semantic": "0.70",
    "ai.scoring.keyword": "0.20",
    "ai.scoring.package": "0.10",
    "ai.scoring.min_score_threshold": "0.40",
    "ai.classification.package_threshold": "2",
    "ai.classification.keyword_density": "0.5",
    "ai.classification.negation_penalty": "0.5",
    "ai.session.persist": "true",
    "ai.session.max_age": "24h",
    "ai.agent.enabled": "true",
    "ai.agent.auto_validate": "true",
    "ai.agent.auto_fix": "true",
    "ai.agent.max_fix_attempts": "2",
    "ai.agent.verify_packages": "true",
    "ai.agent.require_valid_output": "true",
    "ai.agent.suggestions.enabled": "false",
    "ai.agent.suggestions.security_packages": "true",
    "ai.agent.suggestions.monitoring_packages": "true",
}


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
    assert set(OTHERS) == set(KEYS) == set(BY_KEY)
    assert len(KEYS) == len(set(KEYS))
    for setting in TABLE:
        assert attribute(ComposerSettings(), setting) == setting.kind.read(setting.default), setting.key
        assert setting.kind.read(
            setting.kind.written(setting.kind.read(OTHERS[setting.key]))
        ) == setting.kind.read(OTHERS[setting.key])


def test_the_defaults_of_the_reference():
    loaded = load({}, {})
    assert {key: loaded.values.shown(key) for key in REFERENCE} == REFERENCE
    assert loaded.settings == ComposerSettings()
    assert {loaded.values.origin(key) for key in KEYS} == {"default"}
    assert loaded.settings.provider == "auto"
    assert loaded.settings.sessions_folder == config_folder() / "sessions"


@pytest.mark.parametrize("key", KEYS)
def test_each_by_each_source(key, file):
    setting = BY_KEY[key]
    default, other = attribute(ComposerSettings(), setting), setting.kind.read(OTHERS[key])
    assert other != default
    file.write_text(yaml_of(key, OTHERS[key]))
    by_file = load({}, {}, file)
    by_environment = load({}, {setting.variables[-1]: OTHERS[key]})
    by_flag = load({key: OTHERS[key]}, {})
    by_short_flag = load({key.removeprefix("ai."): OTHERS[key]}, {})
    for loaded in (by_file, by_environment, by_flag, by_short_flag):
        assert loaded.values.value(key) == other
        assert {name for name in KEYS if loaded.values.origin(name) != "default"} == {key}
        assert loaded.settings != ComposerSettings()
        assert {name for name in KEYS if loaded.values.value(name) != load({}, {}).values.value(name)} == {
            key
        }
    line = key.count(".") + 1
    assert by_file.values.origin(key) == f"{file}, line {line}"
    assert by_environment.values.origin(key) == f"environment {setting.variables[-1]}"
    assert by_flag.values.origin(key) == "--set"


@pytest.mark.parametrize("key", KEYS)
def test_the_environment_wins_over_the_file_and_a_flag_over_both(key, file):
    setting = BY_KEY[key]
    file.write_text(yaml_of(key, OTHERS[key]))
    environ = {setting.variables[-1]: setting.default}
    if setting.default:  # a blank variable is one that is not set
        assert load({}, environ, file).values.value(key) == attribute(ComposerSettings(), setting)
    both = load({key: OTHERS[key]}, environ, file)
    assert both.values.value(key) == setting.kind.read(OTHERS[key])
    assert both.values.origin(key) == "--set"


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
        ("ai.ollama.timeout", "soon"),
        ("ai.ollama.model", ""),
        ("ai.cache.enabled", "maybe"),
        ("ai.cache.ttl", "30x"),
        ("ai.cache.ttl", "999999999d"),
        ("ai.cache.max_size", "10 parsecs"),
        ("ai.cache.max_size", "0"),
        ("ai.cache.dir", ""),
        ("ai.conversation.max_history", "-1"),
        ("ai.conversation.max_history", "1e3"),
        ("ai.conversation.max_history", "٣"),
        ("ai.conversation.session_timeout", "0"),
        ("ai.scoring.semantic", "1.5"),
        ("ai.scoring.semantic", "nan"),
        ("ai.agent.max_fix_attempts", "3"),
    ],
)
def test_what_a_setting_can_not_be(key, text, file):
    wanted = BY_KEY[key].kind.wanted
    assert wanted in complaint(flags={key: text})
    if text.strip():
        assert wanted in complaint(environ={BY_KEY[key].variables[-1]: text})
        file.write_text(yaml_of(key, json.dumps(text, ensure_ascii=False)))
        assert f"{file}, line " in complaint(file)
        assert wanted in complaint(file)


def test_times_sizes_and_providers():
    read = {key: BY_KEY[key].kind.read for key in KEYS}
    assert read["ai.conversation.session_timeout"]("1h30m") == 5400
    assert read["ai.conversation.session_timeout"]("90") == 90
    assert read["ai.cache.max_size"]("1.5 GiB") == 3 << 29
    assert read["ai.cache.max_size"]("10kb") == 10_000
    assert read["ai.provider"]("gemini:gemini-3-flash") == "gemini:gemini-3-flash"
    assert read["ai.provider"]("ollama:gemma3:1b") == "ollama:gemma3:1b"


def test_weights_that_find_nothing():
    message = complaint(flags={f"ai.scoring.{name}": "0" for name in ("semantic", "keyword", "package")})
    assert "all 0" in message


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ai:\n  provder: ollama\n", "line 2: ai.provder is not a setting; did you mean ai.provider?"),
        ("ai:\n  chache:\n    dir: x\n", "ai.chache is not a setting"),
        ("ai:\n  cache:\n    directory: x\n", "did you mean ai.cache.dir?"),
        ("ai:\n  session_timeout: 1h\n", "did you mean ai.conversation.session_timeout?"),
        ("provider: ollama\n", "provider must be under ai:"),
        ("cache:\n  dir: x\n", "cache must be under ai:"),
        ("AI:\n  provider: ollama\n", "AI must be under ai:"),
        (
            "ai:\n  provider: ollama\n  provider: none\n",
            "line 3: ai.provider is duplicated; it is first in line 2",
        ),
        ("ai: ollama\n", "ai must hold keys: provider, templates_dir"),
        ("- ai\n", "the file must hold keys: ai"),
        ("ai:\n  cache: 7\n", "ai.cache must hold keys: enabled, dir, ttl, max_size"),
        ("ai:\n  provider: [ollama]\n", "not a list"),
        ("ai:\n  ollama:\n    model: {a: b}\n", "not a mapping"),
        ("ai:\n  provider: !!python/object/apply:os.system [true]\n", "ai.provider has the tag"),
        ("ai:\n  provider: !!binary b2xsYW1h\n", "ai.provider has the tag"),
        ("ai:\n\tprovider: ollama\n", "line 2: this is not YAML: it is indented with a tab"),
        ("ai: {\n", "this is not YAML"),
        ("ai: " + "[" * 5000, "nested too deeply"),
        ("ai:\n  cache:\n    dir:\n", "must be a folder"),
        ("ai:\n  provider: \x00\n", "this is not YAML"),
        ("ai: &a\n  cache: *b\n", "this is not YAML"),
        ("#" * 70_000, "holds more than 65,536 bytes"),
    ],
)
def test_files_that_can_not_be_used(file, text, said):
    file.write_text(text)
    assert said in complaint(file)


def test_files_that_are_none(file, tmp_path):
    assert "There is no file" in complaint(file)
    assert "is a folder" in complaint(tmp_path)
    os.mkfifo(file)
    assert "not a regular file" in complaint(file)
    file.unlink()
    file.write_bytes(b"ai:\n  provider: \xff\n")
    assert "line 2: it is not UTF-8 text" in complaint(file)


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
def test_files_that_say_nothing_of_us(file, text):
    file.write_text(text)
    assert load({}, {}, file).settings == ComposerSettings()


def test_an_unknown_variable_is_told():
    assert "did you mean OIC_AI_CACHE_DIR?" in complaint(environ={"OIC_AI_CACHE_DIRS": "x"})
    assert load({}, {"OIC_OTHER": "x"}).settings == ComposerSettings()


def test_an_unknown_flag_is_told():
    assert "--set: ai.cach.dir is not a setting; did you mean ai.cache.dir?" in complaint(
        flags={"ai.cach.dir": "x"}
    )


def test_what_the_file_said_is_kept_until_it_changes(file):
    file.write_text("ai:\n  provider: none\n")
    first = load({}, {}, file)
    assert first.settings.provider == "none"
    second = load({}, {}, file)
    assert second == first
    time.sleep(0.01)
    file.write_text("ai:\n  provider: auto\n")
    assert load({}, {}, file).settings.provider == "auto"
    copies = list(default_file().parents[1].rglob("settings.json"))
    from vademecum.desks.composer.settings import composer_folder

    copy = composer_folder() / "settings.json"
    assert copy.exists() or copies
    for broken in ("", "{", '{"of": 1}', json.dumps({"of": None, "says": 7})):
        copy.write_text(broken)
        assert load({}, {}, file).settings.provider == "auto"


def test_the_default_file_says_the_defaults_when_it_is_uncommented(file):
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
    with pytest.raises(ConfigError, match="--set takes KEY=VALUE"):
        run("show", "--set", "ai.provider")


def test_folders(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert ComposerSettings().templates_folder is None
    assert load({"templates_dir": "./elsewhere"}, {}).settings.templates_folder == Path("elsewhere")
    (tmp_path / "image-templates").mkdir()
    assert ComposerSettings().templates_folder == Path("image-templates")
    assert load({"session.storage": "~/kept"}, {}).settings.sessions_folder == Path.home() / "kept"
