"""People who talk to each other: called by name in a speech, taking turns, or speaking in the same passages."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby, pairwise

from tools.records import Passage, Relation
from wenmai.ingestion.contracts import TaggedChapter
from wenmai.ingestion.names.names import Mention, within
from wenmai.ingestion.passages.quoting import quote_clauses, utterance
from wenmai.ingestion.patterns.masking import Masked, ReadChapter
from wenmai.ingestion.patterns.relation_records import EVIDENCE, relation_record
from wenmai.ingestion.patterns.wordings import PERSON

TALKS = 3
"""Passages of a chapter in which two people must both speak to count as interacting."""
TURNS = 2
"""Times that the one must speak right after the other."""
TALKING_PAIRS = 4
_SAYS = "said|cried|asked|answered|replied|whispered|exclaimed|called|returned|added|murmured|observed|remarked"
_SPEAKERS = {
    "zh": re.compile(
        rf"(?:^|[”」])(?P<after>{PERSON})(?![的之、和与也，])"
        rf"|(?P<before>{PERSON})[^，。；！？：“”{PERSON}]{{0,8}}?[说道问喊叫答曰骂嚷][^，。；！？“”{PERSON}]{{0,4}}[：，][“「]"
    ),
    "en": re.compile(
        rf"(?:^|[”\"],? )(?:(?:{_SAYS}) (?:\w+ )?(?P<after>{PERSON})|(?P<first>{PERSON}) (?:\w+ly )?(?:{_SAYS})\b)"
        rf"|(?P<before>{PERSON}) (?:\w+ly )?(?:{_SAYS})[^.“”\"]{{0,20}}, [“\"]"
    ),
}
_CALLED_BEFORE = re.compile(r"(?:[“「\"，！？。…—,!?]|[“,!?\"] ?(?:my dear|my|dear|old|poor|oh)?) ?$", re.IGNORECASE)
_CALLED_AFTER = re.compile(r"[，！？…—,!?]|。(?![”」])")
_CLOSED = ("”", "」", '"')
_ALONE_BEFORE, _ENDS_ALONE = ("“", "「", '"'), re.compile(r"[。.]")


@dataclass(frozen=True, slots=True)
class _Turn:
    """A paragraph in which one person alone is shown to speak."""

    speaker: Mention
    called: tuple[Mention, ...]
    span: tuple[int, int]


def find_conversations(read: ReadChapter) -> Iterator[Relation]:
    tagged, turns = read.tagged, list(_turns(read))
    for turn in turns:
        if turn is not None:
            for one in turn.called:
                yield _addressed(tagged, turn, one)
    yield from _taking_turns(tagged, turns)
    yield from _speaking_together(tagged)


def _turns(read: ReadChapter) -> Iterator[_Turn | None]:
    """Yield the paragraphs in order, None for one of which it is not sure who alone speaks."""
    tagged, quoted, text = read.tagged, read.quoted, read.tagged.chapter.text
    for start, group in groupby(read.sentences, key=lambda one: text.rfind("\n", 0, one.span[0]) + 1):
        members = list(group)
        end = members[-1].span[1]
        speakers = [one for masked in members for one in _speakers(masked, read)]
        if len({one.entity for one in speakers}) != 1:
            yield None
            continue
        people = [m for m in within(tagged.mentions, start, end) if tagged.kinds.get(m.entity) == "Character"]
        called = [m for m in people if quoted[m.start] and m.entity != speakers[0].entity and _is_called(text, m)]
        yield _Turn(speakers[0], tuple(called), (start, end))


def _speakers(masked: Masked, read: ReadChapter) -> Iterator[Mention]:
    """Yield the people of a sentence who speak; one that it begins with does if a quotation ends before it."""
    follows = read.tagged.chapter.text[max(0, masked.span[0] - 2) : masked.span[0]].rstrip(" ").endswith(_CLOSED)
    for match in _SPEAKERS[read.language].finditer(masked.text):
        place = match.start(match.lastgroup or 0)
        is_shown = match.start() > 0 or match.lastgroup == "before" or follows
        if is_shown and place in masked.names and not read.quoted[masked.at[place]]:
            yield masked.names[place]


def _is_called(text: str, one: Mention) -> bool:
    """Return True if a quoted name is set off as a call; one that is a whole quotation may be an answer as well."""
    if not _CALLED_BEFORE.search(text, max(0, one.start - 12), one.start):
        return False
    is_alone = text[one.start - 1] in _ALONE_BEFORE and _ENDS_ALONE.match(text, one.end)
    return not is_alone and _CALLED_AFTER.match(text, one.end) is not None


def _addressed(tagged: TaggedChapter, turn: _Turn, one: Mention) -> Relation:
    text, start, end = tagged.chapter.text, min(one.start, turn.speaker.start), max(one.end, turn.speaker.end)
    opened = max(turn.span[0], *(text.rfind(mark, turn.span[0], start) for mark in _ALONE_BEFORE))
    piece = quote_clauses(text, opened if end - opened <= EVIDENCE else start, end, *turn.span, EVIDENCE)
    pair = turn.speaker.entity, one.entity
    return relation_record(tagged, *pair, type="INTERACTS_WITH", description="对话", piece=piece, at=start)


def _taking_turns(tagged: TaggedChapter, turns: Sequence[_Turn | None]) -> Iterator[Relation]:
    times: Counter[tuple[str, str]] = Counter()
    for one, other in pairwise(turns):
        if one and other and one.speaker.entity != other.speaker.entity:
            pair = _pair(one.speaker.entity, other.speaker.entity)
            times[pair] += 1
            if times[pair] == TURNS:
                piece = utterance(tagged.chapter.text, other.span[0], EVIDENCE)
                place = other.span[0]
                yield relation_record(tagged, *pair, type="INTERACTS_WITH", description="对话", piece=piece, at=place)


def _speaking_together(tagged: TaggedChapter) -> Iterator[Relation]:
    """Yield the pairs that speak in the same passages often enough, the most frequent first."""
    pairs: Counter[tuple[str, str]] = Counter()
    first: dict[tuple[str, str], Passage] = {}
    for passage in tagged.passages:
        for a, b in combinations(passage.characters, 2):
            pairs[_pair(a, b)] += 1
            first.setdefault(_pair(a, b), passage)
    for pair, times in pairs.most_common(TALKING_PAIRS):
        if times >= TALKS:
            yield _conversation(tagged, pair, times, first[pair])


def _pair(one: str, other: str) -> tuple[str, str]:
    return min(one, other), max(one, other)


def _conversation(tagged: TaggedChapter, pair: tuple[str, str], times: int, passage: Passage) -> Relation:
    speaking = [m for m in within(tagged.speakers, passage.start, passage.end) if m.entity in pair]
    place = speaking[-1].start
    piece = utterance(tagged.chapter.text, place, EVIDENCE)
    return relation_record(tagged, *pair, type="INTERACTS_WITH", description=f"对话 {times} 处", piece=piece, at=place)
