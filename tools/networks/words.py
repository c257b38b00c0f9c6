"""What questions call the types, properties, relations, instances and values of a network.

A comment that begins with 又称： lists other names and verbs: 又称：供应商、vendor、supplies. One behind ← goes the
other way: subordinates, where the relation leads to the superior.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from typing import Literal, NamedTuple

from tools.language import is_chinese
from tools.networks.figures import keys_of
from tools.networks.lexicon import YEAR, KnownInstance, Lexicon, TypeKey, stands_apart
from tools.networks.records import NetworkSchema, ObjectType, Property, RelationType
from tools.story.names import NameMention, fold
from tools.tables.names import ALSO, INVERSE
from tools.tables.rows import FLAGS, NONE_OF, Operation, is_counted

PARTS = re.compile(r"[、,，;；]\s*")
CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|[_-]+")
CLASSIFIERS = "只员物者类种个位"  # the end of a type's name that questions leave out: 船只, 人员, 货物, 泊位
IS = re.compile(r"^(?:is|has|was)[ _]")  # is_radioactive: which elements are radioactive
DOER = re.compile(r"^[\u4e00-\u9fff]{2,}[者人]$")  # 发现者: who did it, 是谁发现的
COMMENT_WORDS = 3  # a comment of so many words may be a name
LEAST_STEM = 3
AGENT_NOUN = re.compile(r"^[a-z]{3,}(?:er|or)s?$")
IRREGULAR_VERBS = {
    "keep": "kept", "driv": "drove|driven", "writ": "wrote|written", "sing": "sang|sung", "teach": "taught",
    "lead": "led", "run": "ran", "runn": "ran|run", "build": "built", "hold": "held", "buy": "bought", "sell": "sold",
    "mak": "made", "win": "won", "winn": "won", "find": "found", "giv": "gave|given", "tak": "took|taken",
    "draw": "drew|drawn", "fly": "flew|flown", "swim": "swam", "speak": "spoke|spoken", "rid": "rode|ridden",
}  # fmt: skip
"""Past forms of verbs by the stem of the noun for who does it: kept of keeper."""
ENDING = re.compile(r"(?:ments?|ies|ied|ers|er|ed|es|ing|s|y|e)$")
WORD_END = "(?:e|s|es|d|ed|er|ers|y|ies|ied|ing)?"
PLURALS = {"person": "people|persons", "man": "men", "woman": "women", "child": "children"}
MEASURES = "个条只艘位种家首部座本所名件款项笔次份间张台辆门片支幢"
COUNTED = f"[{MEASURES}]"
BEFORE_NOUN = re.compile(
    rf"(?:哪些|哪几{COUNTED}?|[哪几这那各每]{COUNTED}|多少{COUNTED}?|所有的?|全部的?|什么|[的些是各每]|有|列出|列举|登记了?|^)\s*$"
)
Kind = Literal["type", "property", "relation"]


@dataclass(frozen=True, slots=True)
class Term:
    """A place where a text names a part of a schema.

    Attributes:
        type_id: of the object type, the owner of the property, the source of the relation.
        id: of the part.
        is_back: the words mean the way from the target to the source.
        is_name: the words are its name, not a verb or another name.
    """

    kind: Kind
    type_id: str
    id: str
    is_back: bool = False
    is_name: bool = True
    start: int = 0
    end: int = 0


def names_of(part: Term, name: str, comment: str) -> Iterator[tuple[str, Term]]:
    """Give the words for a part of a schema, each with how it means the part."""
    plain = CAMEL.sub(" ", part.id).strip().lower()
    yield from ((one, part) for one in (name, plain, part.id))
    if (bare := IS.sub("", plain)) != plain:
        yield bare, replace(part, is_name=False)
    if comment.startswith(ALSO):
        for other in PARTS.split(comment.removeprefix(ALSO)):
            yield other.removeprefix(INVERSE).strip(), replace(part, is_back=other.startswith(INVERSE), is_name=False)
    elif not is_chinese(comment) and len(comment.split()) <= COMMENT_WORDS:
        yield comment, part


@lru_cache(maxsize=64)
def schema_words(schema: NetworkSchema) -> tuple[tuple[str, Term], ...]:
    found: list[tuple[str, Term]] = []
    for type in schema.object_types:
        part = Term("type", type.id, type.id)
        found += names_of(part, type.name, type.comment)
        if is_chinese(type.name) and len(type.name) == 2 and type.name[-1] in CLASSIFIERS:
            found.append((type.name[:-1], part))  # 船 of 船只
        for one in type.properties:
            found += names_of(Term("property", type.id, one.name), one.label, one.comment)
    for relation in schema.relation_types:
        part = Term("relation", relation.source_object_type_id, relation.id)
        found += names_of(part, relation.name, relation.comment)
        source = schema.object_type(relation.source_object_type_id)
        if source and AGENT_NOUN.search(source.name) and not relation.reflexive:
            found.append((source.name, replace(part, is_name=False)))  # who kept it, by the keepers that it had
    doers = [(word, part) for word, part in found if part.kind == "property" and DOER.search(word)]
    found += [(word[:-1], replace(part, is_name=False)) for word, part in doers]
    return tuple((word, part) for word, part in dict.fromkeys(found) if word)


def terms_in(text: str, schema: NetworkSchema) -> list[Term]:
    """Return where a text, its names blanked, names parts of a schema, in order; a part of a longer term is none."""
    found = [
        replace(part, start=place.start(), end=place.end())
        for word, part in schema_words(schema)
        for place in (noun_of(word) if part.kind == "type" else pattern_of(word)).finditer(text)
        if len(word) > 1 or BEFORE_NOUN.search(text[: place.start()])  # a single character only where a noun may stand
    ]
    longest = [
        one
        for one in found
        if not any(
            other.start <= one.start and one.end <= other.end and other.end - other.start > one.end - one.start
            for other in found
        )
    ]
    return sorted(dict.fromkeys(longest), key=lambda one: (one.start, not one.is_name))


@lru_cache(maxsize=4_096)
def noun_of(name: str) -> re.Pattern[str]:
    """Return what finds a noun, an English one in its singular and plural."""
    if is_chinese(name):
        return re.compile(re.escape(name))
    word = re.sub(r"[\s_-]+", " ", name.strip().lower())
    others = f"|{PLURALS[word]}" if word in PLURALS else ""
    base = re.escape(word.removesuffix("y")) if word.endswith("y") else re.escape(word)
    ending = "(?:y|ies)" if word.endswith("y") else "(?:s|es)?"
    return re.compile(rf"(?<![A-Za-z0-9])(?:{base}{ending}{others})(?![A-Za-z0-9])", re.IGNORECASE)


@lru_cache(maxsize=4_096)
def pattern_of(name: str) -> re.Pattern[str]:
    """Return what finds the name of a property or relation, an English one in its forms: owned_by in owns, owner."""
    if is_chinese(name):
        return re.compile("的?".join(map(re.escape, name)) if len(name) > 2 else re.escape(name))
    words = [re.sub(r"\W", "", word) for word in CAMEL.sub(" ", name).lower().split()]
    first, *rest = [word for word in words if word] or [name]
    if len(rest) == 1 and rest[0] in ("by", "at"):
        pattern = rf"{stem_of(first)}(?:\s+{rest[0]})?"
    else:  # the first in its forms, the last in its plural: shippedDate, reported to
        pattern = r"[\s_-]*".join([stem_of(first), *map(re.escape, rest)]) + ("s?" if rest else "")
    return re.compile(rf"(?<![A-Za-z0-9])(?:{pattern})(?![A-Za-z0-9])", re.IGNORECASE)  # beside Chinese too


def stem_of(word: str) -> str:
    """Return what finds an English word in its forms: suppl in supplies, supplier, supply."""
    stem = ENDING.sub("", word)
    if len(stem) < LEAST_STEM:
        return f"{re.escape(word)}s?"
    past = f"|{IRREGULAR_VERBS[stem]}" if stem in IRREGULAR_VERBS else ""
    ending = f"{re.escape(stem[:-1])}[iy]" if stem.endswith("i") else f"{re.escape(stem)}i?"
    return f"(?:(?:{re.escape(word)}|{ending}){WORD_END}{past})"


def relation_of(schema: NetworkSchema, id: str) -> RelationType:
    return next(one for one in schema.relation_types if one.id == id)


AMBIGUOUS = frozenset({"born"})  # where, or when: the words beside it tell


COMPOUND = re.compile(r"[ _-]|[a-z][A-Z]")  # drug_name says which property is meant, name does not


def in_labels(question: str, lexicon: Lexicon) -> str:
    """Return a question with the network's labels in place of their ids and other names; names stay."""
    mentions = lexicon.named_in(question)
    plain = blanked(question, mentions)
    own = {one.type.id for mention in mentions for name in mention.candidates for one in lexicon.known(name.entity)}
    for start, end, label in reversed(label_changes(plain, lexicon, own)):
        room = "" if is_chinese(label) else " "
        question = f"{question[:start]}{room}{label}{room}{question[end:]}"
    return question


