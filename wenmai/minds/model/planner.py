"""Chooses calls by native function calling, or writes the draft."""

from collections.abc import Sequence
from dataclasses import dataclass

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage

from nodes.prompts.planner import MATERIAL, RAG, SCHEMA, SMALL_TALK, context_block, system_prompt
from nodes.roles import PlanRequest
from wenmai.minds.model.caller import Caller
from wenmai.minds.model.showing.schema import schema_text
from wenmai.minds.model.showing.transcript import schemas, shown


@dataclass(frozen=True, slots=True)
class ModelPlanner:
    """The planner's model: the same one thinks shorter, as a rule, while it may still search."""

    caller: Caller
    searcher: Caller

    async def plan(self, request: PlanRequest) -> AIMessage:
        """Return one complete model turn: its signatures must go back unchanged. Raises ModelError.

        In a draft turn tools stay declared but may not be called: a request begins like the one before.
        """
        if request.small_talk:
            prompt = SMALL_TALK[request.language].format(title=request.title)
            messages: list[AnyMessage] = [SystemMessage(prompt), HumanMessage(request.question)]
            return await self.caller.turn(messages, stream=request.stream)
        tools = () if request.mode == "rag" else request.declarations
        messages = [SystemMessage(instructions(request)), *conversation(request)]
        caller = self.searcher if tools and not request.draft_only else self.caller
        return await caller.turn(messages, tools, request.stream, may_call=not request.draft_only)


def instructions(request: PlanRequest) -> str:
    """Return the system prompt, with the schema of networks where the code has asked for it."""
    if from_documents(request):
        return RAG[request.language]
    prompt = system_prompt(request.title, guided_toolkits(request), request.max_turns, request.language)
    found = schemas(request.transcript)
    return f"{prompt}\n\n{SCHEMA[request.language].format(schema=schema_text(found))}" if found else prompt


def guided_toolkits(request: PlanRequest) -> Sequence[str]:
    """Return the toolkits whose guides are given; rag mode has nothing to choose."""
    return () if request.mode == "rag" else request.toolkits


def conversation(request: PlanRequest) -> list[AnyMessage]:
    """Return the attempt's messages with the numbers of the evidence."""
    if not from_documents(request):
        return shown(request.transcript, request.evidence, request.language)
    questions = [message for message in request.transcript if isinstance(message, HumanMessage)]
    material = MATERIAL[request.language].format(results=context_block(request.evidence, request.language))
    return [HumanMessage(f"{questions[0].text}\n\n{material}"), *questions[1:]]


def from_documents(request: PlanRequest) -> bool:
    """Return True if rag mode has retrieved from uploaded documents."""
    return request.mode == "rag" and any(piece["kind"] == "document" for piece in request.evidence)
