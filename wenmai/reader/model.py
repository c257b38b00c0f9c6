"""The encoder's session: one input in, the logits of its tokens out."""

from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from wenmai.embedders.e5.weights import Weights, dequantized
from wenmai.embedders.runtime import onnx_runtime, session_options
from wenmai.reader.inputs import Input

if TYPE_CHECKING:
    from onnxruntime import InferenceSession  # type: ignore[import-untyped]  # pyright: ignore[reportAttributeAccessIssue]

WORDS, SEGMENTS, LOGITS = "embedded", "segments", "logits"
Logits = NDArray[np.float32]
"""(tokens, COLUMNS) of one input."""


class ReaderModel:
    """Several threads may ask it at once; what it says of an input depends on that input alone."""

    def __init__(self, weights: Weights, session: "InferenceSession") -> None:
        self._session = session
        shape = weights.shape
        self._words = weights.blocks("emb.word", shape.vocabulary, shape.hidden)
        positions = weights.floats("emb.pos", shape.positions * shape.hidden).reshape(-1, shape.hidden)
        self._positions = positions + weights.vector("emb.type")

    @classmethod
    def open(cls, weights: Weights, graph: Path) -> Self:
        """Load the graph. Raises ImportError without ONNX Runtime, and its own exceptions for a file it cannot run."""
        runtime = onnx_runtime()
        options = session_options(runtime)
        options.enable_cpu_mem_arena = False
        return cls(weights, runtime.InferenceSession(graph, options, providers=["CPUExecutionProvider"]))

    def logits(self, made: Input) -> Logits:
        """Return (tokens, COLUMNS)."""
        words = dequantized(self._words[made.ids]) + self._positions[: len(made.ids)]
        segments = np.array([made.segments], np.int64)
        [found] = self._session.run([LOGITS], {WORDS: words[None].astype(np.float32), SEGMENTS: segments})
        return np.asarray(np.asarray(found)[0], np.float32)
