"""A user's memories on a running server."""

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from tools.errors import StoreError
from tools.memory.interchange import HIDDEN
from tools.wording import Words
from wenmai.application.models.memories import ForgetReceipt, ImportedMemories
from wenmai.client.connection import path_of
from wenmai.client.remote import Remote

Row = dict[str, Any]  # a memory as plain data
ROWS_AT_ONCE = 50
MASKED = Words(
    "其中有敏感记忆，服务器 {url} 不给出它们的内容：请在 WENMAI_API_KEY 里用有 sensitive_memory 权限的密钥，"
    "或先停止服务器",
    "some of them are sensitive, and the server {url} does not give their text: put a key with the permission "
    "sensitive_memory into WENMAI_API_KEY, or stop the server first",
)


class RemoteMemories(Remote):
    """`MemoryOperations` of a running server."""

    async def forget(self, *keys: str) -> ForgetReceipt:
        """Forget memories with their history; none of them unless all are there. Raises NotFound."""
        for key in keys:
            await self.get(key)
        receipts = [await self.server.send(ForgetReceipt, "DELETE", path_of("memories", key)) for key in keys]
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
        """Keep memories as an export has them, some at a time; the server dates what nobody does."""
        date = None if undated is None else undated.isoformat()
        total = ImportedMemories(total=0, written=0, doubles=0)
        for begin in range(0, len(rows), ROWS_AT_ONCE):
            body = {"memories": [*rows[begin : begin + ROWS_AT_ONCE]], "undated": date}
            done = await self.server.send(ImportedMemories, "POST", "/memories/import", body)
            total = ImportedMemories(
                total=total.total + done.total,
                written=total.written + done.written,
                doubles=total.doubles + done.doubles,
            )
            if progress:
                progress(total.total, len(rows))
        return total
