"""The encoder with its tokenizer: text in, unit vector out."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from wenmai.embedders.e5.cache import converted, is_damaged, reconverted
from wenmai.embedders.e5.tokenizer import Tokenizer
from wenmai.embedders.e5.weights import Weights, dequantized, open_weights
from wenmai.embedders.runtime import onnx_runtime, session_options
from wenmai.embedders.texts import Vector, unit

if TYPE_CHECKING:
    # It ships no types, and pyright does not see through its conditional imports.
    from onnxruntime import InferenceSession  # type: ignore[import-untyped]  # pyright: ignore[reportAttributeAccessIssue]

QUERY, PASSAGE = "query: ", "passage: "
MARKS = 2  # tokens of begin and end


class RuntimeUnavailableError(Exception):
    """ONNX Runtime is missing here, or does not run the graph; the reason is the message."""


class E5Model:
    """multilingual-e5-small. Several threads may ask it at once; a vector depends on its own text alone."""

    def __init__(self, weights: Weights, session: "InferenceSession", tokenizer: Tokenizer) -> None:
        self._weights = weights
        self._session = session
        self._tokenizer = tokenizer
        shape = weights.shape
        self._words = weights.blocks("emb.word", shape.vocabulary, shape.hidden)
        positions = weights.floats("emb.pos", shape.positions * shape.hidden).reshape(-1, shape.hidden)
        self._positions = positions + weights.vector("emb.type")

    @classmethod
    def open(cls, folder: Path | None) -> Self:
        """Load the model from the cache, and make it there at the first use.

        Args:
            folder: where models are kept; None for the user's cache directory.

        Raises:
            ConfigError: the weights are missing or not those that libraries were made with.
            RuntimeUnavailableError: ONNX Runtime does not run here.
        """
        _runtime()
        weights = open_weights()
        made = converted(weights, folder)
        try:
            session = _session(made.graph)
        except RuntimeUnavailableError:
            if not isinstance(made.graph, Path) or not is_damaged(folder):
                raise
            made = reconverted(weights, folder)
            session = _session(made.graph)
        return cls(weights, session, Tokenizer(weights.pieces, made.pieces))

    def query(self, text: str) -> Vector:
        """Return the vector of a query: (384,), of length one."""
        return self._vector(QUERY + text)

    def passage(self, texts: Sequence[str]) -> NDArray[np.floating]:
        """Return the vectors of passages: (texts, 384), of length one."""
        return np.stack([self._vector(PASSAGE + text) for text in texts])

    def _vector(self, text: str) -> Vector:
        """Embed a text; one that is too long is cut, and the parts count by their tokens."""
        ids, most = self._tokenizer.encode(text), self._weights.shape.positions - MARKS
        parts = [ids[at : at + most] for at in range(0, len(ids), most)]
        means = np.stack([self._mean(part) for part in parts])
        lengths = np.array([len(part) for part in parts], np.float32)
        return np.asarray(unit(lengths @ means), np.float32)

    def _mean(self, ids: Sequence[int]) -> Vector:
        """Return the mean of the hidden states of one input."""
        pieces = self._weights.pieces
        words = dequantized(self._words[[pieces.begin, *ids, pieces.end]])
        embedded = words + self._positions[: len(words)]
        [hidden] = self._session.run(None, {"embedded": embedded[None]})
        return np.asarray(np.asarray(hidden)[0].mean(axis=0), np.float32)


def _session(graph: bytes | Path) -> "InferenceSession":
    """Load a graph, or the file of one. Raises RuntimeUnavailableError."""
    runtime = _runtime()
    options = session_options(runtime)
    options.enable_cpu_mem_arena = False  # 12 MB less, at the same speed
    try:
        return runtime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its exceptions have no common class
        if not type(error).__module__.startswith("onnxruntime"):
            raise
        raise RuntimeUnavailableError(" ".join(str(error).split())[:200]) from error


def _runtime() -> Any:
    """Import ONNX Runtime. Raises RuntimeUnavailableError."""
    try:
        return onnx_runtime()
    except ImportError as error:
        raise RuntimeUnavailableError(" ".join(str(error).split())[:200]) from error
