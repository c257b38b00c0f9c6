"""The words of a text as searches compare them: stems without function words, Chinese characters and their pairs."""

import re
from functools import lru_cache
from itertools import pairwise

from tools.text.scripts import folded

RUN = re.compile(r"[\u3400-\u9fff]+|[^\W_\u3400-\u9fff]+")
ENDINGS = ("'s", "’s", "ing", "ed", "es", "s")
LEAST_STEM = 3
# Function words of English questions and answers; pairs of Chinese characters are nearly all content.
FUNCTION_WORDS = (
    "a about above after again all also am an and any are as at be because been being but by can could did do does "
    "doing don down during each few for from further had has have having he her here hers him his how i if in into is "
    "it its itself just let like me more most my no nor not now of off on once only or other our ours out over own "
    "please s same she should so some such t than that the their theirs them then there these they this those through "
    "to too under until up us very was we were what when where which while who whom why will with would you your yours "
    "tell know want need give show explain describe mean means"
)
STOP = frozenset(FUNCTION_WORDS.split())


def words_of(text: str) -> list[str]:
    found: list[str] = []
    for run in RUN.findall(folded(text)):
        if "\u3400" <= run[0] <= "\u9fff":
            found += [*run, *(first + second for first, second in pairwise(run))]
        elif run not in STOP:
            found.append(stem(run))
    return found


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= LEAST_STEM:
            return word[: -len(ending)]
    return word
