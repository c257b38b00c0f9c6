"""Matching a description (那位守粮的大将, 献计的那个人) with what the session said about its people."""

import re

from wenmai.minds.offline import phrases
from wenmai.minds.offline.cues import CURE, GIVING, HARM, suffers
from wenmai.minds.offline.discourse import Discourse, Referent
from wenmai.minds.offline.facts import entitled
from wenmai.minds.offline.quotes import same_deed
from wenmai.minds.offline.reading import MASK, Reading
from wenmai.minds.offline.turns import TurnView

APPOSED = 10.0
ASKED_AS = 10.0
NAMED_AS = 8.0
SAME_DEED = 3.0
DOER = 2.0
AGE_COST = 0.5
STRONG = 6.0
"""A description counts as matched from here: a word beside the name, or two characters of the same deed."""
CALLED = 8.0
GENERIC = frozenset([
    "人", "将军", "将领", "女子", "女人", "男子", "男人", "孩子", "老人", "家伙", "少年", "妖怪",
    "妖精", "夫人", "姑娘", "老人家", "女婿", "先生", "小将", "老将", "大将", "小子", "公子",
])  # fmt: skip
"""Nouns that say so little of somebody that they may stand for whoever the talk is about."""
CHILDREN = ("孩子", "娃娃", "小娃娃", "小孩子", "小孩", "婴儿", "小主人")
_CHILD_BEFORE = re.compile(
    "(?:(?:^|[^十])[一二三四五六七八九]岁的|十[一二三四五]?岁的|儿子|之子|幼子|孩子|公子|太子|小主人)(?:是|叫)?$"
)
_EMPTY = frozenset("的了着过是在有个位名那这人者后来最被把不一他她它和与为给向对就又也都还很上下中里去来")
_STRUCK = re.compile(r"^(?:下手|动手|行凶|行刺|下毒手|杀人|害人)")
"""What a killer does when the question does not say whom."""
_KILLERS = ("凶手", "刺客", "杀手")
_CLAUSE = re.compile(r"[^，。；：？！\s]+")


def matches(discourse: Discourse, one: Referent, head: str, modifier: str) -> float:
    """Return how well what the session says of somebody fits a description; 0 where nothing speaks for it."""
    spellings = [one.name, *discourse.table.aliases(one.name)]
    best = 0.0
    for age, view in enumerate(discourse.turns):
        score = _asked_as(view, one, head) + _did(view, one, head, modifier) + _said_of(view, spellings, head, modifier)
        best = max(best, score - AGE_COST * age if score else 0.0)
    titled = _titled(discourse, one, spellings, head)
    return best + (NAMED_AS if titled or _in_name(spellings, head) else 0.0)


def _titled(discourse: Discourse, one: Referent, spellings: list[str], head: str) -> bool:
    """Tell whether the library calls somebody by a noun."""
    return one.name in discourse.lore.titled or entitled(discourse.known.get(one.name, ""), spellings, head)


def called_so(discourse: Discourse, one: Referent, head: str) -> bool:
    """Tell whether the talk or the library calls somebody by a noun: 这位主将 after 主将是谁, 那位司徒 for 司徒王允."""
    if head in CHILDREN:
        readings = (reading for view in discourse.turns for reading in (view.question, view.answer))
        return not one.female and any(
            person.name == one.name and _CHILD_BEFORE.search(reading.text[: person.start])
            for reading in readings
            for person in reading.people()
        )
    if any(_asked_as(view, one, head) for view in discourse.turns):
        return True
    spellings = [one.name, *discourse.table.aliases(one.name)]
    if head in GENERIC or len(head) < 2:
        return False
    if _titled(discourse, one, spellings, head):
        return True
    readings = (reading for view in discourse.turns for reading in (view.question, view.answer))
    return any(_named_so(reading, spellings, head) for reading in readings)


def _named_so(reading: Reading, spellings: list[str], head: str) -> bool:
    return any(
        spelling in clause[0] and _beside(clause[0], spelling, head, reading) > 0
        for clause in _CLAUSE.finditer(reading.text)
        for spelling in spellings
    )


