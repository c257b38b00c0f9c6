"""Names of a text without a dictionary."""

from collections.abc import Iterable, Sequence
from typing import Literal

from wenmai.ingestion.aliases import KnownName


def discover(texts: Sequence[str], known: Iterable[KnownName], language: Literal["zh", "en"]) -> list[KnownName]:
    """Find the names of a text that `known` does not hold."""
    return []
