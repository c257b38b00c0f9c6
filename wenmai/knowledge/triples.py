"""Networks from triples `{head: [[head, relation, tail], …]}`: types, properties and relations are inferred.

A tail that is another head makes a relation, any other one a value, unless hardly any tail of its relation is a head.
A relation name that joins several pairs of types becomes a relation type for each.

Heads of triples are of one type that the same relations describe: a frequent relation whose heads hardly overlap with
those of the types before it founds a type; then every head goes to the type whose heads have its relations (naive Bayes
with add-one smoothing, a few rounds).
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import log
from pathlib import Path

from tools.errors import InputError
from tools.networks.records import Value
from tools.wording import Words
from wenmai.knowledge.content import (
    CheckedContent,
    Link,
    NetworkSpec,
    ObjectSpec,
    PropertySpec,
    RelationSpec,
    Row,
    identifier,
    identifiers,
    ordered_content,
)
from wenmai.knowledge.files import WHOLE, parsed_json, text_of

# Chosen on the three domains of KdConv, whose heads are films with people, music with musicians, and sights.
UNIVERSAL = 0.5  # a relation of so many heads tells nothing
LEAST = 0.05  # a type has so many of the heads
LEAST_HEADS = 5
OVERLAP = 0.1  # share of a founder's heads that an earlier one may have as well
ROUNDS = 5

Heads = Mapping[str, frozenset[str]]


def kinds_of(heads: Heads) -> tuple[dict[str, int], list[list[str]]]:
    """Return the number of each head's type, and for each type the relations that tell it best, best first."""
    having = Counter(name for names in heads.values() for name in names)
    telling = {name for name, many in having.items() if many <= UNIVERSAL * len(heads)}
    founders = founding(heads, [name for name, _ in having.most_common() if name in telling])
    if len(founders) < 2:
        return dict.fromkeys(heads, 0), [[name for name, _ in having.most_common()]]
    founded = {head: [number for number, one in enumerate(founders) if one in names] for head, names in heads.items()}
    chosen = {head: own[0] if len(own) == 1 else None for head, own in founded.items()}
    known = {head: names & telling for head, names in heads.items()}
    for _ in range(ROUNDS):
        chosen = likeliest_types(known, chosen, len(founders))
    return gapless_types(known, chosen, len(founders))


def founding(heads: Heads, order: Sequence[str]) -> list[str]:
    members = {name: {head for head, names in heads.items() if name in names} for name in order}
    least = max(LEAST_HEADS, LEAST * len(heads))
    founders: list[str] = []
    for name in order:
        own = members[name]
        if len(own) >= least and all(len(own & members[other]) <= OVERLAP * len(own) for other in founders):
            founders.append(name)
    return founders


def likeliest_types(heads: Heads, chosen: Mapping[str, int | None], count: int) -> dict[str, int | None]:
    sizes = Counter(number for number in chosen.values() if number is not None)
    having = [Counter[str]() for _ in range(count)]
    for head, number in chosen.items():
        if number is not None:
            having[number].update(heads[head])

    def likelihood(number: int, names: frozenset[str]) -> float:
        own = (log((having[number][name] + 1) / (sizes[number] + 2)) for name in names)
        return log(sizes[number] + 1) + sum(own)

    return {
        head: max(range(count), key=lambda number: likelihood(number, names)) if names else None
        for head, names in heads.items()
    }


def gapless_types(heads: Heads, chosen: Mapping[str, int | None], count: int) -> tuple[dict[str, int], list[list[str]]]:
    """Return types without gaps, the heads that nothing describes as the last one."""
    used = sorted({number for number in chosen.values() if number is not None})
    places = {number: place for place, number in enumerate(used)}
    last = len(used)
    kinds = {head: last if number is None else places[number] for head, number in chosen.items()}
    typical = [telling(heads, kinds, place) for place in range(last + (None in chosen.values()))]
    return kinds, typical


def telling(heads: Heads, kinds: Mapping[str, int], kind: int) -> list[str]:
    """Return a type's relations, those first that many of its heads and few others have."""
    inside = Counter(name for head, names in heads.items() if kinds[head] == kind for name in names)
    everywhere = Counter(name for names in heads.values() for name in names)
    return sorted(inside, key=lambda name: (-(inside[name] ** 2) / everywhere[name], name))


OTHER_SHAPE = Words(
    '{path} 应为 {{"头": [["头", "关系", "尾"], …]}}', '{path} must be {{"head": [["head", "relation", "tail"], …]}}'
)
NO_TRIPLE = Words(
    "{path}：“{head}”下有一项不是 [头, 关系, 尾] 三个文本",
    "{path}: something under “{head}” is not [head, relation, tail], three texts",
)
NO_TRIPLES = Words("{path} 里没有三元组", "{path} has no triples")
KEY = "name"
KEY_DISPLAY = "名称"
ONE_KIND = ("entity", "实体")
OTHER_KIND = ("other", "其他")  # what nothing tells apart
LONG = 60  # characters; a property with longer values on the average is a text
LINKED_TAILS = 0.1  # share of a relation's tails that are heads; fewer are chance
HEAD_SHOWN = 40  # characters of a head, in a message
SHOWN = 3  # relations in the name of a type

