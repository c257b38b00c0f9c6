"""Questions about earlier talk (memory.md §1): what the user said or decided, not what a story tells."""

from collections.abc import Sequence

from nodes.modes import MEMORY_TOOLKIT
from nodes.roles import AnswerReader, PlanRequest
from state.context import Language
from state.draft import Draft
from state.schema import Evidence
from tools.story.names import fold
from wenmai.language.patterns import patterns
from wenmai.minds.offline.calibration import REFUSAL
from wenmai.minds.offline.drafting import answer_lines, cited_line, draft_from, surest
from wenmai.minds.offline.questions.asked import Asked
from wenmai.minds.offline.questions.question import content_words
from wenmai.minds.offline.questions.speech import unquoted
from wenmai.minds.offline.reading import Read, read

PATTERNS = patterns("wenmai.minds.offline.memories")
ASKS = PATTERNS["asks"]
SURE = 0.5
"""Probability from which on a memory answers that has no word of the question."""


def leans(*wordings: str) -> bool:
    """Return True if a question, as asked or as resolved, is about earlier talk or the user's own preferences."""
    own = [PATTERNS["narrator"].sub(" ", unquoted(one)) for one in wordings]
    return any(PATTERNS["earlier"].search(one) or (ASKS.search(one) and PATTERNS["own"].search(one)) for one in own)


def asks_memories(request: PlanRequest) -> bool:
    """Return True for a run with memories where a question leans on earlier talk, or memories are all that there is."""
    kits = list(request.toolkits)
    return kits == [MEMORY_TOOLKIT] or (MEMORY_TOOLKIT in kits and leans(request.question, request.resolved))


async def remembered(
    reader: AnswerReader, question: str, memories: Sequence[Evidence], language: Language
) -> Draft | None:
    """Return what memories tell: what the reader points at, else the surest one whole; None where none does."""
    related = [row for row in memories if _speaks_of(question, row)]
    reads = await read(reader, question, Asked.nameless(question), memories)
    if reads and reads[0].probability >= (REFUSAL if related else SURE) and (lines := answer_lines(reads, language)):
        return draft_from(lines, max(reads[0].probability, reads[0].piece["score"] or 0.0))
    best = max(related, key=lambda row: row["score"] or 0.0, default=None)
    if best is None:
        return None
    line = cited_line(Read(best, answer="", sentence=best["text"], score=0.0))
    return draft_from([line], max(surest(reads, [best]), best["score"] or 0.0))


def _speaks_of(question: str, piece: Evidence) -> bool:
    """Return True if a memory has a word of what is asked, or nothing but the talk itself is asked for."""
    words = content_words(PATTERNS["earlier"].sub(" ", question))
    return not words or any(fold(word) in fold(piece["text"]) for word in words)
