"""Makes a follow-up to a network stand by itself: the instance that it means is put into the question."""

import re
from dataclasses import replace

from nodes.roles import Resolution, ResolveRequest
from state.schema import ResolvedMention
from state.session import TOPIC_CHARACTERS, Session
from tools.language import is_chinese
from tools.networks.figures import interval_of, ways_from
from tools.networks.lexicon import Lexicon, forms
from tools.networks.words import blanked, identified, stands, types_named
from tools.text.scripts import bigrams, folded
from wenmai.language.lexicon import patterns
from wenmai.minds.offline.networks.asking import (
    ASKED,
    LISTING,
    PERSON,
    THING,
    WHOLE,
    Focus,
    asks_for,
    focus_of,
    instances_meant,
)
from wenmai.minds.offline.networks.naming import in_full, is_bare, unknown_names
from wenmai.minds.offline.networks.reading import WHO
from wenmai.minds.offline.networks.shapes import Query, asked_of, row_query


def with_new_instance(question: str, session: Session, lexicon: Lexicon) -> str | None:
    """Return the last question with the instance that this one names; None where this one asks something itself."""
    mentions = lexicon.named_in(question)
    if len(mentions) != 1 or not session["turns"] or not is_bare(blanked(question, mentions)):
        return None
    before = session["turns"][-1]["resolved"]
    # In the place of one of its type, else of the first.
    types, old = {one.type.id for one in instances_meant(mentions[0], lexicon)}, lexicon.named_in(before)
    alike = [mention for mention in old if any(one.type.id in types for one in instances_meant(mention, lexicon))]
    if not old:
        return None
    replaced = [*alike, *old][0]
    return f"{before[: replaced.start]}{mentions[0].text}{before[replaced.end :]}"


def with_new_type(question: str, session: Session, lexicon: Lexicon) -> tuple[str, str] | None:
    """Return the last question with the type that this one names, and its word: 有哪些商号, then 那泊位呢."""
    if not session["turns"] or lexicon.named_in(question):
        return None
    new, before = types_named(question, lexicon), session["turns"][-1]["resolved"]
    old = types_named(before, lexicon)
    if len(new) != 1 or not old or lexicon.named_in(before):
        return None
    (start, end, _), (first, last, _) = new[0], old[0]
    if not is_bare(f"{question[:start]} {question[end:]}"):
        return None
    word = question[start:end]
    return f"{before[:first]}{word}{before[last:]}", word


VALUE_ALONE = re.compile(
    r"(?:and|or|what about|how about|那么?|还有)?[\s,，]*(?:an?|the)?\s*(?:one|ones|的)?\s*(?:呢)?[\s?？]*",
    re.IGNORECASE,
)


def with_new_value(question: str, session: Session, lexicon: Lexicon) -> str | None:
    """Return the last question with the value that this one names: lights with a white lamp, then a red one."""
    if not session["turns"] or lexicon.named_in(question):
        return None
    before = session["turns"][-1]["resolved"]
    for value, places in lexicon.held.items():
        at = folded(question).find(value)
        rest = question[:at] + question[at + len(value) :]
        if at < 0 or not stands(value, folded(question)) or not VALUE_ALONE.fullmatch(rest):
            continue
        for other, held in lexicon.held.items():
            start = folded(before).find(other)
            if start >= 0 and other != value and stands(other, folded(before)) and not {*places}.isdisjoint(held):
                return f"{before[:start]}{question[at : at + len(value)]}{before[start + len(other) :]}"
    return None


def beside_focus(question: str, name: str, session: Session, lexicon: Lexicon) -> str | None:
    """Return the instance of the talk of which a question asks what joins it with the one that it names.

    In 纸鸢, which role is it: of the actor that was spoken of.
    """
    if not session["turns"]:
        return None
    last = session["turns"][-1]["resolved"]
    for mention in lexicon.named_in(last):
        if mention.entity != name:
            both = f"{mention.text} {question}"
            found = row_query(both, lexicon, None)
            period = [one.name for one in interval_of(found.type) or ()] if found else []
            if found is not None and len(found.where) > 1 and not found.at and found.property not in period:
                return mention.text
    return None


SHORT = 12  # characters
LEAST_PRESENCE = 0.15  # below it an instance is not what the talk is about
_PATTERNS = patterns("wenmai.minds.offline.networks")
REFERENCE, REFERENCE_EN = _PATTERNS["reference"], _PATTERNS["reference_en"]
POSSESSIVE_EN, ALL = _PATTERNS["possessive_en"], _PATTERNS["all"]
ABOUT = {"zh": "关于{name}，{question}", "en": "About {name}: {question}"}


