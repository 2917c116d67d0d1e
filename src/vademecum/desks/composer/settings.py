"""The settings of the composer desk, as data with their defaults.

Every one has a dotted key (`ai.conversation.session_timeout`), by which the file, the environment and the command line name it;
`settings_sources` knows them all. An attribute is called like its key, with the unit where it has one.
"""

import os
from pathlib import Path
from typing import NamedTuple

from vademecum.files.folders import desk_folder

AUTO, NONE = "auto", "none"
"""Providers that are not providers: whatever answers on this machine, and nobody."""

TEMPLATES_DIR = Path("./image-templates")


def config_folder() -> Path:
    """`${XDG_CONFIG_HOME}/os-image-composer`: the configuration file, and sessions."""
    base = os.environ.get("XDG_CONFIG_HOME", "")
    return (Path(base) if base.startswith("/") else Path("~/.config").expanduser()) / "os-image-composer"


def composer_folder() -> Path:
    """`${XDG_DATA_HOME}/vademecum/composer`: package indexes, counters, what the configuration file last said."""
    return Path(desk_folder("composer"))


class OllamaSettings(NamedTuple):
    """Models of an Ollama server: its address, who writes, who embeds, and the time for a request."""

    base_url: str = "http://localhost:11434"
    model: str = "llama3.1:8b"
    embedding_model: str = "nomic-embed-text"
    timeout_s: float = 120.0


class OpenAISettings(NamedTuple):
    """Models of OpenAI, or of a server that speaks its protocol: `base_url` names one, "" is OpenAI's own."""

    base_url: str = ""
    model: str = "gpt-4o-mini"
    embedding_model: str = "text-embedding-3-small"
    timeout_s: float = 60.0


class CacheSettings(NamedTuple):
    """The cache of vectors; with `ttl_s` 0 a vector never expires."""

    enabled: bool = True
    dir: Path = Path("./.ai-cache")
    ttl_s: float = 0.0
    max_size_bytes: int = 256 << 20


class ConversationSettings(NamedTuple):
    """How a conversation goes on."""

    max_history: int = 20
    session_timeout_s: float = 1800.0


class SessionSettings(NamedTuple):
    """How sessions are kept.

    Attributes:
        storage: Where; None for `sessions` beside the configuration file.
    """

    persist: bool = True
    storage: Path | None = None
    max_age_s: float = 86_400.0
    max_sessions: int = 50
    max_size_bytes: int = 4 << 20


class ScoringSettings(NamedTuple):
    """How much each signal counts for a plain request (0-1), and the score below which a template is left out."""

    semantic: float = 0.70
    keyword: float = 0.20
    package: float = 0.10
    min_score_threshold: float = 0.40


class ClassificationSettings(NamedTuple):
    """How requests are told apart."""

    package_threshold: int = 2
    keyword_density: float = 0.5
    negation_penalty: float = 0.5


class SuggestionSettings(NamedTuple):
    """Whether packages are suggested that nobody asked for, and of which kinds."""

    enabled: bool = False
    security_packages: bool = True
    monitoring_packages: bool = True


class AgentSettings(NamedTuple):
    """What is done to a draft before it is shown."""

    enabled: bool = True
    auto_validate: bool = True
    auto_fix: bool = True
    max_fix_attempts: int = 2
    verify_packages: bool = True
    require_valid_output: bool = True
    suggestions: SuggestionSettings = SuggestionSettings()


class ComposerSettings(NamedTuple):
    """All settings of the desk: what is below `ai:`. `settings_table.TABLE` says what each means.

    Attributes:
        provider: Whose models help: `auto` (Ollama if it answers and has the model, else nobody), `none`, `ollama`, `openai`,
            or any other as PROVIDER:MODEL.
        os_defaults_dir: The folder of the operating systems' defaults; None for the one beside the templates.
    """

    provider: str = AUTO
    templates_dir: Path = TEMPLATES_DIR
    os_defaults_dir: Path | None = None
    ollama: OllamaSettings = OllamaSettings()
    openai: OpenAISettings = OpenAISettings()
    cache: CacheSettings = CacheSettings()
    conversation: ConversationSettings = ConversationSettings()
    session: SessionSettings = SessionSettings()
    scoring: ScoringSettings = ScoringSettings()
    classification: ClassificationSettings = ClassificationSettings()
    agent: AgentSettings = AgentSettings()

    @property
    def templates_folder(self) -> Path | None:
        """The folder of templates; None for those of the package, which serve where the usual folder is absent."""
        if self.templates_dir == TEMPLATES_DIR and not TEMPLATES_DIR.is_dir():
            return None
        return self.templates_dir

    @property
    def sessions_folder(self) -> Path:
        """Where sessions are kept."""
        return self.session.storage or config_folder() / "sessions"
