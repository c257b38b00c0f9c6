"""What the stores still tell when a turn closes: the evidence in order, the names that the session keeps."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from nodes.roles import Ranker
from nodes.scope import horizon_of, networks_of
from state.context import Context
from state.schema import AgentState, Attempt, Evidence
from tools.errors import StoreError
from tools.linking import EntityLinker, NameTable
from tools.networks.lexicons import Lexicons

log = logging.getLogger("wenmai.loop")


@dataclass(frozen=True, slots=True)
class Closing:
    """Evidence best first, the names of the story before those of networks, and which store did not answer."""

    ranked: Sequence[Evidence]
    tables: Sequence[NameTable]
    warning: str | None = None


@dataclass(frozen=True, slots=True)
class Closer:
    """Asks the stores a last time; the answer is there already, so a store that is down takes none of it away."""

    ranker: Ranker
    linker: EntityLinker
    lexicons: Lexicons | None

    async def __call__(self, state: AgentState, attempt: Attempt, context: Context) -> Closing:
        """Return the evidence as it was found, and no names, where a store does not answer (LOP-05: it is said)."""
        try:
            return await self.asked(state, attempt, context)
        except StoreError as error:
            log.warning("closed without the stores: %s", error)
            return Closing(attempt["evidence"], [NameTable.build(())], str(error))

    async def asked(self, state: AgentState, attempt: Attempt, context: Context) -> Closing:
        """Return what the stores tell. Raises StoreError."""
        horizon = horizon_of(context)
        ranked = await self.ranker.rank(state["resolved_question"], attempt["evidence"], context.library, horizon)
        tables = [await self.linker.table(context.library, horizon)]
        if self.lexicons:
            tables.append((await self.lexicons(networks_of(context))).table)
        return Closing(ranked, tables)
