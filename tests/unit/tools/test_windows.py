"""How near the nearest part of a passage is, and what a search makes of it."""

from dataclasses import replace

import numpy as np
import pytest

from tests.fake_documents import document_of
from tools.documents.records import RankedChunk
from tools.documents.search import near
from tools.story.windows import nearest, pack_windows

AXES = np.eye(4, dtype=np.float32)
QUESTION = [0.6, 0.8, 0.0, 0.0]


def test_the_nearest_window_counts() -> None:
    windows = pack_windows(AXES[1:])
    assert nearest(windows, QUESTION) == pytest.approx(0.8, abs=1e-3)
    assert nearest(pack_windows(AXES[2:]), QUESTION) == pytest.approx(0.0, abs=1e-3)


def test_windows_of_another_length_compare_with_nothing() -> None:
    """A passage that was embedded as a whole has none, one of another embedder has others."""
    assert nearest("", QUESTION) is None
    assert nearest(pack_windows(AXES[:1]), [1.0, 0.0, 0.0]) is None
    assert nearest(pack_windows(AXES), [1.0] * 8) is None, "two of them are as long as one of twice the dimension"


def test_a_chunk_is_as_near_as_its_whole_and_its_nearest_part_together() -> None:
    """Of two chunks that are equally near as a whole, the one that says it somewhere comes first."""
    (plain,) = document_of("全文")
    parted = replace(plain, windows=pack_windows(AXES[:2]))
    rows = [RankedChunk(plain, 0.5), RankedChunk(parted, 0.5)]
    assert near(rows, QUESTION) == pytest.approx([0.5, 0.65], abs=1e-3)
    assert near(rows, None) == [0.0, 0.0]
