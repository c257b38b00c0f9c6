"""The answers about a source's pieces."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from wenmai.ingestion.model.pieces import ChapterId, Piece
from wenmai.ingestion.model.reader import NOT_ASKED
from wenmai.ingestion.model.schema import Answer

Read = tuple[Piece, Answer]


@dataclass(frozen=True)
class Readings:
    """The answers about a source's pieces, in reading order."""

    rows: Sequence[Read] = ()

    def of(self, chapter: ChapterId) -> list[Read]:
        return self._by_chapter.get(chapter, [])

    @cached_property
    def _by_chapter(self) -> dict[ChapterId, list[Read]]:
        rows: dict[ChapterId, list[Read]] = {}
        for piece, answer in self.rows:
            rows.setdefault((piece.task_id, piece.chapter), []).append((piece, answer))
        return rows

    @property
    def unread(self) -> list[str]:
        """The pieces that were not read, as "chapter: reason"."""
        rows = [f"{piece.title or piece.task_id}：{answer.reason}" for piece, answer in self.rows if not answer.found]
        return list(dict.fromkeys(rows))

    @property
    def complete(self) -> bool:
        """Whether every piece was shown to the model."""
        return all(answer.found or answer.reason != NOT_ASKED for _, answer in self.rows)


NO_READINGS = Readings()
