"""What a whole source tells of its people: who narrates it, who is a man and who a woman."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from tools.language import HAN
from wenmai.ingestion.names.names import Namer, TextMention, within
from wenmai.language.narration import is_first_person, narrated, pronoun_spans
from wenmai.language.titles import RELATIVES

NAMES_SELF = re.compile(
    r"我(?:的?(?:名字|大名|大号|本名|真名|小名|学名))?(?:就?[叫是]|姓|名叫|叫[做作])$|我姓[一-龥]{1,2}[，、]?(?:单名(?:一个)?|名叫?|讳)$"
    r"|[叫喊唤称]我[作做为]?$|管我叫$"
    r"|\b(?:[Mm]y name(?:['’]s| is| was)|I(?:['’]m| am| was)(?: called| named)?|[Cc]all(?:ed)? me|I,) $"
)
ENDS_CLAUSE = re.compile(r"字?[,.;:!?—–，。！？；、…”」’'\s-](?!s\b)|$")
CALL_BEGINS = re.compile(r"[,，“‘\"'「『]\s?(?:[Mm]y )?(?:dear |old |poor )?$")
CALL_ENDS = re.compile(r"[,，!！?？.。…”’\"'」』]")
SAYS_I = re.compile(r"我(?:回答|[答说道])|\bI (?:said|answered|replied|told|explained)\b|\bsaid I\b")
TO_ME = re.compile(
    r"[对向跟问叫]我(?!们)|我(?:对|跟)自己|我[爸妈爹娘哥姐弟妹爷奶父母]"
    r"|\b(?:to|told|asked|telling|asking) (?:me|myself)\b|\b(?:said|asked|cried|exclaimed|inquired|remarked) my\b"
)
"""What tells who is spoken to, or that one of the narrator's family speaks."""
BEFORE, BEHIND = 24, 60
"""Characters around a name that show who is meant."""
CALLED, SHOWN = 1, 5
"""What it weighs that somebody is called by name, and that he is shown to be the narrator."""
LEAST = 4
LEAST_SPOKEN = 0.6
"""Part of the mentions of a narrator that stand in speech, but where he names himself: narrators rarely do."""


@dataclass(frozen=True, slots=True)
class Narrator:
    """The entity that tells a story, and the texts of the chapters before the one that first names it."""

    entity: str
    unnamed: frozenset[str]

    def mentions(self, text: str) -> list[TextMention]:
        """Return where a chapter says "I" and means the narrator; none before the book has told the name."""
        if text in self.unnamed:
            return []
        return [TextMention(*span, self.entity) for span in pronoun_spans(narrated(text))]


def narrator_of(texts: Sequence[str], namer: Namer) -> Narrator | None:
    """Return who tells a story, None where it is told from outside or nobody calls the narrator by name."""
    if not is_first_person(texts):
        return None
    weights, spoken, every = Counter[str](), Counter[str](), Counter[str]()
    first: dict[str, int] = {}
    for at, text in enumerate(texts):
        told = narrated(text)
        for mention in namer.mentions(text):
            weight = _weight(text, told, mention)
            weights[mention.entity] += weight
            every[mention.entity] += 1
            spoken[mention.entity] += weight == SHOWN or told[mention.start].isspace()
            first.setdefault(mention.entity, at)
    for name, weight in weights.most_common():
        if weight >= LEAST and namer.kind(name) == "Character" and spoken[name] >= LEAST_SPOKEN * every[name]:
            return Narrator(name, frozenset(texts[: first[name]]))
    return None


def _weight(text: str, told: str, mention: TextMention) -> int:
    """Return how much a mention shows that it means the narrator; `told` is the text without its quotations."""
    start, end = max(0, mention.start - BEFORE), mention.end + BEHIND
    is_quoted = told[mention.start].isspace()
    around = told[start:end]
    if NAMES_SELF.search(text[start : mention.start]) and ENDS_CLAUSE.match(text, mention.end):
        return SHOWN if not is_quoted or SAYS_I.search(around) else 0
    if not (is_quoted and CALL_BEGINS.search(text[start : mention.start]) and CALL_ENDS.match(text, mention.end)):
        return 0
    return SHOWN if TO_ME.search(around) else CALLED


Gender = Literal["m", "f", "m?", "f?"]
"""With a question mark where it is probable only."""

