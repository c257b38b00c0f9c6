"""The entry file of `http.app`: the server puts this middleware and these routes in front of its own routes.

`langgraph.json` sets `middleware_order: auth_first`, so that the checks run behind authentication and a refusal carries
the CORS headers that Studio needs. The server takes this very application for its own and puts its middleware and
routes into it, so that the guard of origins stands in front of all of them. Nothing is read or opened when this file
is loaded.
"""

import json
import logging
import re
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.types import Message as ASGIMessage

from tools.errors import WenmaiError
from tools.messages import Message
from wenmai.app.container import process_services, services_in_thread
from wenmai.application.caller import Caller
from wenmai.application.conversations import uuid_of
from wenmai.application.own_conversations import removed_with
from wenmai.web.application import application, prepare
from wenmai.web.authentication import caller_from
from wenmai.web.dependencies import Api
from wenmai.web.guard import read_body, route_path, with_body
from wenmai.web.langgraph.conversations import RuntimeConversations

ONE = re.compile(r"/threads/(?P<thread>[^/]+)/?")
SEVERAL = re.compile(r"/threads/prune/?")

log = logging.getLogger("wenmai.web")


@dataclass(slots=True)
class ThreadRemains:
    """ASGI middleware that takes a deleted thread's documents and traces with it.

    It acts behind the server's own answer, when the thread is gone, and never changes that answer. Threads that the
    server's time to live sweeps away make no request: their traces stay, and their documents until `DELETE
    /api/v1/documents`.
    """

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand everything on; behind a deletion that was carried out remove the rest."""
        threads, receive = await deleted_threads(scope, receive)
        if not threads:
            await self.app(scope, receive, send)
            return
        status = 0

        async def watched(message: ASGIMessage) -> None:
            nonlocal status
            status = message.get("status", status)
            if message["type"] == "http.response.body" and not message.get("more_body") and 200 <= status < 300:
                await remove_rest(threads, caller_from(scope.get("user")))
            await send(message)

        await self.app(scope, receive, watched)


async def deleted_threads(scope: Scope, receive: Receive) -> tuple[list[str], Receive]:
    """Return the threads that a request deletes, and a `receive` that still gives its body."""
    if scope["type"] != "http":
        return [], receive
    path = route_path(scope)
    if scope["method"] == "DELETE" and (one := ONE.fullmatch(path)):
        return thread_ids([one["thread"]]), receive
    if scope["method"] == "POST" and SEVERAL.fullmatch(path):
        body = await read_body(receive)  # InputGuard, in front, has bounded it
        receive = with_body(body, receive)
        try:
            asked = json.loads(body)
            is_whole = asked.get("strategy", "delete") == "delete"
            return thread_ids(map(str, asked["thread_ids"])) if is_whole else [], receive
        except (ValueError, AttributeError, KeyError, TypeError, RecursionError):  # the server will refuse it
            return [], receive
    return [], receive


def thread_ids(threads: Iterable[str]) -> list[str]:
    """Return the ids of threads as runs know them; what is no UUID is no thread of the server."""
    return [id for thread in threads if (id := uuid_of(thread))]


async def remove_rest(threads: Sequence[str], caller: Caller | None) -> None:
    """Remove documents and traces of threads: of the authenticated user, without authentication of everybody."""
    try:
        await removed_with(await services_in_thread(), threads, caller.user_id if caller else None)
    except WenmaiError as error:  # the server has answered: a store or a setting that fails is only logged
        log.warning(
            "a thread is deleted, but its documents are not: delete them by DELETE /api/v1/documents: %s", error
        )


STEPS_OF_TURN = 16  # of one attempt; where there are more, the oldest answers come without citations


@cache
def conversations() -> RuntimeConversations:
    ends, turns = process_services().settings.kept_turns
    return RuntimeConversations(ends + turns * STEPS_OF_TURN)


api = Api(process_services, conversations)


@asynccontextmanager
async def lifespan(app: Starlette) -> AsyncIterator[None]:
    await prepare(await services_in_thread(), Message("server.open_to_any_user"))
    yield


app = application(api, lifespan, after=[Middleware(ThreadRemains)])
