"""Details that stories seldom give: the name of somebody's horse, daughter or teacher; how somebody died (S003-D08)."""

import re
from collections.abc import Sequence
from functools import cache

from tools.linking import NameTable
from wenmai.minds.offline.analysis import Analysis
from wenmai.minds.offline.categories import head_category, head_class, tag
from wenmai.minds.offline.deed_claims import SPEECH
from wenmai.minds.offline.matching import name_pattern, name_patterns, told_together, windows
from wenmai.minds.offline.reading import LONGEST_QUESTION
from wenmai.minds.offline.state_claims import died, is_person
from wenmai.minds.offline.words import expansions

ASKED_NAME = re.compile(
    "(?P<whose>[\u4e00-\u9fff]+?)(?:的?(?:名字|姓名|名号))?，?(?:各自?|分别|到底|究竟|又|都|，)*"
    "(?:叫(?:个?什么|啥)(?:名字|名儿?)?|(?:名字|姓名)(?:叫|是)(?:什么|啥)|姓甚名谁)(?=[？?，。]|$)"
)
NAMING = "(?:名|号|唤|姓|小字|曰“|乃是?)"
AROUND = 2  # characters between a noun and a name behind it
THINGS = ("animal", "weapon", "thing")
_POINTED = re.compile("[那这][个位名]")
RIDES = "[骑跨乘]"
DEED_OF_DEATH = re.compile(
    "(?:最后|到底|究竟|后来|又|的时候|，)*(?:是)?(?:怎么|怎样|如何|因何|为何|因为?什么|得的?什么|生的?什么|害的?什么|死于什么)"
    "[^，。？谁]{0,6}?(?:死|亡|去世|病逝|病故|没|离世|丧命)(?!里|掉|守)"
)


def name_of_thing_told(analysis: Analysis, texts: Sequence[str], table: NameTable) -> bool:
    """Tell whether a text gives a name to the thing or the kin whose name is asked for, beside whose it is."""
    noun = noun_asked(analysis)
    if not noun or not analysis.entities:
        return True
    names = name_patterns(analysis.entities, table)
    named, forms = naming(noun)
    is_thing = head_category(noun) in THINGS
    for text in texts:
        for window in windows(text):
            if not (any if is_thing else all)(name.search(window) for name in names):
                continue
            if named.search(window):
                return True
            if not is_thing and beside(window, forms, analysis, table):
                return True
    return False


ASKED_TEACHER = re.compile(
    "跟[谁哪][^，]{0,3}学|[谁哪][^，]{0,4}教的|(?:师父|师傅|老师|授业)(?:到底|究竟)?是(?:谁|哪)|拜[谁哪][^，]{0,3}(?:为|学|当|做)|师从|跟哪[位个]"
)
TEACHER = "{name}[^。！？]{{0,10}}(?:拜|从[^。，]{{1,6}}学|跟[^。，]{{1,6}}学|师事|受业|[传教授](?:与|以)?|弟子|徒弟)|(?:传|授|教)[^。！？，]{{0,3}}{name}|(?:徒弟|弟子|门人)[^。！？，]{{0,4}}{name}"
"""How a text tells whom somebody learnt from."""


def teacher_told(analysis: Analysis, texts: Sequence[str], table: NameTable) -> bool:
    """Tell whether a text says that somebody was taught, where a question asks by whom."""
    if not analysis.entities or not ASKED_TEACHER.search(analysis.question):
        return True
    ways = [re.compile(TEACHER.format(name=name_pattern(name, table))) for name in analysis.entities]
    return any(way.search(text) for way in ways for text in texts)


TAKEN = re.compile("(?:攻下|打下|拿下|攻克|占领|攻破|夺下|夺取|攻占|攻陷|打破)了?$")
LONGEST_VERB = 3
TAKES = "(?<![欲不未莫勿图谋可难先若来])(?:取|得|克|拔|陷|破|夺|据|占|入|袭)(?:了|得|其|却)?"
FALLS = "[^，。]{0,3}(?:已|遂|皆|既)?(?:破|陷|失守|已得|已失)"
TAKER = 40  # characters between who takes a place and the place


def conquests_told(analysis: Analysis, texts: Sequence[str], table: NameTable) -> bool:
    """Tell whether every place that a question says somebody took is taken by him in a text."""
    asked = analysis.question[:LONGEST_QUESTION]
    people = [m for m in analysis.mentions if is_person(m, table)]
    for place in analysis.mentions:
        if is_person(place, table) or not TAKEN.search(asked[max(0, place.start - LONGEST_VERB) : place.start]):
            continue
        doers = [m for m in people if m.end <= place.start]
        if not doers:
            continue
        doer, taken = (name_pattern(m.entity or m.text, table) for m in (doers[-1], place))
        told = re.compile(f"{doer}[^。！？]{{0,{TAKER}}}(?:{TAKES}{taken}|{taken}{FALLS})")
        if not any(told.search(SPEECH.sub("“”", text)) for text in texts):
            return False
    return True


