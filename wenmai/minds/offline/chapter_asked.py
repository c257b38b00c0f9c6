"""Questions for the chapter in which something is told: 华佗刮骨疗毒写在第几回."""

import re

from state.context import Language
from state.schema import Evidence
from wenmai.minds.offline.snippets import unmarked

ASKS_CHAPTER = re.compile(
    r"(?:在|是|出自|见于|写到|讲到)(?:了|全书|原著|小说|书里|书中|书)?的?(?:第几|哪一?个?)(?:[回章]|章节)(?!合)|"
    r"第几[回章](?:的事|里|讲的|说的|写的)?[？?。]?$|^(?:小说|书里|书中)?(?:第几|哪一?)[回章](?:讲|写|说)|"
    r"\b(?:which|what) chapter",
    re.IGNORECASE,
)


def with_chapter(question: str, piece: Evidence, text: str, language: Language) -> str:
    """Return what is quoted of the best piece, behind the title of its chapter where that is asked for."""
    if not piece["title"] or not ASKS_CHAPTER.search(question):
        return text
    title = unmarked(piece["title"])
    return f"{title}。{text}" if language == "zh" else f"{title}. {text}"
