"""What a noun for a thing, or 它, stands for."""

import re

from wenmai.minds.offline import phrases
from wenmai.minds.offline.anaphor import Anaphor, opening
from wenmai.minds.offline.answers import QUOTING
from wenmai.minds.offline.discourse import Discourse, Referent
from wenmai.minds.offline.places import ended, is_noun, place, ridden
from wenmai.minds.offline.reading import MASK, Reading
from wenmai.minds.offline.salience import best_of

SAID_OF = re.compile(
    r"有?(?:多[重长]|几[斤尺丈字篇卷])|"
    r"(?:究竟|到底)?[是被]?谁(?:给|把它)?(?:写|打?造|铸|发明|画的|作的|刻|题|夺|抢(?!了?头)|偷|盗|拿(?!下))[^，]{0,4}[？?]?$|"
    r"[是归属]于?谁(?:的|了|所有)?[？?]?$|(?:[落传归送][到在给入了]{0,2}|到)谁(?:的?手|[？?]?$)|[上里背][面头边][^，]{0,3}[写刻题画装藏印铸绣]|"
    r"(?:没有?)?(?:传|留)下来|是?[拿用]什么(?:写|做|造|打)|被谁[^，]{0,4}(?:(?<![擒捉])拿(?!下)|夺|抢|偷|盗|[取获]得)"
)
"""What is said of a thing sooner than of somebody: 多重, 是谁写的, 最后落到谁手里."""
_HEADS = "玺刀剑戟枪矛赋碑袍图诏印弓"
ON_IT = re.compile("[上里背][面头][^，]{0,3}[写刻题画装藏印铸绣]")
"""What is there of a thing sooner than of somebody: 上面刻了什么."""
LATELY = 4  # turns
PROPER = 3.0  # what a name of three characters or more has before 宝剑
LONGEST_KIND = 2  # characters: 大刀 is no name of one


def thing(discourse: Discourse, anaphor: Anaphor, taken: set[str]) -> str | None:
    """Return the thing, beast, place or battle that a noun of its class points to."""
    if anaphor.wanted == "thing" and anaphor.head[-1:] in _WRITTEN and (title := work(discourse)):
        return title
    if (name := _named(discourse, anaphor.head)) and name not in taken:
        return name
    if anaphor.head in _ARMIES:
        return troop(discourse, answers=True)
    barred = taken | ridden(discourse) if anaphor.wanted == "place" else taken
    fitting = [one for one in discourse.referents.values() if one.name not in barred and _same_class(one, anaphor)]
    headed = [one for one in fitting if anaphor.head and one.name.endswith(anaphor.head[-1])]
    if anaphor.wanted == "battle":
        return _battle(discourse) or best_of([(one.score, one) for one in fitting])
    best = best_of([(one.score + _proper(one), one) for one in headed or fitting])
    if anaphor.wanted == "place":
        told = place(discourse, headed or fitting) or best
        kind = ended(discourse, anaphor.head)
        longer = kind and (told is None or kind.startswith(told))  # 长坂桥, where 长坂 is a place by itself
        return (kind if longer else told) or _quoted(discourse, anaphor.head)
    told = _said(discourse, anaphor.head) if not headed else None
    return told or best or _quoted(discourse, anaphor.head)


_ARMIES = ("军队", "部队", "人马", "兵马", "队伍")


def _named(discourse: Discourse, head: str) -> str | None:
    """Return the name of a kind of thing that a question asked for: 叫青釭剑，砍铁如泥."""
    told = re.compile(rf"\s*[^，。是叫]{{0,4}}(?:是|叫)([\u4e00-\u9fff]{{1,4}}{re.escape(head)})(?=[，。、；（]|$)")
    asked = re.compile(f"(?:什么|哪).*{re.escape(head)}|{re.escape(head)}.*(?:什么|哪)")
    answers = (view.answer.text for view in discourse.turns[:2] if asked.search(view.question.text))
    return next((found[1] for text in answers if head and (found := told.match(text)) and is_noun(found[1])), None)


_FOUGHT = re.compile(
    r"(?:^|[，。、在从于是的当了里])([\u4e00-\u9fff]{2,3}(?:之[战役]|大战|战役)|[\u4e00-\u9fff]{2,3}一[战仗役](?!死))"
)


