"""Keywords of memories and of queries."""

import re
from collections import Counter
from collections.abc import Callable, Sequence

from tools.memory.records import Memory, MemoryKeyword

EMBEDDED_CHARACTERS = 2_000  # more windows cost time, and their mean loses meaning


def searched_text(memory: Memory) -> str:
    """Return the text whose words are indexed: speaker, summary, content."""
    return "\n".join(part for part in (memory.speaker, memory.summary, memory.content) if part)


def embedded_text(memory: Memory) -> str:
    """Return the text that is embedded, for a long memory its beginning; all its words are indexed."""
    text = "\n".join(part for part in (memory.summary, memory.content) if part)[:EMBEDDED_CHARACTERS]
    return f"{memory.speaker}: {text}" if memory.speaker else text


LATIN = re.compile(r"[a-zA-Z_]{3,}")
CHINESE_WORD = re.compile(r"[\u3400-\u9fff]{2,6}")
TOP = 10
COUNT_WEIGHT = 0.1
LENGTH_WEIGHT = 0.2
FULL_LENGTH = 5

# Words of a question without content.
ENGLISH_ASKING = """
a about am and any are been but can could did does don for from get give had has have her him his how into its just let
may mine not our she should tell than that the their them then there these they this those was were what when where
which who whom whose why will with would you your
"""
CHINESE_ASKING = """
什么 怎么 怎样 怎么样 哪里 哪个 哪些 多少 为什么 是否 有没有 可以 一个 我们 你们 他们 请问 告诉 之前 以前 上次 那个 这个
"""
QUESTION_WORDS = frozenset((ENGLISH_ASKING + CHINESE_ASKING).split())

Segment = Callable[[str], Sequence[str]]  # cuts a text into words, in order; joined they are the text again


def extract_keywords(text: str, segment: Segment) -> tuple[MemoryKeyword, ...]:
    """Return the ten heaviest words: Chinese ones of 2-6 characters, Latin ones of three letters and more."""
    found = Counter(words(text, segment))
    weighed = [MemoryKeyword(word, _weight(word, times)) for word, times in found.items()]
    return tuple(sorted(weighed, key=lambda one: -one.weight)[:TOP])


def words(text: str, segment: Segment) -> list[str]:
    """Return the words that may be keywords, in order, lower case."""
    chinese = [word for word in segment(text) if CHINESE_WORD.fullmatch(word)]
    return [*chinese, *(word.lower() for word in LATIN.findall(text))]


def query_terms(text: str, segment: Segment) -> list[str]:
    """Return the words of a query; words without content only if there are no others."""
    found = words(text, segment)
    return [word for word in found if word not in QUESTION_WORDS] or found


def _weight(word: str, times: int) -> float:
    return min(times * COUNT_WEIGHT + min(len(word) / FULL_LENGTH, 1.0) * LENGTH_WEIGHT, 1.0)
