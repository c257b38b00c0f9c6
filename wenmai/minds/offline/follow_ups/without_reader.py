"""The little that can be resolved where there is no reader: the one thing of a talk that a pronoun can mean."""

from state.session import Session
from tools.story.linking import NameTable
from wenmai.minds.offline.follow_ups.mentions import PRONOUN, Kind, kind_of
from wenmai.minds.offline.follow_ups.names import PERSON
from wenmai.minds.offline.follow_ups.references import Resolved
from wenmai.minds.offline.follow_ups.rewriting import Substitution, is_bare, rewritten


def resolve_simply(question: str, session: Session, table: NameTable) -> Resolved:
    """Resolve a bare question by the last one, and pronouns by the only entity of the session that fits."""
    last = session["turns"][-1]["resolved"] if session["turns"] else None
    if is_bare(question):
        return Resolved(rewritten(question, (), last))
    if table.find(question):
        return Resolved(question)
    found = []
    for match in PRONOUN.finditer(question):
        fitting = _fitting(kind_of(match[0]), session, table)
        if len(fitting) == 1:
            found.append(Substitution(*match.span(), fitting[0]))
    return Resolved(rewritten(question, found, last), tuple(found))


def _fitting(kind: Kind, session: Session, table: NameTable) -> list[str]:
    """Return the session's entities that a pronoun of a kind can mean."""
    if kind == "several":
        return []
    kinds = {entity["name"]: entity["kind"] or table.kind(entity["name"]) for entity in session["entities"]}
    return [name for name, label in kinds.items() if (label == PERSON) == (kind == "person")]
