"""The model that reads pieces of chapters, how it fails, and its answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from tools.errors import ModelError
from wenmai.ingestion.model.pieces import ChapterId, Piece
from wenmai.ingestion.model.schema import Answer
from wenmai.ingestion.sources.aliases import KnownName

NOT_ASKED = "没有要求模型阅读（--mind model 可补读）"
PASSED_OVER = "模型的回答没有写到这一段"


class WithoutAnswer(ModelError):
    """A call brought no answer; `cost` is what it cost nevertheless."""

    def __init__(self, message: str, cost: Answer) -> None:
        super().__init__(message)
        self.cost = cost


class TooLong(WithoutAnswer):
    """The answer does not fit; one about half of the text may.

    Its message says why a piece that cannot be halved stays unread.
    """


class Unread(WithoutAnswer):
    """The model was asked twice and gave no usable answer."""


class Declined(WithoutAnswer):
    """The service refuses the request, perhaps for its text alone."""


class PieceReader(Protocol):
    @property
    def mark(self) -> str:
        """Identity of the model, its settings and prompt; answers are kept under it."""
        ...

    async def read(self, pieces: Sequence[Piece], known: Sequence[KnownName]) -> list[Answer]:
        """Return the findings in each piece, or why it was not read, in one call.

        Raises:
            ModelError: the service fails.
            WithoutAnswer: these pieces get no answer; parts of them may.
        """
        ...


@dataclass(frozen=True, slots=True)
class KeptReader:
    """Stands for a model that is not to be asked: kept answers count, the rest is left to patterns."""

    mark: str

    async def read(self, pieces: Sequence[Piece], known: Sequence[KnownName]) -> list[Answer]:
        return [Answer(reason=NOT_ASKED) for _ in pieces]


Read = tuple[Piece, Answer]


@dataclass(frozen=True, slots=True)
class Readings:
    """The answers about a source's pieces, in reading order."""

    rows: Sequence[Read] = ()

    def of(self, chapter: ChapterId) -> list[Read]:
        return [(piece, answer) for piece, answer in self.rows if (piece.task_id, piece.chapter) == chapter]

    @property
    def unread(self) -> list[str]:
        """The pieces that were not read, as "chapter: reason"."""
        rows = [f"{piece.title or piece.task_id}：{answer.reason}" for piece, answer in self.rows if not answer.found]
        return list(dict.fromkeys(rows))

    @property
    def complete(self) -> bool:
        """Whether every piece was shown to the model."""
        return all(answer.found or answer.reason != NOT_ASKED for _, answer in self.rows)
