"""Relations that a chapter states, every evidence verbatim."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, product

from tools.records import Passage, Relation
from wenmai.ingestion.contracts import TaggedChapter
from wenmai.ingestion.names.mentions import Mention, within
from wenmai.ingestion.passages.quoting import quote_clauses, quoted_mask, utterance
from wenmai.ingestion.patterns.kinship import find_kin
from wenmai.ingestion.patterns.relation_records import EVIDENCE, relation_record
from wenmai.ingestion.patterns.statements import Statement, find_statements

_TARGETS = ("B", "O", "L", "W")
TALKS = 3
"""Passages of a chapter in which two people must both speak to count as interacting."""
TALKING_PAIRS = 4


def find_relations(tagged: TaggedChapter) -> list[Relation]:
    """Return the relations that a chapter states, each once, in order of their first place."""
    found: dict[tuple[str, str, str], Relation] = {}
    for statement in find_statements(tagged, "relation"):
        for source, target in _ends(statement):
            relation = _relation(tagged, statement, source, target)
            found.setdefault((relation.source, relation.type, relation.target), relation)
    for relation in (*find_kin(tagged, quoted_mask(tagged.chapter.text)), *_conversations(tagged)):
        if (relation.target, relation.type, relation.source) not in found:
            found.setdefault((relation.source, relation.type, relation.target), relation)
    return list(found.values())


def _ends(statement: Statement) -> Iterator[tuple[Mention, Mention]]:
    targets = [one for slot in _TARGETS for one in statement.people(slot)]
    pairs = [*product(statement.people("A"), targets), *combinations(statement.people("AB"), 2)]
    return ((source, target) for source, target in pairs if source.entity != target.entity)


def _relation(tagged: TaggedChapter, statement: Statement, source: Mention, target: Mention) -> Relation:
    piece = quote_clauses(tagged.chapter.text, *statement.span, *statement.sentence, EVIDENCE)
    return relation_record(
        tagged,
        source.entity,
        target.entity,
        type="LOCATED_IN" if _is_post(tagged, statement, target) else statement.rule.kind,
        description=statement.description,
        piece=piece,
        at=statement.span[0],
    )


def _is_post(tagged: TaggedChapter, statement: Statement, target: Mention) -> bool:
    """Return True for an office at a place, which has no members."""
    return statement.rule.kind == "MEMBER_OF" and tagged.kinds.get(target.entity) == "Location"


def _conversations(tagged: TaggedChapter) -> Iterator[Relation]:
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
            yield _conversation(tagged, pair, times, first[pair])


def _conversation(tagged: TaggedChapter, pair: tuple[str, str], times: int, passage: Passage) -> Relation:
    speaking = [m for m in within(tagged.speakers, passage.start, passage.end) if m.entity in pair]
    place = speaking[-1].start
    piece = utterance(tagged.chapter.text, place, EVIDENCE)
    return relation_record(tagged, *pair, type="INTERACTS_WITH", description=f"对话 {times} 处", piece=piece, at=place)
