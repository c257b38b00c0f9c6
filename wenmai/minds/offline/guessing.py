"""Last resorts: what a follow-up most likely means where nothing in the session says so outright."""

import re

from wenmai.minds.offline import phrases
from wenmai.minds.offline.anaphor import Anaphor, opening
from wenmai.minds.offline.discourse import Discourse, Referent
from wenmai.minds.offline.generalities import OF_ALL, OF_ANYBODY, OF_THE_BOOK, TO_THE_AGENT
from wenmai.minds.offline.reading import MASK, Reading, Word
from wenmai.minds.offline.together import PAIR

LONGEST_FOLLOW_UP = 20
"""A longer question without a name is taken to bring its own subject."""
_ELDER = ("哥哥", "姐姐", "兄长")
_YOUNGER = ("弟弟", "妹妹")
_OWN_SUBJECT = ("nz", "nt", "ns", "nr", "i", "l", "eng", "m")


_NEXT = re.compile("(?:那|那么)?[，,]?(第[一二三四五六七八九十百]+([\u4e00-\u9fff]{1,2}))呢[？?]?")


def next_of_row(question: str, discourse: Discourse) -> str | None:
    """Return the last question asked of another of a row: 第二关呢 after 关羽过的第一关是哪里."""
    found = _NEXT.fullmatch(question.strip())
    if not found or not discourse.turns:
        return None
    before = discourse.turns[0].question.text
    again = re.sub(f"第[一二三四五六七八九十百]+{found[2]}", found[1], before, count=1)
    return again if again != before else None


_ANOTHER = re.compile(f"(?:那|那么|还有|至于|换成)?[，,]?{MASK}+(?:本人|自己)?呢[？?]?")


def of_another(reading: Reading, discourse: Discourse) -> tuple[str, list[str]] | None:
    """Return the last question asked of another person, and the others of it: 那许褚呢 after 祢衡说张辽只配干什么.

    He takes the place of the only one whom that question did not go on with, else of the last.
    """
    people = reading.people()
    if len(people) != 1 or not discourse.turns or not _ANOTHER.fullmatch(reading.masked.strip()):
        return None
    view = discourse.turns[0]
    named = [one for one in view.question.people() if one.name != people[0].name]
    if not named or len(named) != len(view.question.people()):
        return None
    replaced = next((one for one in reversed(named) if one.name not in view.continued), named[-1])
    asked = view.question.text
    name = reading.text[people[0].start : people[0].end]
    kept = dict.fromkeys(one.name for one in named if one.name != replaced.name)
    return f"{asked[: replaced.start]}{name}{asked[replaced.end :]}", list(kept)


def sibling(discourse: Discourse, head: str) -> str | None:
    """Return the first of two that were listed for 哥哥, the last for 弟弟: 司马师、司马昭."""
    for view in discourse.turns:
        if len(view.focus) > 1 and view.sure and head in _ELDER + _YOUNGER:
            return view.focus[0] if head in _ELDER else view.focus[-1]
        people = list(dict.fromkeys(one.name for one in view.question.people()))
        if len(people) == 2 and head in _ELDER + _YOUNGER:
            return people[0] if head in _ELDER else people[1]
    return None


def somebody(discourse: Discourse, one: Anaphor, taken: set[str]) -> str | None:
    """Return whom 那位州牧 may be: lately named, and not who the talk goes on about, else that one."""
    fitting = [
        other
        for other in discourse.people()
        if other.name not in taken and (one.female is None or other.female in (None, one.female))
    ]
    fresh = [other for other in fitting if not _goes_on(discourse, other)]
    return next((other.name for other in fresh or fitting), None)


def _goes_on(discourse: Discourse, one: Referent) -> bool:
    return any(one.name in view.continued for view in discourse.turns[:1])


def about(reading: Reading, discourse: Discourse) -> tuple[str, ...]:
    """Return whom a question without any name is about, () where it brings its own subject."""
    text = reading.body()
    start = opening(text)
    if reading.named or not discourse.turns or len(text) > LONGEST_FOLLOW_UP or "《" in text:
        return ()
    if TO_THE_AGENT.match(text) or OF_ANYBODY.match(text[start:]):
        return ()
    if phrases.WH_SUBJECT.match(text[start:]) and not re.search("[了过的]", text):
        return ()  # 谁守街亭 has its object
    if phrases.NEW_TOPIC.match(text[start:]) or re.search(r"[a-zA-Z]{2,}|[“‘「]", text) or OF_ALL.search(text):
        return ()
    if OF_THE_BOOK.search(text):
        return ()
    first = next((word for word in reading.words if word.start >= start and word.tag != "x"), None)
    if first is None or not first.tag.startswith(("v", "d", "p", "r", "c")) or first.text[0] in "那这此该":
        return ()
    if any(_brings_subject(word) for word in reading.words):
        return ()
    return matter(discourse)


def _brings_subject(word: Word) -> bool:
    return (word.tag in _OWN_SUBJECT and not _ONE.match(word.text)) or len(word.text) > 3


_ONE = re.compile("一[个杯句次口条封把下声番]")


def matter(discourse: Discourse) -> tuple[str, ...]:
    """Return the two whom the last question is about, most salient first, else who is most salient."""
    if not discourse.turns:
        return tuple(one.name for one in discourse.people()[:1])
    asked = {one.name for one in discourse.turns[0].question.people()}
    people = [one.name for one in discourse.people()]
    people.sort(key=lambda name: name not in discourse.users_own)
    both = [name for name in people if name in asked]
    return tuple(both if len(both) == PAIR else people[:1])
