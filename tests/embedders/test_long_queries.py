"""A query is embedded as far as a model reads it, however long it is."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from numpy.typing import NDArray

from wenmai.embedders.local import LocalEmbedder
from wenmai.embedders.texts import beginning


@dataclass
class Counted:
    """An engine that notes what it reads."""

    name: str = "counted"
    dimension: int = 1
    read: list[str] = field(default_factory=list)

    def load(self) -> None: ...

    def query(self, text: str) -> NDArray[np.float32]:
        self.read.append(text)
        return np.ones(1, np.float32)

    def parts(self, text: str) -> list[str]:
        return [text]

    def windows(self, texts: Sequence[str]) -> NDArray[np.floating]:
        return np.ones((len(texts), 1), np.float32)


@pytest.mark.parametrize(
    ("text", "kept"), [("雾" * 20_000, 512), ("fog " * 5_000, 2_048), ("雾港在哪里？", 6), ("", 0), ("雾" * 512, 512)]
)
def test_what_is_kept(text: str, kept: int) -> None:
    assert beginning(text) == text[:kept]


async def test_a_long_question_is_embedded_once_and_in_part() -> None:
    """Also where it is expected first, and where only what is cut differs."""
    engine = Counted()
    embedder = LocalEmbedder(engine, threads=1)
    embedder.expect_queries(["雾" * 20_000])
    for more in ("", "？"):
        assert await embedder.embed_query("雾" * 20_000 + more) == [1.0]
    assert engine.read == ["雾" * 512]
