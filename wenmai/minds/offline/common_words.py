"""Spellings of names that are plain words where they stand, or parts of other words."""

import re

from tools.story.linking import Mention
from wenmai.language.lexicon import surname
from wenmai.language.segmenting import segmenter
from wenmai.minds.offline import phrases
from wenmai.minds.offline.categories import tag

PAIR, FULL_NAME = 2, 3  # characters
_FUNCTION = frozenset("向于从时连应管和同对随令让与")
"""Surnames that are also words before a name: 从公瑾那里."""
RARE = 3
"""A spelling that the story names this seldom is no name where the segmenter knows it for a verb: 得来."""


def is_common(mention: Mention, text: str) -> bool:
    """Tell whether a spelling is a plain word here: 二人, the 匹马 of 那匹马."""
    measured = text[mention.start - 1 : mention.start] in tuple("这那哪几") and mention.text[0] in phrases.MEASURES
    return mention.text in phrases.CLOSED_WORDS or measured or _predicate(mention) or _cuts(mention, text)


def _straddles(mention: Mention, text: str) -> bool:
    """Tell whether a spelling lies between two words, a half of each: the 后主 of 背后主使."""
    before, behind = text[max(0, mention.start - 1) : mention.start + 1], text[mention.end - 1 : mention.end + 1]
    words = len(before) == len(behind) == len(mention.text) == PAIR
    return words and segmenter().has_word(before) and segmenter().has_word(behind)


_FELLOW = re.compile(r"(?<=[好壮醉黑莽罗])汉(?![朝室家天皇丞中军将])|(?<=[黑个条名彪莽]大)汉|汉子")


def _cuts(mention: Mention, text: str) -> bool:
    """Tell whether a spelling is a part of a noun for a person: the 汉 of 黑大汉, the 子文 of 儿子文鸯."""
    if _FELLOW.match(text, mention.start):
        return True
    return _cuts_kin(mention, text) or _cuts_full(mention, text) or _straddles(mention, text)


def _cuts_full(mention: Mention, text: str) -> bool:
    """Tell whether another one's alias is the end of a full name that the segmenter knows: the 士仁 of 傅士仁."""
    full = text[max(0, mention.start - 1) : mention.end]
    if mention.text == mention.entity or len(full) != FULL_NAME or mention.start == 0 or surname(full) != full[0]:
        return False
    if full[0] in _FUNCTION or full[0] == surname(mention.entity or ""):
        return False
    return segmenter().has_word(full) and [label for _, label in tag(full)] == ["nr"]


def _cuts_kin(mention: Mention, text: str) -> bool:
    """Tell whether another spelling of a name begins within a word for kin: the 子文 of 文钦的儿子文鸯."""
    at = mention.start - 1
    if at < 0 or mention.text == mention.entity or text[at : at + 2] not in phrases.KIN:
        return False
    first, *_ = (part for part, _ in tag(text[at : mention.end]))
    return first == text[at : at + 2]


def _predicate(mention: Mention) -> bool:
    label = tag(mention.text) if mention.candidates[0].mentions <= RARE and len(mention.text) == 2 else ()
    return len(label) == 1 and label[0][1] in ("v", "d", "a", "r", "c", "p")
