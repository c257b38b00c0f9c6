"""What types, properties and relations of a network are called in questions: by name, id, and what their comments add.

A comment that begins with 又称： lists other names and verbs: 又称：供应商、vendor、supplies. One behind ← goes the
other way: subordinates, where the relation leads to the superior.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from tools.language import is_chinese
from tools.networks.records import NetworkSchema, RelationType
from tools.tables.names import ALSO, INVERSE

PARTS = re.compile(r"[、,，;；]\s*")
CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|[_-]+")
CLASSIFIERS = "只员物者类种个位"  # the end of a type's name that questions leave out: 船只, 人员, 货物, 泊位
COMMENT_WORDS = 3  # a comment of so many words may be a name
LEAST_STEM = 3
ENDING = re.compile(r"(?:ies|ied|ers|er|ed|es|ing|s|y|e)$")
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

    start: int
    end: int
    kind: Kind
    type_id: str
    id: str
    is_back: bool = False
    is_name: bool = True


@dataclass(frozen=True, slots=True)
class Called:
    """A part of a schema with one of the words for it."""

    word: str
    kind: Kind
    type_id: str
    id: str
    is_back: bool = False
    is_name: bool = True

    def terms(self, text: str) -> Iterator[Term]:
        """Give the places where a text has the word; a single character only where a noun may stand."""
        pattern = noun_of(self.word) if self.kind == "type" else pattern_of(self.word)
        for found in pattern.finditer(text):
            if len(self.word) > 1 or BEFORE_NOUN.search(text[: found.start()]):
                yield Term(*found.span(), self.kind, self.type_id, self.id, self.is_back, self.is_name)


def names_of(name: str, id: str, comment: str) -> Iterator[tuple[str, bool, bool]]:
    """Give the words for a part of a schema, with whether they go back, and whether they are its name."""
    yield from ((one, False, True) for one in dict.fromkeys((name, CAMEL.sub(" ", id).strip().lower(), id)) if one)
    if comment.startswith(ALSO):
        for part in PARTS.split(comment.removeprefix(ALSO)):
            yield part.removeprefix(INVERSE).strip(), part.startswith(INVERSE), False
    elif comment and not is_chinese(comment) and len(comment.split()) <= COMMENT_WORDS:
        yield comment, False, True


@lru_cache(maxsize=64)
def called(schema: NetworkSchema) -> tuple[Called, ...]:
    """Return the words for everything in a schema."""
    found: list[Called] = []
    for type in schema.object_types:
        forms = [*names_of(type.name, type.id, type.comment)]
        forms += [(one, False, True) for one in shortened(type.name)]
        found += [Called(word, "type", type.id, type.id, back, is_name) for word, back, is_name in forms]
        for one in type.properties:
            held = names_of(one.display_name or one.name, one.name, one.comment)
            found += [Called(word, "property", type.id, one.name, back, is_name) for word, back, is_name in held]
    for relation in schema.relation_types:
        words = names_of(relation.name, relation.id, relation.comment)
        source = relation.source_object_type_id
        found += [Called(word, "relation", source, relation.id, back, is_name) for word, back, is_name in words]
    return tuple(one for one in dict.fromkeys(found) if one.word)


def terms_in(text: str, schema: NetworkSchema) -> list[Term]:
    """Return where a text, its names blanked, names parts of a schema, in order; a part of a longer term is none."""
    found = [term for one in called(schema) for term in one.terms(text)]
    longest = [one for one in found if not any(is_within(one, other) for other in found)]
    return sorted(dict.fromkeys(longest), key=lambda one: (one.start, not one.is_name))


def is_within(one: Term, other: Term) -> bool:
    """Return True if a term is a part of a longer one."""
    return other.start <= one.start and one.end <= other.end and other.end - other.start > one.end - one.start


def shortened(name: str) -> list[str]:
    """Return a Chinese type's name without the classifier at its end: 船 of 船只."""
    return [name[:-1]] if is_chinese(name) and len(name) == 2 and name[-1] in CLASSIFIERS else []


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
    words = [word for word in words if word]
    small = {"by", "at", "to", "of", "in", "on", "with", "for"}
    if len(words) == 2 and words[1] in small:
        return bounded(rf"{stem_of(words[0])}(?:\s+{words[1]})?" if words[1] in ("by", "at") else loose(words))
    return bounded(stem_of(words[0]) if len(words) == 1 else loose(words))


def loose(words: list[str]) -> str:
    """Return what finds several words, the first in its forms, the last in its plural: shippedDate, reported to."""
    first, *rest = words
    return r"[\s_-]*".join([stem_of(first), *map(re.escape, rest)]) + "s?"


def bounded(pattern: str) -> re.Pattern[str]:
    """Return a pattern that finds whole words, beside Chinese too."""
    return re.compile(rf"(?<![A-Za-z0-9])(?:{pattern})(?![A-Za-z0-9])", re.IGNORECASE)


def stem_of(word: str) -> str:
    """Return what finds an English word in its forms: suppl in supplies, supplier, supply."""
    stem = ENDING.sub("", word)
    if len(stem) < LEAST_STEM:
        return f"{re.escape(word)}s?"
    ending = f"{re.escape(stem[:-1])}[iy]" if stem.endswith("i") else f"{re.escape(stem)}i?"
    return f"(?:{re.escape(word)}|{ending}){WORD_END}"


def relation_of(schema: NetworkSchema, id: str) -> RelationType:
    """Return the relation of an id that is there."""
    return next(one for one in schema.relation_types if one.id == id)
