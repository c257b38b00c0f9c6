"""Content words of a text: segmentation and parts of speech by rjieba, English by words."""

import re

from tools.language import HAN
from tools.story.linking import Mention
from wenmai.language.segmenting import segmenter
from wenmai.minds.offline.lexicon import ENGLISH_STOP, QUESTION_WORDS, STOP_WORDS, SYNONYMS

CONTENT_TAGS = ("n", "v", "a", "t", "i", "l", "j", "z", "s", "m", "b", "eng", "x")
ENGLISH_WORD = re.compile(r"[A-Za-z][A-Za-z'’-]*|\d+")


def masked(text: str, mentions: list[Mention]) -> str:
    """Return a text with its names blanked, so that they are not cut into words."""
    chars = list(text)
    for mention in mentions:
        chars[mention.start : mention.end] = " " * (mention.end - mention.start)
    return "".join(chars)


def content_words(text: str) -> list[str]:
    """Return the words that say what a text is about, in order, each once."""
    if not HAN.search(text):
        return list(dict.fromkeys(stem(w) for w in ENGLISH_WORD.findall(text.lower()) if w not in ENGLISH_STOP))
    tagged = segmenter().tag(text, False)  # guessed words join what does not belong together: 时用, 董时
    words = [word.strip() for word, tag in tagged if tag.startswith(CONTENT_TAGS)]
    return list(dict.fromkeys(word for word in words if meaningful(word)))


def meaningful(word: str) -> bool:
    """Tell whether a word can be looked for: no question word, no stop word, no punctuation."""
    return bool(word) and word not in QUESTION_WORDS and word not in STOP_WORDS and bool(re.search(r"\w", word))


def nominal(word: str) -> bool:
    """Tell whether a Chinese word is a noun or what goes with one; an English word never is."""
    return bool(HAN.search(word)) and segmenter().tag(word, False)[0][1].startswith(("n", "a", "t", "s"))


def stem(word: str) -> str:
    """Return an English word without its commonest endings."""
    for ending in ("'s", "’s", "ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def expansions(word: str) -> tuple[str, ...]:
    """Return other words for the same thing, as classical prose has them."""
    return SYNONYMS.get(word, ())
