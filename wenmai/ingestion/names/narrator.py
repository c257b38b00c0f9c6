"""Who narrates a story in the first person: who is addressed by name, gives it in the narration, or signs with it."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tools.records import PERSON
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
    r"[对向跟问叫喊唤]我(?!们)|我(?:对|跟)自己|我[爸妈爹娘哥姐弟妹爷奶父母]"
    r"|\b(?:to|told|asked|telling|asking) (?:me|myself)\b|\b(?:said|asked|cried|exclaimed|inquired|remarked) my\b"
)
"""What tells who is spoken to, or that one of the narrator's family speaks."""
BEFORE, BEHIND = 24, 60  # characters around a name that show who is meant
CALLED, SHOWN = 1, 5  # weights of one who is called by name, and of one who is shown to be the narrator
LEAST = 4
LEAST_SPOKEN = 0.6
"""Part of the mentions of a narrator that stand in speech, but where he names himself: narrators rarely do."""


@dataclass(frozen=True, slots=True)
class Narrators:
    """Who tells the chapters of a story: the entity by the chapter's text; none for one that is told from outside."""

    tellers: Mapping[str, str]

    def mentions(self, text: str) -> list[TextMention]:
        """Return where a chapter says "I" and means the narrator; none where nobody is known to tell it."""
        if (teller := self.tellers.get(text)) is None:
            return []
        return [TextMention(*span, teller) for span in pronoun_spans(narrated(text))]


@dataclass(slots=True)
class _Shown:
    """How much a text shows of each entity that it is the narrator; how often each is named, and how often so."""

    weights: Counter[str] = field(default_factory=Counter)
    spoken: Counter[str] = field(default_factory=Counter)
    every: Counter[str] = field(default_factory=Counter)
    given: Counter[str] = field(default_factory=Counter)

    def add(self, other: "_Shown") -> None:
        self.weights.update(other.weights)
        self.spoken.update(other.spoken)
        self.every.update(other.every)
        self.given.update(other.given)

    def teller(self, namer: Namer, *, by_name: bool = False) -> str | None:
        """Return who is shown most; narrators rarely say their names but where they give them.

        With `by_name` only one who gives his name outside of speech, or signs: that of a single chapter.
        """
        for name, weight in self.weights.most_common():
            if weight < LEAST:
                break
            if by_name and not self.given[name]:
                continue
            if namer.kind(name) == PERSON and self.spoken[name] >= LEAST_SPOKEN * self.every[name]:
                return name
        return None


def narrators_of(texts: Sequence[str], namer: Namer) -> Narrators:
    """Return who tells each chapter: who gives his name in it, else who is shown to tell the whole, once named.

    A chapter that is told from outside has no narrator, and a story that nobody is shown to tell has none.
    """
    rows, whole, first = [_shown(text, namer) for text in texts], _Shown(), dict[str, int]()
    for at, row in enumerate(rows):
        whole.add(row)
        for name in row.every:
            first.setdefault(name, at)
    main = whole.teller(namer) if is_first_person(texts) else None
    tellers = dict[str, str]()
    for at, (text, row) in enumerate(zip(texts, rows, strict=True)):
        own = row.teller(namer, by_name=True) if is_first_person([text]) else None
        if own is None and main is not None and first[main] <= at:
            own = main
        if own is not None:
            tellers[text] = own
    return Narrators(tellers)


def _shown(text: str, namer: Namer) -> _Shown:
    told, found = narrated(text), _Shown()
    for mention in namer.mentions(text):
        weight = _weight(text, told, mention)
        found.weights[mention.entity] += weight
        found.every[mention.entity] += 1
        found.given[mention.entity] += weight == SHOWN and not told[mention.start].isspace()
        found.spoken[mention.entity] += weight == SHOWN or told[mention.start].isspace()
    return found


def _weight(text: str, told: str, mention: TextMention) -> int:
    """Return how much a mention shows that it means the narrator; `told` is the text without its quotations."""
    start, end = max(0, mention.start - BEFORE), mention.end + BEHIND
    if text[mention.end :].strip() == "" and text[: mention.start].rstrip(" \u3000").endswith("\n"):
        return SHOWN  # a signature
    is_quoted = told[mention.start].isspace()
    around = told[start:end]
    if NAMES_SELF.search(text[start : mention.start]) and ENDS_CLAUSE.match(text, mention.end):
        return SHOWN if not is_quoted or SAYS_I.search(around) else 0
    if not (is_quoted and CALL_BEGINS.search(text[start : mention.start]) and CALL_ENDS.match(text, mention.end)):
        return 0
    return SHOWN if TO_ME.search(around) else CALLED
