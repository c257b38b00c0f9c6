"""`wenmai serve`: the application, and the process around it."""

import asyncio
import faulthandler
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from types import FrameType

import uvicorn
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tools.wording import Words
from wenmai.app.container import Services, process_services
from wenmai.app.running_server import announced as left_address
from wenmai.app.uploads import clear_uploads
from wenmai.application.conversations import Conversations
from wenmai.application.own_conversations import open_conversations
from wenmai.application.places import Places
from wenmai.errors import ConfigError, StoreUnavailable
from wenmai.stores.files.folder import discard_all
from wenmai.web.application import application
from wenmai.web.dependencies import Api
from wenmai.web.openai.routes import THREAD
from wenmai.web.origins import OriginGuardedApp
from wenmai.web.own.requests_log import LoggedRequests
from wenmai.web.own.users import Authentication
from wenmai.web.own.waiting import HeadInTime

OPEN = Words(
    "没有 API 密钥：只接受本机的请求，本机上的任何人都可以使用。用 wenmai keys add 创建密钥",
    "There are no API keys: only requests of this machine are taken, and anybody on it may ask. Make a key "
    "by wenmai keys add",
)
NOT_YET = Words("服务器还没有启动完毕，请稍后重试", "the server is still starting: try again in a moment")
EVERYWHERE = ("0.0.0.0", "::")
STOP_SECONDS = 10  # for the questions under way when the process is asked to end
CLOSE_SECONDS = 10  # for jobs and stores then
EXPOSED = ("retry-after", THREAD)

log = logging.getLogger("wenmai.access")


@dataclass(slots=True)
class OwnServer:
    """The application's parts; its conversations are there while it runs."""

    open_services: Callable[[], Services] = process_services
    _conversations: Conversations | None = field(default=None, init=False)

    def conversations(self) -> Conversations:
        """Return the conversations. Raises StoreUnavailable before the start."""
        if self._conversations is None:
            raise StoreUnavailable(NOT_YET)
        return self._conversations

    def application(self) -> OriginGuardedApp:
        """Return the application."""
        api = Api(self.open_services, self.conversations)

        @asynccontextmanager
        async def lifespan(app: Starlette) -> AsyncIterator[None]:
            async with self.running():
                yield
                await api.shared.jobs.close()

        return application(
            api,
            lifespan,
            routes=[Route("/metrics", metrics, methods=["GET"])],
            before=[
                # Pages of unknown origins do not get here.
                Middleware(
                    CORSMiddleware,
                    allow_origins=["*"],
                    allow_methods=["*"],
                    allow_headers=["*"],
                    expose_headers=EXPOSED,
                ),
                Middleware(LoggedRequests),
                Middleware(Authentication, keys=lambda: self.open_services().keys),
            ],
            checks_runs=False,
        )

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Open what answers questions; close everything at the end."""
        logging.getLogger("mcp").setLevel(logging.WARNING)  # it logs two lines for each request
        services = await asyncio.to_thread(self.open_services)
        await asyncio.to_thread(clear_uploads, services.settings.data_dir)
        try:
            await asyncio.to_thread(discard_all, services.settings.data_dir)
            await announced(services)
            places = Places(services.settings.max_turns_at_once, services.settings.max_pending_turns)
            async with open_conversations(services, places) as self._conversations:
                yield
        finally:
            self._conversations = None
            await services.close()


async def announced(services: Services) -> None:
    """Say at the start where nobody is asked for a key; learn the embedder's name before a question needs it."""
    if not await services.keys.is_on():
        log.warning(OPEN.say())
    try:
        await services.opening.know_embedder()
    except ConfigError as error:  # each question is refused with the same line
        log.error("%s", error)


async def metrics(request: Request) -> Response:
    """Return what the process counts, for Prometheus."""
    return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)


class EndingServer(uvicorn.Server):
    """A server that ends in time also where a thread goes on and the stores cannot be closed."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to end; when the time is up, write what each thread does and leave it."""
        faulthandler.dump_traceback_later(STOP_SECONDS + CLOSE_SECONDS, exit=True)
        super().handle_exit(sig, frame)


def serve(host: str, port: int) -> None:
    """Run the server until it is asked to end."""
    settings = process_services().settings
    config = uvicorn.Config(
        OwnServer().application(),
        http=partial(HeadInTime, seconds=settings.request_timeout_s),  # type: ignore[arg-type]  # it is called alone
        host=host,
        port=port,
        proxy_headers=False,  # the guard looks at these headers itself
        server_header=False,
        access_log=False,
        log_config=None,  # its lines go where all go
        ws="none",
        timeout_graceful_shutdown=STOP_SECONDS,
    )
    shown = "127.0.0.1" if host in EVERYWHERE else host
    with left_address(settings.data_dir, f"http://{shown}:{port}"):
        EndingServer(config).run()
