"""Whether a pronoun's antecedent stands in its own question."""

import re
from collections.abc import Sequence

from wenmai.minds.offline import phrases
from wenmai.minds.offline.anaphor import Anaphor, opening
from wenmai.minds.offline.disjoint import HIS_KIN, barred, is_object, opens_clause
from wenmai.minds.offline.reading import MASK, Named, Reading

_POSSESSED = re.compile(r"[的自]|" + phrases.ANY_RELATIONAL)
_OF_HIS_KIN = re.compile(rf"的(?:{phrases.ANY_KIN}){MASK}*[^，{MASK}]{{1,8}}")
"""马邈的妻子李氏为什么唾了他一脸: what somebody's kin do to him."""
_GIVEN = re.compile("[派送写留赐配拨借献寄交许还]给$")
_SENT = re.compile(rf"[派叫让令请](?:了|的是)?{phrases.WHO}.*给$")
"""派谁去给他当副手: who sends is not whom it is done for."""
_IN_FRONT = re.compile("[面跟]前|那里|那儿")
"""在曹操面前是谁把他的真名说破的: the place where it is done."""
_CAUSED = re.compile(
    rf"[^，]*(?:什么|啥|哪|怎么|如何)[^，]*(?:[让使叫令]|惹得?|害得?|逼得?|引得?|气得?|哄得?){MASK}+[^，{MASK}]{{0,5}}"
)
"""周鲂割了什么让曹休信他: what somebody does makes another one do something to him."""
_KINDLY = "劝和跟与带对请求让派"
_OWN_KIN = re.compile(rf"(?:的?(?:[大小二三亲]|结拜)?(?:{phrases.ANY_KIN}|[哥弟姐妹嫂叔舅姑娘爹妈])){MASK}")
"""劝她兄弟辛敞: kin by name are those of who acts."""
_WITH = re.compile("(?:带|领|骑|拿|背|抱)[着了]|让|派|命|教|和|与")
_OF_HIMSELF = re.compile("[是会要真已能有在不没想]|的确")
_HIS_OWN = re.compile("那[部本匹件首]")
"""于吉说他那部神书: his own."""
_BENEFIT = frozenset("给替为陪帮跟")
_CARRY = frozenset("和跟与把将带用给向对让")
_ASKS = "问请劝求骂"
"""Behind whom what he answers is told."""


def free(found: Sequence[Anaphor], reading: Reading, *, women: bool) -> list[Anaphor]:
    """Return what no name of the question binds; who is asked answers: 刘禅到了洛阳，人家问他想不想家，他怎么答的."""
    kept, told = list[Anaphor](), set[str]()
    for one in found:
        if one.text in told and reading.masked[one.start - 1] == "，":
            continue
        if not bound(one, reading, women=women):
            kept.append(one)
        elif reading.masked[one.start - 1] in _ASKS:
            told.add(one.text)
    return kept


def bound(anaphor: Anaphor, reading: Reading, *, women: bool = False) -> bool:
    """Tell whether a name before the anaphor, across a clause border or as a possessor, is what it means.

    With `women` the session talked of one: 她 is not somebody whose name does not say so.
    """
    if _after_own_noun(anaphor, reading):
        return True
    before = [
        one
        for one in reading.named
        if one.end <= anaphor.start and _fits(one, anaphor, reading, women=women) and not barred(one, anaphor, reading)
    ]
    if anaphor.form == "possessive":
        return bool(before)
    if anaphor.form in ("plural", "counterpart"):
        return _pair_before(before, anaphor, reading)
    if anaphor.form == "matter":
        return "，" in reading.text[: anaphor.start] and bool(reading.named) and reading.named[0].end <= anaphor.start
    if anaphor.form != "pronoun":
        return False
    if _kin_by_name(anaphor, reading):
        return True
    return any(_binds(one, anaphor, reading) for one in before) or _noun_binds(anaphor, reading)


def _after_own_noun(anaphor: Anaphor, reading: Reading) -> bool:
    """Tell whether the question itself brings in whom it means: 旁边有一位名士痛哭，此人是谁."""
    before = reading.masked[: anaphor.start]
    if anaphor.form == "demonstrative":
        return anaphor.head == "人" and "，" in before and re.search(r"有[一]?[个位名]|谁", before) is not None
    if anaphor.form not in ("pronoun", "plural", "possessive"):
        return False
    if re.search(r"[？?]", before):
        return re.search(r"[他她它其]|[这那][个位]", before) is None
    return re.search(r"的[那这][个位名][^，]{0,6}，", before) is not None


