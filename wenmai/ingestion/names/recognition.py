"""Names of a text by the reader's tags, counted over the whole text and merged into people, places, organisations."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import fmean

from state.context import Language
from tools.language import HAN
from tools.records import PERSON
from tools.story.names import Spellings
from wenmai.ingestion.names.declarations import Stated, stated_names
from wenmai.ingestion.names.equations import equated_names
from wenmai.ingestion.names.forms import form_of, is_house, parts_of
from wenmai.ingestion.names.merging import NamedPerson, NameEvidence, merged_people
from wenmai.ingestion.names.spans import Place, Surfaces, surfaces_of
from wenmai.ingestion.sources.aliases import KnownName
from wenmai.language.lexicon import relation_words
from wenmai.language.segmenting import segmenter, tag_of
from wenmai.language.titles import is_english_title
from wenmai.reader.layout import NameKind, TaggedSpan

LABELS = {NameKind.PERSON: PERSON, NameKind.PLACE: "Location", NameKind.ORGANISATION: "Organization"}
"""What the tagger's kinds are in the graph."""
LEAST_COUNT = 2
"""Times that a name must be tagged; once is enough for a full name of which a part is known, or beside a tie."""
LEAST_SHARE = 0.2  # share of a word's uses that must be tagged; below it the tags are errors
LEAST_SHARE_OF_WORD = 0.5  # the same for a word of the dictionary, which may be a thing: a compass, a gate
NAME_ONLY_SHARE = 0.75  # share from which on every use of a word counts as the name; below it the tagged ones alone
COMMON_SHARE = 0.1  # share of an English word's uses in lower case from which on it qualifies a name and is none
LEAST_OF_WORD, LEAST_SURE_OF_WORD = 5, 0.9
"""Tags, and their mean probability, that make a common noun the name of a place or an organisation."""
LEAST_SURE_BESIDE = 0.8  # probability of a name that the text says to be that of a known person
ADVERBIAL = ("的", "地")
_MEASURED = re.compile(r"[只头条匹群个位这那每几两]$")  # what stands before a common noun and before no name
_LISTED = re.compile(r"[、，]|^and\b|\band$", re.IGNORECASE)
_JOINT = re.compile(r"\s*(?:\band\b|&|[和与])\s*")
_LOWER = re.compile(r"\b[a-z]+\b")
_CAPITAL = re.compile(r"\b[A-Z][a-z]+\b")


@dataclass(frozen=True, slots=True)
class Recognised:
    """The names of a text: entities, people first, the most mentioned first.

    `uses` has, of spellings that are common words too, the offsets at which they are names, by chapter; `kinds` has the
    kind of every spelling that is mostly tagged.
    """

    names: list[KnownName]
    uses: Mapping[str, Mapping[int, frozenset[int]]]
    kinds: Mapping[str, str]


def recognise(texts: Sequence[str], known: Iterable[KnownName], tagged: Sequence[Sequence[TaggedSpan]]) -> Recognised:
    """Find the names of chapters, by their tags, that `known` does not hold under any spelling."""
    taken = {spelling for entry in known for spelling in (entry.name, entry.base, *entry.aliases)}
    found = surfaces_of(texts, tagged)
    stated = stated_names(texts, found)
    uses = _uses_of_words(texts, found, {one.name for one in stated.declared})
    likely = [
        one for one in found.places if one not in taken and (one in stated.names or _is_likely(one, found, uses, texts))
    ]
    pairs = _pairs(likely, found, texts, stated)
    kept = _kept(likely, found, texts, stated.names, pairs)
    surfaces = [surface for surface in kept if found.kind(surface) == NameKind.PERSON]
    people = _people(surfaces, found, texts, stated.single, pairs)
    others = [
        KnownName(name=surface, kind=LABELS[NameKind(found.kind(surface))], aliases=_broken(found, [surface]))
        for surface in sorted(kept, key=lambda one: -found.count(one))
        if found.kind(surface) != NameKind.PERSON
    ]
    spellings = {*taken, *(spelling for entry in (*people, *others) for spelling in (entry.name, *entry.aliases))}
    offices = [KnownName(name=name, kind=LABELS[NameKind.ORGANISATION]) for name in organisations(texts, spellings)]
    starts: dict[str, dict[int, set[int]]] = {}
    for surface in kept:
        if found.count(surface) < NAME_ONLY_SHARE * uses[surface]:
            by_chapter = starts.setdefault(surface, defaultdict(set))
            for place in found.places[surface]:
                by_chapter[place.chapter].add(place.start)
    return Recognised(
        names=[*people, *others, *offices],
        uses={word: {chapter: frozenset(at) for chapter, at in rows.items()} for word, rows in starts.items()},
        kinds={one: LABELS[NameKind(found.kind(one))] for one in found.places if found.count(one) > uses[one] / 2},
    )