def resolved(question: str, session: Session, lexicon: Lexicon) -> Resolution:
    """Put the instance that a question leaves out into it; a question that names one stays, character for character.

    One that names an instance and asks nothing of it asks what the last question asked.
    """
    text, ids = identified(question, lexicon)
    if ids:
        return _resolution(text, *ids)
    full, _ = in_full(question, lexicon)
    found = focus_of(full, session, lexicon)
    named = [one.known.name for one in found if one.named]
    if named and (asked := with_new_instance(full, session, lexicon)) is not None:
        return _resolution(asked, ("", named[0]))
    if not named and (valued := with_new_value(question, session, lexicon)) is not None:
        return replace(_resolution(valued, ("", valued)), entities=[], topic=None)
    if len(set(named)) == 1 and (other := beside_focus(full, named[0], session, lexicon)) is not None:
        language = "zh" if is_chinese(question) else "en"
        return _resolution(ABOUT[language].format(name=other, question=question), ("", other))
    if not named and (again := with_new_type(question, session, lexicon)) is not None:
        return replace(_resolution(again[0], ("", again[1])), entities=[], topic=None)  # a type is no entity
    is_own = named or not found or stands_alone(question, found[0], lexicon) or unknown_names(full, lexicon)
    if is_own or not refers(question, found[0], lexicon):
        return replace(_resolution(question, *(("", name) for name in dict.fromkeys(named))), mentions=[])
    name = found[0].known.name
    form = next(iter(forms(name)), name)  # without what stands in brackets where that still means this one alone
    mentions = lexicon.named_in(form)
    is_alone = len(mentions) == 1 and mentions[0].text == form and mentions[0].entity == name
    text, mention = rewritten(question, form if is_alone else name)
    return _resolution(text, (mention, name))


def _resolution(question: str, *meant: tuple[str, str]) -> Resolution:
    """Return a question with the instances it is about, each behind the words that mean it."""
    names = [name for _, name in meant]
    return Resolution(
        question=question,
        mentions=[ResolvedMention(mention=words, entity=name) for words, name in meant],
        entities=names,
        topic=names[0][:TOPIC_CHARACTERS] if names else None,
    )


def refers(question: str, focus: Focus, lexicon: Lexicon) -> bool:
    """Return True if a question without a name is about the instance that the talk is about."""
    if focus.score < LEAST_PRESENCE:
        return False
    plain = blanked(question, lexicon.named_in(question))
    points = PERSON.search(plain) or THING.search(plain) or REFERENCE.search(plain) or WHOLE.search(plain)
    is_short = len(re.sub(r"\W", "", plain)) <= SHORT  # it cannot bring its own subject
    return bool(points) or is_short or any(asks_for(plain, label) >= ASKED for label in focus.known.labels)


def stands_alone(question: str, focus: Focus, lexicon: Lexicon) -> bool:
    """Return True if a question is about a whole type: the greatest ship, all ships; not a house's ships."""
    _, shape = asked_of(question, lexicon)
    if isinstance(shape, Query) and shape.degree:
        return shape.named or WHO.search(question) is not None
    if not isinstance(shape, Query) or not shape.named:
        return False
    if shape.asked and shape.where and LISTING.search(question):  # which players are Chinese
        return True
    if any(one.operation == "contains" for one in shape.where) and any(
        asks_for(question, label) >= ASKED for label in focus.known.labels
    ):
        return False
    schema = lexicon.schemas[shape.key[0]]
    beside = any(way.end == shape.told.id for way in ways_from(focus.known.type.id, schema))
    of_all = ALL.search(question) is not None or bool(bigrams(schema.name) & bigrams(question))
    return of_all or not beside


def rewritten(question: str, name: str) -> tuple[str, str]:
    """Return a question with the name in place of what stands for it, or before it, and what it replaced."""
    language = "zh" if is_chinese(question) else "en"
    found = (REFERENCE if language == "zh" else REFERENCE_EN).search(question)
    if found is None:
        return ABOUT[language].format(name=name, question=question), ""
    new = f"{name}'s" if POSSESSIVE_EN.fullmatch(found[0]) else name
    return f"{question[: found.start()]}{new}{question[found.end() :]}", found[0]


def joint_resolution(
    request: ResolveRequest, network: Resolution, story: Resolution | None, lexicon: Lexicon
) -> Resolution:
    """Return the resolution by the network, by the story, or, of a question with names of both, with both names.

    Where either could fill what is left out, the newest entity of the session decides.
    """
    # Words for an instance, or one that is left out; an id is none of these.
    left_out = any(not one["mention"] for one in network.mentions)
    refers = left_out or bool(REFERENCE.search(request.question) or REFERENCE_EN.search(request.question))
    if story is None:
        return replace(network, refers=refers)
    newest = request.session["entities"][:1]
    about_network = any(lexicon.known(entity["name"]) for entity in newest)
    names_none = bool(newest) and not story.mentions and not story.entities
    if network.mentions and (about_network or names_none):
        return replace(network, refers=refers)
    named = [] if network.mentions else network.entities
    entities = list(dict.fromkeys([*story.entities, *named]))
    return replace(story, entities=entities, refers=story.refers or refers)