def blank(text: str, spans: Iterable[tuple[int, int]]) -> str:
    chars = list(text)
    for start, end in spans:
        chars[start:end] = " " * (end - start)
    return "".join(chars)


def blanked(question: str, mentions: Iterable[NameMention]) -> str:
    return blank(question, [(mention.start, mention.end) for mention in mentions])


def label_changes(plain: str, lexicon: Lexicon, own: set[str]) -> list[tuple[int, int, str]]:
    """Return where a text, its names blanked, has other words for labels; those of types asked of first."""
    found = [(term, schema) for schema in lexicon.schemas.values() for term in terms_in(plain, schema)]
    found = [(term, schema) for term, schema in found if term.kind != "type" and not is_hidden(term, plain, schema)]
    found.sort(key=lambda pair: (pair[0].start, pair[0].type_id not in own, pair[0].kind != "relation"))
    chosen: list[tuple[int, int, str]] = []
    for term, schema in found:
        label = label_of_term(term, schema)
        if not chosen or term.start >= chosen[-1][1]:
            chosen.append((term.start, term.end, label))
    return [(start, end, label) for start, end, label in chosen if plain[start:end] != label]


def is_hidden(term: Term, plain: str, schema: NetworkSchema) -> bool:
    """Return True for a property that tells which instance it is, and for a word that may mean another."""
    type = schema.object_type(term.type_id)
    keys = (*type.primary_keys, type.display_key) if type and term.kind == "property" else ()
    word = plain[term.start : term.end]
    return (term.id in keys and COMPOUND.search(word) is None) or is_ambiguous(word)