def _fits(one: Named, anaphor: Anaphor, reading: Reading, *, women: bool) -> bool:
    if anaphor.wanted == "person":
        if women and anaphor.female and not phrases.FEMALE_NAME.search(one.name) and not _called_woman(one, reading):
            return False
        clash = anaphor.female is False and phrases.FEMALE_NAME.search(one.name) is not None
        return one.category == "person" and not clash
    return anaphor.text != "它" or one.category not in ("person", "group")


def _called_woman(one: Named, reading: Reading) -> bool:
    """Tell whether a noun before a name says that it is a woman's: 姐姐辛宪英."""
    return phrases.FEMALE_NOUN.search(reading.masked[: one.start]) is not None


def _pair_before(before: list[Named], anaphor: Anaphor, reading: Reading) -> bool:
    people = [one for one in before if one.category == "person"]
    if anaphor.form == "counterpart" and people and phrases.PLURALS.search(reading.masked[: anaphor.start]):
        return True
    return len({one.name for one in people}) > 1


def _kin_by_name(anaphor: Anaphor, reading: Reading) -> bool:
    """Tell whether kin are named, and whose they are stands before: 孟获他大哥孟节, 辛宪英劝她兄弟辛敞.

    Whom somebody slays or takes is no kin of his: 曹操杀了他父亲马腾.
    """
    if not _OWN_KIN.match(reading.masked, anaphor.end):
        return False
    clause = reading.masked.rfind("，", 0, anaphor.start) + 1
    before = [one for one in reading.people() if clause <= one.start and one.end <= anaphor.start]
    return bool(before) and (before[-1].end == anaphor.start or reading.masked[anaphor.start - 1] in _KINDLY)


def _binds(one: Named, anaphor: Anaphor, reading: Reading) -> bool:
    between = reading.masked[one.end : anaphor.start]
    if phrases.CLAUSE_BORDER.search(between):
        return True
    last = between[-1:]
    if _WITH.fullmatch(between) and reading.masked[anaphor.end : anaphor.end + 1] == "的" and opens(one, reading):
        return True  # 孙夫人带着她的侍女
    if is_object(anaphor, reading) and _OF_HIS_KIN.fullmatch(between):
        return True
    if opens_clause(one, reading.masked) and _CAUSED.fullmatch(between):
        return True
    if _told_of(one, between, reading.masked):
        return True
    if _complement(between, reading.masked[anaphor.end :]):
        return True
    if last in ("把", "将") and re.search(
        rf"[到在从去]{MASK}+[^，]{{0,3}}[里上中下处]", reading.masked[: anaphor.start]
    ):
        return True
    if between in ("和", "与", "跟", "同") and HIS_KIN.match(reading.masked, anaphor.end):
        return True
    asked = re.search(phrases.WHO, between) is not None
    if "的" in between[:-1] and asked and not between.startswith(tuple(phrases.CONJUNCTIONS)):
        return True
    if asked and (_SENT.search(between) or _IN_FRONT.match(between)):
        return False
    if asked and last in _BENEFIT and not re.search(r"[把将被]" + phrases.WHO, between):
        return True
    if _GIVEN.search(between):
        return False  # 诸葛亮派给他的副将
    return last in _CARRY and len(between) > 1 and _POSSESSED.match(reading.masked, anaphor.end) is not None


def opens(one: Named, reading: Reading) -> bool:
    """Tell whether a name opens its question."""
    return opening(reading.masked[: one.start]) == one.start


def _told_of(one: Named, between: str, text: str) -> bool:
    """Tell whether somebody is told what another does to him: 告诉刘备蔡瑁要害他."""
    return MASK in between and re.search(r"(?:告诉|劝|提醒|警告|通知|禀告|转告)$", text[: one.start]) is not None


def _complement(between: str, behind: str) -> bool:
    """让曹休相信他是真降: who speaks of himself in a clause of his own."""
    told = re.search(r"(?:相信|以为|认为|知道|觉得|明白|怀疑|承认|声称|说|道)$", between)
    if told is None:
        return False
    return _OF_HIMSELF.match(behind) is not None or (told[0] == "说" and _HIS_OWN.match(behind) is not None)


def _noun_binds(anaphor: Anaphor, reading: Reading) -> bool:
    """Tell whether a new person is brought in by a noun of the clause before: 吕布还有个正妻，她…."""
    text = reading.masked[: anaphor.start]
    brought = re.search(r"有(?:一)?[个位名]([^，]*)，", text)
    return brought is not None and anaphor.wanted == "person" and bool(reading.people())
