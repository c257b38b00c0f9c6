"""What commands ask a running server about a user's memories; results are what the stores would give."""

from collections.abc import Sequence
from datetime import datetime
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from tools.wording import Words
from wenmai.cli.server.running import PAGE_ROWS, Running, known
from wenmai.errors import StoreError

if TYPE_CHECKING:
    from tools.memory.records import FoundMemories, Memory
    from wenmai.memories.forgetting import Receipt
    from wenmai.memories.importing import Imported

AT_A_TIME = 50
RECEIPT = ("memories", "threads", "traces", "caches")
MASKED = Words(
    "其中有敏感记忆，服务器 {url} 不给出它们的内容：请在 WENMAI_API_KEY 里用有 sensitive_memory 权限的密钥，"
    "或先停止服务器",
    "some of them are sensitive, and the server {url} does not give their text: put a key with the permission "
    "sensitive_memory into WENMAI_API_KEY, or stop the server first",
)


def exported(server: Running, user: str) -> list[dict[str, Any]]:
    """Return every memory of a user as plain data, the oldest first. Raises StoreError where a text is hidden."""
    from tools.memory.interchange import HIDDEN

    rows: list[dict[str, Any]] = server.as_user(user).ask("GET", "/memories/export")
    if any(row["content"] == HIDDEN for row in rows):
        raise StoreError(MASKED.of(url=server.url))
    return rows


def listed(server: Running, user: str, limit: int, **query: Any) -> "tuple[list[Memory], int]":
    """Return the newest of a user's active memories, and how many there are."""
    page = server.as_user(user).ask("GET", "/memories", params=known({**query, "limit": min(limit, PAGE_ROWS)}))
    rows = page["items"] if limit <= PAGE_ROWS else islice(server.rows("/memories", **query), limit)
    return [memory_from(row, user) for row in rows], page["total"]


def history(server: Running, user: str, key: str, **query: Any) -> "list[Memory]":
    """Return a memory and what it took the place of, the newest first. Raises InputError for an unknown one."""
    path = f"/memories/{quote(key, safe='')}"
    found = server.as_user(user).ask("GET", path, params=known(query))
    return [memory_from(one, user) for one in (found["memory"], *found["history"])]


def found(server: Running, user: str, **query: Any) -> "FoundMemories":
    """Search a user's memories."""
    from tools.memory.records import FoundMemories, FoundMemory

    page = server.as_user(user).ask("GET", "/memories/search", params=known(query))
    rows = [(memory_from(one["memory"], user), one["relevance"]) for one in page["items"]]
    best = [FoundMemory(memory=row, relevance=score, score=score) for row, score in rows]
    return FoundMemories(total=page["total"], found=tuple(best))


def memory_from(row: dict[str, Any], user: str) -> "Memory":
    """Return a memory of the API as the stores give it; the text of one without the permission is hidden."""
    from tools.memory.records import SENSITIVE, Keyword, Memory

    return Memory(
        memory_key=row["key"],
        user_id=user,
        content=row["content"],
        created_at=datetime.fromisoformat(row["created_at"]),
        memory_type=row["type"],
        summary=row["summary"],
        content_metadata=row["metadata"] | ({SENSITIVE: True} if row["is_sensitive"] else {}),
        keywords=tuple(map(Keyword, row["keywords"])),
        thread_id=row["thread_id"],
        is_active=row["is_active"],
        superseded_by=row["superseded_by"],
        valid_until=datetime.fromisoformat(row["valid_until"]) if row["valid_until"] else None,
    )


def add(server: Running, user: str, new: dict[str, Any]) -> str:
    """Keep a memory and return its key. Raises InputError."""
    return str(server.as_user(user).ask("POST", "/memories", json=new)["key"])


def imported(server: Running, rows: "Sequence[Memory]", undated: datetime) -> "Imported":
    """Keep many memories, some at a time; those of the date `undated` have none of their own.

    Raises InputError for those of users that the server does not know.
    """
    from wenmai.memories.importing import Imported

    ordered = sorted(rows, key=lambda one: one.user_id)
    users = {user: [row_of(one, undated) for one in own] for user, own in groupby(ordered, lambda one: one.user_id)}
    for user in users:
        server.require(user)
    batches = [own[at : at + AT_A_TIME] for own in users.values() for at in range(0, len(own), AT_A_TIME)]
    done = [server.ask("POST", "/memories/import", json={"memories": batch}) for batch in batches]
    return Imported(
        total=len(rows),
        written=sum(one["written"] for one in done),
        users=len(users),
        doubles=len(rows) - len({one.id for one in rows}),
    )


def row_of(memory: "Memory", undated: datetime) -> dict[str, Any]:
    """Return a memory as an import takes it, without a date where it has none of its own."""
    from tools.memory.interchange import to_row

    return to_row(memory) | ({"created_at": None} if memory.created_at == undated else {})


def forget(server: Running, user: str, keys: list[str]) -> "Receipt":
    """Forget memories and return how much was taken out where."""
    from wenmai.memories.forgetting import Receipt

    server.require(user)
    receipts = [server.ask("DELETE", f"/memories/{quote(key, safe='')}") for key in keys]
    return Receipt(**{kind: sum(one[kind] for one in receipts) for kind in RECEIPT})
