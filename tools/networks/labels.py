"""Questions in a network's own labels: what else properties and relations are called, in either language."""

import re
from collections.abc import Iterable, Sequence

from tools.language import is_chinese
from tools.networks.lexicon import Lexicon, TypeKey
from tools.networks.records import NetworkSchema, Property
from tools.networks.words import Term, relation_of, terms_in
from tools.story.linking import Mention

AMBIGUOUS = frozenset({"born"})  # where, or when: the words beside it tell


COMPOUND = re.compile(r"[ _-]|[a-z][A-Z]")  # drug_name says which property is meant, name does not


def in_labels(question: str, lexicon: Lexicon) -> str:
    """Return a question with the network's labels in place of their ids and other names; names stay."""
    mentions = lexicon.table.find(question)
    plain = blanked(question, mentions)
    own = {one.type.id for mention in mentions for name in mention.candidates for one in lexicon.known(name.entity)}
    for start, end, label in reversed(relabelled(plain, lexicon, own)):
        room = "" if is_chinese(label) else " "
        question = f"{question[:start]}{room}{label}{room}{question[end:]}"
    return question


def blank(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return a text of the same length with these spans blanked."""
    chars = list(text)
    for start, end in spans:
        chars[start:end] = " " * (end - start)
    return "".join(chars)


def blanked(question: str, mentions: Iterable[Mention]) -> str:
    """Return a question without the names in it."""
    return blank(question, [(mention.start, mention.end) for mention in mentions])


def relabelled(plain: str, lexicon: Lexicon, own: set[str]) -> list[tuple[int, int, str]]:
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
    """Return the label of a property or relation."""
    if term.kind == "relation":
        return relation_of(schema, term.id).name
    type = schema.object_type(term.type_id)
    found = type.property(term.id) if type else None
    return label_of(found) if found else ""


def label_of(one: Property) -> str:
    """Return what people call a property."""
    return one.display_name or one.name


def types_named(text: str, lexicon: Lexicon) -> Sequence[tuple[int, int, TypeKey]]:
    """Return where a text, its names blanked, names object types, in order."""
    found = [(schema, term) for schema in lexicon.schemas.values() for term in terms_in(text, schema)]
    return sorted({(term.start, term.end, (schema.id, term.id)) for schema, term in found if term.kind == "type"})
