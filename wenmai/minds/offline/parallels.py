"""A follow-up on documents that names another thing and asks nothing of it: 病假呢？ asks what was asked of 年假.

It takes the place of the one thing of its kind in the last question: a person, the same head (年假, 病假), the same
shape (2023年, 2024年; A-100, B-200). Of what is not alike (那报销呢？) nobody knows what is asked.
"""

import re
from collections.abc import Iterator

from state.session import Session
from tools.language import is_chinese
from wenmai.minds.offline.english_topics import another_thing
from wenmai.minds.offline.reading import Word
from wenmai.minds.offline.strangers import people, tagged

Span = tuple[int, int]
BARE = re.compile(r"(?:那么?|还有|至于|换成)?[，,\s]*(?P<thing>[\w.·/-]{2,14}?)\s*呢[？?。\s]*")
NUMERALS = "零〇一二三四五六七八九十百千万"
NUMBER = re.compile(rf"\d|第[{NUMERALS}]")
PART = re.compile(rf"(?P<letters>[A-Za-z]+)|(?P<digits>\d+)|(?<=第)(?P<numerals>[{NUMERALS}]+)|.")
SHAPES = {"letters": "[A-Za-z]+", "digits": r"\d+", "numerals": f"[{NUMERALS}]+"}
NAMING = ("n", "b", "j", "a", "v", "eng", "x")  # beginnings of the tags that the words of a noun phrase have
PAIR = 2  # characters: 年假, whose parts the segmenter takes for a number and a noun
KINDS = frozenset("假费楼班奖部室证")  # last characters that say what a thing is: 年假, 水费; not 成本, 样本
NO_KIND_WORDS = "放假 请假 免费 浪费 消费 加班 上班 下班 全部 内部 外部 干部 保证 公证 认证 办公楼"
OF_NO_KIND = frozenset(NO_KIND_WORDS.split())
OTHERS = re.compile("其他|其它|其余|别的|另外|另一|剩下|所有|大家|别人")  # of these nobody knows which is meant
# What stands before an English phrase and is none of it.
PARTICLES = (
    "(?:the|an?|my|our|your|their|this|that|of|for|in|on|at|to|from|with|by|about|is|are|was|were|do|does|did|have|has|"
    "get|and|or|we|i|you)"
)


def asked_again(question: str, session: Session) -> tuple[str, str] | None:
    """Return the last question with the thing that this one names, and the thing; None where it asks by itself."""
    thing = thing_of(question)
    if thing is None or not session["turns"]:
        return None
    before = session["turns"][-1]["resolved"]
    spans = [] if thing in before else next(filter(None, map(list, kinds_of_spans(thing, before))), [])
    if len(spans) != 1:
        return None
    start, end = spans[0]
    return f"{before[:start]}{thing}{before[end:]}", thing


def thing_of(question: str) -> str | None:
    """Return what a question without a predicate names."""
    found = BARE.fullmatch(question.strip())
    if found is None:
        return None if is_chinese(question) else another_thing(question)
    return None if OTHERS.match(found["thing"]) else found["thing"]


def kinds_of_spans(thing: str, before: str) -> Iterator[Iterator[Span]]:
    """Return where the last question has a person, a shape or a head like those of a thing."""
    yield people_in(thing, before)
    yield shaped(thing, before)
    yield headed(thing, before) if is_chinese(thing) else last_worded(thing, before)


def people_in(thing: str, before: str) -> Iterator[Span]:
    """Return the people of a text, for a person."""
    names = people(before) if list(people(thing)) == [thing] else {}
    return (match.span() for name in names for match in re.finditer(re.escape(name), before))


def shaped(thing: str, before: str) -> Iterator[Span]:
    """Return what is written like a thing with a number: 2023年 for 2024年."""
    if not NUMBER.search(thing):
        return iter(())
    pattern = "".join(SHAPES.get(part.lastgroup or "", re.escape(part[0])) for part in PART.finditer(thing))
    return (match.span() for match in re.finditer(rf"(?<![A-Za-z\d]){pattern}(?![A-Za-z\d])", before))


def headed(thing: str, before: str) -> Iterator[Span]:
    """Return the noun phrases of a thing's length and head: 住院押金 for 门诊押金."""
    words, kind = tagged(before), tagged(thing)[-1]
    for last in words:
        inside = [word for word in words if last.end - len(thing) <= word.start and word.end <= last.end]
        whole = bool(inside) and inside[0].start == last.end - len(thing)
        naming = all(word.tag.startswith(NAMING) for word in inside[:-1]) or len(thing) == PAIR
        if whole and naming and is_like(last, kind):
            yield inside[0].start, last.end


def is_like(word: Word, other: Word) -> bool:
    """Tell whether two nouns are of one kind: the same word of a phrase, or what is called after its kind."""
    if not (word.tag.startswith("n") and other.tag.startswith("n")):
        return False
    if word.text == other.text:
        return len(word.text) > 1 or word.text in KINDS
    return word.text[-1] == other.text[-1] and word.text[-1] in KINDS and not {word.text, other.text} & OF_NO_KIND


def last_worded(thing: str, before: str) -> Iterator[Span]:
    """Return the phrases of as many words as a thing that end alike: annual leave for sick leave.

    Articles and prepositions stay: behind one a phrase may have fewer words.
    """
    *rest, last = thing.split()
    word = rf"(?!{PARTICLES}\b)[A-Za-z]+ "
    short, exact = (rf"(?:{word}){{{least},{len(rest)}}}{re.escape(last)}\b" for least in (1, len(rest)))
    pattern = rf"\b{PARTICLES} (?P<short>{short})|\b(?P<exact>{exact})"
    found = re.finditer(pattern, before, re.IGNORECASE) if rest else ()
    return (match.span(match.lastgroup or 0) for match in found)
