"""How much of a question to networks was understood: what its reading does not say, and what that costs."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from operator import mul

from state.schema import Evidence
from tools.evidence import label_of
from tools.language import HAN
from tools.networks.lexicon import Lexicon
from tools.networks.words import blank, blanked, terms_in
from tools.probability import logistic
from wenmai.language.segmenting import segmenter
from wenmai.minds.offline.networks.asking import CONNECTION, LISTING, RULES, ranked, value_of, without_names
from wenmai.minds.offline.networks.reading import AVERAGE, COUNTING, GENERIC, SUPERLATIVE, TOTAL, WHO
from wenmai.minds.offline.networks.shapes import (
    COMPARING,
    NOW,
    Comparison,
    InstanceConnection,
    Query,
    Shape,
    Walk,
    in_digits,
    time_in,
)
from wenmai.minds.offline.questions.question import content_words

WEIGHTS = (2.96, -3.29, -4.2, 0.51)
"""Of the logistic curve over a computed answer: all words said; the share of them that is not; a condition that is not
applied; a type that the question does not name. Fitted by `python -m benchmarks.network_confidence` to 96 questions; on
the 94 others AUC 0.94 and a squared error of 0.062 (that of the share of right ones alone: 0.179)."""
REFUSAL = (0.85, 0.0, 0.0)
"""Of that over a refusal: that nothing answers; the share of words that neither the network nor a rule knows; a name
that is not in the network. The first alone, the usual share: ten refusals were too few to fit."""
ROW_SLOPE, ROW_UNSAID, ROW_OFFSET = 0.96, -0.97, -3.19
"""Of the logistic curve over a network's row: its score, and the share of the question's words that neither its names
nor the row say. Fitted on talks of KdConv about films, checked on those about travel and music: AUC 0.78 for both,
squared error 0.14 and 0.19 (that of 0.8 for every row: 0.17 and 0.26)."""
BEFORE_CONDITION = r"(?:with|without|in|on|at|from|near|during|except|but|only|of|under|over|per)\b"
BEHIND = re.compile(
    rf"\b{BEFORE_CONDITION}\s+(?:(?:an?|the|any|its|their)\s+)?(?!{BEFORE_CONDITION})(?P<word>[a-z][\w-]+)",
    re.IGNORECASE,
)
BEFORE = re.compile(r"\b(?P<word>[a-z][\w-]+)\s+$", re.IGNORECASE)
PART_OF_WORD = re.compile(r"[A-Za-z]{2}")
QUALITIES = ("a", "b", "n", "z", "s")
"""Tags of words that say of which kind."""


@dataclass(frozen=True, slots=True)
class Understanding:
    """Words of a question that its reading does not say; `ignored` are those that set a condition."""

    unsaid: tuple[str, ...]
    ignored: tuple[str, ...]
    share: float
    is_named: bool = True
    has_unknown: bool = False

    @property
    def signs(self) -> tuple[float, ...]:
        """Of a computed answer."""
        return 1.0, self.share, float(bool(self.ignored)), float(not self.is_named)

    @property
    def probability(self) -> float:
        """Return how probable it is that a computed answer is right."""
        return logistic(sum(map(mul, WEIGHTS, self.signs)))

    @property
    def refusal_signs(self) -> tuple[float, ...]:
        return 1.0, self.share, float(self.has_unknown)

    @property
    def refusal_probability(self) -> float:
        """Return how probable it is that nothing in the networks answers, where nothing was found."""
        return logistic(sum(map(mul, REFUSAL, self.refusal_signs)))


def row_probability(question: str, evidence: Sequence[Evidence], cited: str) -> float:
    """Return how probable it is that a row of a network answers, by what it has of the question."""
    row = next(row for row in ranked(question, evidence) if row.piece["id"] == cited)
    words = content_words(question)
    rest = content_words(without_names(question, [row.piece]))
    told = f"{label_of(row.piece)} {value_of(row.piece)}"
    unsaid = [word for word in rest if word not in told and label_of(row.piece) not in word]
    return logistic(ROW_SLOPE * row.score + ROW_UNSAID * len(unsaid) / max(1, len(words)) + ROW_OFFSET)


def understanding(question: str, shape: Shape | None, lexicon: Lexicon, today: date | None) -> Understanding:
    question = in_digits(question)
    plain = blanked(question, lexicon.named_in(question))
    said = [*said_by(shape)] if shape else []
    time = time_in(plain, today)
    at = plain[time.start : time.end].strip(" ,，") if time else ""
    is_of_time = isinstance(shape, Query) and (shape.at or any(time and time.at in one.value for one in shape.where))
    spans = [(one.start, one.end) for schema in lexicon.schemas.values() for one in terms_in(plain, schema)]
    left = blank(plain, spans)
    if time:
        left = blank(left, [(time.start, time.end)])
    for one in sorted(said, key=len, reverse=True):
        left = without(re.compile(f"{re.escape(one)}(?:e?s\\b)?", re.IGNORECASE), left)
    for pattern in (GENERIC, LISTING, COUNTING, WHO, SUPERLATIVE, CONNECTION, COMPARING, AVERAGE, TOTAL, NOW):
        left = without(pattern, left)
    for rule in RULES if said else ():
        if any(rule.told.search(one) for one in said):
            left = without(rule.asked, left)
    unsaid, words = content_words(left), content_words(plain)
    ignored = [*conditions_left(left, plain, spans)]
    if time and not is_of_time and not NOW.fullmatch(at) and at not in " ".join(said):
        ignored.append(at)
    named = not isinstance(shape, Query) or shape.named
    return Understanding(tuple(unsaid), tuple(dict.fromkeys(ignored)), len(unsaid) / max(1, len(words)), named)


def without(pattern: re.Pattern[str], text: str) -> str:
    """Return a text with blanks in place of what a pattern finds, but for parts of Latin words."""
    spans = (found.span() for found in pattern.finditer(text))
    whole = [(at, end) for at, end in spans if not (is_within(text, at) or is_within(text, end))]
    return blank(text, whole)


def is_within(text: str, at: int) -> bool:
    return PART_OF_WORD.fullmatch(text[max(0, at - 1) : at + 1]) is not None


def said_by(shape: Shape) -> Iterator[str]:
    """Give the texts of a question that its shape says."""
    match shape:
        case Query():
            for one in (*shape.where, *(where for other in shape.others for where in other.where)):
                yield from (part for part in (one.text, one.value, one.label) if part)
            yield from (
                part for part in (shape.label, shape.role, shape.said, shape.type.name, shape.told.name) if part
            )
            if shape.degree:
                yield from (part for part in (shape.degree.word, shape.degree.label) if part)
        case Walk():
            yield from (part for step in shape.steps for part in (step.label, step.said))
        case Comparison():
            yield from (part for part in (shape.degree.label, shape.degree.word) if part)
        case InstanceConnection():
            return


def conditions_left(left: str, plain: str, terms: list[tuple[int, int]]) -> Iterator[str]:
    """Give the words, of those that nothing says, which would set a condition: blue bridges, with a view, 红色的船."""
    if HAN.search(plain):
        at = 0
        for word, tag in segmenter().tag(left, False):
            start, at = at, at + len(word)
            is_beside = plain[at : at + 1] == "的" or any(at == first for first, _ in terms)
            if (
                tag.startswith(QUALITIES)
                and len(word) > 1
                and plain[start:at] == word
                and is_beside
                and content_words(word)
            ):
                yield word
        return
    found = [one["word"] for one in BEHIND.finditer(left) if content_words(one["word"])]
    found += [one["word"] for start, _ in terms if (one := BEFORE.search(left[:start])) and content_words(one["word"])]
    yield from found
