"""What a model wrote of chapters and people, as tools show it: each sentence with words of a passage that bear it out.

The guard is a condition of every query; a sentence whose passage it hides is not shown either.
"""

from collections.abc import Mapping, Sequence

from state.schema import Evidence
from tools.base import Scope
from tools.evidence import excerpt
from tools.formatting import best_span, rarity_of
from tools.language import cost
from tools.messages import say
from tools.ports import PassageStore, SummaryStore
from tools.records import Passage, Summary, SummaryFilter, SummaryKind
from tools.story.telling import MARK

LEVELS: tuple[SummaryKind, ...] = ("chapter", "section", "part", "book")
"""Of chapters, the most detailed first."""
EXCERPT = 120
"""Chinese characters of a passage that stand for a sentence."""
HEADING = 10


async def chosen_summaries(
    store: SummaryStore, chapters: Sequence[Passage], room: int, scope: Scope
) -> Sequence[Summary]:
    """Return the summaries of the most detailed level that covers chapters and has room; [] where there is none.

    Where a level lacks some chapters it must still cover most of them.
    """
    places = {(one.part, one.chapter or 0) for one in chapters}
    if not places:
        return []
    found = await store.summaries(scope.library, SummaryFilter(kinds=LEVELS, horizon=scope.horizon))
    for level in LEVELS:
        rows = [one for one in found if one.kind == level and places.issuperset(ends_of(one))]
        told = {place for one in rows for place in places if ends_of(one)[0] <= place <= ends_of(one)[1]}
        if rows and 2 * len(told) > len(places) and sum(map(summary_cost, rows)) <= room:
            return rows
    return []


def ends_of(summary: Summary) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the places of the first and the last chapter that a summary covers."""
    return (summary.first[0], summary.first[1] or 0), (summary.part, summary.chapter or 0)


def summary_cost(summary: Summary) -> int:
    return HEADING + sum(cost(one.text) + MARK for one in summary.sentences)


def covered(summary: Summary, headings: Mapping[tuple[int, int], str]) -> str:
    """Return the heading of a summary: the chapters that it covers, by their headings where these are known."""
    first, last = (headings.get(place) or say("story.chapter_heading", number=place[1]) for place in ends_of(summary))
    return first if first == last else say("story.chapter_range", first=first, last=last)


async def summary_evidence(
    passages: PassageStore, summary: Summary, scope: Scope, *names: str
) -> list[tuple[str, Evidence]]:
    """Return the sentences of a summary, each with its evidence: what of its first passage says most of it."""
    ids = dict.fromkeys(id for one in summary.sentences for id in one.evidence)
    rows = await passages.fetch(scope.library, list(ids), horizon=scope.horizon) if ids else []
    shown = {
        row.passage.id: row.passage
        for row in rows
        if scope.horizon is None or scope.horizon.shows(row.passage.part, row.passage.chapter)
    }
    found = list[tuple[str, Evidence]]()
    for one in summary.sentences:
        own = [shown[id] for id in one.evidence if id in shown]
        if own and len(own) == len(one.evidence):
            text = own[0].text
            span = best_span(text, rarity_of(one.text, [text]), EXCERPT) or (0, len(text))
            found.append((one.text, excerpt(own[0], *span, *names)))
    return found
