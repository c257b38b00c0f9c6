"""The vectors of test texts: found by their text, missed aloud, never those of another model."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tests.vectors.cache import CachedEngine, VectorCache, key_of, read, write


@dataclass
class Counting:
    """An engine that counts what it embeds."""

    name: str = "counting"
    dimension: int = 2
    embedded: list[str] = field(default_factory=list)

    def load(self) -> None:
        self.embedded.append("(loaded)")

    def query(self, text: str) -> NDArray[np.float32]:
        self.embedded.append(text)
        return np.array([0.6, 0.8], np.float32)

    def parts(self, text: str) -> list[str]:
        return text.split("。")

    def windows(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.embedded.extend(texts)
        return np.array([[0.8, 0.6]] * len(texts), np.float32)


def test_a_text_is_embedded_once(tmp_path: Path) -> None:
    """What was missing is noted; from the file it comes without the model, and has length 1."""
    file, engine, cache = tmp_path / "vectors.npz", Counting(), VectorCache()
    cached = CachedEngine(engine, cache)
    first, again = cached.windows(["甲", "乙"]), cached.windows(["乙", "甲"])
    assert np.allclose(first, again, atol=1e-3)
    assert engine.embedded == ["(loaded)", "甲", "(loaded)", "乙"]
    assert {one.text for one in cache.missing.values()} == {"甲", "乙"}
    write(cache, file)
    quiet = Counting()
    [row] = CachedEngine(quiet, kept := read(file)).windows(["乙"])
    assert np.allclose(row, first[1], atol=1e-3) and np.isclose(np.linalg.norm(row), 1)
    assert (quiet.embedded, kept.missing) == ([], {})


def test_a_query_is_no_passage() -> None:
    """The same words have two vectors."""
    engine, cache = Counting(), VectorCache()
    cached = CachedEngine(engine, cache)
    assert not np.allclose(cached.query("甲"), cached.windows(["甲"])[0])
    assert set(cache.missing) == {key_of("query", "甲"), key_of("passage", "甲")}


def test_another_model_has_no_use_for_it() -> None:
    """Vectors of one model are never given out as those of another, which leaves none of them."""
    cache = VectorCache()
    CachedEngine(Counting(), cache).query("甲")
    other = Counting(name="other")
    CachedEngine(other, cache).query("乙")
    assert other.embedded == ["(loaded)", "乙"] and len(cache.missing) == 1
    CachedEngine(other, cache).query("甲")
    assert other.embedded[2:] == ["(loaded)", "甲"]
