"""The encoder with its tokenizer: text in, unit vector out.

What is made of the weights is kept once a machine, for every library and every process.
"""

import logging
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Self
from zipfile import BadZipFile

import numpy as np
from filelock import FileLock
from numpy.typing import NDArray

from tools.messages import say
from wenmai.embedders.e5.tokenizer import LOOKUP, Lookup, Tokenizer, lookup_table
from wenmai.embedders.e5.weights import SHA256, TokenVectors, Weights, open_weights, verify
from wenmai.embedders.runtime import RuntimeUnavailableError, open_session, require_runtime
from wenmai.embedders.texts import Vector, unit

if TYPE_CHECKING:
    from onnxruntime import InferenceSession  # type: ignore[import-untyped]  # pyright: ignore[reportAttributeAccessIssue]

log = logging.getLogger("wenmai.embedder")

GRAPH_VERSION = 2  # raised when the graph or the table of pieces changes; other versions have folders of their own
KEY = f"multilingual-e5-small-int8-{SHA256[:12]}-v{GRAPH_VERSION}"
GRAPH, PIECES = "layers.onnx", "pieces.npy"
DIGEST = "layers.sha256"  # the graph's SHA-256: a graph that does not load is damaged only where it is another one


@dataclass(frozen=True, slots=True)
class Converted:
    """What is made of the weights: the serialized graph or its file, and the tokenizer's table of pieces."""

    graph: bytes | Path
    pieces: Lookup


def converted(weights: Weights, folder: Path | None) -> Converted:
    """Return what is made of the weights, from the cache; in memory where the cache cannot be written.

    `folder` is where models are kept, None the user's cache directory. Raises ConfigError for other weights than those
    that libraries were made with.
    """
    home = (folder or user_cache()) / KEY
    try:
        return _read(home) if home.is_dir() else _made(weights, home)
    except ValueError:
        return reconverted(weights, folder)
    except OSError as error:
        return _in_memory(weights, home, error)


def reconverted(weights: Weights, folder: Path | None) -> Converted:
    """Return what is made of the weights after the cache, which is damaged, was emptied. Raises ConfigError."""
    home = (folder or user_cache()) / KEY
    log.warning(say("embedder.cache_damaged", home=home))
    try:
        with _lock(home):
            shutil.rmtree(home)
        return _made(weights, home)
    except OSError as error:
        return _in_memory(weights, home, error)


def is_damaged(folder: Path | None) -> bool:
    """Return True if the graph of the cache is not the one that was written there."""
    home = (folder or user_cache()) / KEY
    try:
        return sha256((home / GRAPH).read_bytes()).hexdigest() != (home / DIGEST).read_text()
    except (OSError, UnicodeDecodeError):
        return True


def convert(weights: Weights) -> tuple[bytes, Lookup]:
    """Return graph and table, made anew. Raises ConfigError for other weights."""
    from wenmai.embedders.e5.graph import layers_graph

    verify(weights)
    return layers_graph(weights), lookup_table(weights.pieces)


def user_cache() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("wenmai", appauthor=False)


def _read(home: Path) -> Converted:
    """Read the cache; ONNX Runtime reads the graph itself, which takes 20 MB less.

    Raises OSError, and ValueError for a cache that is damaged.
    """
    try:
        (home / GRAPH).open("rb").close()
        pieces = np.load(BytesIO((home / PIECES).read_bytes()))
    except (FileNotFoundError, EOFError, BadZipFile) as error:
        raise ValueError(f"{home} is damaged") from error
    if not isinstance(pieces, np.ndarray) or pieces.dtype != LOOKUP:
        raise ValueError(f"{home / PIECES} is no table of pieces")
    return Converted(home / GRAPH, pieces)


def _made(weights: Weights, home: Path) -> Converted:
    """Make a folder under another name, then rename it: it is whole or not there. Raises OSError."""
    home.parent.mkdir(parents=True, exist_ok=True)
    with _lock(home), TemporaryDirectory(prefix=f".{home.name}-", dir=home.parent) as name:
        if home.is_dir():  # another process made it meanwhile
            return _read(home)
        log.info(say("embedder.first_conversion", home=home))
        graph, pieces = convert(weights)
        draft = Path(name) / "draft"
        draft.mkdir()
        _write(draft / GRAPH, graph)
        _write(draft / DIGEST, sha256(graph).hexdigest().encode())
        np.save(table := BytesIO(), pieces)
        _write(draft / PIECES, table.getvalue())
        draft.rename(home)
        return _read(home)


def _in_memory(weights: Weights, home: Path, error: OSError) -> Converted:
    log.warning(say("embedder.cache_not_usable", home=home, reason=error))
    return Converted(*convert(weights))


def _write(path: Path, content: bytes) -> None:
    """Write a file that is on the disk before its folder gets its name."""
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _lock(home: Path) -> FileLock:
    return FileLock(home.with_name(f"{home.name}.lock"))


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
        """Load the model from the cache (`folder` as in `converted`), and make it there at the first use.

        Raises ConfigError where the weights are missing or other ones, RuntimeUnavailableError without ONNX Runtime.
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
