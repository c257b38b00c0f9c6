"""`wenmai serve`: the process of the project's own server, without LangGraph's runtime."""

import asyncio
import faulthandler
import logging
import socket
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from types import FrameType
from urllib.parse import urlsplit

import uvicorn
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.types import Message as ASGIMessage

from tools.errors import StoreError, StoreLocked, StoreUnavailable
from tools.messages import Message, say
from wenmai.app.clock import now
from wenmai.app.container import Services, process_services
from wenmai.app.data_dir import announce_address, running_server
from wenmai.application.conversations import Conversations
from wenmai.application.limits import ConcurrencyLimits
from wenmai.application.own_conversations import open_conversations
from wenmai.checkpoints import CHECKPOINTS_FILE
from wenmai.checkpoints.sqlite import put_aside
from wenmai.stores.files.deletions import discard_all
from wenmai.web.application import OriginGuardedApp, application, prepare
from wenmai.web.audit import CUT_SHORT, FAILED
from wenmai.web.authentication import Authentication
from wenmai.web.connections import HEAD_SECONDS, MAX_HEAD_BYTES, BoundedConnection
from wenmai.web.dependencies import Api
from wenmai.web.openai.routes import THREAD

PROBES = frozenset({"/health", "/ready", "/metrics"})  # asked every few seconds
STOP_SECONDS = 10  # for the questions under way when the process is asked to end
CLOSE_SECONDS = 10  # for jobs and stores then

log = logging.getLogger("wenmai.requests")


@dataclass(frozen=True, slots=True)
class LoggedRequests:
    """ASGI middleware that logs a line for each request: what, outcome, seconds; neither its query nor who asked.

    A request that is cancelled, which the end of the server alone does, is answered with 503 where that is possible.
    """

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in PROBES:
            await self.app(scope, receive, send)
            return
        started, status = time.monotonic(), CUT_SHORT

        async def noting(message: ASGIMessage) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, noting)
        except asyncio.CancelledError:  # the task ends here
            if status == CUT_SHORT:
                await JSONResponse({"detail": say("server.ending")}, 503)(scope, receive, noting)
        except Exception:
            status = FAILED if status == CUT_SHORT else status  # the server's own answer follows
            raise
        finally:
            seconds = round(time.monotonic() - started, 3)
            fields = {"method": scope["method"], "path": scope["path"], "status": status, "seconds": seconds}
            log.info("request", extra={"fields": fields})


@dataclass(slots=True)
class OwnServer:
    """The application's parts; its conversations are there while it runs."""

    open_services: Callable[[], Services] = process_services
    _conversations: Conversations | StoreError | None = field(default=None, init=False)

    def conversations(self) -> Conversations:
        """Return the conversations. Raises StoreError before the start, and where their file is spoilt."""
        if self._conversations is None:
            raise StoreUnavailable(Message("server.starting"))
        if isinstance(self._conversations, StoreError):
            raise self._conversations.with_traceback(None)  # else each request adds its frames to it
        return self._conversations

    def application(self) -> OriginGuardedApp:
        return application(
            Api(self.open_services, self.conversations),
            lambda _: self.running(),
            routes=[Route("/metrics", metrics, methods=["GET"])],
            before=[
                # Pages of unknown origins do not get here.
                Middleware(
                    CORSMiddleware,
                    allow_origins=["*"],
                    allow_methods=["*"],
                    allow_headers=["*"],
                    expose_headers=("retry-after", THREAD),
                ),
                Middleware(LoggedRequests),
                Middleware(Authentication, keys=lambda: self.open_services().keys),
            ],
            checks_runs=False,
        )

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Open what answers questions; close everything at the end."""
        services = await asyncio.to_thread(self.open_services)
        try:
            await asyncio.to_thread(discard_all, services.settings.data_dir)
            await prepare(services, Message("server.open_to_this_machine"))
            places = ConcurrencyLimits(services.settings.max_turns_at_once, services.settings.max_pending_turns)
            async with AsyncExitStack() as stack:
                try:
                    self._conversations = await stack.enter_async_context(open_conversations(services, places))
                except StoreError as error:  # everything else can be used
                    log.error("%s", error)
                    self._conversations = error
                try:
                    yield
                finally:
                    await requests_ended(services)
        finally:
            self._conversations = None
            await services.close()


async def requests_ended(services: Services) -> None:
    """Wait until no request is under way: those that take too long are cancelled, and still use what is closed next."""
    end = time.monotonic() + CLOSE_SECONDS / 2
    while services.keys.at_work and time.monotonic() < end:
        await asyncio.sleep(0.05)


def is_answering(url: str) -> bool:
    """Return True if a server takes connections: a killed one may have left its address."""
    address = urlsplit(url)
    try:
        with socket.create_connection((address.hostname, address.port), timeout=1):
            return True
    except OSError:
        return False


async def metrics(request: Request) -> Response:
    return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)


class EndingServer(uvicorn.Server):
    """A server that ends in time also where a thread goes on and the stores cannot be closed."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to end; when the time is up, write what each thread does and leave it."""
        faulthandler.dump_traceback_later(STOP_SECONDS + CLOSE_SECONDS, exit=True)
        super().handle_exit(sig, frame)


def serve(host: str, port: int, *, without_keys: bool = False, recovers: bool = False) -> None:
    """Run the server until it is asked to end.

    Args:
        recovers: a spoilt file of conversations is put aside and a new one begun.
        without_keys: the file of keys is lost and is not to come back: nobody is asked for a key.

    Raises:
        StoreLocked: another one answers on the same stores.
        InputError: there are keys.
    """
    settings = process_services().settings
    if without_keys:
        process_services().keys.file.forget()
    other = None if settings.shares_libraries else running_server(settings.data_dir)
    if other is not None and is_answering(other):
        raise StoreLocked(Message("server.data_dir_in_use", url=other, folder=settings.data_dir))
    if recovers and (aside := put_aside(settings.data_dir / CHECKPOINTS_FILE, now())):
        log.warning("%s", Message("conversation.file_put_aside", path=aside))
    config = uvicorn.Config(
        OwnServer().application(),
        http=partial(  # type: ignore[arg-type]  # it is called alone
            BoundedConnection,
            seconds=min(settings.request_timeout_s, HEAD_SECONDS),
            most=settings.max_connections,
            most_of_address=settings.max_connections_per_address,
            proxies=settings.trusted_proxies,
        ),
        h11_max_incomplete_event_size=MAX_HEAD_BYTES,
        host=host,
        port=port,
        proxy_headers=False,  # the guard looks at these headers itself
        server_header=False,
        access_log=False,
        log_config=None,  # its lines go where all go
        ws="none",
        timeout_graceful_shutdown=STOP_SECONDS,
    )
    shown = "127.0.0.1" if host in ("0.0.0.0", "::") else host
    with announce_address(settings.data_dir, f"http://{shown}:{port}"):
        EndingServer(config).run()
