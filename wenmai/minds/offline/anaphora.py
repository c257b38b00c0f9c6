"""Words of a question that may refer back: pronouns, demonstratives, definite descriptions."""

import re
from dataclasses import dataclass, replace
from typing import Literal

from wenmai.minds.offline import phrases
from wenmai.minds.offline.categories import Category, head_category, tag
from wenmai.minds.offline.nounphrases import behind_country, head_class, noun_phrase
from wenmai.minds.offline.reading import MASK, Reading
from wenmai.minds.offline.verbs import Words, complete, deed

Form = Literal[
    "pronoun", "possessive", "plural", "counterpart", "ordinal", "demonstrative", "description", "place", "matter"
]


@dataclass(frozen=True, slots=True)
class Anaphor:
    """A word or phrase at `[start:end]` that points to something named before.

    Attributes:
        head: the noun of a demonstrative or description, '' where there is none.
        modifier: what the phrase says about it ("守粮").
        wanted: the class of thing it may stand for, None for any.
        governed: it is an object that possesses nothing.
        female: True for 她 and for female nouns, False for male ones, None where the word does not tell.
    """

    start: int
    end: int
    text: str
    form: Form
    head: str = ""
    modifier: str = ""
    wanted: Category | None = None
    female: bool | None = None
    governed: bool = False


LONGEST_MODIFIER = 8
"""A longer modifier tells by itself who is meant."""


def find_anaphors(reading: Reading) -> list[Anaphor]:
    """Return what may refer back, in order, without overlap; what only looks like it is left out."""
    text = reading.masked
    found: list[Anaphor] = []
    found += _plurals(reading)
    found += [
        _pronoun(m) for m in phrases.SINGULARS.finditer(text) if text[m.start() - 1 : m.start()] not in ("其", "吉")
    ]
    found += [_possessive(m, text) for m in phrases.POSSESSIVE.finditer(text) if _free_possessive(text, m)]
    found += [
        Anaphor(m.start(), m.end(), m[0], "counterpart", wanted="person") for m in phrases.COUNTERPART.finditer(text)
    ]
    found += [Anaphor(m.start(), m.end(), m[0], "ordinal", wanted="person") for m in phrases.ORDINALS.finditer(text)]
    found += [
        Anaphor(m.start(), m.end(), m[0], "place", wanted="place")
        for m in phrases.PLACES.finditer(text)
        if _free_place(text, m)
    ]
    found += [
        Anaphor(m.start(), m.end(), m[0], "matter") for m in phrases.MATTERS.finditer(text) if _free_matter(reading, m)
    ]
    found += [_near(m) for m in phrases.THE_PERSON.finditer(text) if m[0] == "人家" or not _told(reading, m)]
    found += [
        _near(m)
        for m in _NEAR.finditer(text)
        if text[m.start() - 1 : m.start()] not in ("的", "应", "因", "如", MASK) and not _acting(reading, m.start())[1]
    ]
    found += _demonstratives(reading)
    found += _descriptions(reading)
    return _without_overlap(found)


