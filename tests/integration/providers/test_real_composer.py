"""The composer with a real language model: so small a one reads nothing well, and spoils nothing either."""

import pytest

from vademecum.desks.composer.agent import Agent
from vademecum.desks.composer.assistant import assistant_for
from vademecum.desks.composer.draft import Around
from vademecum.desks.composer.library import TemplateLibrary
from vademecum.desks.composer.settings import CacheSettings, ComposerSettings

pytestmark = [pytest.mark.servers, pytest.mark.nightly]


def test_a_request_is_read_by_a_real_model_as_well(gguf):
    rules = ComposerSettings(provider="none", cache=CacheSettings(enabled=False))
    around = Around(library=TemplateLibrary.open(), settings=rules)
    assistant, told = assistant_for(rules._replace(provider=f"llamacpp:{gguf}"))
    assert "helps" in told
    request = "debian 13 with nginx, no docker, hostname gate-7"
    alone = Agent(around).draft(Agent(around).read(request))
    agent = Agent(around, assistant)
    made = agent.draft(agent.read(request))
    assert made.is_valid
    if assistant.warnings:  # it goes on and on, up to the end of its tokens
        assert "by rules alone" in assistant.warnings[0]
        assert made.document.text == alone.document.text
    assert made.document.get("systemConfig", "hostname") == "gate-7"
    by_rules = [found.wish.value for found in alone.outcomes]
    added = [found for found in made.outcomes if found.wish.value not in by_rules]
    assert all("llamacpp" in found.wish.note or found.state == "asked back" for found in added)
