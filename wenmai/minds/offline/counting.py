"""What a text can be counted for: where a name stands. How often something was done only a sentence tells."""

import re
from collections.abc import Sequence

from nodes.roles import PlanRequest
from state.draft import Sentence
from state.schema import Evidence
from tools.ports import PassageStore
from tools.records import PassageFilter
from tools.story.names import NameTable, fold
from wenmai.language.lexicon import patterns
from wenmai.minds.offline.questions.question import ParsedQuestion, naming
from wenmai.minds.offline.wordings import cited, say

PATTERNS = patterns("wenmai.minds.offline.questions", "counts.toml")
COUNTED = 0.95
"""How surely a count over all of the text is right: a nickname that is not known as one is not in it."""


def asks_mentions(question: str) -> bool:
    """Return True if a question asks in how many passages or chapters something is named, or how often."""
    return bool(PATTERNS["mentions"].search(question))


def asks_times(question: str) -> bool:
    """Return True if a question asks how often something was done."""
    return bool(PATTERNS["times"].search(question))


def says_times(sentence: str) -> bool:
    return bool(PATTERNS["said"].search(sentence))


def counted_words(question: str) -> str | None:
    """Return the words whose places a question asks for, None where it names none."""
    found = PATTERNS["counted"].search(question)
    return next((one.strip("'’") for one in found.groups() if one), None) if found else None


async def mention_lines(
    passages: PassageStore, request: PlanRequest, question: ParsedQuestion, name: str, table: NameTable
) -> list[Sentence]:
    """Return where a name stands in what the reader may see, counted exactly; [] where it stands nowhere."""
    pattern = naming(name, table)
    rows = await passages.scroll(request.library, PassageFilter(horizon=request.horizon))
    found = [(row, [one.start() for one in pattern.finditer(fold(row.text))]) for row in rows]
    named = [(row, starts) for row, starts in found if starts]
    piece = _first_naming(request.evidence, pattern)
    if not named or piece is None:
        return []
    chapters = {(row.task_id, row.part, row.chapter) for row, _ in named}
    # Passages may overlap: a place counts once.
    places = {(row.task_id, row.part, row.chapter, row.start + at) for row, starts in named for at in starts}
    key = "offline.counting.mentions_so_far" if request.horizon else "offline.counting.mentions"
    end = {"part": request.horizon.part, "chapter": request.horizon.chapter} if request.horizon else {}
    text = say(
        key,
        request.language,
        name=name,
        times=len(places),
        passages=len(named),
        chapters=len(chapters),
        **end,
    )
    return [cited(text, piece["id"])]


def _first_naming(evidence: Sequence[Evidence], pattern: re.Pattern[str]) -> Evidence | None:
    naming_it = [piece for piece in evidence if piece["kind"] == "passage" and pattern.search(fold(piece["text"]))]
    return min(naming_it, key=lambda piece: piece["event_order"] or 0, default=None)