def _without_overlap(found: list[Anaphor]) -> list[Anaphor]:
    kept: list[Anaphor] = []
    for one in sorted(found, key=lambda a: (a.start, -a.end)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


def _plurals(reading: Reading) -> list[Anaphor]:
    """Return the plurals but for 杀他的两个人是谁, which asks for them."""
    text = reading.masked
    matches = [m for m in phrases.PLURALS.finditer(text) if _free_plural(text, m) and not _counts_things(m, reading)]
    found = [_plural(m, reading) for m in matches]
    return [one for one in found if text[one.start - 1 : one.start] != "的" or not _ASKED.match(text, one.end)]


def _plural(match: re.Match[str], reading: Reading) -> Anaphor:
    """Return 他们, 那两个投降的, 那两员被擒的蜀将 with what counts them."""
    text, end = match[0], match.end()
    modifier, head, behind = noun_phrase(reading, end) if text[-1] in "个位名员" else ("", "", end)
    if head_class(head)[0] == "person" and reading.masked[behind : behind + 1] not in ("里", "中", MASK):
        bare = not head and _headless(modifier, reading.masked[behind:])
        end, modifier = (behind + bare, modifier) if head or bare else (end, "")
    else:
        modifier, head = "", ""
    wanted: Category | None = "thing" if text.startswith("它") else "person"
    female = True if "她" in text or text in ("姐妹俩", "母女俩") else None
    return Anaphor(match.start(), end, reading.text[match.start() : end], "plural", head, modifier, wanted, female)


def _counts_things(match: re.Match[str], reading: Reading) -> bool:
    """Tell whether 这两个 counts 字 or 计策."""
    if match[0][-1] != "个":
        return False
    head = noun_phrase(reading, match.end())[1]
    following = tag(reading.masked[match.end() : match.end() + 4])
    noun = head or (following[0][0] if following and following[0][1] in ("n", "ng", "zg") else "")
    return bool(noun) and head_class(noun)[0] != "person" and not (following and deed(following))


def _free_plural(text: str, match: re.Match[str]) -> bool:
    """Leave out 哪两个人, 有两人, 关张二人: a number that is asked for or that stands with names."""
    before = text[match.start() - 1 : match.start()]
    if before == MASK and match[0][0] in "这那":
        return False  # 桂阳那两个将领
    return match[0][0] in "他她它这那此" or before not in ("哪", "有", "这", "那", "第", "名", "十", MASK)


def _pronoun(match: re.Match[str]) -> Anaphor:
    word = match[0]
    wanted: Category | None = None if word == "它" else "person"
    return Anaphor(
        match.start(), match.end(), word, "pronoun", wanted=wanted, female={"他": False, "她": True}.get(word)
    )


def _possessive(match: re.Match[str], text: str) -> Anaphor:
    return Anaphor(match.start(), match.end(), "其", "possessive", head=text[match.end() : match.end() + 2])


def _near(match: re.Match[str]) -> Anaphor:
    return Anaphor(
        match.start(), match.end(), match[0], "demonstrative", "人", "", "person", True if "女" in match[0] else None
    )


def _told(reading: Reading, match: re.Match[str]) -> bool:
    """Tell whether somebody is named before it in the question, who may be the 人 of 把人抓了."""
    return any(one.start < match.start() for one in reading.people())


def _free_possessive(text: str, match: re.Match[str]) -> bool:
    before = text[match.start() - 1 : match.start()]
    return before not in phrases.NOT_POSSESSIVE_AFTER and text[match.end() : match.end() + 1] not in (
        "",
        "？",
        "?",
        "，",
        "乐",
    )


def _free_place(text: str, match: re.Match[str]) -> bool:
    """Leave out 曹操那里 and 谁那里: somebody's place."""
    before = text[match.start() - 1 : match.start()]
    return before not in (MASK, "谁", "他", "她", "它", "们")


def _free_matter(reading: Reading, match: re.Match[str]) -> bool:
    """Leave out 吉平给曹操下毒这件事: the clause before it says which."""
    clause = reading.masked.rfind("，", 0, match.start()) + 1
    return len([one for one in reading.named if clause <= one.start < match.start()]) < 2


_PERSON = re.compile("人(?![马们物品家头群])")


def _demonstratives(reading: Reading) -> list[Anaphor]:
    found = []
    for match in phrases.DEMONSTRATIVE.finditer(reading.masked):
        if phrases.NOT_DEMONSTRATIVE.match(reading.masked, match.start()):
            continue
        if (
            _NEAR.match(reading.masked, match.start())
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
    return [one for one in found if one.wanted == "person" and not _ASKED.match(text, one.end)]


def _pointed(reading: Reading) -> list[Anaphor]:
    """Return 那小将, 那会水的黑大汉, 那射箭的: a person pointed at without a measure word."""
    text = reading.masked
    starts = [match for match in phrases.POINTED.finditer(text) if not phrases.DEMONSTRATIVE.match(text, match.start())]
    found = [one for match in starts if (one := _demonstrative(reading, match))]
    return [one for one in found if one.wanted == "person" and _points(one, text)]


_COLLECTIVE = re.compile(r"[们里中之]|以?[内外]")


def _points(one: Anaphor, text: str) -> bool:
    """Tell whether 那 points: not 那大将军何进, and not the "then" of 那儿子呢 and 那军师是谁."""
    behind = text[one.end : one.end + 1]
    if (
        behind == MASK
        or _COLLECTIVE.match(behind)
        or one.head[:1] in tuple("众诸各群其别旁")
        or _ASKED.match(text, one.end)
    ):
        return False
    then = text[one.start] == "那" and not text[: one.start].strip("，嗯哦噢啊哎好是的对了")
    return not (then and not one.modifier and one.head in phrases.RELATIONAL)


def _demonstrative(reading: Reading, match: re.Match[str]) -> Anaphor | None:
    modifier, head, end = noun_phrase(reading, behind_country(reading, match.end()))
    if (
        head
        and any(word.start == end + 1 and word.text == "人" for word in reading.words)
        and reading.masked[end] == "的"
    ):
        modifier, head, end = modifier + head, "人", end + 2  # 这个偷戟的人
    if not head and not modifier and _PERSON.match(reading.masked, match.end()):
        head, end = "人", match.end() + 1  # 接班的这个人, where the segmenter has 个人
    measured = match[0].endswith(("位", "个", "名", "员", "件", "匹", "把"))
    if not head and not measured and not _headless(modifier, reading.masked[end:]):
        return None
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
        if _ASKED.match(reading.masked, end):
            return None  # 降魏的那位吴将是谁 asks for him
    text = reading.text[start:end]
    return Anaphor(start, end, text, form, head, described + acting + modifier, wanted, female)


def _premodifier(reading: Reading, start: int) -> tuple[int | None, str]:
    """Return where a phrase like 献计的那位 begins and what it says; None where its modifier names somebody."""
    text = reading.masked
    before = text[start - 1 : start]
    if before in (MASK, "他", "她", "它", "们", "谁"):
        return None, ""
    if before != "的":
        return (None, "") if _apposed(reading, start) else (start, "")
    begin = max(text.rfind("，", 0, start), text.rfind("。", 0, start)) + 1
    lead = phrases.LEAD.match(text, begin)
    begin = lead.end() if lead and lead.end() < start - 2 else begin
    span = range(begin, start)
    if any(one.start in span and one.category not in ("place", "battle") for one in reading.named):
        return None, ""
    modifier = reading.text[begin : start - 1]
    if modifier[opening(modifier) :][:1] in tuple("他她它其"):
        return None, ""  # 他派去的那个使者 is told by whose he is
    return (None, "") if len(modifier) > LONGEST_MODIFIER else (begin, modifier)


def _headless(modifier: str, behind: str) -> bool:
    """Tell whether 那射箭的 stands for somebody: a deed, and no noun behind it."""
    if len(modifier) < 2 or not re.match(r"的(?:呢|后来|最后|[，？?])", behind):
        return False
    words = tag(modifier)
    return words[0][1][0] in "vp" or deed(words)


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


_ASKED = re.compile(r"(?:究竟|到底|又)?(?:是谁|是哪|叫什么|姓什么|是什么人)")
_NEAR = re.compile(r"(?:此|该|这|那)人|此[公女君]|(?:这|那)一?个人")
_HEADS = "|".join(sorted((one for one in phrases.PERSON_NOUNS if len(one) > 1), key=len, reverse=True))
_RELATIVE = re.compile(
    rf"(?:^|(?<=[，。]))([^，。\ue000谁哪什最]{{2,8}})的({_HEADS}|人)"
    r"(?!是|就是|又是|究竟是|到底是|叫|姓|物|数|有|们|里|中|呢|\ue000|[^，。]{0,8}是谁)"
)
FATED = ("死者", "遇害者", "被害者", "受害者", "被害人", "受害人")
_PART = re.compile(r"(?:做|当|身为)(弟弟|哥哥|兄长|姐姐|妹妹|父亲|母亲|儿子|女儿|丈夫|妻子|师父|徒弟)的(?=[^，？?])")
"""做弟弟的: the one of several who is that to the other."""
_ROLE = re.compile(
    r"^(父亲|母亲|妻子|丈夫|儿子|女儿|老将军|老人家|老太太|将军|主人|凶手|刺客|军师|哥哥|弟弟|姐姐|妹妹|兄长|主公|师父|老师|大徒弟|二徒弟|皇帝|都督|丞相|妖怪|妖精)(?=[^的\ue000])"
)


def _descriptions(reading: Reading) -> list[Anaphor]:
    """Return 献计的人 and a bare role noun that opens the question."""
    found = []
    relative = _RELATIVE.search(reading.masked)
    if relative and not re.search(r"[他她它其这那此]", relative[1]) and _acts(relative[1]):
        found.append(
            Anaphor(relative.start(), relative.end(), relative[0], "description", relative[2], relative[1], "person")
        )
    for fated in re.finditer("|".join(FATED), reading.masked):
        found.append(Anaphor(fated.start(), fated.end(), fated[0], "description", "人", "被杀", "person"))
    for part in _PART.finditer(reading.masked):
        found.append(Anaphor(part.start(), part.end(), part[0], "description", part[1], "", "person"))
    lead = opening(reading.masked)
    role = _ROLE.match(reading.masked[lead:])
    if role:
        head = role[1]
        base = Anaphor(lead, lead + len(head), head, "description", head, "", "person")
        found.append(replace(base, female=head_class(head)[1]))
    return found


def _acts(modifier: str) -> bool:
    """Tell whether a modifier is a clause (告密的人), not a noun: 荆州的太守."""
    words = tag(modifier[opening(modifier) :] or modifier)
    return words[0][1][0] in "vpadzic" or deed(words) or any(label[0] == "v" for _, label in words[1:])


def opening(masked: str) -> int:
    """Return where a question begins behind its conjunctions and adverbs."""
    at = 0
    while found := phrases.LEAD.match(masked[at:]):
        at += found.end()
    return at
