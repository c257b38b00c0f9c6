"""What the stores add when a turn closes: the evidence in order, the names that the session keeps."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from nodes.roles import Ranker
from nodes.scope import horizon_of, networks_of
from state.context import Context
from state.schema import AgentState, Attempt, Evidence
from tools.errors import STORE_FAILURES
from tools.networks.lexicons import Lexicons
from tools.records import Horizon
from tools.story.linking import EntityLinker, NameTable

log = logging.getLogger("wenmai.loop")


@dataclass(frozen=True, slots=True)
class TurnClosing:
    """What the stores add to a turn as it closes.

    Attributes:
        ranked: the attempt's evidence, best first.
        tables: the names that the run knows, those of the story before those of networks.
        warning: the message of a store that did not answer.
    """

    ranked: Sequence[Evidence]
    tables: Sequence[NameTable]
    warning: str | None = None


@dataclass(frozen=True, slots=True)
class CloseTurn:
    """Ask the stores a last time; the answer is there already, so a store that is down takes none of it away."""

    ranker: Ranker
    linker: EntityLinker
    lexicons: Lexicons | None

    async def __call__(self, state: AgentState, attempt: Attempt, context: Context) -> TurnClosing:
        """Return the evidence, ranked if possible; where a store fails, no names, and a warning."""
        ranked: Sequence[Evidence] = attempt["evidence"]
        question, horizon = state["resolved_question"], horizon_of(state)
        try:
            calls = [call for call in state["tool_calls"] if call["attempt"] <= attempt["attempt"]]
            ranked = await self.ranker.rank(question, ranked, calls, context.library, horizon)
            return TurnClosing(ranked, await self.tables(context, horizon))
        except STORE_FAILURES as error:
            log.warning("closed without the stores: %s", error)
            return TurnClosing(ranked, [NameTable.build(())], warning=str(error))

    async def tables(self, context: Context, horizon: Horizon | None) -> list[NameTable]:
        """Return the names that the run knows. Raises StoreError, LibraryNotFound."""
        tables = [await self.linker.table(context.library, horizon)]
        if self.lexicons:
            tables.append((await self.lexicons(networks_of(context))).table)
        return tables
