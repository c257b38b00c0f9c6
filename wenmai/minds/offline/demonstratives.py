"""What 这, 那, 此 and 另 point at: 那位守粮的大将, 那小将, 这样的神医, 出主意那位."""

import re
from collections.abc import Mapping
from types import MappingProxyType

from wenmai.minds.offline import phrases
from wenmai.minds.offline.anaphor import Anaphor, Form, opening
from wenmai.minds.offline.categories import Category, head_category, head_class, tag
from wenmai.minds.offline.nounphrases import behind_country, noun_phrase
from wenmai.minds.offline.reading import MASK, Reading
from wenmai.minds.offline.verbs import Words, complete, deed

_MEASURED: Mapping[str, Category] = MappingProxyType({"把": "weapon", "口": "weapon", "匹": "animal", "座": "place"})
"""What a measure word counts that has no noun behind it: 夺来的那把."""
LONGEST_MODIFIER = 8
"""A longer modifier tells by itself who is meant."""
_JUST_NOW = re.compile("(?:再?说回|回到|回头[说看]|再[说看]|说到)?(?:刚才|刚刚|方才|先前|前面)?")
_POINTS_AT = tuple("叫命派请让遣")
ASKED = re.compile(r"(?:究竟|到底|又)?(?:是谁|是哪|叫什么|姓什么|是什么人)")
"""A question for the one it describes, which refers to nobody: 降魏的那位吴将是谁."""
NEAR = re.compile(r"(?:此|该|这|那)人|此[公女君]|(?:这|那)一?个人")
_PERSON = re.compile("人(?![马们物品家头群])")


def demonstratives(reading: Reading) -> list[Anaphor]:
    """Return 此人, 那位守粮的大将, 那小将, 这样的神医: what 这 and 那 point at."""
    text = reading.masked
    found = [
        _near(m)
        for m in NEAR.finditer(text)
        if text[m.start() - 1 : m.start()] not in ("的", "应", "因", "如", MASK) and not _acting(reading, m.start())[1]
    ]
    for match in phrases.DEMONSTRATIVE.finditer(reading.masked):
        if phrases.NOT_DEMONSTRATIVE.match(reading.masked, match.start()):
            continue
        if (
            NEAR.match(reading.masked, match.start())
            and reading.masked[match.start() - 1 : match.start()] != "的"
            and not _acting(reading, match.start())[1]
        ):
            continue
        if match[0] in "此该" and phrases.NOT_DEMONSTRATIVE.search(
            reading.masked, max(0, match.start() - 1), match.end() + 1
        ):
            continue
        one = _demonstrative(reading, match)
        if one is not None:
            found.append(one)
    return [*found, *_pointed(reading), *_such(reading)]


def _such(reading: Reading) -> list[Anaphor]:
    """Return 这样的神医 and 另外那位; 另一个版本 and 另一位是谁 bring something new."""
    text = reading.masked
    matches = [*phrases.SUCH.finditer(text), *phrases.OTHER.finditer(text)]
    found = [one for match in matches if (one := _demonstrative(reading, match))]
    return [one for one in found if one.wanted == "person" and not _OF_MANY.match(text, one.end)]


def _pointed(reading: Reading) -> list[Anaphor]:
    """Return 那小将, 那会水的黑大汉, 那射箭的: a person pointed at without a measure word."""
    text = reading.masked
    starts = [match for match in phrases.POINTED.finditer(text) if not phrases.DEMONSTRATIVE.match(text, match.start())]
    found = [one for match in starts if (one := _demonstrative(reading, match))]
    return [one for one in found if one.wanted == "person" and _points(one, text)]


_NOT_ONE = re.compile(r"(?<![王皇太])后$|[兵卒]$|[三四五六七八九十百千万数]人$|^[众诸各群其别旁]")
"""随后, 伏兵, 父子三人: no noun for one person."""
_OF_MANY = re.compile(
    rf"{ASKED.pattern}|[^，]{{0,3}}有(?:哪|谁|几|多少|别|没|吗|什么)|都|一般|通常|怎么(?![样办]|[死杀去来])"
)
"""A question for all of a kind, or for who is of it: 这样的将军还有哪些."""
_OF_AN_AGE = re.compile("古|时[期代]|年代|朝|国")
_COLLECTIVE = re.compile(r"[们里中之]|以?[内外]")


