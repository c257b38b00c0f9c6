"""A pytest plugin: a reader is loaded once in this process and keeps all that it says, for most tests read the same."""

from pathlib import Path
from typing import Any, ClassVar, Self

from wenmai.embedders.e5.weights import Weights
from wenmai.reader import reader
from wenmai.reader.decoding import Logits
from wenmai.reader.inputs import Input
from wenmai.reader.reader import ReaderModel


class SharedModel(ReaderModel):
    """The model itself, one for all of the process that read the same file."""

    opened: ClassVar[dict[tuple[Path, int], Any]] = {}

    @classmethod
    def open(cls, weights: Weights, graph: Path) -> Self:
        key = (graph, graph.stat().st_mtime_ns)
        if key not in cls.opened:
            cls.opened[key] = super().open(weights, graph)
        known: Self = cls.opened[key]
        return known

    def logits(self, made: Input) -> Logits:
        return self.kept_logits(made)


def pytest_configure() -> None:
    reader.KEPT_INPUTS = None  # no limit
    reader.ReaderModel = SharedModel  # type: ignore[misc]  # the same, and quicker
