"""The deterministic Extractor: relations, and the clearest events of a chapter, every evidence verbatim.

Relations come from wordings, kinship and talk. Kinship leads from a person named behind a word of kinship to a relative
named before it: 艾乃令子邓忠, 操曰…其弟曹仁. The relative is the nearest person before the word who has the same
surname; kin by marriage and of the mother's side bear other surnames and are left to the wordings. That two people talk
is shown by a name called in a speech, by turns taken, or by speaking in the same passages.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, groupby, pairwise, product
from typing import TypeVar

from state.context import Language
from tools.language import HAN
from tools.records import EventType, MajorEvent, Participant, Passage, Relation
from tools.text.sentences import with_curly_quotes
from wenmai.ingestion.contracts import Extraction, TaggedChapter
from wenmai.ingestion.names.names import TextMention, within
from wenmai.ingestion.patterns.quoting import EVIDENCE, Quotation, order_at, quote_clauses, relation_record, utterance
from wenmai.ingestion.patterns.statements import PERSON, Masked, ReadChapter, Statement, find_statements
from wenmai.language.lexicon import surname


def find_relations(read: ReadChapter) -> list[Relation]:
    """Return the relations that a chapter states, each once, in order of their first place."""
    found: dict[tuple[str, str, str], Relation] = {}
    tagged = read.tagged
    for statement in find_statements(read, "relation"):
        piece = quote_clauses(tagged.chapter.text, *statement.span, *statement.sentence, EVIDENCE)
        targets = [one for slot in "BOLW" for one in statement.people(slot)]
        for source, target in (*product(statement.people("A"), targets), *combinations(statement.people("AB"), 2)):
            if source.entity != target.entity:
                # An office at a place has no members.
                is_post = statement.rule.kind == "MEMBER_OF" and tagged.kinds.get(target.entity) == "Location"
                relation = relation_record(
                    tagged,
                    source.entity,
                    target.entity,
                    type="LOCATED_IN" if is_post else statement.rule.kind,
                    description=statement.description,
                    piece=piece,
                    at=statement.span[0],
                )
                found.setdefault((relation.source, relation.type, relation.target), relation)
    for relation in (*find_kin(tagged, read.quoted), *find_conversations(read)):
        if (relation.target, relation.type, relation.source) not in found:
            found.setdefault((relation.source, relation.type, relation.target), relation)
    return list(found.values())


REACH = 60  # characters before the word of kinship in which the relative is looked for, within the paragraph
LISTING = 120  # characters in which several children are listed one after the other
FAR = 1500  # characters in which whoever a pronoun means must be named
KIN = (
    ("之子", r"(?:(?<![公太世天兄弟姊姐妹君童夫孙养义男女臣才浪父母妻孔老庄孟荀])(?<![兄弟姊妹]之)子|儿子)"),
    ("之女", r"(?:[之其长次幼]女|女儿)"),
    ("之弟", r"(?:(?<![兄徒贤吾我汝舍御])弟|弟弟)"),
    ("之兄", r"(?:[其乃之亲从族长]兄|哥哥)"),
    ("之侄", r"(?:(?<![贤吾我])侄|侄子|侄儿)"),
    ("之父", r"(?:[其之]父|父亲)"),
)
"""Words of kinship that stand right before a name, and what its bearer is to the relative."""
_WORDS = tuple((description, re.compile(rf"{words}(?:[名曰乃]|叫|叫做)?$")) for description, words in KIN)
_OWNED = re.compile(r"[他她我]的?$")
_LONGEST = 5
_OWN = ("“", "「", "‘")
"""A quotation that opens with the word of kinship is how the speaker refers to himself: “族弟刘璋."""
_LISTED = re.compile(r"[、，]|[，、]?(?:次|幼|三|长)子|[和与及]")


@dataclass(frozen=True, slots=True)
class _Kin:
    """A person named behind a word of kinship that begins at `at`."""

    one: TextMention
    at: int
    description: str


def find_kin(tagged: TaggedChapter, quoted: bytearray) -> Iterator[Relation]:
    """Yield the kinships that a shared surname shows, in order of their places; `quoted` as in `quoted_mask`."""
    text = tagged.chapter.text
    found_kin: dict[str, tuple[_Kin, TextMention | None]] = {}
    last: _Kin | None = None
    for one in tagged.mentions:
        found = _named_as_kin(tagged, one) or _listed(tagged, last, one)
        if found is None:
            continue
        last, relative = found, _relative(tagged, found, found_kin)
        if relative is None:
            relative = _owner(tagged, found)
        elif quoted[relative.start] != quoted[found.at] or (
            quoted[found.at] and re.search("[“「『”」』]", text[relative.start : found.at])
        ):
            relative = None  # another voice names the relative
        found_kin[one.entity] = (found, relative)
        if relative is not None:
            yield _kinship(tagged, found, relative)


def _named_as_kin(tagged: TaggedChapter, one: TextMention) -> _Kin | None:
    text = tagged.chapter.text
    if tagged.kinds.get(one.entity) == "Character" and surname(text[one.start : one.end]):
        before = text[max(0, one.start - _LONGEST) : one.start]
        for description, word in _WORDS:
            found = word.search(before)
            if found and before[: found.start()][-1:] not in _OWN:
                return _Kin(one, one.start - len(before) + found.start(), description)
    return None


def _listed(tagged: TaggedChapter, last: _Kin | None, one: TextMention) -> _Kin | None:
    """Return the second of 二子关平、关兴: the same kin of the same relative."""
    if last is None or _family(last.one.entity) != _family(one.entity):
        return None
    between = tagged.chapter.text[last.one.end : one.start]
    return _Kin(one, last.at, last.description) if _LISTED.fullmatch(between) else None


def _relative(
    tagged: TaggedChapter, kin: _Kin, found_kin: Mapping[str, tuple[_Kin, TextMention | None]]
) -> TextMention | None:
    """Return the nearest person of the same surname; a person named as the same kin shares the relative."""
    text, family = tagged.chapter.text, _family(kin.one.entity)
    paragraph = text.rfind("\n", 0, kin.at) + 1
    for one in reversed(within(tagged.mentions, max(paragraph, kin.at - REACH), kin.at)):
        if not family or _family(one.entity) != family or one.entity == kin.one.entity:
            continue
        other, relative = found_kin.get(one.entity, (None, None))
        if other is None or kin.at - other.at > LISTING or text[one.end : kin.at] in ("", "之"):
            return one
        if other.description == kin.description and relative is not None and relative.entity != kin.one.entity:
            return relative
    return None


def _owner(tagged: TaggedChapter, kin: _Kin) -> TextMention | None:
    """Return the only other bearer of the surname who is near where a pronoun says whose kin it is: 她的父亲陆怀远."""
    family = _family(kin.one.entity)
    if not family or not _OWNED.search(tagged.chapter.text, max(0, kin.at - 2), kin.at):
        return None
    near = within(tagged.mentions, max(0, kin.at - FAR), kin.at)
    others = [one for one in near if _family(one.entity) == family and one.entity != kin.one.entity]
    return others[-1] if len({one.entity for one in others}) == 1 else None


def _family(name: str) -> str:
    return surname(name.split("[")[0])


def _kinship(tagged: TaggedChapter, kin: _Kin, relative: TextMention) -> Relation:
    text, end = tagged.chapter.text, kin.one.end

    def quoted_from(start: int) -> Quotation:
        sentence = max(text.rfind(mark, 0, start) for mark in "。！？\n") + 1
        return quote_clauses(text, start, end, sentence, len(text), EVIDENCE)

    piece = quoted_from(relative.start)
    if (
        "\n" in text[relative.start : kin.at] or piece.start + len(piece.text) < end
    ):  # too far apart to be quoted in one
        piece = quoted_from(kin.at)
    names = kin.one.entity, relative.entity
    return relation_record(tagged, *names, type="FAMILY_OF", description=kin.description, piece=piece, at=kin.one.start)


TALKS = 3  # passages of a chapter in which two people must both speak to count as interacting
TURNS = 2  # times that the one must speak right after the other
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

    speaker: TextMention
    called: tuple[TextMention, ...]
    span: tuple[int, int]


TALK = {"zh": "对话", "en": "talk"}
TALKED = {"zh": "对话 {times} 处", "en": "talk in {times} passages"}


def find_conversations(read: ReadChapter) -> Iterator[Relation]:
    tagged, text, turns = read.tagged, read.tagged.chapter.text, list(_turns(read))
    for turn in filter(None, turns):
        for one in turn.called:
            start, end = min(one.start, turn.speaker.start), max(one.end, turn.speaker.end)
            opened = max(turn.span[0], *(text.rfind(mark, turn.span[0], start) for mark in _ALONE_BEFORE))
            piece = quote_clauses(text, opened if end - opened <= EVIDENCE else start, end, *turn.span, EVIDENCE)
            pair = turn.speaker.entity, one.entity
            yield relation_record(
                tagged, *pair, type="INTERACTS_WITH", description=TALK[read.language], piece=piece, at=start
            )
    yield from _taking_turns(tagged, turns, read.language)
    yield from _speaking_together(tagged, read.language)


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


def _speakers(masked: Masked, read: ReadChapter) -> Iterator[TextMention]:
    """Yield the people of a sentence who speak; one that it begins with does if a quotation ends before it."""
    follows = read.tagged.chapter.text[max(0, masked.span[0] - 2) : masked.span[0]].rstrip(" ").endswith(_CLOSED)
    for match in _SPEAKERS[read.language].finditer(masked.text):
        place = match.start(match.lastgroup or 0)
        is_shown = match.start() > 0 or match.lastgroup == "before" or follows
        if is_shown and place in masked.names and not read.quoted[masked.at[place]]:
            yield masked.names[place]


def _is_called(text: str, one: TextMention) -> bool:
    """Return True if a quoted name is set off as a call; one that is a whole quotation may be an answer as well."""
    if not _CALLED_BEFORE.search(text, max(0, one.start - 12), one.start):
        return False
    is_alone = text[one.start - 1] in _ALONE_BEFORE and _ENDS_ALONE.match(text, one.end)
    return not is_alone and _CALLED_AFTER.match(text, one.end) is not None


def _taking_turns(tagged: TaggedChapter, turns: Sequence[_Turn | None], language: Language) -> Iterator[Relation]:
    times: Counter[tuple[str, str]] = Counter()
    for one, other in pairwise(turns):
        if one and other and one.speaker.entity != other.speaker.entity:
            pair = _pair(one.speaker.entity, other.speaker.entity)
            times[pair] += 1
            if times[pair] == TURNS:
                piece = utterance(tagged.chapter.text, other.span[0], EVIDENCE)
                place = other.span[0]
                yield relation_record(
                    tagged, *pair, type="INTERACTS_WITH", description=TALK[language], piece=piece, at=place
                )


def _speaking_together(tagged: TaggedChapter, language: Language) -> Iterator[Relation]:
    """Yield the pairs that speak in the same passages often enough, the most frequent first."""
    pairs: Counter[tuple[str, str]] = Counter()
    first: dict[tuple[str, str], Passage] = {}
    for passage in tagged.passages:
        for a, b in combinations(passage.characters, 2):
            pairs[_pair(a, b)] += 1
            first.setdefault(_pair(a, b), passage)
    for pair, times in pairs.most_common(TALKING_PAIRS):
        if times >= TALKS:
            passage = first[pair]
            place = [m for m in within(tagged.speakers, passage.start, passage.end) if m.entity in pair][-1].start
            piece = utterance(tagged.chapter.text, place, EVIDENCE)
            said = TALKED[language].format(times=times)
            yield relation_record(tagged, *pair, type="INTERACTS_WITH", description=said, piece=piece, at=place)


def _pair(one: str, other: str) -> tuple[str, str]:
    return min(one, other), max(one, other)


PER_CHAPTER = 8
PER_KIND = 3
NAME = (5, 15)
SUMMARY = 50
EVENT_EVIDENCE = 50  # characters of a quotation at most
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


Record = TypeVar("Record", Relation, MajorEvent)


class PatternExtractor:
    """Relations and events by the tables of `patterns`; no model."""

    async def extract(self, tagged: TaggedChapter) -> Extraction:
        return await asyncio.to_thread(extract, tagged)


def extract(tagged: TaggedChapter) -> Extraction:
    """Find relations and events; a record whose evidence is not verbatim in the chapter is dropped and counted.

    All quotation marks are read as “ and ”; evidence is quoted as the chapter has it.
    """
    text = tagged.chapter.text
    curled = with_curly_quotes(text)
    read = ReadChapter.of(replace(tagged, chapter=replace(tagged.chapter, text=curled)))
    relations, events = find_relations(read), find_events(read)
    kept = tuple(_as_written(events, curled, text))
    return Extraction(tuple(_as_written(relations, curled, text)), kept, dropped=len(events) - len(kept))


def _as_written(records: Sequence[Record], curled: str, text: str) -> Iterator[Record]:
    """Yield the records whose evidence is verbatim in the curled text, with the evidence of the text itself."""
    for one in records:
        if one.evidence and one.start is not None and curled.startswith(one.evidence, one.start):
            yield replace(one, evidence=text[one.start : one.start + len(one.evidence)])
