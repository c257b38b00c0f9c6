"""The tools with an agent of this process, which answers `ask`."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from typing_extensions import Unpack

from state.context import ContextFields
from wenmai.answer import Answer
from wenmai.app.container import Services
from wenmai.application.caller import Caller
from wenmai.application.checks import with_library
from wenmai.direct_tools.calls import Arguments
from wenmai.direct_tools.offered import direct_tools


class Asks(Protocol):
    """An agent."""

    async def ask(self, question: str, *, thread_id: str | None = None, **context: Unpack[ContextFields]) -> Answer:
        """Answer a question. Raises WenmaiError."""
        ...


@dataclass(frozen=True, slots=True)
class AgentAsker:
    """Asks an agent as the caller."""

    agent: Asks
    services: Services

    async def __call__(
        self, question: str, fields: Mapping[str, Any], thread: str | None, caller: Caller
    ) -> Mapping[str, Any]:
        """Return the result; identity comes last, so that no argument takes its place."""
        given, _ = await with_library({**fields, **caller.identity()}, self.services.catalog, caller)
        return (await self.agent.ask(question, thread_id=thread, **given)).record


async def called(
    agent: Asks, services: Services, name: str, arguments: Arguments, user_id: str | None
) -> dict[str, Any]:
    """Call a tool as a user; return its result, or its error in its own form, as plain data."""
    tools = await asyncio.to_thread(direct_tools, services, AgentAsker(agent, services))
    return (await tools.call(name, arguments, Caller(user_id=user_id or ""))).structured
