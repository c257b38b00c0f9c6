"""The tool `ask` on a LangGraph server: what other agents ask over MCP is a run of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from wenmai.direct_tools.calls import Identity
from wenmai.errors import InputError, StoreError
from wenmai.web.conversations.port import NO_RESULT, thread_id

GRAPH = "agent"
UNAVAILABLE = 503


@dataclass(slots=True)
class RunAsker:
    """Starts runs inside the process, on behalf of the user of the request."""

    client: LangGraphClient | None = None

    async def __call__(
        self, question: str, context: Mapping[str, Any], thread: str | None, identity: Identity
    ) -> Mapping[str, Any]:
        """Return the result record. Raises InputError, StoreError for what the server refuses."""
        if self.client is None:
            self.client = get_client()
        asked: dict[str, Any] = {"messages": [{"role": "user", "content": question}]}
        id: Any = None if thread is None else thread_id(thread, identity)  # the client's types take one or the other
        try:
            values: Any = await self.client.runs.wait(
                id,
                GRAPH,
                input=asked,
                context=dict(context),
                if_not_exists="create",
            )
        except httpx.HTTPStatusError as error:
            kind = StoreError if error.response.status_code == UNAVAILABLE else InputError
            raise kind(reason_of(error.response)) from error
        if not isinstance(values, Mapping) or "result" not in values:
            raise StoreError(NO_RESULT)
        record: Mapping[str, Any] = values["result"]
        return record


def reason_of(response: httpx.Response) -> str:
    """Return why the server refuses a run."""
    try:
        detail = response.json()["detail"]
    except (ValueError, LookupError, TypeError):
        return f"HTTP {response.status_code}"
    return "; ".join(one["message"] for one in detail) if isinstance(detail, list) else str(detail)
