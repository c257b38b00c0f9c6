"""Chooses calls by native function calling, or writes the draft."""

from collections.abc import Sequence
from dataclasses import dataclass

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage

from nodes.prompts.chinese import RESOLVED, RETRIEVED, SMALL_TALK, system_prompt
from nodes.prompts.documents import RAG, context_block
from nodes.roles import PlanRequest
from wenmai.minds.model.caller import Caller
from wenmai.minds.model.numbering import numbered


@dataclass(frozen=True, slots=True)
class ModelPlanner:
    """The planner's model."""

    caller: Caller

    async def plan(self, request: PlanRequest) -> AIMessage:
        """Return one complete model turn: its signatures must go back unchanged. Raises ModelError.

        A draft turn binds no tools; nor does small talk.
        """
        if request.small_talk:
            messages: list[AnyMessage] = [SystemMessage(SMALL_TALK[request.language]), HumanMessage(request.question)]
            return await self.caller.turn(messages, on_text=request.on_text)
        tools = () if request.draft_only else request.declarations
        messages = [SystemMessage(instructions(request)), *conversation(request)]
        return await self.caller.turn(messages, tools, request.on_text)


def instructions(request: PlanRequest) -> str:
    """Return the system prompt; parts that differ between questions come last, for the service's prefix cache."""
    tools = [declaration["name"] for declaration in request.declarations]
    prompt = (
        RAG[request.language]
        if from_documents(request)
        else system_prompt(request.title, guided_toolkits(request), tools, request.max_turns, request.language)
    )
    if request.resolved == request.question:
        return prompt
    return f"{prompt}\n\n{RESOLVED[request.language].format(question=request.resolved)}"


def guided_toolkits(request: PlanRequest) -> Sequence[str]:
    """Return the toolkits whose guides are given; rag mode has nothing to choose."""
    return () if request.mode == "rag" else request.toolkits


def conversation(request: PlanRequest) -> list[AnyMessage]:
    """Return the attempt's messages with the numbers of the evidence."""
    calls = [call for call in request.calls if call["attempt"] == request.attempt]
    messages = numbered(request.transcript, calls, request.evidence, request.language)
    return as_material(messages, request) if request.mode == "rag" else messages


def as_material(messages: Sequence[AnyMessage], request: PlanRequest) -> list[AnyMessage]:
    """Return rag mode's result as text: the model made no call, and a call without its signature is refused."""
    results = "\n".join(message.text for message in messages if isinstance(message, ToolMessage))
    if from_documents(request):
        results = context_block(request.evidence, request.language)
    questions = [message for message in messages if isinstance(message, HumanMessage)]
    material = HumanMessage(RETRIEVED[request.language].format(results=results))
    return [*questions[:1], material, *questions[1:]]


def from_documents(request: PlanRequest) -> bool:
    """Return True if rag mode has retrieved from uploaded documents."""
    return request.mode == "rag" and any(piece["kind"] == "document" for piece in request.evidence)
