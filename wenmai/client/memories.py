"""A user's memories on a running server."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import quote

from tools.memory.interchange import HIDDEN
from tools.wording import Words
from wenmai.application.models.memories import (
    ForgetReceipt,
    FoundPage,
    ImportedMemories,
    MemoryDetail,
    MemoryView,
    SearchWay,
)
from wenmai.application.models.paging import USUAL, Guard, Page
from wenmai.client.connection import Connection
from wenmai.errors import StoreError

Row = dict[str, Any]  # a memory as plain data
ROWS_AT_ONCE = 50
MASKED = Words(
    "其中有敏感记忆，服务器 {url} 不给出它们的内容：请在 WENMAI_API_KEY 里用有 sensitive_memory 权限的密钥，"
    "或先停止服务器",
    "some of them are sensitive, and the server {url} does not give their text: put a key with the permission "
    "sensitive_memory into WENMAI_API_KEY, or stop the server first",
)


@dataclass(frozen=True, slots=True)
class RemoteMemories:
    """`MemoryOperations` of a running server."""

    server: Connection

    async def list(
        self,
        *,
        type: str | None = None,
        library: str | None = None,
        guard: Guard | None = None,
        limit: int = USUAL,
        offset: int = 0,
    ) -> Page[MemoryView]:
        """Return active memories, the newest first."""
        return await self.server.page(MemoryView, "/memories", limit, offset, type=type, library=library, guard=guard)

    async def get(self, key: str, *, library: str | None = None, guard: Guard | None = None) -> MemoryDetail:
        """Return a memory with its history. Raises NotFound."""
        return await self.server.get(MemoryDetail, path_of(key), library=library, guard=guard)

    async def search(
        self,
        query: str,
        *,
        mode: SearchWay = "recall",
        type: str | None = None,
        keyword: Sequence[str] = (),
        days: int | None = None,
        limit: int = 5,
        min_score: float = 0.5,
        library: str | None = None,
        guard: Guard | None = None,
    ) -> FoundPage:
        """Search memories."""
        fields = {"mode": mode, "type": type, "keyword": [*keyword], "days": days, "limit": limit}
        return await self.server.get(
            FoundPage, "/memories/search", q=query, min_score=min_score, library=library, guard=guard, **fields
        )

    async def add(
        self,
        content: str,
        *,
        type: str = "general",
        summary: str | None = None,
        keywords: Sequence[str] | None = None,
        is_sensitive: bool = False,
        key: str | None = None,
    ) -> MemoryView:
        """Remember one thing."""
        new = {"content": content, "type": type, "summary": summary, "keywords": keywords}
        return await self.server.send(
            MemoryView, "POST", "/memories", {**new, "is_sensitive": is_sensitive, "key": key}
        )

    async def update(self, key: str, **changes: Any) -> MemoryView:
        """Change content, type, summary or keywords. Raises NotFound."""
        return await self.server.send(MemoryView, "PATCH", path_of(key), changes)

    async def forget(self, *keys: str) -> ForgetReceipt:
        """Forget memories with their history; none of them unless all are there. Raises NotFound."""
        for key in keys:
            await self.get(key)
        receipts = [await self.server.send(ForgetReceipt, "DELETE", path_of(key)) for key in keys]
        counts = [one.model_dump() for one in receipts]
        return ForgetReceipt(**{name: sum(one[name] for one in counts) for name in ForgetReceipt.model_fields})

    async def export(self) -> Sequence[Row]:
        """Return every memory as plain data, the oldest first. Raises StoreError where a text is hidden."""
        rows: Sequence[Row] = [json.loads(line) async for line in self.server.lines("/memories/export")]
        if any(row["content"] == HIDDEN for row in rows):
            raise StoreError(MASKED.of(url=self.server.url))
        return rows

    async def load(
        self,
        rows: Sequence[Row],
        *,
        undated: datetime | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> ImportedMemories:
        """Keep memories as an export has them, some at a time; the server dates those without a date."""
        total = ImportedMemories(total=0, written=0, doubles=0)
        for begin in range(0, len(rows), ROWS_AT_ONCE):
            body = {"memories": [*rows[begin : begin + ROWS_AT_ONCE]]}
            done = await self.server.send(ImportedMemories, "POST", "/memories/import", body)
            total = ImportedMemories(
                total=total.total + done.total,
                written=total.written + done.written,
                doubles=total.doubles + done.doubles,
            )
            if progress:
                progress(total.total, len(rows))
        return total


def path_of(key: str) -> str:
    """Return the path of a memory."""
    return f"/memories/{quote(key, safe='')}"
