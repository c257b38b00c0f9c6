"""Things whose answers have a shape: an age, a height, a price, a colour, a surname. Told where that shape stands.

It must stand within two sentences of the one asked about, or of a word of the question, in a text that names him,
where nobody else is named.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tools.story.linking import NameTable, fold
from wenmai.minds.offline.analysis import Analysis
from wenmai.minds.offline.lexicon import KIN_COUNTED
from wenmai.minds.offline.matching import any_of, name_patterns, others_in, windows
from wenmai.minds.offline.words import content_words, expansions, nominal

NUMBER = r"[0-9零〇一二三四五六七八九十百千万两半数几]"
EXACT = r"[0-9零〇一二三四五六七八九十百千万两半]"  # 数杯 does not tell how many


@dataclass(frozen=True, slots=True)
class Shape:
    """What is asked, how a text tells it, and what must stand beside it: every name, or any of them and a word."""

    asked: re.Pattern[str]
    told: re.Pattern[str]
    needs_word: bool = True
    needs_all: bool = False
    has_thing: bool = False  # the thing that is measured stands in it
    is_own: bool = False  # of a person: whoever was named last before it has it
    is_age: bool = False


SHAPES = (
    Shape(
        re.compile(
            r"(?<![胆力量势声场座片块颗]有)多大(?:年纪|年龄|岁数|了|[？?]|时?才?$)|才多大|几岁|(?:年纪|年龄|岁数)(?:是|有)?(?:多|几)|享年|多少岁|"
            r"芳龄|高寿|寿数|活[到了]+多|谁的?(?:年纪|岁数)?(?:更|比较)?(?:年长|年纪大|岁数大)|谁(?:更|比较)?(?:年长|大几岁)"
        ),
        re.compile(rf"{NUMBER}+[余多来]?[岁载旬]|(?:亡年|享年|时年|年方|年已|年|寿){NUMBER}+(?!{NUMBER}|[年月日])"),
        needs_word=False,
        is_own=True,
        is_age=True,
    ),
    Shape(
        re.compile(r"多高|身高|身长(?:多|几|是)|个子(?:有)?多"),
        re.compile(r"(?:身|长|高)[^，。]{0,6}[尺丈寸米]|[高矮]个|个[子头儿][^，。]{0,3}[高矮]"),
        needs_word=False,
        is_own=True,
    ),
    Shape(
        re.compile(r"几月|初几|哪一?年(?:出|病)?[生死]|(?:生日|生辰)(?:是|在|为)"),
        re.compile(rf"{NUMBER}+[月年]|[正元][月年]|生于|诞辰|生辰|生日"),
    ),
    Shape(re.compile(r"姓什么|姓甚|姓氏是"), re.compile(r"[\u4e00-\u9fff]氏|姓(?![名氏])|[\u4e00-\u9fff]夫人")),
    Shape(re.compile(r"多重|多少斤|几斤|重量"), re.compile(rf"{NUMBER}+[余多来]?[^，。]{{0,2}}[斤两石]")),
    Shape(
        re.compile(r"多少(?:两|钱|银|金|文)|几两|什么价|花了多少|卖了?多少|几[文贯]"),
        re.compile(rf"{NUMBER}+[余多来]?(?:白银|黄金|[^，。])?(?:两(?![个人位军边下家])|[钱贯圆文锭]|银[子元])"),
    ),
    Shape(
        re.compile(r"(?:多少|几个?)(?:回合|招)|多少合|几合"), re.compile(rf"{NUMBER}+[余多来]?[^，。]?合"), False, True
    ),
)
COLOUR = re.compile(r"(?:什么|何种)颜色的?(?P<behind>[\u4e00-\u9fff]{0,3})|颜色(?:是|的)?(?:什么|怎)")
MEASURED = re.compile(
    "(?<![身个])(?:的?(?:分量|重量))?(?:一|每|各)?[把柄支枝口条个]?(?:有|约|是)?(?<![身个])(?:多(?:重|长|宽|深|高)(?!时间)|重?(?:多少|几)斤|重(?:多少|几)|[长宽深高](?:多少|几)|(?:多少|几)[丈尺])"
)
OWN_MEASURES = frozenset(["身高", "身长", "个子", "个头", "体重", "身材"])
COUNT_BEHIND = 3  # characters between a thing and how many there are: 疑冢七十二
THING = 16  # characters between a measure and the thing that has it
OF_THING = 8  # and where the measure comes first: 八十二斤重的青龙偃月刀
ARMS = "刀剑枪戟矛锤斧鞭弓"
ANY_ARMS = frozenset(["家伙", "兵器", "武器", "兵刃"])
LAST_AGE = re.compile(rf"(?:寿|时年|享年|亡年)止?{NUMBER}")
SCENE = 250  # characters between somebody and the age at which he ended
OWN_WORDS = re.compile("[吾某我臣妾]|老夫")  # 某今年七十: who speaks of himself
# As older prose counts.
UNITS = {
    "只": "[只头匹具艘]",
    "把": "[把口柄枝]",
    "篇": "[篇卷]",
    "条": "[条尾]",
    "间": "[间所]",
    "艘": "[艘只]",
}
COLOURS = "[赤白黑青黄红紫绿蓝灰乌皂褐绛碧玄朱素]"
_INDEFINITE = "(?<!过了)(?<!说了)(?<![的过带领率着这那哪])"  # 曹操的几个儿子, 过了几天, 说了几句, 哪几个
# 几道菜, 多少艘船: a number of just this. What everything is counted in (个, 人) tells nothing.
COUNTED = re.compile(rf"(?:{_INDEFINITE}几|多少)([只间条口辆道座艘匹封首句把件张篇卷坛杯壶碗味剂步亩级层丈尺里斗升])")

COUNTED_KIN = re.compile(rf"{_INDEFINITE}(?:几|多少)个?(?:亲生)?({any_of(tuple(KIN_COUNTED))})(?![里中之])")
"""几个孩子: told by 二子, 一男一女, or by naming them."""
COUNTED_MEN = re.compile("多少(?:人马?|士兵|兵马|骑兵?|兵|将士|士卒|军队|部下)")
COUNTED_TIME = re.compile(rf"{_INDEFINITE}(?:多少|几)(?:天|年(?![级纪]))(?![以之]?[后前])")


def shape_told(analysis: Analysis, texts: Sequence[str], table: NameTable) -> bool:
    """Tell whether the shape of what is asked stands near its subject; true where the question asks for no shape."""
    shapes = shapes_of(analysis.question)
    if not shapes:
        return True
    names = name_patterns(analysis.entities, table)
    return all(any(tells(text, shape, names, analysis, table) for text in texts) for shape in shapes)


def tells(text: str, shape: Shape, names: Sequence[re.Pattern[str]], analysis: Analysis, table: NameTable) -> bool:
    """Tell whether a text tells a shape of what is asked: with its thing, or else in two sentences."""
    if not shape.told.search(text):  # few texts have one at all, and only those are cut
        return False
    if shape.has_thing:
        return not names or any(name.search(text) for name in names)
    entities = analysis.entities
    is_named = not shape.needs_all and any(name.search(text) for name in names)
    return any(
        about(window, shape, names, analysis.plain, is_alone=is_named and not others_in(window, entities, table))
        and (not shape.is_own or owned(window, shape, entities, table))
        for window in windows(text)
        if shape.told.search(window)
    ) or (shape.is_age and owned_at_last(text, shape, names, analysis, table))


def owned(window: str, shape: Shape, entities: Sequence[str], table: NameTable) -> bool:
    """Tell whether a shape stands behind one of the people asked about, or where nobody else was named before."""
    people = [m for m in table.find(window) if m.entity and table.kind(m.entity) == "Character"]
    if not any(table.kind(name) == "Character" for name in entities):
        return True
    names = name_patterns(entities, table)
    for told in shape.told.finditer(window):
        before = [m for m in people if m.end <= told.start()]
        if not before or before[-1].entity in entities:
            return True
        own = max((found.end() for name in names for found in name.finditer(window, 0, told.start())), default=-1)
        if own >= before[-1].end or OWN_WORDS.search(window, before[-1].end, told.start()):
            return True
    return False


def owned_at_last(
    text: str, shape: Shape, names: Sequence[re.Pattern[str]], analysis: Analysis, table: NameTable
) -> bool:
    """Tell whether an age at the end is told some sentences behind whose it is: 周瑜 …连叫数声而亡。寿三十六岁."""
    at_last = replace(shape, told=LAST_AGE)
    scenes = (text[max(0, told.start() - SCENE) : told.end()] for told in LAST_AGE.finditer(text))
    return any(
        any(name.search(scene) for name in names) and owned(scene, at_last, analysis.entities, table)
        for scene in scenes
    )


def colour_of(question: str) -> Shape | None:
    """Return the shape of a colour with the thing that has it: 红袍, 面如重枣."""
    asked = COLOUR.search(question)
    if not asked:
        return None
    things = nouns(asked["behind"] or "") or nouns(question[: asked.start()])[-1:]
    forms = forms_of(things)
    told = rf"{COLOURS}色?[^，。]?(?:{forms})|(?:{forms})[^，。]{{0,2}}{COLOURS}" if forms else f"{COLOURS}色"
    told = rf"{told}|[穿着披衣]{COLOURS}"
    return Shape(COLOUR, re.compile(told), needs_word=False, is_own=True)


def forms_of(things: Sequence[str]) -> str:
    """Return what finds a thing by its own word, another one for it, or its last character: 刀 of 青龙偃月刀.

    A weapon of no kind (家伙) is any weapon.
    """
    if not ANY_ARMS.isdisjoint(things):
        return f"[{ARMS}]"
    return "|".join(re.escape(form) for thing in things for form in (thing, *expansions(thing), thing[-1]))


def nouns(text: str) -> list[str]:
    """Return the nouns of a text in order."""
    return [word for word in content_words(text) if nominal(word)]


def measured(question: str) -> Shape | None:
    """Return the shape of a weight or a length with the thing that has it: 八十二斤青龙偃月刀."""
    asked = MEASURED.search(question)
    things = [noun for noun in nouns(question[: asked.start()]) if noun not in OWN_MEASURES][-1:] if asked else []
    if asked and not things and question[: asked.start()].endswith(tuple(ARMS)):
        things = [question[asked.start() - 1]]
    if not asked or not things or not question[: asked.start()].endswith(things[0]):
        return None
    forms = forms_of(things)
    value = f"{NUMBER}+[余多来]?[斤两石]" if "重" in asked[0] or "斤" in asked[0] else f"{NUMBER}+[余多来]?[丈尺寸步里]"
    told = rf"{value}[^。！？，]{{0,{OF_THING}}}(?:{forms})|(?:{forms})[^。！？{ARMS}]{{0,{THING}}}{value}"
    return Shape(MEASURED, re.compile(told), has_thing=True)


def shapes_of(question: str) -> list[Shape]:
    """Return the shapes that a question asks for."""
    shapes = [shape for shape in SHAPES if shape.asked.search(question)]
    if colour := colour_of(question):
        shapes.append(colour)
    if measure := measured(question):
        shapes.append(measure)
    if kin := COUNTED_KIN.search(question):
        forms = any_of(KIN_COUNTED[kin[1]])
        told = rf"{EXACT}+个?[^，。]?{forms}|{forms}[^，。]{{0,2}}{EXACT}+人|生[^，。]{{1,4}}、"
        shapes.append(Shape(COUNTED_KIN, re.compile(told), needs_word=False, needs_all=True))
    elif COUNTED_MEN.search(question):
        shapes.append(Shape(COUNTED_MEN, re.compile(rf"{EXACT}{{1,6}}[余来]?[^，。]{{0,2}}(?:人|骑|军|兵|卒|众|之师)")))
    elif spent := COUNTED_TIME.search(question):
        unit = "[年载]" if spent[0][-1] == "年" else "[日天昼夜]"
        shapes.append(Shape(COUNTED_TIME, re.compile(rf"{EXACT}+[余来]?{unit}")))
    if counted := COUNTED.search(question):
        things = nouns(question[counted.end() :])[:1]
        behind = rf"|(?:{forms_of(things)})[^，。！？]{{0,{COUNT_BEHIND}}}{EXACT}+" if things else ""
        shapes.append(Shape(COUNTED, re.compile(rf"{EXACT}+[余多来]?{UNITS.get(counted[1], counted[1])}{behind}")))
    return shapes


def about(window: str, shape: Shape, names: Sequence[re.Pattern[str]], rest: str, *, is_alone: bool = False) -> bool:
    """Tell whether a window that has a shape tells it of one of the names (or of all), beside one of the other words.

    A name elsewhere in the text does where the window `is_alone` with one of the words, and names nobody else.
    """
    some = all if shape.needs_all else any
    has_names = not names or some(name.search(window) for name in names)
    if not has_names and not is_alone:
        return False
    needs_word = shape.needs_word or not names or not has_names
    words = content_words(shape.asked.sub(" ", rest)) if needs_word else []
    folded = fold(window)
    is_said = any(fold(form) in folded for word in words for form in (word, *expansions(word)))
    return is_said or (not words and has_names)
