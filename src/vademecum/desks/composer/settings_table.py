"""The schema of the composer's settings, and reading them from defaults, file, environment and command line."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from vademecum.config import kinds
from vademecum.config.kinds import ANY, Kind
from vademecum.config.reader import read
from vademecum.config.schema import Schema, Setting, Values
from vademecum.core.errors import ConfigError
from vademecum.desks.composer.settings import ComposerSettings, composer_folder, config_folder

ROOT = "ai"
SECRETS = ("OPENAI_API_KEY",)
"""Variables that hold a key. Only whether they are set is shown."""

_KNOWN = frozenset(["auto", "none", "ollama", "openai"])


def _provider(text: str) -> str:
    name, mark, model = text.partition(":")
    fine = bool(re.fullmatch(r"[a-z][a-z0-9_-]{0,39}", name)) and (
        model.isprintable() and model != "" if mark else name in _KNOWN
    )
    if not fine or (mark and name in {"auto", "none"}):
        raise ValueError(text)
    return text


_PROVIDER = Kind("auto, none, ollama, openai, or another as PROVIDER:MODEL", _provider)
_MODEL = kinds.WORD._replace(wanted="a model's name")
_SWITCH, _FRACTION = (kind._replace(types=ANY) for kind in (kinds.SWITCH, kinds.FRACTION))
_COUNT = kinds.whole(1, 100_000)._replace(types=ANY)
_ATTEMPTS = kinds.whole(0, 2, "0, 1 or 2")._replace(types=ANY)
_SECONDS = kinds.SPAN._replace(wanted="a number of seconds above 0", written=lambda value: f"{value:g}")


def _setting(
    key: str, kind: Kind, default: str, meaning: str, *, unit: str = "", variable: str = ""
) -> Setting:
    *groups, name = key.split(".")
    own = f"OIC_AI_{key.replace('.', '_').upper()}"
    variables = (variable, own) if variable else (own,)
    return Setting(f"{ROOT}.{key}", kind, default, (*groups, name + unit), meaning, variables)


TABLE = (
    _setting(
        "provider", _PROVIDER, "auto", "whose models help: auto, none, ollama, openai, or PROVIDER:MODEL"
    ),
    _setting(
        "templates_dir", kinds.PATH, "./image-templates", "folder of templates; ours where it is absent"
    ),
    _setting(
        "os_defaults_dir",
        kinds.PATH_OR_NONE,
        "",
        "folder of the systems' defaults; empty: next to the templates",
    ),
    _setting(
        "ollama.base_url",
        kinds.URL,
        "http://localhost:11434",
        "address of the server",
        variable="OLLAMA_HOST",
    ),
    _setting("ollama.model", _MODEL, "llama3.1:8b", "who writes"),
    _setting("ollama.embedding_model", _MODEL, "nomic-embed-text", "who embeds"),
    _setting("ollama.timeout", _SECONDS, "120", "seconds for a request", unit="_s"),
    _setting("openai.base_url", kinds.URL_OR_NONE, "", "another server of the protocol; empty: OpenAI's own"),
    _setting("openai.model", _MODEL, "gpt-4o-mini", "who writes"),
    _setting("openai.embedding_model", _MODEL, "text-embedding-3-small", "who embeds"),
    _setting("openai.timeout", _SECONDS, "60", "seconds for a request", unit="_s"),
    _setting("cache.enabled", _SWITCH, "true", "whether vectors are kept"),
    _setting("cache.dir", kinds.PATH, "./.ai-cache", "where"),
    _setting(
        "cache.ttl", kinds.SPAN_OR_NONE, "0", "when a vector is made again, such as 30d; 0: never", unit="_s"
    ),
    _setting("cache.max_size", kinds.SIZE, "256MiB", "how large it may become", unit="_bytes"),
    _setting("conversation.max_history", _COUNT, "20", "messages that a model is shown"),
    _setting(
        "conversation.session_timeout", kinds.SPAN, "30m", "ends refinement that is not asked for", unit="_s"
    ),
    _setting("session.persist", _SWITCH, "true", "whether sessions are kept"),
    _setting(
        "session.storage",
        kinds.PATH_OR_NONE,
        "",
        "folder of stored sessions; empty: sessions/ next to this file",
    ),
    _setting("session.max_age", kinds.SPAN, "24h", "deletes a session that is not used", unit="_s"),
    _setting("session.max_sessions", _COUNT, "50", "how many are kept"),
    _setting("session.max_size", kinds.SIZE, "4MiB", "how large one may become", unit="_bytes"),
    _setting("scoring.semantic", _FRACTION, "0.70", "weight of meaning"),
    _setting("scoring.keyword", _FRACTION, "0.20", "weight of keywords"),
    _setting("scoring.package", _FRACTION, "0.10", "weight of packages"),
    _setting("scoring.min_score_threshold", _FRACTION, "0.40", "a template below is left out"),
    _setting(
        "classification.package_threshold",
        _COUNT,
        "2",
        "so many package names make a request package-explicit",
    ),
    _setting(
        "classification.keyword_density",
        _FRACTION,
        "0.5",
        "a larger share of keywords makes it keyword-heavy",
    ),
    _setting(
        "classification.negation_penalty", _FRACTION, "0.5", "multiplies the score of what is ruled out"
    ),
    _setting("agent.enabled", _SWITCH, "true", "whether a draft is checked and mended before it is shown"),
    _setting("agent.auto_validate", _SWITCH, "true", "whether it is checked"),
    _setting("agent.auto_fix", _SWITCH, "true", "whether faults are mended"),
    _setting("agent.max_fix_attempts", _ATTEMPTS, "2", "how often a model may try to mend"),
    _setting("agent.verify_packages", _SWITCH, "true", "whether packages are looked up"),
    _setting("agent.require_valid_output", _SWITCH, "true", "whether an invalid template is a failure"),
    _setting("agent.suggestions.enabled", _SWITCH, "false", "whether packages are suggested"),
    _setting("agent.suggestions.security_packages", _SWITCH, "true", "such as fail2ban"),
    _setting("agent.suggestions.monitoring_packages", _SWITCH, "true", "such as prometheus-node-exporter"),
)
"""Every setting, in the order of the file."""


SCHEMA = Schema(
    TABLE,
    hint="Correct it, or move it away and run: os-image-composer config init",
    list_hint="See all settings with: os-image-composer config show",
    prefix="OIC_AI_",
    is_shared=True,
)
_TITLES = {
    "ai": "General",
    "ai.ollama": "Ollama, when it is the provider",
    "ai.openai": "OpenAI, when it is the provider; the key comes from OPENAI_API_KEY",
    "ai.cache": "Vectors of templates",
    "ai.conversation": "Conversation",
    "ai.session": "Sessions",
    "ai.scoring": "Scoring: rarely need to change",
    "ai.classification": "Telling requests apart: rarely need to change",
    "ai.agent": "Checking and mending",
    "ai.agent.suggestions": "Suggestions",
}


class Loaded(NamedTuple):
    """The settings, and the values of the sources that they are made of."""

    settings: ComposerSettings
    values: Values


def default_file() -> Path:
    """`${XDG_CONFIG_HOME}/os-image-composer/config.yaml`."""
    return config_folder() / "config.yaml"


def load(
    flags: Mapping[str, str] | None = None,
    environ: Mapping[str, str] | None = None,
    file: Path | None = None,
) -> Loaded:
    """All settings. A later source wins: defaults, the file, the environment, the flags.

    Args:
        flags: Texts by dotted key, with or without `ai.` before it; see `reader.read`.
        environ: None for the process's own.
        file: None for the usual one, which may be absent.

    Raises:
        ConfigError: A source cannot be used, with the place at fault.
    """
    environ = dict(os.environ if environ is None else environ)
    if host := environ.get("OLLAMA_HOST", "").strip():
        environ["OLLAMA_HOST"] = server_address(host)
    values = read(
        SCHEMA,
        file or default_file(),
        copy=composer_folder() / "settings.json",
        must_exist=file is not None,
        environ=environ,
        flags=flags,
    )
    settings = values.into(ComposerSettings())
    scoring = settings.scoring
    if not scoring.semantic + scoring.keyword + scoring.package:
        origin = values.origin("ai.scoring.semantic")
        message = f"{origin}: the weights of scoring are all 0, so that nothing could be found."
        raise ConfigError(message, hint="Leave one of ai.scoring.semantic, keyword and package above 0.")
    return Loaded(settings, values)


def default_text() -> str:
    """The file as `config init` writes it: every setting with its default, all commented out."""
    lines = [
        "# Settings of os-image-composer. All values below are the defaults: uncomment only what you change.",
        "# A variable of the environment (OIC_AI_CACHE_DIR for ai.cache.dir) and a flag (--set ai.cache.dir=...) win over this file.",
        "",
        f"# {ROOT}:",
    ]
    group = ""
    for setting in TABLE:
        above = setting.key.rpartition(".")[0]
        if above != group:
            indent = "  " * max(1, above.count("."))
            lines += ["#", f"# {indent}# {_TITLES[above]}"]
            if above != ROOT:
                lines.append(f"# {indent}{above.rpartition('.')[2]}:")
            group = above
        indent = "  " * setting.key.count(".")
        value = setting.default or '""'
        lines.append(f"# {indent}{setting.key.rpartition('.')[2]}: {value}  # {setting.meaning}")
    return "\n".join(lines) + "\n"


def server_address(host: str) -> str:
    """`OLLAMA_HOST` as an address: Ollama itself takes it without scheme and port, and as the address it listens on."""
    scheme, mark, rest = host.strip().rpartition("://")
    rest = rest.rstrip("/")
    name, port = rest, ""
    if ":" in rest and (rest.startswith("[") or rest.count(":") == 1) and not rest.endswith("]"):
        name, _, port = rest.rpartition(":")
    if name.count(":") > 1 and not name.startswith("["):
        name = f"[{name}]"
    if name in {"", "0.0.0.0", "[::]"}:  # noqa: S104 - where a server listens, not where it is reached
        name = "127.0.0.1"
    if not port and not mark:
        port = "11434"
    return f"{scheme or 'http'}://{name}{f':{port}' if port else ''}"
