"""The tools with an agent of this process, which answers `ask`."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from typing_extensions import Unpack

from state.fields import ContextFields
from wenmai.answer import Answer
from wenmai.app.container import Services
from wenmai.direct_tools.calls import Arguments, Identity
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

    async def __call__(
        self, question: str, context: Mapping[str, Any], thread: str | None, identity: Identity
    ) -> Mapping[str, Any]:
        """Return the result record; identity comes last, so that no argument takes its place."""
        own: dict[str, Any] = {"user_id": identity.user_id, "permissions": sorted(identity.permissions)}
        if identity.account:
            own |= {"account": identity.account.id, "account_type": identity.account.type}
        return (await self.agent.ask(question, thread_id=thread, **{**context, **own})).record


async def called(
    agent: Asks, services: Services, name: str, arguments: Arguments, user_id: str | None
) -> dict[str, Any]:
    """Call a tool as a user; return its result, or its error in its own form, as plain data."""
    tools = await asyncio.to_thread(direct_tools, services, AgentAsker(agent))
    return (await tools.call(name, arguments, Identity(user_id))).structured
