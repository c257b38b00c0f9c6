"""A question that leaves out what the last one asked, made one whole question: 那王五呢？, And by day?, Why?"""

import re
from collections.abc import Sequence
from itertools import accumulate, pairwise

from tools.language import is_chinese
from tools.story.linking import NameTable, fold
from wenmai.language.lexicon import relation_words
from wenmai.language.segmenting import cut, segmenter
from wenmai.language.spans import Span
from wenmai.minds.offline.follow_ups.names import Name, names_of
from wenmai.minds.offline.follow_ups.references import PATTERNS
from wenmai.minds.offline.follow_ups.talk import TalkReader

_ROLE = "|".join(
    words
    for language in ("zh", "en")
    for name, words in relation_words(language).items()
    if name in ("kin", "friend", "enemy", "pupil", "mate", "head", "under")
)
_OF = rf"的?(?:{_ROLE})|['’]s (?:[\w-]+ )?(?:{_ROLE})"
_RELATIVE = re.compile(rf"(?:the )?(?:{_ROLE})|(?P<owner>.+?)(?:{_OF})", re.IGNORECASE)
_SOME = {"who": "someone", "whom": "someone", "what": "something"}
_NUMBER = re.compile(r"\d+")
_PROPER = re.compile(r"(?<=\s)[A-Z][\w'-]*(?: [A-Z][\w'-]*)*")
_ORDINALS = re.compile(r"\b(first|second|third|fourth|fifth|sixth|last|next)\b", re.IGNORECASE)
_ORDINAL = re.compile(rf"{_ORDINALS.pattern}(?: one)?", re.IGNORECASE)
_NOUNS = ("n", "s", "i", "eng", "r", "zg")
"""Parts of speech, by their beginnings, of words that can be the subject of a Chinese clause."""
LEAST_HAN = 2
"""Characters of a thing that has a head."""


def is_fragment(question: str) -> bool:
    """Return True for a question that names or asks one thing and leaves out the rest."""
    return named_next(question) is not None or any(PATTERNS[kind].match(question.strip()) for kind in ("why", "bare"))


def completed(reader: TalkReader | None, question: str, last: str, table: NameTable) -> tuple[str, str] | None:
    """Return the one question that a fragment stands for, and what it says itself; None where that is in doubt.

    Without a reader nothing is known to be alike.
    """
    if match := PATTERNS["why"].match(question.strip()):
        words = match["zh"] or match["en"]
        whole = _asked_how(words, last) if is_chinese(last) else _asked_how_in_english(words, last)
        return (whole, words) if whole else None
    thing = named_next(question)
    whole = _asked_of_another(reader, thing, last, table) if reader and thing else None
    return (whole, thing) if thing and whole else None


def lacks_subject(question: str) -> bool:
    """Return True for a Chinese question without a noun but for what it asks: 花了多少钱."""
    opening = PATTERNS["opening"].match(question)
    rest = question[opening.end() if opening else 0 :]
    if not is_chinese(question) or PATTERNS["has_subject"].match(rest):
        return False
    before = ""
    for word, tag in segmenter().tag(rest, True):
        if tag.startswith(_NOUNS) and not PATTERNS["asks"].search(before + word):
            return False
        before = word
    return True


def spoken_of(last: str) -> str:
    """Return what a Chinese question was about, without what it asked: 试用期 of 试用期多长."""
    asked = PATTERNS["asked_way"].search(last) or PATTERNS["asked_thing"].search(last)
    asked = asked or PATTERNS["asked_whether"].search(last)
    words = segmenter().tag(last[: asked.start()] if asked else "", True)
    while words and not words[-1][1].startswith(_NOUNS):
        words.pop()
    return "".join(word for word, _ in words) or (last[asked.end() :].rstrip("？?的了") if asked else "")


def named_next(question: str) -> str | None:
    """Return what a question names without asking anything of it, None for others."""
    question = question.strip()
    match = None if PATTERNS["bare"].match(question) else PATTERNS["next"].match(question)
    thing = (match["zh"] or match["en"] or match["phrase"]).strip() if match else ""
    return thing if thing and not PATTERNS["asks"].search(thing) else None


def _asked_how(words: str, last: str) -> str | None:
    """Return the last question, in Chinese, asked why, when or where instead."""
    if not is_chinese(words):
        return None
    if PATTERNS["asked_way"].search(last):
        return PATTERNS["asked_way"].sub(words, last, count=1)
    thing = "asked_thing" if PATTERNS["asked_thing"].search(last) else "asked_whether"
    if not PATTERNS[thing].search(last):
        return None
    said = PATTERNS[thing].sub("", last, count=1).strip("？?")
    return f"{words}{said}？"


def _asked_how_in_english(words: str, last: str) -> str | None:
    """Return the last question asked why, when or to which person instead."""
    words, negation = re.sub(r" not$", "", words, flags=re.IGNORECASE), " not" if words.lower().endswith(" not") else ""
    words = words[:1].upper() + words[1:]
    asked, who = PATTERNS["asked_first"].match(last), PATTERNS["asked_who"].match(last)
    if asked and asked["whether"]:
        return f"{words} {asked['whether'].lower()}{negation} {last[asked.end() :]}"
    asks_who = re.match(r"who\b", words, re.IGNORECASE)
    if asked and not (asks_who and asked["who"] and not PATTERNS["subject"].match(last[asked.end() :])):
        verb = asked["verb"] + ("" if asked["verb"].endswith("t") else negation)
        return f"{words} {verb} {_with_argument(asked, last[asked.end() :])}"
    if not who:
        return None
    if asks_who:
        return f"{words} {last[who.end() :].lstrip()}"
    return f"{words} was it that {_SOME[who['who'].lower()]}{last[who.end() :]}"


