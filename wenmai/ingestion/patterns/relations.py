"""Relations that a chapter states, every evidence verbatim."""

from collections.abc import Iterator
from itertools import combinations, product

from tools.records import Relation
from wenmai.ingestion.contracts import TaggedChapter
from wenmai.ingestion.names.names import Mention
from wenmai.ingestion.passages.quoting import quote_clauses
from wenmai.ingestion.patterns.conversations import find_conversations
from wenmai.ingestion.patterns.kinship import find_kin
from wenmai.ingestion.patterns.masking import ReadChapter
from wenmai.ingestion.patterns.relation_records import EVIDENCE, relation_record
from wenmai.ingestion.patterns.statements import Statement, find_statements

_TARGETS = ("B", "O", "L", "W")


def find_relations(read: ReadChapter) -> list[Relation]:
    """Return the relations that a chapter states, each once, in order of their first place."""
    found: dict[tuple[str, str, str], Relation] = {}
    tagged = read.tagged
    for statement in find_statements(read, "relation"):
        for source, target in _ends(statement):
            relation = _relation(tagged, statement, source, target)
            found.setdefault((relation.source, relation.type, relation.target), relation)
    for relation in (*find_kin(tagged, read.quoted), *find_conversations(read)):
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