def _uses_of_words(texts: Sequence[str], found: Surfaces, declared: Collection[str]) -> Counter[str]:
    """Return how often each word stands in the text; where one was declared to be a name, it is one everywhere."""
    spellings, uses = Spellings.compile(found.places), Counter[str]()
    more: dict[str, list[Place]] = defaultdict(list)
    for chapter, text in enumerate(texts):
        for start, end in spellings.longest(text):
            word = text[start:end]
            uses[word] += 1
            if word in declared and not _MEASURED.search(text, max(0, start - 2), start):
                more[word].append(Place(chapter, start))
    for word, places in more.items():
        found.add_person(word, places)
    return uses


def _is_likely(surface: str, found: Surfaces, uses: Counter[str], texts: Sequence[str]) -> bool:
    """Return True for what is mostly tagged, and no house, couple, thing or title alone."""
    is_word, is_person = segmenter().has_word(surface), found.kind(surface) == NameKind.PERSON
    if all(map(is_english_title, surface.split())) or is_house(surface) or _is_couple(surface, found):
        return False
    if is_word and _is_adverb(surface, found, texts):
        return False
    is_common_noun = is_word and not is_person and tag_of(surface) == "n"
    if is_common_noun and (found.count(surface) < LEAST_OF_WORD or fmean(found.sure[surface]) < LEAST_SURE_OF_WORD):
        return False
    least = LEAST_SHARE_OF_WORD if is_word and is_person else LEAST_SHARE
    return found.count(surface) >= least * uses[surface]


def _is_adverb(surface: str, found: Surfaces, texts: Sequence[str]) -> bool:
    """Return True for a doubled word that stands mostly before 的 or 地: 静静."""
    ends = [(texts[place.chapter], place.start + len(surface)) for place in found.places[surface]]
    before = sum(text[end : end + 1] in ADVERBIAL for text, end in ends)
    return len(set(surface)) == 1 and 2 * before >= len(ends)


def _is_couple(surface: str, found: Surfaces) -> bool:
    """Return True for several names in one tag; of a name with 和 or 与 in it no two sides are names."""
    sides = ((surface[: joint.start()], surface[joint.end() :]) for joint in _JOINT.finditer(surface))
    return bool(_LISTED.search(surface)) or any(found.count(left) and found.count(right) for left, right in sides)


def _pairs(likely: Sequence[str], found: Surfaces, texts: Sequence[str], stated: Stated) -> list[tuple[str, str]]:
    people = {
        surface: found.places[surface]
        for surface in likely
        if found.kind(surface) == NameKind.PERSON and max(found.sure[surface]) >= LEAST_SURE_BESIDE
    }
    relatives = {surface: at for surface, at in stated.relatives.places.items() if surface in people}
    return [*stated.pairs(), *equated_names(texts, people, relatives)]


def _kept(
    likely: Sequence[str],
    found: Surfaces,
    texts: Sequence[str],
    stated: Collection[str],
    pairs: Iterable[tuple[str, str]],
) -> list[str]:
    """Return the surfaces that are names: stated, tagged often enough, or once where the text tells who that is."""
    real = [surface for surface in likely if surface in stated or found.is_sure(surface)]
    often = {
        surface: found.places[surface] for surface in real if found.count(surface) >= LEAST_COUNT or surface in stated
    }
    parts = parts_of(often)

    def is_told(surface: str) -> bool:
        """Return True for a full name of which a part is a name by itself, and beside a word that says who it is."""
        form = form_of(surface, parts)
        is_linked = form.is_full and any(len(part) > 1 and part in often for part in form.parts)
        return is_linked or is_introduced(texts, surface, found.places[surface])

    beside = {name for pair in pairs if not often.keys().isdisjoint(pair) for name in pair}
    once = [surface for surface in real if surface not in often and is_told(surface)]
    return [*often, *once, *sorted(beside - {*often, *once})]


