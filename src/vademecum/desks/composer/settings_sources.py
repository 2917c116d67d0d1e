"""Where settings come from: defaults, then the configuration file, the environment, the command line; each really counts.

`TABLE` names every setting once. What reads it from a text, checks it, writes it into the default file, and shows it is the same
for all four.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from vademecum.core.errors import ConfigError
from vademecum.desks.composer import settings_kinds as kinds
from vademecum.desks.composer.settings import ComposerSettings, config_folder
from vademecum.desks.composer.settings_kinds import Kind
from vademecum.text.printable import printable

ROOT = "ai"
_PREFIX = f"{ROOT}."
_SHOWN = 60


class Setting(NamedTuple):
    """One setting.

    Attributes:
        key: Its dotted key (`ai.ollama.timeout`).
        place: Its attribute's path in `ComposerSettings`.
        kind: What it may be.
        default: As it is written.
        meaning: A line for the file.
        variable: An environment variable that names it beside its own one, or "".
    """

    key: str
    place: tuple[str, ...]
    kind: Kind
    default: str
    meaning: str
    variable: str = ""

    @property
    def own_variable(self) -> str:
        """`OIC_AI_` and its path."""
        return "OIC_" + self.key.replace(".", "_").upper()


def _setting(
    key: str, kind: Kind, default: str, meaning: str, *, unit: str = "", variable: str = ""
) -> Setting:
    *groups, name = key.split(".")
    return Setting(_PREFIX + key, (*groups, name + unit), kind, default, meaning, variable)


TABLE = (
    _setting(
        "provider", kinds.PROVIDER, "auto", "whose models help: auto, none, ollama, openai, or PROVIDER:MODEL"
    ),
    _setting(
        "templates_dir", kinds.PATH, "./image-templates", "folder of templates; ours where it is absent"
    ),
    _setting(
        "os_defaults_dir",
        kinds.MAYBE_PATH,
        "",
        "folder of the systems' defaults; empty: beside the templates",
    ),
    _setting(
        "ollama.base_url",
        kinds.URL,
        "http://localhost:11434",
        "address of the server",
        variable="OLLAMA_HOST",
    ),
    _setting("ollama.model", kinds.MODEL, "llama3.1:8b", "who writes"),
    _setting("ollama.embedding_model", kinds.MODEL, "nomic-embed-text", "who embeds"),
    _setting("ollama.timeout", kinds.SECONDS, "120", "seconds for a request", unit="_s"),
    _setting("openai.base_url", kinds.MAYBE_URL, "", "another server of the protocol; empty: OpenAI's own"),
    _setting("openai.model", kinds.MODEL, "gpt-4o-mini", "who writes"),
    _setting("openai.embedding_model", kinds.MODEL, "text-embedding-3-small", "who embeds"),
    _setting("openai.timeout", kinds.SECONDS, "60", "seconds for a request", unit="_s"),
    _setting("cache.enabled", kinds.SWITCH, "true", "whether vectors are kept"),
    _setting("cache.dir", kinds.PATH, "./.ai-cache", "where"),
    _setting(
        "cache.ttl", kinds.DURATION, "0", "when a vector is made again, such as 30d; 0: never", unit="_s"
    ),
    _setting("cache.max_size", kinds.SIZE, "256MiB", "how large it may become", unit="_bytes"),
    _setting("conversation.max_history", kinds.COUNT, "20", "messages that a model is shown"),
    _setting(
        "conversation.session_timeout", kinds.SPAN, "30m", "ends refinement that is not asked for", unit="_s"
    ),
    _setting("session.persist", kinds.SWITCH, "true", "whether sessions are kept"),
    _setting("session.storage", kinds.MAYBE_PATH, "", "where; empty: sessions/ beside this file"),
    _setting("session.max_age", kinds.SPAN, "24h", "deletes a session that is not used", unit="_s"),
    _setting("session.max_sessions", kinds.COUNT, "50", "how many are kept"),
    _setting("session.max_size", kinds.SIZE, "4MiB", "how large one may become", unit="_bytes"),
    _setting("scoring.semantic", kinds.FRACTION, "0.70", "weight of meaning"),
    _setting("scoring.keyword", kinds.FRACTION, "0.20", "weight of keywords"),
    _setting("scoring.package", kinds.FRACTION, "0.10", "weight of packages"),
    _setting("scoring.min_score_threshold", kinds.FRACTION, "0.40", "a template below is left out"),
    _setting(
        "classification.package_threshold",
        kinds.COUNT,
        "2",
        "so many package names make a request package-explicit",
    ),
    _setting(
        "classification.keyword_density",
        kinds.FRACTION,
        "0.5",
        "a larger share of keywords makes it keyword-heavy",
    ),
    _setting(
        "classification.negation_penalty", kinds.FRACTION, "0.5", "multiplies the score of what is ruled out"
    ),
    _setting(
        "agent.enabled", kinds.SWITCH, "true", "whether a draft is checked and mended before it is shown"
    ),
    _setting("agent.auto_validate", kinds.SWITCH, "true", "whether it is checked"),
    _setting("agent.auto_fix", kinds.SWITCH, "true", "whether faults are mended"),
    _setting("agent.max_fix_attempts", kinds.ATTEMPTS, "2", "how often a model may try to mend"),
    _setting("agent.verify_packages", kinds.SWITCH, "true", "whether packages are looked up"),
    _setting("agent.require_valid_output", kinds.SWITCH, "true", "whether an invalid template is a failure"),
    _setting("agent.suggestions.enabled", kinds.SWITCH, "false", "whether packages are suggested"),
    _setting("agent.suggestions.security_packages", kinds.SWITCH, "true", "such as fail2ban"),
    _setting(
        "agent.suggestions.monitoring_packages", kinds.SWITCH, "true", "such as prometheus-node-exporter"
    ),
)
"""Every setting, in the order of the file."""

BY_KEY = {one.key: one for one in TABLE}
DEFAULT = "default"
SECRETS = ("OPENAI_API_KEY",)
"""Variables that hold a key: told to be set or not, and never shown."""

_GENERAL = {"OIC_AI"}


class Said(NamedTuple):
    """What a source says of a setting: the text, and where it stands."""

    text: str
    origin: str


class Loaded(NamedTuple):
    """The settings, and where each came from.

    Attributes:
        settings: As they count.
        origins: By dotted key: `default`, the file with its line, `environment NAME`, or the flag.
        file: The configuration file that was looked for.
    """

    settings: ComposerSettings
    origins: dict[str, str]
    file: Path

    def value_of(self, key: str) -> Any:
        """A setting by its dotted key."""
        return value_of(self.settings, BY_KEY[key])

    def shown(self, key: str) -> str:
        """A setting as it would be written."""
        setting, value = BY_KEY[key], self.value_of(key)
        return setting.default if value == setting.kind.read(setting.default) else setting.kind.written(value)


def default_file() -> Path:
    """`${XDG_CONFIG_HOME}/os-image-composer/config.yaml`."""
    return config_folder() / "config.yaml"


def load(
    flags: Mapping[str, str] | None = None,
    environ: Mapping[str, str] | None = None,
    file: Path | None = None,
) -> Loaded:
    """All settings; a later source wins: defaults, the file, the environment, the flags.

    Args:
        flags: Texts by dotted key, with or without `ai.` before it; a key may also be mapped by a flag's own name, as in
            `--provider`, with `=` and the key behind it for what is shown as its origin (`--provider=ai.provider`).
        environ: None for the process's own.
        file: None for the usual one, which need not be there; one that is named must.

    Raises:
        ConfigError: A source cannot be used, with the place at fault.
    """
    from vademecum.desks.composer.settings_file import settings_in  # noqa: PLC0415 - it is made of this module

    path = file or default_file()
    said = dict(settings_in(path, must_exist=file is not None))
    said |= _in_environment(os.environ if environ is None else environ)
    said |= _in_flags(flags or {})
    settings, origins = ComposerSettings(), dict.fromkeys(BY_KEY, DEFAULT)
    for key, (text, origin) in said.items():
        setting = BY_KEY[key]
        settings = _with(settings, setting.place, checked(setting, text, origin))
        origins[key] = origin
    _check_weights(settings, origins)
    return Loaded(settings, origins, path)


def setting_of(key: str, origin: str) -> Setting:
    """The setting of a dotted key, with or without `ai.` before it.

    Raises:
        ConfigError: There is none.
    """
    found = BY_KEY.get(key) or BY_KEY.get(_PREFIX + key)
    if found is None:
        raise ConfigError(
            f"{origin}: {printable(key, _SHOWN)} is not a setting{meant(key)}",
            hint="os-image-composer config show lists all.",
        )
    return found


def meant(key: str) -> str:
    """What a key that does not exist may have been meant for, as the end of a sentence."""
    from difflib import get_close_matches  # noqa: PLC0415 - needed for a mistake only

    short = {one.removeprefix(_PREFIX): one for one in BY_KEY}
    close = get_close_matches(key.removeprefix(_PREFIX)[:_SHOWN], short, n=1)
    if not close:
        last = key.rpartition(".")[2]
        close = [one for one in short if one.rpartition(".")[2] == last][:1]
    return f"; did you mean {short[close[0]]}?" if close else "."


def checked(setting: Setting, text: str, origin: str) -> Any:
    """A setting's value from a text.

    Raises:
        ConfigError: It cannot have that value.
    """
    try:
        return setting.kind.read(text)
    except ValueError:
        message = (
            f"{origin}: {setting.key} must be {setting.kind.wanted}, not {printable(repr(text), _SHOWN)}."
        )
        raise ConfigError(message, hint=f"As an example: {setting.kind.example or setting.default}") from None


def value_of(settings: ComposerSettings, setting: Setting) -> Any:
    """The value of a setting."""
    value: Any = settings
    for name in setting.place:
        value = getattr(value, name)
    return value


def _with(settings: Any, place: tuple[str, ...], value: Any) -> Any:
    inner = value if len(place) == 1 else _with(getattr(settings, place[0]), place[1:], value)
    return settings._replace(**{place[0]: inner})


def _in_environment(environ: Mapping[str, str]) -> Iterator[tuple[str, Said]]:
    """What variables say. A blank one is not set; a setting's own variable counts before a general one."""
    own = {one.own_variable: one for one in TABLE}
    for setting in TABLE:
        for name in (setting.variable, setting.own_variable):
            text = environ.get(name, "").strip() if name else ""
            if text:
                read = kinds.server_address(text) if name == "OLLAMA_HOST" else text
                yield setting.key, Said(read, f"environment {name}")
    for name in sorted(environ):
        if name.startswith("OIC_AI_") and name not in own:
            raise ConfigError(
                f"The environment variable {printable(name, _SHOWN)} names no setting{_meant_variable(name, own)}",
                hint="Unset it, or see: os-image-composer config show",
            )


def _meant_variable(name: str, own: Mapping[str, Setting]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - needed for a mistake only

    close = get_close_matches(name[:_SHOWN], own, n=1)
    return f"; did you mean {close[0]}?" if close else "."


def _in_flags(flags: Mapping[str, str]) -> Iterator[tuple[str, Said]]:
    for name, text in flags.items():
        flag, equals, key = name.partition("=")
        origin = flag if equals else "--set"
        yield setting_of(key if equals else name, origin).key, Said(text.strip(), origin)


def _check_weights(settings: ComposerSettings, origins: Mapping[str, str]) -> None:
    scoring = settings.scoring
    if not scoring.semantic + scoring.keyword + scoring.package:
        message = f"{origins['ai.scoring.semantic']}: the weights of scoring are all 0, so that nothing could be found."
        raise ConfigError(message, hint="Leave one of ai.scoring.semantic, keyword and package above 0.")