LEAST_VOTES, CLEAR, PROBABLE = 2, 0.75, 0.6
"""Pronouns that show how a person is called, the share of them that must agree, and the share that makes a guess."""
TITLED = 6
"""Pronouns that a title in a name or alias outweighs."""
REACH = 1200
"""Characters before a pronoun in which it may mean somebody whom its paragraph does not name."""
KINSHIP = 2
"""Characters of a word of kinship right before a name: 母亲王婉."""
OPENING = 3
"""Votes of a Chinese pronoun that opens a clause: it is the subject, as the person named before it is."""
_GUESSES: Mapping[Gender, Gender] = {"m": "m?", "f": "f?"}
_CLAUSE_ENDS = frozenset("。！？”…，；")
_PRONOUNS = {
    "zh": re.compile(r"(?P<m>他)(?![们人])|(?P<f>她)(?!们)"),
    "en": re.compile(r"\b(?:(?P<m>[Hh]e|him|[Hh]is)|(?P<f>[Ss]he|[Hh]er))\b"),
}
_TITLES: Mapping[Gender, re.Pattern[str]] = {
    "f": re.compile(
        r"(?:夫人|小姐|太太|姑娘|婆婆|奶奶|大娘|大妈|姐姐?|妹妹?|嫂子?|婶子?|姑姑|姨妈?|氏|女士|公主|皇后|娘娘)$|^(?:Mrs|Miss|Lady|Queen|Princess|Madame?|Mademoiselle|Countess|Duchess|Aunt|Sister)\b"
    ),
    "m": re.compile(
        r"(?:先生|公子|爷|伯伯?|叔叔?|大哥|哥哥|弟弟|大叔|王子)$|^(?:Mr|Sir|Lord|King|Prince|Count|Duke|Baron|Monsieur|Captain|Colonel|Father|Uncle|Brother)\b"
    ),
}


@dataclass(frozen=True, slots=True)
class _Vote:
    """What shows a person's gender, as a pronoun after the only name of its paragraph; `near` are others nearby."""

    name: str
    gender: Gender
    weight: int
    near: frozenset[str]


def genders_of(texts: Sequence[str], namer: Namer) -> dict[str, Gender]:
    """Return the people that a source shows clearly, or probably, to be men or women.

    Where the pronouns behind a name are mixed, those count alone that mean nobody else nearby.
    """
    titles = [
        _Vote(name, gender, TITLED, frozenset())
        for name, entry in namer.entries.items()
        for gender, title in _TITLES.items()
        if any(map(title.search, (entry.base, *entry.aliases)))
    ]
    votes = [vote for text in texts for vote in _votes(text, namer)]
    found = _counted([*titles, *votes])
    sure: dict[str, Gender] = {name: gender for name, gender in found.items() if len(gender) == 1}
    alone = [vote for vote in votes if not any(sure.get(name) == vote.gender for name in vote.near - {vote.name})]
    return found | _counted([*titles, *alone]) | sure


def _votes(text: str, namer: Namer) -> Iterator[_Vote]:
    """Yield the people behind words of kinship, and the only ones of their narrated paragraph before a pronoun."""
    told = narrated(text)
    people = [m for m in namer.mentions(text) if namer.kind(m.entity) == "Character" and not told[m.start].isspace()]
    for one in people:
        if relative := RELATIVES.get(told[max(0, one.start - KINSHIP) : one.start]):
            yield _Vote(one.entity, relative[1] or "m", LEAST_VOTES, frozenset())
    for match in _PRONOUNS["zh" if HAN.search(text) else "en"].finditer(told):
        start = match.start()
        before = {m.entity for m in within(people, text.rfind("\n", 0, start) + 1, start)}
        if len(before) == 1:
            near = frozenset(m.entity for m in within(people, max(0, start - REACH), start))
            weight = OPENING if text[start - 1] in _CLAUSE_ENDS else 1
            yield _Vote(before.pop(), "m" if match["m"] else "f", weight, near)


def _counted(votes: Iterable[_Vote]) -> dict[str, Gender]:
    cast: defaultdict[str, Counter[Gender]] = defaultdict(Counter)
    for vote in votes:
        cast[vote.name][vote.gender] += vote.weight
    found: dict[str, Gender] = {}
    for name, counts in cast.items():
        gender, most = counts.most_common(1)[0]
        share = most / counts.total()
        if most >= LEAST_VOTES and share >= PROBABLE:
            found[name] = gender if share >= CLEAR else _GUESSES[gender]
    return found
