"""Who narrates a story in the first person: the one who is called by name where the narrator is spoken to."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from wenmai.ingestion.names.names import Namer, TextMention
from wenmai.language.narration import is_first_person, narrated, pronoun_spans

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
BEFORE, BEHIND = 24, 60  # characters around a name that show who is meant
CALLED, SHOWN = 1, 5  # weights of one who is called by name, and of one who is shown to be the narrator
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
