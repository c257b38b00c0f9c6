"""The sentence that says most of who a person is."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tools.records import Passage
from tools.text.sentences import statement_spans

TOLD, NAMED_AS, DESCRIBED = 3.0, 2.0, 1.5
"""Points of a sentence that says what a person is, how people call them, what they look like."""
LATE, SPOKEN, FRAGMENT, OTHER_LENGTH = 0.25, 1.5, 1.5, 1.0
"""Points off: for each passage later, for speech, for half a sentence, for an unusual length."""
USUAL_LENGTH = range(10, 121)
_IS_TOLD = (
    r"{n}(?:[是乃]|[原本]是|[（(]|[，,](?:[是乃字号]|本是|原是|今年|年方)|今年|年方|年纪|这个?人)",
    r"(?:[是，、]|有[个位名]).{{0,16}}的(?:{n})[。，]",
    r"\b(?:{n}),? (?:who )?(?:is|was|had been) (?:an?|the|my|his|her|our|one)\b",
    r"\b(?:{n}), (?:an?|the|my|his|her|our) ",
)
_IS_NAMED = (
    r"(?:[名也]?叫做?|[唤喚][作做]|名[唤喚]|名字?是|人称|外号|绰号|姓.名){n}",
    r"\b(?:named|called|name (?:is|was)|known as|I am|I'm|I’m) (?:{n})\b",
)
_LOOKS = re.compile(
    r"[一二三四五六七八九十\d]岁|年纪|年约|个子|身材|身高|模样|高大|矮小"
    r"|\b(?:years old|years of age|tall|stout|slim|handsome)\b"
    r"|\b(?:young|old|elderly|little) (?:man|woman|lady|gentleman|fellow|girl|boy)\b"
)


@dataclass(frozen=True, slots=True)
class Introducing:
    """What says who a person is, compiled for the spellings of one person."""

    named: re.Pattern[str]
    told: tuple[re.Pattern[str], ...]
    called: tuple[re.Pattern[str], ...]

    @classmethod
    def of(cls, spellings: Sequence[str]) -> "Introducing":
        """Compile the patterns for a person."""
        either = "|".join(re.escape(text) for text in sorted(spellings, key=lambda text: (-len(text), text)))
        told, called = (
            tuple(re.compile(pattern.format(n=f"(?:{either})")) for pattern in patterns)
            for patterns in (_IS_TOLD, _IS_NAMED)
        )
        return cls(re.compile(either), told, called)

    def points(self, sentence: str) -> float:
        """Return how much a sentence says of who the person is: 0 where it does not name them, else -2.5 to 6.5."""
        if not self.named.search(sentence):
            return 0.0
        points = TOLD * any(pattern.search(sentence) for pattern in self.told)
        points += NAMED_AS * any(pattern.search(sentence) for pattern in self.called)
        points += DESCRIBED * bool(_LOOKS.search(sentence))
        return points - FRAGMENT * sentence[0].islower() - OTHER_LENGTH * (len(sentence) not in USUAL_LENGTH)


def introduction(passages: Sequence[Passage], spellings: Sequence[str]) -> tuple[Passage, tuple[int, int]]:
    """Return the sentence that says most of who a person is, early ones before late ones."""
    introducing = Introducing.of(spellings)
    found = [
        (introducing.points(text) - SPOKEN * _is_spoken(passage.text, span[0]) - LATE * at, passage, span)
        for at, passage in enumerate(passages)
        for span in statement_spans(passage.text)
        if introducing.named.search(text := passage.text[slice(*span)])
    ]
    if not found:
        return passages[0], first_naming(passages[0], spellings)
    _, passage, span = max(found, key=lambda row: row[0])
    return passage, span


def first_naming(passage: Passage, spellings: Sequence[str]) -> tuple[int, int]:
    """Return the first sentence with a spelling, else the first of all: a passage may mean people without naming."""
    spans = statement_spans(passage.text) or [(0, len(passage.text))]
    return next((span for span in spans if any(one in passage.text[slice(*span)] for one in spellings)), spans[0])


def _is_spoken(text: str, start: int) -> bool:
    """Return True for a sentence that begins inside of a quotation, or begins one."""
    before = text[:start]
    return (
        text[start] in "“「『\"‘'" or before.count("“") > before.count("”") or before.count("「") > before.count("」")
    )
