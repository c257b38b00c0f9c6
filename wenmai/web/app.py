"""The entry file of `http.app`: the server puts this middleware and these routes in front of its own routes.

`langgraph.json` sets `middleware_order: auth_first`, so that the checks run behind authentication and a refusal carries
the CORS headers that Studio needs. The server takes this very application for its own and puts its middleware and
routes into it, so that the guard of origins stands in front of all of them. Nothing is read or opened when this file
is loaded.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache

from starlette.applications import Starlette
from starlette.middleware import Middleware

from tools.wording import Words
from wenmai.app.container import process_services
from wenmai.app.uploads import clear_uploads
from wenmai.errors import ConfigError
from wenmai.web.application import application
from wenmai.web.dependencies import Api
from wenmai.web.langgraph.conversations import RuntimeConversations
from wenmai.web.langgraph.threads import ThreadDocuments

OPEN = Words(
    "没有 API 密钥：本机上的任何人都能以任何 user_id 提问，其他机器一律拒绝。用 wenmai keys add 创建密钥",
    "There are no API keys: anybody on this machine may ask under any user_id, other machines are refused. "
    "Make a key by wenmai keys add",
)

log = logging.getLogger("wenmai.access")


@cache
def conversations() -> RuntimeConversations:
    """Return the threads and runs of this server."""
    return RuntimeConversations(process_services().settings.kept_checkpoints)


api = Api(process_services, conversations)


@asynccontextmanager
async def lifespan(app: Starlette) -> AsyncIterator[None]:
    """Say at the start where nobody is asked who he is; learn the embedder's name before a question needs it."""
    logging.getLogger("mcp").setLevel(logging.WARNING)  # it logs two lines for each request
    services = await asyncio.to_thread(process_services)
    await asyncio.to_thread(clear_uploads, services.settings.data_dir)
    if not await services.keys.is_on():
        log.warning(OPEN.say())
    try:
        await services.opening.know_embedder()
    except ConfigError as error:  # each question is refused with the same line
        log.error("%s", error)
    yield
    await api.shared.jobs.close()


app = application(api, lifespan, after=[Middleware(ThreadDocuments)])
