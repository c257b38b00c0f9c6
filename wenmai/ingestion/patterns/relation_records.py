"""Records of the relations that a chapter states, with verbatim evidence."""

from bisect import bisect_right
from collections.abc import Sequence

from tools.records import Passage, Relation
from wenmai.ingestion.contracts import TaggedChapter
from wenmai.ingestion.passages.quoting import Quotation

EVIDENCE = 80
"""Characters of a quotation at most."""


def relation_record(
    tagged: TaggedChapter, source: str, target: str, *, type: str, description: str, piece: Quotation, at: int
) -> Relation:
    """Return the relation of two entities that `piece` quotes; the relation is stated at the offset `at`."""
    chapter = tagged.chapter
    return Relation(
        source=source,
        type=type,
        target=target,
        part=chapter.part,
        chapter=chapter.number,
        task_id=chapter.task_id,
        event_order=order_at(tagged.passages, at),
        evidence=piece.text,
        description=description,
        start=piece.start,
        source_kind=tagged.kinds.get(source, "Character"),
        target_kind=tagged.kinds.get(target, "Character"),
    )


def order_at(passages: Sequence[Passage], at: int) -> int | None:
    place = bisect_right(passages, at, key=lambda passage: passage.start) - 1
    return passages[place].event_order if place >= 0 and at < passages[place].end else None
