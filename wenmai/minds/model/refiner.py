"""Finds new search words for a failed draft."""

from dataclasses import dataclass

from langchain_core.messages import HumanMessage, SystemMessage

from nodes.prompts.refiner import REFINER, refining
from nodes.roles import RefineRequest
from wenmai.minds.model.caller import Caller
from wenmai.minds.model.schemas import Queries


@dataclass(frozen=True, slots=True)
class ModelRefiner:
    """The refiner's model."""

    caller: Caller

    async def refine(self, request: RefineRequest) -> list[str]:
        """Return the model's queries; the node drops blanks and duplicates. Raises ModelError."""
        messages = [SystemMessage(REFINER[request.language]), HumanMessage(refining(request))]
        return (await self.caller.structured(messages, Queries)).root
