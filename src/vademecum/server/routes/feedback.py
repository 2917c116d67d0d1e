"""`POST /api/feedback`: feedback on answers, in a file of cases that `vademecum eval` can run."""

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from vademecum.core.errors import StoreError
from vademecum.files.write import append_line
from vademecum.server.errors import HttpError
from vademecum.server.guard.caller import CallerOf
from vademecum.server.routes.chat_bodies import SESSION
from vademecum.server.state import State

FILE = "feedback.jsonl"
_LONGEST_WHY = 2000
_LONGEST = 20_000


class Feedback(BaseModel):
    """Feedback on a stored answer."""

    model_config = ConfigDict(extra="forbid", strict=True)

    conversation: Annotated[str, Field(pattern=SESSION)]
    turn: int = Field(ge=1, le=1 << 31)
    verdict: Literal["right", "wrong"] = Field(description="For a refusal: whether it was right.")
    why: str = Field(default="", max_length=_LONGEST_WHY)


def router(state: State) -> APIRouter:
    """Return the routes."""
    routes = APIRouter(tags=["conversations"])

    @routes.post("/api/feedback", status_code=204, summary="Report whether an answer was right, and why")
    async def feedback(asked: Feedback, caller: CallerOf) -> Response:
        def work() -> None:
            turns = state.sessions.turns(asked.conversation, caller.owner)
            turn = next((one for one in turns if one.number == asked.turn), None)
            if turn is None or "reply" not in turn.told:
                message = f"Answer {asked.turn} does not exist in this conversation."
                raise HttpError(404, "TURN_MISSING", message, "It may have been replaced.")
            path = state.settings.folder / FILE
            try:
                append_line(
                    path, _line(turn.message, turn.told["reply"], asked), durable=True, longest=_LONGEST
                )
            except OSError as error:
                message = f"The feedback cannot be stored: {error.strerror}."
                raise StoreError(
                    message, hint="Check the free space on the disk, and the permissions of the file."
                ) from error

        await state.slots.run(work)
        return Response(status_code=204)

    return routes


def _line(question: str, reply: dict[str, Any], asked: Feedback) -> dict[str, Any]:
    """Return a case for `vademecum eval`. A right answer determines which documents answer the question."""
    is_right, is_refusal = asked.verdict == "right", reply["no_answer"]
    cited = list(dict.fromkeys(one["document_ref"] for one in reply["citations"]))
    gold = cited if is_right and not is_refusal else []
    return {
        "question": question,
        "gold": gold,
        "gold_files": gold,
        "answerable": not (is_right and is_refusal),
        "kind": f"{asked.verdict}-{'refusal' if is_refusal else 'answer'}",
        "why": asked.why,
        "cited": cited,
        "confidence": reply["confidence"],
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
    }
