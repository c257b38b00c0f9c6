"""People that a question names although the book names nobody so."""

import asyncio
import re

from nodes.roles import PlanRequest
from tools.language import HAN
from tools.ports import PassageStore
from tools.records import PassageFilter
from tools.story.linking import NameTable, fold
from wenmai.language.spans import meet
from wenmai.language.titles import telling_part
from wenmai.minds.offline.follow_ups.talk import TalkReader
from wenmai.minds.offline.questions.question import PLACES, Question
from wenmai.minds.offline.questions.speech import unquoted
from wenmai.reader.layout import NameKind

LOOKED_AT = 10
"""Passages that have the most of a name."""


async def unnamed(
    reader: TalkReader | None, passages: PassageStore, request: PlanRequest, question: Question, table: NameTable
) -> str | None:
    """Return the person that a question names and no text of its library does, None where there is none.

    李医生 may be a known 李.
    """
    if not (reader and request.library):
        return None
    text = PLACES["chapter"].sub(lambda place: " " * len(place[0]), unquoted(question.text))
    for one in await asyncio.to_thread(reader.names, text):
        span, part = telling_part(text, (one.start, one.end))
        is_known = any(meet((span[1] - len(part), span[1]), (other.start, other.end)) for other in question.mentions)
        is_form = len(part) == 1 and any(fold(part) in spelling for spelling in table.spellings)
        if one.kind == NameKind.PERSON and part and not (is_known or is_form):
            name = text[slice(*span)]
            if not await _is_told(name, part if len(part) > 1 else name, passages, request):
                return name
    return None


async def _is_told(name: str, part: str, passages: PassageStore, request: PlanRequest) -> bool:
    """Return True if the evidence has a name, or another script than it, or the passages that have most of it do."""
    texts = [piece["text"] for piece in request.evidence]
    if not any(bool(HAN.search(text)) == bool(HAN.search(name)) for text in texts):
        return True
    rows = await passages.sparse(request.library, name, PassageFilter(horizon=request.horizon), LOOKED_AT)
    found = await passages.fetch(request.library, [row.id for row in rows]) if rows else []
    wanted = re.compile(rf"(?<![a-z]){re.escape(fold(part))}(?![a-z])")
    return any(wanted.search(fold(text)) for text in [*texts, *(row.passage.text for row in found)])
