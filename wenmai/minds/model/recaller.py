"""Searches memories by native function calling."""

from dataclasses import dataclass

from langchain_core.messages import AIMessage, SystemMessage

from nodes.prompts.recall import RECALLER
from nodes.recall.roles import RecallRequest
from wenmai.minds.model.caller import Caller


@dataclass(frozen=True, slots=True)
class ModelRecaller:
    """The recaller's model."""

    caller: Caller

    async def recall(self, request: RecallRequest) -> AIMessage:
        """Return one complete model turn: its signatures must go back unchanged. Raises ModelError."""
        messages = [SystemMessage(RECALLER[request.language]), *request.transcript]
        return await self.caller.turn(messages, request.declarations)
