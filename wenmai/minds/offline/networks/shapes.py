"""What a question asks of a network beyond one label of one instance, by the network's own names.

A walk over several steps, all instances of a type under conditions, two instances compared, two connected.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, product

from tools.language import is_chinese
from tools.networks.lexicon import Known, Lexicon
from tools.networks.words import blank, blanked, identified, in_labels, terms_in
from tools.story.linking import Mention
from tools.tables.rows import is_counted
from tools.tables.spoken import negations_in
from wenmai.minds.offline.networks.amounts import is_figure
from wenmai.minds.offline.networks.asking import TABLES
from wenmai.minds.offline.networks.degrees import Degree, degree_of
from wenmai.minds.offline.networks.focus import meant
from wenmai.minds.offline.networks.querying import Query, query_of
from wenmai.minds.offline.networks.ranking import CONNECTION
from wenmai.minds.offline.networks.reading import beside_own
from wenmai.minds.offline.networks.steps import Step, steps_of

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
class Asked:
    """A question in the network's own labels, and what it asks; `shape` is None for one label of one instance."""

    question: str
    shape: Shape | None


def asked_of(question: str, lexicon: Lexicon) -> Asked:
    """Read a question by the names of types, labels and instances."""
    question, _ = identified(question, lexicon, bare=True)
    mentions = lexicon.table.find(question)
    english = not is_chinese(blanked(question, mentions))
    text = in_labels(question, lexicon)
    return Asked(without_types(text, lexicon), shape_of(question, text, lexicon, english=english))


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
