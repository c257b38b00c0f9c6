"""What a user tells instead of asking: something of himself, or that something is to be forgotten.

Rules of the loop, not of a mind: whichever mind answers, what asks nothing is acknowledged for what was done with it.
"""

import re
from collections.abc import Sequence
from typing import Literal

from nodes.checking.evidence import Segment
from tools.memory.keywords import words
from tools.memory.records import Memory
from tools.text.numerals import parse_number
from tools.text.scripts import folded, simplified
from tools.text.words import stem

Told = Literal["statement", "forget"]

_ASKS = re.compile(
    r"[?？谁哪吗呢]|什么|怎[么样]|如何|为[何啥]|多少|几(?:岁|点|号|月|时|次)|是否|[是有没]不[是有]|有没有|[能可]不[能可]"
    r"|^请(?![假记忘把删])|请(?:问|你|您|帮|给)|告诉我|帮我|介绍|说说|讲讲|列出|总结|解释"
    r"|(?:^|[.!;,]\s*)(?:please |so |and |but |then )?(?:who(?:se|m)?|what|which|when|where|why|how|do|does|did|is|are"
    r"|was|were|can|could|will|would|should|may|have|has"
    r"|tell|show|list|find|give|explain|describe|summari[sz]e|compare|name|search"
    r"|translate)\b",
    re.IGNORECASE,
)
_WANTS = re.compile(
    r"^(?:那|那么|其实|现在|还有)?[，,]?(?:我|我们|咱们?)(?:还|也|就|再|先|很|只|真的?|不太?|没|没有)*(?:想(?!念|起|家)|要(?!求)|希望|需要"
    r"|好奇|打听|[查找搜看听读问说指讲]|不?(?:知道|明白|了解|懂|清楚|记得|理解)|忘|的(?:意思|问题))"
    r"|^(?:well,? |so,? |and |but |actually,? |now )?(?:i|we)(?:(?:['’]d| would) like|(?:['’](?:d|ll|m|ve))?\b"
    r"(?: \w+ly| still| just| also| only| do| am| have| don['’]t| do not| can(?:no|['’])?t)*\s*(?:want|need|wish"
    r"|hope|wonder|curious|know|understand|see|remember|recall|forg[eo]t|mean|meant|ask|look|search|read|get it|got it"
    r"|(?:got )?a question|agree)\w*)\b",
    re.IGNORECASE,
)
"""Words of a first person that ask: 我想知道…, I wonder …; or that only go on with the talk: I see."""
_OWN = re.compile(
    r"^(?:(?:昨|今|前|当|那)[天晚早]|上(?:个?月|周|次)|[去今前]年|最近|刚[才刚]|现在|其实|对了|顺便说?)?[，,]?(?:我|我们|咱们?|俺)(?![国军方])"
    r"|^(?:从?(?:今后|今以后|此以后|以后|现在起))"
    r"|^(?:(?:by the way|yesterday|today|tonight|last \w+|this \w+|actually|well|oh|also|now|fyi|note that)[,:]? )*"
    r"(?:i|i['’](?:m|ve|d|ll)|we|we['’](?:re|ve|ll)|my|our)\b|^from now on\b",
    re.IGNORECASE,
)
_ADDRESSED = re.compile(r"[你您]|\byou", re.IGNORECASE)
"""What speaks of the one who answers rather asks for something: 我之前让你做的那个东西."""
_THING = re.compile(
    r"^(?:我们?|咱们?)(?:之前|以前|上次|[昨今]天|最近)?的[^是了在有叫不没会去来到很太过着要将被把给得]*$"
    r"|^(?:my|our)\b(?!.*\b(?:is|are|was|were|am|has|have|had|do|does|did|will|would|can|could|\w{2,}ed|likes?|loves?"
    r"|lives?|works?|hates?|needs?|died|went|got|came|left|lost|broke)\b)",
    re.IGNORECASE,
)
"""A thing alone, of which nothing is said, is looked for: 我之前的数据库配置, my database settings."""
_WISH = re.compile(
    r"^(?:请|麻烦|帮我|你|您|要|一定)*记[住下](?![的了过吗])"
    r"|^(?:please |kindly )?remember (?:that )?(?:i|i['’]m|my|we|our)\b",
    re.IGNORECASE,
)
_FORGET = re.compile(
    r"^(?:请|麻烦|帮我|你|您)*(?:把(?P<that>.+?))?(?:从记忆[里中])?(?:忘[掉了记]|删[掉除了]|抹掉|清除)(?P<zh>.*)$"
    r"|^(?:please,? |now |kindly )*(?:forget|delete|erase|remove)\b(?P<en>.*)$",
    re.IGNORECASE,
)
_POLITE = re.compile(
    r"^(?:能不能|可不可以|可以|能)(?=[请帮你您把忘删])|^(?:can|could|would|will) you |(?:[吗吧好]*)[?？]$",
    re.IGNORECASE,
)
"""What makes a question of a request."""
_SUBORDINATE = re.compile(
    r"\b(?:where|what|who|when|which|how|is|are|was|were|am|do|have|has|had)\b|什么|哪里?|怎么|多少|几", re.IGNORECASE
)
"""Words that ask elsewhere, and in a request to forget only name what: forget where I live."""
_MINE = re.compile(r"我|记忆|\b(?:i|my|me|our|we|memor(?:y|ies))\b", re.IGNORECASE)
_FRAMING = """
关于 有关 说过 告诉 提到 提过 刚才 刚刚 之前 以前 上次 事情 信息 内容 记忆 记住 记得 忘掉 忘记 这件 那件 件事 这些 那些
的话 一切 所有 全部 我们 自己 什么 过的 please what that this those these about anything everything all said say told
tell mentioned memory memories remember remembered know information info the and our from your you have had ever
"""
_FRAME = frozenset(_FRAMING.split())
"""Words of a request to forget that do not say what."""
_LEAST_FORM = 6  # letters that forms of one word share: allergy, allergic
_LONGEST = 300  # characters; a longer text is not only told


