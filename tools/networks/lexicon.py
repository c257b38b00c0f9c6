"""The names of a network's instances and what is said of each: for minds that find them in a question by themselves."""

import asyncio
import logging
import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import TypeVar

from tools.errors import KnowledgeRefused, StoreError
from tools.networks.figures import first_instances
from tools.networks.keyword import BATCH, stages_of, values_of
from tools.networks.records import (
    Account,
    Condition,
    Instance,
    InstanceQuery,
    NetworkSchema,
    ObjectType,
    any_of,
    instance_id,
    instance_name,
)
from tools.networks.refusals import CALL_S
from tools.ports import KnowledgeNetwork, MonotonicClock
from tools.records import Name
from tools.story.names import NameMention, NameTable, Spellings, fold
from tools.tables.names import singular
from tools.text.scripts import NOT_LETTERS, folded
from tools.text.words import STOP

ALIASES = re.compile(r"别名|又名|简称|俗称|昵称|译名|[文原本]名|alias|aka$|nick", re.IGNORECASE)
SEPARATORS = re.compile(r"[、，,；;/|]")
ASIDE = re.compile(r"[（(\[【][^（(）)\]】]*[）)\]】]")
MARKS = " 《》〈〉“”\"'「」『』"
LEAST_NAME = 2
VALUE_LEAST, VALUE_MOST, VALUE_HOLDERS = 4, 40, 3
DIGITS_LEAST = 7
PLAIN_TIME = re.compile(r"[\d\W_年月日号时分秒钟小天周]+")
LONGEST_SHORT_VALUE, SHORTEST = 20, 2
NUMERIC = re.compile(r"[\d\s.,:+/-]*")
WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
NAMES = re.compile(r"(?:^|_)name$", re.IGNORECASE)
CAPITAL = re.compile(r"(?<=[^.?!\s\"“(])\s+[A-Z]")  # of a word within a sentence
YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
BEFORE_YEAR = re.compile(
    r"\b(?:in|since|after|before|during|until|till|by|from|to|between|and|of|year|(?:jan|febr)uary|march|april|may|june"
    r"|july|august|(?:septem|octo|novem|decem)ber),?\s+(?:\d{1,2},?\s+)?$",
    re.IGNORECASE,
)
BEHIND_YEAR = re.compile(r"\s*(?:年|['’]?s\b)")
MOST_ROWS = 20_000  # of one network: beyond it names are not read, only looked for
KEPT_NETWORKS = 16
FRESH_S = 600.0  # for a service that does not tell when its content changes
FOUND = 50  # rows of one type that some words name
MOST_FOUND = 2_000  # rows, and words that were looked for, that are remembered of a network that is not read
MOST_WORDS = 8  # that are looked for at once
LONGEST_NAME = 40  # of an entity of the talk that is looked for
AT_ONCE = 5

logger = logging.getLogger(__name__)
K = TypeVar("K")
V = TypeVar("V")
TypeKey = tuple[str, str]  # network, object type
Place = tuple[TypeKey, str]  # and a label


