"""Texts as models read them: in windows that fit, whose vectors are averaged into the text's."""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tools.language import HAN
from tools.story.windows import pack_windows

Vector = NDArray[np.float32]
_CLAUSE = re.compile(r"[^。！？；，、：.!?;,:\n]*[。！？；，、：.!?;,:\n]*")
# A Chinese character is one token of nearly every vocabulary; other letters come two or more to a token.
LETTERS_PER_TOKEN = 2
SPECIAL_TOKENS = 2
QUERY_TOKENS = 512
QUERY_LETTERS = 4  # letters to a token, at the most


def windows(text: str, count: int) -> list[str]:
    """Cut a text at ends of clauses into `count` parts of nearly equal length, or fewer; joined they are the text."""
    if count <= 1:
        return [text]
    target, current = len(text) / count, ""
    parts: list[str] = []
    for clause in _CLAUSE.findall(text):
        if current and len(current) + len(clause) / 2 > target and len(parts) < count - 1:
            parts.append(current)
            current = ""
        current += clause
    return [*parts, current] if current else parts


def fitting(text: str, tokens: int) -> list[str]:
    """Cut a text into windows that a model which reads so many tokens reads whole, as far as its length tells."""
    han = len(HAN.findall(text))
    estimate = han + (len(text) - han) / LETTERS_PER_TOKEN
    return windows(text, -(-int(estimate) // max(1, tokens - SPECIAL_TOKENS)))


def beginning(text: str, tokens: int = QUERY_TOKENS) -> str:
    """Return as much of a query as a model reads: the rest would cost time, and say little of what is meant."""
    room = float(tokens)
    for at, letter in enumerate(text):
        room -= 1 if HAN.match(letter) else 1 / QUERY_LETTERS
        if room < 0:
            return text[:at]
    return text


def pooled(rows: NDArray[np.floating], parts: Sequence[Sequence[str]]) -> list[list[float]]:
    """Average each text's windows by their lengths and make the mean a unit vector."""
    vectors: list[list[float]] = []
    for own, group in zip(_by_text(rows, parts), parts, strict=True):
        weights = np.array([len(part) or 1 for part in group], dtype=np.float32)
        vectors.append(unit(weights @ own).tolist())
    return vectors


def windowed(rows: NDArray[np.floating], parts: Sequence[Sequence[str]]) -> list[str]:
    """Pack each text's windows as unit vectors; '' for a text that is its only window."""
    return [pack_windows(np.stack([unit(row) for row in own])) if len(own) > 1 else "" for own in _by_text(rows, parts)]


def _by_text(rows: NDArray[np.floating], parts: Sequence[Sequence[str]]) -> list[NDArray[np.floating]]:
    return np.split(rows, np.cumsum([len(group) for group in parts])[:-1])


def unit(vector: NDArray[np.floating]) -> NDArray[np.floating]:
    return vector / max(float(np.linalg.norm(vector)), 1e-12)
