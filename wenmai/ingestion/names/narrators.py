"""Who tells a story in the first person, and where: "I" outside of quotations means the narrator."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from wenmai.ingestion.names.mentions import Mention
from wenmai.ingestion.names.names import Namer
from wenmai.language.narration import is_first_person, narrated, pronoun_spans

NAMES_ITSELF = re.compile(
    r"我(?:叫做?|名叫|姓|(?:的)?名字[叫是])$|\b(?:[Mm]y name(?:'s|’s| is| was)|I was called|[Cc]all(?:ed)? me) $"
)
CALL_BEGINS = re.compile(r"[,，“‘\"'「]\s?(?:[Mm]y )?(?:dear |old |poor )?$")
CALL_ENDS = re.compile(r"[,，!！?？.。…”’\"'」]")
REACH = 14
"""Characters before a name that show who is meant."""
LEAST_CALLS = 4
"""So often somebody is called by name before he may be the narrator."""
LEAST_SPOKEN = 0.6
"""Part of the mentions of a narrator that stand in speech: narrators rarely name themselves."""
OWN = 5
"""What it weighs that a narrator names himself, beside being called once."""


@dataclass(frozen=True, slots=True)
class Narrator:
    """The entity that tells a story, and the texts of the chapters before the one that first names it."""

    entity: str
    unnamed: frozenset[str]

    def mentions(self, text: str) -> list[Mention]:
        """Return where a chapter says "I" and means the narrator; none before the book has told the name."""
        if text in self.unnamed:
            return []
        return [Mention(*span, self.entity) for span in pronoun_spans(narrated(text))]


def narrator_of(texts: Sequence[str], namer: Namer) -> Narrator | None:
    """Return who tells a story, None where it is told from outside or nobody calls the narrator by name.

    Others call narrators by name: most of what names them stands in speech, at its begin or end.
    """
    if not is_first_person(texts):
        return None
    calls, spoken, every = Counter[str](), Counter[str](), Counter[str]()
    first: dict[str, int] = {}
    for at, text in enumerate(texts):
        told = narrated(text)
        for mention in namer.mentions(text):
            is_spoken = told[mention.start].isspace()
            every[mention.entity] += 1
            spoken[mention.entity] += is_spoken
            calls[mention.entity] += _worth(text if is_spoken else told, mention, is_spoken=is_spoken)
            first.setdefault(mention.entity, at)
    for name, count in calls.most_common():
        if count >= LEAST_CALLS and namer.kind(name) == "Character" and spoken[name] >= LEAST_SPOKEN * every[name]:
            return Narrator(name, frozenset(texts[: first[name]]))
    return None


def _worth(text: str, mention: Mention, *, is_spoken: bool) -> int:
    """Return how much a mention shows that it means the narrator."""
    before = text[max(0, mention.start - REACH) : mention.start]
    if not is_spoken:
        return OWN * bool(NAMES_ITSELF.search(before))
    return int(bool(CALL_BEGINS.search(before) and CALL_ENDS.match(text, mention.end)))