@dataclass(frozen=True, slots=True)
class NetworkSelection:
    ids: tuple[str, ...]
    account: Account


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownInstance:
    """An instance as a mind knows it: its values by the label of the property, its relations by name alone."""

    network_id: str
    type: ObjectType
    id: str
    name: str
    values: Mapping[str, tuple[str, ...]]
    relations: tuple[str, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        return (*self.values, *self.relations)

    @property
    def text(self) -> str:
        return "\n".join(value for values in self.values.values() for value in values)


@dataclass(frozen=True, slots=True)
class ShortName:
    """A name without brackets and marks as words of a question are compared with it: its letters, and its words."""

    letters: str
    words: frozenset[str]

    @classmethod
    def of(cls, name: str) -> "ShortName":
        text = folded(next(iter(forms(name)), name))
        return cls(NOT_LETTERS.sub("", text), word_forms(text))


def word_forms(text: str) -> frozenset[str]:
    """Return the words of a text as names are compared: without case, nouns in the singular."""
    return frozenset(map(singular, WORD.findall(folded(text))))


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """The instances of some networks by name, and the spellings that mean them.

    Attributes:
        whole: no instance is missing.
        schemas: of the networks by id; `members`: the instances of each of their types.
        values: instances by the values that tell whose they are; `quotes` finds these in a text.
        held: where a short value stands, types and labels.
        ids: instances by network, type and id; `codes` by an id that is no number.
        short: each name of `by_name` as parts of names are compared with it.
    """

    by_name: Mapping[str, tuple[KnownInstance, ...]]
    table: NameTable
    labels: tuple[str, ...]
    whole: bool = True
    values: Mapping[str, tuple[KnownInstance, ...]] = field(default_factory=dict[str, tuple[KnownInstance, ...]])
    quotes: Spellings = field(default_factory=lambda: Spellings.compile(()))
    schemas: Mapping[str, NetworkSchema] = field(default_factory=dict[str, NetworkSchema])
    members: Mapping[TypeKey, tuple[KnownInstance, ...]] = field(
        default_factory=dict[TypeKey, tuple[KnownInstance, ...]]
    )
    held: Mapping[str, tuple[Place, ...]] = field(default_factory=dict[str, tuple[Place, ...]])
    ids: Mapping[tuple[str, str, str], KnownInstance] = field(default_factory=dict[tuple[str, str, str], KnownInstance])
    codes: Mapping[str, tuple[KnownInstance, ...]] = field(default_factory=dict[str, tuple[KnownInstance, ...]])
    short: Mapping[str, ShortName] = field(default_factory=dict[str, ShortName])

    def valued(self, text: str) -> Iterator[tuple[KnownInstance, float]]:
        """Give the instances whose values stand in a text, each with 1 where it is the only one of the value."""
        for start, end in self.quotes.longest(text):
            holders = self.values[text[start:end]]
            yield from ((one, 1 / len(holders)) for one in holders)

    def named_in(self, text: str) -> list[NameMention]:
        """Return where a text names instances: a year is none, nor is a small word where other names have capitals.

        How many tracks belong to Jazz: Belong, a track, is not meant; iron or copper are, written alike.
        """
        found = [one for one in self.table.find(text) if is_name(text, one)]
        if not CAPITAL.search(text):
            return found
        return [one for one in found if not (one.text.islower() and " " not in one.text and is_proper(one))]

    def known(self, name: str) -> tuple[KnownInstance, ...]:
        return self.by_name.get(name, ())


EMPTY = Lexicon({}, NameTable.build(()), ())


def known(network_id: str, type: ObjectType, instance: Instance, relations: tuple[str, ...]) -> KnownInstance:
    labels = {one.name: one.label for one in type.properties}
    values = {
        labels.get(name, name): tuple(str(value) for value in values_of(held) if value not in (None, ""))
        for name, held in instance.properties.items()
        if held not in (None, "", []) and name not in type.primary_keys
    }
    return KnownInstance(
        network_id=network_id,
        type=type,
        id=instance_id(instance, type),
        name=instance_name(instance, type),
        values=values,
        relations=relations,
    )


def lexicon_of(rows: Sequence[KnownInstance], whole: bool, schemas: Sequence[NetworkSchema] = ()) -> Lexicon:
    names: dict[tuple[str, str], Name] = {}
    for one in rows:
        for spelling in spellings(one):
            names.setdefault((spelling, one.name), Name(text=spelling, entity=one.name, kind=one.type.name))
    by_name = grouped((one.name, one) for one in rows)
    values = telling_values(rows, by_name)
    return Lexicon(
        by_name=by_name,
        table=NameTable.build(names.values()),
        labels=tuple(dict.fromkeys(label for one in rows for label in one.labels)),
        whole=whole,
        values=values,
        quotes=Spellings.compile(values),
        schemas={one.id: one for one in schemas},
        members=grouped(((one.network_id, one.type.id), one) for one in rows),
        held=grouped(dict.fromkeys(short_values(rows))),
        ids={(one.network_id, one.type.id, fold(one.id)): one for one in rows},
        codes=grouped((fold(one.id), one) for one in rows if not NUMERIC.fullmatch(one.id)),
        short={name: ShortName.of(name) for name in by_name},
    )


def is_proper(mention: NameMention) -> bool:
    """Return True if what a mention may mean is written with capitals everywhere."""
    return all(one.text[:1].isupper() for one in mention.candidates)


def is_name(text: str, mention: NameMention) -> bool:
    """Return True if a spelling means an instance where it stands: function words and years mean none."""
    start, end, said = mention.start, mention.end, mention.text
    if YEAR.fullmatch(said) and (BEFORE_YEAR.search(text[:start]) or BEHIND_YEAR.match(text, end)):
        return False
    return stands_apart(said, start) or not is_proper(mention)


def stands_apart(said: str, start: int) -> bool:
    """Return True if words of a text are no function word: in is one, In within a text is not."""
    return said.lower() not in STOP or (start > 0 and said != said.lower())


def grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, tuple[V, ...]]:
    found: dict[K, list[V]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return {key: tuple(values) for key, values in found.items()}


def telling_values(rows: Iterable[KnownInstance], names: Mapping[str, object]) -> dict[str, tuple[KnownInstance, ...]]:
    """Return the values that tell whose they are: of few instances, neither too short nor too long, no names."""
    holders = grouped(
        (value, one)
        for one in rows
        for value in dict.fromkeys(value for held in one.values.values() for value in held)
        if len(value) <= VALUE_MOST and is_telling(value) and value not in names
    )
    return {value: held for value, held in holders.items() if len(held) <= VALUE_HOLDERS}


def short_values(rows: Iterable[KnownInstance]) -> Iterator[tuple[str, Place]]:
    """Give each value that a question may quote with where it stands; numbers are none, nor are names."""
    for one in rows:
        for label, values in one.values.items():
            for value in values:
                if SHORTEST <= len(value) <= LONGEST_SHORT_VALUE and not NUMERIC.fullmatch(value) and value != one.name:
                    yield fold(value), ((one.network_id, one.type.id), label)


def is_telling(value: str) -> bool:
    """Return True if a value is enough to tell whose it is: a bare year or a duration is not, a telephone number is."""
    return len(PLAIN_TIME.sub("", value)) >= VALUE_LEAST or len(re.sub(r"\D", "", value)) >= DIGITS_LEAST


def spellings(one: KnownInstance) -> list[str]:
    """Return how an instance may be called: its name, also without what stands in brackets, and its aliases."""
    if one.name == one.id and len(one.type.primary_keys) > 1:
        return []  # a row that joins others: 1_10 is no name, and 9 is said of much else
    aliases = [part for label, held in one.values.items() if ALIASES.search(label) for part in parts(held)]
    found = dict.fromkeys([one.name, *forms(one.name), *(form for alias in aliases for form in forms(alias))])
    return [spelling for spelling in found if len(spelling) >= LEAST_NAME]


def parts(held: Iterable[str]) -> Iterator[str]:
    for value in held:
        yield from (part for part in SEPARATORS.split(value) if len(part) <= LONGEST_SHORT_VALUE)


def forms(name: str) -> list[str]:
    """Return a name without brackets and marks, and the last part of a foreign one: 尼古拉斯·凯奇, 凯奇."""
    short = ASIDE.sub("", name).strip(MARKS)
    last = short.rpartition("·")[2].strip()
    return [form for form in (short, last) if form]


@dataclass(frozen=True, slots=True)
class AskedWords:
    """The words of a question that may name an instance, and the properties, by type and name, that it speaks of."""

    words: tuple[str, ...]
    properties: frozenset[tuple[str, str]]


Naming = Callable[[str, NetworkSchema], AskedWords]


@dataclass(frozen=True, slots=True)
class NetworkPart:
    """What is known of one network; `whole`: nothing is missing. `until` is when a service's part is forgotten.

    `words`, and `properties` by type and name, are those that were looked for where the network is not read as a whole.
    """

    schema: NetworkSchema | None = None
    rows: tuple[KnownInstance, ...] = ()
    whole: bool = False
    until: float = 0.0
    words: frozenset[str] = frozenset()
    properties: frozenset[tuple[str, str]] = frozenset()


NOTHING = NetworkPart()


@dataclass(slots=True)
class Lexicons:
    """The lexicons of networks: those that are kept here are read, and read again where they change.

    A service, and a network too large to know, is asked for the instances that a question's words name, never for all.
    """

    networks: KnowledgeNetwork
    naming: Naming
    clock: MonotonicClock = monotonic
    most_rows: int = MOST_ROWS
    most_found: int = MOST_FOUND
    _kept: OrderedDict[tuple[str, str], NetworkPart] = field(default_factory=OrderedDict)
    _built: OrderedDict[NetworkSelection, tuple[list[NetworkPart], Lexicon]] = field(default_factory=OrderedDict)

    async def __call__(self, asked: NetworkSelection | None, text: str = "", names: Sequence[str] = ()) -> Lexicon:
        """Return what is known of these networks; of one that does not answer there is nothing.

        Args:
            asked: the networks, and who asks.
            text: a question whose instances are looked for.
            names: of the instances that the talk is about.
        """
        if asked is None or not asked.ids:
            return EMPTY
        parts = await asyncio.gather(*(self.network(id, asked.account, text, names) for id in asked.ids))
        built = self._built.get(asked)
        if built is None or any(a is not b for a, b in zip(built[0], parts, strict=True)):
            rows = [one for part in parts for one in part.rows]
            schemas = [part.schema for part in parts if part.schema]
            built = parts, await asyncio.to_thread(lexicon_of, rows, all(part.whole for part in parts), schemas)
            self._built[asked] = built
            while len(self._built) > KEPT_NETWORKS:
                self._built.popitem(last=False)
        return built[1]

    async def network(self, id: str, account: Account, text: str, names: Sequence[str]) -> NetworkPart:
        """Return what is known of one network, with the instances that some words name."""
        key = account.id, id
        kept = self._kept.get(key)
        try:
            part = await self.opened(id, account, kept)
            if not part.whole:
                part = await self.found(part, text, names, account)
        except KnowledgeRefused as refusal:  # taken away or out of bounds: its names too
            logger.warning("Names of %s: %s", id, refusal)
            self._kept.pop(key, None)
            return NOTHING
        except StoreError as failure:
            logger.warning("Names of %s: %s", id, failure)
            return kept or NOTHING
        self._kept[key] = part
        while len(self._kept) > KEPT_NETWORKS:
            self._kept.popitem(last=False)
        return part

    async def opened(self, id: str, account: Account, kept: NetworkPart | None) -> NetworkPart:
        """Return what is known of a network, anew where it has changed: all instances of one that is kept here."""
        if kept and kept.schema and not kept.schema.revision and self.clock() < kept.until:
            return kept
        schema = await self.networks.schema(id, account, timeout_s=CALL_S)
        if kept and kept.schema and schema.revision and kept.schema.revision == schema.revision:
            return kept
        if schema.revision:
            return await self.read(schema, account)
        return NetworkPart(schema, until=self.clock() + FRESH_S)

    async def read(self, schema: NetworkSchema, account: Account) -> NetworkPart:
        """Return all instances of a network, page by page; none of one that has more than `most_rows`."""
        rows: list[KnownInstance] = []
        for type in schema.object_types:
            most = self.most_rows - len(rows)
            found, is_cut = await first_instances(self.networks, schema.id, type.id, account, most)
            if is_cut:
                return NetworkPart(schema)
            rows += [known(schema.id, type, instance, own_relations(type, schema)) for instance in found]
        return NetworkPart(schema, tuple(rows), whole=True)

    async def found(self, part: NetworkPart, text: str, names: Sequence[str], account: Account) -> NetworkPart:
        """Return a part with the instances that have new words of a text, and names, as a name or a part of one.

        Some rows tell which values the properties have that the text speaks of. A part that grows beyond `most_found`
        begins again with what this text asks for: a name is never left out whose words count as looked for.
        """
        if part.schema is None:
            return part
        schema, asked, gate = part.schema, self.naming(text, part.schema), asyncio.Semaphore(AT_ONCE)
        words = [*(name for name in names if len(name) <= LONGEST_NAME), *asked.words]
        new = [word for word in dict.fromkeys(words) if word not in part.words][:MOST_WORDS]
        spoken_of = asked.properties - part.properties
        if not new and not spoken_of:
            return part
        is_known = bool(part.rows or part.words)

        async def of_type(type: ObjectType) -> list[KnownInstance]:
            found = naming_conditions(type, new)
            batches = [any_of(*found[at : at + BATCH]) for at in range(0, len(found), BATCH)]
            usable = (one.name for one in type.properties if one.mapped_field != "" and (one.is_text or one.is_number))
            batches += [Condition("exist", name) for name in usable if (type.id, name) in spoken_of]
            pages = []
            for condition in batches:
                query = InstanceQuery(object_type_id=type.id, condition=condition, limit=FOUND)
                async with gate:
                    pages.append(await self.networks.instances(schema.id, query, account, timeout_s=CALL_S))
            relations = own_relations(type, schema)
            return [known(schema.id, type, instance, relations) for page in pages for instance in page.rows]

        answers = await asyncio.gather(*map(of_type, schema.object_types), return_exceptions=True)
        rows, is_whole = {(one.type.id, one.id): one for one in part.rows}, True
        for answer in answers:
            if isinstance(answer, StoreError) and not isinstance(answer, KnowledgeRefused):
                logger.warning("Names of %s: %s", schema.id, answer)  # what the question needs, the tool will say
                is_whole = False
            elif isinstance(answer, BaseException):
                raise answer
            else:
                rows |= {(one.type.id, one.id): one for one in answer}
        if is_whole:
            part = replace(part, words=part.words.union(new), properties=part.properties | spoken_of)
        if is_known and max(len(rows), len(part.words)) > self.most_found:
            return await self.found(NetworkPart(schema, until=part.until), text, names, account)
        return replace(part, rows=tuple(rows.values()))


def own_relations(type: ObjectType, schema: NetworkSchema) -> tuple[str, ...]:
    own = (one.name for one in schema.relation_types if one.source_object_type_id == type.id)
    return tuple(dict.fromkeys(own))


def naming_conditions(type: ObjectType, words: Sequence[str]) -> list[Condition]:
    """Return the conditions that a row has one of some words as a value, or in what names it."""
    naming = {type.display_key, *(one.name for one in type.properties if NAMES.search(one.name))}
    naming |= {one.name for one in type.properties if ALIASES.search(one.label)}
    stages = (stage for word in words for stage in stages_of(type, word))
    found = (one for stage in stages for one in stage if one.operation == "==" or one.field in naming)
    return list({(one.operation, one.field, str(one.value)): one for one in found}.values())
