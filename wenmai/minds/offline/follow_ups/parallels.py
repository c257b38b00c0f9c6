"""A question that only names another thing asks of it what the last one asked: 那王五呢 after 张三是怎么死的."""

import re
from collections.abc import Sequence
from itertools import accumulate, pairwise

from tools.language import is_chinese
from tools.story.linking import NameTable, fold
from wenmai.language.relation_words import relation_words
from wenmai.language.segmenting import cut
from wenmai.language.spans import Span
from wenmai.minds.offline.follow_ups.mentions import PATTERNS
from wenmai.minds.offline.follow_ups.names import names_of
from wenmai.minds.offline.follow_ups.rewriting import is_bare, joined
from wenmai.minds.offline.follow_ups.talk import TalkReader

_ROLE = "|".join(
    words
    for language in ("zh", "en")
    for name, words in relation_words(language).items()
    if name in ("kin", "friend", "enemy", "pupil", "mate", "head", "under")
)
_OF = rf"的?(?:{_ROLE})|['’]s (?:[\w-]+ )?(?:{_ROLE})"
_RELATIVE = re.compile(rf"(?:the )?(?:{_ROLE})|(?P<owner>.+?)(?:{_OF})", re.IGNORECASE)
_NUMBER = re.compile(r"\d+")
LEAST_HAN = 2
"""Characters of a thing that has a head."""


def asked_of_another(reader: TalkReader, question: str, last: str, table: NameTable) -> tuple[str, str] | None:
    """Return the last question asked of what this one names, and what that is; None for another question."""
    thing = named_next(question)
    if not thing:
        return None
    if PATTERNS["when"].match(thing):
        return joined(last, question), thing
    named, before = names_of(reader, thing, table), names_of(reader, last, table)
    now, role = next((name for name in named if name.text == thing), None), _RELATIVE.fullmatch(thing)
    owner = role["owner"] if role else None
    if role and not now and (owner is None or any(name.text == owner and name.is_person for name in named)):
        return _of_relative(thing, owner, last, [name.span for name in before if name.is_person], question)
    same = [name for name in before if now and name.is_person == now.is_person]
    if any(fold(name.text) == fold(thing) for name in same):
        return joined(last, question), thing
    thing = re.sub(r"^the ", "", thing, flags=re.IGNORECASE)
    spans = [same[0].span] if same else alike(thing, last)
    return (last[: spans[0][0]] + thing + last[spans[0][1] :], thing) if len(spans) == 1 else None


def _of_relative(thing: str, owner: str | None, last: str, people: Sequence[Span], question: str) -> tuple[str, str]:
    """Return the last question asked of a relative: 张三的妹妹, in the place of 张三 or 张三的哥哥."""
    at = last.find(owner) if owner else -1
    spans = [(at, at + len(owner))] if owner and at >= 0 else people[:1]
    if not spans or thing in last:
        return joined(last, question), thing
    start, end = spans[0]
    wider = re.compile(_OF, re.IGNORECASE).match(last, end)
    return last[:start] + thing + last[wider.end() if wider else end :], thing


def named_next(question: str) -> str | None:
    """Return what a question names without asking anything of it, None for others."""
    match = PATTERNS["next"].match(question.strip())
    thing = (match[1] or match[2]).strip() if match else ""
    return thing if thing and not is_bare(question) and not PATTERNS["asks"].search(thing) else None


def alike(thing: str, last: str) -> Sequence[Span]:
    """Return where a question has a thing that is written alike: 年假 for 病假, 2023年 for 2024年, annual leave."""
    if thing in last:
        return []
    if _NUMBER.search(thing):
        pattern = r"(?<!\d)" + r"\d+".join(map(re.escape, _NUMBER.split(thing)))
    elif is_chinese(thing):
        return _of_head(thing, last)
    else:
        *rest, head = thing.split()
        pattern = rf"\b(?:[\w-]+ ){{{len(rest)}}}{re.escape(head)}\b" if rest else ""
    return [match.span() for match in re.finditer(pattern, last, re.IGNORECASE)] if pattern else []


def _of_head(thing: str, last: str) -> Sequence[Span]:
    """Return where a Chinese question has whole words that end as a thing does: as many characters, else one word."""
    if len(thing) < LEAST_HAN:
        return []
    cuts = [0, *accumulate(map(len, cut(last)))]
    ends = [match.end() for match in re.finditer(re.escape(thing[-1]), last) if match.end() in cuts]
    same = [(end - len(thing), end) for end in ends if end - len(thing) in cuts]
    words = [(start, end) for start, end in pairwise(cuts) if end in ends and end - start >= LEAST_HAN]
    return same or words