def _in_name(spellings: list[str], head: str) -> bool:
    tails = {head, head[-2:], head[-1:]} - {"人", "军", "的"}
    return any(
        len(text) > len(tail) and text.endswith(tail) for text in spellings for tail in tails if tail and _telling(tail)
    )


def _telling(tail: str) -> bool:
    return len(tail) > 1 or tail in "后妃怪精仙佛王侯帝妖公婆"


def _asked_as(view: TurnView, one: Referent, head: str) -> float:
    if head in _KILLERS and one.name in view.focus[:1] and re.search(f"[{phrases.KILL}]", view.question.masked):
        return ASKED_AS
    if not view.head or not head:
        return 0.0
    if one.name not in view.focus[:1]:
        return _counterpart(view, one, head)
    same = view.head.endswith(head[-2:]) or head.endswith(view.head[-2:])
    return ASKED_AS if same and head != "人" else 0.0


def _did(view: TurnView, one: Referent, head: str, modifier: str) -> float:
    """Score who answers 谁向曹操献计: he is 献计的那个人."""
    if (_SUFFERS.match(modifier) or head in PATIENTS) and suffers(view, one, HARM + CURE):
        return ASKED_AS
    if modifier[:1] and _gave(view, one, modifier):
        return ASKED_AS
    if _SLAYS.match(modifier) and _slew(view, one):
        return ASKED_AS
    if one.name not in view.focus[:1] or view.role not in ("identity", "agent"):
        return 0.0
    if _STRUCK.search(modifier) and re.search(f"[{phrases.KILL}死]", view.question.masked):
        return ASKED_AS
    shared = set(modifier) & set(view.question.masked) - _EMPTY
    return SAME_DEED * len(shared) + (2 * DOER if view.sure else 0.0) if shared and modifier[0] not in "被挨遭" else 0.0


_SLAYS = re.compile(
    f"(?:下令)?[{phrases.KILL}捉擒抓][了死掉]{{0,2}}(?![怕怀藏])(?:[他她]|.{{0,2}}(?:人|将|士|守|官|{MASK})$)"
)
"""杀他的, 杀道士的."""


_SUFFERS = re.compile("被杀$|受伤|中箭|负伤|挨打|被[打砍射刺围]")
PATIENTS = ("病人", "伤者", "伤员")
_GIVES, _GETS = re.compile(f"[{GIVING}]"), re.compile("[收得接拿][到了下]?")


def _gave(view: TurnView, one: Referent, modifier: str) -> bool:
    """Tell whether a turn says that somebody gave what 送药的 gave, or was given what 收药的 got."""
    gives, gets = _GIVES.match(modifier), _GETS.match(modifier)
    if not (gives or gets) or modifier[-1] not in view.question.text + view.answer.text:
        return False
    for reading in (view.question, view.answer):
        for clause in _CLAUSE.finditer(reading.masked):
            giver, given = _giver_and_given(reading, clause)
            if one.name == (giver if gives else given):
                return True
    return False


def _giver_and_given(reading: Reading, clause: re.Match[str]) -> tuple[str | None, str | None]:
    """Return who gives in a clause, and whom: 羊祜派人送药给陆抗."""
    gift = _GIVES.search(clause[0])
    if gift is None:
        return None, None
    inside = [person for person in reading.people() if clause.start() <= person.start < clause.end()]
    given = [person for person in inside if person.start > clause.start() + gift.start()]
    giver = next((person for person in inside if person not in given), None)
    return giver.name if giver else None, given[0].name if given else None


def _slew(view: TurnView, one: Referent) -> bool:
    """Tell whether a turn says that somebody slew or caught another: 被许褚拔剑杀了."""
    deed = f"[{phrases.KILL}捉擒抓]"
    return any(
        person.name == one.name
        and (
            (
                reading.text[person.start - 1 : person.start] in ("被", "为", "是")
                and re.match(f"[^，。]{{0,8}}{deed}", reading.masked[person.end :])
            )
            or re.match(f"[^，。{MASK}被]{{0,6}}{deed}了?{MASK}", reading.masked[person.end :])
        )
        for reading in (view.question, view.answer)
        for person in reading.people()
    )


