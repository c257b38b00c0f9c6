"""What a question asks of a network beyond one label of one instance, by the network's own names.

A walk over several steps, all instances of a type under conditions, two instances compared, two connected.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product

from tools.language import is_chinese
from tools.networks.figures import keys_of
from tools.networks.lexicon import ALIASES, Known, Lexicon
from tools.networks.records import Direction, NetworkSchema, ObjectType, RelationType
from tools.networks.words import blank, blanked, identified, in_labels, relation_of, terms_in
from tools.story.names import Mention
from tools.tables.rows import is_counted, negations_in
from wenmai.minds.offline.networks.amounts import Degree, degree_of, is_figure
from wenmai.minds.offline.networks.asking import TABLES, TOLD, asks_for
from wenmai.minds.offline.networks.focus import meant
from wenmai.minds.offline.networks.querying import Query, query_of
from wenmai.minds.offline.networks.ranking import CONNECTION
from wenmai.minds.offline.networks.reading import beside_own

MOST_STEPS = 4
LAST = 1.2  # how much the rest of a question must ask for a property at the end of a walk
OUTGOING: Direction = "outgoing"
INCOMING: Direction = "incoming"


@dataclass(frozen=True, slots=True)
class Step:
    """One step: along a relation, or to a property where `direction` is None.

    Attributes:
        label: of the relation or property; `said` is how an answer calls what it leads to.
        leads_to: type of what a relation leads to, of a property the type that has it.
    """

    label: str
    said: str
    direction: Direction | None
    leads_to: ObjectType


@dataclass(frozen=True, slots=True)
class NamedStep:
    """A step with where a text names it."""

    start: int
    end: int
    step: Step


def steps_of(before: str, behind: str, type: ObjectType, schema: NetworkSchema, *, english: bool) -> tuple[Step, ...]:
    """Return the steps that a question takes from an instance; () where it asks for one label of the instance itself.

    Args:
        before: the question up to the name.
        behind: the question from the name on.
        type: of the instance.
        schema: of its network.
        english: whether what stands before the name is read too: the birthplace of the captain of ….
    """
    steps = list(forward(behind, type, schema))
    if english and not (steps and steps[-1].direction is None):
        steps += backward(before, behind, steps[-1].leads_to if steps else type, schema)
    return tuple(steps) if len(steps) > 1 else ()


def forward(text: str, type: ObjectType, schema: NetworkSchema) -> Iterator[Step]:
    """Give the steps that a text names one behind the other, the longest of those that begin there; a property last."""
    taken = ""
    for _ in range(MOST_STEPS):
        named = [*relations_named(text, type, schema), *neighbours_named(text, type, schema)]
        found = min(named, key=lambda one: (one.start, one.start - one.end), default=None)
        if found is None or found.step.label == taken:  # 哪条船的船长 goes back where it came from
            break
        yield found.step
        text, type, taken = text[found.end :], found.step.leads_to, found.step.label
    if (last := last_step(text, type, schema)) is not None:
        yield last


def backward(text: str, behind: str, type: ObjectType, schema: NetworkSchema) -> Iterator[Step]:
    """Give the steps that an English text names before the instance, the nearest first: birthplace of the captain of.

    What is asked of the last may stand behind the name: where was the captain of … born.
    """
    for _ in range(MOST_STEPS):
        named = list(relations_named(text, type, schema))
        if not named:
            break
        found = max(named, key=lambda one: (one.end, one.end - one.start))
        yield found.step
        text, type = text[: found.start], found.step.leads_to
    if (last := last_step(f"{text} {behind}", type, schema)) is not None:
        yield last


def relations_named(text: str, type: ObjectType, schema: NetworkSchema) -> Iterator[NamedStep]:
    """Give where a text names a relation that leads out of a type."""
    for term in terms_in(text, schema):
        if term.kind == "relation" and term.type_id == type.id:
            relation = relation_of(schema, term.id)
            if other := schema.object_type(relation.target_object_type_id):
                yield NamedStep(term.start, term.end, Step(relation.name, relation.name, OUTGOING, other))


def neighbours_named(text: str, type: ObjectType, schema: NetworkSchema) -> Iterator[NamedStep]:
    """Give where a text names the type of what leads to a type: 船 behind a house that ships belong to."""
    types = [term for term in terms_in(text, schema) if term.kind == "type"]
    for relation in schema.relation_types:
        if relation.target_object_type_id == type.id and not relation.reflexive and is_only(relation, schema):
            for term in types:
                other = schema.object_type(relation.source_object_type_id)
                if other and term.id == other.id:
                    yield NamedStep(term.start, term.end, Step(relation.name, other.name, INCOMING, other))


def is_only(relation: RelationType, schema: NetworkSchema) -> bool:
    """Return True if a relation is the only one between its ends: else a type does not tell which one is meant."""
    ends = {relation.source_object_type_id, relation.target_object_type_id}
    others = [{one.source_object_type_id, one.target_object_type_id} for one in schema.relation_types]
    return others.count(ends) == 1


def last_step(text: str, type: ObjectType, schema: NetworkSchema) -> Step | None:
    """Return the property that the rest of a question asks for; a name and a text on the whole are none."""
    hidden = (*keys_of(type, schema), type.display_key)
    labels = [one.label for one in type.properties if one.name not in hidden]
    asked = [
        (asks_for(text, one), one) for one in labels if one in text or not (TOLD.search(one) or ALIASES.search(one))
    ]
    worth, label = max(asked, default=(0.0, ""))
    return Step(label, label, None, type) if worth >= LAST else None


COMPARING = re.compile(TABLES["comparing"], re.IGNORECASE)
PAIR = 2
MOST_READINGS = 64


@dataclass(frozen=True, slots=True)
class Walk:
    """From an instance along relations, perhaps to a property at the end: 云雀号的船长的籍贯."""

    start: Known
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Several instances by one label."""

    members: tuple[Known, ...]
    degree: Degree


