"""How sure an answer is, as a person reads it: one of three words, and the probability."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal

from state.context import Language

HIGH: Final = 0.75
FAIR: Final = 0.5
"""Probabilities from which on an answer is called so; what is below both is low."""

Word = Literal["high", "fair", "low"]
WORDS: Mapping[Language, Mapping[Word, str]] = MappingProxyType(
    {"zh": {"high": "高", "fair": "中", "low": "低"}, "en": {"high": "high", "fair": "fair", "low": "low"}}
)
TEXTS: Mapping[Language, str] = MappingProxyType(
    {"zh": "可信度 {word}（{confidence:.2f}），", "en": "Confidence {word} ({confidence:.2f}). "}
)


def confidence_text(confidence: float | None, language: Language) -> str:
    """Return a confidence as it stands before a verdict, '' where there is none."""
    if confidence is None:
        return ""
    return TEXTS[language].format(word=WORDS[language][word_of(confidence)], confidence=confidence)


def word_of(confidence: float) -> Word:
    """Return the word for a probability."""
    return "high" if confidence >= HIGH else "fair" if confidence >= FAIR else "low"
