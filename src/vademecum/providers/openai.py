"""OpenAI, and all servers with its protocol: vLLM, llama.cpp, LM Studio, Mistral, Groq and many more."""

from vademecum.core.deadline import Deadline
from vademecum.core.models import ModelSettings, Purpose
from vademecum.net import Client
from vademecum.providers._completions import Completions, check, embeddings
from vademecum.providers._embeddings import ServedEmbedder, Ways
from vademecum.providers._server import Server, Vendor, server_of

VENDOR = Vendor(
    "https://api.openai.com/v1", url_from="OPENAI_BASE_URL", keys_from=("OPENAI_API_KEY",), key_needed=True
)


def open_chat(settings: ModelSettings, client: Client) -> Completions:
    """Open a chat model."""
    server = server_of(settings, client, VENDOR)
    if _is_vendor(server):  # its newer models know the limit by this name only
        return Completions(settings, server, limit_name="max_completion_tokens")
    return Completions(settings, server)


def open_embedder(settings: ModelSettings, client: Client) -> ServedEmbedder:
    """Open an embedder."""
    server = server_of(settings, client, VENDOR)
    wanted = settings.dimensions if _is_vendor(server) and "ada-002" not in settings.model else None

    def ask(texts: list[str], _purpose: Purpose, deadline: Deadline | None) -> list[object]:
        return embeddings(settings, server, texts, deadline, wanted)

    def checked(deadline: Deadline | None) -> None:
        check(settings, server, deadline)

    return ServedEmbedder(settings, Ways(ask, checked))


def look(settings: ModelSettings, client: Client, deadline: Deadline | None) -> tuple[str, ...]:
    """Check, without retries, that the server responds and has the model. Return its models."""
    return check(settings, server_of(settings, client, VENDOR), deadline)


def _is_vendor(server: Server) -> bool:
    return server.place.host == "api.openai.com"
