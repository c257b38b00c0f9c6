"""Two routes for the operator: is the process alive, and can it answer. Neither asks for a key."""

import asyncio
from functools import cache

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from wenmai.app.container import process_services
from wenmai.app.readiness import Probes, asked
from wenmai.settings.settings import Settings

UNAVAILABLE = 503
PAUSE_S = 2.0  # probes of several load balancers within it share one look


class Looks:
    """The last look at the stores: one at a time, and not more than one in a while."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.at = 0.0
        self.down: dict[str, bool] = {}

    async def look(self) -> dict[str, bool]:
        """Return the stores by name, and whether each is down."""
        async with self.lock:
            now = asyncio.get_running_loop().time()
            if not self.down or now - self.at >= PAUSE_S:
                services = await asyncio.to_thread(process_services)
                stores, turns = await asyncio.gather(Probes(services).down(), checkpoints_down(services.settings))
                self.down, self.at = stores | turns, now
            return self.down


async def checkpoints_down(settings: Settings) -> dict[str, bool]:
    """Return whether the server of the threads' checkpoints is down, {} where they are in DATA_DIR."""
    if settings.postgres_uri is None:
        return {}
    from wenmai.checkpoints.postgres import reach  # only where there is a server

    uri = settings.postgres_uri.get_secret_value()
    return await asked({"checkpoints": lambda: reach(uri)})


@cache
def looks() -> Looks:
    """Return the process's looks."""
    return Looks()


async def health(request: Request) -> Response:
    """Say that the process answers."""
    return JSONResponse({"ok": True})


async def ready(request: Request) -> Response:
    """Say whether questions can be answered, and which store is down."""
    down = await looks().look()
    stores = {name: "down" if is_down else "ok" for name, is_down in down.items()}
    return JSONResponse({"ready": not any(down.values()), "stores": stores}, UNAVAILABLE if any(down.values()) else 200)


ROUTES = [Route("/health", health, methods=["GET"]), Route("/ready", ready, methods=["GET"])]
