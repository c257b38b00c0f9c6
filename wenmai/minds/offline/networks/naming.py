"""Instances that a question names only in part: 上气道梗阻 where the network has 上、下气道梗阻."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tools.language import HAN, is_chinese
from tools.networks.keyword import parts_of
from tools.networks.lexicon import AskedWords, KnownInstance, Lexicon, forms
from tools.networks.records import NetworkSchema
from tools.networks.words import AND_EN, AND_ZH, blank, terms_in
from tools.story.names import NameMention
from tools.text.scripts import bare, folded
from wenmai.language.segmenting import segmenter
from wenmai.minds.offline.networks.asking import ASKED, RULES, TABLES, TOLD, asks_for, asks_whole
from wenmai.minds.offline.networks.reading import GENERIC
from wenmai.minds.offline.questions.question import SILENT, word_table

POINTS = re.compile(TABLES["points"], re.IGNORECASE)
CUT_TAGS = ("u", "r", "y", "e", "o", "c", "p", "d", "x")  # particles, pronouns, adverbs, marks
NOUNS = ("n", "s", "i", "l", "j", "b", "t", "z", "f")
NUMBERED = re.compile(r"(?<![A-Za-z0-9])[A-Za-z_-]*\d[A-Za-z0-9_-]*")  # what may be an id
WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
DIRECTION = "f"
LEAST_CHINESE, LEAST_LATIN = 2, 4  # letters of a part that may name an instance
LEAST_SCATTERED = 4  # letters of a part that the name has in two pieces
LEAST_SHARE, KIND = 0.4, 2  # of a name's letters that are named; letters at its end that only tell what it is
MOST_MEANT = 3  # instances that one part may mean


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
                not HAN.search(word) and text[between] == plain[between] == " "
            )
            found[-1:] = [(found[-1][0], at)] if found and is_joined else [*found[-1:], (start, at)]
    return [(start, end) for start, end in found if _may_name(text[start:end])]


def asked_words(text: str, schema: NetworkSchema) -> AskedWords:
    """Return what a lexicon must look for that does not know its network: of a question, and of its talk."""
    words = [text[start:end] for start, end in words_naming(text, (schema,))]
    words += [one for run in words for one, _ in segmenter().tag(run, False) if _may_name(one)]  # values among them
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
    mentions = lexicon.table.find(question)
    found: list[PartialName] = []
    for start, end in words_naming(question, tuple(lexicon.schemas.values())):
        words = question[start:end]
        if mentions and not _is_beside((start, end), mentions):
            continue
        known = named_by(words, lexicon)
        beside = next((one for one in found if any(other in known for other in one.known)), None)
        if beside:
            both = tuple(one for one in beside.known if one in known)
            found[found.index(beside)] = PartialName((*beside.spans, (start, end)), both)
        elif known and _has_noun(words):
            found.append(PartialName(((start, end),), tuple(known)))
    plain = blank(question, [span for one in found for span in one.spans])
    fitting = [PartialName(one.spans, tuple(k for k in one.known if _fits(one, k, question, plain))) for one in found]
    return [one for one in fitting if 0 < len(one.known) <= MOST_MEANT]


def _is_beside(span: tuple[int, int], mentions: Sequence[NameMention]) -> bool:
    """Return True for words around a whole name, and for long ones apart from all of them."""
    met = [one for one in mentions if one.start < span[1] and span[0] < one.end]
    size = span[1] - span[0]
    return all(one.end - one.start < size for one in met) if met else size >= LEAST_SCATTERED


def _fits(part: PartialName, one: KnownInstance, question: str, plain: str) -> bool:
    """Return True if the words are enough of a name, more than the kind that it ends with, and it has what is asked."""
    words, name = [bare(question[slice(*span)]) for span in part.spans], bare(short_name(one.name))
    is_kind = len(words) == 1 and name.endswith(words[0]) and len(words[0]) <= KIND
    if is_kind or len("".join(words)) < LEAST_SHARE * len(name):
        return False
    asked = (asks_for(plain, label) >= ASKED for label in one.labels if not TOLD.search(label))
    return asks_whole(plain) or is_bare(plain) or any(asked)


def is_bare(plain: str) -> bool:
    """Return True if a question, its name blanked, has nothing else to ask."""
    return bool(BARE.fullmatch(plain)) or bool(ABOUT_EN.search(plain) and BARE_EN.fullmatch(plain))


def short_name(name: str) -> str:
    return next(iter(forms(name)), name)


def named_by(words: str, lexicon: Lexicon) -> list[KnownInstance]:
    """Return the instances that have some words in a name; what stands in brackets behind it is none of it."""
    part = bare(words)
    return [one for name, held in lexicon.by_name.items() if is_part(part, words, short_name(name)) for one in held]


def is_part(part: str, words: str, name: str) -> bool:
    """Return True if a name has some words: Latin ones as words, Chinese ones in one piece, longer ones in two."""
    if not HAN.search(words):
        own = [folded(word) for word in WORD.findall(name)]
        return all(folded(word) in own for word in WORD.findall(words))
    whole = bare(name)
    if part in whole:
        return part != whole
    if len(part) < LEAST_SCATTERED or part[0] not in whole or part[-1] not in whole:
        return False
    return any((at := whole.find(part[:cut])) >= 0 and part[cut:] in whole[at + cut :] for cut in range(1, len(part)))


def in_full(question: str, lexicon: Lexicon) -> tuple[str, dict[str, str]]:
    """Return a question with whole names in the place of their parts, and by each name the keyword that finds it.

    That is the longest part of it, but the name itself where a search for the part would not find it.
    """
    said: dict[str, str] = {}
    for one in reversed(partly_named(question, lexicon)):
        words = max((question[start:end] for start, end in one.spans), key=len)
        findable = [bare(words), *parts_of(bare(words))]
        said |= {k.name: words if any(part in bare(k.name) for part in findable) else k.name for k in one.known}
        names = (AND_ZH if is_chinese(question) else AND_EN).join(dict.fromkeys(known.name for known in one.known))
        question = f"{question[: one.spans[0][0]]}{names}{question[one.spans[-1][1] :]}"
    return question, said
