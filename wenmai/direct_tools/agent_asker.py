"""`ask` by an agent of this process."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wenmai.agent import Agent
from wenmai.direct_tools.calls import Identity


@dataclass(frozen=True, slots=True)
class AgentAsker:
    """Asks an agent as the caller."""

    agent: Agent

    async def __call__(
        self, question: str, context: Mapping[str, Any], thread: str | None, identity: Identity
    ) -> Mapping[str, Any]:
        """Return the result record; identity comes last, so that no argument takes its place."""
        own: dict[str, Any] = {"user_id": identity.user_id, "permissions": sorted(identity.permissions)}
        if identity.account:
            own |= {"account": identity.account.id, "account_type": identity.account.type}
        return (await self.agent.ask(question, thread_id=thread, **{**context, **own})).record