def _with_argument(asked: re.Match[str], rest: str) -> str:
    """Return the rest of an English question with what it asked for: the arm, for which arm; someone, for who."""
    noun = f"the{asked['noun']}" if asked["noun"] else _SOME[asked["who"].lower()] if asked["who"] else ""
    if not noun or asked["before"]:
        return rest
    if asked["verb"].lower().startswith(("do", "did")):
        return f"{rest.rstrip('?.! ')} {noun}?"
    return rest if asked["who"] and PATTERNS["subject"].match(rest) else f"{noun} {rest}"


def _asked_of_another(reader: TalkReader, thing: str, last: str, table: NameTable) -> str | None:
    """Return the last question with a thing in the place of its like; None where nothing of it is alike."""
    if phrase := PATTERNS["circumstance"].match(thing):
        return _at_circumstance(thing, phrase[1], last)
    named, before = names_of(reader, thing, table), names_of(reader, last, table)
    now, role = next((name for name in named if name.text == thing), None), _RELATIVE.fullmatch(thing)
    owner = role["owner"] if role else None
    if role and not now and (owner is None or any(name.text == owner and name.is_person for name in named)):
        return _of_relative(thing, owner, last, [name.span for name in before if name.is_person])
    same = [name for name in before if now and name.is_person == now.is_person]
    if any(fold(name.text) == fold(thing) for name in same):
        return None
    thing = re.sub(r"^the ", "", thing, flags=re.IGNORECASE)
    if ordinal := _ORDINAL.fullmatch(thing):
        thing, others = ordinal[1], [match.span(1) for match in _ORDINALS.finditer(last)]
        return last[: others[0][0]] + thing + last[others[0][1] :] if len(others) == 1 else None
    spans = [same[0].span] if same else _alike(thing, last, before)
    if not spans and _is_time(thing):
        return _at_time(thing, last)
    return last[: spans[0][0]] + thing + last[spans[0][1] :] if len(spans) == 1 else None


def _is_time(thing: str) -> bool:
    """Return True for 去年, 周末, 三月份."""
    return bool(PATTERNS["is_time"].match(thing)) or all(tag == "t" for _, tag in segmenter().tag(thing, True))


def _at_circumstance(thing: str, preposition: str, last: str) -> str:
    """Return the last question with a circumstance, in the place of one with its preposition: by day, by night."""
    other = re.search(
        rf"\b{preposition} (?:(?:the|an?|my|your|our) )?[\w'-]+(?-i:(?: [A-Z][\w'-]+)*)", last, re.IGNORECASE
    )
    if other and other.start():
        return last[: other.start()] + thing + last[other.end() :]
    return f"{last.rstrip('?.! ')} {thing}?"


def _at_time(thing: str, last: str) -> str:
    """Return the last Chinese question asked of another time."""
    if clause := PATTERNS["at_time"].match(last):
        return f"{thing}{last[clause.end() :]}"
    at = 0
    for word, tag in segmenter().tag(last, True):
        if tag == "t":
            return last[:at] + thing + last[at + len(word) :]
        at += len(word)
    return f"{thing}{last}"


def _of_relative(thing: str, owner: str | None, last: str, people: Sequence[Span]) -> str | None:
    """Return the last question asked of a relative: 张三的妹妹, in the place of 张三 or 张三的哥哥."""
    at = last.find(owner) if owner else -1
    spans = [(at, at + len(owner))] if owner and at >= 0 else people[:1]
    if not spans or thing in last:
        return None
    start, end = spans[0]
    wider = re.compile(_OF, re.IGNORECASE).match(last, end)
    return last[:start] + thing + last[wider.end() if wider else end :]


def _alike(thing: str, last: str, names: Sequence[Name]) -> Sequence[Span]:
    """Return where a question has a thing that is written alike: 年假 for 病假, 2023年 for 2024年, annual leave."""
    if thing in last:
        return []
    if _NUMBER.search(thing):
        pattern = r"(?<!\d)" + r"\d+".join(map(re.escape, _NUMBER.split(thing)))
        return [match.span() for match in re.finditer(pattern, last, re.IGNORECASE)]
    if is_chinese(thing):
        return _of_head(thing, last) or ([] if _is_time(thing) else _owner(thing, last, names))
    if _PROPER.fullmatch(f" {thing}", 1):
        return [match.span() for match in _PROPER.finditer(last)]
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


def _owner(thing: str, last: str, names: Sequence[Name]) -> Sequence[Span]:
    """Return whose thing a Chinese question is about, where that is no person: 苹果的单价."""
    owner = re.match(r"[\u4e00-\u9fff]{2,6}?(?=的)", last)
    is_name = any(name.text in (owner[0], thing) for name in names) if owner else True
    words = segmenter().tag(owner[0], True) if owner else []
    return [owner.span()] if owner and not is_name and all(tag.startswith("n") for _, tag in words) else []