def _counterpart(view: TurnView, one: Referent, head: str) -> float:
    """Score the other end of a kinship that was asked for: after 武松的哥哥是谁 the 弟弟 is 武松."""
    asked = any(view.head.endswith(noun) for noun in phrases.INVERSE_KIN.get(head, ()))
    return NAMED_AS if asked and any(p.name == one.name for p in view.question.people()[-1:]) else 0.0


def _said_of(view: TurnView, spellings: list[str], head: str, modifier: str) -> float:
    best = 0.0
    for reading in (view.question, view.answer):
        for clause in _CLAUSE.finditer(reading.text):
            for spelling in spellings:
                if spelling in clause[0]:
                    best = max(
                        best,
                        _beside(clause[0], spelling, head, reading)
                        + _deed(reading, clause, spelling, modifier + head[:-1]),
                    )
    return best


def _beside(clause: str, spelling: str, head: str, reading: Reading) -> float:
    """Score a word that stands beside the name: 司徒王允, 王允是司徒, 外号虎痴."""
    if not head or head == "人":
        return 0.0
    name = re.escape(spelling)
    tails = {head, head[-2:], *(head[-1:] if head in phrases.KIN else ())} - {""}
    nouns = "|".join(sorted(map(re.escape, tails), key=len, reverse=True))
    others = "|".join(re.escape(reading.text[one.start : one.end]) for one in reading.people()) or "$"
    if re.search(rf"(?:{nouns}){name}|{name}(?:{nouns})(?!{others})", clause):  # 袁绍大将淳于琼 is not 袁绍
        return APPOSED
    called = (
        rf"{name}(?:原|本|就)?(?:是|为|外号|字|号|人称|道号|绰号|叫)[^，]*?(?:{nouns})$|(?:{nouns})(?:是|"
        rf"叫|为|名叫|就是){name}"
    )
    served = rf"{name}(?!.*(?:{others})).{{0,10}}(?:做|当|出任|担任|封为|拜为)[^，]{{0,5}}(?:{nouns})"
    return CALLED if re.search(f"{called}|{served}", clause) else 0.0


def _deed(reading: Reading, clause: re.Match[str], spelling: str, modifier: str) -> float:
    content = [char for char in dict.fromkeys(modifier) if char not in _EMPTY and "\u4e00" <= char <= "\u9fff"]
    rest = clause[0].replace(spelling, "")
    shared = [char for char in content if {char, *same_deed(char)} & set(rest)]
    if not shared:
        return 0.0
    named = [n for n in reading.people() if clause.start() <= n.start < clause.end()]
    at = clause[0].find(spelling)
    deed = min(clause[0].find(char) for char in rest if any(char in (one, *same_deed(one)) for one in shared))
    if modifier[0] in "被挨遭":  # 被骗的那位 stands behind the deed, or is said to suffer it
        suffers = deed < at or _passive(clause[0], at + len(spelling)) or clause[0].find(modifier[0]) > at
        return SAME_DEED * len(shared) + DOER if suffers else 0.0
    doers = [n for n in named if not _OWNER.match(reading.text, n.end)]
    first = (not doers or doers[0].start - clause.start() == at) and clause[0][at - 1 : at] not in tuple("向对给替把")
    return SAME_DEED * len(shared) + (
        DOER if first and at < deed and not _passive(clause[0], at + len(spelling)) else 0.0
    )


_OWNER = re.compile("(?:手下|部下|帐下|麾下)的?")


def _passive(clause: str, end: int) -> bool:
    return re.match(r"[^，]{0,6}被", clause[end:]) is not None


def epithet(discourse: Discourse, text: str) -> tuple[str, int] | None:
    """Return whom the session called by the word that opens a text, and its length: 许褚外号虎痴."""
    for view in discourse.turns:
        for reading in (view.answer, view.question):
            for one in reading.people():
                found = re.match(
                    r"(?:外号|绰号|人称|号称|道号|别号|又叫|又名)(?:叫|为|"
                    r"是)?[“‘「]?([\u4e00-\u9fff]{2,4})(?=[”’」，。；、]|$)",
                    reading.text[one.end :],
                )
                if found and text.startswith(found[1]):
                    return one.name, len(found[1])
    return None