def _points(one: Anaphor, text: str) -> bool:
    """Tell whether 那 points: not 那大将军何进, and not the "then" of 那儿子呢 and 那军师是谁."""
    behind = text[one.end : one.end + 1]
    if behind == MASK or _COLLECTIVE.match(behind) or _NOT_ONE.search(one.head) or ASKED.match(text, one.end):
        return False
    then = text[one.start] == "那" and not text[: one.start].strip("，嗯哦噢啊哎好是的对了")
    if then and (_OF_MANY.match(text, one.end) or _OF_AN_AGE.search(text[one.start : one.end]) or one.text == "那大汉"):
        return False
    return not (then and not one.modifier and one.head in phrases.RELATIONAL)


def _demonstrative(reading: Reading, match: re.Match[str]) -> Anaphor | None:
    modifier, head, end = _noun(reading, match)
    measured = match[0].endswith(("位", "个", "名", "员", "件", "匹", "把"))
    if not head and not measured and not headless(modifier, reading.masked[end:]):
        return None
    if _told_by_name(head, modifier, end, reading):
        return None
    named = reading.masked[end : end + 1] == MASK and match[0][-1] in "个位名员"
    if named and (not head or reading.masked[match.start() - 1 : match.start()] in _POINTS_AT):
        return None  # 拿住他的那个马忠, 那个短命少年赵颜
    start, described = _premodifier(reading, match.start())
    if start is None:
        return None
    acting = ""
    if head in ("", "人") and not modifier and not described:
        start, acting = _acting(reading, start)
    wanted, female = head_class(head)
    if wanted is None and len(head) > 1 and head_category(head[0]) and match[0][-1] in "匹把座场条艘柄":
        head, end = head[0], end - len(head) + 1  # 刀重 is not a word
        wanted = head_category(head)
    if match[0].endswith(("位", "名", "员")):
        wanted = "person"
    elif not head and match[0][-1] in _MEASURED:
        wanted = _MEASURED[match[0][-1]]
    form: Form = "demonstrative"
    if wanted is None and head:
        wanted = "thing"
    if not head and modifier and not described:
        described, modifier, end = modifier, "", end + (reading.masked[end : end + 1] == "的")
    if not head and not described and not acting and match[0][0] != "另":
        return None
    if head[-1:] == "者" and len(head) > 2 and not modifier:
        modifier, head = head[:-1], "人"  # 那位救人者
    if described and wanted == "person":
        form = "description"
        if ASKED.match(reading.masked, end):
            return None  # 降魏的那位吴将是谁 asks for him
    text = reading.text[start:end]
    return Anaphor(start, end, text, form, head, described + acting + modifier, wanted, female)


def _told_by_name(head: str, modifier: str, end: int, reading: Reading) -> bool:
    """Tell whether the noun itself is the name of a beast or weapon: 那匹赤兔马."""
    own = next((one for one in reading.named if one.end == end and not one.known), None)
    return (
        own is not None
        and own.category in ("animal", "weapon")
        and len(own.name) > 2
        and not modifier
        and own.name == head
    )


