"""Questions that leave out what the last one asked: why, and the other one? They stand for the last question again."""

import re
from collections.abc import Sequence
from itertools import accumulate, pairwise

from tools.language import is_chinese
from tools.story.names import NameTable
from wenmai.language.segmenting import cut, segmenter
from wenmai.language.spans import Span
from wenmai.minds.offline.follow_ups.names import PATTERNS, ROLE, TalkName, TalkReader, names_of
from wenmai.reader.inputs import Turn

_PROPER = re.compile(r"(?<=\s)[A-Z][\w'-]*(?: [A-Z][\w'-]*)*")
_SHAPES = (re.compile(r"\d+"), re.compile(r"\b(?:first|second|third|fourth|fifth|sixth|last|next)\b", re.IGNORECASE))
"""Of numbers and ordinals: another one is alike where the words around it are the same."""
_NOUNS = ("n", "s", "i", "eng", "r", "zg")
"""Parts of speech, by their beginnings, of words that can be the subject of a Chinese clause."""
LEAST_HAN = 2  # characters of a thing that has a head


def is_fragment(question: str) -> bool:
    """Return True for a question that names or asks one thing and leaves out the rest."""
    return named_next(question) is not None or any(PATTERNS[kind].match(question.strip()) for kind in ("why", "bare"))


def whole_question(reader: TalkReader | None, question: str, last: str, table: NameTable) -> tuple[str, str] | None:
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


def spoken_of(turn: Turn, name: str) -> str:
    """Return what a Chinese question was about: 试用期 of 试用期多长, who did it and what of 谁赎回了项链.

    Where only the answer has the name of what is meant, that is it.
    """
    asked, last = _asks(turn.question), turn.question
    words = segmenter().tag(last[: asked.start()] if asked else "", True)
    while words and not words[-1][1].startswith(_NOUNS):
        words.pop()
    topic = "".join(word for word, _ in words)
    if not topic and asked:
        topic = last[asked.end() :].rstrip("？?的了")
        return topic if name in topic else name + topic * (name not in last)
    return topic if topic and (name in last or name not in turn.answer) else name


def named_next(question: str) -> str | None:
    question = question.strip()
    match = None if PATTERNS["bare"].match(question) else PATTERNS["next"].match(question)
    thing = (match["zh"] or match["en"] or match["phrase"]).strip() if match else ""
    return thing if thing and not PATTERNS["asks"].search(thing) else None


def _asked_how(words: str, last: str) -> str | None:
    """Return the last question, in Chinese, asked why, when or where instead."""
    if not is_chinese(words):
        return None
    asked = _asks(last)
    if not asked or asked.re is PATTERNS["asked_way"]:
        return f"{last[: asked.start()]}{words}{last[asked.end() :]}" if asked else None
    said = f"{last[: asked.start()]}{last[asked.end() :]}".strip("？?")
    return f"{words}{said}？"


def _asks(last: str) -> re.Match[str] | None:
    kinds = ("asked_way", "asked_thing", "asked_whether")
    return next((found for kind in kinds if (found := PATTERNS[kind].search(last))), None)


def _asked_how_in_english(words: str, last: str) -> str | None:
    """Return the last question asked why, when or to which person instead."""
    words, negation = re.sub(r" not$", "", words, flags=re.IGNORECASE), " not" if words.lower().endswith(" not") else ""
    words = words[:1].upper() + words[1:]
    asked, who = PATTERNS["asked_first"].match(last), PATTERNS["asked_who"].match(last)
    if asked and asked["whether"]:
        return f"{words} {asked['whether'].lower()}{negation} {last[asked.end() :]}"
    if asked and (not asked["who"] or PATTERNS["subject"].match(last[asked.end() :])):
        verb = asked["verb"] + ("" if asked["verb"].endswith("t") else negation)
        noun, rest = f"the{asked['noun']}" * bool(asked["noun"] and not asked["before"]), last[asked.end() :]
        if noun and verb.lower().startswith("d"):
            return f"{words} {verb} {rest.rstrip('?.! ')} {noun}?"
        return f"{words} {verb} {noun}{' ' * bool(noun)}{rest}"
    if not who:
        return None
    if re.match(r"who\b", words, re.IGNORECASE):
        return f"{words} {last[who.end() :].lstrip()}"
    return f"{words} was it that some{'one' if who['who'].lower() == 'who' else 'thing'}{last[who.end() :]}"


def _asked_of_another(reader: TalkReader, thing: str, last: str, table: NameTable) -> str | None:
    """Return the last question with a thing in the place of its like; None where nothing of it is alike."""
    if phrase := PATTERNS["circumstance"].match(thing):  # in the place of one with its preposition: by day, by night
        behind = r"(?:(?:the|an?|my|your|our) )?[\w'-]+(?-i:(?: [A-Z][\w'-]+)*)"
        other = re.search(rf"\b{phrase[1]} {behind}", last, re.IGNORECASE)
        if other and other.start():
            return last[: other.start()] + thing + last[other.end() :]
        return f"{last.rstrip('?.! ')} {thing}?"
    named, before = names_of(reader, thing, table), names_of(reader, last, table)
    now = next((name for name in named if name.text == thing), None)
    is_person = now.is_person if now else bool(ROLE.fullmatch(thing))
    same = [name.span for name in before if (now or is_person) and name.is_person == is_person]
    if thing in last:
        return None
    thing = thing if same else re.sub(r"^the | one$", "", thing)
    spans = same[:1] or _alike(thing, last, before)
    if not spans and (PATTERNS["is_time"].match(thing) or {tag for _, tag in segmenter().tag(thing, True)} == {"t"}):
        return _at_time(thing, last)
    return last[: spans[0][0]] + thing + last[spans[0][1] :] if len(spans) == 1 else None


def _at_time(thing: str, last: str) -> str:
    if clause := PATTERNS["at_time"].match(last):
        return f"{thing}{last[clause.end() :]}"
    at = 0
    for word, tag in segmenter().tag(last, True):
        if tag == "t":
            return last[:at] + thing + last[at + len(word) :]
        at += len(word)
    return f"{thing}{last}"


def _alike(thing: str, last: str, names: Sequence[TalkName]) -> Sequence[Span]:
    """Return where a question has a thing that is written alike: 年假 for 病假, 2023年 for 2024年, annual leave."""
    for shape in _SHAPES:
        if shape.search(thing):
            pattern = r"(?<!\d)" + shape.pattern.join(map(re.escape, shape.split(thing)))
            return [match.span() for match in re.finditer(pattern, last, re.IGNORECASE)]
    if is_chinese(thing):
        if spans := _of_head(thing, last):
            return spans
        owner = re.match(r"[\u4e00-\u9fff]{2,6}?(?=的)", last)  # whose thing it is, where that is no person: 苹果的单价
        if not owner or any(name.text in (owner[0], thing) for name in names):
            return []
        tags = [tag for words in (owner[0], thing) for _, tag in segmenter().tag(words, True)]
        return [owner.span()] if all(tag.startswith("n") for tag in tags) else []
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
