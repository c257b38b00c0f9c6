"""Questions of the command line to a running server."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import httpx

from tools.wording import Names, Words
from wenmai.cli.server.running import GONE, PAGE_ROWS, TIMEOUT_S, headers, known, read, require_own
from wenmai.errors import InputError, StoreError

if TYPE_CHECKING:
    from wenmai.answer import TurnEvent

ACCOUNT = ("account", "account_type")
OWN = ("user_id", "permissions")  # who asks is for the server to say
BY_KEY = Words(
    "正在运行的服务器 {url} 按密钥决定 {names}：请去掉这些选项，或先停止服务器",
    "the running server {url} knows {names} by the key: leave these options out, or stop the server first",
)
NOT_KEPT = Words(
    "正在运行的服务器 {url} 没有保留这一问的记录：请重试",
    "the running server {url} has not kept the record of this question: try again",
)
STREAM = {"accept": "text/event-stream"}


@dataclass(frozen=True, slots=True)
class RemoteAgent:
    """Asks a running server as an agent of this process would be asked."""

    url: str

    async def stream(
        self,
        question: str,
        *,
        thread_id: str | None = None,
        session_context: Mapping[str, Any] | None = None,
        **context: Any,
    ) -> AsyncIterator["TurnEvent"]:
        """Yield the steps of a turn, last `answer` with the result record. Raises WenmaiError."""
        if named := [name for name in ACCOUNT if name in context]:
            raise InputError(BY_KEY.of(url=self.url, names=Names(named)))
        body = {name: value for name, value in context.items() if name not in OWN}
        path = "/ask" if thread_id is None else f"/threads/{thread_id}/ask"
        async with self._http() as http:
            me = read(await http.get("/me"), self.url)
            require_own(me, self.url, context.get("user_id"), context.get("permissions") or ())
            asked = known({"question": question, "session_context": session_context, **body})
            async with http.stream("POST", path, json=asked, headers=STREAM) as reply:
                if not reply.is_success:
                    await reply.aread()
                    read(reply, self.url)
                async for kind, data in sent(reply.aiter_lines()):
                    if kind == "error":
                        raise StoreError(str(data.get("detail") or data))
                    if kind == "answer":
                        data = await self._record(http, data["thread_id"], data["trace_id"])
                    if kind != "thread":
                        yield event(kind, data)

    async def ask(self, question: str, **options: Any) -> dict[str, Any]:
        """Return the result record of a question. Raises WenmaiError."""
        record: dict[str, Any] = {}
        async for one in self.stream(question, **options):
            record = one.data if one.kind == "answer" else record
        return record

    async def _record(self, http: httpx.AsyncClient, thread: str, trace: str) -> dict[str, Any]:
        """Return the record of a turn, which need not be the newest of its thread. Raises StoreError."""
        turns = f"/threads/{thread}/turns"
        total = read(await http.get(turns, params={"limit": 1}), self.url)["total"]
        newest = {"limit": PAGE_ROWS, "offset": max(0, total - PAGE_ROWS)}
        for one in reversed(read(await http.get(turns, params=newest), self.url)["items"]):
            if one["trace_id"] == trace:
                return dict(read(await http.get(f"{turns}/{one['number']}/record"), self.url)["record"])
        raise StoreError(NOT_KEPT.of(url=self.url))

    @asynccontextmanager
    async def _http(self) -> AsyncIterator[httpx.AsyncClient]:
        try:
            async with httpx.AsyncClient(
                base_url=f"{self.url}/api/v1", headers=headers(), timeout=TIMEOUT_S, trust_env=False
            ) as http:
                yield http
        except httpx.TransportError as error:
            raise StoreError(GONE.of(url=self.url, error=error)) from error


async def sent(lines: AsyncIterator[str]) -> AsyncIterator[tuple[str, Any]]:
    """Yield name and data of each event of a stream."""
    name = ""
    async for line in lines:
        field, _, text = line.partition(": ")
        if field == "event":
            name = text
        elif field == "data":
            yield name, json.loads(text)


def event(kind: str, data: Any) -> "TurnEvent":
    """Return an event as an agent gives it."""
    from wenmai.answer import event_of

    return event_of(kind, data)
