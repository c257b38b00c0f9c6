"""The live objects of a process, imported and opened at their first use: a list of libraries loads no mind."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

from wenmai.app.engines import Engines
from wenmai.inputs import wrong_kind
from wenmai.observability.cleaning import know, secrets_of
from wenmai.settings.settings import Settings, validate_config

if TYPE_CHECKING:
    from langchain_neo4j import Neo4jGraph

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

        return AgentAssembly(self, self.settings)

    def use_settings(self, settings: Settings, keep: Callable[[], object] = lambda: None) -> None:
        """Answer by another model from the next question on; what is open stays open. It loads minds and blocks.

        `keep` writes the choice down: after everything that may fail, before anything has changed.
        """
        know(secrets_of(settings))
        parts, made = vars(self), None
        if "assembly" in parts:
            made = self.assembly.answering_by(settings)
            made.dependencies()  # here, not on the loop of the next question
        keep()
        object.__setattr__(self, "settings", settings)
        parts.pop("extractor", None)
        if "assembly" in parts:  # a first question may have made it meanwhile
            parts["assembly"] = made or self.assembly.answering_by(settings)


async def services_of(settings: Settings, story_graph: "Neo4jGraph | None" = None) -> Services:
    """Return the services of these settings, with story graphs and networks in a Neo4j that the caller has opened.

    Raises InputError for one that is closed, or none at all, StoreError where it does not answer.
    """
    if story_graph is None:
        return Services(settings)
    from langchain_neo4j import Neo4jGraph

    from wenmai.stores.neo4j import given_connection

    if not isinstance(story_graph, Neo4jGraph):
        raise wrong_kind("story_graph", "Neo4jGraph", story_graph)
    connection = await asyncio.to_thread(given_connection, story_graph)
    return Services(settings.model_copy(update={"neo4j_uri": connection.endpoint.uri}), given_neo4j=connection)


@cache
def process_services() -> Services:
    """Return the services of a server's process: its graph and its input checks share them. Reads the settings."""
    return Services(validate_config(), is_server=True)


async def services_in_thread() -> Services:
    """Return the same; the first call reads files, which must not block the event loop."""
    return await asyncio.to_thread(process_services)