def noun_asked(analysis: Analysis) -> str:
    """Return the noun whose name a question asks for: 女儿 of 吕布的女儿叫什么名字; '' where it asks for none."""
    found = ASKED_NAME.search(analysis.plain.strip())
    if not found:
        return ""
    words = tag(found["whose"])
    word, label = words[-1] if words else ("", "")
    if head_category(word) not in THINGS and head_class(word)[0] != "person":
        return ""
    if head_category(word) not in THINGS and _POINTED.search(found["whose"]):
        return ""  # 顾长庚收留的那个孩子: whom a story names elsewhere
    return word if label.startswith("n") and len(word) < 4 else ""


@cache
def naming(noun: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what finds a noun with what introduces its name, and what finds the noun."""
    forms = "|".join(
        map(re.escape, dict.fromkeys([noun, *expansions(noun), *([noun[-1]] if head_category(noun) else [])]))
    )
    ways = [
        rf"(?:{forms})[^，。！？“]{{0,3}}，?{NAMING}[《“‘「]?[\u4e00-\u9fff]",
        rf"(?:名|号|唤)[^，。]{{1,5}}(?:{forms})",
    ]
    if head_category(noun) == "animal":
        ways.append(rf"{RIDES}(?!一|那|这)[^，。一匹]{{2}}(?:{forms})")
    if head_category(noun) == "weapon":
        ways.append(rf"[使绰提挺仗拔挂带悬佩](?:一[柄把口枝条])?[^，。一]{{2,4}}(?:{forms})")
    return re.compile("|".join(ways)), re.compile(forms)


def beside(window: str, noun: re.Pattern[str], analysis: Analysis, table: NameTable) -> bool:
    """Tell whether somebody else is named right beside the noun: 子恪, 妻蔡氏."""
    others = [m for m in table.find(window) if m.entity and m.entity not in analysis.entities]
    spots = [found.span() for found in noun.finditer(window)]
    return any(0 <= m.start - end <= AROUND for _, end in spots for m in others)


def death_told(analysis: Analysis, texts: Sequence[str], table: NameTable) -> bool:
    """Tell whether the end of somebody is told where a question asks how he died."""
    asked = [
        mention
        for mention in analysis.mentions
        if is_person(mention, table) and DEED_OF_DEATH.match(analysis.question, mention.end)
    ]
    if not asked:
        return True
    narrated = [SPEECH.sub("“”", text) for text in texts]
    return all(died(mention.entity or "", None, narrated, table) for mention in asked)


_ASKED_OWN_NAME = re.compile("俗名|本名|俗家(?:姓名|名字)|原名|真名|闺名|乳名")
OWN_NAMES = ("闺名", "乳名", "小名", "小字", "俗名", "本名", "俗姓", "俗家", "原名", "真名", "本姓", "原姓")


def own_name_told(analysis: Analysis, texts: Sequence[str], table: NameTable) -> bool:
    """Tell whether a text speaks of the name that somebody has at home or had before, where a question asks for it."""
    if not analysis.entities or not _ASKED_OWN_NAME.search(analysis.question):
        return True
    return told_together(analysis.entities, OWN_NAMES, texts, table)


_EITHER = re.compile("(?P<first>[\u4e00-\u9fff]{1,6})还是(?:被人?|因|为|在|是)?(?P<second>[\u4e00-\u9fff]{1,6})")


def either_told(analysis: Analysis, texts: Sequence[str], table: NameTable) -> bool:
    """Tell whether a text says one of the two that a question offers, beside its names: 左脚还是右脚."""
    found = _EITHER.search(analysis.plain)
    if not found or not analysis.entities:
        return True
    before, behind = tag(found["first"]), tag(found["second"])
    offered = [word for word in (before[-1][0], behind[0][0]) if len(word) > 1]
    if len(offered) < 2:
        return True
    forms = [form for word in offered for form in (word, *expansions(word))]
    return told_together(analysis.entities, forms, texts, table)


def style_told(analysis: Analysis, texts: Sequence[str], table: NameTable) -> bool:
    """Tell whether a text gives the style name of who is named last before the question asks for it."""
    asked = _ASKED_STYLE.search(analysis.question)
    if not asked:
        return True
    people = [m for m in analysis.mentions if m.end <= asked.start() and is_person(m, table)]
    if not people or people[-1].end < asked.start() - 1:
        return True
    own = [re.escape(form) for form in table.aliases(people[-1].entity or "") or [people[-1].text]]
    given = people[-1].entity or people[-1].text
    own.append(rf"名{re.escape(given[1:])}")
    told = re.compile(rf"(?:{'|'.join(own)})[^。！？]{{0,4}}字[\u4e00-\u9fff]|(?:{'|'.join(own)})[^。！？]{{0,60}}表字")
    return any(told.search(text) for text in texts)


_ASKED_STYLE = re.compile("的?表字")


def details_told(analysis: Analysis, texts: Sequence[str], table: NameTable) -> bool:
    """Tell whether the evidence has what a question asks or takes for granted of these."""
    checks = (name_of_thing_told, death_told, teacher_told, conquests_told, either_told, style_told, own_name_told)
    return all(check(analysis, texts, table) for check in checks)