def is_ambiguous(word: str) -> bool:
    """Return True if a word names a label only with the words beside it."""
    return word.lower() in AMBIGUOUS


def label_of_term(term: Term, schema: NetworkSchema) -> str:
    if term.kind == "relation":
        return relation_of(schema, term.id).name
    type = schema.object_type(term.type_id)
    found = type.property(term.id) if type else None
    return found.label if found else ""


def types_named(text: str, lexicon: Lexicon) -> Sequence[tuple[int, int, TypeKey]]:
    found = [(schema, term) for schema in lexicon.schemas.values() for term in terms_in(text, schema)]
    return sorted({(term.start, term.end, (schema.id, term.id)) for schema, term in found if term.kind == "type"})


CODE = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9][A-Za-z0-9_-]+(?![A-Za-z0-9])")
ID_BEHIND = re.compile(
    r"\s*(?:(?:with\s+)?(?:the\s+)?(?:id|no\.?|number|nr\.?)|编号|代码|号码?)?\s*(?:为|是|=|#|:|：)?\s*(?P<id>[A-Za-z0-9][\w-]*?)(?![A-Za-z0-9_-])",
    re.IGNORECASE,
)
ID_BEFORE = re.compile(
    r"(?:(?:编号|代码|\bid)\s*(?:为|是|=)?\s*(?P<id>[A-Za-z0-9_-]+)\s*号?的?|(?<![A-Za-z0-9])(?P<no>[A-Za-z0-9_-]+)\s*号)\s*$",
    re.I,
)


