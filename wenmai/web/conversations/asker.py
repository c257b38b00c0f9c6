"""The tool `ask` on conversations: what other agents ask over MCP is a turn like any other."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tools.networks.records import Account
from wenmai.application.caller import LOCAL, Caller
from wenmai.direct_tools.calls import Identity
from wenmai.errors import StoreError
from wenmai.web.conversations.port import NO_RESULT, Asked, Conversations, thread_id


@dataclass(frozen=True, slots=True)
class ConversationAsker:
    """Asks as the caller; a call without a thread's name leaves none behind."""

    conversations: Callable[[], Conversations]

    async def __call__(
        self, question: str, context: Mapping[str, Any], thread: str | None, identity: Identity
    ) -> Mapping[str, Any]:
        """Return the result record. Raises WenmaiError."""
        viewer, conversations = viewer_as(identity), self.conversations()
        id = None if thread is None else thread_id(thread, identity)
        asked = Asked(question=question, thread=id, context=context, is_kept=thread is not None)
        record: Mapping[str, Any] | None = None
        async for event in conversations.ask(viewer, asked):
            record = event.data if event.kind == "answer" else record
        if record is None:
            raise StoreError(NO_RESULT)
        return record


def viewer_as(identity: Identity) -> Caller:
    """Return the user of a call, who changes nothing but his own threads."""
    return Caller(
        user_id=identity.user_id or LOCAL,
        permissions=identity.permissions,
        account=identity.account or Account(LOCAL),
        libraries=identity.libraries,
        networks=identity.networks,
    )
