"""Relations by patterns between two names, every evidence verbatim."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations, pairwise

from tools.language import HAN
from tools.records import Passage, Relation
from tools.sentences import statement_spans
from wenmai.ingestion.contracts import TaggedChapter
from wenmai.ingestion.names.mentions import Mention, within
from wenmai.ingestion.passages.quoting import quote_clauses, quoted_mask, utterance
from wenmai.ingestion.patterns.kinship import find_kin
from wenmai.ingestion.patterns.pattern_tables import ENGLISH_RELATIONS, RELATIONS, RelationPattern
from wenmai.ingestion.patterns.relation_records import EVIDENCE, relation_record

MAX_GAP = 24
"""Characters between two names that a pattern may span."""
TALKS = 3
"""Passages of a chapter in which two people must both speak to count as interacting."""
TALKING_PAIRS = 4
_DENIED = re.compile(r"不|未|欲|勿|莫|休|若|如|岂|安能|何|能|可|not |never |would |could |if ")


@dataclass(frozen=True, slots=True)
class _Compiled:
    pattern: RelationPattern
    between: re.Pattern[str]
    after: re.Pattern[str]


@cache
def _compiled(chinese: bool) -> tuple[_Compiled, ...]:
    table = RELATIONS if chinese else ENGLISH_RELATIONS
    return tuple(_Compiled(p, re.compile(p.between), re.compile(p.after)) for p in table)


def find_relations(tagged: TaggedChapter) -> list[Relation]:
    """Return the relations that a chapter states, each once, in order of their first place."""
    text = tagged.chapter.text
    chinese = bool(HAN.search(text))
    quoted = quoted_mask(text)
    found: dict[tuple[str, str, str], Relation] = {}
    for start, end in statement_spans(text):
        here = within(tagged.mentions, start, end)
        for first, second in pairwise(here):
            for relation in _between(tagged, first, second, (start, end), chinese, bool(quoted[first.start])):
                found.setdefault((relation.source, relation.type, relation.target), relation)
    for relation in (*find_kin(tagged, quoted), *_interactions(tagged)):
        found.setdefault((relation.source, relation.type, relation.target), relation)
    return list(found.values())


def _between(
    tagged: TaggedChapter, first: Mention, second: Mention, sentence: tuple[int, int], chinese: bool, quoted: bool
) -> Iterator[Relation]:
    """Yield what one pair of neighbouring names states. Threats and wishes in speech are no enmity."""
    text = tagged.chapter.text
    gap = text[first.end : second.start]
    if first.entity == second.entity or len(gap) > MAX_GAP or _DENIED.search(gap):
        return
    for rule in _compiled(chinese):
        if quoted and rule.pattern.type in ("ENEMY_OF", "INTERACTS_WITH"):
            continue
        after = rule.after.match(text, second.end, sentence[1])
        if rule.between.fullmatch(gap) and after and _kinds(rule.pattern, tagged, first, second):
            yield _relation(tagged, rule.pattern, first, second, after, sentence)
            return


def _kinds(pattern: RelationPattern, tagged: TaggedChapter, first: Mention, second: Mention) -> bool:
    """Return True if both ends are of the pattern's kinds; a person may join an organisation as well as a person."""
    left, right = tagged.kinds.get(first.entity), tagged.kinds.get(second.entity)
    joins = pattern.type == "MEMBER_OF" and not pattern.swap and right == "Organization"
    return left == pattern.kinds[0] and (right == pattern.kinds[1] or joins)


def _relation(
    tagged: TaggedChapter,
    pattern: RelationPattern,
    first: Mention,
    second: Mention,
    after: re.Match[str],
    sentence: tuple[int, int],
) -> Relation:
    source, target = (second, first) if pattern.swap else (first, second)
    piece = quote_clauses(tagged.chapter.text, first.start, max(second.end, after.end()), *sentence, EVIDENCE)
    description = pattern.description or after[0].strip("之的也，。； ")
    names = source.entity, target.entity
    return relation_record(tagged, *names, type=pattern.type, description=description, piece=piece, at=first.start)


def _interactions(tagged: TaggedChapter) -> Iterator[Relation]:
    """Yield the pairs that speak in the same passages often enough, the most frequent first."""
    pairs: Counter[tuple[str, str]] = Counter()
    first: dict[tuple[str, str], Passage] = {}
    for passage in tagged.passages:
        for a, b in combinations(passage.characters, 2):
            pair = (min(a, b), max(a, b))
            pairs[pair] += 1
            first.setdefault(pair, passage)
    for pair, times in pairs.most_common(TALKING_PAIRS):
        if times >= TALKS:
            yield _interaction(tagged, pair, times, first[pair])


def _interaction(tagged: TaggedChapter, pair: tuple[str, str], times: int, passage: Passage) -> Relation:
    speaking = [m for m in within(tagged.speakers, passage.start, passage.end) if m.entity in pair]
    place = speaking[-1].start
    piece = utterance(tagged.chapter.text, place, EVIDENCE)
    return relation_record(tagged, *pair, type="INTERACTS_WITH", description=f"对话 {times} 处", piece=piece, at=place)
