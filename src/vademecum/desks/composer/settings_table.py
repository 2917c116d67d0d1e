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


_PROVIDER = Kind("auto, none, ollama, openai, or another provider as PROVIDER:MODEL", _provider)
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
    _setting("provider", _PROVIDER, "auto", "the model provider"),
    _setting("templates_dir", kinds.PATH, "./image-templates", "the template folder; if it does not exist, the built-in templates"),
    _setting("os_defaults_dir", kinds.PATH_OR_NONE, "", "the folder with the operating systems' defaults; empty: next to the templates"),
    _setting("ollama.base_url", kinds.URL, "http://localhost:11434", "the address of the server", variable="OLLAMA_HOST"),
    _setting("ollama.model", _MODEL, "llama3.1:8b", "the model that reads requests and repairs templates"),
    _setting("ollama.embedding_model", _MODEL, "nomic-embed-text", "the model for embeddings"),
    _setting("ollama.timeout", _SECONDS, "120", "the request timeout, in seconds", unit="_s"),
    _setting("openai.base_url", kinds.URL_OR_NONE, "", "another server with the same API; empty: OpenAI"),
    _setting("openai.model", _MODEL, "gpt-4o-mini", "the model that reads requests and repairs templates"),
    _setting("openai.embedding_model", _MODEL, "text-embedding-3-small", "the model for embeddings"),
    _setting("openai.timeout", _SECONDS, "60", "the request timeout, in seconds", unit="_s"),
    _setting("cache.enabled", _SWITCH, "true", "whether vectors are cached"),
    _setting("cache.dir", kinds.PATH, "./.ai-cache", "the cache folder"),
    _setting("cache.ttl", kinds.SPAN_OR_NONE, "0", "the lifetime of a cached vector, such as 30d; 0: unlimited", unit="_s"),
    _setting("cache.max_size", kinds.SIZE, "256MiB", "the maximum size of the cache", unit="_bytes"),
    _setting("conversation.max_history", _COUNT, "20", "the number of messages that a model sees"),
    _setting("conversation.session_timeout", kinds.SPAN, "30m", "the time after which a request starts a new session unless it asks to continue", unit="_s"),
    _setting("session.persist", _SWITCH, "true", "whether sessions are stored"),
    _setting("session.storage", kinds.PATH_OR_NONE, "", "the folder where sessions are stored; empty: sessions/ next to this file"),
    _setting("session.max_age", kinds.SPAN, "24h", "the time after which an unused session is deleted", unit="_s"),
    _setting("session.max_sessions", _COUNT, "50", "the maximum number of stored sessions"),
    _setting("session.max_size", kinds.SIZE, "4MiB", "the maximum size of a session", unit="_bytes"),
    _setting("scoring.semantic", _FRACTION, "0.70", "the weight of semantic similarity"),
    _setting("scoring.keyword", _FRACTION, "0.20", "the weight of keywords"),
    _setting("scoring.package", _FRACTION, "0.10", "the weight of packages"),
    _setting("scoring.min_score_threshold", _FRACTION, "0.40", "the minimum score of a template"),
    _setting("classification.package_threshold", _COUNT, "2", "the minimum number of package names in a package_explicit request"),
    _setting("classification.keyword_density", _FRACTION, "0.5", "the minimum share of keywords in a keyword_heavy request"),
    _setting("classification.negation_penalty", _FRACTION, "0.5", "the factor by which the score of an excluded template is multiplied"),
    _setting("agent.enabled", _SWITCH, "true", "whether a draft is checked and repaired before it is shown"),
    _setting("agent.auto_validate", _SWITCH, "true", "whether a draft is validated"),
    _setting("agent.auto_fix", _SWITCH, "true", "whether errors are repaired"),
    _setting("agent.max_fix_attempts", _ATTEMPTS, "2", "the maximum number of repairs by a model"),
    _setting("agent.verify_packages", _SWITCH, "true", "whether packages are looked up in the repositories"),
    _setting("agent.require_valid_output", _SWITCH, "true", "whether an invalid template is an error"),
    _setting("agent.suggestions.enabled", _SWITCH, "false", "whether packages are suggested"),
    _setting("agent.suggestions.security_packages", _SWITCH, "true", "whether to suggest packages such as fail2ban"),
    _setting("agent.suggestions.monitoring_packages", _SWITCH, "true", "whether to suggest packages such as prometheus-node-exporter"),
)  # fmt: skip
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
    "ai.ollama": "Ollama, if it is the provider",
    "ai.openai": "OpenAI, if it is the provider; the key comes from OPENAI_API_KEY",
    "ai.cache": "Cache of template vectors",
    "ai.conversation": "Conversation",
    "ai.session": "Sessions",
    "ai.scoring": "Scoring; the defaults rarely need a change",
    "ai.classification": "Types of requests; the defaults rarely need a change",
    "ai.agent": "Checks and repairs",
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
    flags: Mapping[str, str] | None = None, environ: Mapping[str, str] | None = None, file: Path | None = None
) -> Loaded:
    """All settings. A later source wins: defaults, the file, the environment, the flags."""
    environ = dict(os.environ if environ is None else environ)
    if host := environ.get("OLLAMA_HOST", "").strip():
        from vademecum.providers.ollama import address  # noqa: PLC0415 - only if the variable is set

        environ["OLLAMA_HOST"] = address(host)
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
