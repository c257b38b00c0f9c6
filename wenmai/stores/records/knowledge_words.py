"""How texts of a knowledge network are cut: for `like` into pairs of characters, for `match` into words."""

import json
import re
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

WORD = re.compile(r"[0-9a-z_]+|[\u3400-\u9fff]+")
CHINESE = "\u3400"
LONGEST = 200  # characters; longer values are distinguished by a digest, so that the index stays small


def folded(text: str) -> str:
    """Return a text as `like` and `match` compare it: without case."""
    return text.casefold()


def pairs(text: str) -> list[str]:
    """Return the pairs of neighbouring characters of a folded text."""
    return [text[at : at + 2] for at in range(len(text) - 1)]


def words(text: str) -> set[str]:
    """Return the words of a text: pairs of Chinese characters, a single one where it stands alone, other words."""
    found: set[str] = set()
    for run in WORD.findall(folded(text)):
        found.update(pairs(run) if run[0] >= CHINESE and len(run) > 1 else (run,))
    return found


def terms(text: str, kind: int) -> set[str]:
    """Return what the full-text index keeps of a value: its pairs and its words, each as one token of its type."""
    return {pair_term(pair, kind) for pair in pairs(folded(text))} | {word_term(word, kind) for word in words(text)}


def pair_term(pair: str, kind: int) -> str:
    """Return a pair as a token that no tokenizer cuts or changes."""
    return f"p{kind}x{pair.encode().hex()}"


def word_term(word: str, kind: int) -> str:
    """Return a word as such a token."""
    return f"w{kind}x{word[:LONGEST].encode().hex()}"


def exact(value: Any) -> str:
    """Return a scalar as the index finds it: 5 and 5.0 are one, "5" and true are others."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = f'"{value}' if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}{sha256(text.encode()).hexdigest()}"


def elements(value: Any) -> Iterable[Any]:
    """Return the values of a field one by one, without nulls."""
    return [one for one in (value if isinstance(value, list) else [value]) if one is not None]
