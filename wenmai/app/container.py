"""The live objects of a process, imported and opened at their first use: a list of libraries loads no mind."""

import asyncio
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

from wenmai.app.engines import Engines
from wenmai.settings.settings import validate_config

if TYPE_CHECKING:
    from wenmai.app.assembly import AgentAssembly
    from wenmai.app.libraries import Libraries
    from wenmai.app.opening import Opening
    from wenmai.app.readiness import Looks


@dataclass(frozen=True)
class Services(Engines):
    """What a run needs from outside: the engines, and what is built on them."""

    @cached_property
    def libraries(self) -> "Libraries":
        """Who may write libraries, and how they are dropped."""
        from wenmai.app.libraries import Libraries

        return Libraries(self)

    @cached_property
    def looks(self) -> "Looks":
        from wenmai.app.readiness import Looks

        return Looks(self)

    @cached_property
    def opening(self) -> "Opening":
        from wenmai.app.opening import Opening

        return Opening(self, self.libraries)

    @cached_property
    def assembly(self) -> "AgentAssembly":
        from wenmai.app.assembly import AgentAssembly

        return AgentAssembly(self)


@cache
def process_services() -> Services:
    """Return the services of a server's process: its graph and its input checks share them. Reads the settings."""
    return Services(validate_config(), is_server=True)


async def services_in_thread() -> Services:
    """Return the same; the first call reads files, which must not block the event loop."""
    return await asyncio.to_thread(process_services)
