"""What was asked and answered on a thread, read from its checkpoints.

The newest checkpoint has every message; the result record of a turn stands in the checkpoint that ended it, as long as
that is kept (KEPT_CHECKPOINTS).
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from langchain_core.messages import AnyMessage, HumanMessage
from langgraph.checkpoint.base import CheckpointTuple

from wenmai.web.conversations.port import Turn


async def turns_of(points: AsyncIterator[CheckpointTuple]) -> list[Turn]:
    """Return the turns of a thread whose checkpoints come newest first."""
    messages: Sequence[AnyMessage] = ()
    ends: dict[int, tuple[Mapping[str, Any], datetime]] = {}
    async for point in points:
        values = point.checkpoint["channel_values"]
        said = values.get("messages") or ()
        messages = messages or said
        if values.get("result"):
            ends.setdefault(questions_in(said), (values["result"], datetime.fromisoformat(point.checkpoint["ts"])))
    return turns_from(messages, ends)


def questions_in(messages: Sequence[AnyMessage]) -> int:
    """Return how many of these messages are questions."""
    return sum(isinstance(one, HumanMessage) for one in messages)


def turns_from(messages: Sequence[AnyMessage], ends: Mapping[int, tuple[Mapping[str, Any], datetime]]) -> list[Turn]:
    """Return each question with what was said until the next one."""
    turns: list[Turn] = []
    for message in messages:
        if isinstance(message, HumanMessage):
            record, at = ends.get(len(turns) + 1, ({}, None))
            turns.append(Turn(number=len(turns) + 1, question=message.text, answer="", record=record, answered_at=at))
        elif turns and message.text:
            last = turns[-1]
            turns[-1] = Turn(
                number=last.number,
                question=last.question,
                answer=message.text,
                record=last.record,
                answered_at=last.answered_at,
            )
    return turns