def _battle(discourse: Discourse) -> str | None:
    """Return the newest battle that is called by its place: 濡须之战, also where the segmenter cuts it up."""
    texts = (text for view in discourse.turns for text in (view.question.text, view.answer.text[: view.end]))
    return next((found[1] for text in texts if (found := _FOUGHT.search(text))), None)


def scene(discourse: Discourse, anaphor: Anaphor, taken: set[str]) -> str | None:
    """Return the place that a battle without a name is called by: 绵竹那一仗."""
    if anaphor.wanted != "battle":
        return None
    places = discourse.ranked(lambda one: one.category == "place" and one.name not in taken)
    return places[0].name if places else None


_WRITTEN = ("", *"诗赋词曲文歌章书")  # 这篇 has no noun
_TITLE = re.compile("《[^》]{1,20}》")


def work(discourse: Discourse) -> str | None:
    """Return the newest title: 这篇 after 《铜雀台赋》."""
    texts = (text for view in discourse.turns[:LATELY] for text in (view.question.text, view.answer.text))
    return next((found[0] for text in texts if (found := _TITLE.search(text))), None)


_BARE = re.compile(r"[这那]一?[篇首部卷](?=[是写讲说里中的，？]|有|出自)|^书(?=[最后怎是呢])")


def works(reading: Reading) -> list[Anaphor]:
    """Return where a measure of what is written stands alone: 这篇是谁写的."""
    found = _BARE.finditer(reading.masked)
    return [Anaphor(one.start(), one.end(), one[0], "demonstrative", wanted="thing") for one in found]


def _said(discourse: Discourse, head: str) -> str | None:
    """Return a thing that the last turns call by a longer noun: 青龙偃月刀, where 青龙 is a name of its own."""
    for view in discourse.turns[:2] if len(head) == 1 else []:
        asked, told = _nouns(view.question, head), _nouns(view.answer, head)
        if names := asked if QUOTING.search(view.answer.text) else asked + told:
            return max(names, key=len)
    return None


def _nouns(reading: Reading, head: str) -> list[str]:
    """Return the nouns of a text that end so, each with the nouns and names of things close before it."""
    people = {one.start for one in reading.people()}
    found = list[str]()
    for at, word in enumerate(reading.words):
        if not word.text.endswith(head) or word.tag[:1] != "n" or phrases.WIELDS.search(word.text):
            continue
        first = at
        while first and reading.words[first - 1].tag[:1] == "n" and reading.words[first - 1].start not in people:
            first -= 1
        found.append(reading.text[reading.words[first].start : word.end])
    return [name for name in found if len(name) > LONGEST_KIND]


def _quoted(discourse: Discourse, head: str) -> str | None:
    """Return what the session put in quotation marks beside this noun: “鸡肋”口令."""
    for view in discourse.turns if len(head) > 1 else []:
        for reading in (view.answer, view.question):
            found = re.search(
                rf"[“「『‘]([^”」』’]{{1,8}})[”」』’](?:的|这个)?{head}|{head}(?:是|叫|为)?[“「『‘]([^”」』’]{{1,8}})[”」』’]",
                reading.text,
            )
            if found:
                return (found[1] or found[2]) + head
    return None


def _same_class(one: Referent, anaphor: Anaphor) -> bool:
    if anaphor.head in phrases.GOODS:
        return one.category in ("thing", "weapon", "vessel")
    if anaphor.wanted == "thing":
        return bool(anaphor.head) and one.category != "person" and bool(set(anaphor.head) & set(one.name[-2:]))
    if anaphor.wanted == "place" and anaphor.head in ("国", "国家"):
        return one.category in ("group", "place")
    return one.category == anaphor.wanted


def _proper(one: Referent) -> float:
    return PROPER if len(one.name) > LONGEST_KIND else 0.0


def newest(discourse: Discourse, taken: set[str]) -> str | None:
    """Return the thing that the last turn is about."""
    able = [
        one for one in discourse.referents.values() if one.category in HELD and one.name not in taken and one.age == 0
    ]
    return best_of([(one.score, one) for one in able])


_AFTER_HIS_END = re.compile(f"{MASK}+(?:死|败|兵败|被杀|被害|被擒|阵亡|战死|投降)(?:了?[以之]?后|了)，?(?!来)")
"""After somebody's end: what he had is asked for, 袁术死后又落到了谁手里."""


