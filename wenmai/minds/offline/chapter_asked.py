"""Questions for the chapter in which something is told: 华佗刮骨疗毒写在第几回."""

import re
from collections.abc import Mapping, Sequence

from state.context import Language
from wenmai.minds.offline.ranker import Ranked

ASKS_CHAPTER = re.compile(r"(?:第几|哪一?)[回章](?!合)|\bwhich chapter", re.IGNORECASE)
ENDS: Mapping[Language, str] = {"zh": "。", "en": "."}


def chapter_lines(question: str, chosen: Sequence[Ranked], numbers: Mapping[str, int], language: Language) -> list[str]:
    """Return the title of the chapter that the best piece stands in, with its mark; [] where none is asked for."""
    titled = [row.piece for row in chosen if row.piece["title"]] if ASKS_CHAPTER.search(question) else []
    return [f"{piece['title']}{ENDS[language]}[E{numbers[piece['id']]}]" for piece in titled[:1]]
