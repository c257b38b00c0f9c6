"""`wenmai serve`: the process of the project's own server, without LangGraph's runtime."""

import asyncio
import faulthandler
import logging
import socket
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from types import FrameType

import uvicorn
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from tools.errors import InputError, StoreError, StoreUnavailable
from tools.messages import Message, say
from wenmai.app.clock import now
from wenmai.app.container import Services, process_services, services_in_thread
from wenmai.app.data_dir import announce_address, only_server
from wenmai.app.readiness import STORE_SECONDS
from wenmai.application.conversations import Conversations
from wenmai.application.limits import ConcurrencyLimits
from wenmai.application.own_conversations import open_conversations
from wenmai.checkpoints import CHECKPOINTS_FILE
from wenmai.checkpoints.sqlite import checked, put_aside
from wenmai.settings.settings import Settings
from wenmai.stores.files.deletions import discard_all
from wenmai.web.application import OriginGuardedApp, application, prepare
from wenmai.web.authentication import Authentication, address_of
from wenmai.web.connections import HEAD_SECONDS, MAX_HEAD_BYTES, BoundedConnection
from wenmai.web.dependencies import Api
from wenmai.web.openai.routes import THREAD
from wenmai.web.watching import watched

PROBES = frozenset({"/health", "/ready", "/metrics"})  # asked every few seconds
STOP_SECONDS = 10  # for the questions under way when the process is asked to end
CLOSE_SECONDS = 10  # for jobs and stores then

log = logging.getLogger("wenmai.requests")


@dataclass(frozen=True, slots=True)
class LoggedRequests:
    """ASGI middleware that logs a line for each request: what, outcome, seconds, of a refused one the address.

    Neither its query nor who asked.
    A request that is cancelled, which the end of the server alone does, is answered with 503 where that is possible.
    """

    app: ASGIApp
    settings: Callable[[], Settings]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in PROBES:
            await self.app(scope, receive, send)
            return
        started = time.monotonic()

        def end_with(status: int) -> None:
            seconds = round(time.monotonic() - started, 3)
            fields = {"method": scope["method"], "path": scope["path"], "status": status, "seconds": seconds}
            if status >= HTTPStatus.BAD_REQUEST:
                fields["address"] = address_of(scope, self.settings().trusted_proxies)
            log.info("request", extra={"fields": fields})

        await watched(self.app, scope, receive, send, end_with, cut_short)


async def cut_short(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a request that the end of the server has cancelled."""
    answer = JSONResponse({"detail": say("server.ending")}, HTTPStatus.SERVICE_UNAVAILABLE)
    await answer(scope, receive, send)


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
                Middleware(LoggedRequests, settings=lambda: self.open_services().settings),
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
                    if services.settings.postgres_uri is None:
                        await stack.enter_async_context(checked(services.settings.data_dir / CHECKPOINTS_FILE))
                except StoreError as error:  # everything else can be used
                    log.error("%s", error)
                    self._conversations = error
                yield
        finally:
            self._conversations = None
            await services.close()


async def metrics(request: Request) -> Response:
    from wenmai.observability.metrics import libraries

    try:
        async with asyncio.timeout(STORE_SECONDS):
            for state, count in (await (await services_in_thread()).looks.library_states()).items():
                libraries.labels(state).set(count)
    except (StoreError, TimeoutError) as error:  # everything else is counted all the same
        libraries.clear()
        log.warning("libraries are not counted: %s", str(error) or type(error).__name__)
    return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)


class EndingServer(uvicorn.Server):
    """A server that ends in time also where a thread goes on and the stores cannot be closed."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to end; when the time is up, write what each thread does and leave it."""
        faulthandler.dump_traceback_later(STOP_SECONDS + CLOSE_SECONDS, exit=True)
        super().handle_exit(sig, frame)


def require_port(host: str, port: int) -> None:
    """Raise InputError where nothing can listen there; uvicorn itself would end with the bare reason."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            reason = error.strerror or str(error)
            raise InputError(Message("server.port_unusable", host=host, port=port, reason=reason)) from error


def serve(host: str, port: int, *, without_keys: bool = False, recovers: bool = False) -> None:
    """Run the server until it is asked to end.

    Args:
        recovers: a spoilt file of conversations is put aside and a new one begun.
        without_keys: the file of keys is lost and is not to come back: nobody is asked for a key.

    Raises:
        StoreLocked: another one has the same stores.
        InputError: there are keys, or the port cannot be used.
    """
    settings = process_services().settings
    if without_keys:
        process_services().keys.file.forget()
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
    folder, address = settings.data_dir, f"http://{shown}:{port}"
    with nullcontext() if settings.shares_libraries else only_server(folder):
        require_port(host, port)
        with announce_address(folder, address):
            if recovers and (aside := put_aside(folder / CHECKPOINTS_FILE, now())):
                log.warning("%s", Message("conversation.file_put_aside", path=aside))
            EndingServer(config).run()
