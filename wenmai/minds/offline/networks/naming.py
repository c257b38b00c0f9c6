"""Instances that a question names only in part: 上气道梗阻 where the network has 上、下气道梗阻."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tools.language import HAN
from tools.networks.keyword import parts_of
from tools.networks.lexicon import CAPITAL, WORD, AskedWords, KnownInstance, Lexicon, ShortName, word_forms
from tools.networks.records import NetworkSchema
from tools.networks.words import MEASURES, blank, joined_in, terms_in
from tools.story.names import NameMention, fold
from tools.tables.names import singular
from tools.text.scripts import bare, folded
from wenmai.language.segmenting import segmenter
from wenmai.minds.offline.networks.asking import (
    ASKED,
    LONGEST_KIND,
    NOUN,
    RULES,
    TABLES,
    TOLD,
    asks_for,
    asks_whole,
)
from wenmai.minds.offline.networks.reading import COUNTING, GENERIC, VALUE_ASKED, is_figure
from wenmai.minds.offline.questions.question import SILENT, word_table

POINTS = re.compile(TABLES["points"], re.IGNORECASE)
ASKED_NOUN = re.compile(rf"哪些|哪几[{MEASURES}]?|哪[{MEASURES}]|什么|多少[{MEASURES}]")
CUT_TAGS = ("u", "r", "y", "e", "o", "c", "p", "d", "x")  # particles, pronouns, adverbs, marks
NOUNS = ("n", "s", "i", "l", "j", "b", "t", "z", "f")
NUMBERED = re.compile(r"(?<![A-Za-z0-9])[A-Za-z_-]*\d[A-Za-z0-9_-]*")  # what may be an id
LINKING = re.compile(r"(?:的|之|\b(?:of|in|the)\b|\s)*", re.IGNORECASE)  # between two parts of a name
DIRECTION = "f"
LEAST_CHINESE, LEAST_LATIN = 2, 4  # letters of a part that may name an instance
LEAST_SCATTERED = 4  # letters of a part that the name has in two pieces
LEAST_SHARE = 0.4  # of a name's letters that are named
ARTICLE, BEFORE_FIRST = re.compile(r"\bthe\s+$", re.IGNORECASE), re.compile(r"[那这\W]+")
MOST_MEANT = 3  # instances that one part may mean
KEPT_QUESTIONS = 32  # with names in full: each is read several times in its turn


# What stands around the name where nothing else is asked.
BARE = re.compile(r"(?:那么?|还有|至于|换成)?[\s，,]+呢[\s？?]*")
BARE_EN = re.compile(r"(?:and\s+|so\s+)?(?:(?:what|how)\s+about\s+)?(?:the\s+)?\s+[\s?]*", re.IGNORECASE)
ABOUT_EN = re.compile(r"\b(?:and|about)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PartialName:
    """Words of a question, in one place or in several, that are a part of the names of these instances."""

    spans: tuple[tuple[int, int], ...]
    known: tuple[KnownInstance, ...]


def words_naming(text: str, schemas: Sequence[NetworkSchema]) -> list[tuple[int, int]]:
    """Return where a text may name an instance: words side by side that neither ask nor name a part of a schema."""
    spans = [(one.start, one.end) for schema in schemas for one in terms_in(text, schema)]
    plain = GENERIC.sub(lambda found: " " * len(found[0]), blank(text, spans))
    has_capitals = CAPITAL.search(text) is not None  # Delta Air Lines operate: the name ends with the capitals
    found: list[tuple[int, int]] = []
    at, direction = 0, (0, 0)  # 上 of 上气道 is a part of the word behind it
    for word, tag in segmenter().tag(plain, False):
        start, at = at, at + len(word)
        if tag == DIRECTION and len(word) == 1:
            direction = (start, at)
        elif _says_something(word, tag):
            start = direction[0] if direction[1] == start else start
            between = slice(found[-1][1] if found else start, start)  # of Latin words a blank
            is_joined = text[between] == plain[between] == "" or (
                not HAN.search(word)
                and text[between] == plain[between] == " "
                and not (has_capitals and word[:1].islower() != text[found[-1][0]].islower())
            )
            found[-1:] = [(found[-1][0], at)] if found and is_joined else [*found[-1:], (start, at)]
    return [(start, end) for start, end in found if _may_name(text[start:end])]


def asked_words(text: str, schema: NetworkSchema) -> AskedWords:
    """Return what a lexicon must look for that does not know its network: of a question, and of its talk."""
    words = [text[start:end] for start, end in words_naming(text, (schema,))]
    words += [one for run in words for one, _ in segmenter().tag(run, False) if _may_name(one)]  # values among them
    words += [WORD.sub(lambda word: singular(word[0]), run) for run in words if not HAN.search(run)]
    named = ((one.type_id, one.id) for one in terms_in(text, schema) if one.kind == "property")
    return AskedWords(tuple(dict.fromkeys([*words, *NUMBERED.findall(text)])), frozenset(named))


def _says_something(word: str, tag: str) -> bool:
    if not WORD.search(word):
        return False
    if not HAN.search(word):
        return word.lower() not in word_table("english_stop")
    return not tag.startswith(CUT_TAGS) and not any(word in word_table(name) for name in SILENT)


def _may_name(words: str) -> bool:
    least = LEAST_CHINESE if HAN.search(words) else LEAST_LATIN
    return len(bare(words)) >= least and not any(rule.asked.fullmatch(folded(words)) for rule in RULES)


def _has_noun(words: str) -> bool:
    return any(tag.startswith(NOUNS) or not HAN.search(word) for word, tag in segmenter().tag(words, False))


def partly_named(question: str, lexicon: Lexicon) -> list[PartialName]:
    """Return the instances that a question names in part: they have what it asks for, or it asks for all of them.

    Words of one name narrow each other down. Where some are a whole name, only longer words around that are a part of
    another; a question that points back names nothing.
    """
    if POINTS.search(question):
        return []
    mentions = lexicon.named_in(question)
    asking = asking_words(question, lexicon)
    found: list[PartialName] = []
    for start, end in words_naming(question, tuple(lexicon.schemas.values())):
        words = question[start:end]
        is_small = words.islower() and CAPITAL.search(question) is not None  # where other names have capitals
        if is_small or (mentions and not _is_beside((start, end), mentions)):
            continue
        known = named_by(words, lexicon)
        names = {one.name for one in known}
        beside = next((one for one in found if _is_one_name(one, start, names, asking)), None)
        if beside:
            both = tuple(one for one in beside.known if one.name in names)
            found[found.index(beside)] = PartialName((*beside.spans, (start, end)), both)
        elif known and _has_noun(words):
            found.append(PartialName(((start, end),), tuple(known)))
    plain = blank(question, [span for one in found for span in one.spans])
    asks_anything = asks_whole(plain) or is_bare(plain)
    labels = {one for one in lexicon.labels if not TOLD.search(one) and asks_for(plain, one) >= ASKED} if found else ()
    fitting: list[PartialName] = []
    for part in found:
        parts = [bare(question[slice(*span)]) for span in part.spans]
        named = (one for one in part.known if _names(parts, lexicon.short[one.name].letters))
        meant = tuple(one for one in named if asks_anything or any(label in labels for label in one.labels))
        fitting += [PartialName(part.spans, meant)] if 0 < len(meant) <= MOST_MEANT else []
    return fitting or ([] if mentions else described(question, lexicon))


def described(question: str, lexicon: Lexicon) -> list[PartialName]:
    """Return the instance that a value of it stands for where something else of it is asked: how old is the miller.

    None where several have the value, or where instances with it are counted or compared.
    """
    if not lexicon.whole or is_figure(question) or (COUNTING.search(question) and not VALUE_ASKED.search(question)):
        return []
    text = fold(question)
    for value in sorted((one for one in lexicon.held if one in text), key=len, reverse=True):
        start, places = text.find(value), lexicon.held[value]
        end = start + len(value)
        if not is_definite(question, start, end):
            continue
        held = [
            one
            for key, label in places
            for one in lexicon.members[key]
            if value in map(fold, one.values.get(label, ()))
        ]
        own, plain = {label for _, label in places}, blank(question, [(start, end)])
        others = [label for one in held for label in one.labels if label not in own and not TOLD.search(label)]
        if len({id(one) for one in held}) == 1 and any(asks_for(plain, label) >= ASKED for label in others):
            return [PartialName(((start, end),), (held[0],))]
    return []


def is_definite(text: str, start: int, end: int) -> bool:
    """Return True for words that mean one thing: behind an article, in Chinese first in a question or before 的."""
    if HAN.search(text[start:end]):
        return not BEFORE_FIRST.sub("", text[:start]) or text[end : end + 1] == "的"
    return ARTICLE.search(text[:start]) is not None and not text[end : end + 1].isalnum()


def means_several(question: str, lexicon: Lexicon) -> bool:
    """Return True if a part of a name in a question is that of several instances."""
    return any(len({one.name for one in part.known}) > 1 for part in partly_named(question, lexicon))


def asking_words(question: str, lexicon: Lexicon) -> list[tuple[int, int]]:
    """Return where a question asks for something: by the name of a property or relation, or by words that mean one."""
    terms = (one for schema in lexicon.schemas.values() for one in terms_in(question, schema) if one.kind != "type")
    usual = (found.span() for rule in RULES if not rule.general for found in rule.asked.finditer(question))
    return [*((one.start, one.end) for one in terms), *usual]


def _is_one_name(part: PartialName, start: int, names: Collection[str], asking: Iterable[tuple[int, int]]) -> bool:
    """Return True if words from `start` on may go on a name whose part stands before them: nothing asks between."""
    end = part.spans[-1][1]
    is_apart = any(end <= asked[0] and asked[1] <= start for asked in asking)
    return not is_apart and any(one.name in names for one in part.known)


def _is_beside(span: tuple[int, int], mentions: Sequence[NameMention]) -> bool:
    """Return True for words around a whole name, and for long ones apart from all of them."""
    met = [one for one in mentions if one.start < span[1] and span[0] < one.end]
    size = span[1] - span[0]
    return all(one.end - one.start < size for one in met) if met else size >= LEAST_SCATTERED


def _names(words: Sequence[str], name: str) -> bool:
    """Return True if words are enough of a name."""
    return len("".join(words)) >= LEAST_SHARE * len(name)


def is_bare(plain: str) -> bool:
    """Return True if a question, its name blanked, has nothing else to ask."""
    return bool(BARE.fullmatch(plain)) or bool(ABOUT_EN.search(plain) and BARE_EN.fullmatch(plain))


def named_by(words: str, lexicon: Lexicon) -> list[KnownInstance]:
    """Return the instances that have some words in a name; what stands in brackets behind it is none of it."""
    is_part = has_letters(bare(words)) if HAN.search(words) else has_words(words)
    return [one for name, held in lexicon.by_name.items() if is_part(lexicon.short[name]) for one in held]


def has_words(text: str) -> Callable[[ShortName], bool]:
    words = word_forms(text)
    return lambda name: words <= name.words


def has_letters(part: str) -> Callable[[ShortName], bool]:
    """Return what tells if a name has some letters in one piece and others beside them; longer ones in two pieces."""
    cuts = [(part[:at], part[at:]) for at in range(1, len(part))] if len(part) >= LEAST_SCATTERED else []

    def is_part(name: ShortName) -> bool:
        whole = name.letters
        if part in whole:
            return part != whole
        if not cuts or part[0] not in whole or part[-1] not in whole:
            return False
        return any((at := whole.find(first)) >= 0 and rest in whole[at + len(first) :] for first, rest in cuts)

    return is_part


def types_in_full(question: str, lexicon: Lexicon) -> str:
    """Return a question with the name of a type where the last character of it alone is asked for: 哪些病 for 疾病."""
    types = {one.name for schema in lexicon.schemas.values() for one in schema.object_types}
    for asking in reversed(list(ASKED_NOUN.finditer(question))):
        word, tag = next(iter(segmenter().tag(question[asking.end() :][:LONGEST_KIND], False)), ("", ""))
        named = [one for one in types if len(one) == len(word) + 1 and one.endswith(word)]
        if len(word) == 1 and tag.startswith(NOUN) and word not in types and len(named) == 1:
            question = f"{question[: asking.end()]}{named[0]}{question[asking.end() + 1 :]}"
    return question


@lru_cache(KEPT_QUESTIONS)
def in_full(question: str, lexicon: Lexicon) -> tuple[str, Mapping[str, str]]:
    """Return a question with whole names in the place of their parts, and by each name the keyword that finds it.

    That is the longest part of it, but the name itself where a search for the part would not find it.
    """
    said: dict[str, str] = {}
    edits: list[tuple[int, int, str]] = []
    for one in partly_named(question, lexicon):
        words = max((question[start:end] for start, end in one.spans), key=len)
        findable = [bare(words), *(parts_of(bare(words)) if HAN.search(words) else ())]
        said = {k.name: words if any(part in bare(k.name) for part in findable) else k.name for k in one.known} | said
        names = joined_in(question, dict.fromkeys(known.name for known in one.known))
        places = _places(one.spans, question)
        longest = max(places, key=lambda place: place[1] - place[0])
        edits += [(start, end, names if (start, end) == longest else " " * (end - start)) for start, end in places]
    full = question
    for start, end, words in sorted(edits, reverse=True):
        full = f"{full[:start]}{words}{full[end:]}"
    return full, said


PROPER = re.compile(r"(?<![.?!]\s)(?<!^)\b[A-Z][a-z]{2,}(?:['’]s)?(?:\s+(?:of |the |de |van )?[A-Z][a-z]+)*\b")
PERSONS = "nr"  # the tag of a person's name
CALENDAR = re.compile(
    r"January|February|March|April|May|June|July|August|September|October|November|December|(?:Mon|Tues|Wednes|Thurs|Fri"
    r"|Satur|Sun)day"
)


def unknown_names(question: str, lexicon: Lexicon) -> list[str]:
    """Return the names in a question that no instance, value or part of a network has: what they have is not here.

    Where the instances are a service's, a name may be one that is not known yet.
    """
    if not lexicon.whole or not lexicon.by_name:
        return []
    mentions = lexicon.named_in(question)
    plain = blank(question, [(one.start, one.end) for one in mentions])
    spans = [(one.start, one.end) for schema in lexicon.schemas.values() for one in terms_in(plain, schema)]
    plain = blank(plain, spans)
    if HAN.search(plain):
        named = [word for word, tag in segmenter().tag(plain, False) if tag == PERSONS and len(word) >= LEAST_CHINESE]
    else:
        named = [found[0].removesuffix("'s").removesuffix("’s") for found in PROPER.finditer(plain)]
    known = [folded(one) for one in (*lexicon.held, *lexicon.by_name, *lexicon.labels)]
    known += [folded(schema.name) for schema in lexicon.schemas.values()]
    return [
        one
        for one in named
        if not CALENDAR.fullmatch(one) and not any(folded(one) in text or text in folded(one) for text in known if text)
    ]


def _places(spans: Sequence[tuple[int, int]], question: str) -> list[tuple[int, int]]:
    """Return where the parts of one name stand, those as one that only a particle or a blank is between."""
    places = [spans[0]]
    for start, end in spans[1:]:
        between = question[places[-1][1] : start]
        places[-1:] = [(places[-1][0], end)] if LINKING.fullmatch(between) else [places[-1], (start, end)]
    return places