def joined_in(text: str, names: Iterable[str]) -> str:
    """Return names with 和 or "and" between them, as the text has it that they are put into."""
    return ("和" if is_chinese(text) else " and ").join(names)


class Spot(NamedTuple):
    start: int
    end: int
    known: KnownInstance


def identified(text: str, lexicon: Lexicon, *, bare: bool = False) -> tuple[str, list[tuple[str, str]]]:
    """Return a question with names in place of ids, product 17, 产品 17, 17 号产品, and each id with its name.

    An instance that has no name but its id stays as it is written, unless it is to stand `bare`, without its type.
    An id that several networks have means the instance of each.
    """

    def is_plain(spot: Spot) -> bool:
        named, name = text[spot.start : spot.end], spot.known.name
        is_alone = bare and len(lexicon.known(name)) == 1 and not YEAR.fullmatch(name)
        return is_alone if name == spot.known.id else not lexicon.named_in(named)

    told: list[tuple[str, str]] = []
    free = len(text) + 1
    found = sorted(spots(text, lexicon), key=lambda one: (-one.end, one.start))
    for (start, end), group in groupby(found, key=lambda one: (one.start, one.end)):
        named, names = text[start:end], list(dict.fromkeys(spot.known.name for spot in group if is_plain(spot)))
        if end <= free and names:
            told[:0] = [(named, name) for name in names]
            text = f"{text[:start]}{joined_in(text, names)}{text[end:]}"
            free = start
    return text, told


def spots(text: str, lexicon: Lexicon) -> Iterator[Spot]:
    """Give where ids stand beside the names of their types, and ids of letters wherever they stand."""
    for schema in lexicon.schemas.values():
        for term in terms_in(text, schema):
            behind, before = ID_BEHIND.match(text, term.end), ID_BEFORE.search(text[: term.start])
            beside = [(behind, term.start, behind.end())] if behind else []
            beside += [(before, before.start(), term.end)] if before else []
            for found, start, end in beside if term.kind == "type" else ():
                if one := lexicon.ids.get((schema.id, term.id, fold(found["id"] or found.groupdict().get("no") or ""))):
                    yield Spot(start, end, one)
    for token in CODE.finditer(text):  # IN of India is no in
        is_code = stands_apart(token[0], token.start())
        owners = lexicon.codes.get(fold(token[0]), ()) if is_code else ()
        holders = Counter(one.network_id for one in owners)
        yield from (Spot(*token.span(), one) for one in owners if max(holders.values()) == 1)


LONGEST, SHORTEST = 20, 2  # characters of a value that a question may quote
NOUN = re.compile(r"[\u4e00-\u9fff]{2,8}")


@dataclass(frozen=True, slots=True)
class Where:
    """A condition on what a path leads to; `label` and `text` are how an answer tells it."""

    path: str
    operation: Operation
    value: str
    label: str
    text: str

    def along(self, way: str) -> "Where":
        """Return the condition from the type that a path to it begins at."""
        return replace(self, path=f"{way}.{self.path}") if way else self

    def denied(self) -> "Where | None":
        """Return the condition that no value fits; None for a limit: what is not above it need not be below."""
        opposite: dict[Operation, Operation] = {"==": "!=", "contains": "lacks"}
        return replace(self, operation=opposite[self.operation]) if self.operation in opposite else None

    @property
    def is_denial(self) -> bool:
        return self.operation in NONE_OF

    @property
    def condition(self) -> str:
        return f"{self.path} {self.operation} {self.value}"


