"""Kinds of keywords without a model: by part of speech, form and the words beside them (docs/spec/memory.md §5)."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import takewhile

from tools.language import is_chinese
from tools.memory.keywords import QUESTION_WORDS
from tools.recall.schemas import KeywordType
from wenmai.language.lexicon import patterns
from wenmai.language.segmenting import segmenter, tag_of

PATTERNS = patterns("wenmai.minds.offline", "keyword_kinds.toml")
NAMES = ("nr", "ns", "nt", "nz")  # tags of people, places, organisations, other names
SIGNS = re.compile(r"[\w./\\:-]+")  # a word with the signs that file names, addresses and versions have


FUNCTION = ("r", "d", "c", "p", "u", "y", "e", "o", "q", "m")
"""Tags of pronouns, adverbs, conjunctions, prepositions, particles, measures and numbers."""
LONGEST_COMPOUND = 6  # characters, as of a keyword


@lru_cache(4)
def tagged_words(text: str) -> tuple[tuple[str, str], ...]:
    """Return the words of a text with their tags; what is done has a verb's tag, and what it is done to a noun's.

    The segmenter tags many words for what is done as nouns (重构登录接口), and joins others by guess.
    """
    rows = [part for one in segmenter().tag(text, True) if not one[0].isspace() for part in parts(*one)]
    found: list[tuple[str, str]] = []
    at = 0
    while at < len(rows):
        (word, tag), behind = rows[at], rows[at + 1 :]
        if not (tag in ("n", "vn") and is_done(word, rows[:at], behind)):
            names = tag in ("v", "vn") and len(word) > 1 and is_named(tag, rows[:at], behind)
            compound = f"{word}{behind[0][0]}" if names and behind and behind[0][1] == "n" else word
            joins = compound != word and len(compound) <= LONGEST_COMPOUND
            found.append((compound if joins else word, "n" if names else tag))
            at += 1 + joins
            continue
        aspect = behind[:1] if behind and behind[0][1].startswith("u") and behind[0][0] != "的" else []
        done_to = [one for one, _ in takewhile(is_content, behind[len(aspect) :])][:2]
        is_compound = len(done_to) > 1 and len("".join(done_to)) <= LONGEST_COMPOUND
        found += [(word, "v"), *aspect]
        if done_to:
            found.append(("".join(done_to) if is_compound else done_to[0], "n"))
        at += 1 + len(aspect) + (len(done_to) if is_compound else bool(done_to))
    return tuple(found)


def is_content(row: tuple[str, str]) -> bool:
    return row[1].startswith(("n", "v")) and len(row[0]) > 1


def parts(word: str, tag: str) -> list[tuple[str, str]]:
    """Return a word, or the dictionary's words of a guess that joins function words (我下, 哪张), but for names."""
    is_guess = is_chinese(word) and not tag.startswith(NAMES) and not segmenter().has_word(word)
    joins = is_guess and any(tag_of(one).startswith((*FUNCTION, "f")) for one in (word[0], word[-1]))
    return segmenter().tag(word, False) if joins else [(word, tag)]


def is_done(word: str, before: Sequence[tuple[str, str]], behind: Sequence[tuple[str, str]]) -> bool:
    """Return True for a word with a noun's tag that stands where a verb does."""
    if not is_chinese(word) or len(word) < 2 or tag_of(word[0]) == "r" or (before and before[-1][0] == "的"):
        return False
    earlier, later = "".join(part for part, _ in before), "".join(part for part, _ in behind)
    if acts(earlier, later) or (PATTERNS["disposes"].search(earlier) and PATTERNS["complement"].search(later)):
        return True
    # At a clause's begin, behind who, when and how alone: it ends in a verb, and what it is done to follows, or 了.
    start = max((at + 1 for at, (_, tag) in enumerate(before) if tag == "x"), default=0)
    opens = all(tag.startswith((*FUNCTION, "t")) for _, tag in before[start:])
    takes = bool(behind) and (behind[0][1][:2] in ("ul", "ug", "uz") or is_content(behind[0]))
    return opens and takes and tag_of(word[-1]).startswith("v")


def is_named(tag: str, before: Sequence[tuple[str, str]], behind: Sequence[tuple[str, str]]) -> bool:
    """Return True for a word with a verb's tag that stands where a noun does: behind 的, or before what it is of."""
    describes = bool(behind) and is_content(behind[0])
    is_of = tag == "vn" and describes and behind[0][1] == "n"
    return bool(before) and (is_of or (before[-1][0] == "的" and not describes))


def keyword_cut(text: str) -> list[str]:
    """Return the words of a text that may be keywords, without pronouns, adverbs and the like."""
    return [
        word for word, tag in tagged_words(text) if is_time(word) or not (is_chinese(word) and is_function(word, tag))
    ]


def is_function(word: str, tag: str) -> bool:
    return tag.startswith(FUNCTION) or tag_of(word[0]) == "r"


def is_time(word: str) -> bool:
    return PATTERNS["time"].search(word) is not None


def has_content(word: str) -> bool:
    """Return False for a word that says nothing by itself, as some and how."""
    return word not in QUESTION_WORDS and not PATTERNS["empty"].search(word)


def keyword_kind(word: str, text: str) -> KeywordType:
    """Return the kind of a keyword of a text: a time, an action, a concept, else an entity."""
    if is_time(word):
        return "time"
    return chinese_kind(word, text) if is_chinese(word) else latin_kind(word, text)


def chinese_kind(word: str, text: str) -> KeywordType:
    tagged = tagged_words(text)
    place = next((n for n, (part, _) in enumerate(tagged) if part == word), None)
    if place is None:
        tagged, place = tuple(segmenter().tag(word, True)), 0
    tag = tagged[place][1]
    before, after = "".join(part for part, _ in tagged[:place]), "".join(part for part, _ in tagged[place + 1 :])
    if tag.startswith("t"):
        return "time"
    if tag.startswith(NAMES):
        return "entity"
    if tag.startswith("v") or (tag.startswith(("n", "x", "eng")) and acts(before, after)):
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
