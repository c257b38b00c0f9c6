"""Major events of the eight kinds by patterns: the clearest of each chapter, every evidence verbatim."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from tools.language import HAN
from tools.records import EventType, MajorEvent, Participant
from tools.sentences import statement_spans
from wenmai.ingestion.contracts import TaggedChapter
from wenmai.ingestion.names.mentions import Mention, within
from wenmai.ingestion.passages.quoting import quote_clauses, quoted_mask
from wenmai.ingestion.patterns.pattern_tables import ENGLISH_EVENTS, EVENTS, EventPattern
from wenmai.ingestion.patterns.relation_records import order_at

PER_CHAPTER = 8
PER_KIND = 3
NAME = (5, 15)
SUMMARY = 50
EVIDENCE = 50
OBJECT_REACH = 10
"""Characters after the words of an event in which the other side may be named."""
_DENIED = re.compile(
    r"(?:不|未|欲|勿|莫|休|若|岂|恐|免|安能|誓|愿|可|当|要|想|将)\S{0,3}$|(?:not|never|would|could|to|if) $"
)
_CAUSED = re.compile(r"[请扶立奉迎劝遣使令]")
"""Words between a name and an event that give the event another subject: 请汉中王即位."""
_PASSIVE = re.compile(r"(?:被|为|遭)\S{0,4}$")
_BLANK = re.compile(r"\s+")
_STOP = re.compile(r"[，。；！？、：“”,;!?:\n]")


@dataclass(frozen=True, slots=True)
class _Found:
    score: float
    at: int
    event: MajorEvent


@cache
def _compiled(chinese: bool) -> tuple[tuple[EventPattern, re.Pattern[str]], ...]:
    table = EVENTS if chinese else ENGLISH_EVENTS
    return tuple((pattern, re.compile(pattern.words)) for pattern in table)


def find_events(tagged: TaggedChapter) -> list[MajorEvent]:
    """Return at most `PER_CHAPTER` events of a chapter in story order."""
    best: dict[tuple[str, str, str], _Found] = {}
    for found in _candidates(tagged):
        key = (found.event.event_type, found.event.primary_character, found.event.name)
        if key not in best or found.score > best[key].score:
            best[key] = found
    chosen: list[_Found] = []
    kinds: Counter[EventType] = Counter()
    for found in sorted(best.values(), key=lambda f: (-f.score, f.at)):
        if len(chosen) < PER_CHAPTER and kinds[found.event.event_type] < PER_KIND:
            chosen.append(found)
            kinds[found.event.event_type] += 1
    return [found.event for found in sorted(chosen, key=lambda f: f.at)]


def _candidates(tagged: TaggedChapter) -> Iterator[_Found]:
    """Yield every event of the narration; events inside quotations are left out."""
    text = tagged.chapter.text
    quoted = quoted_mask(text)
    weights = Counter(mention.entity for mention in tagged.mentions)
    people = [m for m in tagged.mentions if tagged.kinds.get(m.entity) == "Character"]
    rules = _compiled(bool(HAN.search(text)))
    for start, end in statement_spans(text):
        here = within(people, start, end)
        found_here: set[tuple[EventType, str]] = set()
        for pattern, words in rules if here else ():
            for match in words.finditer(text, start, end):
                if quoted[match.start()] or _DENIED.search(text, max(start, match.start() - 5), match.start()):
                    continue
                found = next(_event(tagged, pattern, match, here, (start, end), weights), None)
                if found and (pattern.type, found.event.primary_character) not in found_here:
                    found_here.add((pattern.type, found.event.primary_character))
                    yield found


def _event(
    tagged: TaggedChapter,
    pattern: EventPattern,
    match: re.Match[str],
    here: Sequence[Mention],
    sentence: tuple[int, int],
    weights: Counter[str],
) -> Iterator[_Found]:
    subject, other = _roles(tagged.chapter.text, pattern, match, here)
    if subject is None or (pattern.sides == "AB" and other is None):
        return
    chapter = tagged.chapter
    piece = quote_clauses(chapter.text, min(subject.start, match.start()), match.end(), *sentence, EVIDENCE)
    witnesses = [m.entity for m in here if m.entity not in {subject.entity, other.entity if other else ""}]
    event = MajorEvent(
        name=_name(pattern, match[0], subject.entity, other.entity if other else None),
        event_type=pattern.type,
        primary_character=subject.entity,
        participants=_participants(subject, other, witnesses),
        part=chapter.part,
        chapter=chapter.number,
        task_id=chapter.task_id,
        event_order=order_at(tagged.passages, match.start()),
        summary=_summary(chapter.text, piece.start, subject.entity),
        evidence=piece.text,
        outcome=pattern.outcome or None,
        start=piece.start,
    )
    titled = subject.entity in chapter.title or any(
        chapter.text[m.start : m.end] in chapter.title for m in (subject, other) if m and m.end - m.start > 1
    )
    score = pattern.weight + titled + (other is not None) + min(1.0, weights[subject.entity] / 20)
    yield _Found(score, match.start(), event)


def _roles(
    text: str, pattern: EventPattern, match: re.Match[str], here: Sequence[Mention]
) -> tuple[Mention | None, Mention | None]:
    """Return the subject of the event and the other side of it.

    The subject of a death is the victim: the name inside the words of the event, or before 被.
    """
    before = [m for m in here if m.end <= match.start() and match.start() - m.end <= pattern.reach]
    within = [m for m in here if match.start() <= m.start and m.end <= match.end() + OBJECT_REACH]
    last = before[-1] if before else None
    if last and not pattern.passive and _CAUSED.search(text, last.end, match.start()):
        return None, None
    other = next((m for m in within if last is None or m.entity != last.entity), None)
    if not pattern.passive:
        return last, other
    if other and other.start < match.end():
        return other, last
    if (
        len(before) > 1
        and before[-2].entity != before[-1].entity
        and _PASSIVE.search(text, before[-2].end, before[-1].start)
    ):
        return before[-2], before[-1]
    return (None, None) if last and _PASSIVE.search(text, max(0, last.start - 2), last.start) else (last, None)


def _participants(subject: Mention, other: Mention | None, witnesses: Sequence[str]) -> tuple[Participant, ...]:
    objects = [Participant(other.entity, "object")] if other else []
    return (
        Participant(subject.entity, "subject"),
        *objects,
        *(Participant(name, "witness") for name in dict.fromkeys(witnesses[:3])),
    )


def _name(pattern: EventPattern, words: str, subject: str, other: str | None) -> str:
    """Name an event in 5 to 15 characters (English: the template alone)."""
    short = subject.split("[")[0]
    if not HAN.search(words):
        return pattern.name.format(A=short, B=other or "", X="")
    action = _STOP.split(_BLANK.sub("", words))[0]
    if pattern.type == "loss":
        action = "被擒" if "擒" in words else action if action[:1] in "失陷丢" else "之死"
    if pattern.type == "conflict" and not action.startswith("火"):
        action = "大战" if re.search(r"战|合|锋|杀", action) else action
    name = f"{short}{action}" if pattern.sides == "A" else f"{short}{action}{(other or '').split('[')[0]}"
    return name[: NAME[1]] if len(name) >= NAME[0] else f"{name}的经过"[: NAME[1]]


def _summary(text: str, start: int, subject: str) -> str:
    """Return at most `SUMMARY` characters of the story's own words behind the subject's full name."""
    room = SUMMARY - len(subject) - 1
    body = _BLANK.sub(" ", text[start : start + room + 10])[:room]
    cut = max((m.start() for m in _STOP.finditer(body)), default=0)
    return f"{subject}：{body[:cut] if cut >= room * 0.6 else body}"
