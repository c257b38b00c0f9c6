"""The entry file of `http.app`: the server puts this middleware and these routes in front of its own routes.

`langgraph.json` sets `middleware_order: auth_first`, so that the checks run behind authentication and a refusal carries
the CORS headers that Studio needs. The server takes this very application for its own and puts its middleware and
routes into it, so that the guard of origins stands in front of all of them. Nothing is read or opened when this file
is loaded.
"""

import asyncio
import json
import logging
import re
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from uuid import UUID

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tools.wording import Words
from wenmai.app.container import process_services
from wenmai.application.caller import Caller
from wenmai.application.own_conversations import is_uuid
from wenmai.documents.service import DocumentService
from wenmai.errors import WenmaiError
from wenmai.web.application import application, prepare
from wenmai.web.authentication import caller_from
from wenmai.web.dependencies import Api
from wenmai.web.guard import BodyTooLarge, read_body, route_path, too_large, with_body
from wenmai.web.langgraph.conversations import RuntimeConversations

ONE = re.compile(r"/threads/(?P<thread>[^/]+)/?")
SEVERAL = re.compile(r"/threads/prune/?")
OPEN = Words(
    "没有 API 密钥：本机上的任何人都能以任何 user_id 提问，其他机器一律拒绝。用 wenmai keys add 创建密钥",
    "There are no API keys: anybody on this machine may ask under any user_id, other machines are refused. "
    "Make a key by wenmai keys add",
)

log = logging.getLogger("wenmai.web")


@dataclass(slots=True)
class ThreadDocuments:
    """ASGI middleware that takes a deleted thread's documents with it: the thread is their session.

    It acts behind the server's own answer, when the thread is gone, and never changes that answer. Threads that the
    server's time to live sweeps away make no request: their documents stay until `DELETE /documents`.
    """

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand everything on; behind a deletion that was carried out remove the documents."""
        try:
            threads, receive = await deleted_threads(scope, receive)
        except BodyTooLarge:  # InputGuard, in front, has the same limit
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
                await remove_documents(threads, caller_from(scope.get("user")))
            await send(message)

        await self.app(scope, receive, watched)


async def most_bytes() -> int:
    """Return how long a request may be; the first call reads files, which must not block the event loop."""
    return (await asyncio.to_thread(process_services)).settings.max_request_bytes


async def deleted_threads(scope: Scope, receive: Receive) -> tuple[list[str], Receive]:
    """Return the threads that a request deletes, and a `receive` that still gives its body. Raises BodyTooLarge."""
    if scope["type"] != "http":
        return [], receive
    path = route_path(scope)
    if scope["method"] == "DELETE" and (one := ONE.fullmatch(path)):
        return thread_ids([one["thread"]]), receive
    if scope["method"] == "POST" and SEVERAL.fullmatch(path):
        body = await read_body(receive, await most_bytes())
        return pruned_threads(body), with_body(body, receive)
    return [], receive


def pruned_threads(body: bytes) -> list[str]:
    """Return the threads that a pruning deletes as a whole; none for what the server will refuse."""
    try:
        asked = json.loads(body)
        return thread_ids(map(str, asked["thread_ids"])) if asked.get("strategy", "delete") == "delete" else []
    except (ValueError, AttributeError, KeyError, TypeError, RecursionError):
        return []


def thread_ids(threads: Iterable[str]) -> list[str]:
    """Return the ids of threads as runs know them; what is no UUID is no thread of the server."""
    return [str(UUID(thread)) for thread in threads if is_uuid(thread)]


async def document_service() -> DocumentService:
    """Return the process's service; the first call reads files, which must not block the event loop."""
    return await asyncio.to_thread(lambda: process_services().document_service)


async def remove_documents(threads: Sequence[str], caller: Caller | None) -> None:
    """Remove the documents of threads: of the authenticated user, without authentication of everybody in them."""
    try:
        await (await document_service()).remove_sessions(threads, caller.user_id if caller else None)
    except WenmaiError as error:  # the server has answered: a store or a setting that fails is only logged
        log.warning("a thread is deleted, but its documents are not: delete them by DELETE /documents: %s", error)


STEPS_OF_TURN = 16  # of one attempt; where there are more, the oldest answers come without citations


@cache
def conversations() -> RuntimeConversations:
    """Return the threads and runs of this server."""
    ends, turns = process_services().settings.kept_turns
    return RuntimeConversations(ends + turns * STEPS_OF_TURN)


api = Api(process_services, conversations)


@asynccontextmanager
async def lifespan(app: Starlette) -> AsyncIterator[None]:
    """Prepare the process."""
    await prepare(await asyncio.to_thread(process_services), OPEN)
    yield


app = application(api, lifespan, after=[Middleware(ThreadDocuments)])
