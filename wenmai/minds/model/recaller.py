"""Searches memories by code first, and by native function calling where that finds nothing."""

from collections.abc import Sequence
from dataclasses import dataclass

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage

from nodes.plan import pending_calls
from nodes.prompts.memory import RECALLER, SEARCHED
from nodes.roles import Recaller, RecallRequest
from nodes.transcript import by_code, made
from wenmai.minds.model.caller import Caller


@dataclass(frozen=True, slots=True)
class ModelRecaller:
    """The recaller's model; `rules` searches before it is asked."""

    caller: Caller
    rules: Recaller

    async def recall(self, request: RecallRequest) -> AIMessage:
        """Return one complete turn: the model's signatures must go back unchanged. Raises ModelError."""
        if is_the_code_s(request):
            return made(*pending_calls(await self.rules.recall(request)))
        messages = [SystemMessage(RECALLER[request.language]), *shown(request)]
        return await self.caller.turn(messages, request.declarations)


def is_the_code_s(request: RecallRequest) -> bool:
    """Return True for the first search, and for what follows from what it has found, or from its failure."""
    turns = [one for one in request.transcript if isinstance(one, AIMessage)]
    alone = all(map(by_code, turns)) and len(turns) == len(request.calls)
    return alone and (not request.calls or bool(request.seen) or not request.calls[-1]["ok"])


def shown(request: RecallRequest) -> Sequence[AnyMessage]:
    """Return the messages for the model: the code's search, which found nothing, is told in the first one."""
    asked, *rest = request.transcript
    if not (rest and isinstance(rest[0], AIMessage) and by_code(rest[0])):
        return request.transcript
    told = SEARCHED[request.language]
    return [HumanMessage(f"{asked.text}\n\n{told}"), *rest[1 + len(rest[0].tool_calls) :]]
