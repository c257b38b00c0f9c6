"""Whether another search could see something new, and by which words: no model is asked."""

from dataclasses import dataclass

from nodes.roles import RefineRequest
from tools.ports import PassageStore
from tools.records import PassageFilter
from tools.story.names import EntityLinker
from tools.text.scripts import simplified
from wenmai.minds.offline.questions.parts import parts_of
from wenmai.minds.offline.questions.question import PLACES, ParsedQuestion, shares, understood, words_of

ROWS = 10
"""Passages of a query that are looked at, as many as a search of an attempt finds."""
_NUMBERED = ("chapter", "ordinal", "from_the_last", "last", "outside")


@dataclass(frozen=True, slots=True)
class ReadingRefiner:
    """Asks for another attempt where a question has parts, or where a passage that no search found says more of it."""

    linker: EntityLinker
    passages: PassageStore

    async def refine(self, request: RefineRequest) -> list[str] | None:
        """Return the open parts of the question, or else other wordings that find something new; None where none does.

        A part is open that is not answered, as far as is known, and that no attempt searched for.
        Where no text has a name of the question, other words find no more of it.
        """
        if request.refused == "unknown_name":
            return None
        table = await self.linker.table(request.library, request.horizon)
        question = understood(simplified(request.question), table)
        parts = [part.text for part in parts_of(question, table)]
        missing = [one for one in parts if not request.unanswered or one in request.unanswered]
        if len(parts) > 1 and (still_open := [one for one in missing if one not in request.queries_used]):
            return still_open
        fresh = [one for one in wordings(question) if one not in request.queries_used]
        if not request.library or not fresh:
            return None
        return [one for one in fresh if await self._finds_more(one, question, request)] or None

    async def _finds_more(self, query: str, question: ParsedQuestion, request: RefineRequest) -> bool:
        """Return True if a passage that is no evidence yet says more of the question than all that is."""
        seen = {piece["id"] for piece in request.evidence}
        rows = await self.passages.sparse(request.library, query, PassageFilter(horizon=request.horizon), ROWS)
        found = await self.passages.fetch(request.library, [row.id for row in rows if row.id not in seen])
        texts = [*(piece["text"] for piece in request.evidence), *(row.passage.text for row in found)]
        said = shares(question.text, texts)
        known = len(request.evidence)
        return max(said[known:], default=0.0) > max(said[:known], default=0.0)


def wordings(question: ParsedQuestion) -> list[str]:
    """Return the question in other words: of the whole book instead of a chapter, and its words without its names."""
    text = question.text
    for name in _NUMBERED:
        text = PLACES[name].sub("", text)
    words = " ".join(words_of(question))
    return [one for one in (text.strip(), words) if one and one != question.text]
