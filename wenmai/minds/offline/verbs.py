"""Deeds that the segmenter takes for nouns."""

import re

from wenmai.minds.offline import phrases
from wenmai.minds.offline.categories import tag

Words = tuple[tuple[str, str], ...]
_COMPLEMENT = frozenset("中到死住掉走开成完破倒伤断见给")
"""What a verb brings about; the segmenter takes the two for a noun: 射中."""
_ARMED = re.compile(r"[中放射拔挥舞举提持拉搭挺执纵勒骑弹](?:了|一|冷|暗|毒|乱)?[箭刀剑枪戟矛弓马琴旗计](?![法术])")
"""Verb and weapon, which the segmenter joins to a noun or cuts: 中箭后, 放冷箭射中了谁."""


def deed(words: Words) -> bool:
    """Tell whether a text opens with a deed that the segmenter takes for a noun."""
    word = words[0][0]
    result = len(word) == 2 and word[1] in _COMPLEMENT and tag(word[0])[0][1] == "v"
    return result or complete(words)


def complete(words: Words) -> bool:
    """Tell whether a text opens with a deed that takes no object, or holds it: 动手, 放箭."""
    first = words[0][0]
    return first in phrases.DEEDS_READ_AS_NOUNS or _ARMED.match("".join(word for word, _ in words[:2])) is not None
