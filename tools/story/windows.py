"""Vectors of the windows of a passage, beside their mean.

A passage is embedded in windows, whose mean is its vector. A question is mostly about one window: the similarity of the
nearest one (MaxP) recovers what the mean blurs. Source: Dai and Callan, "Deeper Text Understanding for IR with
Contextual Neural Language Modeling", SIGIR 2019.
"""

from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

HALF = "<f2"  # half precision: cosines change by less than 0.001


@dataclass(frozen=True, slots=True)
class Embedded:
    """The unit vector of a passage, and those of its windows, packed, if it has several."""

    vector: list[float]
    windows: str = ""


def pack_windows(windows: "NDArray[np.floating]") -> str:
    """Return windows, one to a row, as a text that a store keeps beside a passage: their dimension, then base64."""
    return f"{windows.shape[1]}:{b64encode(windows.astype(HALF).tobytes()).decode()}"


def nearest(windows: str, vector: Sequence[float]) -> float | None:
    """Return the cosine of the nearest of packed windows; None where there are none, or none of this dimension."""
    dimension, _, rows = windows.partition(":")
    if dimension != str(len(vector)):
        return None
    import numpy as np  # loaded with the embedder, not with the tools

    matrix = np.frombuffer(b64decode(rows), HALF).reshape(-1, len(vector))
    return float((matrix.astype(np.float32) @ np.asarray(vector, np.float32)).max())
