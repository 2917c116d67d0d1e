"""The pages on chat name every key, field and route that there is, and nothing else."""

import re
from pathlib import Path

import pytest

from vademecum.desks.chat.config.model import Configuration, IntentProvider, Llm, Rule, Service
from vademecum.desks.chat.probes import EXPECTED
from vademecum.desks.chat.profile import FIELDS
from vademecum.desks.chat.variables import known_variables
from vademecum.server.app import create_app
from vademecum.server.routes.chat_bodies import ChatBody, ChatResponse
from vademecum.server.settings import ServerSettings

REFERENCE = Path(__file__).parents[2] / "docs/reference"


def named(page, heading):
    """What the first column of the table under a heading names."""
    text = (REFERENCE / page).read_text()
    section = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)[1]
    rows = [line for line in section.splitlines() if line.startswith("|")][2:]
    assert rows
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row.split(" | ")[0])]


@pytest.mark.parametrize(
    ("heading", "model"),
    [("Top level", Configuration), ("llms", Llm), ("rag_services", Service), ("responses", Rule)],
)
def test_keys(heading, model):
    assert sorted(named("chat-configuration.md", heading)) == sorted(model.model_fields)


def test_defaults():
    text = (REFERENCE / "chat-configuration.md").read_text()
    for model, name, shown in (
        (Service, "top_k", "5"),
        (Rule, "max_tokens", "500"),
        (Rule, "llm", "`extractive`"),
        (Service, "query_mode", "`first`"),
        (Rule, "context", "`auto`"),
    ):
        row = re.search(rf"^\| `{name}` \|.*\| ([^|]*) \|$", text, re.MULTILINE)
        assert row[1] == shown
        assert str(model.model_fields[name].default) == shown.strip("`")
    assert set(IntentProvider.model_fields) == {"llm", "model"}


def test_fields_of_the_profile():
    assert set(named("chat-configuration.md", "The profile")) == set(FIELDS)


def test_variables():
    section = (REFERENCE / "chat-configuration.md").read_text().split("## Variables")[1].split("## Probes")[0]
    for name in known_variables():
        if not name.startswith("profile."):
            assert name.removeprefix("service.") in section


def test_probes():
    keys = named("chat-configuration.md", "Probes")
    assert set(keys) == {"question", "collections", "history", "distances", "intent", "expect"}
    assert all(f"`{name}`" in (REFERENCE / "chat-configuration.md").read_text() for name in EXPECTED)


def test_routes_and_fields(tmp_path):
    paths = create_app(ServerSettings(folder=tmp_path)).openapi()["paths"]
    ours = {
        (method.upper(), path)
        for path, methods in paths.items()
        if path.startswith(("/api/chat", "/api/route"))
        for method in methods
    }
    shown = set()
    for one in named("chat-api.md", "Routes"):
        methods, _, path = one.rpartition(" ")
        shown |= {(method.strip(), path) for method in methods.split(",")}
    assert shown == ours
    assert set(named("chat-api.md", "A message")) == set(ChatBody.model_fields)
    assert set(ChatResponse.model_fields) <= set(named("chat-api.md", "A reply"))
