"""Names, teachers, native places and marriages that a question asks for, which stories seldom give (S003-D08).

Each check is true where the question asks for no such thing.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from tools.story.linking import NameTable
from wenmai.minds.offline.analysis import Analysis
from wenmai.minds.offline.categories import head_category, head_class, tag
from wenmai.minds.offline.lexicon import MATCHED, NATIVE, TEACHER
from wenmai.minds.offline.matching import any_of, is_told, name_pattern, name_patterns, told_together, windows
from wenmai.minds.offline.state_claims import is_person
from wenmai.minds.offline.words import expansions

THINGS = ("animal", "weapon", "thing")
AROUND = 2  # characters between a noun and a name behind it: 子恪, 长女曰柔
BEFORE = 16  # characters before the words that ask for a name
SPOKEN = 12  # characters between a thing and what is said of it: 以天书三卷授之，曰：“此名
LONGEST_NOUN = 3
KEPT_NOUNS = 256
ASKS_NAME = re.compile("(?:叫(?:个?什么|啥)(?:名字|名儿?)?|(?:名字|姓名)(?:叫|是)(?:什么|啥)|姓甚名谁)(?=[？?，。]|$)")
_FILLER = re.compile("(?:的?(?:名字|姓名|名号|名))?，?(?:各自|各|分别|到底|究竟|又|都|，){0,3}$")
_POINTED = re.compile("[那这][个位名]")
_GIVES_NAME = "(?:名|号|唤|姓|小字|叫[做作]?|便是|曰“|乃是?)[《“‘「]?[\u4e00-\u9fff]"
_RIDDEN = "[骑跨乘][着了]?(?!一|那|这)[^，。一匹]{2}"  # 骑赤兔马
_WIELDED = "[使绰提挺仗拔挂带悬佩是](?:一[柄把口枝条])?[^，。一]{2,5}"  # 仗青釭剑, 便是青龙偃月刀
_MADE = "[使用布摆行献设此乃][^，。一此其]{2,6}"  # 行苦肉计, 此八门金锁阵也

ASKS_STYLE = re.compile("的?表字")
STYLE = 4  # characters between a name and 字
STYLE_BEHIND = 60  # and 表字, which says by itself what it is

ASKS_OWN_NAME = re.compile("(?P<home>闺名|乳名)|俗名|本名|俗家(?:姓名|名字)|原名|真名")
HOME_NAMES = ("闺名", "乳名", "小名", "小字")
FORMER_NAMES = ("俗名", "本名", "俗姓", "俗家", "原名", "真名", "本姓", "原姓", "，名")

ASKS_TEACHER = re.compile(
    "跟[谁哪][^，]{0,3}学|[谁哪][^，]{0,4}教的|(?:师父|师傅|老师|授业)(?:到底|究竟)?是(?:谁|哪)|"
    "拜[谁哪][^，]{0,3}(?:为|学|当|做)|师从"
)

ASKS_NATIVE = re.compile("(?:哪里|哪儿|何处|何方|什么地方|哪个?(?:州|郡|县|地方|国))的?人(?![家物马手质])")
ASKS_MATCH = re.compile(
    "(?:(?P<again>[改再又另]嫁)|[娶嫁])(?:的|了|给|过|是|到){0,3}(?:谁|哪|什么样?的?人|何人)|的?(?:岳父|丈人|岳丈|泰山)(?:大人)?(?:是|叫)(?:谁|哪|什么)"
)
WISHED = re.compile("想|要|愿|打算|撮合|差点|欲")
WISH = 8  # characters before a marriage that is only wished for
MATCHED_AGAIN = "{name}[^“”]{{0,40}}(?:[改再复另]嫁|更适|转嫁)"
_MEANT = re.compile(
    "(?:本人|自己)?[，的]?(?:(?:到底|究竟|最后|最终|后来|当时|当年|之后|以后|死后|生前|其实|又|是|还|可|曾经?|，){0,4})"
)
"""What may stand between somebody and what is asked of him, and adds nothing to it."""


def called_told(analysis: Analysis, texts: Sequence[str], table: NameTable) -> bool:
    """Tell whether a text gives a name to the thing or the kin whose name is asked for, beside whose it is."""
    noun = noun_asked(analysis)
    if not noun or not analysis.entities:
        return True
    is_thing = head_category(noun) in THINGS
    near, names = any if is_thing else all, name_patterns(analysis.entities, table)
    return any(
        naming(noun).search(window) or (not is_thing and is_beside(window, noun, analysis, table))
        for text in texts
        for window in windows(text)
        if near(name.search(window) for name in names)
    )


def noun_asked(analysis: Analysis) -> str:
    """Return the noun whose name a question asks for: 女儿 of 吕布的女儿叫什么名字; '' where it asks for none.

    A person who is pointed at (顾长庚收留的那个孩子) is named by a story wherever he appears.
    """
    found = ASKS_NAME.search(analysis.plain)
    before = _FILLER.sub("", analysis.plain[max(0, found.start() - BEFORE) : found.start()]) if found else ""
    words = tag(before)
    word, label = words[-1] if words else ("", "")
    if label[:1] != "n" or len(word) > LONGEST_NOUN:
        return ""
    if head_category(word) in THINGS:
        return word
    return word if head_class(word)[0] == "person" and not _POINTED.search(before) else ""


@lru_cache(KEPT_NOUNS)
def forms_of(noun: str) -> str:
    """Return what finds a noun by its own word, another one for it, or of a thing its last character."""
    last = noun[-1:] if head_category(noun) else ""
    return any_of(tuple(dict.fromkeys([noun, *expansions(noun), *last])))


@lru_cache(KEPT_NOUNS)
def naming(noun: str) -> re.Pattern[str]:
    """Return what finds a noun with what introduces its name: 女名柔, 宝剑二口：一名倚天, 骑赤兔马."""
    forms, category = forms_of(noun), head_category(noun)
    ways = [rf"{forms}[^，。！？“]{{0,5}}，?{_GIVES_NAME}", rf"[名号唤][^，。]{{1,5}}{forms}"]
    if category == "thing":
        ways += [rf"{forms}[^。！？]{{0,{SPOKEN}}}此[名乃]", _MADE + forms]
    if category in ("animal", "weapon"):
        ways.append((_RIDDEN if category == "animal" else _WIELDED) + forms)
    return re.compile("|".join(ways))


def is_beside(window: str, noun: str, analysis: Analysis, table: NameTable) -> bool:
    """Tell whether somebody else is named right behind the noun: 妻蔡氏."""
    ends = [found.end() for found in re.finditer(forms_of(noun), window)]
    others = [m.start for m in table.find(window) if m.entity and m.entity not in analysis.entities]
    return any(0 <= start - end <= AROUND for end in ends for start in others)


def style_told(analysis: Analysis, texts: Sequence[str], table: NameTable) -> bool:
    """Tell whether a text gives the style name of who stands right before the word for it: 董卓的女婿李儒，表字."""
    asked = ASKS_STYLE.search(analysis.question)
    named = [m for m in analysis.mentions if asked and asked.start() - 1 <= m.end <= asked.start()]
    if not named or not is_person(named[-1], table):
        return True
    own = name_pattern(named[-1].entity or named[-1].text, table)
    told = re.compile(rf"{own}[^。！？]{{0,{STYLE}}}字[\u4e00-\u9fff]|{own}[^。！？]{{0,{STYLE_BEHIND}}}表字")
    return any(told.search(text) for text in texts)


def own_name_told(analysis: Analysis, texts: Sequence[str], table: NameTable) -> bool:
    """Tell whether a text speaks of the name that somebody has at home or had before, where it is asked for."""
    asked = ASKS_OWN_NAME.search(analysis.question)
    if not asked:
        return True
    return told_together(analysis.entities, HOME_NAMES if asked["home"] else FORMER_NAMES, texts, table)


def teacher_told(analysis: Analysis, texts: Sequence[str], table: NameTable) -> bool:
    """Tell whether a text says that somebody was taught, where a question asks by whom."""
    if not analysis.entities or not ASKS_TEACHER.search(analysis.question):
        return True
    return any(is_told(TEACHER, name, texts, table) for name in analysis.entities)


def native_told(analysis: Analysis, texts: Sequence[str], table: NameTable) -> bool:
    """Tell whether a text says whence somebody comes, where a question asks it right behind him: 于诠是哪个郡的人."""
    asked = ASKS_NATIVE.search(analysis.question)
    who = asked_of(analysis, asked, table) if asked else None
    return not who or is_told(NATIVE, who, texts, table)


def match_told(analysis: Analysis, texts: Sequence[str], table: NameTable) -> bool:
    """Tell whether a text says that somebody was married, or again, where a question asks to whom."""
    asked = ASKS_MATCH.search(analysis.question)
    if not asked or WISHED.search(analysis.question, max(0, asked.start() - WISH), asked.start()):
        return True
    who = asked_of(analysis, asked, table)
    return not who or is_told(MATCHED_AGAIN if asked["again"] else MATCHED, who, texts, table)


def asked_of(analysis: Analysis, asked: re.Match[str], table: NameTable) -> str | None:
    """Return of whom something is asked: the person who is named right before it, or the only one before it."""
    before = [m for m in analysis.mentions if is_person(m, table) and m.end <= asked.start()]
    if not before:
        return None
    is_next = _MEANT.fullmatch(analysis.question, before[-1].end, asked.start())
    return before[-1].entity if is_next or len({m.entity for m in before}) == 1 else None
