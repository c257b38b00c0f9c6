"""Words that stand for a name that the chapter has told: pronouns, and bare words of an office or a body."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from state.context import Language
from wenmai.ingestion.contracts import TaggedChapter
from wenmai.ingestion.names.mentions import Mention, within
from wenmai.language.lexicon import bodies, relation_words, seats

SEAT_REACH = 1500
"""Characters before an office in which its seat is named."""
PERSON = "Character"


@dataclass(frozen=True, slots=True)
class StandIn:
    """A word as a mention of the entity that it means; `suffix` is what the masked text shows behind it."""

    mention: Mention
    suffix: str = ""


def bare_offices(tagged: TaggedChapter, language: Language, span: tuple[int, int], subject: str) -> Iterator[StandIn]:
    """Yield the seat of a bare office before a name: the last ship for 大副季铁, the subject for 徒弟唐小棠."""
    text = tagged.chapter.text
    for expression, ends in _bare_offices(language):
        for match in expression.finditer(text, *span):
            named = within(tagged.mentions, match.end(), match.end() + 1)
            if not any(tagged.kinds.get(one.entity) == PERSON for one in named):
                continue
            if not ends and subject and match.start() == span[0]:
                yield StandIn(Mention(match.start(), match.start(), subject), "的")
            near = within(tagged.mentions, max(0, match.start() - SEAT_REACH), match.start()) if ends else ()
            if seat := next((one.entity for one in reversed(near) if one.entity[-1] in ends), None):
                yield StandIn(Mention(match.start(), match.start(), seat), "的")


def bare_bodies(tagged: TaggedChapter, language: Language, span: tuple[int, int]) -> Iterator[StandIn]:
    """Yield the body that its bare kind means, if the chapter has named one of the kind so far: 公会, 船上."""
    text = tagged.chapter.text
    for expression, ends in _bare_bodies(language):
        for match in expression.finditer(text, *span):
            kind = tuple(ends) or match[0]
            named = [m.entity for m in within(tagged.mentions, 0, match.start()) if m.entity.endswith(kind)]
            if len(set(named)) == 1 or (named and ends):
                yield StandIn(Mention(match.start(), match.end(), named[-1]))


@cache
def _bare_bodies(language: Language) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple(
        (re.compile(rf"(?<=[是在到从进入出离回替给])(?:{words})", re.M), ends) for words, ends in bodies(language)
    )


@cache
def _bare_offices(language: Language) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return the words of offices, each with the last characters of its seat, '' for those of a person."""
    rows = seats(language)
    pupils = ((relation_words(language)["pupil"], ""),) if rows else ()
    return tuple(
        (re.compile(rf"(?:(?<=[，。；：“是、\n])|^)(?:{words})", re.M), ends) for words, ends in (*rows, *pupils)
    )
