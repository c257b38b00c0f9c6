"""The model that reads pieces of chapters, and how it fails."""

from dataclasses import dataclass
from typing import Protocol

from tools.errors import ModelError
from wenmai.ingestion.model.pieces import Piece
from wenmai.ingestion.model.schema import Answer

NOT_ASKED = "没有要求模型阅读（--mind model 可补读）"


class TooLong(ModelError):
    """The answer about a piece does not fit; one about half of it may.

    Its message says why a piece that cannot be halved stays unread; `cost` is what the attempt cost.
    """

    def __init__(self, message: str, cost: Answer) -> None:
        super().__init__(message)
        self.cost = cost


class Unread(ModelError):
    """A piece was asked about twice and got no usable answer; `cost` is what both cost."""

    def __init__(self, message: str, cost: Answer) -> None:
        super().__init__(message)
        self.cost = cost


class Reader(Protocol):
    """A model that reads pieces of chapters."""

    @property
    def mark(self) -> str:
        """Identity of the model, its settings and prompt; answers are kept under it."""
        ...

    async def read(self, piece: Piece) -> Answer:
        """Return the findings in a piece, or why it was not read. Raises ModelError, TooLong, Unread."""
        ...


@dataclass(frozen=True, slots=True)
class KeptReader:
    """Stands for a model that is not to be asked: kept answers count, the rest is left to patterns."""

    mark: str

    async def read(self, piece: Piece) -> Answer:
        """Leave a piece unread."""
        return Answer(reason=NOT_ASKED)
