"""The encoder with its tokenizer: text in, unit vector out."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from wenmai.embedders.e5.cache import converted, is_damaged, reconverted
from wenmai.embedders.e5.tokenizer import Tokenizer
from wenmai.embedders.e5.weights import TokenVectors, Weights, open_weights
from wenmai.embedders.runtime import RuntimeUnavailableError, open_session, require_runtime
from wenmai.embedders.texts import Vector, unit

if TYPE_CHECKING:
    from onnxruntime import InferenceSession  # type: ignore[import-untyped]  # pyright: ignore[reportAttributeAccessIssue]

QUERY, PASSAGE = "query: ", "passage: "
MARKS = 2  # tokens of begin and end


class E5Model:
    """multilingual-e5-small. Several threads may ask it at once; a vector depends on its own text alone."""

    def __init__(self, weights: Weights, session: "InferenceSession", tokenizer: Tokenizer) -> None:
        self._weights = weights
        self._session = session
        self._tokenizer = tokenizer
        self._embedded = TokenVectors.of(weights)

    @classmethod
    def open(cls, folder: Path | None) -> Self:
        """Load the model from the cache, and make it there at the first use.

        Args:
            folder: where models are kept; None for the user's cache directory.

        Raises:
            ConfigError: the weights are missing or not those that libraries were made with.
            RuntimeUnavailableError: ONNX Runtime does not run here.
        """
        require_runtime()
        weights = open_weights()
        made = converted(weights, folder)
        try:
            session = open_session(made.graph)
        except RuntimeUnavailableError:
            if not isinstance(made.graph, Path) or not is_damaged(folder):
                raise
            made = reconverted(weights, folder)
            session = open_session(made.graph)
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
        pieces = self._weights.pieces
        embedded = self._embedded([pieces.begin, *ids, pieces.end])
        [hidden] = self._session.run(None, {"embedded": embedded[None]})
        return np.asarray(np.asarray(hidden)[0].mean(axis=0), np.float32)
