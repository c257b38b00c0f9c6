"""Whether another search could see something new: the parts of a question; no model is asked."""

from dataclasses import dataclass

from nodes.roles import RefineRequest
from tools.story.names import EntityLinker
from tools.text.scripts import simplified
from wenmai.minds.offline.questions.parts import parts_of
from wenmai.minds.offline.questions.question import understood


@dataclass(frozen=True, slots=True)
class ReadingRefiner:
    """Asks for another attempt where a question has parts."""

    linker: EntityLinker

    async def refine(self, request: RefineRequest) -> list[str] | None:
        """Return the open parts of the question; None where there are none.

        A part is open that is not answered, as far as is known, and that no attempt searched for.
        """
        if request.refused == "unknown_name":
            return None
        table = await self.linker.table(request.library, request.horizon)
        parts = [part.text for part in parts_of(understood(simplified(request.question), table), table)]
        missing = [one for one in parts if not request.unanswered or one in request.unanswered]
        return [one for one in missing if one not in request.queries_used] or None if len(parts) > 1 else None