def _noun(reading: Reading, match: re.Match[str]) -> tuple[str, str, int]:
    """Return modifier, noun and end of what is pointed at."""
    if match[0][0] in "另其" and reading.masked[match.end() : match.end() + 1] == "的":
        return "", "", match.end()  # 另一位的墓上题了什么字
    modifier, head, end = noun_phrase(reading, behind_country(reading, match.end()))
    if re.search("[他她它]", modifier):  # 在那个坡埋伏他的敌将
        first = next((word.text for word in reading.words if word.start == match.end()), "")
        if head_category(first) == "place":
            return "", first, match.end() + len(first)
    if (
        head
        and any(word.start == end + 1 and word.text == "人" for word in reading.words)
        and reading.masked[end] == "的"
    ):
        modifier, head, end = modifier + head, "人", end + 2  # 这个偷戟的人
    if len(head) > 1 and not modifier and tag(head[0])[0][1] == "v" and headless(head, reading.masked[end:]):
        modifier, head = head, ""  # 那位使刀的, which the segmenter takes for a noun
    if head and phrases.LEAD.fullmatch(head):
        modifier, head, end = "", "", match.end()  # 放冷箭的那个当场
    if not head and not modifier and _PERSON.match(reading.masked, match.end()):
        head, end = "人", match.end() + 1  # 接班的这个人, where the segmenter has 个人
    return modifier, head, end


def _premodifier(reading: Reading, start: int) -> tuple[int | None, str]:
    """Return where a phrase like 献计的那位 begins and what it says; None where its modifier names somebody."""
    text = reading.masked
    before = text[start - 1 : start]
    if before in (MASK, "他", "她", "它", "们", "谁"):
        return None, ""
    if before != "的":
        return (None, "") if _apposed(reading, start) else (start, "")
    begin = max(text.rfind("，", 0, start), text.rfind("。", 0, start)) + 1
    lead = phrases.LEAD.match(text, begin) or _JUST_NOW.match(text, begin)
    begin = lead.end() if lead and lead.end() < start - 2 else begin
    span = range(begin, start)
    if any(one.start in span and one.category not in ("place", "battle", "group") for one in reading.named):
        return None, ""
    modifier = reading.text[begin : start - 1]
    if modifier[opening(modifier) :][:1] in tuple("他她它其"):
        return None, ""  # 他派去的那个使者 is told by whose he is
    return (None, "") if len(modifier) > LONGEST_MODIFIER else (begin, modifier)


def headless(modifier: str, behind: str) -> bool:
    """Tell whether 那射箭的 stands for somebody: a deed, and no noun behind it."""
    if len(modifier) < 2 or not re.match(r"的(?:呢|后来|最后|[，？?])", behind):
        return False
    words = tag(modifier)
    return words[0][1][0] in "vp" or deed(words) or (len(words) == 1 and tag(modifier[0])[0][1] == "v")


def _acting(reading: Reading, start: int) -> tuple[int, str]:
    """Return where 出主意那位 begins and what it says: a verb that has its object, so that 那位 is not it."""
    begin = reading.masked.rfind("，", 0, start) + 1
    begin += opening(reading.masked[begin:start])
    modifier = reading.masked[begin:start]
    words = tag(modifier)
    if not words or MASK in modifier or len(modifier) > LONGEST_MODIFIER or re.search(phrases.WHO, modifier):
        return start, ""
    governing = len(words) > 1 and words[0][1][0] == "v" and words[-1][1][0] == "n"
    return (begin, modifier) if governing or complete(words) or _has_object(words) else (start, "")


def _has_object(words: Words) -> bool:
    """Tell whether a single verb holds its object: 献计, not 处置."""
    word, label = words[0]
    return len(words) == 1 and len(word) == 2 and label[0] == "v" and tag(word[1])[0][1][0] == "n"


def _apposed(reading: Reading, start: int) -> bool:
    """Tell whether a clause with names stands before it that it sums up: 许褚斗马超那一仗."""
    clause = max(reading.masked.rfind("，", 0, start), -1) + 1
    if re.search(r"[津关城山江坡桥寨亭][那这]", reading.masked[start - 1 : start + 1]):
        return True
    named = [one for one in reading.named if clause <= one.start < start]
    last = next((w for w in reversed(reading.words) if w.end == start), None)
    if last is not None and last.tag.startswith(("n", "i", "l")) and len(last.text) > 2:
        return True  # 安乐公这个封号
    return len(named) > 1 and last is not None and last.tag in ("nr", "ns", "n", "nz")


def _near(match: re.Match[str]) -> Anaphor:
    return Anaphor(
        match.start(), match.end(), match[0], "demonstrative", "人", "", "person", True if "女" in match[0] else None
    )
