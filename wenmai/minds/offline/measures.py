"""Things whose answers have a shape: an age, a height, a price, a colour, a surname. Told where that shape stands.

A question of such a thing is answered only where the shape stands within two sentences of the one asked about.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tools.linking import NameTable, fold
from wenmai.minds.offline.analysis import Analysis
from wenmai.minds.offline.matching import name_patterns, windows
from wenmai.minds.offline.words import content_words, expansions

NUMBER = r"[0-9零〇一二三四五六七八九十百千万两半数几]"


@dataclass(frozen=True, slots=True)
class Shape:
    """What is asked, how a text tells it, and what must stand beside it: every name, or any of them and a word."""

    asked: re.Pattern[str]
    told: re.Pattern[str]
    needs_word: bool = True
    needs_all: bool = False


SHAPES = (
    Shape(
        re.compile(
            r"多大(?:年纪|年龄|岁数|了|[？?]|时?才?$)|才多大|几岁|(?:年纪|年龄|岁数)(?:是|有)?(?:多|几)|享年|多少岁"
        ),
        re.compile(rf"{NUMBER}+[余多来]?[岁载旬]|(?:亡年|享年|时年|年方|年已|年|寿){NUMBER}+(?![年月日])"),
        needs_word=False,
    ),
    Shape(
        re.compile(r"多高|身高|身长(?:多|几|是)|个子(?:有)?多"),
        re.compile(r"(?:身|长|高)[^，。]{0,6}[尺丈寸米]|[高矮]个|个[子头儿][^，。]{0,3}[高矮]"),
        needs_word=False,
    ),
    Shape(re.compile(r"姓什么|姓甚|姓氏是"), re.compile(r"[\u4e00-\u9fff]氏|姓")),
    Shape(re.compile(r"多重|多少斤|几斤|重量"), re.compile(rf"{NUMBER}+[余多来]?[^，。]{{0,2}}[斤两石]")),
    Shape(
        re.compile(r"多少(?:两|钱|银|金|文)|几两|什么价|花了多少|卖了?多少"),
        re.compile(rf"{NUMBER}+[余多来]?(?:白银|黄金|[^，。])?(?:两(?![个人位军边下家])|[钱贯圆文锭]|银[子元])"),
    ),
    Shape(re.compile(r"(?:多少|几个?)回合|多少合|几合"), re.compile(rf"{NUMBER}+[余多来]?[^，。]?合"), False, True),
    Shape(
        re.compile(r"什么颜色|何种颜色|颜色(?:是|的)?(?:什么|怎)"),
        re.compile(r"[赤白黑青黄红紫绿蓝灰乌皂褐](?:色|[^，。]?[马驹衣袍旗甲发眼须鬃骢花])"),
    ),
)
# 几道菜, 多少艘船: a number of just this. What everything is counted in (个, 人) tells nothing.
COUNTED = re.compile(r"(?:几|多少)([道座艘匹封首句把件张篇卷坛杯碗味剂步亩级层丈尺里斗升])")


def shape_told(analysis: Analysis, texts: Sequence[str], table: NameTable) -> bool:
    """Tell whether the shape of what is asked stands near its subject; true where the question asks for no shape."""
    shapes = shapes_of(analysis.question)
    if not shapes:
        return True
    names = name_patterns(analysis.entities, table)
    return all(any(tells(text, shape, names, analysis.plain) for text in texts) for shape in shapes)


def tells(text: str, shape: Shape, names: Sequence[re.Pattern[str]], rest: str) -> bool:
    """Tell whether a window of a text tells the shape; few texts have one at all, and only those are cut."""
    return shape.told.search(text) is not None and any(about(window, shape, names, rest) for window in windows(text))


def shapes_of(question: str) -> list[Shape]:
    """Return the shapes that a question asks for."""
    shapes = [shape for shape in SHAPES if shape.asked.search(question)]
    if counted := COUNTED.search(question):
        shapes.append(Shape(COUNTED, re.compile(rf"{NUMBER}+[余多来]?{counted[1]}")))
    return shapes


def about(window: str, shape: Shape, names: Sequence[re.Pattern[str]], rest: str) -> bool:
    """Tell whether a window tells the shape of one of the names (or of all), beside one of the other words."""
    if not shape.told.search(window):
        return False
    some = all if shape.needs_all else any
    if names and not some(name.search(window) for name in names):
        return False
    words = content_words(shape.asked.sub(" ", rest)) if shape.needs_word or not names else []
    folded = fold(window)
    return not words or any(fold(form) in folded for word in words for form in (word, *expansions(word)))
