"""Kinds of keywords without a model: by part of speech, form and the words beside them (docs/spec/memory.md §5)."""

import re

from tools.language import is_chinese
from tools.memory.keywords import QUESTION_WORDS
from tools.recall.schemas import KeywordType
from wenmai.language.lexicon import patterns
from wenmai.language.segmenting import segmenter

PATTERNS = patterns("wenmai.minds.offline", "keyword_kinds.toml")
NAMES = ("nr", "ns", "nt", "nz")  # tags of people, places, organisations, other names
SIGNS = re.compile(r"[\w./\\:-]+")  # a word with the signs that file names, addresses and versions have


def has_content(word: str) -> bool:
    """Return False for a word that says nothing by itself, as some and how."""
    return word not in QUESTION_WORDS and not PATTERNS["empty"].search(word)


def keyword_kind(word: str, text: str) -> KeywordType:
    """Return the kind of a keyword of a text: a time, an action, a concept, else an entity."""
    if PATTERNS["time"].search(word):
        return "time"
    return chinese_kind(word, text) if is_chinese(word) else latin_kind(word, text)


def chinese_kind(word: str, text: str) -> KeywordType:
    tagged = [(part, tag) for part, tag in segmenter().tag(text, True) if not part.isspace()]
    place = next((n for n, (part, _) in enumerate(tagged) if part == word), None)
    if place is None:
        tagged, place = segmenter().tag(word, True), 0
    tag = tagged[place][1]
    before, after = "".join(part for part, _ in tagged[:place]), "".join(part for part, _ in tagged[place + 1 :])
    if tag.startswith("t"):
        return "time"
    if tag.startswith(NAMES):
        return "entity"
    if tag.startswith("v") or acts(before, after):
        return "action"
    # Adjectives name qualities; nouns name things unless their last syllable makes them abstract.
    return "concept" if not tag.startswith(("n", "x", "eng")) or PATTERNS["abstract"].search(word) else "entity"


def latin_kind(word: str, text: str) -> KeywordType:
    found = re.search(rf"(?<![a-z_]){re.escape(word)}(?![a-z_])", text, re.IGNORECASE)
    if found is None:
        return "concept" if PATTERNS["abstract"].search(word) else "entity"
    whole = next((one[0] for one in SIGNS.finditer(text) if one.start() <= found.start() < one.end()), word)
    before, after = text[: found.start()], text[found.end() :]
    is_first = not before.strip() or before.rstrip()[-1] in '.!?。！？"“'
    if re.search(r"[._/\\:-]\w|\d", whole) or any(letter.isupper() for letter in whole[is_first:]):
        return "entity"
    if acts(before, after) or PATTERNS["action"].search(word):
        return "action"
    return "concept" if PATTERNS["abstract"].search(word) else "entity"


def acts(before: str, after: str) -> bool:
    """Return True if what stands around a word says that it is something that is done."""
    if PATTERNS["acts_after"].search(before):
        return True
    return bool(PATTERNS["clause"].search(before) and PATTERNS["acts_before"].search(after))
