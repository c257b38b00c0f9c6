"""An end, a conquest, a choice of two that a question speaks of, and whether a story tells of it (S003-D08).

Each check is true where the question speaks of no such thing.
"""

import re
from collections.abc import Sequence

from tools.story.linking import Mention, NameTable
from wenmai.minds.offline.analysis import Analysis
from wenmai.minds.offline.categories import tag
from wenmai.minds.offline.deed_claims import SPEECH
from wenmai.minds.offline.matching import name_pattern, told_together
from wenmai.minds.offline.reading import LONGEST_QUESTION
from wenmai.minds.offline.state_claims import died, is_person
from wenmai.minds.offline.words import expansions

HOW_DIED = re.compile(
    "(?:最后|到底|究竟|后来|又|的时候|，){0,3}(?:是)?"
    "(?:怎么|怎样|如何|因何|为何|因为?什么|得的?什么|生的?什么|害的?什么|死于什么)"
    "(?:[病战阵自]|病而)?(?:死|身亡|去世|病逝|病故|离世|丧命|阵亡)(?:掉|去)?(?:的|了){0,2}(?=[？?，。]|$)"
)
WHERE_DIED = re.compile(
    "(?:最后|到底|究竟|后来|又|，){0,3}(?:是)?(?:(?:死|病死|战死|去世|病逝|病故|离世|阵亡)[在于]了?(?:哪|何处|什么地方)|"
    "在?(?:哪|哪儿|哪里|哪个地方|何处|什么地方|哪一?年|什么时候|何时)(?:病|战)?(?:死|去世|病逝|病故|离世|阵亡))"
)
NOT_MORTAL = ("Location", "Organization", "Event")
TAKEN = re.compile("(?<![没未不想欲要能被谁])(?:攻下|打下|拿下|攻克|占领|攻破|夺下|夺取|攻占|攻陷|打破)了?$")
TAKES = "(?<![欲不未莫勿图谋可难先若来])[取得克拔陷破夺据占入袭][了得其却]?"
FALLS = "[^，。]{0,3}[已遂皆既]?(?:破|陷|失守|已得|已失)"
TAKER = 40  # characters between who takes a place and the place
EITHER = re.compile(
    "(?<![最终后究到仍])(?P<first>[\u4e00-\u9fff]{1,6})还是(?:被人?|因|为|在|是)?(?P<second>[\u4e00-\u9fff]{1,6})"
)


def death_told(analysis: Analysis, texts: Sequence[str], table: NameTable) -> bool:
    """Tell whether the end of somebody is told, or of a horse, where a question asks how, where or when he died."""
    dead = [
        m
        for m in analysis.mentions
        if m.entity
        and table.kind(m.entity) not in NOT_MORTAL
        and (HOW_DIED.match(analysis.question, m.end) or WHERE_DIED.match(analysis.question, m.end))
    ]
    narrated = [SPEECH.sub("“”", text) for text in texts] if dead else []
    return all(died(mention.entity or "", None, narrated, table) for mention in dead)


def conquests_told(analysis: Analysis, texts: Sequence[str], table: NameTable) -> bool:
    """Tell whether every place that a question says somebody took is taken by him in a text: 姜维打下长安以后."""
    asked = analysis.question[:LONGEST_QUESTION]
    claims: list[tuple[str, str]] = []
    doer: Mention | None = None
    for mention in analysis.mentions:
        if is_person(mention, table):
            doer = mention
        elif doer and "，" not in asked[doer.end : mention.start] and TAKEN.search(asked, doer.end, mention.start):
            claims.append((doer.entity or "", mention.entity or mention.text))
    narrated = [SPEECH.sub("“”", text) for text in texts] if claims else []
    return all(any(way.search(text) for text in narrated) for way in (taking(*claim, table) for claim in claims))


def taking(doer: str, place: str, table: NameTable) -> re.Pattern[str]:
    """Return what finds a sentence in which somebody takes a place."""
    by, taken = (name_pattern(name, table) for name in (doer, place))
    return re.compile(f"{by}[^。！？]{{0,{TAKER}}}(?:{TAKES}{taken}|{taken}{FALLS})")


def either_told(analysis: Analysis, texts: Sequence[str], table: NameTable) -> bool:
    """Tell whether a text says one of the two that a question offers, beside its names: 左脚还是右脚."""
    found = EITHER.search(analysis.plain)
    if not found or not analysis.entities:
        return True
    (first, one), (second, other) = tag(found["first"])[-1], tag(found["second"])[0]
    if one[:1] != other[:1] or min(len(first), len(second)) == 1:
        return True  # 最后还是离开: no choice
    offered = (first, second)
    forms = [form for word in offered for form in (word, *expansions(word))]
    return told_together(analysis.entities, forms, texts, table)
