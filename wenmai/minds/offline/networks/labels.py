"""Names of types and labels as questions use them: singular, plural, in English where the schema has English ids."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from tools.language import is_chinese
from tools.networks.lexicon import Lexicon, TypeKey
from tools.networks.records import NetworkSchema, ObjectType
from tools.story.linking import Mention
from wenmai.minds.offline.networks.asking import TABLES

CLASSIFIERS = "只员物者类种个位"  # the end of a type's name that questions leave out: 船只, 人员, 货物, 泊位
BEFORE_NOUN = re.compile(rf"{TABLES['before_noun']}$")
COMMENT_WORDS = 3  # a comment of so many words may be a name
SMALL = re.compile(r"(?<=[a-z])_(?:by|at|to|of|in|on|with|for)$|_")
STEM = re.compile(r"(?:ies|ed|er|s|es|ing|d)$")
LEAST_STEM = 3
AMBIGUOUS = frozenset({"born"})  # where, or when: the words beside it tell
PLURALS = {"person": "people|persons", "man": "men", "woman": "women", "child": "children"}


def in_labels(question: str, lexicon: Lexicon) -> str:
    """Return an English question with the network's labels in place of their English ids and comments.

    A Chinese question, and what a network with English labels is asked, stay as they are.
    """
    mentions = lexicon.table.find(question)
    parts = list(between(question, mentions))
    if is_chinese("".join(parts)):
        return question
    own = {one.type.id for mention in mentions for name in mention.candidates for one in lexicon.known(name.entity)}
    for pattern, label in english_names(lexicon, own):
        parts = [pattern.sub(label, part) for part in parts]
    return "".join(text for pair in zip(parts, [*(m.text for m in mentions), ""], strict=True) for text in pair)


def between(question: str, mentions: Sequence[Mention]) -> Iterator[str]:
    """Give what stands before, between and behind the names of a question."""
    at = 0
    for mention in mentions:
        yield question[at : mention.start]
        at = mention.end
    yield question[at:]


def english_names(lexicon: Lexicon, own: set[str]) -> list[tuple[re.Pattern[str], str]]:
    """Return the English names of Chinese labels, longer ones first, those of the types that are asked of before."""
    found: dict[str, str] = {}
    for schema in lexicon.schemas.values():
        types = sorted(schema.object_types, key=lambda one: one.id not in own)
        rows = [(one.id, one.comment, one.name) for one in schema.relation_types]
        rows += [
            (prop.name, prop.comment, prop.display_name)
            for type in types
            for prop in type.properties
            if prop.name not in (*type.primary_keys, type.display_key, *AMBIGUOUS)
        ]
        for id, comment, label in rows:
            if is_chinese(label):
                for name in (id, comment if len(comment.split()) <= COMMENT_WORDS else ""):
                    if name and not is_chinese(name):
                        found.setdefault(name, label)
    return [(pattern_of(name), found[name]) for name in sorted(found, key=len, reverse=True)]


@lru_cache(maxsize=2_048)
def pattern_of(name: str) -> re.Pattern[str]:
    """Return what finds an English name in its forms: owned_by in owns, owner, owned by."""
    words = SMALL.sub(" ", name.strip().lower()).split()
    if len(words) != 1:
        return re.compile(rf"\b{'[ _-]'.join(map(re.escape, words)) or name}\b", re.IGNORECASE)
    stem = STEM.sub("", words[0])
    if len(stem) < LEAST_STEM:
        return re.compile(rf"\b{re.escape(words[0])}s?\b", re.IGNORECASE)
    return re.compile(rf"\b{re.escape(stem)}(?:e|s|es|d|ed|er|ers|y|ies|ied|ing)?(?: (?:by|at))?\b", re.IGNORECASE)


def types_named(text: str, lexicon: Lexicon) -> list[tuple[int, int, TypeKey]]:
    """Return where a text, its names blanked, names object types, in order; a part of a longer label is none."""
    found = [
        (start, end, (schema.id, type.id))
        for schema in lexicon.schemas.values()
        for type in schema.object_types
        for start, end in spans_of(text, type)
        if not in_label(text, start, end, schema)
    ]
    return sorted(dict.fromkeys(found))


def spans_of(text: str, type: ObjectType) -> Iterator[tuple[int, int]]:
    """Give where a text names a type: 船只, also as 船 behind what counts or asks; ships for the id ship."""
    for form in dict.fromkeys((type.name, type.id)):
        if not is_chinese(form):
            for found in english_noun(form).finditer(text):
                yield found.span()
    for form in chinese_forms(type.name):
        for found in re.finditer(re.escape(form), text):
            if len(form) > 1 or BEFORE_NOUN.search(text[: found.start()].rstrip()):
                yield found.span()


def chinese_forms(name: str) -> list[str]:
    """Return how a Chinese type is called: its name, and without a classifier at its end."""
    if not is_chinese(name):
        return []
    return [name, name[:-1]] if len(name) == 2 and name[-1] in CLASSIFIERS else [name]


@lru_cache(maxsize=2_048)
def english_noun(name: str) -> re.Pattern[str]:
    """Return what finds an English noun in its singular and plural."""
    word = re.sub(r"[_-]", " ", name.strip().lower())
    others = f"|{PLURALS[word]}" if word in PLURALS else ""
    base = re.escape(word.removesuffix("y")) if word.endswith("y") else re.escape(word)
    ending = "(?:y|ies)" if word.endswith("y") else "(?:s|es)?"
    return re.compile(rf"\b(?:{base}{ending}{others})\b", re.IGNORECASE)


def in_label(text: str, start: int, end: int, schema: NetworkSchema) -> bool:
    """Return True if a span is a part of a longer label: the 船 of 船长 is no ship."""
    names = [one.name for one in schema.relation_types]
    names += [prop.display_name for type in schema.object_types for prop in type.properties]
    names += [type.name for type in schema.object_types]
    return any(
        at <= start and end <= at + len(name) and len(name) > end - start
        for name in dict.fromkeys(names)
        if name
        for at in (found.start() for found in re.finditer(re.escape(name), text, re.IGNORECASE))
    )