def meant(reading: Reading, discourse: Discourse, taken: set[str], at: int) -> str | None:
    """Return the thing that the predicate at a place is said of, None where it is not said of things."""
    begin = at + opening(reading.masked[at:])
    return topical(discourse, taken) if SAID_OF.match(reading.masked, begin) else None


def unnamed(reading: Reading, discourse: Discourse, taken: set[str]) -> str | None:
    """Return the thing that a question means as a whole, which names nobody, or only whose it was till his end."""
    lead = _AFTER_HIS_END.match(reading.masked)
    if reading.people() and not lead:
        return None
    return meant(reading, discourse, taken, lead.end() if lead else 0)


def topical(discourse: Discourse, taken: set[str]) -> str | None:
    """Return a title of the last turn, else a thing that its question names or that answers it; None for neither."""
    if not discourse.turns:
        return None
    view = discourse.turns[0]
    titles: list[str] = _TITLE.findall(view.question.text) or _TITLE.findall(view.answer.text)
    inside = {one.name for one in view.question.named}
    held = [one for one in discourse.referents.values() if one.category in HELD and one.name in inside - taken]
    nouns = sorted((name for head in _HEADS for name in _nouns(view.question, head)), key=len, reverse=True)
    asked = (_named(discourse, head) for head in _ASKED_THING.findall(view.question.text))
    found = (name for name in (*titles[::-1], *nouns, *asked) if name and name.strip("《》") not in taken)
    return next(found, None) or best_of([(one.score, one) for one in held])


_ASKED_THING = re.compile("(?:什么|哪[一]?[把本口匹篇首件部])([一-鿿]{1,2})(?=[？?，]|$)")
HELD = ("thing", "weapon", "vessel", "animal")


def it(discourse: Discourse, taken: set[str]) -> str | None:
    """Return what 它 stands for: a thing or beast, else the newest somebody that was never 他 or 她."""
    things = [one for one in discourse.referents.values() if one.category != "person" and one.name not in taken]
    beasts = [one for one in discourse.people() if one.name not in taken and one.female is None and _beast(one.name)]
    near = [
        (_proper(one) + one.score - (PLACE_COST if one.category in ("place", "battle", "group") else 0.0), one)
        for one in things
    ]
    floor = {True: BEAST_FLOOR, False: ITS_FLOOR}
    best = best_of([pair for pair in near if pair[0] >= floor[pair[1].category == "animal"]]) or best_of(
        [*near, *((one.score, one) for one in beasts)]
    )
    cost = {one.name: score for score, one in near}
    if best and discourse.referents[best].category == "animal":
        return best
    if best is None or cost.get(best, discourse.referents[best].score) < ITS_FLOOR:
        people = [one for one in discourse.people() if one.name not in taken and not one.female]
        return best_of([(one.score - (MAN_COST if one.female is False else 0.0), one) for one in people]) or best
    return best


ITS_FLOOR = 4.0
BEAST_FLOOR = 1.0
PLACE_COST = 3.0
MAN_COST = 2.0
_BEAST = re.compile(r"[精怪妖兽龙马猴鸟虎狼狮象牛鹿蛇鹰鹤龟狐熊犬猕猱狲]|猕猴")


def _beast(name: str) -> bool:
    return _BEAST.search(name) is not None


_TROOP = re.compile(r"(?![借领带起发收退用出练派调率引伏撤]..?$).*(?:兵|军|将士|士兵|百姓|使者|刺客|人马|部下)$")


def troop(discourse: Discourse, *, answers: bool = False) -> str | None:
    """Return the troop that a recent question was about, with whose it is: 兀突骨的藤甲兵; with `answers` these too."""
    readings = (reading for view in discourse.turns[:3] for reading in (view.question, view.answer)[: 1 + answers])
    for reading in readings:
        words = reading.words
        for at, word in enumerate(words):
            if word.tag[:1] in ("n", "j") and len(word.text) > 1 and _TROOP.match(word.text):
                owned = at > 1 and words[at - 1].text == "的" and words[at - 2].tag == "nr"
                return reading.text[words[at - 2 if owned else at].start : word.end]
    return None
