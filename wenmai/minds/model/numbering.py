"""The numbers by which a model cites, added to each tool's result in the request alone.

The transcript keeps the results as the tools declare them; the evidence list, and with it the numbers, only
grows within an attempt, so that the beginning of each request stays the same and the service's cache can use it.
"""

import json
from collections.abc import Sequence

from langchain_core.messages import AnyMessage, ToolMessage

from state.context import Language
from state.schema import CallRecord, Evidence

KEY = "cite_as"
ROOM = 1_000  # characters for the numbers of one result
HEAD_ROOM = 12
GIST_LEAST = 8
GIST_MOST = 40
PLACE = {"zh": "第{}章 ", "en": "chapter {} "}


def numbered(
    transcript: Sequence[AnyMessage],
    calls: Sequence[CallRecord],
    evidence: Sequence[Evidence],
    language: Language = "zh",
) -> list[AnyMessage]:
    """Return the attempt's messages with the numbers of each result; `calls` are those of the attempt, in order."""
    records = iter(calls)
    return [
        shown(message, record["evidence"], evidence, language)
        if isinstance(message, ToolMessage) and (record := next(records, None))
        else message
        for message in transcript
    ]


def shown(
    message: ToolMessage, ids: Sequence[str], evidence: Sequence[Evidence], language: Language = "zh"
) -> ToolMessage:
    """Return a result with one more key: number, place and beginning of each piece of evidence in it."""
    wanted = set(ids)
    pieces = [(number, piece) for number, piece in enumerate(evidence, 1) if piece["id"] in wanted]
    if not pieces:
        return message
    room = max(GIST_LEAST, ROOM // len(pieces) - HEAD_ROOM)
    result = {**json.loads(message.text), KEY: [line(number, piece, room, language) for number, piece in pieces]}
    return message.model_copy(update={"content": json.dumps(result, ensure_ascii=False)})


def line(number: int, piece: Evidence, room: int, language: Language = "zh") -> str:
    """Return one number with place and beginning of its piece."""
    place = PLACE[language].format(piece["chapter"]) if piece["chapter"] is not None else ""
    if piece["kind"] == "document":
        place = f"{' · '.join(part for part in (piece['source'], piece['location']) if part)}: "
    return f"[E{number}] {place}{' '.join(piece['text'].split())[: min(room, GIST_MOST)]}"
