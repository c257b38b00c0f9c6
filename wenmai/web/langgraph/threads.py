"""The middleware that takes a deleted thread's documents with it: the thread is their session.

It acts behind the server's own answer, when the thread is gone, and never changes that answer. Threads that the
server's time to live sweeps away make no request: their documents stay until `DELETE /documents`.
"""

import asyncio
import json
import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wenmai.app.container import process_services
from wenmai.application.caller import Caller
from wenmai.documents.service import DocumentService
from wenmai.errors import WenmaiError
from wenmai.web.callers import caller_from
from wenmai.web.guard import TooLarge, read_body, replayed, route_path, too_large

ONE = re.compile(r"/threads/(?P<thread>[^/]+)/?")
SEVERAL = re.compile(r"/threads/prune/?")

log = logging.getLogger("wenmai.web")


@dataclass(slots=True)
class ThreadDocuments:
    """ASGI middleware in front of the server's own routes."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand everything on; behind a deletion that was carried out remove the documents."""
        try:
            threads, receive = await deleted(scope, receive)
        except TooLarge:  # InputGuard, in front, has the same limit
            await too_large(await most_bytes())(scope, receive, send)
            return
        if not threads:
            await self.app(scope, receive, send)
            return
        status = 0

        async def watched(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            if message["type"] == "http.response.body" and not message.get("more_body") and 200 <= status < 300:
                await forget(threads, caller_from(scope.get("user")))
            await send(message)

        await self.app(scope, receive, watched)


async def most_bytes() -> int:
    """Return how long a request may be; the first call reads files, which must not block the event loop."""
    return (await asyncio.to_thread(process_services)).settings.max_request_bytes


async def deleted(scope: Scope, receive: Receive) -> tuple[list[str], Receive]:
    """Return the threads that a request is to delete, and a `receive` that still gives its body. Raises TooLarge."""
    if scope["type"] != "http":
        return [], receive
    path = route_path(scope)
    if scope["method"] == "DELETE" and (one := ONE.fullmatch(path)):
        return sessions([one["thread"]]), receive
    if scope["method"] == "POST" and SEVERAL.fullmatch(path):
        body = await read_body(receive, await most_bytes())
        return pruned(body), replayed(body, receive)
    return [], receive


def pruned(body: bytes) -> list[str]:
    """Return the threads that a pruning deletes as a whole; none for what the server will refuse."""
    try:
        asked = json.loads(body)
        if asked.get("strategy", "delete") != "delete":
            return []
        return sessions([str(id) for id in asked["thread_ids"]])
    except (ValueError, AttributeError, KeyError, TypeError, RecursionError):
        return []


def sessions(threads: Sequence[str]) -> list[str]:
    """Return the ids of threads as runs know them; what is no UUID is no thread of the server."""
    found = []
    for thread in threads:
        try:
            found.append(str(UUID(thread)))
        except ValueError:
            continue
    return found


async def document_service() -> DocumentService:
    """Return the process's service; the first call reads files, which must not block the event loop."""
    return await asyncio.to_thread(lambda: process_services().document_service)


async def forget(threads: Sequence[str], caller: Caller | None) -> None:
    """Remove the documents of threads: of the authenticated user, without authentication of everybody in them."""
    try:
        await (await document_service()).remove_sessions(threads, caller.user_id if caller else None)
    except WenmaiError as error:  # the server has answered: a store or a setting that fails is only logged
        log.warning("a thread is deleted, but its documents are not: delete them by DELETE /documents: %s", error)
