"""Deeds that the segmenter takes for nouns, and whether a question opens with a verb."""

import re

from wenmai.minds.offline import phrases
from wenmai.minds.offline.categories import head_class, tag

Words = tuple[tuple[str, str], ...]
_COMPLEMENT = frozenset("中到死住掉走开成完破倒伤断见给")
"""What a verb brings about; the segmenter takes the two for a noun: 射中."""
_ARMED = re.compile(r"[中放射拔挥舞举提持拉搭挺执纵勒骑弹](?:了|一|冷|暗|毒|乱)?[箭刀剑枪戟矛弓马琴旗计](?![法术])")
"""Verb and weapon, which the segmenter joins to a noun or cuts: 中箭后, 放冷箭射中了谁."""
READ_AS_NAMES = ("归顺", "归降", "归附", "投靠", "受禅")
"""Verbs that the segmenter takes for names."""
_VERBAL = ("v", "p", "d", "a", "c", "u", "vg", "vn", "vd", "z")


def deed(words: Words) -> bool:
    """Tell whether a text opens with a deed that the segmenter takes for a noun."""
    word = words[0][0]
    result = len(word) == 2 and word[1] in _COMPLEMENT and tag(word[0])[0][1] == "v"
    return result or complete(words)


def complete(words: Words) -> bool:
    """Tell whether a text opens with a deed that takes no object, or holds it: 动手, 放箭."""
    first = words[0][0]
    return first in phrases.DEEDS_READ_AS_NOUNS or _ARMED.match("".join(word for word, _ in words[:2])) is not None


def verbal(words: Words) -> bool:
    """Tell whether a question opens with a verb, whatever its tag."""
    word, label = words[0]
    behind = words[1][0] if len(words) > 1 else ""
    if label == "i" and len(words) == 1:
        return True  # 反咬一口
    if word in READ_AS_NAMES or label == "ug":
        return True  # 献过
    if label.startswith(_VERBAL) or behind in ("了", "过", "着") or deed(words):  # 归顺了
        return True
    if label in ("i", "l") and behind == "，":
        return True  # 犹豫不定，去问了谁
    return behind == "，" and len(word) > 1 and tag(word[0])[0][1] == "v" and head_class(word)[0] != "person"
