"""The first or the last message of a person in a chat, of documents or of a story."""

import re
from collections.abc import Sequence

from nodes.roles import PlanRequest
from state.draft import Sentence
from state.schema import Evidence
from tools.documents.search import KEYWORD_SEARCH, MOST_FOUND, document_id
from tools.evidence import passage_evidence
from tools.ports import PassageStore
from tools.records import PassageFilter
from tools.story.names import fold
from tools.text.sentences import TIMED
from wenmai.minds.offline.calls import Call
from wenmai.minds.offline.documents.asking import PATTERNS
from wenmai.minds.offline.documents.versions import DatedRead, Moment, side_line
from wenmai.minds.offline.reading import Read

SENDER = ": "
NO_MOMENT: Moment = ("", "", ())  # without days the messages of a chat are in their order


def sender_asked(question: str, evidence: Sequence[Evidence]) -> str:
    """Return the sender of messages among evidence whose first or last one a question asks for, '' for none."""
    if not PATTERNS["messages"].search(question):
        return ""
    senders = {line.partition(SENDER)[0] for piece in evidence for line in messages_in(piece) if SENDER in line}
    named = [one for one in senders if fold(one) in fold(question)]
    return max(named, key=lambda one: (len(one), one), default="")


def message_calls(question: str, evidence: Sequence[Evidence]) -> list[Call]:
    """Return the search for all messages of a sender, where their first or last one is asked for."""
    sender = sender_asked(question, evidence)
    return [messages_search(sender)] if sender else []


def message_passage(question: str, names: Sequence[str]) -> list[Call]:
    """Return the call for the first or last passage of a story with a sender, whose first or last message is asked."""
    asked = PATTERNS["messages"].search(question) if names else None
    return [("read_passage", {"names": [names[0]], "which": "last" if asks_last(asked) else "first"})] if asked else []


def asks_last(asked: re.Match[str]) -> bool:
    return any(asked.groups())


def messages_search(sender: str) -> Call:
    return KEYWORD_SEARCH, {"keywords": f'"{sender}{SENDER.strip()}"', "limit": MOST_FOUND}


async def message_lines(passages: PassageStore, request: PlanRequest) -> list[Sentence]:
    """Return the first or last message of a sender, of documents or of a story, with its day.

    [] where not all of those in documents were found, or one of several chats has no days.
    """
    asked = PATTERNS["messages"].search(request.resolved)
    if not asked:
        return []
    pieces = [piece for piece in request.evidence if piece["kind"] == "document"]
    if request.library:
        rows = await passages.scroll(request.library, PassageFilter(horizon=request.horizon))
        pieces += [passage_evidence(row, None) for row in rows]
    sender = sender_asked(request.resolved, pieces)
    found = [
        DatedRead(Read(piece, line, line, 0.0))
        for piece in pieces
        for line in messages_in(piece)
        if line.startswith(f"{sender}{SENDER}")
    ]
    done = [one for one in request.calls if (one["tool"], one["args"]) == messages_search(sender)]
    if any(one.read.piece["kind"] == "document" for one in found) and not (done and done[-1]["items"] < MOST_FOUND):
        return []
    if len({document_id(one.read.piece) for one in found}) > 1 and not all(one.day for one in found):
        return []
    found.sort(key=lambda one: (one.moment if one.day else NO_MOMENT, place_of(one.read.piece)))
    chosen = found[-1 if asks_last(asked) else 0] if sender and found else None
    is_cited = chosen is not None and any(one["id"] == chosen.read.piece["id"] for one in request.evidence)
    return [side_line(chosen, request.language)] if chosen and is_cited else []


def place_of(piece: Evidence) -> tuple[int, int, int]:
    """Return where a piece stands in its text: part, chapter, and the offset in it."""
    return piece["part"] or 0, piece["chapter"] or 0, piece["start"] or 0


def messages_in(piece: Evidence) -> list[str]:
    is_text = piece["kind"] in ("document", "passage")
    return [line for line in piece["text"].split("\n") if is_text and TIMED.search(line)]
