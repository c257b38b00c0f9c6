"""Content words of a question: what searches look for beside its names."""

import re
import tomllib
from functools import cache
from importlib.resources import files

from tools.language import HAN
from wenmai.language.segmenting import segmenter

CONTENT_TAGS = ("n", "v", "a", "t", "i", "l", "j", "z", "s", "m", "b", "eng", "x")
_ENGLISH_WORD = re.compile(r"[A-Za-z][A-Za-z'’-]*|\d+")
_ENDINGS = ("'s", "’s", "ing", "ed", "es", "s")
LEAST_STEM = 3
SILENT = ("question_words", "stop_words")


@cache
def word_table(name: str) -> frozenset[str]:
    """Return one of the lists of words."""
    text = files("wenmai.minds.offline.questions").joinpath("words.toml").read_text(encoding="utf-8")
    return frozenset(str(tomllib.loads(text)[name]).split())


def content_words(text: str) -> list[str]:
    """Return the words that say what a text is about, in order, each once."""
    if not HAN.search(text):
        stop = word_table("english_stop")
        return list(dict.fromkeys(_stem(word) for word in _ENGLISH_WORD.findall(text.lower()) if word not in stop))
    tagged = segmenter().tag(text, False)  # guessed words join what does not belong together
    return list(dict.fromkeys(word.strip() for word, tag in tagged if tag.startswith(CONTENT_TAGS) and _says(word)))


def _says(word: str) -> bool:
    return bool(re.search(r"\w", word)) and not any(word.strip() in word_table(name) for name in SILENT)


def _stem(word: str) -> str:
    """Return an English word without its commonest endings."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= LEAST_STEM:
            return word[: -len(ending)]
    return word