@dataclass(frozen=True, slots=True)
class Connection:
    """What two instances have to do with each other."""

    one: Known
    other: Known

    @property
    def is_of_one_network(self) -> bool:
        """Whether relations can join them."""
        return self.one.network_id == self.other.network_id


Shape = Walk | Query | Comparison | Connection


@dataclass(frozen=True, slots=True)
class NetworkQuestion:
    """A question in the network's own labels, and what it asks; `shape` is None for one label of one instance."""

    question: str
    shape: Shape | None


def asked_of(question: str, lexicon: Lexicon) -> NetworkQuestion:
    """Read a question by the names of types, labels and instances."""
    question, _ = identified(question, lexicon, bare=True)
    mentions = lexicon.table.find(question)
    english = not is_chinese(blanked(question, mentions))
    text = in_labels(question, lexicon)
    return NetworkQuestion(without_types(text, lexicon), shape_of(question, text, lexicon, english=english))


def without_types(text: str, lexicon: Lexicon) -> str:
    """Return a question without the types beside their instances, which are no labels: the owner of project Delta."""
    mentions = lexicon.table.find(text)
    plain = blanked(text, mentions)
    spans = [
        span
        for schema in lexicon.schemas.values()
        for mention in mentions
        for span in beside_own(plain, terms_in(plain, schema), mention, meant(mention, lexicon))
    ]
    return blank(text, spans)


def shape_of(question: str, text: str, lexicon: Lexicon, *, english: bool) -> Shape | None:
    """Return what a question asks; None for one label of one instance, and for what is none of these."""
    mentions = lexicon.table.find(text)
    plain = blanked(text, mentions)
    meanings = [owners for mention in mentions if (owners := meant(mention, lexicon))]
    found: Shape | None = None
    if len(meanings) >= PAIR:
        shapes = (connection(plain, named) or comparison(plain, named) for named in readings(meanings))
        found = next((one for one in shapes if one), None)
    elif len(meanings) == 1 and not is_figure(plain) and not negations_in(plain):
        found = walk(plain, mentions[0], lexicon, english=english)
    if isinstance(found, Walk) and (query := query_of(question, lexicon)) and query.asked:
        return found if found.steps[-1].leads_to == query.told else query  # it stops before what is asked for
    return found or query_of(question, lexicon)


def readings(meanings: Sequence[Sequence[Known]]) -> list[tuple[Known, ...]]:
    """Return what several names may mean together: those of one network first, and of one type."""
    chosen = islice(product(*meanings), MOST_READINGS)
    return sorted(
        chosen, key=lambda named: (len({one.network_id for one in named}), len({one.type.id for one in named}))
    )


def connection(plain: str, named: Sequence[Known]) -> Connection | None:
    """Read a question for the connection of two instances."""
    return Connection(named[0], named[1]) if CONNECTION.search(plain) and len(named) == PAIR else None


def comparison(plain: str, named: Sequence[Known]) -> Comparison | None:
    """Read a question that compares instances by a label which all of them hold."""
    if not COMPARING.search(plain):
        return None
    shared = [label for label in named[0].values if all(is_counted(one.values.get(label, ())) for one in named)]
    degree = degree_of(plain, shared)
    return Comparison(tuple(named), degree) if degree else None


def walk(plain: str, mention: Mention, lexicon: Lexicon, *, english: bool) -> Walk | None:
    """Read a question that goes on from what stands beside an instance."""
    sides = plain[: mention.start], plain[mention.end :]
    for start in meant(mention, lexicon):
        schema = lexicon.schemas.get(start.network_id)
        if schema and (steps := steps_of(*sides, start.type, schema, english=english)):
            return Walk(start, steps)
    return None
