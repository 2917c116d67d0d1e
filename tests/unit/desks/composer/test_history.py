"""What a model is shown of a conversation is as long as the settings say, by each of their sources."""

import pytest

from vademecum.desks.composer.agent import Agent
from vademecum.desks.composer.assistant import assistant_for
from vademecum.desks.composer.draft import Around
from vademecum.desks.composer.session.conversation import Conversation
from vademecum.desks.composer.session.sessions import Sessions
from vademecum.desks.composer.settings_table import load
from vademecum.testing import ScriptedServer
from vademecum.testing.scripted import answer

NOTHING = {
    "model": "small",
    "choices": [
        {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": '{"wishes": [], "base": ""}'},
        }
    ],
}
SAID = ["a minimal debian 13 server", "add git", "add curl", "add jq"]


@pytest.mark.parametrize("source", ["file", "environment", "flag"])
def test_how_much_a_model_is_shown(source, ours, tmp_path):
    file = tmp_path / "config.yaml"
    file.write_text("ai:\n  conversation: {max_history: 3}\n" if source == "file" else "")
    environ = {"OIC_AI_CONVERSATION_MAX_HISTORY": "3"} if source == "environment" else {}
    with ScriptedServer(answer({"data": [{"id": "gpt-4o-mini"}]}), answer(NOTHING)) as server:
        flags = {"ai.provider": "openai", "ai.openai.base_url": server.url, "ai.cache.enabled": "false"}
        flags |= {"ai.conversation.max_history": "3"} if source == "flag" else {}
        settings = load(flags, environ, file).settings
        assistant, _ = assistant_for(settings)
        local = settings._replace(provider="none")  # templates are embedded here
        conversation = Conversation(
            Agent(Around(library=ours, settings=local), assistant), Sessions(tmp_path, settings).new()
        )
        for said in SAID:
            conversation.say(said)
    shown = [
        [one["content"] for one in request.json["messages"][1:-1]]
        for request in server.requests
        if request.path.endswith("/chat/completions")
    ]
    assert [len(one) for one in shown] == [0, 2, 3, 3]
    assert shown[1][0] == SAID[0]
    assert SAID[0] not in shown[-1]
    assert SAID[2] in shown[-1]
