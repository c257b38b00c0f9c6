"""Tools: single steps of a search, whole questions and the chapters, for other agents and programs."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wenmai.answer import record_of
from wenmai.app.container import Services
from wenmai.application.caller import Caller, with_library
from wenmai.direct_tools.calls import ChapterAddress, ToolReply, ToolView
from wenmai.direct_tools.offered import DirectTools, direct_tools
from wenmai.direct_tools.questions import AskAgent

if TYPE_CHECKING:
    from wenmai.agent import Agent
    from wenmai.application.operations import Application


@dataclass(frozen=True, slots=True)
class ToolOperations:
    """The agent's tools by themselves, for other agents and programs, called as the caller."""

    app: "Application"

    async def list(self) -> Sequence[ToolView]:
        """Return the tools with the JSON schemas of their arguments and results."""
        return (await self._tools()).views

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolReply:
        """Call a tool. What is wrong with a call is a reply in the tool's own form with `ok` false."""
        return await (await self._tools()).call(name, arguments, self.app.caller)

    async def tables(self) -> Mapping[str, str]:
        """Return the titles of the libraries by the addresses of their tables of contents."""
        return await (await self._tools()).chapters.libraries(self.app.caller)

    async def read(self, uri: str) -> str | Sequence[ChapterAddress]:
        """Return the text of a chapter, or a table of contents. Raises InputError for an unknown address."""
        return await (await self._tools()).chapters.read(uri, self.app.caller)

    async def _tools(self) -> DirectTools:
        """Return the tools of the process; a first call, and one behind another model, loads minds and would block."""
        shared = self.app.shared
        if shared.tools is None or shared.tools.assembly is not self.app.services.assembly:
            shared.tools = await asyncio.to_thread(direct_tools, self.app.services, self._ask, shared.sessions)
        return shared.tools

    async def _ask(
        self, question: str, fields: Mapping[str, Any], thread: str | None, caller: Caller
    ) -> Mapping[str, Any]:
        """Return the result of a question of any caller; one without a thread's name leaves nothing behind."""
        talk = self.app.for_caller(caller).conversations
        return await record_of(talk.events(question, thread, None, fields, is_kept=thread is not None))


def agent_asker(agent: "Agent", services: Services) -> AskAgent:
    """Return what asks an agent as the caller."""

    async def ask(question: str, fields: Mapping[str, Any], thread: str | None, caller: Caller) -> Mapping[str, Any]:
        given, _ = await with_library({**fields, **caller.identity()}, services.catalog, caller)  # identity comes last
        return (await agent.ask(question, thread_id=thread, **given)).record

    return ask


async def agent_tools(agent: "Agent", services: Services) -> DirectTools:
    """Return the tools of an agent by itself."""
    return await asyncio.to_thread(direct_tools, services, agent_asker(agent, services))