Triple = tuple[str, str, str]
Values = dict[str, dict[str, list[str]]]  # tails by head and relation


def read_triples(path: Path, network_id: str) -> CheckedContent:
    """Return the network that the triples of a file tell. Raises InputError."""
    values, joins = split_up(list(triples_of(path)))
    if not values:
        raise InputError(NO_TRIPLES.of(path=path))
    describing = {head: set(own) for head, own in values.items()}
    for head, name, _ in joins:
        describing[head].add(name)
    kinds, typical = kinds_of({head: frozenset(names) for head, names in describing.items()})
    specs: list[ObjectSpec] = []
    rows: dict[str, list[Row]] = {}
    for number in range(len(typical)):
        own = {head: held for head, held in values.items() if kinds[head] == number}
        spec, found = to_object(*kind_name(number, typical), own)
        rows[spec.id] = found
        specs.append(spec)
    relations, links = to_relations(joins, {head: specs[number].id for head, number in kinds.items()})
    whole = NetworkSpec(id=network_id, name=network_id, object_types=specs, relation_types=relations)
    return ordered_content(whole, rows, links)


def triples_of(path: Path) -> Iterator[Triple]:
    """Give the triples of a file, in order. Raises InputError naming the head."""
    data = parsed_json(text_of(path), WHOLE.of(path=path))
    if not isinstance(data, dict):
        raise InputError(OTHER_SHAPE.of(path=path))
    for head, rows in data.items():
        for row in rows if isinstance(rows, list) else [None]:
            if not (isinstance(row, list) and len(row) == 3 and all(isinstance(one, str) for one in row)):
                raise InputError(NO_TRIPLE.of(path=path, head=head[:HEAD_SHOWN]))
            if row[0].strip() and row[1].strip() and row[2].strip():
                yield row[0], row[1], row[2]


def split_up(triples: Sequence[Triple]) -> tuple[Values, list[Triple]]:
    """Tell values of a head's properties from joins of two heads."""
    values: Values = {head: {} for head, _, _ in triples}
    tails: defaultdict[str, Counter[bool]] = defaultdict(Counter)
    for head, name, tail in triples:
        tails[name][tail in values and tail != head] += 1
    relations = {name for name, many in tails.items() if many[True] >= LINKED_TAILS * many.total()}
    joins: list[Triple] = []
    for head, name, tail in dict.fromkeys(triples):
        if name in relations and tail in values and tail != head:
            joins.append((head, name, tail))
        else:
            values[head].setdefault(name, []).append(tail)
    return values, joins


def kind_name(number: int, typical: Sequence[Sequence[str]]) -> tuple[str, str]:
    """Return the id and the name of a type; a person will know better ones."""
    if len(typical) == 1:
        return ONE_KIND
    if not typical[number]:
        return OTHER_KIND
    return f"type_{number + 1}", f"类型{number + 1}（{'、'.join(typical[number][:SHOWN])}）"


def to_object(id: str, name: str, values: Values) -> tuple[ObjectSpec, list[Row]]:
    """Return the type of these heads, a property for each relation that has values, the most frequent first."""
    order = [one for one, _ in Counter(one for own in values.values() for one in own).most_common()]
    names = identifiers(order, {KEY})
    properties = [PropertySpec(name=KEY, display_name=KEY_DISPLAY, fulltext=True)]
    for one in order:
        lengths = [len(tail) for own in values.values() for tail in own.get(one, ())]
        is_long = sum(lengths) > LONG * len(lengths)
        properties.append(PropertySpec(name=names[one], display_name=one, type="text" if is_long else "string"))
    spec = ObjectSpec(
        id=id, name=name, primary_keys=[KEY], display_key=KEY, instances=f"{id}.jsonl", properties=properties
    )
    return spec, [{KEY: head, **{names[one]: value_of(own.get(one)) for one in order}} for head, own in values.items()]


def value_of(tails: Sequence[str] | None) -> Value:
    """Return the value of a property: one text, a list of several, null for none."""
    return None if not tails else tails[0] if len(tails) == 1 else list(tails)


def to_relations(joins: Sequence[Triple], kinds: Mapping[str, str]) -> tuple[list[RelationSpec], dict[str, list[Link]]]:
    """Return a relation type for each name and pair of types, the most frequent first, and its links."""
    groups: defaultdict[Triple, list[Link]] = defaultdict(list)
    for head, name, tail in joins:
        groups[name, kinds[head], kinds[tail]].append(((head,), (tail,)))
    relations: list[RelationSpec] = []
    links: dict[str, list[Link]] = {}
    for name, source, target in sorted(groups, key=lambda group: (-len(groups[group]), group)):
        id = identifier(name, links)
        links[id] = groups[name, source, target]
        relations.append(RelationSpec(id=id, name=name, source=source, target=target, links=f"relation_{id}.jsonl"))
    return relations, links