def _people(
    surfaces: Sequence[str],
    found: Surfaces,
    texts: Sequence[str],
    single: Collection[str],
    pairs: Collection[tuple[str, str]],
) -> list[KnownName]:
    places = {surface: found.places[surface] for surface in surfaces}
    parts = parts_of(places, _common_words(surfaces, texts), single)
    people = merged_people([form_of(surface, parts) for surface in surfaces], NameEvidence(texts, places), pairs)
    people.sort(key=lambda person: -sum(found.count(surface) for surface in person.surfaces))
    return [_known(person, found) for person in people]


def _common_words(surfaces: Sequence[str], texts: Sequence[str]) -> set[str]:
    """Return the English words of names that the text often writes in lower case."""
    lower, capital = Counter[str](), Counter[str]()
    for text in texts:
        lower.update(_LOWER.findall(text))
        capital.update(_CAPITAL.findall(text))
    wanted = {word for surface in surfaces for word in _CAPITAL.findall(surface)} - set(surfaces)
    words = (word for word in wanted if not is_english_title(word))
    return {word.lower() for word in words if lower[word.lower()] > COMMON_SHARE * capital[word]}


def _known(person: NamedPerson, found: Surfaces) -> KnownName:
    """Return a person under its fullest name that is no rarity, with the other forms as aliases."""
    most = max(found.count(surface) for surface in person.surfaces)
    best = max(
        (form for form in person.forms if form.is_full or found.count(form.surface) == most),
        key=lambda form: (form.is_full and not form.title, form.is_full, found.count(form.surface)),
    )
    forms = [form.surface for form in (*person.forms, *person.shared)]
    aliases = dict.fromkeys(surface for surface in (*forms, *_broken(found, forms)) if surface != best.surface)
    return KnownName(name=best.surface, kind=PERSON, aliases=tuple(aliases))


def _broken(found: Surfaces, surfaces: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(raw for surface in surfaces for raw in found.broken.get(surface, ())))


LEAST_OFFICES = 2  # statements of an office that make an organisation
_ORGANISED = "厅行局院馆堂坊阁庄寨帮派教会社团队府衙署部司"
REACH = 40  # characters before and behind a name that are looked at
_TIES = {
    "zh": ("kin", "friend", "enemy", "pupil", "mate", "rank", "head"),
    "en": ("kin", "friend", "enemy", "pupil", "rank", "head", "under"),
}
_BEFORE = {
    "zh": r"(?:[的之]?(?:{ties})，?(?:叫做|名叫|叫|是)?|[是乃]|嫁给了?|娶了?)$",
    "en": r"(?:\b(?:{ties}),? (?:of|to|in) (?:the )?|['’]s (?:{adj} )*(?:{ties}),? (?:is |was )?"
    r"|\bmarried |\bjoined (?:the )?)$",
}
_AFTER = {
    "zh": r"，?(?:(?:就|便|正|也)?[是乃，][^，。！？；]{{1,12}}?[的之]|的?)(?:{ties})(?:[，。！；]|$|[^\W的们])",
    "en": r"(?:,| is| was| had been)(?: (?:the|a|an))? (?:\w+['’]s )?(?:{adj} )*(?:{ties})\b"
    r"|['’]s (?:{adj} )*(?:{ties})\b| married ",
}


@cache
def _expressions(language: Language) -> tuple[re.Pattern[str], re.Pattern[str]]:
    words = relation_words(language)
    ties = "|".join(words[name] for name in _TIES[language])
    parts = {"ties": ties, "adj": f"(?:{words.get('adj', '')})"}
    return re.compile(_BEFORE[language].format(**parts)), re.compile(_AFTER[language].format(**parts))


def is_introduced(texts: Sequence[str], surface: str, places: Sequence[Place]) -> bool:
    """Return True if a name stands somewhere beside a word that says whose it is, or of what."""
    before, after = _expressions("zh" if HAN.search(surface) else "en")
    for place in places:
        text, end = texts[place.chapter], place.start + len(surface)
        if before.search(text[max(0, place.start - REACH) : place.start]) or after.match(text[end : end + REACH]):
            return True
    return False


def organisations(texts: Sequence[str], known: Collection[str]) -> list[str]:
    words = relation_words("zh")
    office = re.compile(
        rf"(?:(?<=[，。“：、；])|[是做当任兼]了?|^)([一-龥]{{1,5}}[{_ORGANISED}])(?:的)?(?:{words['head']}|{words['rank']})",
        re.MULTILINE,
    )
    stated = Counter(match[1] for text in texts for match in office.finditer(text))
    return [name for name, count in stated.items() if count >= LEAST_OFFICES and name not in known]