def filters_of(rest: str, members: Sequence[KnownInstance]) -> tuple[Where, ...]:
    """Return the values that a question, its type blanked, names: each of one label, the one that it names too."""
    held: dict[str, set[str]] = {}
    said = fold(rest)
    for one in members:
        for label, value in short_values(one):
            if fold(value) in said and stands(value, rest):
                held.setdefault(value, set()).add(label)
    longest = [value for value in held if not any(value in other for other in held if other != value)]
    labels = {value: min(held[value], key=lambda label: (label not in rest, label)) for value in sorted(longest)}
    return tuple(value_condition(members[0].type, label, value) for value, label in labels.items())


def value_condition(type: ObjectType, label: str, text: str) -> Where:
    """Return the condition that the value under a label of a type has a text."""
    return Where(property_name(type, label), "contains", text, label, text)


def stands(value: str, text: str) -> bool:
    """Return True if a value stands in a text as a word: not 18 in 1851, not a in barque; barque in barques."""
    if not value.isascii():
        return True
    if value.isdecimal():
        return False
    return any(stands_apart(found[0], found.start()) for found in noun_of(value).finditer(text))


def short_values(one: KnownInstance) -> list[tuple[str, str]]:
    """Return the labelled values of an instance that a question may quote; its name is none."""
    naming = one.type.property(one.type.display_key)
    name = naming.label if naming else ""
    return [
        (label, value)
        for label, values in one.values.items()
        if label != name
        for text in values
        for value in dict.fromkeys((text, *PARTS.split(text)))  # one of several that stand in it: 发热、咳嗽
        if SHORTEST <= len(value) <= LONGEST
    ]


def of_noun(plain: str, lexicon: Lexicon) -> list[tuple[int, int, TypeKey, Where]]:
    """Return the types whose values a question names the kind of by its own noun: 货船 of 三桅货船, longest first."""
    labels = "\n".join(lexicon.labels)  # 公司 of 出品公司 is a label that is asked for, no kind of company
    places = [at for at in range(1, len(plain)) if BEFORE_NOUN.search(plain[:at])]
    nouns = [(at, noun[0]) for at in places if (noun := NOUN.match(plain, at))]
    found = {
        (at, at + size, key, value_condition(lexicon.members[key][0].type, label, word[:size])): None
        for value, held in lexicon.held.items()
        for at, word in nouns
        if word[:SHORTEST] in value and (size := kind_of(word, value)) and word[:size] not in labels
        for key, label in held
    }
    return sorted(found, key=lambda row: row[0] - row[1])


def kind_of(noun: str, value: str) -> int:
    """Return how many characters of a noun a value is a kind of, it ends with them; 0 for none."""
    return next((size for size in range(len(noun), SHORTEST - 1, -1) if value.endswith(noun[:size])), 0)


def property_name(type: ObjectType, label: str) -> str:
    return next((one.name for one in type.properties if label in (one.display_name, one.name)), label)


def numbers_of(type: ObjectType, schema: NetworkSchema, members: Sequence[KnownInstance] = ()) -> list[Property]:
    """Return the properties of a type that are counted: by the schema, or by a value that is known; keys are none."""
    hidden = keys_of(type, schema)
    return [
        one
        for one in type.properties
        if one.name not in hidden
        and one.label != type.name  # the number of a flight counts nothing
        and (one.is_number or any(is_counted(known.values.get(one.label, ())) for known in members))
    ]


def counted_of(type: ObjectType, schema: NetworkSchema, members: Sequence[KnownInstance]) -> list[Property]:
    """Return the properties of a type that have an order: numbers, and days."""
    return [*numbers_of(type, schema, members), *days_of(type)]


def days_of(type: ObjectType) -> list[Property]:
    return [one for one in type.properties if one.type in ("date", "datetime")]


def is_flag(members: Sequence[KnownInstance], label: str) -> bool:
    values = {value.lower() for one in members for value in one.values.get(label, ())}
    return bool(values) and values <= FLAGS
