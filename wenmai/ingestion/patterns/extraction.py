"""The deterministic Extractor: relations, and the clearest events of a chapter, every evidence verbatim."""

import asyncio
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tools.language import HAN
from tools.records import EventType, MajorEvent, Participant
from wenmai.ingestion.contracts import Extraction, TaggedChapter
from wenmai.ingestion.names.names import within
from wenmai.ingestion.patterns.quoting import order_at, quote_clauses
from wenmai.ingestion.patterns.relations import find_relations
from wenmai.ingestion.patterns.statements import ReadChapter, Statement, find_statements

PER_CHAPTER = 8
PER_KIND = 3
NAME = (5, 15)
SUMMARY = 50
EVENT_EVIDENCE = 50
"""Characters of a quotation at most."""
_BLANK = re.compile(r"\s+")
_STOP = re.compile(r"[，。；！？、：“”,;!?:\n]")
_FEW = re.compile(r"^(?:了|到|着|过|一[张封把只块份本枚个件串])+")


@dataclass(frozen=True, slots=True)
class _RankedEvent:
    score: float
    at: int
    event: MajorEvent


def find_events(read: ReadChapter) -> list[MajorEvent]:
    """Return at most `PER_CHAPTER` events of a chapter in story order."""
    tagged = read.tagged
    weights = Counter(mention.entity for mention in tagged.mentions)
    best: dict[tuple[str, str, str], _RankedEvent] = {}
    for statement in find_statements(read, "event"):
        for found in _events(tagged, statement, weights):
            key = (found.event.event_type, found.event.primary_character, found.event.name)
            if key not in best or found.score > best[key].score:
                best[key] = found
    chosen: list[_RankedEvent] = []
    kinds: Counter[EventType] = Counter()
    for found in sorted(best.values(), key=lambda f: (-f.score, f.at)):
        if len(chosen) < PER_CHAPTER and kinds[found.event.event_type] < PER_KIND:
            chosen.append(found)
            kinds[found.event.event_type] += 1
    return [found.event for found in sorted(chosen, key=lambda f: f.at)]


def _events(tagged: TaggedChapter, statement: Statement, weights: Counter[str]) -> Iterator[_RankedEvent]:
    """Yield the event of a statement, none where it has no agent or its agent is the other side too."""
    kind = statement.rule.event
    agents = [m.entity for m in (*statement.people("A"), *statement.people("AB"))]
    others = [m.entity for slot in "BLOW" for m in statement.people(slot)]
    if kind is None or not agents or set(agents) & set(others):
        return
    chapter, text = tagged.chapter, tagged.chapter.text
    piece = quote_clauses(text, *statement.span, *statement.sentence, EVENT_EVIDENCE)
    people = {name for name, kind in tagged.kinds.items() if kind == "Character"}
    if statement.people("AB"):
        subjects, objects = agents[:1], agents[1:]
    else:
        subjects, objects = agents, [other for other in others if other in people]
    near = dict.fromkeys(m.entity for m in within(tagged.mentions, *statement.sentence))
    witnesses = [one for one in near if one in people and one not in {*agents, *others}][:3]
    event = MajorEvent(
        name=_name(kind.name, agents[0], (others + objects)[:1], statement.thing),
        event_type=kind.type,
        primary_character=agents[0],
        participants=(
            *(Participant(name, "subject") for name in dict.fromkeys(subjects)),
            *(Participant(name, "object") for name in dict.fromkeys(objects)),
            *(Participant(name, "witness") for name in witnesses),
        ),
        part=chapter.part,
        chapter=chapter.number,
        task_id=chapter.task_id,
        event_order=order_at(tagged.passages, statement.span[0]),
        summary=_summary(text, piece.start, agents[0]),
        evidence=piece.text,
        outcome=kind.outcome or None,
        start=piece.start,
    )
    titled = any(name in chapter.title for name in agents)
    score = kind.weight + titled + bool(objects) + min(1.0, weights[agents[0]] / 20)
    yield _RankedEvent(score, statement.span[0], event)


def _name(template: str, agent: str, others: Sequence[str], thing: str) -> str:
    """Name an event in 5 to 15 characters (English: the template alone)."""
    other = others[0].split("[")[0] if others else ""
    name = template.format(A=agent.split("[")[0], B=other, L=other, X=_FEW.sub("", thing)).strip()
    if not HAN.search(name):
        return name
    return name[: NAME[1]] if len(name) >= NAME[0] else f"{name}的经过"[: NAME[1]]


def _summary(text: str, start: int, subject: str) -> str:
    """Return at most `SUMMARY` characters of the story's own words behind the subject's full name."""
    room = SUMMARY - len(subject) - 1
    body = _BLANK.sub(" ", text[start : start + room + 10])[:room]
    cut = max((m.start() for m in _STOP.finditer(body)), default=0)
    return f"{subject}：{body[:cut] if cut >= room * 0.6 else body}"


class PatternExtractor:
    """Relations and events by the tables of `patterns`; no model."""

    async def extract(self, tagged: TaggedChapter) -> Extraction:
        return await asyncio.to_thread(extract, tagged)


def extract(tagged: TaggedChapter) -> Extraction:
    """Find relations and events; a record whose evidence is not verbatim in the chapter is dropped and counted."""
    text, read = tagged.chapter.text, ReadChapter.of(tagged)
    relations = [r for r in find_relations(read) if _verbatim(text, r.evidence, r.start)]
    events = find_events(read)
    kept = [event for event in events if _verbatim(text, event.evidence, event.start)]
    return Extraction(tuple(relations), tuple(kept), dropped=len(events) - len(kept))


def _verbatim(text: str, evidence: str, start: int | None) -> bool:
    return bool(evidence) and start is not None and text.startswith(evidence, start)
