"""What the stores add when a turn closes: the evidence in order, the names that the session keeps."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from nodes.roles import Ranker
from nodes.scope import horizon_of, networks_of
from state.context import Context
from state.schema import AgentState, Attempt, Citation, Evidence
from tools.errors import STORE_FAILURES
from tools.networks.lexicons import Lexicons
from tools.story.linking import EntityLinker, NameTable

log = logging.getLogger("wenmai.loop")


@dataclass(frozen=True, slots=True)
class TurnClosing:
    """What the stores add to a turn as it closes.

    Attributes:
        ranked: the attempt's evidence, best first.
        tables: the names that the run knows, those of the story before those of networks.
        focus: the candidates for a question that asks for a person, each with its probability (0..1).
        warning: the message of a store that did not answer.
    """

    ranked: Sequence[Evidence]
    tables: Sequence[NameTable]
    focus: Mapping[str, float] = field(default_factory=dict)
    warning: str | None = None


@dataclass(frozen=True, slots=True)
class CloseTurn:
    """Ask the stores a last time; the answer is there already, so a store that is down takes none of it away."""

    ranker: Ranker
    linker: EntityLinker
    lexicons: Lexicons | None

    async def __call__(
        self, state: AgentState, attempt: Attempt, citations: Sequence[Citation], context: Context
    ) -> TurnClosing:
        """Return the evidence, ranked if possible; where a store fails, no names, and a warning."""
        ranked: Sequence[Evidence] = attempt["evidence"]
        question, horizon = state["resolved_question"], horizon_of(context)
        try:
            ranked = await self.ranker.rank(question, ranked, attempt["calls"], context.library, horizon)
            cited = cited_pieces(attempt["evidence"], citations)
            focus = await self.ranker.candidates(question, cited, context.library, horizon) if cited else {}
            return TurnClosing(ranked, await self.tables(context), focus)
        except STORE_FAILURES as error:
            log.warning("closed without the stores: %s", error)
            return TurnClosing(ranked, [NameTable.build(())], warning=str(error))

    async def tables(self, context: Context) -> list[NameTable]:
        """Return the names that the run knows. Raises StoreError, LibraryNotFound."""
        tables = [await self.linker.table(context.library, horizon_of(context))]
        if self.lexicons:
            tables.append((await self.lexicons(networks_of(context))).table)
        return tables


def cited_pieces(evidence: Sequence[Evidence], citations: Sequence[Citation]) -> list[Evidence]:
    """Return the pieces that an answer cites, in the order of the answer."""
    pieces = {piece["id"]: piece for piece in evidence}
    return [pieces[id] for id in dict.fromkeys(citation["evidence"] for citation in citations)]
