"""Questions that bring no subject or object of their own: 双戟是被谁偷走的, 曹操答应了吗, 首级后来被带到哪里去了."""

import re

from wenmai.minds.offline import phrases
from wenmai.minds.offline.anaphor import opening
from wenmai.minds.offline.categories import head_category, tag
from wenmai.minds.offline.discourse import Discourse
from wenmai.minds.offline.generalities import OF_ALL, OF_ANYBODY, OF_THE_BOOK, OF_THE_STORY, SUPPOSED, TO_THE_AGENT
from wenmai.minds.offline.guessing import matter
from wenmai.minds.offline.reading import MASK, Named, Reading
from wenmai.minds.offline.refers import refers
from wenmai.minds.offline.things import HELD
from wenmai.minds.offline.together import PAIR

SHORT_NOUN = 2  # characters: 双戟
LONGEST = 24  # characters: a longer question is taken to bring its own subject, unless the trees tell otherwise
_PROPER = ("nr", "ns", "nt", "nz", "eng", "l", "i")
_OWN_WORDS = re.compile(r"[a-zA-Z]{2,}|[“‘「《\d]|最[^，后初近终]|第[零一二三四五六七八九十百]{1,5}[回章]")
_PLAIN_NOUN = ("n", "vn", "s", "t", "f", "m", "ng")
_DEFINED = re.compile(r"[^，]{1,3}(?:到底|究竟|又|就)*(?:是|叫)(?:谁|什么|啥|哪)|[^，的]{1,6}有(?:哪|谁|几|多少)")
"""作者是谁, 太守是什么官, 五虎大将有哪些人: what a noun stands for."""
_PREDICATE = ("v", "p", "d", "a", "f", "y", "m", "t", "u")
_HAPPENED = re.compile("[了过着]|被|没有?$|的$|后来|当时|最后|当初|一起|前")
"""What has happened; 弓箭能射多远 and 百姓怎样生活 are always so."""
_DESCRIBED = re.compile(rf"[^，]{{3,}}的[那这]一?[{phrases.MEASURES}领]")
"""铜雀台上比箭抢的那领战袍: a thing that the question itself tells."""
_LATER_CLAUSE = re.compile(r"，(?!谁|哪|是谁|有谁)([^，]+)$")
_VERBAL = ("v", "p", "d", "c")
_ANSWERED = re.compile(
    rf"(?:那|那么)?{MASK}+(?:当时|后来|最后|到底|究竟)?(?:答应|同意|听|信|相信|采纳|接受|拒绝|上当|中计|追|给|收)(?:了|过)?"
    r"(?:吗|么|没有?|不)?"
)
"""曹操答应了吗: what was asked of him is left out."""
_HANDLED = re.compile(
    rf"(?:那|那么)?{MASK}+(?:当时|后来|最后|又)?是?(?:怎么|如何|怎样)(?:破|破解|识破|看破|看穿|化解|应付|对付|回答|答复|回应|攻破|攻下|拿下|夺下|得到|发现|知道|得知)"
    r"(?:了|到)?的?"
)
"""诸葛亮是怎么破的: what he broke is left out."""
_TOLD_BY = re.compile(
    rf"(?:后来|最后|当时|当初|究竟|到底)*是?谁(?:[给替向跟帮]{MASK}*[^，{MASK}]{{2,6}}|[^，{MASK}]{{1,4}}给{MASK}+)的"
)
"""谁给曹操点破的: what was told is left out."""


def goes_on(reading: Reading, discourse: Discourse, *, referring: bool) -> tuple[str, ...]:
    """Return whom or what a question goes on about that names no subject of its own, () where it stands alone.

    `referring` tells that a word of it refers back.
    """
    text = reading.body()
    if not discourse.turns or _OWN_WORDS.search(text) or TO_THE_AGENT.match(text):
        return ()
    inside = {one.name for one in reading.named}
    start = opening(text)
    goes = _ANSWERED.fullmatch(text) or _HANDLED.fullmatch(text) or _objectless(text)
    if not goes and not _general(text, start):
        goes = _brings_nobody(reading, text, start) or (not referring and _may_go_on(reading, text, discourse))
    return tuple(name for name in concern(discourse) if name not in inside) if goes else ()


def _may_go_on(reading: Reading, text: str, discourse: Discourse) -> bool:
    """Ask the trees, unless the question names a battle, or a name opens its end."""
    clause = text.rsplit("，", 1)[-1]
    if _DESCRIBED.match(text):
        return False
    if not discourse.people() or clause[opening(clause) :].startswith(MASK):
        return False  # 赶回来以后，孙大勇做了什么
    return all(one.category != "battle" for one in reading.named) and refers(reading, discourse)


def _brings_nobody(reading: Reading, text: str, start: int) -> bool:
    return len(text) <= LONGEST and not any(_is_own(one) for one in reading.named) and _leaves_open(text, start)


def _is_own(one: Named) -> bool:
    """Tell whether a name may be what a question is about: not 东吴, nor a short noun that no library lists."""
    return one.category != "group" and (one.known or len(one.name) > SHORT_NOUN)


def _objectless(text: str) -> bool:
    """Tell whether a question asks who told or did it, and leaves it out."""
    if not _TOLD_BY.fullmatch(text):
        return False
    return all(not label.startswith("n") for _, label in tag(text.replace(MASK, "")))


def _general(text: str, start: int) -> bool:
    body = text[start:]
    return bool(
        OF_ANYBODY.match(body)
        or OF_ALL.search(text)
        or OF_THE_BOOK.search(text)
        or phrases.NEW_TOPIC.match(text)
        or phrases.NEW_TOPIC.match(body)
        or OF_THE_STORY.match(body)
        or SUPPOSED.match(body)
    )


def _leaves_open(text: str, start: int) -> bool:
    words = tag(text[start:])
    if not words or _DEFINED.match(text, start) or any(_proper(word, label) for word, label in words):
        return False
    clause = _LATER_CLAUSE.search(text)
    if clause and tag(clause[1])[0][1].startswith(_VERBAL):
        return True
    (word, label), behind = words[0], words[1] if len(words) > 1 else ("", "")
    if behind[1] != "y" and not _HAPPENED.search(text):
        return False
    noun = label in _PLAIN_NOUN or head_category(word) in HELD
    return noun and len(word) < 4 and behind[1].startswith(_PREDICATE) and behind[0] != "的"


def _proper(word: str, label: str) -> bool:
    """Tell whether a word is taken for a name, and is no noun for a thing: 双戟."""
    return label.startswith(_PROPER) and len(word) > 1 and head_category(word) not in HELD


def concern(discourse: Discourse) -> tuple[str, ...]:
    """Return what the last question is about: its two people, else the more salient one and the thing beside him."""
    about = matter(discourse)
    people = {one.name for one in discourse.people()}
    asked = (one.name for one in discourse.turns[0].question.named if one.category != "group")
    beside = next((name for name in asked if name not in people), None)
    return about if len(about) == PAIR or beside is None else (*about, beside)