_ALL = re.compile(
    r"所有|全部|一切|都(?=忘|删)|每一?[条件个]|\b(?:all|every\w*|anything|both)\b|\b(?:memories|facts|things)\b",
    re.IGNORECASE,
)
_CHOICE = re.compile(
    r"^(?:请|把|就|忘掉|删掉|忘了|删了|forget|delete|the|number|no\.?|please|第|\s)*"
    r"(?:(?P<number>\d{1,2}|[一二两三四五六七八九十]|first|second|third|fourth|fifth)[个条项号]?(?: one)?(?:[忘删]掉)?"
    r"|(?P<last>last(?: one)?|最后[一]?[个条])"
    r"|(?P<all>all(?: of them)?|both(?: of them)?|everything|全部|都|全都|两[个条]都)(?:忘掉?|删掉?|要)?)吧?$",
    re.IGNORECASE,
)
_ORDINALS = ("first", "second", "third", "fourth", "fifth")


def told_in(text: str, before: str = "") -> Told | None:
    """Return what a message tells, None for one that asks, or that may ask.

    After a request to forget, the message `before`, the number of what is meant, or all, is one as well.
    """
    said = _plain(text)
    if not said or len(said) > _LONGEST:
        return None
    if before and _CHOICE.match(said) and told_in(before) == "forget":
        return "forget"
    request = _POLITE.sub("", said)
    if _FORGET.match(request) and _MINE.search(request) and not _ASKS.search(_SUBORDINATE.sub("", request)):
        return "forget"
    if _ASKS.search(said):
        return None
    rather_asks = _WANTS.match(said) or _ADDRESSED.search(said) or _THING.match(said)
    return "statement" if _WISH.match(said) or (_OWN.match(said) and not rather_asks) else None


def _plain(text: str) -> str:
    return " ".join(simplified(text).split()).strip(" 。.!！")


def what_to_forget(text: str) -> str:
    """Return the words of a request to forget that say what; '' where it only names the number of one."""
    if _CHOICE.match(_plain(text)):
        return ""
    found = _FORGET.match(_POLITE.sub("", _plain(text)))
    return " ".join(part.strip() for part in found.groups() if part) if found else ""


def means_all(text: str) -> bool:
    return _ALL.search(_plain(text)) is not None


def chosen(text: str, count: int) -> list[int] | None:
    """Return the places of what a message chooses among so many; None where it chooses none of them."""
    found = _CHOICE.match(_plain(text))
    if found is None or count == 0:
        return None
    if found["all"]:
        return [*range(count)]
    word = (found["number"] or "").lower()
    at = count if found["last"] else _ORDINALS.index(word) + 1 if word in _ORDINALS else parse_number(word) or 0
    return [at - 1] if 0 < at <= count else None


def forgettable(text: str, memories: Sequence[Memory], segment: Segment) -> list[Memory]:
    """Return the memories that a request to forget means: those with all of its words; [] where it names nothing."""
    what = _SUBORDINATE.sub(" ", what_to_forget(text))
    wanted = _stems(what, segment) - {stem(word) for word in _FRAME}
    if not wanted:  # a word of one character: 我的猫
        rest = re.sub(r"[我们的了吧说过事话那这件些，。\sA-Za-z]", "", what)
        wanted = {rest} if rest and not any(rest in word for word in _FRAME) else set()
    return [one for one in memories if wanted and all(_says(one, word) for word in wanted)]


def _says(memory: Memory, word: str) -> bool:
    """Return True if a memory has a word, or another form of it: allergic for allergy."""
    text = folded(memory.content)
    if word in text or any(word == stem(one.keyword) for one in memory.keywords):
        return True
    is_long = len(word) >= _LEAST_FORM and word.isascii()
    return is_long and re.search(rf"\b{re.escape(word[:_LEAST_FORM])}", text) is not None


def names_something(text: str, segment: Segment) -> bool:
    """Return True if a request to forget has a word that says what."""
    return bool(_stems(what_to_forget(text), segment) - {stem(word) for word in _FRAME})


def _stems(text: str, segment: Segment) -> set[str]:
    return {stem(word) for word in words(folded(text), segment)}
